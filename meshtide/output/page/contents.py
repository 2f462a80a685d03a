"""What a page says and shows of one segmentation, as plain values that JSON can hold."""

from __future__ import annotations

import base64
from collections import Counter
from typing import Any

import numpy as np
from numpy.typing import NDArray

from meshtide.arrays import FloatArray, IntArray
from meshtide.errors import InputError
from meshtide.inference.outline import Outlined
from meshtide.inference.segmentation import Segmentation
from meshtide.labels.colours import UNLABELLED
from meshtide.labels.shades import instance_colours
from meshtide.mesh.measure import smooth_normals, unit_box
from meshtide.mesh.topology import without_unused
from meshtide.output.files.as_given import UNLABELLED_NAME, check_colours
from meshtide.output.files.numbers import summary
from meshtide.output.page.light import light
from meshtide.output.pictures.camera import best_view
from meshtide.output.pictures.upright import guess_up
from meshtide.words import shown

STEPS = 65_535  # of a coordinate from one side of the box to the other
MOST_PARTS = 65_535  # the page tells parts apart by two bytes of a pixel
MOST_INSTANCES = 5_000  # beyond these the page shows parts alone
LONGEST_NAME, LONGEST_SENTENCE, MOST_WARNINGS = 200, 600, 20


def content(segmentation: Segmentation, title: str) -> dict[str, Any]:
    """Texts, numbers and arrays for the page; arrays are little-endian bytes in base64.

    - box: the sides of the box around the shape, the longest 1; places: (V, 3) uint16, 0 to 65,535 across it.
    - normals: (V, 2) int16, folded to an octahedron; sure: (V,) uint8, confidence from 0 to 255.
    - indices: (F, 3), uint16 up to 65,536 vertices, else uint32.
    - instances: part by part, each with its index into parts; face_instances: (F,) indices into them, uint8 up to 256
      instances, else uint16.

    Vertices that no face uses are left out. Counts, shares and confidences are those of the whole mesh, even where
    the page shows a lighter one; `shown` is the number of its faces then, and otherwise null.
    """
    check_colours(segmentation)
    drawn = light(segmentation)
    faces = len(segmentation.mesh.faces)
    return {
        "title": shortened(title, LONGEST_NAME),
        "kind": None if segmentation.kind is None else shortened(segmentation.kind, LONGEST_NAME),
        "warnings": _warnings(segmentation.warnings),
        "vertices": segmentation.origin.vertex_count,
        "faces": segmentation.origin.face_count,
        "confidence": segmentation.mean_confidence if segmentation.instances else None,
        "shown": len(drawn.mesh.faces) if len(drawn.mesh.faces) < faces else None,
        **_parts(segmentation, drawn.face_instances),
        **_surface(drawn),
    }


def shortened(text: str, longest: int) -> str:
    """The text, or its beginning if it is longer than a page can show; what cannot be printed is written out."""
    return shown(text, longest)


def _parts(segmentation: Segmentation, pieces: IntArray) -> dict[str, Any]:
    """What the legend says of the parts that occur and of their instances, and the instance of each drawn face.

    What has no part counts as the last part, in one instance.
    """
    told, last = summary(segmentation), len(segmentation.parts)
    owners = np.array([*(instance.part_index for instance in segmentation.instances), last])
    pieces = pieces % len(owners)
    all_parts = [*told["parts"].items(), (UNLABELLED_NAME, {**told["unlabelled"], "colour": UNLABELLED})]
    occurs = np.bincount(owners[pieces], minlength=last + 1) > 0
    present = [part for part, (_, row) in enumerate(all_parts) if occurs[part] or row["faces"]]
    if len(present) > MOST_PARTS:
        raise InputError(f"{segmentation.mesh.name}: {len(present):,} parts; a page can show {MOST_PARTS:,}")
    rows = [_row(*all_parts[part]) for part in present]
    instances = _instances(segmentation, told["instances"], dict(zip(present, rows, strict=True)))
    if present[-1] == last:
        instances.append({**rows[-1], "part": len(rows) - 1})
    if len(instances) > max(MOST_INSTANCES, len(rows)):  # a list of a hundred thousand bolts would help nobody
        instances = [{**row, "part": part} for part, row in enumerate(rows)]
        pieces = np.searchsorted(present, owners[pieces])
    width = np.uint8 if len(instances) <= 256 else np.uint16
    return {"parts": rows, "instances": instances, "face_instances": _packed(pieces, width)}


