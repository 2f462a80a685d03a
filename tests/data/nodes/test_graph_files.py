"""Readers of graphs: what they read is what was written; damaged and hostile files get a sentence."""

from __future__ import annotations

import contextlib
import gzip
import io
import pickle
import zipfile
from collections import defaultdict
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import scipy.io
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import sparse

from meshtide.data.nodes.files import arrays, matlab, tables
from meshtide.data.nodes.files.npz import read_npz_graph, write_npz_graph
from meshtide.data.nodes.files.planetoid import read_planetoid
from meshtide.data.nodes.files.reading import is_graph, read_graph
from meshtide.data.nodes.files.unpickled import Made, unpickled
from meshtide.data.nodes.opening import is_node_source, open_node_task
from meshtide.data.nodes.task import NodeTask
from meshtide.errors import InputError

RING = np.array([[i, (i + 1) % 10] for i in range(10)])
X = (np.arange(40).reshape(10, 4) % 3).astype(np.float32)
Y = np.arange(10) % 3


def dense(task: NodeTask) -> np.ndarray:
    return task.features if isinstance(task.features, np.ndarray) else task.features.toarray()


def check(task: NodeTask, edges=RING, features=X, labels=Y) -> None:
    wanted = NodeTask("wanted", edges, features, labels)
    np.testing.assert_array_equal(task.edges, wanted.edges)
    np.testing.assert_array_equal(dense(task), wanted.features)
    np.testing.assert_array_equal(task.labels, wanted.labels)


# .npz


@given(st.integers(2, 20), st.integers(0, 10**6), st.booleans(), st.integers(0, 2))
@settings(max_examples=25, deadline=None)
def test_what_is_written_as_npz_is_read_again(tmp_path_factory, count: int, seed: int, compressed: bool, splits: int):
    random = np.random.default_rng(seed)
    values = random.random((count, 3)) * (random.random((count, 3)) < 0.5)
    parts = [np.array_split(random.permutation(count), 3) for _ in range(splits)]
    task = NodeTask(
        "g", random.integers(0, count, (2 * count, 2)), sparse.csr_array(values) if compressed else values,
        random.integers(-1, 3, count), ("a", "b", "c"), splits=parts,
    )  # fmt: skip
    path = tmp_path_factory.mktemp("npz") / "g.npz"
    write_npz_graph(task, path)
    found = read_npz_graph(path)
    check(found, task.edges, dense(task), task.labels)
    assert found.classes == task.classes
    for one, other in zip(found.splits, task.splits, strict=True):
        assert (one.train.tolist(), one.test.tolist()) == (other.train.tolist(), other.test.tolist())


def test_npz_of_other_collections(tmp_path: Path) -> None:
    np.savez(tmp_path / "pyg.npz", edge_index=RING.T, x=X, y=Y)
    check(read_graph(tmp_path / "pyg.npz"))
    adjacency, rows = sparse.csr_array((np.ones(10), (RING[:, 0], RING[:, 1])), shape=(10, 10)), sparse.csr_array(X)
    parts = {f"adj_{key}": getattr(adjacency, key) for key in ("data", "indices", "indptr", "shape")}
    parts |= {f"attr_{key}": getattr(rows, key) for key in ("data", "indices", "indptr", "shape")}
    np.savez(tmp_path / "shchur.npz", labels=Y, class_names=np.array(["a", "b", "c"], dtype=object), **parts)
    check(read_graph(tmp_path / "shchur.npz"))  # the pickled names are not touched


def npy(header: str, data: bytes = b"") -> bytes:
    text = header.ljust(117) + "\n"
    return b"\x93NUMPY\x01\x00" + len(text).to_bytes(2, "little") + text.encode() + data


