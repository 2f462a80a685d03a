"""Numbers without a surface: arrays for programs (.npz) and a summary (.json)."""

from __future__ import annotations

import io
import json
import math
from typing import Any

import numpy as np
from numpy.typing import NDArray

from meshtide.arrays import FloatArray, IntArray
from meshtide.inference.segmentation import Segmentation
from meshtide.mesh.measure import triangle_areas, unit_box
from meshtide.output.files.as_given import triangle_parts


def npz_bytes(segmentation: Segmentation) -> bytes:
    """Arrays of the file's vertices and faces; not compressed, as probabilities hardly get smaller and much slower."""
    origin = segmentation.mesh.origin
    stream = io.BytesIO()
    np.savez(
        stream,
        labels=origin.vertices_to_file(segmentation.labels.values.astype(np.int32), -1),
        probabilities=origin.vertices_to_file(segmentation.probabilities.astype(np.float32, copy=False), 0),
        confidence=origin.vertices_to_file(segmentation.confidence, 0),
        face_labels=origin.faces_to_file(segmentation.face_labels.values.astype(np.int32), -1),
        face_confidence=origin.faces_to_file(segmentation.face_confidence, 0),
        names=np.array(segmentation.parts, dtype=np.str_),
        on=np.array("vertices"),
    )
    return stream.getvalue()


def json_bytes(segmentation: Segmentation) -> bytes:
    """The summary as text; what no JSON number can hold is null."""
    text = json.dumps(summary(segmentation), ensure_ascii=False, allow_nan=False, indent=1)
    # Half a surrogate pair, from the name of a file that is not UTF-8, is written as JSON escapes it.
    return (text + "\n").encode("utf-8", "backslashreplace")


def summary(segmentation: Segmentation) -> dict[str, Any]:
    """How much of the shape each part is: elements of the file, area in the mesh's own units, share of all area.

    A part's `confidence` is the mean over its vertices in the file, and null where it has none.
    """
    origin = segmentation.mesh.origin
    labels = origin.vertices_to_file(segmentation.labels.values, -1) + 1  # (N,) 0 is unlabelled
    faces = origin.faces_to_file(segmentation.face_labels.values, -1) + 1
    sure = origin.vertices_to_file(segmentation.confidence, 0)
    slots = len(segmentation.parts) + 1
    vertex_counts, face_counts = np.bincount(labels, minlength=slots), np.bincount(faces, minlength=slots)
    areas, shares = _areas(segmentation)
    with np.errstate(invalid="ignore"):
        confidence = _sums(labels, sure, slots) / np.where(vertex_counts, vertex_counts, np.nan)
    rows = [
        {"vertices": int(v), "faces": int(f), "area": _number(a), "share": _number(s), "confidence": _number(c)}
        for v, f, a, s, c in zip(vertex_counts, face_counts, areas, shares, confidence, strict=True)
    ]
    unlabelled = {key: value for key, value in rows[0].items() if key != "confidence"}
    named = enumerate(zip(segmentation.parts, segmentation.colours, rows[1:], strict=True))
    return {
        "name": segmentation.mesh.name,
        "kind": segmentation.kind,
        "warnings": list(segmentation.warnings),
        "vertices": origin.vertex_count,
        "faces": origin.face_count,
        "area": _number(areas.sum()),
        "parts": {name: {"index": index, "colour": colour, **row} for index, (name, colour, row) in named},
        "unlabelled": unlabelled,
    }


def _areas(segmentation: Segmentation) -> tuple[FloatArray, FloatArray]:
    """The area of what has no part and of each part, and the same as shares that add up to 1; both (parts + 1,)."""
    mesh, slots = segmentation.mesh, len(segmentation.parts) + 1
    parts = triangle_parts(segmentation) + 1
    with np.errstate(over="ignore", invalid="ignore"):
        areas = _sums(parts, mesh.face_areas, slots)
        if not 0 < areas.sum() < np.inf:  # squares of very large or small lengths leave the range of numbers
            relative = _sums(parts, triangle_areas(unit_box(mesh.vertices, mesh.faces), mesh.faces), slots)
            return areas, relative / relative.sum()
    return areas, areas / areas.sum()


def _sums(slot_of: IntArray, values: NDArray[Any], slots: int) -> FloatArray:
    """The sum of the values in each slot, (slots,)."""
    return np.bincount(slot_of, values, slots).astype(np.float64)


def _number(value: float) -> float | None:
    return float(value) if math.isfinite(value) else None
