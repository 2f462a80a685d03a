"""Collections packed into tar files: the same shapes come out, half written ones are told, and nothing is trusted."""

from __future__ import annotations

import json
import tarfile
import tracemalloc
import zlib
from pathlib import Path
from random import Random
from typing import Any

import numpy as np
import pytest
import safetensors.numpy
from fuzzing.mutations import mutated
from labelled_folders import write_figures

from meshtide.data.collection import Collection, open_collection
from meshtide.data.loading import Loading
from meshtide.data.shards.layout import is_shards
from meshtide.data.shards.writing import tar_tasks, write_shards
from meshtide.errors import InputError
from meshtide.many.engine import Engine
from meshtide.many.shard import Shard
from meshtide.spectral.cache import Cache
from meshtide.spectral.recipe import GraphRecipe

RECIPE = GraphRecipe(k=12, features=("log-hks", "curvature"))
SHAPES = 7


@pytest.fixture(scope="module")
def source(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_figures(tmp_path_factory.mktemp("source") / "shapes", SHAPES)


def pack(source: Path, folder: Path, shard: Shard | None = None, **how: Any) -> list[tuple[str, int]]:
    collection = open_collection(source)
    tasks = tar_tasks(collection, folder, shard, per_tar=3)
    return list(write_shards(collection, tasks, RECIPE, source.parent / "cache", **how))


@pytest.fixture
def packed(source: Path, tmp_path: Path) -> Path:
    pack(source, tmp_path / "packed")
    return tmp_path / "packed"


def same(one: Collection, other: Collection, close: float = 0.0) -> None:
    assert [shape.name for shape in one.shapes] == [shape.name for shape in other.shapes]
    loadings = [Loading(each, RECIPE, Cache(), ("gradients",)) for each in (one, other)]
    for mine, theirs in zip(one.shapes, other.shapes, strict=True):
        here, there = loadings[0](mine), loadings[1](theirs)
        np.testing.assert_array_equal(here.targets, there.targets)
        np.testing.assert_array_equal(here.mesh.vertices, there.mesh.vertices)
        np.testing.assert_array_equal(here.mesh.faces, there.mesh.faces)
        np.testing.assert_array_equal(here.labels.values, there.labels.values)
        assert (here.labels.on, here.labels.names) == (there.labels.on, there.labels.names)
        for name in ("values", "vectors", "mass", "features", "edges", "faces"):
            mine_, theirs_ = getattr(here.prepared.preparation, name), getattr(there.prepared.preparation, name)
            assert mine_.dtype == theirs_.dtype
            np.testing.assert_allclose(theirs_, mine_, rtol=close, atol=close if name == "vectors" else 0)
        if not close:
            np.testing.assert_array_equal(here.prepared.gradients, there.prepared.gradients)


def test_what_was_packed_comes_out_again(source: Path, packed: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert is_shards(packed)
    assert not is_shards(source)
    monkeypatch.setenv("MESHTIDE_CACHE", str(source.parent / "cache"))
    same(open_collection(source), open_collection(packed))
    assert open_collection(packed).parts == open_collection(source).parts


def test_half_precision_is_half_precision(source: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MESHTIDE_CACHE", str(source.parent / "cache"))
    pack(source, tmp_path / "half", half=True)
    same(open_collection(source), open_collection(tmp_path / "half"), close=1e-3)
    with pytest.raises(AssertionError):
        same(open_collection(source), open_collection(tmp_path / "half"))


def test_the_tars_are_tars_that_others_read(packed: Path) -> None:
    """As WebDataset does: files in the order of the tar, a key up to the dot."""
    names = []
    for path in sorted(packed.glob("*.tar")):
        with tarfile.open(path) as tar:
            for member in tar:
                file = tar.extractfile(member)
                assert file is not None
                names.append(member.name)
                assert safetensors.numpy.load(file.read())["vectors"].shape[1] == 12
    assert names == [f"{number:06}.safetensors" for tar in (3, 3, 1) for number in range(tar)]


def test_splits_and_vocabularies_are_those_of_the_card(tmp_path: Path) -> None:
    card = open_collection("figures:hand")
    few = card.split("test")[:1] + card.split("train")[:2]
    collection = Collection(
        card.name, few, card.vocabulary, card.vocabularies, {"train": few[1:], "test": few[:1]}, card=card.card,
        maker=card.maker,
    )  # fmt: skip
    list(write_shards(collection, tar_tasks(collection, tmp_path), GraphRecipe(k=8), tmp_path / "cache"))
    found = open_collection(tmp_path)
    assert {name: [shape.name for shape in part] for name, part in found.splits.items()} == {
        name: [shape.name for shape in part] for name, part in collection.splits.items()
    }
    assert [shape.kind for shape in found.shapes] == [shape.kind for shape in few]
    assert found.vocabularies.keys() == card.vocabularies.keys()
    for name in card.vocabularies:
        assert open_collection(tmp_path, vocabulary=name).parts == card.vocabularies[name].names
    with pytest.raises(InputError, match="has no vocabulary 'others'"):
        open_collection(tmp_path, vocabulary="others")


def test_an_array_of_jobs_packs_what_one_does(source: Path, tmp_path: Path) -> None:
    """Each its share, beside each other, whichever is ready first; a job that is missing is named."""
    folder = tmp_path / "packed"
    for index in (2, 0):
        pack(source, folder, Shard(index, 3), engine=Engine(jobs=2))
    with pytest.raises(InputError, match="the shards of job 1/3 are missing"):
        open_collection(folder)
    pack(source, folder, Shard(1, 3))
    assert [shape.name for shape in open_collection(folder).shapes] == [f"figure{index}" for index in range(SHAPES)]
    pack(source, folder)
    with pytest.raises(InputError, match="two divisions"):
        open_collection(folder)


def test_what_is_there_is_not_written_again(source: Path, packed: Path) -> None:
    before = {path.name: path.stat().st_mtime_ns for path in packed.iterdir()}
    (packed / "shapes-00001.json").unlink()
    with pytest.raises(InputError, match="has 2 of 3 shards; run"):
        open_collection(packed)
    pack(source, packed)
    after = {path.name: path.stat().st_mtime_ns for path in packed.iterdir()}
    assert {name for name in after if after[name] != before[name]} == {"shapes-00001.json", "shapes-00001.tar"}
    pack(source, packed, half=True)
    assert all(path.stat().st_mtime_ns != before[path.name] for path in packed.iterdir())


def test_a_tar_that_cannot_be_written_leaves_nothing(source: Path, tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(InputError, match="file"):
        pack(source, tmp_path / "file")


def change(path: Path, **fields: Any) -> None:
    said = json.loads(path.read_text())
    said["shapes"][0] |= {name: value for name, value in fields.items() if name in said["shapes"][0]}
    said |= {name: value for name, value in fields.items() if name not in said["shapes"][0]}
    path.write_text(json.dumps(said))


@pytest.mark.parametrize(
    ("fields", "sentence"),
    [
        ({"offset": 10**12}, "should lie where the file has ended"),
        ({"offset": 0}, "should lie where the file has ended"),
        ({"offset": 1024}, "is not where the index says"),
        ({"size": 10}, "is not as long as the index says"),
        ({"size": -1}, "is damaged"),
        ({"size": 2**40}, "larger than any"),
        ({"size": "12"}, "is damaged"),
        ({"crc32": 1}, "fails its checksum"),
        ({"vertices": 5}, "unexpected type or size"),
        ({"on": "edges"}, "edges"),
        ({"on": "vertices"}, "unexpected type or size"),
        ({"names": ["a"]}, "is of another collection"),
        ({"names": "abc"}, "is of another collection"),
        ({"name": "figure1"}, "is in two shards"),
        ({"vocabulary": "none"}, "is damaged"),
        ({"vectors": "pickle"}, "is damaged"),
        ({"recipe": {"k": 10**9}}, "`k="),
        ({"tars": 0}, "is damaged"),
        ({"shapes": 7}, "is damaged"),
        ({"vocabularies": {"own": 1}}, "is damaged"),
    ],
)
def test_a_shard_from_a_stranger_is_data(packed: Path, fields: dict[str, Any], sentence: str) -> None:
    change(packed / "shapes-00000.json", **fields)
    with pytest.raises(InputError, match=sentence):
        load_first(packed)


def load_first(packed: Path) -> None:
    collection = open_collection(packed)
    collection.load(collection.shapes[0])


@pytest.mark.parametrize(
    "damage", [b"", b"{", b'{"meshtide shards": 2}', b"[" * 10**5, b"\xff\xfe", b'{"meshtide shards": 1}']
)
def test_an_index_that_is_none(packed: Path, damage: bytes) -> None:
    (packed / "shapes-00000.json").write_bytes(damage)
    with pytest.raises(InputError, match="shards"):
        open_collection(packed)


def forged(packed: Path, **arrays: Any) -> Collection:
    """The first shape with other arrays, whose length and checksum are right."""
    index = json.loads((packed / "shapes-00000.json").read_text())
    shape = index["shapes"][0]
    tar = packed / "shapes-00000.tar"
    data = tar.read_bytes()
    there = safetensors.numpy.load(data[shape["offset"] : shape["offset"] + shape["size"]])
    made = safetensors.numpy.save({**there, **arrays})
    assert len(made) == shape["size"]
    tar.write_bytes(data[: shape["offset"]] + made + data[shape["offset"] + shape["size"] :])
    change(packed / "shapes-00000.json", crc32=zlib.crc32(made))
    return open_collection(packed)


@pytest.mark.parametrize(
    ("name", "value", "sentence"),
    [
        ("faces", 10**6, "vertices that do not exist"),
        ("edges", 10**6, "edges between vertices that are not there"),
        ("edges", -1, "edges between vertices that are not there"),
        ("labels", 99, "figure0"),
        ("vectors", np.nan, "not finite"),
        ("features", np.inf, "not finite"),
        ("vertices", np.nan, "not finite"),
    ],
)
def test_forged_arrays_are_refused(packed: Path, name: str, value: float, sentence: str) -> None:
    collection = open_collection(packed)
    unpacked = collection.store.read(collection.shapes[0])
    before = {
        "faces": unpacked.mesh.faces.astype(np.int32), "vertices": unpacked.mesh.vertices,
        "labels": unpacked.labels.values.astype(np.int32), "edges": unpacked.preparation.edges,
        "vectors": unpacked.preparation.vectors, "features": unpacked.preparation.features,
    }[name]  # fmt: skip
    wrong = before.copy()
    wrong.flat[0] = value
    collection = forged(packed, **{name: wrong})
    with pytest.raises(InputError, match=sentence):
        collection.load(collection.shapes[0])


def test_what_claims_many_shards_takes_no_memory_for_them(packed: Path, tmp_path: Path) -> None:
    tracemalloc.start()
    try:
        change(packed / "shapes-00000.json", tars=10**9)
        with pytest.raises(InputError, match="has 3 of 1000000000 shards"):
            open_collection(packed)
        (tmp_path / "many").mkdir()
        (packed / "shapes-00000.json").rename(tmp_path / "many" / "shapes-0of999999999-00000.json")
        with pytest.raises(InputError, match="the shards of job 1/999999999 are missing"):
            open_collection(tmp_path / "many")
        assert tracemalloc.get_traced_memory()[1] < 20_000_000
    finally:
        tracemalloc.stop()


def test_damaged_shards_are_a_sentence(packed: Path) -> None:
    """An index whose values are changed, and tars whose bytes are, with lengths and checksums that fit."""
    index, tar = packed / "shapes-00000.json", packed / "shapes-00000.tar"
    whole, bytes_of_tar = index.read_bytes(), tar.read_bytes()
    verdicts = {"answered": 0, "refused": 0}
    for seed in range(600):
        random = Random(seed)
        said, data = json.loads(whole), bytearray(bytes_of_tar)
        if seed % 2:
            index.write_bytes(mutated("index.json", whole, [whole], random))
        else:
            shape = said["shapes"][0]
            for _ in range(random.choice((1, 1, 3))):
                data[shape["offset"] + random.randrange(random.choice((900, shape["size"])))] = random.randrange(256)
            shape["crc32"] = zlib.crc32(bytes(data[shape["offset"] : shape["offset"] + shape["size"]]))
            index.write_text(json.dumps(said))
        tar.write_bytes(data)
        try:
            collection = open_collection(packed)
            mesh, labels = collection.load(collection.shapes[0])
            assert np.isfinite(mesh.vertices).all()
            assert labels is not None
            verdicts["answered"] += 1
        except InputError as error:
            assert str(error).isprintable()
            assert "packed" in str(error) or "figure" in str(error), error
            verdicts["refused"] += 1
    assert min(verdicts.values()) > 30, verdicts


def test_a_tar_that_is_cut_short_or_gone_is_named(packed: Path) -> None:
    tar = packed / "shapes-00002.tar"
    data = tar.read_bytes()
    tar.write_bytes(data[: len(data) // 2])
    collection = open_collection(packed)
    with pytest.raises(InputError, match=r"shapes-00002.tar: its shape 'figure6' should lie where the file has ended"):
        collection.load(collection.shapes[-1])
    tar.unlink()
    with pytest.raises(InputError, match=r"shapes-00002.tar: is missing"):
        open_collection(packed)