@pytest.mark.parametrize(
    ("change", "sentence"),
    [
        ({"edges": None}, "has no edges; wanted an array called 'edges'"),
        ({"labels": None}, "has no labels"),
        ({"features": None}, "has no features"),
        ({"labels": np.array([object()] * 10)}, "pickled Python objects, which are never loaded"),
        ({"train_masks": np.ones((1, 10), bool)}, "masks for some of"),
        ({key: np.ones((2, 10), bool) for key in ("train_masks", "val_masks", "test_masks")}, "for two purposes"),
        ({"edges": RING * 1.5}, "wanted whole numbers"),
        ({"edges": RING + 1}, "an edge names node 10"),
    ],
)
def test_npz_that_is_no_graph(tmp_path: Path, change: dict, sentence: str) -> None:
    content = {"edges": RING, "features": X, "labels": Y} | change
    np.savez(
        tmp_path / "g.npz", allow_pickle=True, **{key: value for key, value in content.items() if value is not None}
    )
    with pytest.raises(InputError, match=sentence):
        read_graph(tmp_path / "g.npz")


@pytest.mark.parametrize(
    ("key", "value", "sentence"),
    [
        ("x_indices", np.array([0, 99]), "names a column that is not among its 4"),
        ("x_indices", np.array([0, -1]), "names a column"),
        ("x_indptr", np.array([0] * 10 + [1]), "do not begin where"),
        ("x_indptr", np.array([0, 2]), "is no sparse matrix of 10 rows"),
        ("x_indptr", np.array([0, 5, *[2] * 9]), "do not begin where"),
        ("x_shape", np.array([10.0, 4.0]), "wanted whole numbers"),
        ("x_data", np.array([[1.0, 2.0]]), "is no sparse matrix"),
    ],
)
def test_a_sparse_matrix_that_leads_outside_is_refused(tmp_path: Path, key: str, value, sentence: str) -> None:
    content = {"x_data": np.ones(2), "x_indices": np.array([0, 1]), "x_indptr": np.array([0, *[2] * 10])}
    content |= {"x_shape": np.array([10, 4]), "edges": RING, "labels": Y}
    np.savez(tmp_path / "g.npz", **content)
    read_graph(tmp_path / "g.npz")
    np.savez(tmp_path / "g.npz", **content | {key: value})
    with pytest.raises(InputError, match=sentence):
        read_graph(tmp_path / "g.npz")


def test_a_header_that_claims_much_costs_nothing(tmp_path: Path) -> None:
    for claim, sentence in (("(9999999999999,)", "more than the"), ("(1000000,)", "ends after 0 of")):
        with zipfile.ZipFile(tmp_path / "g.npz", "w") as archive:
            archive.writestr("labels.npy", npy(f"{{'descr': '<i8', 'fortran_order': False, 'shape': {claim}, }}"))
            for name, values in (("edges", RING), ("features", X)):
                stream = io.BytesIO()
                np.save(stream, values)
                archive.writestr(f"{name}.npy", stream.getvalue())
        with pytest.raises(InputError, match=sentence):
            read_graph(tmp_path / "g.npz")


def test_a_damaged_npz(tmp_path: Path) -> None:
    np.savez(tmp_path / "g.npz", edges=RING, features=X, labels=Y)
    data = (tmp_path / "g.npz").read_bytes()
    for number, damaged in enumerate(
        (data[:200], b"", b"PK\x03\x04" + data[4:60], data[:80] + b"\xff" * 40 + data[120:])
    ):
        path = tmp_path / f"bad{number}.npz"
        path.write_bytes(damaged)
        with pytest.raises(InputError, match=path.name):
            read_graph(path)


# pickles


class Evil:
    def __reduce__(self):
        return (print, ("run",))


def refused_or_a_name(data: bytes) -> None:
    """Nothing is made of it: it is refused, or stays the name of something that nobody imports."""
    try:
        found = unpickled(data)
    except InputError:
        return
    assert type(found).__name__ == "_Name"


