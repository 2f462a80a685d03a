"""Folders of small labelled shapes, as a user has them."""

from __future__ import annotations

from pathlib import Path

import numpy as np
from shapes import FIGURE_PARTS, figure

from meshtide.data.augmentation import stretched
from meshtide.labels.files import write_labels
from meshtide.labels.labels import Labels
from meshtide.mesh.files import save_mesh


def write_figures(folder: Path, count: int, level: int = 1) -> Path:
    """A folder of figures of random proportions with labels beside them."""
    folder.mkdir(exist_ok=True)
    for number in range(count):
        mesh, parts = figure(level)
        mesh = stretched(mesh, 0.15, np.random.default_rng(number))
        save_mesh(mesh, folder / f"figure{number}.off")
        write_labels(Labels(parts, "faces", FIGURE_PARTS), folder / f"figure{number}.txt", mesh)
    return folder
