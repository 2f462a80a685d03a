"""Collections: folders and cards, their shapes, labels, splits, and the report on everything that does not fit."""

from __future__ import annotations

import json
import os
import pickle
from pathlib import Path

import numpy as np
import pytest
from shapes import FIGURE_PARTS, box, figure, sphere

from meshtide.data.collection import Collection, open_collection
from meshtide.data.finding import Problem
from meshtide.errors import InputError
from meshtide.labels.files import write_labels
from meshtide.labels.labels import Labels
from meshtide.mesh.files import save_mesh

DATA = Path(os.environ.get("MESHTIDE_DATA", "/nowhere"))
needs_faust = pytest.mark.skipif(not (DATA / "faust").is_dir(), reason="MESHTIDE_DATA has no faust")
needs_shrec = pytest.mark.skipif(not (DATA / "shrec07" / "FourLeg").is_dir(), reason="MESHTIDE_DATA has no shrec07")

BOX = box()  # 8 vertices, 12 faces

CARD = """
name = "mine"
[meshes]
folder = "shapes"
pattern = "*.off"
numbers = "1-4"
vertices = 8
[labels]
beside = "{stem}.seg"
on = "faces"
parts = ["part 0", "part 1"]
[vocabularies.joined]
all = ["part 0", "part 1"]
[splits]
train = "1-2"
test = "3-4"
"""


@pytest.fixture(autouse=True)
def _without_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("MESHTIDE_DATA", raising=False)


def put_box(folder: Path, name: str, **labels: object) -> None:
    """A box called x.off, and labels beside it: seg=[…] makes x.seg."""
    folder.mkdir(exist_ok=True, parents=True)
    save_mesh(BOX, folder / name)
    for suffix, values in labels.items():
        text = values if isinstance(values, str) else "\n".join(map(str, values))  # type: ignore[call-overload]
        (folder / name).with_suffix(f".{suffix}").write_text(text)


def sentences(collection: Collection) -> dict[str, str]:
    return {problem.path.name: problem.sentence for problem in collection.check()}


def test_a_folder_is_a_collection(tmp_path: Path) -> None:
    mesh, parts = figure(0)
    for name in ("b10.ply", "b2.OBJ", "a.stl"):
        save_mesh(mesh, tmp_path / name)
    write_labels(Labels(parts, "faces", FIGURE_PARTS), tmp_path / "b2.json", mesh)
    write_labels(Labels(parts, "faces", FIGURE_PARTS), tmp_path / "b10_labels.txt", mesh)
    write_labels(Labels(parts, "faces", FIGURE_PARTS), tmp_path / "a.npz", mesh)
    (tmp_path / ".hidden.obj").write_text("")
    (tmp_path / "README.txt").write_text("hello")
    (tmp_path / "inner").mkdir()
    collection = open_collection(tmp_path)
    assert collection.name == tmp_path.name
    assert [shape.name for shape in collection.shapes] == ["a", "b2", "b10"]
    assert collection.parts == tuple(sorted(FIGURE_PARTS))
    assert collection.check() == ()
    for shape in collection.shapes:
        loaded, labels = collection.load(shape)
        assert loaded.name == shape.name
        assert labels is not None
        assert [labels.names[value] for value in labels.values] == [FIGURE_PARTS[part] for part in parts]
    assert collection.split("all") == collection.shapes
    with pytest.raises(InputError, match="has no split 'train'; there are 'all'"):
        collection.split("train")
    with pytest.raises(InputError, match="has no vocabulary '8'; there are 'own'"):
        open_collection(tmp_path, vocabulary="8")
    shape = collection.shapes[0]
    assert pickle.loads(pickle.dumps(shape)) == shape  # noqa: S301  # our own bytes
    assert pickle.loads(pickle.dumps(collection)).parts == collection.parts  # noqa: S301


