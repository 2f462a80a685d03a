"""The large graphs of LINKX in the files that they come in: MATLAB's and tables."""

from __future__ import annotations

import datetime
import io
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from meshtide.arrays import FloatArray, IntArray
from meshtide.data.nodes.files.matlab import MOST_BYTES, Matrix, read_matlab
from meshtide.data.nodes.files.tables import Table, read_numbers, read_table
from meshtide.data.nodes.files.unpickled import Made, unpickled
from meshtide.data.nodes.task import NodeTask
from meshtide.errors import InputError
from meshtide.files import array_header, read_regular

CLASSES_OF_YEARS = 5
_MOST_PICKLED = 2**28
_EDGES, _FEATURES = "large_twitch_edges.csv", "large_twitch_features.csv"
_LABEL, _ID = "mature", "numeric_id"
_DATES = ("created_at", "updated_at")


def is_mat(path: Path) -> bool:
    """Whether a path is a MATLAB file."""
    return path.suffix.lower() == ".mat"


def is_twitch(path: Path) -> bool:
    """Whether a folder has the two tables of Twitch gamers."""
    return all((path / name).is_file() for name in (_EDGES, _FEATURES))


def read_mat(path: Path) -> NodeTask:
    """A graph with `edge_index`, `node_feat` and `label`, or `years`, of which five equal parts are the classes."""
    content = _arrays(path)
    for key in ("edge_index", "node_feat"):
        if key not in content:
            raise InputError(f"{path}: has no '{key}', only {', '.join(sorted(content)) or 'nothing'}")
    if "label" in content:
        labels = np.asarray(content["label"]).ravel()
    elif "years" in content:
        labels = even_parts(np.asarray(content["years"], dtype=np.float64).ravel(), CLASSES_OF_YEARS)
    else:
        raise InputError(f"{path}: has neither 'label' nor 'years', only {', '.join(sorted(content))}")
    edges = np.asarray(content["edge_index"])
    return NodeTask(
        path.stem, edges.T if edges.shape[:1] == (2,) else edges, content["node_feat"], labels,
        splits=_splits(path, len(labels)),
    )  # fmt: skip


def even_parts(values: FloatArray, count: int) -> IntArray:
    """Which of `count` parts of equal size every value is in, by quantiles; -1 where there is no value.

    >>> even_parts(np.array([1990, 1980, np.nan, 2000, 2010]), 2).tolist()
    [0, 0, -1, 1, 1]
    """
    borders = np.nanquantile(values, np.arange(1, count) / count)
    return np.where(np.isnan(values), -1, np.searchsorted(borders, values, side="right")).astype(np.int64)


def read_twitch(folder: Path) -> NodeTask:
    """Twitch gamers: whether a channel has mature content, from what else is known of it."""
    table = read_table(folder / _FEATURES)
    missing = [name for name in (_LABEL, _ID) if name not in table.names]
    if missing:
        raise InputError(f"{table.path}: has no column '{missing[0]}', only {', '.join(table.names)}")
    numbers = table.numbers([table.names.index(_ID)])[:, 0].astype(np.int64)
    order = np.argsort(numbers, kind="stable")
    if (numbers[order] != np.arange(len(numbers))).any():
        raise InputError(f"{table.path}: numbers its nodes otherwise than from 0 to {len(numbers) - 1:,}, each once")
    labels = table.numbers([table.names.index(_LABEL)])[order, 0].astype(np.int64)
    features = np.stack([_channel(table, name) for name in table.names if name not in (_LABEL, _ID)], axis=1)
    place = folder / _EDGES
    ends = read_numbers(place, header=True)
    if ends.shape[1] != 2 or not (ends == np.rint(ends)).all():
        raise InputError(f"{place}: wanted the numbers of two nodes on every line")
    return NodeTask(folder.resolve().name, ends.astype(np.int64), features[order], labels, ("other", "mature"))


def _channel(table: Table, name: str) -> NDArray[np.float32]:
    """A column as numbers: dates as days, languages as their places in the alphabet."""
    number = table.names.index(name)
    words = table.column(number)
    if name in _DATES:
        try:
            return np.array([datetime.date.fromisoformat(word).toordinal() for word in words], dtype=np.float32)
        except ValueError as error:
            raise InputError(f"{table.path}: has no date in column '{name}' ({error})") from None
    if name == "language":
        places = {word: place for place, word in enumerate(sorted(set(words)))}
        return np.array([places[word] for word in words], dtype=np.float32)
    return table.numbers([number])[:, 0]


def _arrays(path: Path) -> dict[str, Matrix]:
    """The numbers in a MATLAB file."""
    try:
        return read_matlab(read_regular(path, MOST_BYTES))
    except InputError as error:
        raise error if str(error).startswith(str(path)) else InputError(f"{path}: {error}") from None


def _splits(path: Path, count: int) -> tuple[Any, ...]:
    """The splits in a file NAME-splits.npy beside the graph: a pickled list of dictionaries, read as data."""
    beside = path.with_name(f"{path.stem}-splits.npy")
    if not beside.is_file():
        return ()
    try:
        found = unpickled(_behind_header(read_regular(beside, _MOST_PICKLED)))
        listed = found.array if isinstance(found, Made) else found
        splits = [tuple(_nodes(entry[kind]) for kind in ("train", "valid", "test")) for entry in listed]
    except (InputError, KeyError, TypeError, ValueError) as error:
        raise InputError(
            f"{beside}: holds no splits as arrays ({error}); without this file splits are drawn at random"
        ) from None
    return tuple(splits)


def _behind_header(data: bytes) -> bytes:
    """What follows the header of an .npy file."""
    stream = io.BytesIO(data)
    array_header(stream)
    return data[stream.tell() :]


def _nodes(value: Any) -> IntArray:
    array = value.array if isinstance(value, Made) else None
    if not isinstance(array, np.ndarray) or array.dtype.kind not in "iu":
        raise ValueError("no whole numbers")
    return array.ravel().astype(np.int64)
