"""Whatever one mesh, one stream or one name does, the rest of the work is done and reported."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from command_line import run
from typer.testing import CliRunner

import meshtide.inference.segment
from meshtide.cli import app
from meshtide.cli.console import err, out

CORNER = "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nf 1 3 2\nf 1 2 4\nf 1 4 3\nf 2 3 4\n"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Three little meshes."""
    meshes = tmp_path / "meshes"
    meshes.mkdir()
    for name in "abc":
        (meshes / f"{name}.obj").write_text(CORNER)
    return meshes


def segmented(folder: Path, fault: Callable[[Path], None], monkeypatch: pytest.MonkeyPatch) -> tuple[int, Any, str]:
    """Segment a folder where `fault` is called with every mesh first; exit code, report and what was said."""
    true = meshtide.inference.segment.segment

    def faulty(path: Path, *given: Any, **options: Any) -> Any:
        fault(path)
        return true(path, *given, **options)

    monkeypatch.setattr(meshtide.inference.segment, "segment", faulty)
    report = folder.parent / "report.json"
    words = ["segment", str(folder), "-o", str(folder.parent / "out"), "--json", str(report)]
    done = CliRunner().invoke(app, words)
    return done.exit_code, json.loads(report.read_text())["meshes"], done.output


@pytest.mark.parametrize(
    ("error", "code", "said"),
    [
        (IndexError("a fault\x1b[2J"), 1, "meshtide has a fault here (IndexError: a fault\\x1b[2J)"),
        (MemoryError(), 2, "b.obj: there is not enough memory for it; give fewer --max-vertices"),
        (RuntimeError("DefaultCPUAllocator: not enough memory: you tried"), 2, "not enough memory for it"),
        (RuntimeError("DefaultCPUAllocator: can't allocate memory: you tried"), 2, "not enough memory for it"),
        (OSError(28, "No space left on device", "x.ply"), 2, "x.ply: cannot be read or written (No space left"),
    ],
)
def test_one_mesh_never_costs_the_others(
    folder: Path, monkeypatch: pytest.MonkeyPatch, error: Exception, code: int, said: str
) -> None:
    def fault(path: Path) -> None:
        if path.stem == "b":
            raise error

    exit_code, report, output = segmented(folder, fault, monkeypatch)
    assert exit_code == code
    assert said in report[1]["error"]
    assert ["written" in entry for entry in report] == [True, False, True]
    assert "2 of 3 meshes segmented" in output
    assert (folder.parent / "out" / "c.ply").is_file()


