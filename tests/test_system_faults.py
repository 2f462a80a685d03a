"""Faults of the system around meshtide: nothing is lost or half written, and nobody sees a traceback."""

from __future__ import annotations

import json
import os
import random
import resource
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from command_line import run
from labelled_folders import write_figures
from shapes import sphere, torus

import meshtide as mt
from meshtide.mesh.files import load_mesh, save_mesh
from meshtide.spectral import preparation
from meshtide.spectral.cache import Cache
from meshtide.spectral.recipe import GraphRecipe

pytestmark = pytest.mark.skipif(os.name != "posix", reason="limits, signals and links as POSIX has them")
SEGMENT = (
    "segment",
    "ball.obj",
    "-o",
    "out/parts.ply",
    "-o",
    "out/parts.npz",
    "-o",
    "out/parts.obj",
    "--json",
    "out/r.json",
)
SMALL = ("--epochs", "40", "-k", "8", "--width", "4", "--blocks", "1")


@pytest.fixture
def place(tmp_path: Path) -> Path:
    save_mesh(sphere(1), tmp_path / "ball.obj")
    (tmp_path / "out").mkdir()
    return tmp_path


def assert_said(done: subprocess.CompletedProcess[str], code: int) -> None:
    assert done.returncode == code, done.stderr
    assert "Traceback" not in done.stderr + done.stdout
    assert "Warning" not in done.stderr


def whole_or_absent(folder: Path) -> int:
    """How many outputs there are, each of them whole, and nothing besides them."""
    for path in folder.iterdir():
        if path.suffix == ".ply" or path.suffix == ".obj":
            assert len(load_mesh(path).vertices) == 42
        elif path.suffix == ".npz":
            assert len(np.load(path)["labels"]) == 42
        elif path.suffix == ".json":
            assert json.loads(path.read_text())
        else:
            assert path.suffix == ".mtl", path.name
    return len(list(folder.iterdir()))


# Room


@pytest.mark.parametrize("seed", range(4))
def test_a_file_size_limit_at_a_random_moment(place: Path, seed: int) -> None:
    limit = random.Random(seed).randrange(6_000)
    command = [sys.executable, "-m", "meshtide", *SEGMENT]

    def limited() -> None:
        signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
        resource.setrlimit(resource.RLIMIT_FSIZE, (limit, limit))

    done = subprocess.run(command, cwd=place, capture_output=True, text=True, preexec_fn=limited, timeout=3000)
    assert_said(done, 2)
    whole_or_absent(place / "out")


@pytest.mark.parametrize("room", ["16k", "40k"])
def test_a_full_disk(place: Path, room: str) -> None:
    disk = place / "out"
    mount = ["mount", "-t", "tmpfs", "-o", f"size={room}", "tmpfs", str(disk)]
    if os.geteuid() or not shutil.which("mount") or subprocess.run(mount, capture_output=True).returncode:
        pytest.skip("a small disk can be made by root alone")
    try:
        done = run(*SEGMENT, "-o", "out/more.html", cwd=place)
        assert_said(done, 2)
        assert "No space left" in done.stderr
        (disk / "more.html").unlink(missing_ok=True)
        whole_or_absent(disk)
        shapes = place / "shapes"
        shapes.mkdir()
        for number in range(3):
            save_mesh(torus(20 + number, 9), shapes / f"ring{number}.ply")
        done = run("prepare", "shapes", "--cache", disk / "cache", cwd=place)
        assert_said(done, 2)
        assert all(verdict == "good" for _, verdict in Cache(disk / "cache").verify())
    finally:
        subprocess.run(["umount", str(disk)], check=True)


def test_folders_that_cannot_be_written(place: Path) -> None:
    # Where the one who tests is root, who may write everywhere, /proc still takes no files.
    closed = Path("/proc") if not os.geteuid() else place / "out"
    if os.geteuid():
        closed.chmod(0o555)
    elif not closed.is_dir():
        pytest.skip("no folder is closed to root here")
    try:
        for command in (
            ("segment", "ball.obj", "-o", closed / "parts.ply"),
            ("doctor", "ball.obj", "--fix", "-o", closed / "fixed.ply"),
            ("segment", "ball.obj", "-o", "here.ply", "--json", closed / "r.json"),
            ("demo", "-o", closed / "demo"),
        ):
            assert_said(run(*command, cwd=place), 2)
        done = run("segment", "ball.obj", "-o", "fine.ply", "--cache", closed / "cache", cwd=place)
        assert_said(done, 0)  # a cache is a help and no need
        assert len(load_mesh(place / "fine.ply").vertices) == 42
    finally:
        (place / "out").chmod(0o755)


# Ends


