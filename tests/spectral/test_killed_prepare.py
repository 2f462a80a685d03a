"""`meshtide prepare` killed at random moments leaves a cache that the next run completes, every entry right."""

from __future__ import annotations

import os
import random
import signal
import subprocess
import sys
import time
from dataclasses import fields
from pathlib import Path

import numpy as np
import pytest
from shapes import figure

from meshtide.mesh.files import load_ready, save_mesh
from meshtide.mesh.mesh import Mesh
from meshtide.spectral.cache import Cache
from meshtide.spectral.preparation import Preparation, prepare
from meshtide.spectral.recipe import GraphRecipe

pytestmark = pytest.mark.skipif(os.name != "posix", reason="kills a process group as POSIX does")

SHAPES, KILLS = 12, 20
RECIPE = GraphRecipe(k=64)


def start(folder: Path, cache: Path) -> subprocess.Popen[bytes]:
    options = ["--cache", str(cache), "--jobs", "2", "--eigenpairs", str(RECIPE.k)]
    options += ["--features", ",".join(RECIPE.features)]
    command = [sys.executable, "-m", "meshtide", "prepare", str(folder), *options]
    return subprocess.Popen(command, start_new_session=True, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)


def finish(process: subprocess.Popen[bytes]) -> None:
    _, errors = process.communicate(timeout=600)
    assert process.returncode == 0, errors.decode()


def kill_after(process: subprocess.Popen[bytes], seconds: float) -> float | None:
    """Kill the whole process group after a while; if it had ended by itself before that, how long that took."""
    began = time.perf_counter()
    try:
        process.wait(timeout=seconds)
        took = time.perf_counter() - began
    except subprocess.TimeoutExpired:
        os.killpg(process.pid, signal.SIGKILL)
        took = None
    process.communicate(timeout=240)
    return took


def make_shapes(folder: Path) -> list[Path]:
    folder.mkdir()
    body, _ = figure(2)
    for index in range(SHAPES):
        stretched = body.vertices * [1, 1 + index / 10, 1 + index / 20]
        save_mesh(Mesh(stretched, body.faces), folder / f"body{index:02}.off")
    return sorted(folder.iterdir())


def assert_same(one: Preparation, other: Preparation) -> None:
    for field in fields(Preparation):
        np.testing.assert_array_equal(getattr(one, field.name), getattr(other, field.name), err_msg=field.name)


def test_kills_leave_no_wrong_entry(tmp_path, capsys):
    paths, cache, rng = make_shapes(tmp_path / "shapes"), Cache(tmp_path / "cache"), random.Random(7)
    began = time.perf_counter()
    finish(start(tmp_path / "shapes", tmp_path / "measured"))
    whole = time.perf_counter() - began
    assert Cache(tmp_path / "measured").info().entries == SHAPES

    hits, torn, left, expected = 0, 0, 0, whole
    for _ in range(KILLS):
        # Some entries go, or there would be nothing left to compute, and to interrupt, after a few rounds.
        entries = sorted(cache.folder.glob("*.h5"))
        for path in rng.sample(entries, k=len(entries) * 3 // 4):
            path.unlink()
        took = kill_after(start(tmp_path / "shapes", cache.folder), rng.uniform(0.3, 0.95) * expected)
        hits += took is None
        expected = took or expected  # a kill that came too late: the next ones aim at how long a run takes now
        torn += sum(verdict != "good" for _, verdict in cache.verify())
        left += cache.info().temporary
    assert torn == 0
    assert hits >= KILLS // 2, "the kills came too late to test anything"

    finish(start(tmp_path / "shapes", cache.folder))
    compared = 0
    for path in paths:
        mesh, _ = load_ready(path)
        fetched = cache.fetch(mesh, RECIPE)
        assert fetched.hit
        assert fetched.remarks == ()
        assert_same(fetched.preparation, prepare(mesh, RECIPE))
        compared += 1
    info = cache.info()
    assert (info.entries, info.damaged, info.temporary) == (SHAPES, 0, 0)
    with capsys.disabled():
        print(  # noqa: T201
            f"\n{hits} of {KILLS} kills hit a running `meshtide prepare` (a whole run takes {whole:.1f} s); they left "
            f"{left} half-written files, none under an entry's name; {compared} entries equal a fresh computation"
        )
