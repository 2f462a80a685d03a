"""How far information travels from a vertex: what diffusion makes of a signal that is at one vertex alone.

With δ_v the unit of heat at vertex v, whose coefficients in the eigenbasis are φ_k(v), heat after a time t is

    H_t(δ_v)(x) = Σ_k exp(-t λ_k) φ_k(v) φ_k(x)

and the derivative is what a network reads beside or instead of it: on a surface t λ_k exp(-t λ_k) takes the place of
exp(-t λ_k), on a graph μ_k exp(-t (1 - μ_k)), which is the paper's L̃ H_t. Both are symmetric in v and x. Times are in
units of a surface of area 1, as everywhere.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from meshtide.arrays import FloatArray
from meshtide.errors import InputError
from meshtide.mesh.mesh import Mesh
from meshtide.viewer.state.geodesics import Geodesics, check_vertex

if TYPE_CHECKING:
    from meshtide.networks.graph import MeshGraph

KINDS = ("derivative", "heat")
Values = NDArray[np.float32]


class Support:
    """The diffusion support on one mesh, of a network's learned times or of any other time.

    `network` is anything with `diffusion_times()`, one tensor a block: a TideNet, or a DiffusionNet. Without one, every
    call has to say its time.
    """

    def __init__(
        self, mesh: Mesh, graph: MeshGraph, network: Any | None = None, geodesics: Geodesics | None = None
    ) -> None:
        if graph.num_vertices != len(mesh.vertices):
            raise InputError(
                f"{mesh.name}: has {len(mesh.vertices):,} vertices and its graph {graph.num_vertices:,}; "
                "prepare the graph from this mesh"
            )
        self.mesh, self.graph, self.network = mesh, graph, network
        self.geodesics = geodesics or Geodesics(mesh)
        self._vectors: Values = graph.vectors.detach().cpu().numpy()
        self._mass = graph.mass.detach().cpu().double().numpy()
        self._rates = graph.rates.detach().cpu().double().numpy()
        self._eigenvalues = graph.values.detach().cpu().double().numpy()

    def spread(self) -> tuple[FloatArray, ...]:
        """The learned times, one array a block with the times of its channels; empty without a network."""
        found = getattr(self.network, "diffusion_times", None)
        if not callable(found):
            return ()
        return tuple(times.detach().cpu().double().numpy() for times in found())

    def time(self, block: int, channel: int = 0) -> float:
        """The learned time of a block's channel; channels that share a time all have it."""
        times = self.spread()
        if not times:
            raise InputError("this network has no diffusion times; say a time, or take a network of TIDE's")
        if not 0 <= block < len(times):
            raise InputError(f"there is no block {block}; the network's blocks run from 0 to {len(times) - 1}")
        own = times[block]
        if len(own) == 1:
            return float(own[0])
        if not 0 <= channel < len(own):
            raise InputError(f"block {block} has no channel {channel}; its channels run from 0 to {len(own) - 1}")
        return float(own[channel])

    def values(
        self, vertex: int, *, block: int = 0, channel: int = 0, time: float | None = None, kind: str = "derivative"
    ) -> Values:
        """|T_t(δ_v)| or |H_t(δ_v)| at every vertex, (V,), for a learned time or the one given; 0 at unused vertices."""
        check_vertex(self.mesh, vertex)
        response = self._response(self.time(block, channel) if time is None else time, kind)
        return np.abs(self._spectral(vertex, response))

    def layer_values(self, vertex: int, *, block: int = 0, channel: int = 0) -> Values:
        """What a block's own layer makes of δ_v, (V,), its α and β included (eq. 10): |L̃ H̃_t| on a graph, else |H̃_t|.

        β keeps a share of the signal where it is, so that this has a spike at the vertex that `values` lacks.
        """
        check_vertex(self.mesh, vertex)
        blocks = getattr(self.network, "blocks", None)
        layer = None if blocks is None or not 0 <= block < len(blocks) else getattr(blocks[block], "diffusion", None)
        if layer is None:
            raise InputError(f"block {block} has no α and β; ask a TIDE network for one of its blocks")
        alpha, beta = float(layer.alpha.detach()), float(layer.beta.detach())
        heat = self._response(self.time(block, channel), "heat") - alpha
        is_graph = self.graph.recipe.operator == "graph"
        smooth = self._spectral(vertex, self._eigenvalues * heat if is_graph else heat)
        return np.abs(smooth + np.float32(beta) * self._own(vertex, is_graph))

    def radius(self, vertex: int, values: Values, share: float = 0.9) -> float:
        """The geodesic radius around a vertex that holds a share of the values' total over the surface.

        In units of the mesh; 0 where there is nothing to hold, infinite where it lies on another piece of the mesh.
        """
        if not 0 < share <= 1:
            raise InputError(f"the share {share} is no part of a whole; wanted more than 0 and at most 1")
        amounts = np.abs(values) * self._mass
        total = amounts.sum()
        if not total > 0:
            return 0.0
        distances = self.geodesics.from_vertex(vertex)
        order = np.argsort(distances)
        # Rounding of a sum of many must not push a full share beyond the last vertex.
        enough = np.searchsorted(np.cumsum(amounts[order]), share * total * (1 - 1e-9))
        return float(distances[order[min(int(enough), len(order) - 1)]])

    def animation(self, vertex: int, times: Iterable[float], kind: str = "derivative") -> Iterator[Values]:
        """The values for one time after the other."""
        check_vertex(self.mesh, vertex)
        return (self.values(vertex, time=time, kind=kind) for time in times)

    def _response(self, time: float, kind: str) -> FloatArray:
        """What every eigenvector is multiplied by, (K,)."""
        if kind not in KINDS:
            raise InputError(f"the support {kind!r} is not known; there are {', '.join(KINDS)}")
        if not (np.isfinite(time) and time >= 0):
            raise InputError(f"the time {time} cannot be diffused for; wanted 0 or more")
        rate = self._rates * time
        heat = np.exp(-rate)
        if kind == "heat":
            return np.asarray(heat)
        return np.asarray(heat * (rate if self.graph.recipe.operator == "surface" else self._eigenvalues))

    def _spectral(self, vertex: int, response: FloatArray) -> Values:
        exact = response * self._vectors[vertex]
        # What float32 could only hold as a denormal is nothing, and a CPU multiplies it 100 times slower.
        coefficients = np.where(np.abs(exact) > 1e-30, exact, 0.0).astype(np.float32)
        return np.asarray(self._vectors @ coefficients)

    def _own(self, vertex: int, is_graph: bool) -> Values:
        """δ_v itself, (V,), one over the mass at the vertex; on a graph L̃ of it."""
        result = np.zeros(len(self._mass), dtype=np.float32)
        if self._mass[vertex] > 0:
            result[vertex] = 1 / self._mass[vertex]
        if not is_graph:
            return result
        import torch

        column = torch.from_numpy(result)[:, None].to(self.graph.device)
        spread: Values = (self.graph.adjacency @ column)[:, 0].cpu().numpy()
        return spread
