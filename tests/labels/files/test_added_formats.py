"""A package from elsewhere adds a label format, as installing it would."""

from __future__ import annotations

import sys
from pathlib import Path

import numpy as np
import pytest
from shapes import box

from meshtide.data.collection import open_collection
from meshtide.errors import InputError
from meshtide.labels.files import label_suffixes, read_labels
from meshtide.mesh.files import save_mesh

MODULE = """
import numpy as np
from meshtide.labels.files import PerElement

def commas(path, sizes):
    return np.array(path.read_text().split(","), dtype=int)

def named(path, sizes):
    assert sizes is None or sizes.faces == 12
    return PerElement(path, np.array(path.read_text().split(","), dtype=int), ("low", "high"), "faces", 0)

def table(path, sizes):
    return np.zeros((12, 3), dtype=int)
"""
ENTRIES = """[meshtide.label_formats]
Commas = comma_labels:commas
named = comma_labels:named
table = comma_labels:table
gone = comma_labels:missing
npy = comma_labels:commas
off = comma_labels:commas
"""
TEXT = "0,0,0,0,0,0,1,1,1,1,1,1"
BOX = box()


def install(folder: Path, package: str, entries: str) -> None:
    """What pip leaves behind: a folder of metadata beside the module."""
    about = folder / f"{package}-1.0.dist-info"
    about.mkdir(parents=True)
    (about / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {package}\nVersion: 1.0\n")
    (about / "entry_points.txt").write_text(entries)


@pytest.fixture(autouse=True)
def site(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    place = tmp_path / "site"
    install(place, "comma-labels", ENTRIES)
    (place / "comma_labels.py").write_text(MODULE)
    monkeypatch.syspath_prepend(str(place))
    monkeypatch.delitem(sys.modules, "comma_labels", raising=False)
    return place


def put(folder: Path, name: str, text: str = TEXT) -> Path:
    (folder / name).write_text(text)
    return folder / name


def test_numbers_and_contents_become_labels(tmp_path: Path) -> None:
    labels = read_labels(put(tmp_path, "x.commas"), BOX)
    assert (labels.on, labels.names) == ("faces", ("part 0", "part 1"))
    assert labels.values.tolist() == [0] * 6 + [1] * 6
    assert read_labels(put(tmp_path, "x.NAMED"), BOX).names == ("low", "high")


def test_a_folder_finds_them_beside_its_meshes(tmp_path: Path) -> None:
    folder = tmp_path / "shapes"
    folder.mkdir()
    save_mesh(BOX, folder / "a.off")
    put(folder, "a.commas")
    collection = open_collection(folder)
    assert collection.load(collection.shapes[0])[1].counts() == {"part 0": 6, "part 1": 6}


def test_own_formats_and_meshes_stay_what_they_are(tmp_path: Path) -> None:
    assert label_suffixes()[-4:] == (".commas", ".gone", ".named", ".table")
    np.save(tmp_path / "x.npy", np.arange(12))
    assert read_labels(tmp_path / "x.npy", BOX).values.tolist() == list(range(12))


@pytest.mark.parametrize(
    ("name", "text", "says"),
    [
        ("x.commas", "one,two", "package 'comma-labels' could not read it .*'one'"),
        ("x.commas", "0," * 11 + "-7", "part number -7"),
        ("x.table", TEXT, r"returned int64 \(12, 3\); wanted one number an element"),
        ("x.gone", TEXT, "package 'comma-labels' could not read it .*missing"),
        ("x.other", TEXT, "'.other' is not a label format that can be read; use one of .*, .commas, "),
    ],
)
def test_what_goes_wrong_is_a_sentence_about_the_file(tmp_path: Path, name: str, text: str, says: str) -> None:
    path = put(tmp_path, name, text)
    with pytest.raises(InputError, match=says) as refused:
        read_labels(path, BOX)
    assert str(refused.value).startswith(f"{path}: ")


def test_missing_files_and_rivals(tmp_path: Path, site: Path) -> None:
    with pytest.raises(InputError, match="no such file"):
        read_labels(tmp_path / "missing.commas", BOX)
    install(site, "rival", "[meshtide.label_formats]\ncommas = rival:read\n")
    with pytest.raises(InputError, match=r"'comma-labels', 'rival'; keep one|'rival', 'comma-labels'; keep one"):
        read_labels(put(tmp_path, "x.commas"), BOX)
