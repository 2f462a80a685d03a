"""What `meshtide demo` shows: bodies made on the spot, divided into parts by the model that ships."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import numpy as np

from meshtide.data.figures import KINDS, make_figure
from meshtide.errors import InputError
from meshtide.inference.segment import segment
from meshtide.inference.segmentation import Segmentation
from meshtide.mesh.files import save_mesh
from meshtide.mesh.mesh import Mesh
from meshtide.output.pictures import save_picture, segmentation_sheet
from meshtide.output.saving import write_segmentation

# A body of each kind, of the generator variant that the model was not trained on and of no number that it is scored by.
VARIANT, NUMBER = "held-out", 9001
OTHERS = {"humanoid": 9003, "quadruped": 9011}  # whose limbs stand apart
TORN, TORN_NUMBER = "torn", 9002


def run_demo(folder: Path) -> Iterator[tuple[Path, Segmentation | None]]:
    """Make a body of each kind, divide it into parts, and yield each file that was written as soon as it is.

    `x.ply` is a body, `parts/x.glb` its parts, and `parts.png` shows them all; with a mesh comes its segmentation. One
    body is torn into triangles without neighbours, as some programs write them: it is mended on the way. Only files of
    these names are written, and an existing one is replaced whole.
    """
    try:
        (folder / "parts").mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise InputError(f"{folder}: cannot be made a folder ({error.strerror})") from error
    results, captions = [], []
    for name, mesh in _bodies():
        path, parts = folder / f"{name}.ply", folder / "parts" / f"{name}.glb"
        save_mesh(mesh, path)
        result = segment(path)
        write_segmentation(result, parts)
        results.append(result)
        captions.append(name if result.kind == name else f"{name} ({result.kind})")
        yield path, result
        yield parts, None
    save_picture(segmentation_sheet(results, captions, columns=4, up="z"), folder / "parts.png")
    yield folder / "parts.png", None


def _bodies() -> Iterator[tuple[str, Mesh]]:
    for kind in KINDS:
        yield kind, make_figure(kind, OTHERS.get(kind, NUMBER), VARIANT, defects=False)[0]
    mesh = make_figure("quadruped", TORN_NUMBER, VARIANT, defects=False)[0]
    corners = np.arange(3 * len(mesh.faces)).reshape(-1, 3)
    yield TORN, Mesh(mesh.vertices[mesh.faces].reshape(-1, 3), corners)
