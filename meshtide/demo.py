"""The folder of shapes that `meshtide demo` makes."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from meshtide.errors import InputError
from meshtide.label_files import write_labels
from meshtide.labels import Labels
from meshtide.mesh import Mesh, save_mesh
from meshtide.shapes import FIGURE_PARTS, figure


def write_demo(folder: Path) -> list[Path]:
    """Fill a folder with the figure in two meshings and torn into a soup, a label file beside each; returns the paths.

    Only files of these names are written, and an existing one is replaced whole.
    """
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise InputError(f"{folder}: cannot be made a folder ({error.strerror})") from error
    written = []
    for name, level, torn in (("figure-coarse", 2, False), ("figure-fine", 3, False), ("figure-torn", 2, True)):
        mesh, parts = figure(level)
        if torn:
            mesh = Mesh(mesh.vertices[mesh.faces].reshape(-1, 3), np.arange(3 * len(mesh.faces)).reshape(-1, 3))
        save_mesh(mesh, folder / f"{name}.ply")
        labels = Labels(parts, on="faces", names=FIGURE_PARTS)
        write_labels(labels, folder / f"{name}_labels.txt", mesh)
        written += [folder / f"{name}.ply", folder / f"{name}_labels.txt"]
    return written