@pytest.mark.parametrize("protocol", range(5))
def test_data_in_pickles_is_read_and_nothing_run(protocol: int, capsys: pytest.CaptureFixture[str]) -> None:
    neighbours = defaultdict(list, {0: [1, 2], 300: [0], -5: [2**40]})
    assert unpickled(pickle.dumps(neighbours, protocol)) == dict(neighbours)
    plain = [None, True, False, 1.5, -7, 2**70, "text é", (1, 2, 3, 4), (), {"a": [1]}]
    assert unpickled(pickle.dumps(plain, protocol)) == plain
    for values in (X, X.T, Y.astype(">i4"), np.eye(3, dtype=bool), np.zeros((0, 3))):
        found = unpickled(pickle.dumps(values, protocol))
        assert isinstance(found, Made)
        np.testing.assert_array_equal(found.array, values)
    matrix = unpickled(pickle.dumps(sparse.csr_matrix(X), protocol))
    np.testing.assert_array_equal(matrix.state["data"].array, sparse.csr_matrix(X).data)
    for hostile in (Evil(), [Evil()], np.array([Evil()], dtype=object), Path("x"), io.BytesIO):
        refused_or_a_name(pickle.dumps(hostile, protocol))
    assert "run" not in capsys.readouterr().out


@given(st.binary(max_size=60), st.integers(0, 400))
@settings(max_examples=200, deadline=None)
def test_damaged_pickles_get_a_sentence(noise: bytes, place: int) -> None:
    data = pickle.dumps([X, sparse.csr_matrix(X), {1: [2]}], 2)
    for damaged in (noise, data[:place] + noise + data[place:], data[:place]):
        with contextlib.suppress(InputError):
            unpickled(damaged)


# Planetoid


def planetoid(folder: Path, protocol: int = 2) -> None:
    """Six nodes with labels, and four to test on, of which number 8 stands in no file."""
    rows, hot = sparse.csr_matrix(X), np.eye(3)[Y]
    parts = {
        "x": rows[:3],
        "allx": rows[:6],
        "tx": rows[[9, 6, 7]],
        "y": hot[:3],
        "ally": hot[:6],
        "ty": hot[[9, 6, 7]],
    }
    graph = defaultdict(list)
    for a, b in RING.tolist():
        graph[a].append(b)
        graph[b].append(a)
    folder.mkdir(exist_ok=True)
    for kind, part in (parts | {"graph": graph}).items():
        (folder / f"ind.tiny.{kind}").write_bytes(pickle.dumps(part, protocol))
    (folder / "ind.tiny.test.index").write_text("9\n6\n7\n")


@pytest.mark.parametrize("protocol", [0, 2, 4])
def test_planetoid(tmp_path: Path, protocol: int) -> None:
    planetoid(tmp_path / "p", protocol)
    features, labels = X.copy(), Y.copy()
    features[8], labels[8] = 0, -1
    for path in (tmp_path / "p", tmp_path / "p" / "ind.tiny.graph"):
        assert is_node_source(path)
        task = open_node_task(path)
        check(task, RING, features, labels)
        split = task.split("own:0")
        assert (split.train.tolist(), split.validation.tolist(), split.test.tolist()) == (
            [0, 1, 2],
            [3, 4, 5],
            [6, 7, 9],
        )


@pytest.mark.parametrize(
    ("kind", "content", "sentence"),
    [
        ("graph", pickle.dumps([1, 2]), "no dictionary of neighbours"),
        ("graph", pickle.dumps({0: [99]}), "none of the 10 nodes"),
        ("graph", pickle.dumps({0: ["a"]}), "none of the 10 nodes"),
        ("x", pickle.dumps(Evil()), "never called"),
        ("x", b"", "ends too early"),
        ("allx", pickle.dumps("text"), "holds no matrix"),
        ("tx", pickle.dumps(sparse.csr_matrix(X[:2])), "are they one version"),
        ("ally", pickle.dumps([1]), "no table of classes"),
        ("test.index", b"1\nx\n", "number of a node on every line"),
        ("test.index", b"1\n2\n999999999\n", "names node 999,999,999"),
    ],
)
def test_planetoid_that_is_wrong(tmp_path: Path, kind: str, content: bytes, sentence: str) -> None:
    planetoid(tmp_path)
    (tmp_path / f"ind.tiny.{kind}").write_bytes(content)
    with pytest.raises(InputError, match=sentence):
        read_planetoid(tmp_path)
    (tmp_path / f"ind.tiny.{kind}").unlink()
    with pytest.raises(InputError, match="no such file"):
        read_planetoid(tmp_path)


