"""Where generated figures are kept: a mesh and a label file each, made when they are first asked for."""

from __future__ import annotations

import multiprocessing
from collections.abc import Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path

from meshtide.errors import InputError
from meshtide.labels.files import write_labels
from meshtide.many.processes import start_worker
from meshtide.mesh.files import save_mesh
from meshtide.spectral.cache import default_folder

FIGURES = "figures"  # the name of the card
VERSION = 3  # of the generator: it changes when the same number gives another body
# From this number on a figure is of the generator's other variant, which nothing is trained on.
FIRST_HELD_OUT = 401
# From this number on a figure is drawn more widely (see meshtide.data.figures.creatures.wide), and held out likewise.
FIRST_WIDE, FIRST_WIDE_HELD_OUT = 601, 801


def figures_folder() -> Path:
    """The folder of generated figures, inside the cache folder; another version of the generator has another."""
    return default_folder() / f"figures-{VERSION}"


def make_figure_files(mesh_path: Path) -> None:
    """Make the figure that a path such as "…/humanoid/humanoid-0007.ply" names, with its labels beside it."""
    # Here and not above: a generator with its libraries takes a while to import, and few collections need it.
    from meshtide.data.figures import make_figure
    from meshtide.data.figures.creatures.wide import make_wide_figure

    kind, _, digits = mesh_path.stem.rpartition("-")
    number = int(digits)
    wide = number >= FIRST_WIDE
    held_out = number >= (FIRST_WIDE_HELD_OUT if wide else FIRST_HELD_OUT)
    mesh, labels = (make_wide_figure if wide else make_figure)(kind, number, "held-out" if held_out else "blended")
    try:
        mesh_path.parent.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise InputError(
            f"{mesh_path.parent}: cannot be made a folder ({error.strerror}); set MESHTIDE_CACHE to a folder that can"
        ) from error
    # The mesh comes last: where it is, the labels are.
    write_labels(labels, mesh_path.with_suffix(".txt"), mesh)
    save_mesh(mesh, mesh_path)


def make_many(mesh_paths: Sequence[Path], jobs: int = 1) -> Iterator[Path]:
    """Make figures in one process or several, and yield the path of each that is done."""
    if jobs <= 1 or len(mesh_paths) < 2:
        for path in mesh_paths:
            make_figure_files(path)
            yield path
        return
    with ProcessPoolExecutor(jobs, multiprocessing.get_context("spawn"), start_worker) as pool:
        for path, _ in zip(mesh_paths, pool.map(make_figure_files, mesh_paths), strict=True):
            yield path
