"""Bodies as a volume leaves them: marching cubes straight from a grid, fine, coarse or blocky, and nothing tidied.

Scans that were fused, voxels and printed models come this way. Where the grid is coarse, fingers and thighs grow
together; where it is blocky, the skin is a staircase.
"""

from __future__ import annotations

import numpy as np

from meshtide.arrays import FloatArray
from meshtide.data.figures.dice import Dice
from meshtide.data.figures.field import Grid
from meshtide.data.figures.generator import Plan, radii_below
from meshtide.data.figures.meshing import Surface, decimate, grid_step, marched, roughen
from meshtide.data.figures.skeleton import moved, turned
from meshtide.data.figures.surface import closed_manifold, largest_component, mended, shortest_edge
from meshtide.mesh.measure import vertex_normals

MOST_VERTICES = 6_000  # more are decimated, as most who have such surfaces do
LARGEST_CELL = (0.9, 0.6, 0.45)  # of blocks, in radii of the thinnest limb, by how often they are smoothed


def meshed_as_volume(plan: Plan, dice: Dice) -> Surface:
    """The surface that a plan describes, by way of a grid that may lie askew."""
    askew = turned(np.eye(3), *dice.rng.uniform(-1, 1, 3))
    bones = [moved(bone, np.zeros(3), askew) for bone in plan.bones]
    coarse, blocky, smoothing = dice.between(1.2, 3.0), dice.chance(0.4), dice.pick({0: 1, 1: 1, 2: 1})
    fine, thinnest = grid_step(bones), min(min(b.radii) * (b.squash if b.thin is not None else 1.0) for b in bones)
    # Cells that are large beside the thinnest limb would cut it off, the more so where they are smoothed.
    widest = thinnest * (LARGEST_CELL[smoothing] if blocky else 1.25)
    blocky = blocky and widest > 0.9 * fine
    grid = plan.field.sample(bones, max(min(coarse * fine, widest), 0.9 * fine))
    vertices, faces = largest_component(*marched(_blocks(grid, smoothing) if blocky else grid))
    if not closed_manifold(faces):
        vertices, faces = mended(vertices, faces)
    vertices = vertices @ askew
    vertices, faces = roughen((vertices, faces), radii_below(plan, vertices), plan.noise, dice)
    if len(vertices) > MOST_VERTICES or dice.chance(0.3):
        vertices, faces = decimate((vertices, faces), min(plan.vertices, len(vertices)), dice)
    return (_shaken(vertices, faces, dice.between(0.05, 0.25), dice) if dice.chance(0.25) else vertices), faces


def _blocks(grid: Grid, smoothing: int) -> Grid:
    """Only inside or outside, smoothed a few times over three cells."""
    from scipy.ndimage import uniform_filter

    inside = (grid.values < 0).astype(np.float32)
    for _ in range(smoothing):
        inside = uniform_filter(inside, 3)
    return Grid(np.float32(0.5) - inside, grid.low, grid.step)


def _shaken(vertices: FloatArray, faces: np.ndarray, share: float, dice: Dice) -> FloatArray:
    """Every vertex moved along its normal by a share of its shortest edge, as a scanner's noise does."""
    push = share * np.clip(dice.rng.normal(size=len(vertices)), -2, 2) * shortest_edge(vertices, faces)
    return np.asarray(vertices + push[:, None] * vertex_normals(vertices, faces))
