"""Sizes beyond all use, and memory that is not there."""

from __future__ import annotations

import subprocess
import sys
import warnings
from typing import Any

import numpy as np
import pytest

import meshtide.inference.segment as segmenting
from meshtide.data.figures import make_figure
from meshtide.errors import InputError
from meshtide.inference.segment import segment
from meshtide.inference.segmentation import Segmentation
from meshtide.labels.labels import Labels
from meshtide.many.faults import is_out_of_memory
from meshtide.mesh.mesh import Mesh
from meshtide.mesh.ready import at_usual_scale

BODY = make_figure("quadruped", 5, "held-out", defects=False)[0]


@pytest.fixture(scope="module")
def usual() -> Segmentation:
    return segment(BODY)


@pytest.mark.parametrize("scale", [1e-300, 1e-100, 1e-20, 1e20, 1e150, 1e300])
def test_a_shape_of_any_size_has_the_parts_that_it_has(usual: Segmentation, scale: float) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        found = segment((BODY.vertices * scale, BODY.faces))
        assert found.kind == usual.kind
        assert (found.labels.values == usual.labels.values).mean() > 0.999
        assert (found.face_labels.values == usual.face_labels.values).mean() > 0.999
        assert (found.face_instances == usual.face_instances).mean() > 0.999
        assert found.shares == pytest.approx(usual.shares, abs=1e-3)
    assert np.array_equal(found.mesh.vertices, BODY.vertices * scale)


def test_scaling_by_powers_of_two_changes_no_digit() -> None:
    mesh = Mesh(np.append(np.ldexp(BODY.vertices, 600), [[1e308, 0, -1e308]], axis=0), BODY.faces)
    scaled = at_usual_scale(mesh)
    factor = scaled.vertices[0, 0] / BODY.vertices[0, 0]
    assert np.array_equal(scaled.vertices[:-1], factor * BODY.vertices)
    assert np.abs(scaled.vertices).max() < 10
    assert at_usual_scale(BODY) is BODY


@pytest.mark.parametrize("scale", [1e-200, 1.0, 1e200])
def test_labels_travel_between_elements_at_any_size(scale: float) -> None:
    random = np.random.default_rng(4)
    mesh = Mesh(BODY.vertices * scale, BODY.faces)
    on_faces = random.integers(0, 3, len(mesh.faces))
    on_vertices = random.integers(0, 3, len(mesh.vertices))
    names = ("a", "b", "c")
    for labels in (Labels(on_faces, "faces", names), Labels(on_vertices, "vertices", names)):
        assert np.array_equal(labels.to_vertices(mesh).values, labels.to_vertices(BODY).values)
        assert np.array_equal(labels.to_faces(mesh).values, labels.to_faces(BODY).values)


@pytest.mark.parametrize(
    "error",
    [
        MemoryError(),
        RuntimeError("[enforce fail] DefaultCPUAllocator: not enough memory: you tried"),
        RuntimeError("[enforce fail] DefaultCPUAllocator: can't allocate memory: you tried"),
    ],
)
def test_too_little_memory_is_a_sentence(monkeypatch: pytest.MonkeyPatch, error: Exception) -> None:
    def full(*_: Any) -> None:
        raise error

    monkeypatch.setattr(segmenting, "_segmented", full)
    with pytest.raises(InputError, match=r"its .* vertices and 10,410 triangles; give fewer `max_vertices`"):
        segment(BODY)


LITTLE_ROOM = """
import resource
from pathlib import Path
import embreex.mesh_construction, embreex.rtcore_scene
from meshtide.spectral.thickness import Inside
from shapes import sphere
ball = Inside(sphere(2).vertices, sphere(2).faces)
used = int(Path("/proc/self/statm").read_text().split()[0]) * resource.getpagesize()
resource.setrlimit(resource.RLIMIT_AS, (used + 2**26, used + 2**26))
try:
    ball.distances(sphere(0).vertices, sphere(0).vertices)
except MemoryError as error:
    print(error)
"""


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="reads what Linux says of a process")
def test_a_library_that_dies_without_memory_is_not_asked() -> None:
    done = subprocess.run([sys.executable, "-c", LITTLE_ROOM], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout[:12]) == (0, "no room for "), done


def test_libraries_that_cannot_be_loaded_for_want_of_memory_are_a_sentence() -> None:
    said = "libtorch_cpu.so: failed to map segment from shared object"
    assert is_out_of_memory(ImportError(said))
    assert not is_out_of_memory(ImportError("libfoo.so: cannot open shared object file"))


def test_other_faults_are_not_hidden(monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(*_: Any) -> None:
        raise RuntimeError("a fault of ours")

    monkeypatch.setattr(segmenting, "_segmented", broken)
    with pytest.raises(RuntimeError, match="a fault of ours"):
        segment(BODY)


def test_long_names_are_cut_where_they_are_shown() -> None:
    names = tuple(10_000 * letter for letter in "ab")
    found = Segmentation.of_regions(BODY, np.arange(len(BODY.faces)) % 2, names=names)
    assert len(repr(found)) < 500
    assert len(repr(found.labels)) < 500
    with pytest.raises(InputError) as refused:
        Labels(np.zeros(3, dtype=int), "faces", (f"{names[0]}\x1b",))
    assert len(str(refused.value)) < 500
    assert "\x1b" not in str(refused.value)
