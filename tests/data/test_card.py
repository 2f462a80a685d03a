"""Dataset cards: the ones that come with meshtide are whole, and a wrong one is refused in a sentence."""

from __future__ import annotations

import itertools
import os
from pathlib import Path

import pytest

from meshtide.data.card import Card, Numbers, known_cards, load_card, parse_card
from meshtide.errors import InputError

BODY = """
name = "mine"
vocabulary = "two"
[meshes]
folder = "shapes"
pattern = "*.obj"
numbers = "1-9"
[labels]
beside = "{stem}.txt"
on = "faces"
parts = ["head", "neck", "tail"]
[vocabularies]
three = ["head", "neck", "tail"]
[vocabularies.two]
head = ["head", "neck"]
unscored = ["tail"]
[splits]
train = "1-4, 6"
test = "7-9"
"""


def parsed(old: str = "", new: str = "") -> Card:
    assert old in BODY
    return parse_card(BODY.replace(old, new, 1).encode() if old else BODY.encode(), "mine.toml")


def test_a_card_says_what_it_says() -> None:
    card = parsed()
    assert (card.name, card.folder, card.pattern, card.on) == ("mine", "shapes", "*.obj", "faces")
    assert set(card.vocabularies) == {"own", "two", "three"}
    assert card.vocabularies["two"].index_of() == {"head": 0, "neck": 0, "tail": -1}
    assert isinstance(train := card.splits["train"], Numbers)
    assert [number for number in range(12) if number in train] == [1, 2, 3, 4, 6]


def test_the_cards_of_a_checkout_are_known() -> None:
    files = (Path(__file__).parents[2] / "datasets").glob("*.toml")
    assert list(known_cards()) == sorted(file.stem for file in files)
    assert "faust" in known_cards()


@pytest.mark.parametrize("name", known_cards())
def test_the_cards_that_come_with_us_are_whole(name: str) -> None:
    card = load_card(name)
    assert card.name == name
    assert card.title
    assert card.source.startswith(("https://", "meshtide"))
    assert card.licence
    assert card.obtain
    for one, other in itertools.combinations(card.splits.values(), 2):
        assert isinstance(one, Numbers)
        assert isinstance(other, Numbers)
        assert not one.overlaps(other)
    for vocabulary in card.vocabularies.values():
        assert vocabulary.known == set(card.parts)


def test_the_vocabularies_that_are_shared_are_equal() -> None:
    faust, human, fourleg = (load_card(name) for name in ("faust", "shrec07-human", "shrec07-fourleg"))
    assert faust.vocabularies["8"].names == human.vocabularies["8"].names == human.vocabularies["own"].names
    limbs = [card.vocabularies["limbs"] for card in (faust, human, fourleg)]
    assert {vocabulary.names for vocabulary in limbs} == {("head", "torso", "limb")}
    assert limbs[2].unscored == ("tail",)
    assert len(faust.vocabularies["12"].names) == 12
    assert len(faust.vocabularies["24"].names) == 24


def test_the_categories_of_shrec_are_19_of_20() -> None:
    categories = load_card("shrec07").categories
    assert len(categories) == 19
    assert {len(numbers) for numbers in categories.values()} == {20}
    assert not any(one.overlaps(other) for one, other in itertools.combinations(categories.values(), 2))
    assert 1 in categories["Human"]
    assert 361 in categories["Vase"]
    assert 400 in categories["FourLeg"]


