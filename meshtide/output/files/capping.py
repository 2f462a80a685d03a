"""Close the cuts of a piece of surface, so that it bounds a solid that can be printed.

Along every cut run the edges that have one triangle only. They form loops, and each loop gets triangles of its own:
those of its outline on the plane that fits it best, with the loops that lie inside it as holes, or where the outline
crosses itself there, a fan around its middle. What two neighbouring pieces share is one loop, triangulated in one way,
so that their caps fit each other. A side of a cap between two vertices that the surface joins already gets a
vertex in its middle: the cap lies where it lay, and no edge has four triangles.
"""

from __future__ import annotations

from dataclasses import dataclass

import mapbox_earcut
import numpy as np
from numpy.typing import NDArray

from meshtide.arrays import FloatArray, IntArray

_FLAT = 0.15  # how far apart, in sizes of the outer loop, the planes of a loop and of a hole in it may be


@dataclass(frozen=True, eq=False)
class _Loop:
    """Written in one way, whichever of two neighbours asks: from its lowest vertex towards the lower of the next."""

    vertices: IntArray
    turned: bool  # whether the cap goes around them in the other direction
    middle: FloatArray
    normal: FloatArray  # of the vertices as they are written; its length is twice the area
    size: float

    @property
    def facing(self) -> FloatArray:
        """The normal of the cap."""
        return -self.normal if self.turned else self.normal


def capped(vertices: FloatArray, faces: IntArray) -> tuple[FloatArray, IntArray]:
    """A surface with a cap on every cut and hole; a surface without any is given back as it is.

    >>> import numpy as np
    >>> corner = np.array([[0.0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1]])
    >>> capped(corner, np.array([[0, 2, 1], [0, 1, 3], [0, 3, 2]]))[1][3:].tolist()
    [[2, 3, 1]]
    """
    loops = [_measured(vertices, loop) for loop in _loops(faces)]
    on_rim = np.zeros(len(vertices), dtype=bool)
    on_rim[[vertex for loop in loops for vertex in loop.vertices]] = True
    edges = _edges(faces)
    joined = set(_pairs(edges[on_rim[edges].all(axis=1)]))
    added: list[IntArray] = []
    middles: list[FloatArray] = []
    for outer, holes in _nested(loops, vertices):
        flat = _flat_cap(vertices, outer, holes)
        if flat is not None:
            added.append(_set_apart(flat, vertices, [outer, *holes], joined, middles))
            continue
        for loop in (outer, *holes):
            added.append(_fan(loop, len(vertices) + len(middles)))
            middles.append(loop.middle)
    return (
        np.concatenate([vertices, np.array(middles).reshape(-1, 3)]),
        np.concatenate([faces, *added]).astype(np.int64),
    )


def _set_apart(
    cap: IntArray, vertices: FloatArray, rims: list[_Loop], joined: set[tuple[int, int]], middles: list[FloatArray]
) -> IntArray:
    """The cap with its inner sides divided where they join what is joined already; new vertices go to `middles`."""
    rim = {pair for loop in rims for pair in _pairs(np.stack([loop.vertices, np.roll(loop.vertices, -1)], axis=1))}
    middle_of: dict[tuple[int, int], int] = {}
    for pair in sorted(set(_pairs(_edges(cap))) - rim):
        if pair in joined:
            middle_of[pair] = len(vertices) + len(middles)
            middles.append(vertices[list(pair)].mean(axis=0))
        joined.add(pair)
    return np.array([part for triangle in cap.tolist() for part in _divided(triangle, middle_of)], dtype=np.int64)


def _divided(triangle: list[int], middle_of: dict[tuple[int, int], int]) -> list[list[int]]:
    """A triangle cut at the middles of those of its sides that have one."""
    parts = [triangle]
    for pair in _pairs(_edges(np.array([triangle]))):
        if pair in middle_of:
            (whole,) = [part for part in parts if set(pair) <= set(part)]
            parts.remove(whole)
            parts += [[middle_of[pair] if corner == end else corner for corner in whole] for end in pair]
    return parts


def _pairs(edges: IntArray) -> list[tuple[int, int]]:
    """Edges (E, 2) as pairs of the lower and the higher vertex."""
    return [(min(pair), max(pair)) for pair in edges.tolist()]


def _edges(faces: IntArray) -> IntArray:
    """The sides of triangles in their direction, (3 F, 2)."""
    return np.concatenate([faces[:, [0, 1]], faces[:, [1, 2]], faces[:, [2, 0]]])


def _loops(faces: IntArray) -> list[IntArray]:
    """The loops of edges that have one triangle, against that triangle's direction, none through a vertex twice."""
    edges = _edges(faces)
    size = int(faces.max(initial=0)) + 1
    keys, backwards = edges[:, 0] * size + edges[:, 1], edges[:, 1] * size + edges[:, 0]
    single = edges[~np.isin(keys, backwards)]
    ways: dict[int, list[int]] = {}
    for start, end in single[:, ::-1].tolist():
        ways.setdefault(start, []).append(end)
    loops = []
    while ways:
        path = [next(iter(ways))]
        place = {path[0]: 0}
        while path[-1] in ways:
            following = ways[path[-1]].pop()
            if not ways[path[-1]]:
                del ways[path[-1]]
            if following in place:  # a loop is closed, and what led to it goes on
                begin = place[following]
                loops.append(np.array(path[begin:], dtype=np.int64))
                for vertex in path[begin + 1 :]:
                    del place[vertex]
                del path[begin + 1 :]
            else:
                place[following] = len(path)
                path.append(following)
    return [loop for loop in loops if len(loop) > 2]


