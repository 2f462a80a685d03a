"""Projection on eigenvectors where only some of their rows are there."""

from __future__ import annotations

import torch
from torch import Tensor


def least_squares(vectors: Tensor, mass: Tensor) -> Tensor:
    """(Φᵀ M Φ)^-1 Φᵀ M for some rows of eigenvectors, (…, V, K), with their mass, (…, V, 1): (…, K, V)."""
    weighted = vectors * mass
    gram = vectors.mT @ weighted
    # Few vertices cannot tell all eigenvectors apart; a little of the identity keeps the rest from running wild.
    scale = gram.diagonal(dim1=-2, dim2=-1).mean(dim=-1)[..., None, None]
    identity = torch.eye(gram.shape[-1], device=gram.device, dtype=gram.dtype)
    gram = gram / scale + 1e-4 * identity
    spread = (vectors * weighted).sum(dim=-2).mean(dim=-1)[..., None, None]
    # Not `solve`, which on a graphics card waits to hear whether it worked; the identity sees to that.
    projection: Tensor = torch.linalg.solve_ex(gram, weighted.mT / spread).result
    return projection
