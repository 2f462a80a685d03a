"""The cache: keys, damage of every kind, hostile files, crowds, and folders that cannot be written."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tempfile
import warnings
from collections.abc import Iterator
from dataclasses import fields, replace
from pathlib import Path

import filelock
import h5py
import numpy as np
import pytest
from cache_entries import MESH, RECIPE, assert_rebuilt, assert_same, good_bytes, put
from shapes import box, figure

import meshtide.spectral.cache
from meshtide.errors import InputError
from meshtide.mesh.mesh import Mesh
from meshtide.spectral.cache import Cache, cache_key
from meshtide.spectral.preparation import SEAL_BYTES, Preparation, prepare
from meshtide.spectral.recipe import GraphRecipe
from meshtide.spectral.spectrum import SpectrumWarning


@pytest.fixture
def computed(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The names of the meshes that were computed rather than read."""
    names: list[str] = []

    def counting(mesh: Mesh, recipe: GraphRecipe) -> Preparation:
        names.append(mesh.name)
        return prepare(mesh, recipe)

    monkeypatch.setattr(meshtide.spectral.cache, "prepare", counting)
    return names


def test_a_hit_is_the_computation_bit_for_bit(tmp_path, computed):
    cache = Cache(tmp_path / "new" / "folder")
    for operator in ("surface", "graph"):
        recipe = replace(RECIPE, operator=operator)
        first, second = cache.fetch(MESH, recipe), cache.fetch(MESH.renamed("another name"), recipe)
        assert (first.hit, second.hit) == (False, True)
        assert_same(first.preparation, second.preparation)
        assert_same(first.preparation, prepare(MESH, recipe))
        assert first.remarks == second.remarks == ()
    assert len(computed) == 2


def test_every_setting_and_the_geometry_make_another_key():
    other = {
        "operator": "graph",
        "k": 9,
        "features": ("wks", "log-hks"),
        "times": (0.1, 0.2),
        "energies": (1.0, 2.0),
        "energy_width": 0.5,
    }
    assert set(other) == {field.name for field in fields(GraphRecipe)}
    keys = {cache_key(MESH, replace(RECIPE, **{name: value})) for name, value in other.items()}
    moved = MESH.vertices.copy()
    moved[3, 1] = np.nextafter(moved[3, 1], 2)
    meshes = [
        Mesh(moved, MESH.faces),
        Mesh(MESH.vertices, MESH.faces[::-1]),
        Mesh(MESH.vertices, MESH.faces[:-1]),
        Mesh(np.concatenate([MESH.vertices, [[0, 0, 0]]]), MESH.faces),
    ]
    keys |= {cache_key(mesh, RECIPE) for mesh in meshes} | {cache_key(MESH, RECIPE)}
    assert len(keys) == len(other) + len(meshes) + 1
    assert cache_key(MESH.renamed("else"), RECIPE) in keys


@pytest.mark.parametrize(("module", "name"), [("cache", "SOLVER_VERSION"), ("preparation", "PREPARATION_VERSION")])
def test_a_new_solver_makes_another_key(monkeypatch, module, name):
    before = cache_key(MESH, RECIPE)
    monkeypatch.setattr(f"meshtide.spectral.{module}.{name}", 999)
    meshtide.spectral.cache._makers.cache_clear()
    assert cache_key(MESH, RECIPE) != before
    monkeypatch.undo()
    meshtide.spectral.cache._makers.cache_clear()
    assert cache_key(MESH, RECIPE) == before


def test_a_file_cut_anywhere_is_rebuilt(tmp_path):
    cache, whole = Cache(tmp_path), good_bytes()
    lengths = [0, 1, 8, 100, 511, 512, 513, 600, *np.linspace(700, len(whole) - 1, 25).astype(int)]
    for length in lengths:
        put(cache, whole[:length])
        assert_rebuilt(cache)
    put(cache, whole + b"\0")
    assert_rebuilt(cache, "overlong")
    assert cache.info().damaged == 1


