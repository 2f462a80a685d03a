"""Recipes, preparations, and preparing many files in one process or several."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import warnings
from dataclasses import fields, replace
from pathlib import Path

import numpy as np
import pytest
from shapes import box, figure, sphere, torus

from conftest import hear_interrupts
from meshtide.errors import InputError
from meshtide.mesh.files import save_mesh
from meshtide.mesh.mesh import Mesh
from meshtide.spectral.batch import Outcome, prepare_meshes
from meshtide.spectral.cache import Cache
from meshtide.spectral.preparation import from_image, prepare, to_image
from meshtide.spectral.recipe import GraphRecipe
from meshtide.spectral.signatures import hks, log_hks, wks
from meshtide.spectral.spectrum import eigenbasis

SMALL = GraphRecipe(k=8)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    meshes = tmp_path / "meshes"
    meshes.mkdir()
    for index, mesh in enumerate((sphere(1), torus(12, 6), box((1, 2, 3)), figure(0)[0], sphere(2))):
        save_mesh(mesh, meshes / f"shape{index}.off")
    return meshes


def test_recipes_are_values():
    recipe = GraphRecipe(features=["wks", "log-hks"], times=np.array([0.1, 0.2]), k=np.int64(12))
    assert recipe == GraphRecipe(features=("wks", "log-hks"), times=(0.1, 0.2), k=12)
    assert hash(recipe) == hash(GraphRecipe.from_json(recipe.to_json()))
    assert GraphRecipe.from_json(recipe.to_json()) == recipe
    assert recipe.digest() == GraphRecipe.from_json(json.dumps(json.loads(recipe.to_json()), indent=3)).digest()
    assert recipe.channels == 18
    assert GraphRecipe.from_json("{}") == GraphRecipe()
    assert len({GraphRecipe(k=k).digest() for k in range(1, 50)}) == 49


@pytest.mark.parametrize(
    ("settings", "match"),
    [
        ({"operator": "cotan"}, "'cotan' is not known; there are surface, graph"),
        ({"features": ("shot",)}, "'shot' is not known; there are hks, log-hks, wks, hks5"),
        ({"features": ()}, "one or more of"),
        ({"features": ("hks", "hks")}, "each once"),
        ({"features": 3}, "should be a list"),
        ({"k": 0}, "from 1 to"),
        ({"k": 2.5}, "from 1 to"),
        ({"k": True}, "from 1 to"),
        ({"k": "many"}, "from 1 to"),
        ({"k": 10**9}, "from 1 to"),
        ({"times": (0.2, 0.1)}, "positive and ascending"),
        ({"times": (0.1, 0.1)}, "positive and ascending"),
        ({"times": (-0.1, 0.1)}, "positive and ascending"),
        ({"times": ()}, "positive and ascending"),
        ({"times": (1.0, float("inf"))}, "positive and ascending"),
        ({"times": ("a",)}, "should be numbers"),
        ({"energies": (0.0,)}, "positive and ascending"),
        ({"energy_width": float("nan")}, "positive and ascending"),
    ],
)
def test_recipes_say_what_is_wrong(settings, match):
    with pytest.raises(InputError, match=match):
        GraphRecipe(**settings)
    with pytest.raises(InputError, match=match):
        GraphRecipe.from_json(json.dumps(settings))


@pytest.mark.parametrize(
    ("text", "match"), [("no", "JSON"), ("[1]", "object, not list"), ('{"q":1}', "has no q"), ("[" * 99999, "JSON")]
)
def test_recipe_text_that_is_none(text, match):
    with pytest.raises(InputError, match=match):
        GraphRecipe.from_json(text)


def test_preparation_is_the_basis_and_its_features():
    mesh, _ = figure(1)
    recipe = GraphRecipe(k=20, features=("hks", "wks", "log-hks"))
    preparation, basis = prepare(mesh, recipe), eigenbasis(mesh, 20)
    np.testing.assert_array_equal(preparation.values, basis.values)
    np.testing.assert_array_equal(preparation.vectors, basis.vectors.astype(np.float32))
    expected = [hks(basis, recipe.times), wks(basis, recipe.energies), log_hks(basis, recipe.times)]
    np.testing.assert_array_equal(preparation.features, np.concatenate(expected, axis=1).astype(np.float32))
    assert preparation.features.shape == (len(mesh.vertices), recipe.channels)
    np.testing.assert_array_equal(preparation.edges, mesh.edges())
    np.testing.assert_array_equal(preparation.faces, mesh.faces)
    assert preparation.components == 1


@pytest.mark.parametrize("operator", ["surface", "graph"])
def test_an_image_brings_everything_back(operator):
    mesh, recipe = torus(12, 8), GraphRecipe(operator=operator, k=500, features=("log-hks", "wks"))
    one = prepare(mesh, recipe)
    image = to_image(one, recipe)
    assert image == to_image(one, recipe)
    other = from_image(image, mesh, recipe)
    for field in fields(one):
        left, right = getattr(one, field.name), getattr(other, field.name)
        np.testing.assert_array_equal(left, right)
    assert one.vectors.shape == (96, 96)


def test_preparing_does_not_import_torch():
    modules = ("meshtide.spectral.batch", "meshtide.spectral.cache", "meshtide.spectral.preparation")
    script = f"import sys, {', '.join(modules)}; sys.exit('torch' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", script], check=False).returncode == 0


@pytest.mark.parametrize("jobs", [1, 2])
def test_every_file_has_an_outcome(folder, tmp_path, jobs):
    (folder / "broken.off").write_text("OFF\n3 1 0\n0 0 0\n")
    paths = sorted(folder.iterdir())
    cache = tmp_path / "cache"
    first = {outcome.path: outcome for outcome in prepare_meshes(paths, SMALL, cache, jobs=jobs)}
    assert set(first) == set(paths)
    broken = first.pop(folder / "broken.off")
    assert broken.status == "failed"
    assert len(broken.remarks) == 1
    assert "broken.off" in broken.remarks[0]
    assert "\n" not in broken.remarks[0]
    assert {outcome.status for outcome in first.values()} == {"computed"}
    assert all(outcome.vertices > 0 and outcome.seconds > 0 for outcome in first.values())
    second = [outcome.status for outcome in prepare_meshes(paths, SMALL, cache, jobs=jobs)]
    assert sorted(second) == ["cached"] * 5 + ["failed"]
    assert Cache(cache).info().entries == 5


def test_two_jobs_write_what_one_writes(folder, tmp_path):
    paths = sorted(folder.iterdir())
    for jobs in (1, 2):
        list(prepare_meshes(paths, GraphRecipe(), tmp_path / str(jobs), jobs=jobs))
    names = sorted(path.name for path in (tmp_path / "1").glob("*.h5"))
    assert len(names) == 5
    for name in names:
        assert (tmp_path / "1" / name).read_bytes() == (tmp_path / "2" / name).read_bytes()


@pytest.mark.parametrize("jobs", [1, 2])
def test_warnings_become_remarks(tmp_path, jobs):
    ball = sphere(0)
    vertices = np.concatenate([ball.vertices + [4 * i, 0, 0] for i in range(6)])
    save_mesh(Mesh(vertices, np.concatenate([ball.faces + 12 * i for i in range(6)])), tmp_path / "six.off")
    save_mesh(sphere(1), tmp_path / "one.off")
    paths = [tmp_path / "six.off", tmp_path / "one.off"]
    for _ in range(2):
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            outcomes = {o.path.stem: o for o in prepare_meshes(paths, SMALL, tmp_path / "cache", jobs=jobs)}
        assert any("6 connected components" in remark for remark in outcomes["six"].remarks)
        assert outcomes["one"].remarks == ()


def test_an_unwritable_cache_is_an_input_error(folder, tmp_path):
    (tmp_path / "file").touch()
    with pytest.raises(InputError, match="cannot be written"):
        next(prepare_meshes(sorted(folder.iterdir()), SMALL, tmp_path / "file"))
    with pytest.raises(InputError, match="jobs"):
        next(prepare_meshes([], SMALL, tmp_path / "cache", jobs=0))
    assert list(prepare_meshes([], SMALL, tmp_path / "cache", jobs=4)) == []


# Workers are spawned and import the main module afresh, so a script can plant a fault in them.
FAULTY = """
import os, signal, sys
from pathlib import Path
import meshtide.mesh.files
original = meshtide.mesh.files.load_ready
def load_ready(path):
    if "{victim}" in str(path):
        {fault}
    return original(path)
