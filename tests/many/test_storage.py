"""A folder at an address works as a folder does: in fsspec's memory, and on a real server that speaks S3."""

from __future__ import annotations

import importlib.util
import json
import re
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from labelled_folders import write_figures
from shapes import sphere
from typer.testing import CliRunner

from meshtide.cli import app
from meshtide.data.collection import open_collection
from meshtide.errors import InputError
from meshtide.mesh.files import save_mesh

fsspec = pytest.importorskip("fsspec", reason="needs fsspec, of the extra 'remote'")
NEEDED = ("s3fs", "moto", "flask", "flask_cors")  # for the server, and to speak with it
BUCKET = "s3://shapes"


@pytest.fixture
def bucket(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Any]:
    """The file system of an empty bucket, on a server of this machine."""
    missing = [name for name in NEEDED if importlib.util.find_spec(name) is None]
    if missing:
        pytest.skip(f"needs {', '.join(missing)}, of the extra 'test', for a server that speaks S3")
    log = tmp_path / "server.log"
    with log.open("wb") as file:
        command = [sys.executable, "-m", "moto.server", "-H", "127.0.0.1", "-p", "0"]
        server = subprocess.Popen(command, stdout=file, stderr=file, cwd=tmp_path)
    try:
        for name in ("AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY"):
            monkeypatch.setenv(name, "anybody")
        monkeypatch.setenv("AWS_ENDPOINT_URL", _address(log))
        monkeypatch.setenv("AWS_DEFAULT_REGION", "us-east-1")
        system = fsspec.filesystem("s3", skip_instance_cache=True)
        system.mkdir(BUCKET)
        yield system
    finally:
        fsspec.get_filesystem_class("s3").clear_instance_cache()
        server.kill()
        server.wait()


def _address(log: Path) -> str:
    for _ in range(600):
        found = re.search(r"http://127\.0\.0\.1:\d+", log.read_text(errors="replace"))
        if found:
            return found[0]
        time.sleep(0.1)
    raise AssertionError(f"the server did not start: {log.read_text(errors='replace')}")


def done(*words: object, code: int = 0) -> str:
    result = CliRunner().invoke(app, [*map(str, words)])
    assert result.exit_code == code, result.output
    return str(result.output)


def test_segment_reads_and_writes_a_bucket(bucket: Any, tmp_path: Path) -> None:
    folder = tmp_path / "in"
    folder.mkdir()
    save_mesh(sphere(1), folder / "ball.off")
    (folder / "bad.off").write_text("OFF\n3 1 0\n0 0 0\n")
    bucket.put(str(folder), f"{BUCKET}/in", recursive=True)
    done("segment", f"{BUCKET}/in", "-o", f"{BUCKET}/out", "--json", tmp_path / "r.json", "--count", 2, code=2)
    done("segment", folder / "ball.off", "-o", tmp_path / "ball.ply", "--count", 2)
    assert bucket.cat(f"{BUCKET}/out/ball.ply") == (tmp_path / "ball.ply").read_bytes()
    bad, good = json.loads((tmp_path / "r.json").read_text())["meshes"]
    assert good["written"] == [f"{BUCKET}/out/ball.ply"]
    assert bad["error"].startswith(f"{BUCKET}/in/bad.off: ")


def test_prepare_train_and_evaluate_read_a_bucket(bucket: Any, tmp_path: Path) -> None:
    folder = write_figures(tmp_path / "figures", 4)
    bucket.put(str(folder), f"{BUCKET}/in", recursive=True)
    said = done("prepare", f"{BUCKET}/in/", "-k", 16, "--shards", f"{BUCKET}/packed")
    assert "4 shapes: 4 computed" in said
    assert sorted(bucket.ls(f"{BUCKET}/packed")) == [f"shapes/packed/shapes-00000.{end}" for end in ("json", "tar")]
    model = tmp_path / "m.safetensors"
    done("train", f"{BUCKET}/packed", "-o", model, "--epochs", 1, "--seed", 0)
    scores = []
    for number, source in enumerate((folder, f"{BUCKET}/in", f"{BUCKET}/packed")):
        done("evaluate", model, source, "--json", tmp_path / f"{number}.json")
        scores.append(json.loads((tmp_path / f"{number}.json").read_text())["vertex_accuracy"])
    assert scores[0] == scores[1] == scores[2]
    with pytest.raises(InputError, match=f"^{BUCKET}/none: is no folder"):
        open_collection(f"{BUCKET}/none")


def test_the_copy_of_a_folder_follows_it(tmp_path: Path) -> None:
    system = fsspec.filesystem("memory")
    folder = write_figures(tmp_path / "figures", 3)
    system.put(str(folder), "/changing", recursive=True)
    assert len(open_collection("memory://changing").shapes) == 3
    system.rm("/changing/figure0.off")
    system.rm("/changing/figure0.txt")
    system.put_file(str(folder / "figure0.off"), "/changing/figure1.off")
    first, second = open_collection("memory://changing/").shapes
    assert (first.name, second.name) == ("figure1", "figure2")
    assert first.mesh_path.read_bytes() == (folder / "figure0.off").read_bytes()


def test_what_was_copied_is_not_fetched_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    system = fsspec.filesystem("memory")
    system.put(str(write_figures(tmp_path / "figures", 2)), "/kept", recursive=True)
    (path, *_) = [shape.mesh_path for shape in open_collection("memory://kept").shapes]
    monkeypatch.setattr("meshtide.data.mirror.fetch_whole", lambda *_: pytest.fail("was fetched again"))
    assert open_collection("memory://kept").shapes[0].mesh_path == path


def test_a_fetch_that_fails_is_a_sentence_and_leaves_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    system = fsspec.filesystem("memory")
    system.put(str(write_figures(tmp_path / "figures", 1)), "/torn", recursive=True)

    def torn(*_: object, **__: object) -> None:
        raise TimeoutError("the storage fell silent")

    monkeypatch.setattr(type(system), "open", torn)
    with pytest.raises(InputError, match=r"^memory://torn/figure0\.(off|txt): cannot be read .*fell silent"):
        open_collection("memory://torn")
    monkeypatch.undo()
