"""The command line as a person meets it: help, sentences, exit codes, and nothing half written."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from command_line import run
from shapes import sphere, torus

from meshtide import __version__
from meshtide.mesh.files import load_mesh, save_mesh
from meshtide.mesh.mesh import Mesh


def test_help_and_version_import_nothing_heavy() -> None:
    code = (
        "import sys\n"
        "from meshtide.cli import main\n"
        "sys.argv = ['meshtide', sys.argv[1]]\n"
        "try: main()\n"
        "except SystemExit as end: assert not end.code, end.code\n"
        "heavy = {'torch', 'scipy', 'trimesh', 'polyscope', 'h5py'} & set(sys.modules)\n"
        "assert not heavy, heavy\n"
    )
    for option, words in (("--help", "prepare"), ("--version", __version__)):
        done = subprocess.run([sys.executable, "-c", code, option], capture_output=True, text=True, check=False)
        assert done.returncode == 0, done.stderr
        assert words in done.stdout


def test_importing_the_package_is_cheap() -> None:
    code = "import meshtide, sys; assert not {'torch', 'scipy', 'trimesh', 'numpy'} & set(sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0


def test_demo_doctor_prepare_as_the_readme_has_them(tmp_path: Path) -> None:
    made = run("demo", "-o", "demo", cwd=tmp_path)
    assert made.returncode == 0, made.stderr
    examined = run("doctor", "demo", cwd=tmp_path)
    assert examined.returncode == 0
    assert "7 files: 6 good, 1 repairable" in examined.stdout
    assert "soup" in examined.stdout
    first = run("prepare", "demo", "--jobs", "2", "--cache", "cache", cwd=tmp_path)
    assert first.returncode == 0, first.stderr
    assert "7 shapes: 7 computed, 0 were cached already, 0 failed" in first.stdout
    assert "welded" in first.stderr
    again = run("prepare", "demo", "--cache", "cache", cwd=tmp_path)
    assert "7 shapes: 0 computed, 7 were cached already, 0 failed" in again.stdout
    info = run("cache", "info", "--cache", "cache", cwd=tmp_path)
    assert "7 entries" in info.stdout
    assert "7 good, 0 damaged" in run("cache", "verify", "--cache", "cache", cwd=tmp_path).stdout
    assert run("cache", "clear", "--cache", "cache", cwd=tmp_path).returncode == 0
    assert "0 entries" in run("cache", "info", "--cache", "cache", cwd=tmp_path).stdout


def test_cache_verify_finds_damage(tmp_path: Path) -> None:
    (tmp_path / "demo").mkdir()
    for level in (1, 2, 3):
        save_mesh(sphere(level), tmp_path / "demo" / f"{level}.ply")
    run("prepare", "demo", "--cache", "cache", cwd=tmp_path)
    entry = sorted((tmp_path / "cache").rglob("*.h5"))[0]
    data = bytearray(entry.read_bytes())
    data[len(data) // 2] ^= 1
    entry.write_bytes(data)
    verified = run("cache", "verify", "--cache", "cache", cwd=tmp_path)
    assert verified.returncode == 2
    assert "2 good, 1 damaged" in verified.stdout
    assert entry.name in verified.stdout


def test_prepare_goes_on_past_bad_shapes_and_lists_them(tmp_path: Path) -> None:
    folder = tmp_path / "shapes"
    folder.mkdir()
    save_mesh(sphere(2), folder / "a.ply")
    (folder / "b.ply").write_text("not a mesh")
    save_mesh(torus(12, 8), folder / "c.off")
    (folder / "d.obj").write_text("v 0 0 0\nv 1 0 0\n")
    done = run("prepare", folder, "--json", tmp_path / "report.json")
    assert done.returncode == 2
    assert "2 computed" in done.stdout
    for name in ("b.ply", "d.obj"):
        assert name in done.stderr
    assert "Traceback" not in done.stderr
    report = json.loads((tmp_path / "report.json").read_text())
    assert {Path(shape["path"]).name: shape["status"] for shape in report["shapes"]} == {
        "a.ply": "computed",
        "b.ply": "failed",
        "c.off": "computed",
        "d.obj": "failed",
    }


def test_doctor_fixes_one_file_and_a_folder(tmp_path: Path) -> None:
    mesh = torus(12, 8)
    torn = Mesh(mesh.vertices[mesh.faces].reshape(-1, 3), np.arange(576).reshape(-1, 3))
    folder = tmp_path / "in"
    folder.mkdir()
    save_mesh(torn, folder / "torn.ply")
    save_mesh(mesh, folder / "sound.obj")
    done = run("doctor", folder / "torn.ply", "--fix", "-o", tmp_path / "out.off", "--json", tmp_path / "r.json")
    assert done.returncode == 0, done.stderr
    assert len(load_mesh(tmp_path / "out.off").vertices) == 96
    (entry,) = json.loads((tmp_path / "r.json").read_text())["meshes"]
    assert entry["verdict"] == "repairable"
    assert {finding["kind"] for finding in entry["findings"]} >= {"unwelded", "components"}
    done = run("doctor", folder, "--fix", "-o", tmp_path / "fixed")
    assert done.returncode == 0, done.stderr
    assert sorted(path.name for path in (tmp_path / "fixed").iterdir()) == ["sound.obj", "torn.ply"]


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["prepare", "nowhere"], "nowhere"),
        (["prepare", "faust"], "MESHTIDE_DATA"),
        (["prepare", ".", "--operator", "cotan"], "surface"),
        (["doctor", "x.ply", "--fix"], "--output"),
        (["doctor", "."], "no mesh file"),
        (["demo", "-o", "taken"], "taken"),
    ],
)
def test_wrong_input_is_one_sentence_and_exit_code_2(tmp_path: Path, words: list[str], said: str) -> None:
    (tmp_path / "taken").write_text("a file, not a folder")
    environment = {"MESHTIDE_DATA": ""}
    done = run(*words, cwd=tmp_path, **environment)
    assert done.returncode == 2
    assert said in done.stderr
    assert "Traceback" not in done.stderr
    assert len(re.findall(r"^error: ", done.stderr, re.MULTILINE)) == 1


def test_doctor_of_an_unusable_file_exits_with_2(tmp_path: Path) -> None:
    (tmp_path / "points.obj").write_text("v 0 0 0\nv 1 0 0\n")
    done = run("doctor", tmp_path / "points.obj", tmp_path / "missing.ply")
    assert done.returncode == 2
    assert "2 files: 2 unusable" in done.stdout


def test_every_messy_file_has_a_verdict(data_folder: Path) -> None:
    files = sorted((data_folder / "messy").rglob("*.*"))
    done = run("doctor", *files)
    assert "Traceback" not in done.stderr
    assert f"{len(files)} files: " in done.stdout
