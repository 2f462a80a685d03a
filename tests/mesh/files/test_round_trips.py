"""Random meshes, polygons too, in every dialect of every format: what was written is read, element by element."""

from __future__ import annotations

import struct
import tempfile
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as some
from random_files import SINGLES, Drawn, Scene, gltf_bytes, obj_text, off_text, polygon_meshes, scenes

from meshtide.errors import InputError
from meshtide.mesh.files import WRITABLE, read_polygons, read_raw, save_mesh
from meshtide.mesh.files.raw import Polygons
from meshtide.mesh.mesh import Mesh
from meshtide.mesh.raw import RawMesh


def read(content: bytes, name: str) -> tuple[Polygons, RawMesh]:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / name
        path.write_bytes(content)
        return read_polygons(path), read_raw(path)


def assert_same(found: Polygons, drawn: Drawn) -> None:
    np.testing.assert_array_equal(found.vertices, drawn.points)
    assert found.sizes.tolist() == [len(polygon) for polygon in drawn.polygons]
    assert found.corners.tolist() == [corner for polygon in drawn.polygons for corner in polygon]


def assert_triangles_of(raw: RawMesh, drawn: Drawn) -> None:
    """Every polygon became its own triangles, in order, over its own corners."""
    owners = [face for face, polygon in enumerate(drawn.polygons) for _ in polygon[2:]]
    assert raw.origin.face_of.tolist() == owners
    assert raw.origin.vertex_of.tolist() == list(range(len(drawn.points)))
    used = [set[int]() for _ in drawn.polygons]
    for owner, triangle in zip(owners, raw.faces.tolist(), strict=True):
        assert len(set(triangle)) == 3
        used[owner] |= set(triangle)
    assert used == [set(polygon) for polygon in drawn.polygons]


@given(polygon_meshes().flatmap(lambda drawn: some.tuples(some.just(drawn), obj_text(drawn))))
def test_obj(case: tuple[Drawn, str]) -> None:
    drawn, text = case
    polygons, raw = read(text.encode(), "x.obj")
    assert_same(polygons, drawn)
    assert_triangles_of(raw, drawn)
    if len(set(drawn.groups)) > 1:
        assert polygons.groups is not None
        assert [polygons.group_names[group] for group in polygons.groups] == drawn.groups


@given(polygon_meshes().flatmap(lambda drawn: some.tuples(some.just(drawn), off_text(drawn))))
def test_off(case: tuple[Drawn, str]) -> None:
    drawn, text = case
    polygons, raw = read(text.encode(), "x.off")
    assert_same(polygons, drawn)
    assert_triangles_of(raw, drawn)


@given(
    some.lists(some.lists(SINGLES, min_size=9, max_size=9), min_size=1, max_size=12), some.booleans(), some.booleans()
)
def test_stl(facets: list[list[float]], binary: bool, called_solid: bool) -> None:
    if binary:
        head = (b"solid thing" if called_solid else b"made by hand").ljust(80)
        content = (
            head
            + struct.pack("<I", len(facets))
            + b"".join(struct.pack("<12fH", 0, 0, 0, *facet, 0) for facet in facets)
        )
    else:
        lines = ["solid thing"]
        for facet in facets:
            corners = [facet[at : at + 3] for at in (0, 3, 6)]
            lines += ["facet normal 0 0 0", "outer loop", *("vertex " + " ".join(map(repr, each)) for each in corners)]
            lines += ["endloop", "endfacet"]
        content = "\n".join([*lines, "endsolid thing", ""]).encode()
    polygons, raw = read(content, "x.stl")
    corners = np.array(facets).reshape(-1, 3)
    np.testing.assert_array_equal(polygons.vertices, corners)
    assert polygons.corners.tolist() == list(range(3 * len(facets)))
    np.testing.assert_array_equal(raw.vertices[raw.origin.vertex_of], corners)
    assert len(raw.vertices) == len({tuple(point) for point in corners.tolist()})  # -0.0 is 0.0


@given(scenes().flatmap(lambda scene: some.tuples(some.just(scene), gltf_bytes(scene))))
def test_gltf(case: tuple[Scene, bytes]) -> None:
    scene, content = case
    polygons, raw = read(content, "x.glb")
    points, triangles = [], []
    for number, shift in scene.nodes:
        for primitive in scene.meshes[number]:
            triangles += [[corner + len(points) for corner in triangle] for triangle in primitive.triangles()]
            points += (np.array(primitive.points) + shift).tolist()
    np.testing.assert_array_equal(polygons.vertices, points)
    assert polygons.corners.reshape(-1, 3).tolist() == triangles
    np.testing.assert_array_equal(raw.vertices[raw.origin.vertex_of], points)
    np.testing.assert_array_equal(raw.vertices[raw.faces], np.array(points)[triangles])


@pytest.mark.parametrize("suffix", WRITABLE)
@given(drawn=polygon_meshes(most_corners=3))
def test_what_is_saved_is_loaded(suffix: str, drawn: Drawn) -> None:
    try:
        mesh = Mesh(np.array(drawn.points), np.array(drawn.polygons))
    except InputError:  # no area at all
        return
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / f"x{suffix}"
        try:
            save_mesh(mesh, path)
        except InputError as error:
            assert "32-bit" in str(error)
            assert np.abs(mesh.vertices).max() > 3e38
            return
        back, points = read_raw(path), mesh.vertices
        if suffix in (".stl", ".glb"):
            with np.errstate(over="ignore"):  # of points that no facet has
                points = points.astype(np.float32).astype(np.float64)
    if suffix == ".stl":
        points, faces = points[mesh.faces].reshape(-1, 3), np.arange(3 * len(mesh.faces)).reshape(-1, 3)
    else:
        faces = mesh.faces
    np.testing.assert_array_equal(back.vertices[back.origin.vertex_of], points)
    np.testing.assert_array_equal(back.faces, back.origin.vertex_of[faces])
    assert back.origin.face_of.tolist() == list(range(len(faces)))


@given(polygon_meshes(), some.data())
def test_a_permuted_file_is_a_permuted_mesh(drawn: Drawn, data: Any) -> None:
    order = data.draw(some.permutations(range(len(drawn.points))))
    place = np.argsort(order).tolist()
    moved = Drawn(
        [drawn.points[at] for at in order], [[place[c] for c in each] for each in drawn.polygons], drawn.groups
    )
    raws = []
    for each in (drawn, moved):
        lines = ["OFF", f"{len(each.points)} {len(each.polygons)} 0", *(" ".join(map(repr, p)) for p in each.points)]
        raws.append(
            read("\n".join([*lines, *(f"{len(p)} {' '.join(map(str, p))}" for p in each.polygons)]).encode(), "x.off")[
                1
            ]
        )
    np.testing.assert_array_equal(raws[1].vertices[place], raws[0].vertices)
    np.testing.assert_array_equal(raws[1].faces, np.array(place)[raws[0].faces])