def _measured(vertices: FloatArray, loop: IntArray) -> _Loop:
    loop = np.roll(loop, -int(np.argmin(loop)))
    turned = bool(loop[1] > loop[-1])
    if turned:
        loop = np.roll(loop[::-1], 1)
    points = vertices[loop]
    middle = points.mean(axis=0)
    around = points - middle
    normal = np.cross(around, np.roll(around, -1, axis=0)).sum(axis=0)
    return _Loop(loop, turned, middle, normal, float(np.linalg.norm(np.ptp(points, axis=0))))


def _nested(loops: list[_Loop], vertices: FloatArray) -> list[tuple[_Loop, list[_Loop]]]:
    """Each outer loop with the holes in its cap: loops that run the other way, in its plane, inside its outline."""
    found: list[tuple[_Loop, list[_Loop]]] = []
    for loop in sorted(loops, key=lambda each: -float(np.linalg.norm(each.normal))):
        owner = next((holes for outer, holes in reversed(found) if _is_hole(loop, outer, vertices)), None)
        if owner is None:
            found.append((loop, []))
        else:
            owner.append(loop)
    return found


def _is_hole(loop: _Loop, outer: _Loop, vertices: FloatArray) -> bool:
    length = float(np.linalg.norm(outer.normal))
    if length == 0 or float(loop.facing @ outer.facing) >= 0 or set(loop.vertices) & set(outer.vertices):
        return False
    if abs(float((loop.middle - outer.middle) @ outer.normal)) > _FLAT * outer.size * length:
        return False
    frame = _frame(outer.normal / length)
    outline = (vertices[outer.vertices] - outer.middle) @ frame
    return all(_is_inside(point, outline) for point in (vertices[loop.vertices] - outer.middle) @ frame)


def _flat_cap(vertices: FloatArray, outer: _Loop, holes: list[_Loop]) -> IntArray | None:
    """Triangles of the outlines on the outer loop's plane; None where they do not cover what the outlines enclose."""
    length = float(np.linalg.norm(outer.normal))
    if length == 0:
        return None
    frame = _frame(outer.normal / length)
    rings = [outer.vertices, *(hole.vertices for hole in holes)]
    corners = np.concatenate(rings)
    flat = np.ascontiguousarray((vertices[corners] - outer.middle) @ frame)
    ends = np.cumsum([len(ring) for ring in rings]).astype(np.uint32)
    found = mapbox_earcut.triangulate_float64(flat, ends).reshape(-1, 3).astype(np.int64)
    if len(found) != len(corners) + 2 * len(holes) - 2:
        return None  # outlines that touch or cross: some edge would stay open
    areas = _signed_areas(flat, found)
    outlines = [
        _signed_areas(flat, np.arange(end - len(ring), end)[None])[0]
        for end, ring in zip(ends.tolist(), rings, strict=True)
    ]
    enclosed = abs(outlines[0]) - sum(map(abs, outlines[1:]))
    if not np.isclose(np.abs(areas).sum(), enclosed, rtol=1e-6):
        return None
    triangles = corners[found]
    return triangles if (areas.sum() > 0) != outer.turned else triangles[:, ::-1]


def _signed_areas(points: FloatArray, polygons: IntArray) -> FloatArray:
    corners = points[polygons]
    x, y = corners[..., 0], corners[..., 1]
    return np.asarray(0.5 * (x * np.roll(y, -1, axis=1) - np.roll(x, -1, axis=1) * y).sum(axis=1))


def _fan(loop: _Loop, middle: int) -> IntArray:
    ring = loop.vertices[::-1] if loop.turned else loop.vertices
    return np.stack([ring, np.roll(ring, -1), np.full(len(ring), middle)], axis=1)


def _frame(normal: FloatArray) -> FloatArray:
    """Two directions at right angles to a normal, counter-clockwise as seen from its tip, (3, 2)."""
    one = np.cross(normal, np.eye(3)[np.argmin(np.abs(normal))])
    one /= np.linalg.norm(one)
    return np.stack([one, np.cross(normal, one)], axis=1)


def _is_inside(point: FloatArray, outline: NDArray[np.float64]) -> bool:
    """Whether a ray from the point crosses the outline an odd number of times."""
    ahead = np.roll(outline, -1, axis=0)
    spans = (outline[:, 1] > point[1]) != (ahead[:, 1] > point[1])
    low, high = outline[spans], ahead[spans]
    crossing = low[:, 0] + (point[1] - low[:, 1]) * (high[:, 0] - low[:, 0]) / (high[:, 1] - low[:, 1])
    return bool((crossing > point[0]).sum() % 2)
