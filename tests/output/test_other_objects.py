"""A segmentation as objects of other libraries, read back by `segment`'s own door."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from segmented_files import guess, polygons_with_unused, ready
from shapes import sphere

import meshtide as mt
from meshtide.errors import InputError
from meshtide.inference.given import take
from meshtide.inference.segmentation import Segmentation
from meshtide.mesh.files import read_polygons


@pytest.fixture
def polygonal(tmp_path: Path) -> Segmentation:
    given = polygons_with_unused(tmp_path)
    answer = ready(given)
    object.__setattr__(answer, "source", given.path)
    return answer


def test_trimesh_has_triangles_labels_and_colours() -> None:
    answer = guess(sphere(2))
    there = answer.to_trimesh()
    assert np.array_equal(there.vertices, answer.mesh.vertices)
    assert np.array_equal(there.faces, answer.mesh.faces)
    assert np.array_equal(there.face_attributes["label"], answer.face_labels.values)
    assert np.array_equal(there.vertex_attributes["instance"], answer.vertex_instances)
    wanted = [bytes.fromhex(answer.colours[part][1:]) for part in answer.face_labels.values[:5] if part >= 0]
    shown = [
        bytes(row[:3])
        for row, part in zip(there.visual.face_colors[:5], answer.face_labels.values[:5], strict=True)
        if part >= 0
    ]
    assert shown == wanted
    assert there.metadata["instances"] == tuple(each.name for each in answer.instances)


def test_trimesh_of_polygons_is_their_triangles(polygonal: Segmentation) -> None:
    given = read_polygons(polygonal.source)  # type: ignore[arg-type]  # a path
    there = polygonal.to_trimesh()
    assert np.array_equal(there.vertices, given.vertices)
    assert len(there.faces) == int((given.sizes - 2).sum())
    first = np.cumsum(given.sizes - 2) - (given.sizes - 2)
    assert np.array_equal(there.face_attributes["label"][first], polygonal.face_labels.values)
    assert there.area == pytest.approx(polygonal.mesh.area)


def test_pyvista_has_polygons_and_comes_back(polygonal: Segmentation) -> None:
    pytest.importorskip("pyvista", reason="pyvista is not installed")
    there = polygonal.to_pyvista()
    given = read_polygons(polygonal.source)  # type: ignore[arg-type]  # a path
    assert there.n_cells == len(given.sizes)
    assert np.array_equal(there.cell_data["label"], polygonal.face_labels.values)
    assert tuple(map(str, there.field_data["parts"])) == polygonal.parts
    assert take(there).origin.face_count == len(given.sizes)


def test_open3d_has_colours_or_a_sentence(polygonal: Segmentation) -> None:
    try:
        import open3d  # noqa: F401
    except ImportError:
        with pytest.raises(InputError, match="open3d is not installed; pip install"):
            polygonal.to_open3d()
    else:
        assert len(np.asarray(polygonal.to_open3d().vertex_colors)) == len(polygonal.labels)


def test_an_unknown_library_lists_the_known() -> None:
    with pytest.raises(InputError, match="trimesh, pyvista"):
        mt.convert(guess(sphere(1)), "blender")
