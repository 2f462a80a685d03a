"""Draw the pictures of these pages with the tool itself: python docs/draw_pictures.py [gallery] [bodies] [training]

Every shape is generated, of the variant that nothing was trained on; what is drawn is what `segment` answers.
"""

from __future__ import annotations

import shutil
import subprocess
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import meshtide as mt
from meshtide.data.figures import KINDS, make_figure
from meshtide.data.figures.creatures import CREATURE_KINDS, make_creature
from meshtide.data.figures.objects import make_object
from meshtide.output.pictures import save_picture, segmentation_sheet

PICTURES = Path(__file__).parent / "pictures"
VARIANT = "held-out"
# Kind and number of each shape: as many kinds as there is room for.
GALLERY = (
    ("humanoid", 9003), ("quadruped", 9002), ("bird", 9001), ("hand", 9001), ("octopus", 9001), ("ant", 9001),
    ("fish", 12), ("insect", 3), ("snake", 12), ("robot", 3), ("table", 2), ("lamp", 4),
    ("mug", 5), ("teapot", 1), ("bottle", 3), ("car", 13), ("airplane", 3), ("glasses", 3),
    ("chair", 11), ("vase", 2), ("helicopter", 11), ("bicycle", 2), ("pliers", 2), ("valve", 2),
)  # fmt: skip

ANTS = (9001, 9002, 9003, 9004)
BODIES = {"humanoid": 9003, "quadruped": 9011}


def made(kind: str, number: int) -> mt.Mesh:
    """A body, a creature or an object."""
    if kind in KINDS:
        return make_figure(kind, number, VARIANT, defects=False)[0]
    make: Callable[..., Any] = make_creature if kind in CREATURE_KINDS else make_object
    return make(kind, number, VARIANT).mesh


def draw(name: str, shapes: Sequence[tuple[str, int]], columns: int, legend: bool) -> None:
    """A sheet of shapes in their parts; under each stands what it was taken for."""
    results = [mt.segment(made(kind, number)) for kind, number in shapes]
    captions = [result.kind or f"{len(result.instances)} parts" for result in results]
    picture = segmentation_sheet(results, captions, columns, size=(280, 230), up="z", legend=legend)
    save_picture(picture, PICTURES / f"{name}.png")
    for shape, caption in zip(shapes, captions, strict=True):
        print(*shape, "->", caption)


def draw_training() -> None:
    """A short training on generated ants, and its answers for others."""
    with TemporaryDirectory() as place:
        folder, model = Path(place) / "ants", Path(place) / "mine.safetensors"
        folder.mkdir()
        for number in range(8):
            mesh, truth = make_figure("ant", 20 + number, defects=False)
            mt.save_mesh(mesh, folder / f"{number}.ply")
            mt.write_labels(truth, folder / f"{number}.txt", mesh)
        words = ["train", str(folder), "-o", str(model), "--epochs", "40"]
        subprocess.run([sys.executable, "-m", "meshtide", *words], check=True)
        shutil.copy(model.with_suffix(".training.png"), PICTURES / "training.png")
        results = [mt.segment(make_figure("ant", number, VARIANT, defects=False)[0], model) for number in ANTS]
    picture = segmentation_sheet(results, [""] * len(results), len(results), size=(280, 230), up="z", legend=True)
    save_picture(picture, PICTURES / "trained.png")


if __name__ == "__main__":
    wanted = sys.argv[1:] or ["gallery", "bodies", "training"]
    if "gallery" in wanted:
        draw("gallery", GALLERY, 6, legend=False)
    if "bodies" in wanted:
        draw("bodies", [(kind, BODIES.get(kind, 9001)) for kind in KINDS], 3, legend=True)
    if "training" in wanted:
        draw_training()