def test_a_shape_that_lacks_part_0_is_not_shifted(tmp_path: Path) -> None:
    put_box(tmp_path, "x.off", seg=[0, 1, 2] * 4)
    put_box(tmp_path, "y.off", seg=[1, 2, 10] * 4)
    collection = open_collection(tmp_path)
    assert collection.parts == ("part 0", "part 1", "part 2", "part 10")
    assert collection.notes == ("part numbers count from 0, over 2 files",)
    _, first = collection.load(collection.shapes[0])
    _, second = collection.load(collection.shapes[1])
    assert first is not None
    assert second is not None
    assert first.values.tolist() == [0, 1, 2] * 4
    assert second.values.tolist() == [1, 2, 3] * 4


def test_named_numbers_have_one_base_over_the_folder(tmp_path: Path) -> None:
    names = np.array(["a", "b", "c"])
    for name, values in (("x", [0, 1, 1, 0]), ("y", [1, 2, 2, 1])):
        put_box(tmp_path, f"{name}.off")
        np.savez(tmp_path / f"{name}.npz", labels=np.array(values * 3), names=names)
    collection = open_collection(tmp_path)
    assert collection.parts == ("a", "b", "c")
    _, labels = collection.load(collection.shapes[1])
    assert labels is not None
    assert labels.values.tolist() == [1, 2, 2, 1] * 3


def test_check_reports_everything_at_once(tmp_path: Path) -> None:
    put_box(tmp_path, "good.off", seg=[0] * 12)
    put_box(tmp_path, "short.off", seg=[0] * 5)
    put_box(tmp_path, "two.off", seg=[0] * 12, txt=[0] * 12)
    put_box(tmp_path, "bare.off")
    (tmp_path / "broken.off").write_text("OFF\nnonsense")
    (tmp_path / "orphan.seg").write_text("0\n")
    (tmp_path / "orphan_labels.txt").write_text("a\n1\n")
    seen: list[tuple[int, int]] = []
    collection = open_collection(tmp_path)
    problems = collection.check(lambda done, total: seen.append((done, total)))
    said = {problem.path.name: problem for problem in problems}
    assert set(said) == {"short.seg", "two.off", "bare.off", "broken.off", "orphan.seg", "orphan_labels.txt"}
    assert said["short.seg"].sentence.startswith("5 labels on faces for 8 vertices and 12 faces")
    assert "two.seg and two.txt" in said["two.off"].sentence
    assert not said["bare.off"].serious
    assert said["broken.off"].serious
    assert seen == [(number, 5) for number in range(1, 6)]
    assert collection.load(collection.shapes[0])[1] is None


def test_labels_inside_mesh_files_count_where_none_stand_beside(tmp_path: Path) -> None:
    lines = [f"v {x} {y} {z}" for x, y, z in BOX.vertices] + [f"f {a} {b} {c}" for a, b, c in BOX.faces + 1]
    grouped = "\n".join([*lines[:8], "g front", *lines[8:12], "g back", *lines[12:]])
    (tmp_path / "x.obj").write_text(grouped)
    (tmp_path / "y.obj").write_text("o only\n" + "\n".join(lines))
    collection = open_collection(tmp_path)
    assert collection.parts == ("back", "front")
    assert [shape.label_path is None for shape in collection.shapes] == [False, True]
    (tmp_path / "y.seg").write_text("0\n" * 12)
    assert open_collection(tmp_path).parts == ("part 0",)


def test_meshes_of_one_name_are_told_apart(tmp_path: Path) -> None:
    put_box(tmp_path, "x.off", seg=[0] * 12)
    save_mesh(BOX, tmp_path / "x.obj")
    collection = open_collection(tmp_path)
    assert [shape.name for shape in collection.shapes] == ["x.obj", "x.off"]
    assert not any(problem.serious for problem in collection.check())


def test_a_folder_without_labels_or_meshes(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="holds no mesh"):
        open_collection(tmp_path)
    put_box(tmp_path, "x.off")
    collection = open_collection(tmp_path)
    assert collection.parts == ()
    assert collection.load(collection.shapes[0])[1] is None
    assert collection.check() == ()