def killed(place: Path, seconds: float, *words: object) -> bool:
    """Whether a kill after so many seconds met a command that still ran."""
    command = [sys.executable, "-m", "meshtide", *map(str, words)]
    process = subprocess.Popen(
        command, cwd=place, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, start_new_session=True
    )
    try:
        process.wait(timeout=seconds)
        hit = False
    except subprocess.TimeoutExpired:
        os.killpg(process.pid, signal.SIGKILL)
        hit = True
    assert process.stderr is not None
    assert b"Traceback" not in process.stderr.read()
    process.wait()
    return hit


def seconds_of(place: Path, *words: object) -> float:
    began = time.perf_counter()
    assert_said(run(*words, cwd=place), 0)
    return time.perf_counter() - began


def test_segment_killed_leaves_whole_files(place: Path) -> None:
    whole = seconds_of(place, *SEGMENT)
    draw = random.Random(1)
    for _ in range(4):
        killed(place, whole * draw.uniform(0.7, 1.0), *SEGMENT)
        for path in (place / "out").glob(".*.part"):
            path.unlink()  # what is left under another name is no output
        whole_or_absent(place / "out")


def test_a_killed_training_goes_on_to_the_same_model(tmp_path: Path) -> None:
    shapes = write_figures(tmp_path / "shapes", 3, 0)
    words = ("train", shapes, *SMALL, "-o")
    whole = seconds_of(tmp_path, *words, "whole.safetensors")
    killed(tmp_path, 0.8 * whole, *words, "killed.safetensors")
    if (tmp_path / "killed.safetensors").exists():
        mt.load_model(tmp_path / "killed.safetensors")
    stopped = list(tmp_path.glob("killed*.training"))  # none if the kill came before the first epoch or after the last
    if stopped or not (tmp_path / "killed.safetensors").exists():
        more = ["--resume"] if stopped else []
        assert_said(run(*words, "killed.safetensors", *more, cwd=tmp_path), 0)
    one, other = (mt.load_model(tmp_path / f"{name}.safetensors") for name in ("whole", "killed"))
    for key, value in one.network.state_dict().items():
        assert value.equal(other.network.state_dict()[key]), key


LABEL_SAVER = """
import itertools, sys
import numpy as np
import meshtide as mt
mesh = mt.load_mesh("ball.obj")
for number in itertools.count():
    labels = mt.Labels(np.full(80, number % 7), "faces", tuple("abcdefg"))
    mt.write_labels(labels, f"ball.{sys.argv[1]}", mesh)
    if number == 0:
        print("begun", flush=True)
"""


@pytest.mark.parametrize("suffix", ["txt", "npz", "json"])
def test_killed_while_saving_labels(place: Path, suffix: str) -> None:
    draw = random.Random(suffix)
    for _ in range(2):
        process = subprocess.Popen([sys.executable, "-c", LABEL_SAVER, suffix], cwd=place, stdout=subprocess.PIPE)
        assert process.stdout is not None
        process.stdout.readline()
        time.sleep(draw.uniform(0.0, 0.2))
        process.kill()
        process.communicate()
        labels = mt.read_labels(place / f"ball.{suffix}", load_mesh(place / "ball.obj"))
        assert len(set(labels.values.tolist())) == 1
        assert labels.names == tuple("abcdefg")


def test_a_pipe_that_nobody_reads(place: Path) -> None:
    for words in (
        ("segment", "ball.obj", "-o", "out/x.ply"),
        ("doctor", "ball.obj"),
        ("--help",),
        ("segment", "--kinds"),
    ):
        command = " ".join([sys.executable, "-m", "meshtide", *words])
        done = subprocess.run(
            ["bash", "-c", f"{command} | head -c 0; exit ${{PIPESTATUS[0]}}"], cwd=place, capture_output=True, text=True
        )
        assert_said(done, 0)
    assert len(load_mesh(place / "out" / "x.ply").vertices) == 42


# Time, company and place


