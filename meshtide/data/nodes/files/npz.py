"""Graphs as .npz files: meshtide's own keys, and those that common collections of graphs have."""

from __future__ import annotations

from io import BytesIO
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from meshtide.data.nodes.files.arrays import Arrays, open_npz
from meshtide.data.nodes.task import NodeTask
from meshtide.errors import InputError
from meshtide.files import write_atomically

# What an array may be called, the usual name first.
_EDGES = ("edges", "edge_index", "arcs")
_DENSE = ("features", "x", "x_dense", "node_features", "feat")
_SPARSE = ("x", "features", "attr", "attr_matrix")  # before _data, _indices, _indptr, _shape
_ADJACENCY = ("adj", "adj_matrix")  # likewise
_LABELS = ("labels", "y", "node_labels", "label")
_MASKS = (("train_masks", "train_mask"), ("val_masks", "validation_masks", "val_mask"), ("test_masks", "test_mask"))


def read_npz_graph(path: Path) -> NodeTask:
    """A graph with features and labels in an .npz file."""
    with open_npz(path) as arrays:
        features = _features(arrays)
        labels = arrays.wanted(_first(arrays, _LABELS, "labels"))
        classes = arrays["classes"] if "classes" in arrays.names else np.zeros(0, dtype="U1")
        if classes.ndim != 1:
            raise InputError(f"{path}: 'classes' has shape {classes.shape}; wanted a list of names")
        return NodeTask(
            path.stem, _edges(arrays, int(features.shape[0])), features, labels,
            tuple(str(word) for word in classes.tolist()), splits=_splits(arrays, path),
        )  # fmt: skip


def write_npz_graph(task: NodeTask, path: Path) -> None:
    """Write a task as an .npz file, which `read_npz_graph` reads again."""
    content: dict[str, Any] = {"edges": task.edges, "labels": task.labels, "classes": np.array(task.classes)}
    if isinstance(task.features, np.ndarray):
        content["features"] = task.features
    else:
        rows = task.features
        content |= {"x_data": rows.data, "x_indices": rows.indices, "x_indptr": rows.indptr, "x_shape": rows.shape}
    for (key, *_), kind in zip(_MASKS, ("train", "validation", "test"), strict=True):
        if task.splits:
            masks = np.zeros((len(task.splits), task.count), dtype=bool)
            for mask, split in zip(masks, task.splits, strict=True):
                mask[getattr(split, kind)] = True
            content[key] = masks
    stream = BytesIO()
    np.savez_compressed(stream, allow_pickle=False, **content)
    write_atomically(path, stream.getvalue())


def _first(arrays: Arrays, names: tuple[str, ...], noun: str) -> str:
    """The first of some names that is there."""
    found = next((name for name in names if name in arrays.names), None)
    if found is None:
        raise InputError(
            f"{arrays.path}: has no {noun}; wanted an array called '{names[0]}', and there are "
            f"{', '.join(arrays.names[:20]) or 'none'}"
        )
    return found


def _compressed(arrays: Arrays, prefixes: tuple[str, ...]) -> sparse.csr_array[Any] | None:
    """A sparse matrix by rows in four arrays, if there is one under any of these names."""
    prefix = next((word for word in prefixes if f"{word}_indptr" in arrays.names), None)
    if prefix is None:
        return None
    parts = [arrays.wanted(f"{prefix}_{end}") for end in ("data", "indices", "indptr", "shape")]
    return matrix_by_rows(*parts, place=f"{arrays.path}: '{prefix}'")


def matrix_by_rows(
    data: NDArray[Any], indices: NDArray[Any], starts: NDArray[Any], shape: NDArray[Any], *, place: str
) -> sparse.csr_array[Any]:
    """A sparse matrix from its arrays, after a check that they are one: scipy would read outside of them."""
    if shape.shape != (2,) or any(part.dtype.kind not in "iu" for part in (indices, starts, shape)):
        raise InputError(f"{place} is no sparse matrix; wanted whole numbers as its indices, starts and two sizes")
    rows, columns = (int(size) for size in shape)
    flat = data.ndim == indices.ndim == starts.ndim == 1 and len(data) == len(indices)
    if not flat or data.dtype.kind not in "iubf" or len(starts) != rows + 1 or columns < 0:
        raise InputError(
            f"{place} is no sparse matrix of {rows:,} rows: {len(data):,} values, {len(indices):,} columns, "
            f"{len(starts):,} starts of rows"
        )
    starts, indices = starts.astype(np.int64), indices.astype(np.int64)
    if starts[0] != 0 or starts[-1] != len(data) or (np.diff(starts) < 0).any():
        raise InputError(f"{place}: its rows do not begin where the rows before them end; is it damaged?")
    if len(indices) and not (indices.min() >= 0 and indices.max() < columns):
        raise InputError(f"{place} names a column that is not among its {columns:,}; is it damaged?")
    return sparse.csr_array((data, indices, starts), shape=(rows, columns))


def read_npz_matrix(path: Path) -> NDArray[Any] | sparse.csr_array[Any]:
    """The matrix that scipy.sparse.save_npz wrote, or the only array of an .npz file."""
    with open_npz(path) as arrays:
        if "indptr" in arrays.names:
            parts = [arrays.wanted(name) for name in ("data", "indices", "indptr", "shape")]
            form = arrays.wanted("format").tobytes() if "format" in arrays.names else b"csr"
            if form.replace(b"\0", b"") != b"csr":
                raise InputError(f"{path}: is not by rows; save the matrix as csr")
            return matrix_by_rows(*parts, place=str(path))
        if len(arrays) != 1:
            raise InputError(
                f"{path}: holds {len(arrays)} arrays, {', '.join(arrays.names[:20])}; wanted one, of features"
            )
        return arrays[arrays.names[0]]


def _features(arrays: Arrays) -> NDArray[Any] | sparse.csr_array[Any]:
    found = _compressed(arrays, _SPARSE)
    if found is not None:
        return found
    return arrays.wanted(_first(arrays, _DENSE, "features"))


def _edges(arrays: Arrays, count: int) -> NDArray[Any]:
    matrix = _compressed(arrays, _ADJACENCY)
    if matrix is not None:
        if matrix.shape != (count, count):
            raise InputError(f"{arrays.path}: its edges are a matrix {matrix.shape} for {count:,} nodes")
        return np.stack(matrix.nonzero(), axis=1)
    edges = arrays.wanted(_first(arrays, _EDGES, "edges"))
    # A row an edge; torch_geometric has a row of starts and one of ends.
    return edges.T if edges.ndim == 2 and edges.shape[0] == 2 and edges.shape[1] != 2 else edges


def _splits(arrays: Arrays, path: Path) -> tuple[Any, ...]:
    """Masks of one split, (V,), or of several, (S, V)."""
    keys = [next((key for key in keys if key in arrays.names), None) for keys in _MASKS]
    if keys == [None, None, None]:
        return ()
    if None in keys:
        raise InputError(f"{path}: has masks for some of training, validation and test; wanted all three or none")
    masks = [np.atleast_2d(arrays.wanted(str(key))) for key in keys]
    if any(mask.dtype.kind != "b" for mask in masks) or len({mask.shape for mask in masks}) > 1:
        raise InputError(f"{path}: its masks are not three arrays of true and false of one shape")
    return tuple(zip(*masks, strict=True))