meshtide.mesh.files.load_ready = load_ready
if __name__ == "__main__":
    from meshtide.spectral.batch import prepare_meshes
    from meshtide.spectral.recipe import GraphRecipe
    paths = sorted(Path(sys.argv[1]).iterdir())
    for outcome in prepare_meshes(paths, GraphRecipe(k=8), Path(sys.argv[2]), jobs=2):
        sys.stdout.write(f"{{outcome.path.stem}} {{outcome.status}} {{' '.join(outcome.remarks)}}\\n")
        sys.stdout.flush()
"""


def run_faulty(tmp_path: Path, folder: Path, victim: str, fault: str) -> subprocess.Popen[str]:
    script = tmp_path / "faulty.py"
    script.write_text(FAULTY.format(victim=victim, fault=fault))
    return subprocess.Popen(
        [sys.executable, str(script), str(folder), str(tmp_path / "cache")],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
        preexec_fn=hear_interrupts if os.name == "posix" else None,
    )


@pytest.mark.skipif(os.name != "posix", reason="kills as POSIX does")
def test_a_worker_that_dies_costs_one_shape(tmp_path, folder):
    process = run_faulty(tmp_path, folder, "shape2", "os.kill(os.getpid(), signal.SIGKILL)")
    output, errors = process.communicate(timeout=240)
    assert process.returncode == 0, errors
    lines = dict(line.split(" ", 1) for line in output.splitlines())
    assert sorted(lines) == [f"shape{i}" for i in range(5)]
    failed = lines.pop("shape2")
    assert failed.startswith("failed ")
    assert "was killed; did it need more memory" in failed
    assert all(line.split()[0] in ("computed", "cached") for line in lines.values())
    assert Cache(tmp_path / "cache").info().entries == 4


def test_a_fault_of_ours_costs_one_shape(tmp_path, folder):
    process = run_faulty(tmp_path, folder, "shape1", "raise MemoryError")
    output, errors = process.communicate(timeout=240)
    assert process.returncode == 0, errors
    assert "shape1 failed" in output
    assert "not enough memory" in output
    assert output.count("computed") == 4


@pytest.mark.skipif(os.name != "posix", reason="interrupts as POSIX does")
def test_an_interrupt_ends_the_workers_too(tmp_path, folder):
    fault = "(Path(sys.argv[2]).parent / 'pid').write_text(str(os.getpid())); import time; time.sleep(600)"
    process = run_faulty(tmp_path, folder, "shape4", fault)
    assert process.stdout is not None
    for _ in range(4):
        process.stdout.readline()
    process.send_signal(signal.SIGINT)
    _, errors = process.communicate(timeout=240)
    assert process.returncode != 0
    assert errors.count("KeyboardInterrupt") == 1
    pid = tmp_path / "pid"
    if pid.exists():
        with pytest.raises(ProcessLookupError):
            os.kill(int(pid.read_text()), 0)


def test_outcomes_can_be_left_unread(folder, tmp_path):
    outcomes = prepare_meshes(sorted(folder.iterdir()), replace(SMALL, k=4), tmp_path / "cache", jobs=2)
    assert isinstance(next(outcomes), Outcome)
    outcomes.close()
