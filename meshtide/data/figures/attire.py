"""Bodies as modellers leave them: eyes, teeth, buttons, hair and clothes are shells of their own on the body."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from meshtide.arrays import FloatArray, IntArray
from meshtide.data.figures.dice import Dice
from meshtide.labels.labels import Labels
from meshtide.mesh.measure import vertex_normals
from meshtide.mesh.mesh import Mesh

Shell = tuple[FloatArray, IntArray, IntArray]  # vertices, faces, and the part of every vertex
MOST_TEETH, MOST_BUTTONS = 24, 8


def with_attire(mesh: Mesh, labels: Labels, dice: Dice) -> tuple[Mesh, Labels]:
    """A labelled body with shells added to it, each with the part of what it sits on; the body comes first."""
    size = float(np.sqrt(mesh.area))
    vertices, faces, values = [mesh.vertices], [mesh.faces], [labels.values]
    count = len(mesh.vertices)
    for points, triangles, parts in (*_beads(mesh, labels, size, dice), *_garments(mesh, labels, size, dice)):
        vertices.append(points)
        faces.append(triangles + count)
        values.append(parts)
        count += len(points)
    dressed = Mesh(np.concatenate(vertices), np.concatenate(faces), mesh.name)
    return dressed, Labels(np.concatenate(values), "vertices", labels.names)


def _beads(mesh: Mesh, labels: Labels, size: float, dice: Dice) -> Iterator[Shell]:
    """Eyes and teeth in the head, buttons anywhere: balls that are sunk into the surface more or less."""
    normals = vertex_normals(mesh.vertices, mesh.faces)
    head = [number for number, name in enumerate(labels.names) if name in ("head", "palm")]
    ahead = np.flatnonzero(np.isin(labels.values, head))
    everywhere = np.arange(len(mesh.vertices))
    teeth = int(dice.rng.integers(0, MOST_TEETH + 1)) if dice.chance(0.6) else 0
    wanted = [(ahead, 2, 0.02), (ahead, teeth, 0.008), (everywhere, int(dice.rng.integers(MOST_BUTTONS + 1)), 0.01)]
    for places, number, radius in wanted:
        if len(places) == 0 or number == 0:
            continue
        middle = places[dice.rng.integers(len(places))]
        near = places[np.argsort(np.linalg.norm(mesh.vertices[places] - mesh.vertices[middle], axis=1))]
        reach = max(number, min(len(near), 4 * number))
        for place in dice.rng.choice(near[:reach], size=min(number, len(near)), replace=False):
            big = dice.size(radius, 0.3) * size
            centre = mesh.vertices[place] - dice.between(-0.4, 1.0) * big * normals[place]
            ball, triangles = _ball(centre, big)
            yield ball, triangles, np.full(len(ball), labels.values[place])


def _garments(mesh: Mesh, labels: Labels, size: float, dice: Dice) -> Iterator[Shell]:
    """Copies of some parts' surface, moved outwards a little: shirts, gloves, shoes, hair."""
    normals = vertex_normals(mesh.vertices, mesh.faces)
    of_faces = labels.to_faces(mesh).values
    present = np.unique(of_faces[of_faces >= 0])
    for _ in range(int(dice.rng.integers(0, 4))):
        worn = np.isin(of_faces, dice.rng.choice(present, size=min(len(present), 2), replace=False))
        used, triangles = np.unique(mesh.faces[worn], return_inverse=True)
        if len(used) < 20:
            continue
        points = mesh.vertices[used] + dice.between(0.003, 0.015) * size * normals[used]
        yield points, triangles.reshape(-1, 3).astype(np.int64), labels.values[used]


def _ball(centre: FloatArray, radius: float, rows: int = 5, columns: int = 8) -> tuple[FloatArray, IntArray]:
    """A ball of rings between two poles."""
    heights = np.linspace(0, np.pi, rows + 2)[1:-1]
    turns = np.arange(columns) * 2 * np.pi / columns
    across = np.stack([np.cos(turns), np.sin(turns)], axis=1)
    rings = [np.column_stack([np.sin(h) * across, np.full(columns, np.cos(h))]) for h in heights]
    points = np.concatenate([np.array([[0.0, 0, 1]]), *rings, np.array([[0.0, 0, -1]])])
    faces, last = [], len(points) - 1
    for column in range(columns):
        here, there = 1 + column, 1 + (column + 1) % columns
        faces.append((0, here, there))
        for row in range(rows - 1):
            a, b = here + row * columns, there + row * columns
            faces += [(a, a + columns, b), (b, a + columns, b + columns)]
        faces.append((last, there + (rows - 1) * columns, here + (rows - 1) * columns))
    return centre + radius * points, np.array(faces, dtype=np.int64)
