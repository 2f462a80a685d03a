"""Sheets that lie on each other count once, and each of their faces and vertices has an answer."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from trimesh.remesh import subdivide

from meshtide.data.figures import make_figure
from meshtide.inference.segment import segment
from meshtide.mesh.doctor import diagnose, repair
from meshtide.mesh.doubled import _suspects, doubled_faces
from meshtide.mesh.files import load_ready, read_raw, save_mesh
from meshtide.mesh.mesh import Mesh
from meshtide.mesh.origin import Origin
from meshtide.mesh.raw import RawMesh
from meshtide.mesh.ready import make_ready

BODY = make_figure("quadruped", 5, "held-out", defects=False)[0]
V, F = BODY.vertices, BODY.faces
N = len(V)
DOUBLED = {
    "turned, own vertices": (np.r_[V, V], np.r_[F, F[:, ::-1] + N]),
    "turned, same vertices": (V, np.r_[F, F[:, ::-1]]),
    "not turned": (np.r_[V, V], np.r_[F, F + N]),
    "three times": (np.r_[V, V, V], np.r_[F, F[:, ::-1] + N, F[:, [1, 2, 0]] + 2 * N]),
}


@pytest.mark.parametrize("name", DOUBLED)
def test_a_doubled_sheet_becomes_the_single_one(name: str) -> None:
    vertices, faces = DOUBLED[name]
    mesh, remarks = make_ready(RawMesh.of(Mesh(vertices, faces)), "x")
    assert np.array_equal(mesh.vertices, V)
    assert np.array_equal(mesh.faces, F)
    assert any("lie on others" in remark for remark in remarks)
    numbers = mesh.origin.faces_to_file(np.arange(len(F)), -1)
    assert np.array_equal(numbers, np.tile(np.arange(len(F)), len(faces) // len(F)))
    assert np.array_equal(mesh.origin.vertices_to_file(np.arange(N), -1), np.tile(np.arange(N), len(vertices) // N))


def test_segment_answers_as_for_the_single_sheet() -> None:
    single, doubled = segment((V, F)), segment(DOUBLED["turned, own vertices"])
    assert doubled.kind == single.kind == "quadruped"
    assert np.array_equal(doubled.face_labels.values, np.tile(single.face_labels.values, 2))
    assert np.array_equal(doubled.face_instances, np.tile(single.face_instances, 2))
    assert np.array_equal(doubled.labels.values, np.tile(single.labels.values, 2))
    assert doubled.shares == single.shares


@pytest.mark.parametrize("suffix", [".stl", ".glb", ".obj"])
def test_files_of_doubled_sheets_answer_for_every_face(tmp_path: Path, suffix: str) -> None:
    path = tmp_path / f"doubled{suffix}"
    save_mesh(Mesh(*DOUBLED["turned, own vertices"]), path)
    mesh, _ = load_ready(path)
    assert len(mesh.faces) == len(F)
    found = mesh.origin.faces_to_file(np.arange(len(F)), -1)
    assert np.array_equal(found[: len(F)], found[len(F) :])
    assert (mesh.origin.vertices_to_file(np.arange(len(mesh.vertices)), -1) >= 0).all()


def test_polygons_are_doubled_however_they_are_cut(tmp_path: Path) -> None:
    path = tmp_path / "roof.obj"
    path.write_text(
        "v 0 0 0\nv 1 0 0\nv 1 1 0\nv 0 1 0\nv 2 0 1\nv 2 1 1\n"  # the flat side comes with another diagonal
        "f 1 2 3 4\nf 2 5 6 3\nf 4 3 2 1\nf 3 4 1\n"
    )
    raw = read_raw(path)
    mesh, _ = make_ready(raw, path)
    assert mesh.origin.face_of.tolist() == [0, 0, 1, 1, 3]  # a triangle on half of a quad is no double of it
    assert mesh.origin.twin_of is not None
    assert mesh.origin.twin_of.tolist() == [0, 1, 0, 3]


def test_the_doctor_finds_them_and_takes_them_away() -> None:
    mesh = Mesh(*DOUBLED["turned, own vertices"])
    found = {finding.kind: finding for finding in diagnose(mesh).findings}
    assert found["doubled-faces"].count == len(F)
    assert "two-sided export" in found["doubled-faces"].sentence
    mended, _ = repair(mesh)
    assert len(mended.faces) == len(F)
    assert "doubled-faces" not in {finding.kind for finding in diagnose(mended).findings}
    both = {finding.kind: finding.count for finding in diagnose(Mesh(*DOUBLED["turned, same vertices"])).findings}
    assert both["duplicate-faces"] == len(F)
    assert "doubled-faces" not in both


def test_part_of_a_sheet_may_be_doubled() -> None:
    some = np.flatnonzero(V[F][:, :, 0].mean(axis=1) > np.median(V[:, 0]))
    mesh, _ = make_ready(RawMesh.of(Mesh(np.r_[V, V], np.r_[F, F[some][:, ::-1] + N])), "x")
    assert np.array_equal(mesh.faces, F)
    assert np.array_equal(mesh.origin.faces_to_file(np.arange(len(F)), -1)[len(F) :], some)


def test_a_plain_mesh_stays_as_it_is() -> None:
    twin, target = doubled_faces(RawMesh.of(BODY))
    assert np.array_equal(twin, np.arange(len(F)))
    assert np.array_equal(target, np.arange(N))
    assert make_ready(RawMesh.of(BODY), "x")[0].origin.twin_of is None


def test_a_second_change_keeps_the_twins() -> None:
    vertices, faces = DOUBLED["three times"]
    once, _ = make_ready(RawMesh.of(Mesh(vertices, faces)), "x")
    order = np.random.default_rng(2).permutation(len(F))
    origin = once.origin.then(np.arange(N), order)
    assert np.array_equal(origin.faces_to_file(order, -1), np.tile(np.arange(len(F)), 3))


CORNERS = st.lists(st.tuples(*(st.integers(0, 7) for _ in range(3))), min_size=1, max_size=30)


@given(CORNERS, st.booleans(), st.integers(0, 2**32 - 1))
def test_twins_are_the_first_faces_with_the_same_corners(
    rows: list[tuple[int, int, int]], paired: bool, seed: int
) -> None:
    faces = np.array(rows, dtype=np.int64)
    vertices = np.random.default_rng(seed).integers(0, 2, (8, 3)).astype(float)  # on few places, many coincide
    face_of = np.arange(len(faces)) // (2 if paired else 1)  # pairs of triangles are one polygon
    twin, _ = doubled_faces(RawMesh(vertices, faces, "x", Origin(np.arange(8), face_of, int(face_of[-1]) + 1)))
    corners = [
        frozenset(tuple(vertices[corner]) for corner in faces[face_of == face].ravel())
        for face in range(face_of[-1] + 1)
    ]
    for triangle, face in enumerate(face_of.tolist()):
        first = corners.index(corners[face]) if len(corners[face]) > 2 else face
        expected = triangle if first == face else int(np.flatnonzero(face_of == first)[0])
        assert twin[triangle] == expected


def test_a_mesh_whose_faces_were_split_in_four_has_no_suspects() -> None:
    split = subdivide(V, F)
    assert len(_suspects(RawMesh.of(Mesh(*split)))) == 0
