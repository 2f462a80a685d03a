"""Sentences for users stay sentences, whatever a file says."""

from __future__ import annotations

import warnings
from pathlib import Path

import numpy as np
import pytest

import meshtide as mt
from meshtide.errors import MOST_LETTERS, InputError


def test_an_endless_sentence_keeps_its_beginning_and_its_end() -> None:
    said = str(InputError(f"card.toml: found {'x' * 100_000}; wanted a name"))
    assert len(said) <= MOST_LETTERS
    assert said.startswith("card.toml: found xxx")
    assert said.endswith("xxx; wanted a name")
    assert " … " in said


def test_features_beyond_32_bits_are_refused_without_a_warning() -> None:
    edges = np.array([[0, 1], [1, 2]])
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        with pytest.raises(InputError, match="not finite"):
            mt.NodeTask("huge", edges, np.full((3, 2), 1e300), [0, 1, 0])


def test_an_array_of_python_2_is_read_without_a_warning(tmp_path: Path) -> None:
    np.save(tmp_path / "old.npy", np.zeros(8, dtype=np.int64))
    data = (tmp_path / "old.npy").read_bytes()
    (tmp_path / "old.npy").write_bytes(data.replace(b"(8,), }  ", b"(8L,), } ", 1))
    assert b"8L" in (tmp_path / "old.npy").read_bytes()
    mesh = mt.Mesh(np.random.default_rng(0).normal(size=(8, 3)), [[0, 1, 2], [2, 3, 4], [4, 5, 6], [6, 7, 0]])
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert mt.read_labels(tmp_path / "old.npy", mesh).values.tolist() == [0] * 8


@pytest.mark.parametrize(("name", "line"), [("a.ply", "3 - 1 2"), ("a.off", "3 0 + 2"), ("a.obj", "f 1 2 -")])
def test_a_sign_that_stands_alone_is_no_number(tmp_path: Path, name: str, line: str) -> None:
    corners = "0 0 0\n1 0 0\n0 1 0\n"
    head = {
        "a.ply": "ply\nformat ascii 1.0\nelement vertex 3\nproperty float x\nproperty float y\nproperty float z\n"
        "element face 1\nproperty list uchar int vertex_indices\nend_header\n" + corners,
        "a.off": "OFF\n3 1 0\n" + corners,
        "a.obj": "".join(f"v {row}\n" for row in corners.splitlines()),
    }[name]
    (tmp_path / name).write_text(head + line + "\n")
    with pytest.raises(InputError, match="damaged"):
        mt.load_mesh(tmp_path / name)
