"""How a surface bends, at several scales: the way a heat step moves it.

One implicit heat step of the coordinates for a time t, x = (M + t L)⁻¹ M v, smooths what is smaller than √t. The
displacement x - v points inwards where the surface bulges and outwards where it is hollow, and lies along the surface
near borders and tips. Over √t it has no unit. Its part along the normal and its length along the surface do not change
when the shape is turned or scaled, and tell convex from concave, which no heat kernel signature can.
"""

from __future__ import annotations

import numpy as np
from scipy import sparse

from meshtide.arrays import FloatArray

CURVATURE_TIMES = (1e-4, 3e-4, 1e-3, 3e-3, 1e-2, 3e-2)  # on a surface of area 1
LIMIT = 3.0  # displacements are clipped to this: tips of slivers would drown all else
TOLERANCE = 1e-4  # of the solution, relative to the right-hand side
MOST_STEPS = 300


def heat_displacements(
    matrix: sparse.csc_array[np.float64], mass: FloatArray, vertices: FloatArray,
    times: tuple[float, ...] = CURVATURE_TIMES,
) -> FloatArray:  # fmt: skip
    """How far a heat step of each time moves every vertex of a surface of area 1, over √t, (V, T, 3).

    `matrix` and `mass` are the surface operator's; a vertex without mass does not move.
    """
    count = len(times)
    columns = np.repeat(np.asarray(times), 3)  # (3T,)
    start = np.tile(vertices, (1, count))  # (V, 3T)
    moved = _heat(sparse.csr_array(matrix), mass, start, columns)
    steps = ((moved - start) / np.sqrt(columns)).reshape(len(vertices), count, 3)
    steps[mass <= 0] = 0.0
    lengths = np.linalg.norm(steps, axis=2, keepdims=True)
    return np.asarray(steps * np.minimum(1.0, LIMIT / np.maximum(lengths, LIMIT)))


def curvature(displacements: FloatArray, normals: FloatArray) -> FloatArray:
    """Displacements (N, T, 3) along the unit normal (N, 3) and, as a length, along the surface, (N, 2T)."""
    along = np.einsum("ntx,nx->nt", displacements, normals)
    aside = displacements - along[:, :, None] * normals[:, None, :]
    return np.concatenate([along, np.linalg.norm(aside, axis=2)], axis=1)


def _heat(matrix: sparse.csr_array[np.float64], mass: FloatArray, start: FloatArray, times: FloatArray) -> FloatArray:
    """(M + t L)⁻¹ M u for every three columns of u (V, C) with their own t, by conjugate gradients on all at once.

    Short times are well conditioned, so that this takes a fraction of what a factorisation for each time would. Columns
    that are done are left out of the further steps.
    """
    heavy = np.where(mass > 0, mass, 1.0)[:, None]
    diagonal = np.maximum(matrix.diagonal(), 0.0)[:, None]
    result, open_ones = start.copy(), np.arange(len(times))
    inverse = 1 / (heavy + times * diagonal)
    goal = TOLERANCE**2 * _products(heavy * start, inverse * heavy * start)
    solution = start.copy()
    rest: FloatArray = -times * np.asarray(matrix @ start)  # M u - (M + t L) u
    ready = inverse * rest
    direction, product = ready.copy(), _products(rest, ready)
    for _ in range(MOST_STEPS):
        going = product > goal
        if not going.all():
            result[:, open_ones[~going]] = solution[:, ~going]
            open_ones, times, goal, product = open_ones[going], times[going], goal[going], product[going]
            inverse, solution, rest, direction = (a[:, going] for a in (inverse, solution, rest, direction))
        if len(open_ones) == 0:
            break
        image: FloatArray = heavy * direction + times * np.asarray(matrix @ direction)
        step = product / np.maximum(_products(direction, image), np.finfo(float).tiny)
        solution += step * direction
        rest -= step * image
        ready = inverse * rest
        after = _products(rest, ready)
        direction = ready + (after / product) * direction
        product = after
    result[:, open_ones] = solution
    return result


def _products(one: FloatArray, other: FloatArray) -> FloatArray:
    """The scalar product of every three columns with three others, given three times, (C,).

    The coordinates of a time take the same steps, so that a shape that is turned takes them too.
    """
    return np.repeat(np.einsum("vcx,vcx->c", one.reshape(len(one), -1, 3), other.reshape(len(other), -1, 3)), 3)
