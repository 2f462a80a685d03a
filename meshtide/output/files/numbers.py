"""Numbers without a surface: arrays for programs (.npz) and a summary (.json)."""

from __future__ import annotations

import io
import json
import math
from collections.abc import Iterator
from dataclasses import asdict
from typing import Any

import numpy as np
from numpy.typing import NDArray

from meshtide.arrays import FloatArray, IntArray
from meshtide.inference.instances import Instance
from meshtide.inference.segmentation import Segmentation
from meshtide.mesh.measure import triangle_areas, unit_box


def npz_bytes(segmentation: Segmentation) -> bytes:
    """Arrays of the vertices and faces that were handed in; not compressed: probabilities hardly get smaller."""
    stream = io.BytesIO()
    np.savez(
        stream,
        labels=segmentation.labels.values.astype(np.int32),
        probabilities=segmentation.probabilities.astype(np.float32, copy=False),
        confidence=segmentation.confidence,
        instances=segmentation.vertex_instances.astype(np.int32),
        face_labels=segmentation.face_labels.values.astype(np.int32),
        face_confidence=segmentation.face_confidence,
        face_instances=segmentation.face_instances.astype(np.int32),
        names=np.array(segmentation.parts, dtype=np.str_),
        instance_names=np.array([instance.name for instance in segmentation.instances], dtype=np.str_),
        on=np.array("vertices"),
    )
    return stream.getvalue()


def json_bytes(segmentation: Segmentation) -> bytes:
    """The summary as text; what no JSON number can hold is null."""
    text = json.dumps(summary(segmentation), ensure_ascii=False, allow_nan=False, indent=1)
    # Half a surrogate pair, from the name of a file that is not UTF-8, is written as JSON escapes it.
    return (text + "\n").encode("utf-8", "backslashreplace")


def summary(segmentation: Segmentation) -> dict[str, Any]:
    """How much of the shape each part is: elements handed in, area in the mesh's own units, share of all area.

    A `confidence` is the mean over the area, of a part as of an instance; null where there is none.
    """
    origin = segmentation.origin
    labels = segmentation.labels.values + 1  # (N,) 0 is unlabelled
    faces = segmentation.face_labels.values + 1
    slots = len(segmentation.parts) + 1
    vertex_counts, face_counts = np.bincount(labels, minlength=slots), np.bincount(faces, minlength=slots)
    areas, shares = _areas(segmentation)
    confidence = [math.nan, *_confidence(segmentation)]
    rows = [
        {"vertices": int(v), "faces": int(f), "area": _number(a), "share": _number(s), "confidence": _number(c)}
        for v, f, a, s, c in zip(vertex_counts, face_counts, areas, shares, confidence, strict=True)
    ]
    unlabelled = {key: value for key, value in rows[0].items() if key != "confidence"}
    named = enumerate(zip(segmentation.parts, segmentation.colours, rows[1:], strict=True))
    return {
        "name": segmentation.mesh.name,
        "kind": segmentation.kind,
        "reason": segmentation.reason,
        "warnings": list(segmentation.warnings),
        "vertices": origin.vertex_count,
        "faces": origin.face_count,
        "area": _number(areas.sum()),
        "parts": {name: {"index": index, "colour": colour, **row} for index, (name, colour, row) in named},
        "instances": [_told(instance, *counts) for instance, *counts in _with_counts(segmentation)],
        "borders": [asdict(border) for border in segmentation.borders],
        "unlabelled": unlabelled,
    }


def _with_counts(segmentation: Segmentation) -> Iterator[tuple[Instance, int, int]]:
    """Each instance with how many vertices and faces of those handed in are its own."""
    slots = len(segmentation.instances)
    columns = segmentation.vertex_instances, segmentation.face_instances
    counts = [np.bincount(column[column >= 0], minlength=slots).tolist() for column in columns]
    yield from zip(segmentation.instances, *counts, strict=True)


def _told(instance: Instance, vertices: int, faces: int) -> dict[str, Any]:
    """What is said of one instance; `box` is its smallest and its largest corner."""
    return {
        "name": instance.name,
        "number": instance.number,
        "part": instance.part,
        "vertices": vertices,
        "faces": faces,
        "area": _number(instance.area),
        "share": _number(instance.share),
        "confidence": _number(instance.confidence),
        "centroid": [_number(x) for x in instance.centroid],
        "box": [[_number(x) for x in corner] for corner in instance.box],
    }


def _confidence(segmentation: Segmentation) -> FloatArray:
    """The mean over each part's area of how sure it is, (parts,); not a number where there is none."""
    pieces, count = segmentation.instances, len(segmentation.parts)
    parts = np.array([each.part_index for each in pieces], dtype=np.int64)
    shares = np.array([each.share for each in pieces])
    shares = np.where(np.bincount(parts, shares, count)[parts] > 0, shares, 1.0)  # slivers without area count alike
    sums = np.bincount(parts, shares * [each.confidence for each in pieces], count)
    with np.errstate(invalid="ignore"):
        return np.asarray(sums / np.bincount(parts, shares, count))


def _areas(segmentation: Segmentation) -> tuple[FloatArray, FloatArray]:
    """The area of what has no part and of each part, and the same as shares that add up to 1; both (parts + 1,)."""
    mesh, slots = segmentation.mesh, len(segmentation.parts) + 1
    parts = segmentation.mesh_face_labels.values + 1
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
