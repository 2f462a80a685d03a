"""Generated figures as a collection like any other: made when asked for, kept, and split by generator variant."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from meshtide.data.collection import open_collection
from meshtide.data.figures import KINDS, PARTS, make_figure, parts_of
from meshtide.data.figures.creatures.wide import WIDE_KINDS, make_wide_figure
from meshtide.data.generated import FIRST_HELD_OUT, FIRST_WIDE, FIRST_WIDE_HELD_OUT, figures_folder, make_many


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("MESHTIDE_CACHE", str(tmp_path))
    return tmp_path


def test_a_figure_is_made_when_it_is_asked_for_and_kept(folder: Path) -> None:
    collection = open_collection("figures:ant")
    assert not any(folder.iterdir())
    shape = collection.shapes[0]
    assert len(collection.missing(collection.shapes)) == len(collection.shapes)
    mesh, labels = collection.load(shape)
    own, own_labels = make_figure("ant", 1, "blended")
    np.testing.assert_allclose(mesh.vertices, own.vertices, rtol=1e-6, atol=1e-6)
    assert labels is not None
    assert labels.names == collection.parts == parts_of("ant")
    np.testing.assert_array_equal(labels.values, own_labels.values)
    written = shape.mesh_path.stat().st_mtime_ns
    collection.load(shape)
    assert shape.mesh_path.stat().st_mtime_ns == written
    assert shape not in collection.missing(collection.shapes)


def test_what_is_trained_on_and_what_is_not_come_from_two_generators() -> None:
    collection = open_collection("figures")
    assert set(collection.parts) == set(PARTS)
    assert {shape.kind for shape in collection.shapes} == set(KINDS)
    numbers = {name: [int(shape.name[-4:]) for shape in shapes] for name, shapes in collection.splits.items()}
    assert not any(map(_held_out, numbers["train"]))
    assert all(map(_held_out, numbers["validation"] + numbers["test"]))
    assert sum(map(len, numbers.values())) == len(collection.shapes)
    held_out = next(shape for shape in collection.split("validation") if shape.kind == "hand")
    mesh, _ = collection.load(held_out)
    np.testing.assert_allclose(
        mesh.vertices, make_figure("hand", int(held_out.name[-4:]), "held-out")[0].vertices, rtol=1e-6, atol=1e-6
    )


def _held_out(number: int) -> bool:
    return number >= FIRST_WIDE_HELD_OUT or FIRST_HELD_OUT <= number < FIRST_WIDE


@pytest.mark.parametrize(("split", "variant"), [("train", "blended"), ("test", "held-out")])
def test_wide_figures_stand_beside_the_others(split: str, variant: str) -> None:
    shapes = [shape for shape in open_collection("figures").split(split) if int(shape.name[-4:]) >= FIRST_WIDE]
    assert {shape.kind for shape in shapes} == set(WIDE_KINDS)
    hand = next(shape for shape in shapes if shape.kind == "hand")
    mesh, _ = open_collection("figures:hand").load(hand)
    own, _ = make_wide_figure("hand", int(hand.name[-4:]), variant)
    np.testing.assert_allclose(mesh.vertices, own.vertices, rtol=1e-6, atol=1e-6)


def test_several_processes_make_the_same_files(folder: Path) -> None:
    paths = [figures_folder() / "octopus" / f"octopus-{number:04d}.ply" for number in (1, 2, 3)]
    assert list(make_many(paths, jobs=2)) == paths
    data = [path.read_bytes() + path.with_suffix(".txt").read_bytes() for path in paths]
    for path in paths:
        path.unlink()
    assert list(make_many(paths)) == paths
    assert [path.read_bytes() + path.with_suffix(".txt").read_bytes() for path in paths] == data


def test_people_and_animals_share_a_vocabulary() -> None:
    people, animals = (open_collection(f"figures:{kind}", vocabulary="limbs") for kind in ("humanoid", "quadruped"))
    assert people.parts == animals.parts == ("head", "torso", "limb")
    for collection in (people, animals):
        _, labels = collection.load(collection.shapes[0])
        assert labels is not None
        assert set(labels.values.tolist()) >= {0, 1, 2}
    assert people.vocabularies["own"].names == parts_of("humanoid")
