"""Pictures of a scene without a window: screenshots from several sides, and a turntable."""

from __future__ import annotations

import io
from collections.abc import Sequence
from pathlib import Path

import numpy as np

from meshtide.errors import InputError
from meshtide.output.pictures import Image, save_picture, sheet
from meshtide.output.pictures.camera import VIEWS
from meshtide.output.pictures.segments import shortened_legend
from meshtide.viewer.state.scene import Scene
from meshtide.viewer.window.backend import start
from meshtide.viewer.window.stage import Stage

MOST_FRAMES = 720
WHITE = "#ffffff"  # polyscope's background


def screenshot(
    scene: Scene,
    path: str | Path,
    *,
    size: tuple[int, int] = (900, 700),
    views: Sequence[str] = ("three-quarter",),
    up: str = "auto",
    legend: bool = True,
) -> None:
    """Draw a scene from one side or several, with its legend, into a PNG."""
    angles = [angles_of(view) for view in views]
    stage = _stage(scene, size, up)
    pictures = [_picture(stage, *each) for each in angles]
    captions = list(views) if len(views) > 1 else None
    entries = shortened_legend([(entry.name, entry.colour, entry.share) for entry in scene.legend()], WHITE)
    save_picture(sheet(pictures, captions, legend=entries if legend else None, background=WHITE), path)


def turntable(
    scene: Scene, path: str | Path, *, frames: int = 36, size: tuple[int, int] = (500, 500), up: str = "auto"
) -> None:
    """Turn a scene around once: a .gif, or a folder of numbered PNG files for any other name."""
    if not 2 <= frames <= MOST_FRAMES:
        raise InputError(f"a turntable of {frames} frames; wanted 2 to {MOST_FRAMES}")
    path = Path(path)
    stage = _stage(scene, size, up)
    turns = [360 * number / frames for number in range(frames)]
    if path.suffix.lower() == ".gif":
        _write_gif([_picture(stage, turn, 12.0) for turn in turns], path)
        return
    if path.suffix:
        raise InputError(f"{path}: a turntable is a .gif, or a folder of pictures; give a name without a suffix")
    try:
        path.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise InputError(f"{path}: cannot be made a folder ({error.strerror})") from error
    for number, turn in enumerate(turns):
        save_picture(_picture(stage, turn, 12.0), path / f"{number:04d}.png")


def angles_of(view: str) -> tuple[float, float]:
    """A view by its name, or as "azimuth,elevation" in degrees."""
    if view in VIEWS:
        return VIEWS[view]
    try:
        azimuth, elevation = (float(word) for word in view.split(","))
    except ValueError:
        known = ", ".join(VIEWS)
        raise InputError(f"the view '{view}' is not known; there are {known}, or two angles like 30,15") from None
    return azimuth, elevation


def _stage(scene: Scene, size: tuple[int, int], up: str) -> Stage:
    polyscope = start(window=False)
    polyscope.set_window_size(*size)
    stage = Stage(polyscope, scene, up=up)
    stage.refresh()
    return stage


def _picture(stage: Stage, azimuth: float, elevation: float) -> Image:
    stage.look(azimuth, elevation)
    return np.ascontiguousarray(stage.polyscope.screenshot_to_buffer(transparent_bg=False)[..., :3])


def _write_gif(pictures: list[Image], path: Path) -> None:
    from PIL import Image as Pillow

    from meshtide.files import write_atomically

    first, *others = [Pillow.fromarray(picture).convert("P", palette=Pillow.Palette.ADAPTIVE) for picture in pictures]
    stream = io.BytesIO()
    first.save(stream, "GIF", save_all=True, append_images=others, duration=80, loop=0)
    write_atomically(path, stream.getvalue())
