"""Objects with rounded joints: distances joined by a smooth minimum, and the surface where they are zero."""

from __future__ import annotations

import numpy as np

from meshtide.arrays import FloatArray, IntArray
from meshtide.data.figures.dice import Dice
from meshtide.data.figures.field import FAR, Axes, Grid, Single, smooth_minimum
from meshtide.data.figures.meshing import Surface, decimate, make_irregular, marched
from meshtide.data.figures.objects.model import Model, Solid
from meshtide.data.figures.surface import largest_component
from meshtide.mesh.measure import vertex_normals

MOST_CELLS = 6.0e5
LEAST_CELLS = 1.5e5


def blended_surface(model: Model, softness: float, target: int, dice: Dice) -> tuple[Surface, IntArray]:
    """A smooth closed surface of about `target` vertices, and the piece that each face belongs to."""
    step = grid_step(model)
    surface = largest_component(*marched(_sampled(model, softness, step)))
    smaller = decimate(surface, target, dice)
    if len(smaller[0]) > 2 * target:  # thin bars cannot always be made that coarse without tearing
        smaller = decimate(surface, int(1.6 * target), dice)
    vertices, faces = make_irregular(smaller, dice)
    if dice.chance(0.75):  # decimation leaves bumps; most things that people make have none
        for _ in range(2):
            vertices = _pulled((vertices, faces), model, softness, step)
    return (vertices, faces), owners(model, vertices[faces].mean(axis=1), step)


def _pulled(surface: Surface, model: Model, softness: float, step: float) -> FloatArray:
    """Vertices moved along their normals to where the joined distances are zero."""
    vertices, faces = surface
    x, y, z = vertices.astype(np.float32).T
    values = np.full(len(vertices), FAR, dtype=np.float32)
    for solid in model.solids:
        own = np.broadcast_to(solid.placed.distance((x, y, z)), values.shape) - _growth(solid, step)
        values = _joined(values, own, _width(solid, model, softness, step), solid.cuts)
    offset = np.clip(values, -0.7 * step, 0.7 * step).astype(np.float64)
    return np.asarray(vertices - offset[:, None] * vertex_normals(vertices, faces))


def _width(solid: Solid, model: Model, softness: float, step: float) -> np.float32:
    """Over what difference of distances a solid blends into the others."""
    widest = 0.03 * model.size()
    return np.float32(min(softness * model.rounding * solid.placed.shape.thickness, widest) + 1e-3 * step)


def grid_step(model: Model) -> float:
    """A cell size that resolves the thinnest solid, or the finest one that is affordable."""
    low, high = model.bounds()
    volume = float(np.prod(high - low))
    thinnest = min(solid.placed.shape.thickness for solid in model.solids if not solid.cuts)
    return float(np.clip(thinnest / 2.5, (volume / MOST_CELLS) ** (1 / 3), (volume / LEAST_CELLS) ** (1 / 3)))


def _growth(solid: Solid, step: float) -> np.float32:
    """How much a solid that is thinner than the grid can see has to grow on every side."""
    return np.float32(0.0 if solid.cuts else max(0.0, 0.5 * (1.9 * step - solid.placed.shape.thickness)))


def _sampled(model: Model, softness: float, step: float) -> Grid:
    """The joined distances on a grid; far from the surface they are only known to be positive."""
    low, high = model.bounds()
    low, high = low - 4 * step, high + 4 * step
    shape = tuple(int(n) for n in np.ceil((high - low) / step) + 1)
    ticks = [(low[a] + step * np.arange(shape[a])).astype(np.float32) for a in range(3)]
    values = np.full(shape, FAR, dtype=np.float32)
    for solid in model.solids:
        width = _width(solid, model, softness, step)
        near, far = solid.placed.bounds()
        reach = (0.5 * step if solid.cuts else float(width + _growth(solid, step))) + 2 * step
        first = np.maximum(np.floor((near - reach - low) / step).astype(int), 0)
        last = np.maximum(np.ceil((far + reach - low) / step).astype(int) + 1, first + 1)
        box = tuple(slice(int(i), int(j)) for i, j in zip(first, last, strict=True))
        x, y, z = (ticks[a][box[a]] for a in range(3))
        if 0 in (len(x), len(y), len(z)):
            continue
        own = solid.placed.distance((x[:, None, None], y[None, :, None], z[None, None, :])) - _growth(solid, step)
        own = np.broadcast_to(own, values[box].shape)
        values[box] = _joined(values[box], own, width, solid.cuts)
    return Grid(values, low, step)


def _joined(values: Single, own: Single, width: np.float32, cuts: bool) -> Single:
    if cuts:
        return np.asarray(np.maximum(values, -own), dtype=np.float32)
    return smooth_minimum(values, own, width)


def owners(model: Model, points: FloatArray, step: float) -> IntArray:
    """The number of the piece whose solid is nearest to each point of the surface.

    A point lies on a hole's wall if it is as near to it as the last solid added there; a hole without a piece of
    its own leaves its wall to the nearest solid.
    """
    numbers = {piece: number for number, piece in enumerate(model.pieces())}
    x, y, z = points.astype(np.float32).T
    axes: Axes = (x, y, z)
    best = np.full(len(points), FAR, dtype=np.float32)
    owner = np.zeros(len(points), dtype=np.int64)
    for solid in model.solids:
        own = np.broadcast_to(solid.placed.distance(axes), best.shape) - _growth(solid, step)
        if not solid.cuts and solid.piece is not None:
            mine = own < best
        elif solid.piece is not None:
            # Inside what it was cut from, and no deeper than the wall of the hole.
            mine = (-own > best) & (np.abs(own) < 1.5 * step)
            own = -own
        else:
            continue
        owner[mine] = numbers[solid.piece]
        best = np.where(mine, own, best)
    return owner
