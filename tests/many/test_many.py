"""Many meshes: side by side, in shards, after an interruption and at addresses, always the same report."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest
from shapes import sphere
from typer.testing import CliRunner

from meshtide.cli import app
from meshtide.errors import InputError
from meshtide.many.engine import Engine
from meshtide.many.engine import run as run_many
from meshtide.many.manifest import Manifest, merged, read_lines
from meshtide.many.processes import in_processes
from meshtide.many.shard import Shard
from meshtide.mesh.files import save_mesh
from meshtide.mesh.mesh import Mesh

LINE: dict[str, Any] = {"path": "a", "digest": "", "options": "", "outcome": "done", "seconds": 1, "parts": 1}
LINE |= {"written": [], "order": 0, "entry": {}}


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    meshes = tmp_path / "in"
    meshes.mkdir()
    for index in range(6):
        ball = sphere(1)
        save_mesh(Mesh(ball.vertices * [1, 1 + index / 5, 1], ball.faces), meshes / f"{index}.off")
    (meshes / "bad.off").write_text("OFF\n3 1 0\n0 0 0\n")
    return meshes


def segmented(*words: object) -> tuple[int, str]:
    done = CliRunner().invoke(app, ["segment", *map(str, words), "--count", "2"])
    return done.exit_code, done.output


def entries(report: Path) -> list[dict[str, Any]]:
    found = json.loads(report.read_text())["meshes"]
    return [{name: value for name, value in entry.items() if name not in ("seconds", "resumed")} for entry in found]


def test_side_by_side_gives_the_report_of_one_after_the_other(folder: Path, tmp_path: Path) -> None:
    for jobs in (1, 2):
        code, _ = segmented(folder, "-o", tmp_path / "out", "--jobs", jobs, "--json", tmp_path / f"{jobs}.json")
        assert code == 2  # of the bad one
    assert entries(tmp_path / "1.json") == entries(tmp_path / "2.json")
    assert ["error" in entry for entry in entries(tmp_path / "2.json")] == [False] * 6 + [True]


def test_shards_are_merged_to_the_report_of_the_whole(folder: Path, tmp_path: Path) -> None:
    segmented(folder, "-o", tmp_path / "out", "--json", tmp_path / "whole.json")
    manifests = [tmp_path / f"{index}.jsonl" for index in range(3)]
    for index, manifest in enumerate(manifests):
        segmented(folder, "-o", tmp_path / "out", "--shard", f"{index}/3", "--manifest", manifest)
    done = CliRunner().invoke(
        app, ["merge", *(str(each) for each in manifests if each.exists()), "--json", str(tmp_path / "merged.json")]
    )
    assert done.exit_code == 2
    assert "6 of 7 meshes done" in done.output
    assert entries(tmp_path / "merged.json") == entries(tmp_path / "whole.json")


@pytest.mark.parametrize("key", ["instances", "parts", "confidence", "warnings", "reason", "kind"])
def test_an_entry_that_somebody_changed_is_done_again(tmp_path: Path, key: str) -> None:
    save_mesh(sphere(1), tmp_path / "ball.off")
    words = [tmp_path / "ball.off", "--manifest", tmp_path / "m.jsonl"]
    segmented(*words)
    (line,) = read_lines(tmp_path / "m.jsonl")
    line["entry"][key] = {"x": [1e400]}
    (tmp_path / "m.jsonl").write_text(json.dumps(line) + "\n")
    code, said = segmented(*words, "--resume")
    assert code == 0, said
    assert "was done before" not in said


def test_what_is_done_is_not_done_again(folder: Path, tmp_path: Path) -> None:
    words = [folder, "-o", tmp_path / "out", "--manifest", tmp_path / "m.jsonl"]
    segmented(*words)
    with pytest.raises(InputError, match="is there already"):
        Manifest(tmp_path / "m.jsonl", False)
    before = {path.name: path.stat().st_mtime_ns for path in (tmp_path / "out").iterdir()}
    (tmp_path / "out" / "1.ply").unlink()
    ball = sphere(1)
    save_mesh(Mesh(ball.vertices * [1, 3, 1], ball.faces), folder / "2.off")
    code, said = segmented(*words, "--resume", "--json", tmp_path / "report.json")
    assert code == 2
    after = {path.name: path.stat().st_mtime_ns for path in (tmp_path / "out").iterdir()}
    changed = {name for name in after if after[name] != before[name]}
    assert changed == {"1.ply", "2.ply"}  # its file was gone; the mesh is another
    assert len(entries(tmp_path / "report.json")) == 7
    assert said.count("was done before") == 4
    _, said = segmented(*words, "--resume", "--detail", "2")
    assert said.count("was done before") == 0


@pytest.mark.skipif(os.name != "posix", reason="kills as POSIX does")
def test_a_killed_run_leaves_a_manifest_to_go_on_with(folder: Path, tmp_path: Path) -> None:
    manifest = tmp_path / "m.jsonl"
    words = [folder, "-o", tmp_path / "out", "--count", "2", "--manifest", manifest, "--resume"]
    command = [sys.executable, "-m", "meshtide", "segment", *map(str, words)]
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    while process.poll() is None and not (manifest.exists() and manifest.stat().st_size):
        time.sleep(0.01)
    process.send_signal(signal.SIGKILL)
    process.wait()
    done = len(read_lines(manifest))
    assert done >= 1
    code, said = segmented(*words)
    assert code == 2
    assert said.count("was done before") >= done - 1  # the bad one is tried again
    assert len(merged([manifest])) == 7


def test_a_torn_line_costs_itself_alone(tmp_path: Path) -> None:
    manifest = tmp_path / "m.jsonl"
    Manifest(manifest, False).add(LINE)
    with manifest.open("ab") as file:
        file.write(b'{"path": "b", "dig')
    Manifest(manifest, True).add({**LINE, "path": "c"})
    assert [line["path"] for line in read_lines(manifest)] == ["a", "c"]
    (tmp_path / "other").write_text("hello\n")
    with pytest.raises(InputError, match="is no manifest"):
        read_lines(tmp_path / "other")


def test_every_name_is_in_one_shard() -> None:
    names = [f"mesh{index}" for index in range(1000)]
    counts = [sum(Shard(index, 4).has(name) for name in names) for index in range(4)]
    assert sum(counts) == 1000
    assert min(counts) > 200
    for text in ("4/4", "1", "-1/3", "0/0", "a/b"):
        with pytest.raises(InputError, match="`shard` is"):
            Shard.read(text)


def _greedy(size: int) -> str:
    try:
        return f"{len(bytearray(size * 10**6))}"
    except MemoryError:
        return "refused"


def _deadly(item: int) -> int:
    if item == 3:
        os.kill(os.getpid(), signal.SIGKILL)
    return item


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="memory is limited on Linux alone")
def test_a_process_gets_no_more_memory_than_it_may() -> None:
    found = dict(run_many(_greedy, [10, 3000], Engine(memory=1.0), lambda item, sentence: sentence))
    assert found == {0: "10000000", 1: "refused"}


@pytest.mark.skipif(os.name != "posix", reason="kills as POSIX does")
def test_an_item_that_kills_its_worker_costs_itself_alone() -> None:
    found = dict(run_many(_deadly, list(range(6)), Engine(jobs=2), lambda item, sentence: -1))
    assert found == {0: 0, 1: 1, 2: 2, 3: -1, 4: 4, 5: 5}


def test_a_folder_at_an_address_works_as_a_folder_does(folder: Path, tmp_path: Path) -> None:
    fsspec = pytest.importorskip("fsspec", reason="needs fsspec, of the extra 'remote'")
    system = fsspec.filesystem("memory")
    system.put(str(folder), "/bucket/in", recursive=True)
    words = ["memory://bucket/in", "-o", "memory://bucket/out", "--json", tmp_path / "r.json"]
    assert segmented(*words)[0] == 2
    segmented(folder, "-o", tmp_path / "out")
    for path in (tmp_path / "out").iterdir():
        assert system.cat(f"/bucket/out/{path.name}") == path.read_bytes()
    found = entries(tmp_path / "r.json")
    assert [entry["file"] for entry in found] == [f"memory://bucket/in/{name}.off" for name in (*"012345", "bad")]
    assert found[-1]["error"].startswith("memory://bucket/in/bad.off: ")
    assert segmented("memory://bucket/none")[0] == 2


def test_where_memory_has_no_limit_a_sentence_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("meshtide.many.processes.sys.platform", "darwin")
    with pytest.raises(InputError, match="`memory` needs Linux"):
        next(in_processes(len, ["a"], 1, lambda item, why: 0, memory=1.0))
