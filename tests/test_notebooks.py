"""The notebooks of docs/notebooks run from top to bottom."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import pytest

NOTEBOOKS = sorted((Path(__file__).parents[1] / "docs" / "notebooks").glob("*.ipynb"))
nbformat = pytest.importorskip("nbformat", reason="nbformat reads notebooks")
nbclient = pytest.importorskip("nbclient", reason="nbclient runs notebooks")
pytest.importorskip("ipykernel", reason="ipykernel is what a notebook runs in")


def spec(folder: Path) -> None:
    """A kernel that is this Python, whatever else is installed."""
    import json

    place = folder / "kernels" / "python3"
    place.mkdir(parents=True)
    command = [sys.executable, "-m", "ipykernel_launcher", "-f", "{connection_file}"]
    (place / "kernel.json").write_text(json.dumps({"argv": command, "display_name": "Python", "language": "python"}))


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_a_notebook_runs(path: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    spec(tmp_path / "jupyter")
    monkeypatch.setenv("JUPYTER_PATH", str(tmp_path / "jupyter"))
    monkeypatch.setenv("MPLBACKEND", "module://matplotlib_inline.backend_inline")
    notebook: Any = nbformat.read(path, as_version=4)
    assert not any(cell.get("outputs") for cell in notebook.cells), "commit it without outputs"
    nbclient.NotebookClient(notebook, timeout=300, resources={"metadata": {"path": tmp_path}}).execute()
    outputs = [output for cell in notebook.cells for output in cell.get("outputs", [])]
    assert outputs
    if path.stem == "segment":
        assert any("<iframe" in output.get("data", {}).get("text/html", "") for output in outputs)
