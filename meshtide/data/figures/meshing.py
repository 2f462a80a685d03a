"""From a field to an irregular triangle mesh: closed, manifold, and never meshed the same way twice."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from meshtide.arrays import FloatArray, IntArray
from meshtide.data.figures.dice import Dice
from meshtide.data.figures.field import Field, Grid
from meshtide.data.figures.skeleton import Bone
from meshtide.data.figures.surface import (
    closed_manifold,
    largest_component,
    mended,
    shortest_edge,
    split_edges,
    tangential,
)
from meshtide.mesh.measure import vertex_normals

MOST_CELLS = 2.0e6  # what marching cubes walks through in a few tenths of a second
Surface = tuple[FloatArray, IntArray]


@dataclass(frozen=True)
class Noise:
    """Waves on the skin, in units of the local bone's radius: broad ones for flesh and cloth, fine ones for bumps."""

    broad: float
    fine: float


def extract(bones: Sequence[Bone], field: Field) -> Surface:
    """The largest piece of the zero level, as fine as the thinnest bones need."""
    grid = field.sample(bones, grid_step(bones))
    return largest_component(*marched(grid))


def grid_step(bones: Sequence[Bone]) -> float:
    """A cell size that resolves the thinnest tips, or the finest one that is affordable."""
    low = np.min([np.minimum(b.start, b.end) - b.reach for b in bones], axis=0)
    high = np.max([np.maximum(b.start, b.end) + b.reach for b in bones], axis=0)
    affordable = float(np.prod(high - low) / MOST_CELLS) ** (1 / 3)
    thinnest = min(min(b.radii) * (b.squash if b.thin is not None else 1.0) for b in bones)
    return float(np.clip(0.7 * thinnest, affordable, 2 * affordable))


def marched(grid: Grid) -> Surface:
    """The zero level of a field that is sampled on a grid, by marching cubes."""
    from skimage.measure import marching_cubes

    walk: Any = marching_cubes  # untyped
    vertices, faces, _, _ = walk(grid.values, 0.0, gradient_direction="descent", allow_degenerate=False)
    return vertices.astype(np.float64) * grid.step + grid.low, faces.astype(np.int64)


def roughen(surface: Surface, radius: FloatArray, noise: Noise, dice: Dice) -> Surface:
    """Move the skin in and out by random waves whose height follows the radius of the bone below."""
    vertices, faces = surface
    size = float(np.linalg.norm(np.ptp(vertices, axis=0)))
    radius = np.minimum(radius, 0.05 * size)  # a fat trunk need not be a rough one
    height = noise.broad * _waves(vertices, dice, 0.1 * size, 0.35 * size)
    if noise.fine > 0:
        height = height + noise.fine * _waves(vertices, dice, 0.012 * size, 0.03 * size)
    return vertices + (height * radius)[:, None] * vertex_normals(vertices, faces), faces


def _waves(points: FloatArray, dice: Dice, shortest: float, longest: float, count: int = 9) -> FloatArray:
    """A sum of plane waves of random direction, with unit variance, (N,)."""
    total = np.zeros(len(points))
    for _ in range(count):
        direction = dice.vector()
        direction *= 2 * np.pi / (dice.between(shortest, longest) * np.linalg.norm(direction))
        total += np.sin(points @ direction + dice.between(0, 2 * np.pi))
    return np.asarray(total * np.sqrt(2 / count))


def decimate(surface: Surface, target: int, dice: Dice) -> Surface:
    """Quadric decimation to about `target` vertices, closed and manifold if the surface was.

    Decimation happens in a space stretched by a random amount along the way, so that some regions keep more vertices
    than others; how greedy it is differs too. A result with a bad edge is thrown away and made again, more carefully.
    """
    vertices, faces = surface
    step = _typical_edge(surface)
    for greed in (dice.between(3.5, 6), 5.0, 3.5):
        # A little roughness makes flat places cost as much as bent ones, so triangles come out more even.
        push = dice.between(0.0, 0.15) * step * dice.rng.normal(size=(len(vertices), 1))
        rough = vertices + push * vertex_normals(vertices, faces)
        points, triangles = mended(*_simplified((rough, faces), target, greed, dice))
        if closed_manifold(triangles):
            return points, triangles
    return surface


