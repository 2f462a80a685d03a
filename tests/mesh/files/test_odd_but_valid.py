"""Files that look odd and are valid; each is made here as some program writes it."""

from __future__ import annotations

import struct
from pathlib import Path

import numpy as np
import pytest

from meshtide.errors import InputError
from meshtide.mesh.files import load_mesh, read_polygons, read_raw


def test_off_faces_may_go_on_in_the_next_line(tmp_path: Path) -> None:
    path = tmp_path / "broken.off"
    path.write_text("OFF\n4 3 0\n0 0 0\n1 0 0\n1 1 0\n0 1 0\n4 0 1\n2 3\n3\n0\n1 2 255 0 0\n3 0 2 3 9 9\n# end\n")
    found = read_polygons(path)
    assert found.sizes.tolist() == [4, 3, 3]
    assert found.corners.tolist() == [0, 1, 2, 3, 0, 1, 2, 0, 2, 3]
    path.write_text("OFF\n3 2 0\n0 0 0\n1 0 0\n1 1 0\n3 0 1 2\n4 0 1\n2\n")
    with pytest.raises(InputError, match=r"broken.off: some of its 2 face lines are shorter than they say"):
        read_polygons(path)


def test_obj_lines_may_end_in_remarks(tmp_path: Path) -> None:
    path = tmp_path / "remarks.obj"
    path.write_text("v 0 0 0 # a\nv 1 0 0# b\nv 0 1 0 1 # c\nf 1 2 3 # d\n")
    assert load_mesh(path).vertices.tolist() == [[0, 0, 0], [1, 0, 0], [0, 1, 0]]


FACET = "facet normal 0 0 1\nouter loop\nvertex {} 0 0\nvertex 1 0 0\nvertex 0 1 0\nendloop\nendfacet\n"


@pytest.mark.parametrize("end", ["\n", "\r\n", "\r"])
def test_a_solid_may_be_called_like_a_keyword(tmp_path: Path, end: str) -> None:
    path = tmp_path / "solid.stl"
    solids = [
        f"solid vertex {name}\n{FACET.format(i)}endsolid vertex {name}\n" for i, name in enumerate(("a", "b", "c"))
    ]
    path.write_bytes("".join(solids).replace("\n", end).encode())
    raw = read_raw(path)
    assert len(raw.faces) == 3
    assert [(piece.name, piece.faces) for piece in raw.origin.pieces] == [(f"vertex {x}", 1) for x in "abc"]


@pytest.mark.parametrize("behind", [b"", b"trailing", 3 * b"\0"])
def test_a_binary_stl_may_begin_with_solid_and_have_bytes_behind(tmp_path: Path, behind: bytes) -> None:
    path = tmp_path / "solid.stl"
    facet = struct.pack("<12fH", 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 1, 0, 0)
    path.write_bytes(b"solid facet".ljust(80) + struct.pack("<I", 2) + 2 * facet + behind)
    assert len(read_raw(path).faces) == 2
    assert np.allclose(read_raw(path).vertices[:3], [[0, 0, 0], [1, 0, 0], [0, 1, 0]])