def test_a_flipped_bit_anywhere_is_found(tmp_path):
    cache, whole = Cache(tmp_path), good_bytes()
    rng = np.random.default_rng(0)
    places = [0, 30, 60, 70, 90, 300, 511, 512, 520, len(whole) - 1, *rng.integers(0, len(whole), 100)]
    for place in places:
        damaged = bytearray(whole)
        damaged[place] ^= 1 << int(rng.integers(8))
        put(cache, bytes(damaged))
        assert_rebuilt(cache)


def test_foreign_files_are_rebuilt(tmp_path):
    cache = Cache(tmp_path / "cache")
    with h5py.File(tmp_path / "foreign.h5", "w") as file:
        file["data"] = np.arange(10)
    for content in (b"hello, world\n" * 100, (tmp_path / "foreign.h5").read_bytes(), bytes(5000)):
        put(cache, content)
        assert_rebuilt(cache, "is not a file of this cache")
    put(cache, bytes(4_000_000))
    assert_rebuilt(cache, "more than any preparation of this mesh")


def test_another_keys_file_is_not_believed(tmp_path):
    cache, other = Cache(tmp_path), replace(RECIPE, k=7)
    cache.fetch(MESH, other)
    put(cache, cache.path(cache_key(MESH, other)).read_bytes())
    assert_rebuilt(cache, "is the entry of another mesh or recipe")


def test_a_folder_or_link_in_the_place_of_an_entry(tmp_path):
    cache = Cache(tmp_path)
    cache.path(cache_key(MESH, RECIPE)).mkdir(parents=True)
    assert_rebuilt(cache, "is not a regular file")
    if os.name == "posix":
        path = cache.path(cache_key(MESH, RECIPE))
        path.unlink()
        path.symlink_to("/dev/zero")
        assert cache.fetch(MESH, RECIPE).remarks
        assert cache.fetch(MESH, RECIPE).hit


def test_hdf5_tools_read_entries_past_the_seal(tmp_path):
    cache = Cache(tmp_path)
    cache.fetch(MESH, RECIPE)
    with h5py.File(cache.path(cache_key(MESH, RECIPE)), "r") as file:
        assert file.userblock_size == SEAL_BYTES
        np.testing.assert_array_equal(file["values"][...], prepare(MESH, RECIPE).values)


def test_damaged_files_are_kept_in_bounded_number(tmp_path):
    cache = Cache(tmp_path)
    for k in range(1, 15):
        recipe = replace(RECIPE, k=k)
        put(cache, b"damage", recipe=recipe)
        assert "set aside" in cache.fetch(MESH, recipe).remarks[0]
        assert cache.info().damaged == min(k, 8)


def test_info_verify_and_clear_touch_only_their_own(tmp_path):
    cache = Cache(tmp_path)
    assert cache.info().entries == 0
    cache.fetch(MESH, RECIPE)
    cache.fetch(box(), RECIPE)
    path = cache.path(cache_key(MESH, RECIPE))
    own = ["notes.txt", "mesh.h5", f"{'0' * 31}.h5", f"{'0' * 32}.h5.bak", f"{'G' * 32}.h5", f"{'0' * 32}.1.tmp"]
    for name in own:
        (tmp_path / name).write_text("mine")
    (tmp_path / f"{'1' * 32}.h5").mkdir()
    (tmp_path / f"{'2' * 32}.abcdef01.tmp").write_bytes(b"half")
    info = cache.info()
    assert (info.entries, info.damaged, info.temporary) == (2, 0, 1)
    assert info.bytes == path.stat().st_size + cache.path(cache_key(box(), RECIPE)).stat().st_size
    content = bytearray(path.read_bytes())
    content[2000] ^= 4
    path.write_bytes(content)
    verdicts = dict(cache.verify())
    assert sorted(verdicts.values()) == [f"{path.name} fails its checksum", "good"]
    assert cache.clear() == 2
    assert cache.info().entries == cache.info().temporary == 0
    assert {item.name for item in tmp_path.iterdir()} == {*own, f"{'1' * 32}.h5", "locks"}


