"""What a package holds: the code, the cards, and nothing of the person who built it."""

from __future__ import annotations

import shutil
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
pytest.importorskip("build", reason="the package `build` makes wheels")
pytest.importorskip("hatchling", reason="hatchling is the build backend")


def test_the_wheel_of_an_sdist_has_the_cards_and_no_data(tmp_path: Path) -> None:
    tree = tmp_path / "tree"
    tree.mkdir()
    for name in ("meshtide", "datasets", "tests"):
        shutil.copytree(ROOT / name, tree / name, ignore=shutil.ignore_patterns("__pycache__"))
    for name in ("pyproject.toml", "README.md", "LICENSE", "constraints.txt"):
        shutil.copy(ROOT / name, tree / name)
    cards = sorted(path.name for path in (tree / "datasets").rglob("*.toml"))
    for stray in ("datasets/mine.toml", "datasets/faust/tr_reg_000.ply", "meshtide/scratch.h5", "meshtide/body.ply"):
        (tree / stray).parent.mkdir(exist_ok=True)
        (tree / stray).write_text("private")
    # `build` makes the sdist first and the wheel from that.
    command = [sys.executable, "-m", "build", "--no-isolation", "--outdir", str(tmp_path / "out"), str(tree)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    (wheel,) = (tmp_path / "out").glob("*.whl")
    names = zipfile.ZipFile(wheel).namelist()
    assert sorted(Path(name).name for name in names if "/cards/" in name) == cards
    assert "meshtide/py.typed" in names
    packages = {name.split("/")[0] for name in names}
    assert {name for name in packages if not name.endswith(".dist-info")} == {"meshtide"}
    assert not [name for name in names if Path(name).name in ("mine.toml", "tr_reg_000.ply", "scratch.h5", "body.ply")]
    assert {Path(name).suffix for name in names if name.startswith("meshtide/")} <= {
        ".py",
        ".toml",
        ".typed",
        ".safetensors",
        ".html",
        ".json",
        ".css",
        ".js",
    }
    assert "meshtide/models/figures.safetensors" in names
    assert "meshtide/models/programs.json" in names


def test_every_card_is_named_in_the_build() -> None:
    text = (ROOT / "pyproject.toml").read_text(encoding="utf-8")
    tracked = {"faust", "figures", "shrec07", "shrec07-ant", "shrec07-fourleg", "shrec07-human"}
    for card in tracked:
        assert (ROOT / "datasets" / f"{card}.toml").is_file()
        assert text.count(f"datasets/{card}.toml") == 2