def _instances(
    segmentation: Segmentation, told: list[dict[str, Any]], rows: dict[int, dict[str, Any]]
) -> list[dict[str, Any]]:
    """What the legend says of each instance; `rows` is what it says of the parts."""
    owners = [instance.part_index for instance in segmentation.instances]
    place, counts = {part: number for number, part in enumerate(rows)}, Counter(owners)
    colours = instance_colours(segmentation.colours, owners)
    found = []
    for part, row, colour in zip(owners, told, colours, strict=True):
        # Of a part in one piece there is one figure: a mean over vertices and one over the area would differ a little.
        own = rows[part] if counts[part] == 1 else _row(row["name"], {**row, "colour": colour})
        found.append({**own, "part": place[part]})
    return found


def _row(name: str, told: dict[str, Any]) -> dict[str, Any]:
    return {
        "name": shortened(name, LONGEST_NAME),
        "colour": told["colour"].lower(),
        "share": told["share"],
        "confidence": told.get("confidence"),
    }


def _surface(drawn: Outlined) -> dict[str, Any]:
    """The arrays of the mesh, and how it stands and is seen first."""
    used, faces = without_unused(drawn.mesh.faces, len(drawn.mesh.vertices))
    points = unit_box(drawn.mesh.vertices[used], faces)
    box = points.max(axis=0)
    # Those of the surface before it was cut: a border is no edge.
    with np.errstate(over="ignore", invalid="ignore"):  # vertices that no face uses may lie anywhere
        whole = unit_box(drawn.mesh.vertices, drawn.mesh.faces)[: len(drawn.mesh.vertices) - drawn.cut.added]
    normals = drawn.cut.carried(smooth_normals(whole, drawn.cut.old_faces))[used]
    up = guess_up(points, faces)
    return {
        "up": up,
        "view": list(best_view(drawn.mesh, up=up)),
        "box": box.tolist(),
        "places": _packed(points / np.where(box > 0, box, 1) * STEPS, np.uint16),
        # Not left to the page: where faces are small, rounded corners would turn them.
        "normals": _packed(_octahedral(normals) * 32_767, np.int16),
        "sure": _packed(drawn.confidence[used] * 255, np.uint8),
        "indices": _packed(faces, np.uint16 if len(used) <= STEPS + 1 else np.uint32),
    }


def _packed(values: NDArray[Any], kind: type[np.integer[Any]]) -> str:
    """Numbers rounded to the nearest of an integer kind, as base64."""
    whole = np.rint(values).clip(np.iinfo(kind).min, np.iinfo(kind).max).astype(np.dtype(kind).newbyteorder("<"))
    return base64.b64encode(whole.tobytes()).decode("ascii")


def _octahedral(normals: FloatArray) -> FloatArray:
    """Directions as two numbers from -1 to 1: an octahedron's upper half, with the lower half folded out around it."""
    size = np.abs(normals).sum(axis=1, keepdims=True)
    x, y, z = (normals / np.where(size > 0, size, 1)).T
    signs_x, signs_y = np.where(x >= 0, 1.0, -1.0), np.where(y >= 0, 1.0, -1.0)
    below = z < 0
    return np.stack(
        [np.where(below, (1 - np.abs(y)) * signs_x, x), np.where(below, (1 - np.abs(x)) * signs_y, y)], axis=1
    )


def _warnings(warnings: tuple[str, ...]) -> list[str]:
    told = [shortened(warning, LONGEST_SENTENCE) for warning in warnings[:MOST_WARNINGS]]
    more = len(warnings) - len(told)
    return [*told, f"And {more:,} more."] if more else told
