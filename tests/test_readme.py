"""What the README shows is what happens."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest

README = Path(__file__).parents[1] / "README.md"


@pytest.fixture(scope="module")
def text() -> str:
    return README.read_text(encoding="utf-8")


def test_the_program_runs_as_it_stands(text: str, tmp_path: Path) -> None:
    (program,) = re.findall(r"```python\n(.*?)```", text, re.DOTALL)
    checks = "\nassert len(result.labels.values) == len(mt.load_mesh('demo/quadruped.ply').vertices)"
    checks += "\nassert graph.vectors.shape[1] == 128 and open('quadruped.glb', 'rb').read(4) == b'glTF'"
    made = subprocess.run([sys.executable, "-m", "meshtide", "demo", "-o", "demo"], cwd=tmp_path, check=False)
    assert made.returncode == 0
    done = subprocess.run(
        [sys.executable, "-c", program + checks], cwd=tmp_path, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr


def test_every_file_it_names_is_there(text: str) -> None:
    named = set(re.findall(r"`((?:tests|datasets|viewers)/[\w/.-]+\.\w+)`", text))
    assert len(named) > 10
    missing = [name for name in sorted(named) if not (README.parent / name).exists()]
    assert not missing


def test_every_install_command_uses_the_constraints(text: str) -> None:
    installs = re.findall(r"pip install[^&\n`]*", text)
    assert installs
    assert all("-c constraints.txt" in command for command in installs)