def test_a_card_by_path_starts_at_its_own_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for number in range(1, 5):
        put_box(tmp_path / "shapes", f"{number}.off", seg=[0, 1] * 6)
    put_box(tmp_path / "shapes", "5.off")  # not one of the card's numbers
    card = tmp_path / "mine.toml"
    card.write_text(CARD)
    collection = open_collection(card)
    assert collection.check() == ()
    assert [shape.name for shape in collection.split("train")] == ["1", "2"]
    assert [shape.name for shape in collection.split("test+train")] == ["3", "4", "1", "2"]
    assert set(collection.split("train")).isdisjoint(collection.split("test"))
    assert collection.parts == ("part 0", "part 1")
    assert open_collection(str(card), vocabulary="joined").parts == ("all",)
    with pytest.raises(InputError, match="has no split 'training'; there are 'train', 'test', 'all'"):
        collection.split("training")
    (tmp_path / "empty").mkdir()
    with pytest.raises(InputError, match="no such folder"):
        open_collection(card, data=tmp_path / "empty")
    monkeypatch.setenv("MESHTIDE_DATA", str(tmp_path / "nowhere"))
    with pytest.raises(InputError, match="the data folder is not a folder"):
        open_collection(card)


def test_what_a_card_expects_is_checked(tmp_path: Path) -> None:
    put_box(tmp_path / "shapes", "1.off", seg=[0, 1] * 6)
    put_box(tmp_path / "shapes", "2.off", seg=[0, 7] * 6)
    save_mesh(figure(0)[0], tmp_path / "shapes" / "4.off")
    (tmp_path / "mine.toml").write_text(CARD)
    said = sentences(open_collection(tmp_path / "mine.toml"))
    assert said["shapes"] == "3 of 4 meshes found; missing 3"
    assert "'part 7' are unknown to the vocabulary 'own'" in said["2.seg"]
    assert "the card says 8" in said["4.off"]


def test_splits_by_name_and_by_number_may_not_share_shapes(tmp_path: Path) -> None:
    put_box(tmp_path / "shapes", "1.off")
    card = tmp_path / "mine.toml"
    card.write_text(CARD.replace('test = "3-4"', 'test = ["1"]'))
    with pytest.raises(InputError, match="splits share the shapes '1'"):
        open_collection(card)


def test_categories(tmp_path: Path) -> None:
    for number in (361, 371, 373):
        put_box(tmp_path / "shrec07" / "Vase", f"{number}.off")
        (tmp_path / "shrec07" / "Vase" / f"{number}_labels.txt").write_text("body\n" + " ".join(map(str, range(1, 13))))
    put_box(tmp_path / "shrec07" / "Ant", "81.off")
    (tmp_path / "shrec07" / "Ant" / "81_labels.txt").write_text("leg\n" + " ".join(map(str, range(1, 13))))
    put_box(tmp_path / "shrec07" / "other", "1.off")
    every, vases = open_collection("shrec07", data=tmp_path), open_collection("shrec07:vase", data=tmp_path)
    assert every.parts == ("body", "leg")
    assert len(every.shapes) == 4
    assert (vases.name, vases.parts) == ("shrec07:Vase", ("body",))
    assert [[shape.name for shape in vases.split(name)] for name in vases.splits] == [["361"], ["371"], ["373"]]
    assert [problem.sentence[:23] for problem in vases.check()] == ["3 of 20 meshes found; m"]
    for source in ("shrec07:Vas", "faust:Vase"):
        with pytest.raises(InputError, match="has no category 'Vas"):
            open_collection(source, data=tmp_path)
    with pytest.raises(InputError, match="Cup: no such folder"):
        open_collection("shrec07:Cup", data=tmp_path)


