"""Every row of the README's table "I want to ..." is run as it stands there, on shapes of the names it has."""

from __future__ import annotations

import os
import re
import shlex
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest
from typer.testing import CliRunner

import meshtide as mt
from meshtide.cli import app
from meshtide.cli.console import out

README = Path(__file__).parents[1] / "README.md"
ROWS = re.findall(r"^\| ([^|]+) \| `meshtide ([^`]+)` \|$", README.read_text(encoding="utf-8"), re.MULTILINE)
# Trainings are cut short; what they learn in a few steps is of no use.
SHORTER = {
    "train my_shapes/": "--epochs 2 --width 8 --blocks 1 --sample 100 -k 16",
    "train graph.npz": "--epochs 2",
    "compare": "--epochs 1 --seeds 1 --sample 100 -k 16",
}


# A window that draws nothing, for a few frames; in a process of its own, as polyscope can be started once in one.
VIEWED = """
import shlex, sys
from meshtide.cli import app
from meshtide.viewer.window.window import Window
def a_few_frames(window):
    window.stage.refresh()
    window.polyscope.set_user_callback(window.frame)
    for _ in range(3):
        window.polyscope.frame_tick()
Window.open = a_few_frames
app(shlex.split(sys.argv[1]))
"""


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The files that the table speaks of."""
    folder = tmp_path_factory.mktemp("wishes")
    for path, kind, number in (
        ("horse.obj", "quadruped", 9011), ("body.obj", "humanoid", 9003), ("scans/a.obj", "ant", 9001),
        ("scans/b.obj", "bird", 9001), ("scan.ply", "octopus", 9001), ("chair.obj", "quadruped", 9003),
    ):  # fmt: skip
        (folder / path).parent.mkdir(exist_ok=True)
        mt.save_mesh(mt.make_figure(kind, number, "held-out", defects=False)[0], folder / path)
    for place, numbers in (("my_shapes", (1, 2, 3)), ("other_shapes", (4,)), ("new_shapes", (5,))):
        (folder / place).mkdir()
        for number in numbers:
            mesh, truth = mt.make_figure("ant", number, defects=False)
            mt.save_mesh(mesh, folder / place / f"{number}.ply")
            mt.write_labels(truth, folder / place / f"{number}.txt", mesh)
    rng = np.random.default_rng(0)
    edges = np.concatenate([np.arange(60).reshape(-1, 1) + [0, 1], rng.integers(0, 61, (60, 2))])
    labels = np.arange(61) % 3
    np.savez(folder / "graph.npz", edges=edges, features=np.eye(3)[labels] + rng.normal(size=(61, 3)), labels=labels)
    return folder


@pytest.fixture
def there(folder: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    monkeypatch.chdir(folder)
    monkeypatch.setenv("MESHTIDE_CACHE", str(folder / "cache"))
    yield folder
    out.quiet = out.verbose = out.stderr = False


def test_the_table_is_found() -> None:
    assert len(ROWS) >= 14
    assert all(any(command.startswith(begin) for _, command in ROWS) for begin in SHORTER)


@pytest.mark.parametrize("command", [command for _, command in ROWS], ids=[wish for wish, _ in ROWS])
def test_a_row_does_what_it_says(command: str, there: Path) -> None:
    more = next((words for begin, words in SHORTER.items() if command.startswith(begin)), "")
    if "mine.safetensors" in command and not command.startswith("train"):
        _train_once(there)
    if command.startswith("view") and "--html" not in command:
        surroundings = {**os.environ, "MESHTIDE_POLYSCOPE": "mock"}
        surroundings["PYTHONPATH"] = os.pathsep.join(path for path in sys.path if path)
        shown = subprocess.run(
            [sys.executable, "-c", VIEWED, command], env=surroundings, capture_output=True, text=True, check=False
        )
        assert shown.returncode == 0, shown.stderr
        return
    done = CliRunner().invoke(app, shlex.split(f"{command} {more}"), catch_exceptions=False)
    assert done.exit_code == 0, done.output
    for target in re.findall(r"(?:-o|--html|--split-parts) (\S+)", command):
        found = list(there.glob(target.replace("{name}", "*")))
        assert found, f"{target} was not written"
        assert all(any(each.iterdir()) if each.is_dir() else each.stat().st_size for each in found)


def _train_once(there: Path) -> None:
    if not (there / "mine.safetensors").exists():
        command = next(begin for begin in SHORTER if begin.startswith("train my"))
        words = shlex.split(f"{command} -o mine.safetensors {SHORTER[command]}")
        assert CliRunner().invoke(app, words, catch_exceptions=False).exit_code == 0
