"""The programs of docs/other-libraries.md run as they stand there."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest

PAGE = Path(__file__).parents[1] / "docs" / "other-libraries.md"
PROGRAMS = re.findall(r"```python\n(.*?)```", PAGE.read_text(encoding="utf-8"), re.DOTALL)


def run_program(program: str, folder: Path) -> str:
    done = subprocess.run([sys.executable, "-c", program], cwd=folder, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_objects_of_other_libraries(tmp_path: Path) -> None:
    pytest.importorskip("pyvista", reason="pyvista is not installed")
    import meshtide as mt

    (tmp_path / "demo").mkdir()
    mt.save_mesh(mt.make_figure("quadruped", 3, "held-out", defects=False)[0], tmp_path / "demo" / "quadruped.ply")
    assert run_program(PROGRAMS[0] + "\nprint(len(data.cell_data['label']) == len(mesh.faces))", tmp_path) == "True\n"


def test_a_network_of_torch_geometric_learns_a_collection(tmp_path: Path) -> None:
    pytest.importorskip("torch_geometric", reason="torch_geometric is not installed")
    told = run_program("import torch; torch.manual_seed(0); torch.set_num_threads(1)\n" + PROGRAMS[1], tmp_path)
    losses = [float(line.split()[-1]) for line in told.splitlines()]
    assert len(losses) == 20
    assert min(losses[-3:]) < 0.8 * losses[0]