def test_a_report_is_written_when_the_work_is_stopped(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def fault(path: Path) -> None:
        if path.stem == "c":
            raise KeyboardInterrupt

    exit_code, report, output = segmented(folder, fault, monkeypatch)
    assert exit_code == 130
    assert [Path(entry["file"]).stem for entry in report] == ["a", "b"]
    assert "stopped; 2 of 3 meshes were done" in output


def _listening() -> None:
    """Whoever runs the tests in the background may have told them not to mind Ctrl-C."""
    signal.signal(signal.SIGINT, signal.SIG_DFL)


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_a_signal_leaves_a_report_of_what_was_done(tmp_path: Path, number: signal.Signals) -> None:
    for name in "ab":
        (tmp_path / f"{name}.obj").write_text(CORNER)
    meshes = [tmp_path / "a.obj"] + 3000 * [tmp_path / "b.obj"]
    words = ["-m", "meshtide", "doctor", *map(str, meshes), "--json", "report.json"]
    with subprocess.Popen(
        [sys.executable, *words], cwd=tmp_path, stdout=subprocess.PIPE, text=True, preexec_fn=_listening
    ) as process:
        assert process.stdout is not None
        for _ in range(3):  # so that the second mesh is done
            process.stdout.readline()
        process.send_signal(number)
        process.communicate(timeout=300)
    assert process.returncode == 130
    assert 1 <= len(json.loads((tmp_path / "report.json").read_text())["meshes"]) < 3001


def test_standard_output_has_the_report_alone(tmp_path: Path) -> None:
    (tmp_path / "a.obj").write_text(CORNER)
    done = run("doctor", "a.obj", "--json", "-", cwd=tmp_path)
    assert json.loads(done.stdout)["meshes"][0]["verdict"] == "good"
    assert "a.obj: good" in done.stderr
    assert list(tmp_path.iterdir()) == [tmp_path / "a.obj"]


def test_a_name_in_another_encoding_is_reported(tmp_path: Path) -> None:
    name = os.fsdecode(b"r\xe4der.obj")
    (tmp_path / name).write_text(CORNER)
    outputs = [
        word for suffix in ("ply", "obj", "glb", "html", "png", "json", "npz") for word in ("-o", f"out.{suffix}")
    ]
    done = run("segment", name, *outputs, "--json", "report.json", cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    assert "r\\udce4der.obj" in done.stdout
    assert json.loads((tmp_path / "report.json").read_text())["meshes"][0]["file"] == name


def test_a_terminal_that_knows_few_letters_gets_those_it_knows(tmp_path: Path) -> None:
    (tmp_path / "räder-車.obj").write_text(CORNER)
    done = run("doctor", "räder-車.obj", cwd=tmp_path, PYTHONIOENCODING="ascii", LANG="C")
    assert done.returncode == 0, done.stderr
    assert "r\\xe4der-\\u8eca.obj: good" in done.stdout


def test_a_full_device_is_said_and_costs_no_report(tmp_path: Path) -> None:
    (tmp_path / "a.obj").write_text(CORNER)
    words = ["-m", "meshtide", "doctor", "a.obj", "--json", "report.json"]
    with Path("/dev/full").open("w") as full:
        done = subprocess.run(
            [sys.executable, *words], cwd=tmp_path, stdout=full, stderr=subprocess.PIPE, text=True, check=False
        )
    assert done.returncode == 2
    assert done.stderr == "error: standard output cannot be written (No space left on device)\n"
    assert (tmp_path / "report.json").is_file()


def test_work_goes_on_when_nobody_reads_what_is_said(tmp_path: Path) -> None:
    (tmp_path / "a.obj").write_text(CORNER)
    words = ["-m", "meshtide", "doctor", *2000 * ["a.obj"], "--json", "report.json"]
    with subprocess.Popen(
        [sys.executable, *words], cwd=tmp_path, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    ) as process:
        assert process.stdout is not None
        process.stdout.readline()
        process.stdout.close()
        assert process.stderr is not None
        said = process.stderr.read()
        process.wait(timeout=300)
    assert (process.returncode, said) == (0, "")
    assert len(json.loads((tmp_path / "report.json").read_text())["meshes"]) == 2000


@pytest.mark.parametrize(
    "words",
    [
        ("segment", "a.obj", "-o", "LONG.ply"),
        ("segment", "LONG.obj", "-o", "x.ply"),
        ("segment", "a.obj", "--model", "LONG.safetensors"),
        ("segment", "a.obj", "-o", "x.ply", "--json", "LONG.json"),
        ("segment", "a.obj", "-o", "x.ply", "--manifest", "LONG.jsonl"),
        ("doctor", "a.obj", "--fix", "-o", "LONG.ply"),
        ("train", "LONG", "-o", "m.safetensors"),
        ("train", ".", "-o", "LONG.safetensors"),
        ("evaluate", "default", "LONG"),
        ("prepare", "LONG"),
        ("merge", "LONG.jsonl"),
        ("view", "LONG.obj", "--html", "x.html"),
        ("view", "a.obj", "--html", "LONG.html"),
    ],
    ids=" ".join,
)
def test_a_name_longer_than_any_file_has_is_a_sentence(tmp_path: Path, words: tuple[str, ...]) -> None:
    (tmp_path / "a.obj").write_text(CORNER)
    done = run(*(word.replace("LONG", 300 * "x") for word in words), cwd=tmp_path)
    assert done.returncode == 2, done.stderr
    assert "Traceback" not in done.stderr
    assert 60 * "x" in done.stderr.replace("\n", "")


def test_a_folder_without_meshes_costs_itself_alone(tmp_path: Path) -> None:
    (tmp_path / "a.obj").write_text(CORNER)
    (tmp_path / "b.obj").mkdir()
    done = run("doctor", "b.obj", cwd=tmp_path)
    assert "b.obj: has no mesh file in it" in done.stderr
    for words in (["doctor"], ["segment", "-o", "out"]):
        done = run(*words, "a.obj", "b.obj", "--json", "report.json", cwd=tmp_path)
        assert done.returncode == 2
        assert "is a folder" in done.stdout + done.stderr
        report = json.loads((tmp_path / "report.json").read_text())["meshes"]
        assert [Path(entry["file"]).name for entry in report] == ["a.obj", "b.obj"]
    assert (tmp_path / "out" / "a.ply").is_file()


def test_doctor_into_a_folder_that_cannot_be_made_is_a_sentence(tmp_path: Path) -> None:
    (tmp_path / "a.obj").write_text(CORNER + "v 9 9 9\n")
    (tmp_path / "taken").write_text("")
    done = run("doctor", "a.obj", "--fix", "-o", "taken/below/x.ply", "--json", "report.json", cwd=tmp_path)
    assert done.returncode == 2
    assert "taken/below: the folder cannot be created (Not a directory)" in done.stderr
    assert "cannot be created" in json.loads((tmp_path / "report.json").read_text())["meshes"][0]["error"]


def test_control_characters_of_names_and_files_are_shown_escaped(tmp_path: Path) -> None:
    (tmp_path / "a\x1b[31m\nred.obj").write_text(CORNER + "v 9 9 \x1b]0;title\x07\n")
    (tmp_path / "b.stl").write_text("solid \x1b[2J\nendsolid\nsolid two\nendsolid\n")
    done = run("doctor", *sorted(tmp_path.iterdir()), cwd=tmp_path)
    for text in (done.stdout, done.stderr):
        assert all(letter.isprintable() or letter == "\n" for letter in text)
    assert "a\\x1b[31m\\nred.obj: unusable" in done.stdout


def test_warnings_of_ours_are_notes_and_those_of_others_are_not_shown(capsys: pytest.CaptureFixture[str]) -> None:
    from meshtide.cli.faults import _tell
    from meshtide.spectral.spectrum import SpectrumWarning

    _tell(SpectrumWarning("a crowd; set `k=9`"), SpectrumWarning, "file.py", 7)
    _tell(RuntimeWarning("overflow"), RuntimeWarning, "numpy.py", 9)
    assert capsys.readouterr().err == "note: a crowd; set --eigenpairs 9\n"


FULL_DISK = """
import resource, signal, sys
from meshtide.cli import main
signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
resource.setrlimit(resource.RLIMIT_FSIZE, (4_000, 4_000))
sys.argv = ["meshtide", "prepare", "meshes", "--cache", "kept", "--json", "report.json"]
main()
"""


def test_prepare_on_a_full_disk_says_which_shapes_were_not_kept(folder: Path) -> None:
    done = subprocess.run(
        [sys.executable, "-c", FULL_DISK], cwd=folder.parent, capture_output=True, text=True, check=False
    )
    assert done.returncode == 2, done.stderr
    for name in "abc":
        assert f"meshes/{name}.obj: was not kept; " in done.stderr
    assert "3 shapes: 0 computed, 0 were cached already, 3 failed" in done.stdout
    report = json.loads((folder.parent / "report.json").read_text())
    assert [shape["status"] for shape in report["shapes"]] == 3 * ["failed"]


@pytest.fixture(autouse=True)
def streams_as_they_were() -> Any:
    yield
    out.stderr, out.fault, err.fault = False, None, None