@pytest.mark.parametrize(
    "path",
    ["../x", "a/../../x", "/etc", "~/x", "~root", "C:/x", "C:x", "\\\\host\\x", "a\\..\\x", "..", "", "a\\u0000b"],
)
@pytest.mark.parametrize("key", ["folder", "pattern", "beside", "file"])
def test_paths_that_leave_the_data_folder_are_refused(key: str, path: str) -> None:
    lines = {"folder": 'folder = "shapes"', "pattern": 'pattern = "*.obj"'}
    old = lines.get(key, 'beside = "{stem}.txt"')
    path = path if "u0000" in path else path.replace("\\", "\\\\")
    with pytest.raises(InputError, match=rf"mine.toml: .*\.{key} is .*data folder"):
        parsed(old, f'{key} = "{path}"')


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        ("[meshes]", "[meshes", "is not valid TOML"),
        ('name = "mine"', "", "'name' are missing"),
        ('name = "mine"', "name = 3", "name is a int; wanted a str"),
        ('name = "mine"', 'name = "mine"\ncolour = "red"', "unknown keys 'colour'"),
        ('pattern = "*.obj"', "", "'meshes.pattern' are missing"),
        ('pattern = "*.obj"', 'pattern = "a/*.obj"', "without folders"),
        ('numbers = "1-9"', 'numbers = "nine"', 'wanted numbers like "381-390, 395"'),
        ('numbers = "1-9"', 'numbers = "9-1"', "wanted numbers"),
        ('numbers = "1-9"', 'numbers = "0-99999999999"', "wanted numbers"),
        ('numbers = "1-9"', "count = true", "meshes.count is a bool"),
        ('on = "faces"', 'on = "edges"', "'vertices' or on 'faces'"),
        ('on = "faces"', 'file = "x.txt"', "both given"),
        ('"{stem}.txt"', '"labels.txt"', "the name of the mesh"),
        ('folder = "shapes"', 'folder = "{category}"', "table of categories"),
        ('head = ["head", "neck"]', 'head = ["head"]', "vocabularies.two forgets 'neck'"),
        ('head = ["head", "neck"]', 'head = ["head", "neck", "wing"]', "vocabularies.two names 'wing'"),
        ('head = ["head", "neck"]', 'head = ["head", "neck", "tail"]', "stands in two parts"),
        ('head = ["head", "neck"]', "head = 3", "vocabularies.two.head is 3"),
        ('three = ["head", "neck", "tail"]', "three = 3", "vocabularies.three is 3"),
        ('vocabulary = "two"', 'vocabulary = "four"', "vocabulary is 'four'"),
        ('test = "7-9"', 'test = "6-9"', "splits.train and splits.test"),
        ('test = "7-9"', 'all = "7-9"', "splits.all"),
        ('test = "7-9"', "test = 7", "splits.test is 7"),
        ('"head", "neck", "tail"]', '"head", "head"]', "occur twice"),
        ('numbers = "1-9"', f"count = {'9' * 5000}", "is not valid TOML"),
        ('folder = "shapes"', f'folder = "{"a" * 5000}"', "longer than any file's name"),
        ('folder = "shapes"', f'folder = "{"a/" * 2000}"', "longer than any file's name"),
        ('numbers = "1-9"', "a." * 5000 + "b = 1", "more than 200 dots"),
        ('numbers = "1-9"', "x = {" + "a." * 5000 + "b = 1}", "more than 200 dots"),
    ],
)
def test_malformed_cards_are_refused(old: str, new: str, said: str) -> None:
    with pytest.raises(InputError) as refused:
        parsed(old, new)
    assert str(refused.value).startswith("mine.toml: ")
    assert said in str(refused.value)


def test_the_example_in_the_readme_is_a_card() -> None:
    readme = Path(__file__).parents[2] / "datasets" / "README.md"
    example = readme.read_text(encoding="utf-8").split("```toml\n")[1].split("```")[0]
    assert parse_card(example.encode(), "README.md").vocabularies["simple"].names == ("seat", "legs")


def test_bytes_that_are_no_text_and_names_that_are_no_card(tmp_path: Path) -> None:
    for data in (b"\xff\xfe", b"a = " + b"[" * 5000, b""):
        with pytest.raises(InputError, match=r"^mine.toml: "):
            parse_card(data, "mine.toml")
    with pytest.raises(InputError, match="known: faust"):
        load_card("fuast")
    with pytest.raises(InputError, match="no such file"):
        load_card(tmp_path / "none.toml")
    os.mkfifo(tmp_path / "pipe.toml")
    with pytest.raises(InputError, match="a device or a pipe"):
        load_card(tmp_path / "pipe.toml")
    (tmp_path / "big.toml").write_bytes(b"#" * 1_000_001)
    with pytest.raises(InputError, match="bytes"):
        load_card(tmp_path / "big.toml")
