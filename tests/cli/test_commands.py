"""What all commands have in common: -h, -q, -v, swapped arguments, folders of folders, reports with what made them."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest
from shapes import sphere, torus
from typer.testing import CliRunner

import meshtide as mt
from meshtide import __version__
from meshtide.cli import app
from meshtide.cli.console import _lines, err, out
from meshtide.cli.meshes import mesh_files
from meshtide.cli.stages import shown_stages
from meshtide.errors import InputError
from meshtide.mesh.files import save_mesh
from meshtide.stages import doing

COMMANDS = (
    "segment",
    "reproduce",
    "view",
    "train",
    "evaluate",
    "compare",
    "doctor",
    "prepare",
    "demo",
    "remake",
    "cache",
)


@pytest.mark.parametrize("command", COMMANDS)
def test_help_is_short_to_ask_for_and_names_no_types(command: str) -> None:
    done = CliRunner().invoke(app, [command, "-h"])
    assert done.exit_code == 0
    assert not {"<bool>", "<str>", "<path>", "<int"} & set(done.output.replace(">", "> ").split())
    assert "<list" not in done.output


def test_the_shell_can_complete() -> None:
    assert "--install-completion" in CliRunner().invoke(app, ["--help"]).output


def test_quiet_says_nothing_and_works(tmp_path: Path) -> None:
    save_mesh(sphere(2), tmp_path / "ball.ply")
    done = CliRunner().invoke(app, ["doctor", str(tmp_path / "ball.ply"), "-q", "--json", str(tmp_path / "r.json")])
    assert done.exit_code == 0
    assert done.output == ""
    content = json.loads((tmp_path / "r.json").read_text())
    assert content["made_by"]["versions"]["meshtide"] == __version__
    assert {"python", "torch"} <= set(content["made_by"]["versions"])
    assert content["made_by"]["command"][0] == "meshtide"
    assert content["meshes"][0]["verdict"] == "good"
    loud = CliRunner().invoke(app, ["doctor", str(tmp_path / "ball.ply")])
    assert "good" in loud.output


def test_verbose_tells_every_stage_and_every_piece(tmp_path: Path) -> None:
    save_mesh(mt.make_figure("ant", 4, "held-out", defects=False)[0], tmp_path / "ant.ply")
    words = ["segment", str(tmp_path / "ant.ply"), "-o", str(tmp_path / "ant.glb")]
    words += ["--cache", str(tmp_path / "cache")]
    plain = CliRunner().invoke(app, words)
    told = CliRunner().invoke(app, [*words, "-v"])
    assert plain.exit_code == told.exit_code == 0
    stages = ("reading ant.ply", "examining", "naming the parts", "straightening borders", "writing ant.glb")
    places = [told.stderr.find(words) for words in stages]
    assert min(places) >= 0
    assert places == sorted(places)
    assert "  head: " in told.stdout
    assert "% of the area" in told.stdout
    assert "reading" not in plain.output
    assert "% of the area" not in plain.output
    with pytest.raises(InputError, match=r"-q says less and -v says more"):
        CliRunner().invoke(app, [*words, "-q", "-v"], catch_exceptions=False)


def test_one_large_mesh_tells_its_stage_now_and_then_in_a_pipe(monkeypatch: pytest.MonkeyPatch) -> None:
    said: list[str] = []
    now = iter([0.0, 10.0, 40.0, 50.0, 75.0])
    monkeypatch.setattr("meshtide.cli.stages.time.monotonic", lambda: next(now))
    monkeypatch.setattr(err, "print", said.append)
    monkeypatch.setattr(out, "quiet", False)
    monkeypatch.setattr(out, "verbose", False)
    with shown_stages("horse.obj"):
        for words in ("reading", "simplifying", "naming", "writing"):
            doing(words)
    doing("nobody hears this")
    assert said == ["horse.obj: simplifying", "horse.obj: writing"]


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["segment", "out.glb", "ball.ply"], "give it as -o out.glb"),
        (["segment", "ball.ply", "out.glb"], "give it as -o out.glb"),
        (["segment", "out.glb", "-o", "ball.ply"], "meshtide segment ball.ply -o out.glb"),
        (["segment", "mine.safetensors", "ball.ply"], "give it as --model mine.safetensors"),
        (["view", "mine.safetensors"], "give it as --model mine.safetensors"),
        (["evaluate", "shapes", "default"], "give meshtide evaluate default shapes"),
        (["evaluate", "shapes", "mine.safetensors"], "give meshtide evaluate mine.safetensors shapes"),
        (["train", "mine.safetensors", "-o", "shapes"], "give meshtide train shapes -o mine.safetensors"),
    ],
)
def test_swapped_arguments_are_recognised(
    words: list[str], said: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    save_mesh(sphere(2), Path("ball.ply"))
    before = Path("ball.ply").read_bytes()
    with pytest.raises(InputError, match=re.escape(said)):
        CliRunner().invoke(app, words, catch_exceptions=False)
    assert Path("ball.ply").read_bytes() == before


def test_folders_of_folders(tmp_path: Path) -> None:
    for name in ("a.ply", "deep/b.ply", "deep/deeper/c.obj", "deep/.hidden/d.ply", "deep/.e.ply"):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        save_mesh(torus(8, 6), tmp_path / name)
    (tmp_path / "loop").symlink_to(tmp_path)
    assert [path.name for path in mesh_files([tmp_path])] == ["a.ply"]
    assert [path.name for path in mesh_files([tmp_path], recursive=True)] == ["a.ply", "b.ply", "c.obj"]
    with pytest.raises(InputError, match="--recursive looks into its folders too"):
        mesh_files([_empty(tmp_path)])


def _empty(folder: Path) -> Path:
    (folder / "empty").mkdir()
    return folder / "empty"


def test_without_an_output_the_answer_is_told_and_how_to_look_at_it(tmp_path: Path) -> None:
    save_mesh(torus(), tmp_path / "ring.ply")
    done = CliRunner().invoke(app, ["segment", str(tmp_path / "ring.ply"), "--unnamed"])
    assert done.exit_code == 0
    assert "part 1" in done.output
    assert "-o ring.html" in done.output
    assert [path.name for path in tmp_path.iterdir()] == ["ring.ply"]


@pytest.mark.parametrize("word", ["{name}", "{stem}"])
def test_a_name_in_the_output_is_the_input_s(tmp_path: Path, word: str) -> None:
    save_mesh(torus(), tmp_path / "ring.ply")
    done = CliRunner().invoke(
        app, ["segment", str(tmp_path / "ring.ply"), "--unnamed", "-o", f"{tmp_path}/x_{word}.seg"]
    )
    assert done.exit_code == 0
    assert (tmp_path / "x_ring.seg").is_file()


def test_swapped_arguments_of_evaluate_are_recognised() -> None:
    done = CliRunner().invoke(app, ["evaluate", "shapes", "mine.safetensors"])
    assert isinstance(done.exception, InputError)
    assert "give meshtide evaluate mine.safetensors shapes" in str(done.exception)


def test_long_work_says_a_line_now_and_then_in_a_pipe(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    now = [0.0]
    monkeypatch.setattr("meshtide.cli.console.time.monotonic", lambda: now[0])
    said: list[str] = []
    monkeypatch.setattr(err, "print", said.append)
    step = _lines("segmenting", 100)
    for _ in range(100):
        now[0] += 1.0
        step()
    assert said == [
        "segmenting: 30 of 100, about a minute left",
        "segmenting: 60 of 100, about a minute left",
        "segmenting: 90 of 100, about a minute left",
    ]