def test_stale_temporary_files_go_but_not_those_of_a_live_process(tmp_path):
    cache = Cache(tmp_path)
    cache.fetch(MESH, RECIPE)
    key = cache_key(box(), RECIPE)
    live = "aa" if key[:2] != "aa" else "bb"
    stale = [tmp_path / f"{key}.00000000.tmp", tmp_path / f"{'c' * 32}.00000000.tmp"]
    writing = tmp_path / f"{live * 16}.00000000.tmp"
    for path in (*stale, writing):
        path.write_bytes(b"half")
    with filelock.FileLock(tmp_path / "locks" / f"{live}.lock"):
        cache.fetch(box(), RECIPE)
        assert writing.exists()
        assert not any(path.exists() for path in stale)
    cache.clear()
    assert not writing.exists()


def test_a_folder_that_cannot_be_made_costs_a_remark_only(tmp_path):
    (tmp_path / "file").write_text("no folder")
    cache = Cache(tmp_path / "file")
    fetched = cache.fetch(MESH, RECIPE)
    assert not fetched.hit
    assert_same(fetched.preparation, prepare(MESH, RECIPE))
    assert len(fetched.remarks) == 1
    assert "could not be kept there" in fetched.remarks[0]
    with pytest.raises(InputError, match=r"cannot be written .*`cache` folder or set MESHTIDE_CACHE"):
        cache.require_writable()
    assert cache.info().entries == cache.clear() == 0
    assert (tmp_path / "file").read_text() == "no folder"


@pytest.fixture
def read_only() -> Iterator[Path]:
    """A folder with one entry that this test may read but not write, also when root runs it."""
    if os.name != "posix":
        pytest.skip("permissions as POSIX has them")
    folder, user = Path(tempfile.mkdtemp()), os.geteuid()
    Cache(folder).fetch(MESH, RECIPE)
    for path, mode in ((folder / "locks", 0o555), (folder, 0o555)):
        path.chmod(mode)
    if user == 0:
        os.seteuid(65534)
    try:
        yield folder
    finally:
        os.seteuid(user)
        folder.chmod(0o755)
        shutil.rmtree(folder)


def test_a_read_only_folder_still_gives_hits(read_only):
    cache = Cache(read_only)
    assert cache.fetch(MESH, RECIPE).hit
    fetched = cache.fetch(box(), RECIPE)
    assert not fetched.hit
    assert len(fetched.remarks) == 1
    assert "could not be kept there (Permission denied)" in fetched.remarks[0]
    with pytest.raises(InputError, match="Permission denied"):
        cache.require_writable()
    assert cache.clear() == 0
    assert cache.info().entries == 1


FULL_DISK = """
import resource, signal, sys
from meshtide.spectral.cache import Cache
from meshtide.spectral.recipe import GraphRecipe
from shapes import figure
signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
resource.setrlimit(resource.RLIMIT_FSIZE, (20_000, 20_000))
fetched = Cache(sys.argv[1]).fetch(figure(1)[0], GraphRecipe(k=16))
sys.stdout.write(f"{fetched.hit} {fetched.preparation.vectors.shape} {fetched.remarks}")
"""


def run_script(script: str, *arguments: object) -> subprocess.Popen[str]:
    environment = {**os.environ, "OMP_NUM_THREADS": "1"}
    command = [sys.executable, "-c", script, *map(str, arguments)]
    return subprocess.Popen(command, env=environment, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)


