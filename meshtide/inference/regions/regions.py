"""From any mesh to its regions: the parts a person would see, without names."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from meshtide.arrays import FloatArray, IntArray
from meshtide.errors import InputError
from meshtide.inference.recorded import asked
from meshtide.inference.regions.borders import straighten
from meshtide.inference.regions.cues import Patches, describe_patches
from meshtide.inference.regions.inputs import Prepared, prepare_surface
from meshtide.inference.regions.merging import merge, merge_to
from meshtide.inference.regions.model import RegionModel, default_region_model
from meshtide.inference.regions.pairs import judge_pairs
from meshtide.inference.regions.patches import ward
from meshtide.inference.regions.surface import Surface, working_surface
from meshtide.mesh.mesh import Mesh
from meshtide.mesh.winding import neighbours
from meshtide.stages import doing

PATCHES = 220
COMPACT = 4.0  # how much a patch's extent in space counts beside its extent in the embedding
MOST_REGIONS = 300  # that can be asked for: pairs of patches grow with the square
FINEST = 40_000  # faces of a mesh that borders are drawn on; beyond, on the simplified one
DETAIL = 2.0  # how far twice the detail shifts the logits of being one


@dataclass(frozen=True, eq=False)
class Border:
    """Two regions that touch, and how sure it is that they are two, from 0 to 1."""

    one: int
    other: int
    confidence: float


@dataclass(frozen=True, eq=False)
class Regions:
    """The region of every face of a mesh, the largest first, and how sure each region and each border is."""

    face_regions: IntArray  # (F,) from 0
    confidence: FloatArray  # (R,) how likely two places in a region are of one part
    borders: tuple[Border, ...]

    @property
    def count(self) -> int:
        """The number of regions."""
        return len(self.confidence)


@dataclass(frozen=True, eq=False)
class Evidence:
    """Patches of a surface, and how likely each two are of one part."""

    prepared: Prepared
    patches: Patches
    logits: FloatArray  # (n, n)


def find_regions(
    mesh: Mesh,
    model: RegionModel | None = None,
    *,
    count: int | None = None,
    detail: float = 1.0,
    prepared: Prepared | None = None,
) -> Regions:
    """Divide a mesh into parts as a person would; `count` asks for so many, `detail` for more (2) or fewer (0.5).

    Without a model it is the one that ships. `prepared` is the mesh's working surface with its inputs, where somebody
    has computed them already.
    """
    model = model or default_region_model()
    most = min(len(mesh.faces), MOST_REGIONS)
    if count is not None and not 1 <= count <= most:
        raise InputError(f"{mesh.name}: `count` is {count} for {len(mesh.faces):,} faces; ask for 1 to {most:,}")
    if not (np.isfinite(detail) and detail > 0):
        raise InputError(f"`detail` is {detail}; it should be a number above 0, where 1 is usual")
    doing("dividing into parts")
    prepared = prepared or prepare_surface(working_surface(mesh))
    evidence = judge_surface(prepared, model, max(PATCHES, 2 * count if count else 0))
    patches = evidence.patches
    if count is not None:
        of_patch = merge_to(evidence.logits, patches.masses, patches.edges, count)
    else:
        of_patch = merge(evidence.logits, patches.masses, patches.edges, shift=DETAIL * float(np.log2(detail)))
    surface = evidence.prepared.surface
    on_mesh = _with_good_borders(surface, of_patch[patches.of_face])
    if count is not None and len(np.unique(on_mesh)) < min(count, len(np.unique(of_patch))):
        on_mesh = surface.to_mesh(of_patch[patches.of_face])  # straightening or carrying lost one
    return _ordered(mesh, on_mesh, of_patch, evidence)


def _with_good_borders(surface: Surface, regions: IntArray) -> IntArray:
    """Regions of working faces (f,) at the mesh's (F,), with borders drawn on the finest mesh that is no burden."""
    if surface.kept is None and len(surface.mesh.faces) <= FINEST:
        return straighten(surface.unsimplified(), surface.to_mesh(regions))
    return surface.to_mesh(straighten(surface, regions))


def judge_surface(prepared: Prepared, model: RegionModel, patches: int = PATCHES) -> Evidence:
    """Everything between a prepared surface and the merging of its patches."""
    points = asked(model.network, **prepared.inputs.arrays()).astype(np.float64)
    of_face = divide(prepared, points * model.scale, patches)
    described = describe_patches(prepared, points, of_face)
    logits = judge_pairs(model.judge, prepared, described, model.scale)
    return Evidence(prepared, described, model.about.slope * logits + model.about.bias)


def divide(prepared: Prepared, points: FloatArray, count: int) -> IntArray:
    """Patches of faces that are near each other in the embedding and in space, (f,)."""
    surface = prepared.surface
    pieces = surface.pieces
    number = int(pieces.max()) + 1
    masses: FloatArray = np.maximum(np.bincount(pieces, surface.areas, number), 1e-12).astype(np.float64)
    columns = np.concatenate([points, COMPACT * surface.centres], axis=1)
    if number < len(pieces):
        sums = [np.bincount(pieces, surface.areas * column, number) for column in columns.T]
        columns = np.stack(sums, axis=1) / masses[:, None]
    pairs, _, _ = neighbours(surface.faces, len(surface.vertices))
    edges = pieces[np.concatenate([pairs, prepared.links.faces])]
    return ward(columns, masses, edges).cut(count)[pieces]


def _ordered(mesh: Mesh, face_regions: IntArray, of_patch: IntArray, evidence: Evidence) -> Regions:
    """Regions numbered by area, with what the pairs of patches say of their insides and borders."""
    names, numbers = np.unique(face_regions, return_inverse=True)
    areas = np.bincount(numbers, np.maximum(mesh.face_areas / max(mesh.area, 1e-300), 0), len(names))
    order = np.lexsort((names, -areas))
    rank = np.empty(len(names), dtype=np.int64)
    rank[order] = np.arange(len(names))
    patches = evidence.patches
    likely = 1 / (1 + np.exp(-evidence.logits))
    member = (of_patch == names[order][:, None]) * patches.masses  # (R, n)
    together = member @ likely @ member.T
    sizes = np.maximum(member.sum(axis=1), 1e-12)
    mean = together / np.outer(sizes, sizes)
    near = (member > 0).astype(np.float64)
    touch = np.zeros((patches.count, patches.count))
    touch[patches.edges[:, 0], patches.edges[:, 1]] = 1.0
    beside = near @ (touch + touch.T) @ near.T
    borders = [
        Border(int(a), int(b), float(np.clip(1 - mean[a, b], 0, 1)))
        for a, b in zip(*np.nonzero(np.triu(beside > 0, 1)), strict=True)
    ]
    return Regions(rank[numbers], np.clip(mean.diagonal(), 0, 1).copy(), tuple(borders))