def test_lists_that_are_named_again_and_again_are_counted_first(tmp_path: Path) -> None:
    planetoid(tmp_path)
    one = list(range(10)) * 100_000
    (tmp_path / "ind.tiny.graph").write_bytes(pickle.dumps(dict.fromkeys(range(1000), one)))
    with pytest.raises(InputError, match="1,000,000,000 neighbours"):
        read_planetoid(tmp_path)


# Geom-GCN


def geom_gcn(folder: Path, listed_words: bool) -> None:
    folder.mkdir(parents=True)
    lines = ["node_id\tfeature\tlabel"]
    for node in reversed(range(10)):
        words = np.flatnonzero(X[node] == 1) if listed_words else X[node].astype(int)
        lines.append(f"{node}\t{','.join(map(str, words))}\t{Y[node]}")
    (folder / "out1_node_feature_label.txt").write_text("\n".join(lines) + "\n")
    (folder / "out1_graph_edges.txt").write_text("a\tb\n" + "".join(f"{a}\t{b}\n" for a, b in RING))
    for number in range(2):
        parts = np.array_split(np.random.default_rng(number).permutation(10), 3)
        masks = {
            f"{kind}_mask": np.isin(np.arange(10), part)
            for kind, part in zip(("train", "val", "test"), parts, strict=True)
        }
        np.savez(folder / f"tiny_split_0.6_0.2_{number}.npz", **masks)


@pytest.mark.parametrize("listed_words", [False, True])
def test_geom_gcn(tmp_path: Path, listed_words: bool) -> None:
    folder = tmp_path / "tiny"
    geom_gcn(folder, listed_words)
    task = open_node_task(str(folder))
    check(task, features=(X == 1) if listed_words else X)
    assert task.split_count("own") == 2
    wanted = np.array_split(np.random.default_rng(1).permutation(10), 3)
    assert task.split("own:1").test.tolist() == sorted(wanted[2].tolist())


@pytest.mark.parametrize(
    ("name", "content", "sentence"),
    [
        ("out1_node_feature_label.txt", "node_id\tfeature\tlabel\n0\t1,0\n", "line 2 is no node"),
        ("out1_node_feature_label.txt", "node_id\tfeature\tlabel\n0\t1,x\t1\n", "line 2 is no node"),
        ("out1_node_feature_label.txt", "node_id\tfeature\tlabel\n", "names no node"),
        ("out1_node_feature_label.txt", "h\n0\t1\t1\n2\t1,2\t1\n", "otherwise than from 0 to 1"),
        ("out1_node_feature_label.txt", "h\n0\t1\t1\n1\t1,99999999999\t1\n", "names a feature"),
        ("out1_graph_edges.txt", "a\tb\n1\tx\n", "no table of numbers"),
        ("out1_graph_edges.txt", "a\tb\n1\t99\n", "an edge names node 99"),
    ],
)
def test_geom_gcn_that_is_wrong(tmp_path: Path, name: str, content: str, sentence: str) -> None:
    geom_gcn(tmp_path / "tiny", listed_words=False)
    (tmp_path / "tiny" / name).write_text(content)
    with pytest.raises(InputError, match=sentence):
        read_graph(tmp_path / "tiny")


# The Open Graph Benchmark


def ogb(folder: Path, packed: bool = True) -> None:
    def save(path: Path, values, form: str) -> None:
        path.parent.mkdir(parents=True, exist_ok=True)
        text = io.StringIO()
        np.savetxt(text, values, fmt=form, delimiter=",")
        if packed:
            path.with_name(path.name + ".gz").write_bytes(gzip.compress(text.getvalue().encode()))
        else:
            path.write_text(text.getvalue())

    save(folder / "raw" / "edge.csv", RING, "%d")
    save(folder / "raw" / "node-feat.csv", X, "%.3f")
    save(folder / "raw" / "node-label.csv", np.where(np.arange(10) == 9, np.nan, Y), "%g")
    for name, nodes in (("train", [0, 1]), ("valid", [2]), ("test", [3, 4])):
        save(folder / "split" / "time" / f"{name}.csv", nodes, "%d")


