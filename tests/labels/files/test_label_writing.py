"""What is written can be read, belongs to the elements of the file as given, and is written whole or not at all."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from shapes import FIGURE_PARTS, box, figure

from meshtide.errors import InputError
from meshtide.labels.files import read_labels, write_labels
from meshtide.labels.labels import Labels
from meshtide.mesh.files import load_mesh
from meshtide.mesh.mesh import Mesh
from meshtide.mesh.origin import Origin

BOX = box()  # 8 vertices, 12 faces
ON_FACES = [0, 0, 0, 1, 1, 1, 2, 2, 2, 2, 2, -1]
QUADS = "".join(f"v {x} {y} {z}\n" for x, y, z in BOX.vertices) + "f 1 2 3 4\nf 5 6 7 8\nf 1 2 6 5\n"


@pytest.mark.parametrize("name", ["x.txt", "x.npz", "x.json", "x_labels.txt", "x.seg", "x.npy"])
def test_what_is_written_reads_back(tmp_path: Path, name: str) -> None:
    mesh, parts = figure(0)
    parts = parts.copy()
    parts[5:9] = -1
    labels = Labels(parts, "faces", FIGURE_PARTS)
    write_labels(labels, tmp_path / name, mesh)
    back = read_labels(tmp_path / name, mesh)
    assert back.on == "faces"
    assert np.array_equal(back.values, parts)
    assert back.names == (FIGURE_PARTS if name not in ("x.seg", "x.npy") else tuple(f"part {n}" for n in range(4)))
    assert [file.name for file in tmp_path.iterdir()] == [name]


@pytest.mark.parametrize("name", ["x.txt", "x.npz", "x.json"])
def test_vertex_labels_and_unused_and_awkward_names_read_back(tmp_path: Path, name: str) -> None:
    labels = Labels(np.array([1, 1, 3, 3, -1, 3, 1, 1]), "vertices", ("on", "läbels", "#2", "labels"))
    write_labels(labels, tmp_path / name, BOX)
    back = read_labels(tmp_path / name, BOX)
    assert (back.on, back.names) == ("vertices", labels.names)
    assert np.array_equal(back.values, labels.values)


def test_loadtxt_reads_what_is_written(tmp_path: Path) -> None:
    write_labels(Labels(np.array(ON_FACES), "faces", ("a", "b", "c")), tmp_path / "x.txt", BOX)
    assert np.loadtxt(tmp_path / "x.txt", dtype=int).tolist() == ON_FACES


def test_labels_are_written_for_the_elements_of_the_file(tmp_path: Path) -> None:
    (tmp_path / "x.obj").write_text(QUADS)
    mesh = load_mesh(tmp_path / "x.obj")
    write_labels(Labels(np.array([0, 0, 1, 1, 0, 0]), "faces", ("a", "b")), tmp_path / "x.seg", mesh)
    assert (tmp_path / "x.seg").read_text() == "0\n1\n0\n"
    dropped = Mesh(BOX.vertices, BOX.faces, origin=Origin(np.append(np.arange(8), -1), np.arange(12), 13))
    write_labels(Labels(np.zeros(8, int), "vertices", ("a",)), tmp_path / "y.npy", dropped)
    assert np.load(tmp_path / "y.npy", allow_pickle=False).tolist() == [0] * 8 + [-1]


def test_what_cannot_be_written_is_said(tmp_path: Path) -> None:
    on_vertices = Labels(np.zeros(8, int), "vertices", ("a",))
    for name in ("x.seg", "x_labels.txt"):
        with pytest.raises(InputError, match="to_faces"):
            write_labels(on_vertices, tmp_path / name, BOX)
    with pytest.raises(InputError, match=r"choose \.seg"):
        write_labels(on_vertices, tmp_path / "x.mat", BOX)
    with pytest.raises(InputError, match="7 labels"):
        write_labels(Labels(np.zeros(7, int), "vertices", ("a",)), tmp_path / "x.txt", BOX)
    with pytest.raises(InputError, match="rename it"):
        write_labels(Labels(np.zeros(12, int), "faces", ("1 2",)), tmp_path / "x_labels.txt", BOX)
    with pytest.raises(InputError, match="does not exist"):
        write_labels(on_vertices, tmp_path / "no" / "x.txt", BOX)
    assert list(tmp_path.iterdir()) == []
