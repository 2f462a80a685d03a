"""The doctor finds what was broken on purpose, mends it, and still knows whose element is whose."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from shapes import box, figure, sphere, torus

from meshtide.errors import InputError
from meshtide.mesh.doctor import Diagnosis, diagnose, repair
from meshtide.mesh.files import load_ready, read_raw, save_mesh
from meshtide.mesh.mesh import Mesh
from meshtide.mesh.origin import Origin
from meshtide.mesh.raw import RawMesh


def raw(vertices: np.ndarray, faces: np.ndarray) -> RawMesh:
    return RawMesh(vertices, faces, "patient", Origin.identity(len(vertices), len(faces)))


def kinds(diagnosis: Diagnosis) -> dict[str, int]:
    return {finding.kind: finding.count for finding in diagnosis.findings}


def soup_of(mesh: Mesh) -> RawMesh:
    return raw(mesh.vertices[mesh.faces].reshape(-1, 3), np.arange(3 * len(mesh.faces)).reshape(-1, 3))


@pytest.mark.parametrize("mesh", [sphere(2), torus(), figure(1)[0], box()], ids=lambda mesh: mesh.name)
def test_sound_shapes_are_good(mesh: Mesh) -> None:
    assert diagnose(mesh).verdict == "good"
    assert diagnose(mesh).components == 1


def test_each_fault_is_found_with_its_count_and_mended() -> None:
    mesh = sphere(2)
    vertices = np.concatenate([mesh.vertices, [[np.nan, 0, 0], [0, np.inf, 0], [3, 3, 3]]])
    extra = [[0, 1, 162], [2, 163, 3], [4, 5, 999], [-1, 0, 1], [7, 7, 8]]
    faces = np.concatenate([mesh.faces, extra, mesh.faces[:3, [1, 2, 0]]])
    patient = raw(vertices, faces)
    found = diagnose(patient)
    expected = {"missing-vertices": 2, "not-finite": 2, "repeated-corners": 1, "duplicate-faces": 3, "unreferenced": 1}
    assert kinds(found) == {**kinds(found), **expected}
    assert found.verdict == "repairable"
    mended, steps = repair(patient, found)
    assert diagnose(mended).verdict == "good"
    assert len(steps) == 5
    np.testing.assert_array_equal(mended.vertices, mesh.vertices)
    np.testing.assert_array_equal(mended.faces, mesh.faces)
    # The answer still fits the file as given: kept elements in place, dropped ones marked.
    np.testing.assert_array_equal(mended.origin.vertex_of, [*range(162), -1, -1, -1])
    on_file = mended.origin.faces_to_file(np.arange(len(mended.faces)), -1)
    np.testing.assert_array_equal(on_file, [*range(320), *[-1] * 8])


def test_a_soup_is_welded_into_the_shape_it_was() -> None:
    patient = soup_of(torus(12, 8))
    found = diagnose(patient)
    assert kinds(found)["unwelded"] == 3 * 192 - 96
    assert "soup" in next(f.sentence for f in found.findings if f.kind == "unwelded")
    mended, _ = repair(patient, found)
    assert diagnose(mended).verdict == "good"
    assert len(mended.vertices) == 96
    np.testing.assert_array_equal(mended.vertices[mended.origin.vertex_of], patient.vertices)


def test_bodies_that_only_touch_are_not_welded() -> None:
    cube = box()
    vertices = np.concatenate([cube.vertices, cube.vertices + [1, 0, 0]])
    found = diagnose(raw(vertices, np.concatenate([cube.faces, cube.faces + 8])))
    assert found.components == 2
    assert "unwelded" not in kinds(found)


def test_cracks_are_found_and_closed() -> None:
    patient = soup_of(sphere(2))
    jitter = 1e-8 * np.random.default_rng(0).normal(size=patient.vertices.shape)
    torn = raw(patient.vertices + jitter, patient.faces)
    found = diagnose(torn)
    assert kinds(found)["cracks"] == 3 * 320 - 162
    mended, _ = repair(torn, found)
    assert len(mended.vertices) == 162
    assert diagnose(mended).verdict == "good"


def test_components_say_how_many_eigenpairs_they_eat() -> None:
    ball = sphere(1)
    copies = [ball.vertices + [4 * i, 0, 0] for i in range(20)]
    found = diagnose(raw(np.concatenate(copies), np.concatenate([ball.faces + 42 * i for i in range(20)])))
    assert found.components == 20
    assert "20 of the usual 128" in next(f.sentence for f in found.findings if f.kind == "components")


def test_rims_fins_and_turned_faces_are_remarks() -> None:
    mesh = sphere(1)
    fin = np.concatenate([mesh.vertices, [[0, 0, 9.0]]])
    faces = np.concatenate([mesh.faces[1:], [[*mesh.faces[5, :2], 42]]])
    faces[3] = faces[3, ::-1]
    found = kinds(diagnose(raw(fin, faces)))
    assert found["boundary-edges"] == 5
    assert found["non-manifold-edges"] == 1
    assert found["turned-faces"] >= 1


@pytest.mark.parametrize("scale", [1e-200, 1e-12, 1e12, 1e200])
def test_extreme_scale_is_a_remark(scale: float) -> None:
    found = diagnose(Mesh(sphere(1).vertices * scale, sphere(1).faces))
    assert found.verdict == "usable"
    assert list(kinds(found)) == ["scale"]


def test_far_from_the_origin_is_a_remark() -> None:
    assert "far-away" in kinds(diagnose(Mesh(sphere(1).vertices + 1e6, sphere(1).faces)))


@pytest.mark.parametrize(
    ("vertices", "faces", "kind"),
    [
        (np.zeros((0, 3)), np.zeros((0, 3), dtype=np.int64), "no-faces"),
        (np.zeros((5, 3)), np.zeros((0, 3), dtype=np.int64), "no-faces"),
        (np.zeros((3, 3)), np.array([[0, 1, 9]]), "no-faces"),
        (np.array([[0, 0, 0], [1, 0, 0], [2, 0, 0.0]]), np.array([[0, 1, 2]]), "no-area"),
        (np.random.default_rng(0).normal(size=(30, 3)), np.arange(30).reshape(-1, 3), "soup"),
    ],
)
def test_what_no_repair_can_help_is_unusable(vertices: np.ndarray, faces: np.ndarray, kind: str) -> None:
    found = diagnose(raw(vertices, faces))
    assert found.verdict == "unusable"
    assert kind in kinds(found)


def test_load_ready_mends_what_hides_the_shape_and_says_so(tmp_path: Path) -> None:
    mesh = torus(12, 8)
    save_mesh(Mesh(mesh.vertices[mesh.faces].reshape(-1, 3), np.arange(576).reshape(-1, 3)), tmp_path / "soup.ply")
    ready, remarks = load_ready(tmp_path / "soup.ply")
    assert len(ready.vertices) == 96
    assert remarks == ("480 vertices were welded along seams",)
    save_mesh(mesh, tmp_path / "sound.ply")
    assert load_ready(tmp_path / "sound.ply")[1] == ()
    save_mesh(Mesh(np.random.default_rng(0).normal(size=(30, 3)), np.arange(30).reshape(-1, 3)), tmp_path / "dust.ply")
    with pytest.raises(InputError, match="no surface to segment"):
        load_ready(tmp_path / "dust.ply")


def test_every_messy_file_gets_a_verdict_and_repairs_hold(data_folder: Path) -> None:
    verdicts: dict[str, int] = {}
    for path in sorted((data_folder / "messy").rglob("*.*")):
        try:
            patient = read_raw(path)
        except InputError:
            continue
        found = diagnose(patient)
        verdicts[found.verdict] = verdicts.get(found.verdict, 0) + 1
        if found.verdict == "repairable":
            mended, steps = repair(patient, found)
            assert steps
            assert diagnose(mended).verdict in ("good", "usable"), path
    assert min(verdicts.values()) >= 5, verdicts
    assert set(verdicts) == {"good", "usable", "repairable", "unusable"}
