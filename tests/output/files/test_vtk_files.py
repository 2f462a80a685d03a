"""VTK files: what we write pyvista reads, what pyvista writes we read, and damage is a sentence."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as some
from segmented_files import guess, polygons_with_unused, ready
from shapes import box, sphere

import meshtide as mt
from meshtide.errors import InputError
from meshtide.labels.files.beside import has_own_labels
from meshtide.mesh.files import read_polygons

pyvista = pytest.importorskip("pyvista", reason="pyvista reads and writes VTK files")
SUFFIXES = (".vtp", ".vtk")


def by_pyvista(path: Path) -> Any:
    return pyvista.read(path)


@pytest.mark.parametrize("suffix", SUFFIXES)
def test_pyvista_reads_parts_on_points_and_cells(tmp_path: Path, suffix: str) -> None:
    source = polygons_with_unused(tmp_path)
    answer = ready(source)
    path = tmp_path / f"parts{suffix}"
    mt.write_segmentation(answer, path, source=source.path)
    there = by_pyvista(path)
    given_polygons = read_polygons(path)
    assert np.array_equal(there.points, given_polygons.vertices)
    assert np.array_equal(there.cell_data["label"], answer.face_labels.values)
    assert np.array_equal(there.cell_data["instance"], answer.face_instances)
    assert np.array_equal(there.point_data["label"], answer.labels.values)
    assert np.array_equal(there.point_data["confidence"], answer.confidence)
    assert there.cell_data["colour"].shape == (len(answer.face_labels), 3)
    assert tuple(map(str, there.field_data["parts"])) == answer.parts
    assert [str(name) for name in there.field_data["instances"]] == [each.name for each in answer.instances]
    sizes = [len(there.get_cell(index).point_ids) for index in range(there.n_cells)]
    assert sizes == given_polygons.sizes.tolist()


@pytest.mark.parametrize("suffix", SUFFIXES)
def test_labels_come_back_by_their_names(tmp_path: Path, suffix: str) -> None:
    answer = guess(sphere(2), names=("head", "a long word of " + 20 * "Füße" + "!", "tail"))
    path = tmp_path / f"parts{suffix}"
    answer.save(path)
    assert has_own_labels(path)
    labels = mt.read_labels(path, mt.load_mesh(path))
    assert labels.on == "faces"
    assert labels.names == answer.parts
    assert np.array_equal(labels.values, answer.face_labels.values)
    assert mt.read_labels(path, mt.load_mesh(path), on="vertices").values.tolist() == answer.labels.values.tolist()


@pytest.mark.parametrize("binary", [True, False])
@pytest.mark.parametrize("suffix", SUFFIXES)
@settings(max_examples=15, deadline=None, derandomize=True)
@given(polygons=some.lists(some.lists(some.integers(0, 11), min_size=3, max_size=6), min_size=1, max_size=9))
def test_what_pyvista_writes_is_read(
    tmp_path_factory: pytest.TempPathFactory, suffix: str, binary: bool, polygons: list[list[int]]
) -> None:
    points = np.random.default_rng(len(polygons)).normal(size=(12, 3))
    faces = np.concatenate([[len(polygon), *polygon] for polygon in polygons])
    data = pyvista.PolyData(points, faces)
    data.cell_data["part"] = np.arange(len(polygons))
    data.point_data["heat"] = points
    path = tmp_path_factory.mktemp("vtk") / f"made{suffix}"
    data.save(path, binary=binary)
    found = read_polygons(path)
    assert np.allclose(found.vertices, points, rtol=1e-6)
    assert found.sizes.tolist() == [len(polygon) for polygon in polygons]
    assert found.corners.tolist() == [corner for polygon in polygons for corner in polygon]
    assert has_own_labels(path)


@pytest.mark.parametrize("mode", ["ascii", "binary", "appended"])
@pytest.mark.parametrize("compressor", [None, "zlib"])
@pytest.mark.parametrize("encoded", [True, False])
def test_every_way_of_vtk_to_write_xml(tmp_path: Path, mode: str, compressor: str | None, encoded: bool) -> None:
    vtk = pytest.importorskip("vtk")
    mesh = sphere(4)
    writer = vtk.vtkXMLPolyDataWriter()
    writer.SetInputData(pyvista.PolyData.from_regular_faces(mesh.vertices, mesh.faces))
    {
        "ascii": writer.SetDataModeToAscii,
        "binary": writer.SetDataModeToBinary,
        "appended": writer.SetDataModeToAppended,
    }[mode]()
    writer.SetCompressorTypeToZLib() if compressor else writer.SetCompressorTypeToNone()
    writer.SetEncodeAppendedData(encoded)
    writer.SetBlockSize(4096)
    writer.SetFileName(str(tmp_path / "sphere.vtp"))
    writer.Write()
    found = mt.load_mesh(tmp_path / "sphere.vtp")
    assert np.allclose(found.vertices, mesh.vertices, atol=1e-6)
    assert np.array_equal(found.faces, mesh.faces)


@pytest.mark.parametrize("suffix", SUFFIXES)
def test_damage_is_a_sentence(tmp_path: Path, suffix: str) -> None:
    whole = tmp_path / f"whole{suffix}"
    guess(box()).save(whole)
    data = whole.read_bytes()
    draw = np.random.default_rng(3)
    path = tmp_path / f"bad{suffix}"
    for _ in range(150):
        bad = bytearray(data[: int(draw.integers(1, len(data) + 1))])
        for place in draw.integers(0, len(bad), 3):
            bad[place] = draw.integers(0, 256)
        path.write_bytes(bad)
        try:
            read_polygons(path)
        except InputError as error:
            assert str(path) in str(error)


@pytest.mark.parametrize(
    ("name", "text", "said"),
    [
        ("grid.vtk", "# vtk DataFile Version 3.0\nx\nASCII\nDATASET UNSTRUCTURED_GRID\n", "extract its surface"),
        ("bomb.vtk", "# vtk DataFile Version 3.0\nx\nASCII\nDATASET POLYDATA\nPOINTS 99999999999 float\n", "claims"),
        ("other.vtk", "ply\n", "does not begin with"),
        ("strip.vtk", "# vtk DataFile Version 3.0\n\nASCII\nDATASET POLYDATA\nPOINTS 3 float\n0 0 0 1 0 0 0 1 0\n"
         "TRIANGLE_STRIPS 1 4\n3 0 1 2\n", "triangle strips"),
        ("laugh.vtp", '<!DOCTYPE a [<!ENTITY b "ha">]><VTKFile type="PolyData">&b;</VTKFile>', "entities"),
        ("grid.vtp", '<VTKFile type="UnstructuredGrid"></VTKFile>', "UnstructuredGrid"),
        ("lz4.vtp", '<VTKFile type="PolyData" compressor="vtkLZ4DataCompressor"></VTKFile>', "zlib"),
    ],
)  # fmt: skip
def test_what_is_no_surface_is_refused(tmp_path: Path, name: str, text: str, said: str) -> None:
    (tmp_path / name).write_text(text)
    with pytest.raises(InputError, match=said):
        read_polygons(tmp_path / name)
