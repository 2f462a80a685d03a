"""`meshtide segment` as a person meets it."""

from __future__ import annotations

import json
import os
import shutil
from pathlib import Path

import numpy as np
import pytest
import trimesh
from command_line import run
from shapes import figure, torus
from small_models import KINDS, model

from meshtide.cli import main
from meshtide.inference.model import save_model
from meshtide.mesh.files import load_mesh, save_mesh


@pytest.fixture
def place(tmp_path: Path) -> Path:
    """A folder with a model, two good meshes and a bad one."""
    save_model(model(kinds=KINDS), tmp_path / "m.safetensors")
    (tmp_path / "shapes").mkdir()
    save_mesh(figure(1)[0], tmp_path / "shapes" / "figure.ply")
    save_mesh(torus(), tmp_path / "shapes" / "ring.obj")
    (tmp_path / "shapes" / "bad.stl").write_text("no mesh")
    return tmp_path


def test_one_mesh_to_several_files(place: Path) -> None:
    done = run("segment", "shapes/figure.ply", "--model", "m.safetensors", "-o", "out.glb", "-o", "out.npz",
               "-o", "out.seg", "--split-parts", "pieces", "--json", "r.json", cwd=place)  # fmt: skip
    assert done.returncode == 0, done.stderr
    assert "wrote out.glb" in done.stdout
    mesh = load_mesh(place / "shapes" / "figure.ply")
    assert len(np.loadtxt(place / "out.seg")) == len(mesh.faces)
    labels = np.load(place / "out.npz")["labels"]
    assert len(labels) == len(mesh.vertices)
    scene = trimesh.load(place / "out.glb")
    (entry,) = json.loads((place / "r.json").read_text())["meshes"]
    present = {name for name, part in entry["parts"].items() if part["faces"]}
    assert set(scene.geometry) == {instance["name"] for instance in entry["instances"]}
    assert {instance["part"] for instance in entry["instances"]} == present
    words = {instance["name"].replace(" ", "_") for instance in entry["instances"]}
    assert words == {path.stem for path in (place / "pieces").iterdir()}
    assert entry["kind"] in KINDS
    assert str(entry["kind"]) in done.stdout


def test_a_folder_goes_on_past_a_bad_mesh(place: Path) -> None:
    done = run("segment", "shapes", "--model", "m.safetensors", "-o", "parts", "-o", "{name}_parts.json", cwd=place)
    assert done.returncode == 2
    assert "Traceback" not in done.stderr
    assert "2 of 3 meshes segmented" in done.stdout
    assert "bad.stl" in done.stdout
    assert sorted(path.name for path in (place / "parts").iterdir()) == ["figure.ply", "ring.ply"]
    assert {"figure_parts.json", "ring_parts.json"} <= {path.name for path in place.iterdir()}


def test_what_is_refused_before_anything_is_done(
    place: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(place)
    before = sorted(path.name for path in place.iterdir())
    use = ("--model", "m.safetensors")
    for words, sentence in (
        (("shapes", *use, "-o", "one.ply"), "several meshes"),
        (("shapes/ring.obj", *use, "-o", "out.docx"), "cannot write '.docx'"),
        (("shapes/ring.obj", *use, "-o", "shapes/ring.obj"), "is one of the meshes to read"),
        (("shapes/ring.obj", *use, "-o", "a.ply", "-o", "./a.ply"), "written twice"),
        (("m.safetensors", "shapes/ring.obj", "-o", "a.ply"), "is a model and no mesh; give it as --model"),
        (("shapes/ring.obj", "parts.glb"), "if the parts should go there, give it as -o parts.glb"),
        (("shapes/ring.obj", "--cap", "-o", "a.ply"), "--cap is about the pieces of --split-parts"),
        ((*use, "-o", "a.ply"), "which meshes?"),
        (("gone.ply", *use, "-o", "a.ply"), "no such file"),
        (("shapes/ring.obj", *use, "-o", "a.ply", "--kind", "plant"), "does not know the kind 'plant'"),
        (("shapes/ring.obj", "--model", "gone.safetensors", "-o", "a.ply"), "no such file"),
    ):
        monkeypatch.setattr("sys.argv", ["meshtide", "segment", *words])
        with pytest.raises(SystemExit) as end:  # in this process: a new one for each would take a minute
            main()
        assert end.value.code == 2, words
        said = capsys.readouterr().err
        assert sentence in " ".join(said.split()), (words, said)
        assert "Traceback" not in said
    assert sorted(path.name for path in place.iterdir()) == before


def test_kinds_of_a_model(place: Path) -> None:
    done = run("segment", "--model", "m.safetensors", "--kinds", cwd=place)
    assert done.returncode == 0, done.stderr
    assert "person: head, torso, arm, leg" in done.stdout


@pytest.mark.skipif(os.geteuid() == 0 or shutil.which("chmod") is None, reason="root may write anywhere")
def test_an_output_that_cannot_be_written_leaves_the_old_one(place: Path) -> None:
    (place / "locked").mkdir()
    (place / "locked" / "figure.ply").write_text("old")
    (place / "locked").chmod(0o500)
    done = run("segment", "shapes/figure.ply", "--model", "m.safetensors", "-o", "locked/figure.ply", cwd=place)
    assert done.returncode == 2
    assert (place / "locked" / "figure.ply").read_text() == "old"
