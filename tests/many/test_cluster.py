"""A real scheduler and three workers, one killed and one paused in the middle: nothing lost, nothing twice."""

from __future__ import annotations

import json
import os
import re
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from command_line import run
from shapes import sphere

from meshtide.data.figures import make_figure
from meshtide.labels.files import write_labels
from meshtide.mesh.files import save_mesh
from meshtide.mesh.mesh import Mesh

pytest.importorskip("distributed", reason="needs dask and distributed, the extra 'cluster'")
pytestmark = pytest.mark.skipif(os.name != "posix", reason="pauses a process as POSIX does")

MESHES = 14
QUIET = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}


@pytest.fixture
def cluster(tmp_path: Path) -> Iterator[tuple[str, list[subprocess.Popen[bytes]]]]:
    """The address of a scheduler on loopback, and its three workers."""
    log = tmp_path / "scheduler.log"
    with log.open("wb") as file:
        options = ["--host", "127.0.0.1", "--port", "0", "--no-dashboard", "--no-show"]
        scheduler = subprocess.Popen(
            [sys.executable, "-m", "distributed.cli.dask_scheduler", *options], stdout=file, stderr=file, cwd=tmp_path
        )
    workers: list[subprocess.Popen[bytes]] = []
    try:
        address = _address(log)
        command = [sys.executable, "-m", "distributed.cli.dask_worker", address, "--nthreads", "1", "--no-nanny"]
        more = ["--host", "127.0.0.1", "--no-dashboard", "--local-directory", str(tmp_path)]
        workers = [subprocess.Popen([*command, *more], cwd=tmp_path, **QUIET) for _ in range(3)]
        yield address, workers
    finally:
        for process in (*workers, scheduler):
            process.kill()
            process.wait()


def _address(log: Path) -> str:
    for _ in range(1800):
        found = re.search(r"tcp://127\.0\.0\.1:\d+", log.read_text(errors="replace"))
        if found:
            return found[0]
        time.sleep(0.1)
    raise AssertionError(f"the scheduler did not start: {log.read_text(errors='replace')}")


def _lines(manifest: Path) -> list[dict[str, object]]:
    return [json.loads(line) for line in manifest.read_text().splitlines()] if manifest.exists() else []


def write_meshes(folder: Path, command: str) -> None:
    """Meshes of so many vertices that the command takes a moment for each, and labels where they are to be scored."""
    for index in range(MESHES):
        if command == "evaluate":
            mesh, labels = make_figure("hand", index)
            write_labels(labels, folder / f"{index:02}.txt", mesh)
        else:
            ball = sphere(2 if command == "segment" else 4)
            mesh = Mesh(ball.vertices * [1, 1 + index / 10, 1], ball.faces)
        save_mesh(mesh, folder / f"{index:02}.ply")


def words_of(command: str, place: Path) -> list[object]:
    if command == "evaluate":
        return [command, "default", place / "in", "--cache", place / "cache", "--device", "cpu"]
    return [command, place / "in", *(("-o", place / "out", "--count", "2") if command == "segment" else ())] + [
        *(("--cache", place / "cache") if command == "prepare" else ())
    ]


@pytest.mark.parametrize("command", ["segment", "prepare", "evaluate"])
def test_workers_may_die_and_fall_silent(command: str, cluster, tmp_path: Path) -> None:
    address, workers = cluster
    (tmp_path / "in").mkdir()
    write_meshes(tmp_path / "in", command)
    manifest, report = tmp_path / "manifest.jsonl", tmp_path / "report.json"
    words = [*words_of(command, tmp_path), "--scheduler", address, "--manifest", manifest, "--json", report]
    process = subprocess.Popen([sys.executable, "-m", "meshtide", *map(str, words)], **QUIET)
    try:
        for _ in range(2400):
            if len(_lines(manifest)) >= 2 or process.poll() is not None:
                break
            time.sleep(0.05)
        assert process.poll() is None, "all was done before a worker could be lost"
        workers[0].send_signal(signal.SIGKILL)
        workers[1].send_signal(signal.SIGSTOP)
        assert process.wait(timeout=600) == 0
    finally:
        process.kill()
    content = json.loads(report.read_text())
    entries = content["meshes"] if command == "segment" else content["shapes"]
    names = [f"{index:02}" for index in range(MESHES)]
    key = {"segment": "file", "prepare": "path", "evaluate": "name"}[command]
    assert [Path(entry[key]).stem for entry in entries] == names  # complete, in order
    assert sorted(Path(str(line["path"])).stem for line in _lines(manifest)) == names  # each once
    if command == "segment":
        assert sorted(path.name for path in (tmp_path / "out").iterdir()) == [f"{name}.ply" for name in names]
    if command == "prepare":
        assert len(list((tmp_path / "cache").glob("*.h5"))) == MESHES


def test_no_scheduler_is_a_sentence(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from meshtide.errors import InputError
    from meshtide.many import cluster
    from meshtide.many.engine import Engine
    from meshtide.many.engine import run as run_many

    monkeypatch.setattr(cluster, "CONNECT_SECONDS", 0.5)
    with pytest.raises(InputError, match="no scheduler answers there"):
        list(run_many(len, ["a"], Engine(scheduler="tcp://127.0.0.1:1"), lambda item, sentence: 0))
    done = run("segment", tmp_path, "--scheduler", "tcp://127.0.0.1:1", "--jobs", "2")
    assert done.returncode == 2