def test_a_clock_that_goes_back(place: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    cache, mesh, recipe = Cache(place / "cache"), load_mesh(place / "ball.obj"), GraphRecipe(k=8)
    first = cache.fetch(mesh, recipe)
    for path in (place / "cache").iterdir():
        os.utime(path, (2**33, 2**33))  # written in the year 2242
    monkeypatch.setattr(time, "time", lambda: 0.0)
    again = cache.fetch(mesh, recipe)
    assert again.hit
    assert again.remarks == ()
    np.testing.assert_array_equal(first.preparation.vectors, again.preparation.vectors)
    assert cache.info().entries == 1


def test_two_versions_share_a_cache(place: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    cache, mesh, recipe = Cache(place / "cache"), load_mesh(place / "ball.obj"), GraphRecipe(k=8)
    cache.fetch(mesh, recipe)
    from meshtide.spectral import cache as module

    module._makers.cache_clear()
    monkeypatch.setattr(preparation, "PREPARATION_VERSION", 999)
    try:
        assert not cache.fetch(mesh, recipe).hit  # of the other version is nothing used
        assert cache.fetch(mesh, recipe).hit
    finally:
        monkeypatch.undo()
        module._makers.cache_clear()
    fetched = cache.fetch(mesh, recipe)  # and nothing replaced
    assert fetched.hit
    assert fetched.remarks == ()
    assert cache.info().entries == 2
    assert all(verdict == "good" for _, verdict in cache.verify())


FETCHER = """
import sys
import meshtide as mt
from meshtide.spectral.recipe import GraphRecipe
cache = mt.Cache("cache")
for name in ("one", "two", "three"):
    fetched = cache.fetch(mt.load_mesh(f"{name}.off"), GraphRecipe(k=8))
    assert fetched.remarks == (), fetched.remarks
"""


def test_eight_processes_on_one_cache(tmp_path: Path) -> None:
    for number, name in enumerate(("one", "two", "three")):
        save_mesh(torus(12 + number, 8), tmp_path / f"{name}.off")
    running = [
        subprocess.Popen([sys.executable, "-c", FETCHER], cwd=tmp_path, stderr=subprocess.PIPE, text=True)
        for _ in range(8)
    ]
    for process in running:
        _, said = process.communicate(timeout=3000)
        assert process.returncode == 0, said
    info = Cache(tmp_path / "cache").info()
    assert (info.entries, info.damaged, info.temporary) == (3, 0, 0)


def test_a_cache_deleted_during_a_run(place: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from meshtide.spectral import cache as module

    cache, mesh, recipe = Cache(place / "cache"), load_mesh(place / "ball.obj"), GraphRecipe(k=8)
    right = preparation.prepare(mesh, recipe)

    def prepare_and_lose(*given: Any) -> Any:
        found = preparation.prepare(*given)
        shutil.rmtree(place / "cache")
        return found

    monkeypatch.setattr(module, "prepare", prepare_and_lose)
    fetched = cache.fetch(mesh, recipe)
    np.testing.assert_array_equal(fetched.preparation.vectors, right.vectors)
    monkeypatch.undo()
    assert cache.fetch(mesh, recipe).preparation.vectors.tobytes() == right.vectors.tobytes()


@pytest.mark.parametrize(
    "name", ["héllo wörld 头.obj", "😀.obj", "-leading.obj", os.fsdecode(b"not-utf8-\xff\xfe.obj"), "[bold]{name}.obj"]
)
def test_names_of_files(place: Path, name: str) -> None:
    given = place / "in"
    given.mkdir()
    try:
        shutil.copy(place / "ball.obj", given / name)
    except OSError:
        pytest.skip("the file system takes no such name")
    for environment in ({}, {"LC_ALL": "C", "PYTHONIOENCODING": "ascii"}):
        done = run("segment", "-o", "../out", "--json", "../out/r.json", "--", name, cwd=given, **environment)
        assert_said(done, 0)
        assert len(load_mesh(place / "out" / f"{name.removesuffix('.obj')}.ply").vertices) == 42
        assert "r.json" in [path.name for path in (place / "out").iterdir()]
        assert_said(run("doctor", "--", name, cwd=given, **environment), 0)


@pytest.mark.parametrize("missing", ["HOME", "TMPDIR"])
def test_without_a_home_or_a_temporary_folder(place: Path, missing: str) -> None:
    kept = {key: value for key, value in os.environ.items() if key not in ("MESHTIDE_CACHE", "XDG_CACHE_HOME", "HOME")}
    kept |= {"TMPDIR": "/nowhere", "HOME": str(place)} if missing == "TMPDIR" else {}
    command = [sys.executable, "-m", "meshtide", *SEGMENT]
    if missing == "HOME":
        kept["MESHTIDE_CACHE"] = str(place / "cache")
    done = subprocess.run(command, cwd=place, capture_output=True, text=True, env=kept, timeout=3000)
    assert_said(done, 0)
    assert whole_or_absent(place / "out") == 5
    if missing == "HOME":
        del kept["MESHTIDE_CACHE"]
        kept["HOME"] = "/nowhere/at/all"
        command = [sys.executable, "-m", "meshtide", "cache", "info"]
        assert_said(subprocess.run(command, capture_output=True, text=True, env=kept, timeout=300), 0)


def test_a_run_that_is_refused_writes_nothing(place: Path) -> None:
    (place / "bad.obj").write_text("v 0 0 0\nf 1 1 1\n")
    assert_said(run("segment", "bad.obj", "-o", "out/x.ply", "-o", "out/x.glb", cwd=place), 2)
    assert whole_or_absent(place / "out") == 0
