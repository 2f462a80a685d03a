"""Edges of triangle arrays against the plain way to find them, which sorts rows."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from meshtide.arrays import IntArray
from meshtide.mesh import topology
from meshtide.mesh.topology import boundary_vertices, edges_with_uses

FACES = st.lists(st.tuples(*(st.integers(0, 8) for _ in range(3))), max_size=40)


def plainly(faces: IntArray) -> tuple[IntArray, IntArray]:
    sides = np.sort(faces[:, [0, 1, 1, 2, 2, 0]].reshape(-1, 2), axis=1)
    return np.unique(sides[sides[:, 0] != sides[:, 1]], axis=0, return_counts=True)


@given(FACES, st.sampled_from([1, 7, 1 << 14]))
def test_edges_are_those_of_sorted_rows(rows: list[tuple[int, int, int]], chunk: int) -> None:
    faces = np.array(rows, dtype=np.int64).reshape(-1, 3)
    edges, uses = plainly(faces)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(topology, "CHUNK", chunk)
        found, times = edges_with_uses(faces, 9)
        border = boundary_vertices(faces, 9)
    assert np.array_equal(found, edges)
    assert np.array_equal(times, uses)
    assert np.flatnonzero(border).tolist() == sorted(set(edges[uses == 1].ravel().tolist()))