@pytest.mark.parametrize("packed", [True, False])
def test_ogb(tmp_path: Path, packed: bool) -> None:
    ogb(tmp_path / "arxiv", packed)
    task = open_node_task(tmp_path / "arxiv")
    check(task, labels=np.where(np.arange(10) == 9, -1, Y))
    split = task.split()
    assert (split.name, split.train.tolist(), split.validation.tolist(), split.test.tolist()) == (
        "own:0",
        [0, 1],
        [2],
        [3, 4],
    )


@pytest.mark.parametrize(
    ("name", "content", "sentence"),
    [
        ("raw/edge.csv", "0,1,2\n", "has 3 columns"),
        ("raw/edge.csv", "0,1.5\n", "not whole"),
        ("raw/edge.csv", "0,inf\n", "not whole"),
        ("raw/edge.csv", "0,a\n", "no table of numbers"),
        ("raw/node-feat.csv", "1,2\n1,2,3\n", "no table of numbers"),
        ("raw/node-label.csv", "0,1\n" * 10, "2 labels a node"),
        ("split/time/valid.csv", "77\n", "not among the 10"),
    ],
)
def test_ogb_that_is_wrong(tmp_path: Path, name: str, content: str, sentence: str) -> None:
    ogb(tmp_path, packed=False)
    (tmp_path / name).write_text(content)
    with pytest.raises(InputError, match=sentence):
        read_graph(tmp_path)


