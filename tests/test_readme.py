"""What the README and the pages of docs/ show is what happens."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
README = ROOT / "README.md"
PAGES = sorted((ROOT / "docs").rglob("*.md"))
MOST_WORDS = 900


@pytest.fixture(scope="module")
def text() -> str:
    return README.read_text(encoding="utf-8")


def test_the_program_runs_as_it_stands(text: str, tmp_path: Path) -> None:
    (program,) = re.findall(r"```python\n(.*?)```", text, re.DOTALL)
    checks = "\nassert len(result.labels.values) == len(mt.load_mesh('demo/quadruped.ply').vertices)"
    checks += "\nassert open('quadruped.glb', 'rb').read(4) == b'glTF'"
    made = subprocess.run([sys.executable, "-m", "meshtide", "demo", "-o", "demo"], cwd=tmp_path, check=False)
    assert made.returncode == 0
    done = subprocess.run(
        [sys.executable, "-c", program + checks], cwd=tmp_path, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    assert [line.split(" ")[:2] for line in done.stdout.splitlines()] == [["leg", str(n)] for n in (1, 2, 3, 4)]


def test_it_is_one_that_people_finish(text: str) -> None:
    assert len(text.split()) < MOST_WORDS


@pytest.mark.parametrize("page", [README, *PAGES], ids=lambda page: page.name)
def test_every_file_that_is_named_is_there(page: Path) -> None:
    text = page.read_text(encoding="utf-8")
    named = set(re.findall(r"`((?:tests|datasets|viewers|docs)/[\w/.-]+\.\w+)`", text))
    missing = [name for name in sorted(named) if not (ROOT / name).exists()]
    links = re.findall(r"\]\((?!https?:|#)([^)#]+)[^)]*\)", text)
    missing += [link for link in links if not (page.parent / link).exists()]
    assert not missing


@pytest.mark.parametrize("page", [README, *PAGES], ids=lambda page: page.name)
def test_every_install_command_uses_the_constraints(page: Path) -> None:
    installs = re.findall(r"pip install[^&\n`]*", page.read_text(encoding="utf-8"))
    assert all("-c constraints.txt" in command for command in installs)
    assert installs or page != README
