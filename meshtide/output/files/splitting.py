"""Each instance of a part as a mesh file of its own."""

from __future__ import annotations

import tempfile
from pathlib import Path

from meshtide.errors import InputError
from meshtide.inference.segmentation import Segmentation
from meshtide.mesh.files import WRITABLE, write_mesh_file
from meshtide.output.files.capping import capped
from meshtide.output.files.glb import pieces_with_faces
from meshtide.output.files.naming import safe_words
from meshtide.stages import doing


def split_parts(segmentation: Segmentation, folder: str | Path, suffix: str = ".ply", cap: bool = False) -> list[Path]:
    """Write each instance as its own mesh into the folder, and return the files in the order of the instances.

    A file is called after its instance (`head.ply`, `leg_1.ply`), in letters that every file system knows. Nothing is
    replaced before all are written; other files in the folder stay as they are. The folder is made if it is not there.
    With `cap` the pieces are closed along their cuts, so that they can be printed.

    >>> import meshtide as mt
    >>> bird = mt.segment(mt.make_figure("bird", 7, "held-out", defects=False)[0])
    >>> [path.name for path in mt.split_parts(bird, "bird_parts")]
    ['head.ply', 'torso.ply', 'leg_1.ply', 'leg_2.ply', 'tail.ply', 'wing_1.ply', 'wing_2.ply']
    """
    folder = Path(folder)
    if suffix.lower() not in WRITABLE:
        raise InputError(f"parts cannot be written as '{suffix}' files; choose one of {', '.join(WRITABLE)}")
    doing(f"writing {len(segmentation.instances):,} pieces")
    words = safe_words(instance.name for instance in segmentation.instances)
    try:
        folder.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryDirectory(prefix=".meshtide-", dir=folder) as stage:
            staged = []
            for index, vertices, faces in pieces_with_faces(segmentation, with_unlabelled=False):
                staged.append(Path(stage) / f"{words[index]}{suffix}")
                write_mesh_file(staged[-1], *(capped(vertices, faces) if cap else (vertices, faces)))
            return _moved(staged, folder)
    except OSError as error:
        raise InputError(f"{folder}: parts cannot be written there ({error.strerror or error})") from error


def _moved(staged: list[Path], folder: Path) -> list[Path]:
    targets = [folder / file.name for file in staged]
    blocked = next((target for target in targets if target.is_dir() and not target.is_symlink()), None)
    if blocked:
        raise InputError(f"{blocked}: is a folder where a part should be written; rename it or choose another folder")
    for file, target in zip(staged, targets, strict=True):
        file.replace(target)
    return targets