def _typical_edge(surface: Surface) -> float:
    vertices, faces = surface
    return float(np.linalg.norm(vertices[faces[:, 0]] - vertices[faces[:, 1]], axis=1).mean())


def _simplified(surface: Surface, target: int, greed: float, dice: Dice) -> Surface:
    from fast_simplification import simplify

    vertices, faces = surface
    if len(vertices) <= target:
        return surface
    tables = [_stretch(vertices[:, axis], dice) for axis in range(3)]
    warped = np.stack([np.interp(vertices[:, a], *tables[a]) for a in range(3)], axis=1)
    points, triangles = simplify(warped, faces, target_count=2 * target, agg=greed)
    for _ in range(3):  # a careful pass may stop early; the next one starts from what it left
        if len(points) <= 1.1 * target:
            break
        points, triangles = simplify(points, triangles, target_count=2 * target, agg=5.5)
    back = np.stack([np.interp(points[:, a], tables[a][1], tables[a][0]) for a in range(3)], axis=1)
    return largest_component(back, np.asarray(triangles, dtype=np.int64))


def _stretch(values: FloatArray, dice: Dice, knots: int = 9) -> tuple[FloatArray, FloatArray]:
    """A random increasing map of one coordinate, as a table that can be read both ways."""
    low, high = float(values.min()), float(values.max())
    strength = dice.pick({0.0: 1, 0.25: 1, 0.45: 1})
    rates = np.exp(strength * dice.rng.normal(size=knots))
    places = np.linspace(low, high, knots)
    images = low + np.concatenate([[0.0], np.cumsum((rates[1:] + rates[:-1]) / 2)]) * (places[1] - places[0])
    return places, images


def make_irregular(surface: Surface, dice: Dice) -> Surface:
    """Slide vertices along the surface, and sometimes split the edges of a region once or twice."""
    vertices, faces = surface
    if dice.chance(0.35) and 1500 < len(vertices) < 4500:
        centre = vertices[int(dice.rng.integers(len(vertices)))]
        reach = dice.between(0.1, 0.35) * float(np.ptp(vertices, axis=0).max())
        for _ in range(int(dice.rng.integers(1, 4))):
            if len(vertices) > 6000:
                break
            vertices, faces = split_edges(vertices, faces, np.linalg.norm(vertices - centre, axis=1) < reach)
    slide = dice.pick({0.0: 1, 0.12: 1, 0.25: 1})
    noise = np.clip(dice.rng.normal(size=vertices.shape), -2, 2) * slide * shortest_edge(vertices, faces)[:, None]
    return vertices + tangential(noise, vertex_normals(vertices, faces)), faces


def remesh_evenly(surface: Surface, bones: Sequence[Bone], field: Field, target: int, dice: Dice) -> Surface:
    """Triangles of nearly one size: decimate a roughened copy, so that flat regions cost as much, then drop back.

    Vertices return to the zero level along the field's gradient, which undoes the roughness.
    """
    step = _typical_edge(surface)
    points, triangles = decimate(surface, target, dice)
    limit = _typical_edge((points, triangles))
    for _ in range(2):
        points = points - np.clip(_newton_step(points, bones, field, 0.2 * step), -limit, limit)
    return points, triangles


def _newton_step(points: FloatArray, bones: Sequence[Bone], field: Field, delta: float) -> FloatArray:
    """How far the zero level is along the gradient, (N, 3)."""
    value = field.at(bones, points)
    slopes = [
        (field.at(bones, points + delta * e) - field.at(bones, points - delta * e)) / (2 * delta) for e in np.eye(3)
    ]
    gradient = np.stack(slopes, axis=1)
    return np.asarray(value[:, None] * gradient / np.maximum((gradient**2).sum(axis=1, keepdims=True), 1e-9))