@pytest.mark.skipif(os.name != "posix", reason="limits the size of files as POSIX does")
def test_a_full_disk_costs_a_remark_only(tmp_path):
    process = run_script(FULL_DISK, tmp_path)
    output, errors = process.communicate(timeout=300)
    assert process.returncode == 0, errors
    assert output.startswith("False (610, 16)")
    assert "could not be kept there" in output
    assert Cache(tmp_path).info().entries == Cache(tmp_path).info().temporary == 0


CROWD = """
import pathlib, sys, time
import meshtide.spectral.cache
from meshtide.spectral.cache import Cache
from meshtide.spectral.preparation import prepare
from meshtide.spectral.recipe import GraphRecipe
from shapes import sphere
folder, name = pathlib.Path(sys.argv[1]), sys.argv[2]
def slow(mesh, recipe):
    with (folder / "log").open("a") as log:
        log.write("computed\\n")
    time.sleep(1.0)
    return prepare(mesh, recipe)
meshtide.spectral.cache.prepare = slow
(folder / f"ready-{name}").touch()
while len(list(folder.glob("ready-*"))) < 3:
    time.sleep(0.01)
fetched = Cache(folder / "cache").fetch(sphere(2), GraphRecipe(k=8))
sys.stdout.write(f"{fetched.hit} {fetched.remarks} {fetched.preparation.vectors.tobytes().hex()[:64]}")
"""


def test_processes_that_need_the_same_mesh_compute_it_once(tmp_path):
    processes = [run_script(CROWD, tmp_path, name) for name in range(3)]
    answers = []
    for process in processes:
        output, errors = process.communicate(timeout=300)
        assert process.returncode == 0, errors
        answers.append(output.split(" "))
    assert (tmp_path / "log").read_text() == "computed\n"
    assert sorted(answer[0] for answer in answers) == ["False", "True", "True"]
    assert {answer[1] for answer in answers} == {"()"}
    assert len({answer[2] for answer in answers}) == 1


def test_locks_are_bounded(tmp_path):
    cache = Cache(tmp_path)
    for k in range(1, 12):
        cache.fetch(MESH, replace(RECIPE, k=k))
    names = {path.name for path in (tmp_path / "locks").iterdir()}
    assert names <= {f"{number:02x}.lock" for number in range(256)}


def test_a_hit_repeats_the_warning(tmp_path):
    ball, cache = box(), Cache(tmp_path)
    vertices = np.concatenate([ball.vertices + [3 * i, 0, 0] for i in range(6)])
    boxes = Mesh(vertices, np.concatenate([ball.faces + 8 * i for i in range(6)]), "boxes")
    for hit in (False, True):
        with pytest.warns(SpectrumWarning, match="boxes: its 6 connected components"):
            assert cache.fetch(boxes, RECIPE).hit is hit
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        cache.fetch(figure(0)[0], RECIPE)


def test_the_folder_comes_from_the_environment(tmp_path, monkeypatch):
    monkeypatch.setenv("MESHTIDE_CACHE", str(tmp_path / "chosen"))
    assert Cache().folder == tmp_path / "chosen"
    monkeypatch.delenv("MESHTIDE_CACHE")
    assert "meshtide" in str(Cache().folder)


def test_recipes_with_and_without_arrows_share_an_entry(tmp_path: Path) -> None:
    mesh = figure(1)[0]
    cache, plain = Cache(tmp_path), GraphRecipe(k=8, features=("log-hks", "curvature"))
    both = GraphRecipe(k=8, features=(*plain.features, "arrows"))
    assert not cache.fetch(mesh, plain).hit
    found = cache.fetch(mesh, both)
    assert found.hit
    assert len(list(tmp_path.glob("*.h5"))) <= 1
    assert np.array_equal(found.preparation.features, prepare(mesh, both).features)
    assert np.array_equal(cache.fetch(mesh, plain).preparation.features, prepare(mesh, plain).features)
    alone = GraphRecipe(k=8, features=("arrows",))
    assert cache.fetch(mesh, alone).preparation.features.shape[1] == 6