def test_sources_that_are_nothing_say_what_there_is(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(InputError, match=r"neither a folder nor a card; known cards: faust, .*works as well"):
        open_collection("fuast")
    with pytest.raises(InputError, match=r"pass `data` or set MESHTIDE_DATA; get the files: .*faust.is.tue.mpg.de"):
        open_collection("faust")
    with pytest.raises(InputError, match="no such folder"):
        open_collection("faust", data=tmp_path)
    put_box(tmp_path / "faust", "x.off")
    monkeypatch.chdir(tmp_path)
    assert len(open_collection("./faust").shapes) == 1  # a folder that is called like a card
    assert len(open_collection(Path("faust")).shapes) == 1


def test_a_problem_does_not_repeat_its_path(tmp_path: Path) -> None:
    put_box(tmp_path, "x.off", seg="nonsense")
    (problem,) = open_collection(tmp_path).check()
    assert isinstance(problem, Problem)
    assert str(tmp_path) not in problem.sentence


@needs_faust
def test_faust() -> None:
    collection = open_collection("faust", data=DATA, vocabulary="24")
    assert len(collection.shapes) == 100
    splits = ("train", "validation", "test", "train+validation")
    assert [len(collection.split(name)) for name in splits] == [70, 10, 20, 80]
    _, labels = collection.load(collection.shapes[0])
    published = np.load(DATA / "faust" / "parts24.npz", allow_pickle=False)
    assert labels is not None
    assert labels.names == tuple(published["names"].tolist())
    assert np.array_equal(labels.values, published["labels"])
    for vocabulary, count in (("8", 8), ("12", 12), ("limbs", 3)):
        _, labels = open_collection("faust", data=DATA, vocabulary=vocabulary).load(collection.shapes[0])
        assert labels is not None
        assert labels.unlabelled == 0
        assert sum(size > 0 for size in labels.counts().values()) == count


@needs_shrec
@pytest.mark.parametrize("name", ["shrec07-fourleg", "shrec07-human"])
def test_shrec(name: str) -> None:
    for vocabulary in ("own", "limbs"):
        collection = open_collection(name, data=DATA, vocabulary=vocabulary)
        assert [len(collection.split(split)) for split in ("train", "validation", "test")] == [10, 2, 8]
        if vocabulary == "limbs":
            assert collection.check() == ()


def test_names_among_numbers_are_a_sentence_whatever_they_are_on(tmp_path: Path) -> None:
    """Each alone is fine; together they would make one part "head" and another "part 1" of the same thing."""
    put_box(tmp_path, "x.off", txt=["head"] * 6 + ["leg"] * 6)
    put_box(tmp_path, "y.off", txt=["leg"] * 12)
    assert open_collection(tmp_path).parts == ("head", "leg")
    put_box(tmp_path, "z.off", txt=[0, 1] * 4)
    with pytest.raises(InputError, match=r"1 label file has numbers, such as z\.txt.*2 have names, such as x\.txt"):
        open_collection(tmp_path)
    for name in ("x", "y"):
        (tmp_path / f"{name}.txt").unlink()
    assert open_collection(tmp_path).parts == ("part 0", "part 1")


def test_numbers_with_names_that_are_numbers_go_together(tmp_path: Path) -> None:
    put_box(tmp_path, "x.off", seg=[0, 1] * 6)
    put_box(tmp_path, "y.off")
    np.savez(tmp_path / "y.npz", labels=np.array([0, 1] * 6), names=np.array(["part 0", "part 1"]))
    assert open_collection(tmp_path).parts == ("part 0", "part 1")


def test_a_part_name_that_cannot_be_shown_is_said_with_its_file(tmp_path: Path) -> None:
    for name, part in (("a", "arm"), ("b", "arm\x1b[2J" + 9_000 * "m")):
        save_mesh(sphere(1), tmp_path / f"{name}.off")
        (tmp_path / f"{name}.json").write_text(json.dumps(["leg", part] * 40))
    collection = open_collection(tmp_path)
    assert tuple(collection.vocabulary.parts) == ("arm", "leg")
    (problem,) = collection.check()
    assert problem.path == tmp_path / "b.json"
    assert problem.sentence.startswith("the part name 'arm\\x1b[2Jmmm")
    assert len(problem.sentence) < 200
    with pytest.raises(InputError, match=r"b\.json: the part name"):
        collection.load(collection.shapes[1])