def test_packed_text_that_is_too_much_or_damaged(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    ogb(tmp_path)
    good = (tmp_path / "raw" / "edge.csv.gz").read_bytes()
    (tmp_path / "raw" / "edge.csv.gz").write_bytes(good[:-12])
    with pytest.raises(InputError, match="is damaged"):
        read_graph(tmp_path)
    monkeypatch.setattr(tables, "MOST_BYTES", 1000)
    (tmp_path / "raw" / "edge.csv.gz").write_bytes(gzip.compress(b"0,1\n" * 10_000))
    with pytest.raises(InputError, match="unpacks to more than 1,000 bytes"):
        read_graph(tmp_path)


# LINKX


def test_mat_with_labels_and_splits(tmp_path: Path) -> None:
    content = {"edge_index": RING.T, "node_feat": X, "label": Y[None], "note": "text is left out"}
    scipy.io.savemat(tmp_path / "genius.mat", content, do_compression=True)
    check(open_node_task(tmp_path / "genius.mat"))
    splits = [
        {"train": np.array([0, 1]), "valid": np.array([2]), "test": np.array([3, number + 4])} for number in range(5)
    ]
    np.save(tmp_path / "genius-splits.npy", np.array(splits, dtype=object), allow_pickle=True)
    task = open_node_task(tmp_path / "genius.mat")
    assert task.split_count() == 5
    assert task.split("own:2").test.tolist() == [3, 6]
    np.save(tmp_path / "genius-splits.npy", np.array([Evil()], dtype=object), allow_pickle=True)
    with pytest.raises(InputError, match="without this file splits are drawn at random"):
        open_node_task(tmp_path / "genius.mat")


def test_mat_with_years_and_sparse_features(tmp_path: Path) -> None:
    years = np.arange(1990, 2000)
    content = {"edge_index": RING.T, "node_feat": sparse.csc_matrix(X), "years": years[None], "num_nodes": 10}
    scipy.io.savemat(tmp_path / "snap_patents.mat", content)
    check(read_graph(tmp_path / "snap_patents.mat"), labels=np.repeat(np.arange(5), 2))


def test_mat_that_is_wrong(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "g.mat"
    cases = [
        ({"edge_index": RING.T, "label": Y}, "has no 'node_feat'"),
        ({"edge_index": RING.T, "node_feat": X}, "neither 'label' nor 'years'"),
        ({"edge_index": RING.T + 5, "node_feat": X, "label": Y}, "an edge names node 14"),
    ]
    for content, sentence in cases:
        scipy.io.savemat(path, content)
        with pytest.raises(InputError, match=sentence):
            read_graph(path)
    good = path.read_bytes()
    for damaged in (b"", b"text", good[:150], good[:128] + b"\xff" * 64, b"\x89HDF\r\n\x1a\n", good[:300] + good[340:]):
        path.write_bytes(damaged)
        with pytest.raises(InputError, match=r"g\.mat"):
            read_graph(path)
    scipy.io.savemat(
        path, {"edge_index": RING.T, "node_feat": np.zeros((10, 100_000)), "label": Y}, do_compression=True
    )
    assert path.stat().st_size < 100_000
    monkeypatch.setattr(matlab, "MOST_BYTES", 1_000_000)
    with pytest.raises(InputError, match="unpacks to more than 1,000,000 bytes"):
        read_graph(path)


def test_every_kind_of_number_in_a_mat(tmp_path: Path) -> None:
    kinds = ("f8", "f4", "i1", "u1", "i2", "u2", "i4", "u4", "i8", "u8")
    draw = np.random.default_rng(1)
    content: dict[str, Any] = {kind: (draw.random((3, 4)) * 9).astype(kind) for kind in kinds}
    content |= {f"s{kind}": sparse.csc_matrix(content[kind] * (content[kind] > 4)) for kind in ("f8", "i4")}
    content |= {"deep": np.arange(24.0).reshape(2, 3, 4), "none": np.zeros((0, 2)), "logical": np.eye(3) > 0}
    left_out = {"text": "word", "cell": np.array([1, "x"], dtype=object), "struct": {"a": 1}, "complex": np.array([1j])}
    for packed in (False, True):
        scipy.io.savemat(tmp_path / "x.mat", content | left_out, do_compression=packed)
        found = matlab.read_matlab((tmp_path / "x.mat").read_bytes())
        assert set(found) == set(content)
        wanted = scipy.io.loadmat(tmp_path / "x.mat")
        for name, value in found.items():
            if sparse.issparse(value):
                np.testing.assert_array_equal(value.toarray(), wanted[name].toarray())
            else:
                np.testing.assert_array_equal(value, wanted[name])
                assert value.dtype == wanted[name].dtype


def test_a_damaged_mat_is_a_sentence(tmp_path: Path) -> None:
    """Readers in C have ended the whole process at such files."""
    content = {"edge_index": RING.T, "node_feat": sparse.csc_matrix(X), "label": Y}
    answered = 0
    for packed in (False, True):
        scipy.io.savemat(tmp_path / "x.mat", content, do_compression=packed)
        good = (tmp_path / "x.mat").read_bytes()
        draw = np.random.default_rng(int(packed))
        for number in range(400):
            data = bytearray(good)
            places = draw.integers(124, len(data), 1 + number % 3)
            for place in places:
                data[place] = draw.choice([0, 1, 5, 14, 127, 255, data[place] ^ 1])
            (tmp_path / "x.mat").write_bytes(data[: len(data) - number % 2 * int(draw.integers(40))])
            try:
                read_graph(tmp_path / "x.mat")
                answered += 1
            except InputError as error:
                assert "x.mat" in str(error)
    assert 0 < answered < 400


TWITCH = "views,mature,life_time,created_at,updated_at,numeric_id,dead_account,language,affiliate\n"


def test_twitch_gamers(tmp_path: Path) -> None:
    (tmp_path / "large_twitch_edges.csv").write_text("numeric_id_1,numeric_id_2\n0,1\n1,2\n")
    rows = [
        "7,1,10,2020-01-02,2020-02-01,1,0,EN,1",
        "8,0,11,2020-01-01,2020-02-01,0,0,DE,0",
        "9,1,12,2020-01-01,2020-02-02,2,1,EN,0",
    ]
    (tmp_path / "large_twitch_features.csv").write_text(TWITCH + "\n".join(rows) + "\n")
    task = open_node_task(tmp_path)
    day = 737425  # 1 January 2020
    wanted = [[8, 11, day, day + 31, 0, 0, 0], [7, 10, day + 1, day + 31, 0, 1, 1], [9, 12, day, day + 32, 1, 1, 0]]
    check(task, [[0, 1], [1, 2]], np.array(wanted), [0, 1, 1])
    assert task.classes == ("other", "mature")
    (tmp_path / "large_twitch_features.csv").write_text(TWITCH + rows[0].replace("2020-01-02", "soon") + "\n" + rows[1])
    with pytest.raises(InputError, match="no date in column 'created_at'"):
        read_graph(tmp_path)


# Anybody's


def save_lists(folder: Path, **files: str) -> None:
    folder.mkdir(exist_ok=True)
    for name, text in files.items():
        (folder / f"{name}.csv").write_text(text)


def test_a_folder_of_edges_and_nodes(tmp_path: Path) -> None:
    nodes = "id,label,split,age,height\nann,cat,train,1,2\nbob,dog,test,3,4\ncy,,,5,6\ndee,cat,validation,7,8\n"
    save_lists(tmp_path / "mine", edges="from,to,weight\nann,bob,1\ncy,bob,2\ndee,cy,1\n", nodes=nodes)
    task = open_node_task(tmp_path / "mine")
    check(task, [[0, 1], [2, 1], [3, 2]], np.arange(1, 9).reshape(4, 2), [0, 1, -1, 0])
    assert (task.classes, task.name, task.name_of(2)) == (("cat", "dog"), "mine", "cy")
    split = task.split()
    assert (split.train.tolist(), split.validation.tolist(), split.test.tolist()) == ([0], [3], [1])


@pytest.mark.parametrize("separator", [",", "\t", ";", " "])
def test_a_file_of_edges_with_labels_and_features_beside_it(tmp_path: Path, separator: str) -> None:
    def save(name: str, values) -> None:
        (tmp_path / name).write_text("# a remark\n" + "\n".join(separator.join(map(str, row)) for row in values) + "\n")

    save("web.txt", RING.tolist())
    save("web.labels.csv", [[value] for value in Y.tolist()])
    np.save(tmp_path / "web.features.npy", X)
    check(open_node_task(tmp_path / "web.txt"))
    (tmp_path / "web.features.npy").unlink()
    sparse.save_npz(tmp_path / "web.features.npz", sparse.csr_matrix(X))
    check(open_node_task(tmp_path / "web.txt"))
    sparse.save_npz(tmp_path / "web.features.npz", sparse.csc_matrix(X))
    with pytest.raises(InputError, match="is not by rows"):
        open_node_task(tmp_path / "web.txt")
    (tmp_path / "web.features.npz").unlink()
    save("web.features.txt", [["f1", "f2", "f3", "f4"], *X.tolist()])
    check(open_node_task(tmp_path / "web.txt"))


def test_labels_and_features_by_names_in_another_order(tmp_path: Path) -> None:
    save_lists(tmp_path, edges="a,b\nb,c\n", labels="node,label\nb,1\na,0\nc,2\n", features="id,x\nc,3\nb,2\na,1\n")
    check(open_node_task(tmp_path), [[1, 0], [0, 2]], np.array([[2], [1], [3]]), [1, 0, 2])


def test_first_lines_are_known_by_their_words_where_nothing_is_a_number(tmp_path: Path) -> None:
    save_lists(tmp_path / "a", edges="from,to\nann,bob\n", nodes="id,label\nann,cat\nbob,dog\n")
    task = open_node_task(tmp_path / "a")
    assert (task.count, len(task.edges), task.classes) == (2, 1, ("cat", "dog"))
    save_lists(tmp_path / "b", edges="Source;Target\nann;bob\n", labels="node;class\nbob;cat\nann;dog\n")
    assert open_node_task(tmp_path / "b").node_names == ("bob", "ann")
    save_lists(tmp_path / "c", edges="from,bob\nbob,to\n")  # nodes of such names
    assert open_node_task(tmp_path / "c").node_names == ("from", "bob", "to")


def test_a_graph_without_features_or_labels(tmp_path: Path) -> None:
    save_lists(tmp_path, edges="0,1\n1,2\n4,2\n")
    task = open_node_task(tmp_path)
    check(task, [[0, 1], [1, 2], [2, 4]], np.eye(5), [-1] * 5)
    save_lists(tmp_path, edges="ann,bob\nbob,cy\n")
    assert open_node_task(tmp_path).node_names == ("ann", "bob", "cy")


def test_a_first_line_of_words_that_are_no_nodes_names_the_columns(tmp_path: Path) -> None:
    people = "id,label\nann,cat\nbob,dog\ncy,cat\n"
    save_lists(tmp_path, edges="knows,known\nann,bob\nbob,cy\n", nodes=people)
    assert open_node_task(tmp_path).edges.tolist() == [[0, 1], [1, 2]]
    for wrong in ("7,8\nann,bob\n", "dan,eve\n", "ann,dan\nann,bob\n", "knows,known\nann,dan\n"):
        save_lists(tmp_path, edges=wrong, nodes=people)
        with pytest.raises(InputError, match="of which nothing is known"):
            open_node_task(tmp_path)


@pytest.mark.parametrize(
    ("files", "sentence"),
    [
        ({"edges": "0,1\n1\n"}, "row 2 has 1 columns and the first 2"),
        ({"edges": "5\n"}, "wanted two nodes on every line"),
        ({"edges": ""}, "is empty"),
        ({"edges": "0,99999999999\n"}, "50,000,000 nodes are the most"),
        ({"edges": "a,b\n", "labels": "1\n2\n"}, "give these a column 'id'"),
        ({"edges": "0,1\n", "nodes": "id,label\n0,1\n"}, "edges to '1', of which nothing is known"),
        (
            {"edges": "0,1\n", "nodes": "id,label,x\n0,1,1\n1,0,tall\n"},
            "'tall' in column 'x', where features are numbers",
        ),
        ({"edges": "0,1\n", "nodes": "id,label,x\n0,1,1\n0,0,2\n"}, "names node '0' twice"),
        ({"edges": "0,1\n", "nodes": "0,1\n1,0\n"}, "has no first line that names its columns"),
        ({"edges": "0,1\n", "nodes": "id,label,split\n0,1,train\n1,0,exam\n"}, "the column 'split' has 'exam'"),
        ({"edges": "0,1\n", "labels": "0\n1\n", "nodes": "id,label\n0,1\n1,0\n"}, "keep one of them"),
        (
            {"edges": "0,1\n", "labels": "id,label\n0,1\n1,1\n", "features": "id,x\n0,1\n"},
            "no features of the nodes '1'",
        ),
        ({"edges": "0,1\n", "labels": "0\n1\n", "features": "1\n2\n3\n"}, r"labels of shape \(2,\) for 3 nodes"),
    ],
)
def test_lists_that_are_wrong(tmp_path: Path, files: dict[str, str], sentence: str) -> None:
    save_lists(tmp_path, **files)
    with pytest.raises(InputError, match=sentence):
        open_node_task(tmp_path)


def test_a_folder_of_meshes_is_none_of_graphs(tmp_path: Path) -> None:
    save_lists(tmp_path, edges="0,1\n")
    assert is_node_source(tmp_path)
    (tmp_path / "edges.obj").write_text("v 0 0 0\n")
    assert not is_node_source(tmp_path)


def test_what_is_no_graph(tmp_path: Path) -> None:
    assert not is_graph(tmp_path)
    with pytest.raises(InputError, match="no such file"):
        read_graph(tmp_path / "gone.npz")
    with pytest.raises(InputError, match=r"wanted an \.npz file"):
        read_graph(tmp_path)
    (tmp_path / "g.csv").write_bytes(b"\xff\xfe\x00")
    with pytest.raises(InputError, match="no text in UTF-8"):
        read_graph(tmp_path / "g.csv")
    assert arrays.MOST_BYTES <= 2**31
