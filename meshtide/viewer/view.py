"""The one call that shows meshes: in a window, as a picture, as a turning picture, or on a page."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from meshtide.errors import InputError
from meshtide.viewer.state.item import Entry, entries_of, model_tools
from meshtide.viewer.state.scene import Scene

if TYPE_CHECKING:
    from meshtide.inference.model import Model
    from meshtide.inference.segmentation import Segmentation
    from meshtide.labels.labels import Labels
    from meshtide.spectral.cache import Cache

UPS = ("auto", "y", "z")
LEAST_PIXELS, MOST_PIXELS = 16, 8192


def view(
    what: Any,
    model: Model | str | Path | None = None,
    *,
    labels: Labels | str | Path | None = None,
    mode: str | None = None,
    vertex: int | None = None,
    split: str = "all",
    screenshot: str | Path | None = None,
    views: Sequence[str] = ("three-quarter",),
    turntable: str | Path | None = None,
    frames: int = 36,
    html: str | Path | None = None,
    size: tuple[int, int] = (900, 700),
    up: str = "auto",
    data: str | Path | None = None,
    cache: Cache | None = None,
) -> list[Path]:
    """Show meshes with their parts: a window opens, unless files are asked for, which are returned.

    `what` is a Segmentation, whatever `segment` takes, a folder or a card's name, or a list of these. Parts are those
    of `model`, as `segment` takes it; `labels` are the true ones of a single mesh. `mode` is what is shown first
    (prediction, instances, truth, difference, confidence, hks, eigenfunction, painting, support) and `vertex` the one
    whose support it is; `split` are the shapes of a card.

    `screenshot` is a PNG from one side or several (`views`: front, side, back, top, three-quarter, or angles such as
    "30,15"), `turntable` a GIF or a folder of as many pictures as there are `frames`, and `html` a page for any
    browser, the only one of these that needs no OpenGL. `size` is in pixels, `up` is y, z or auto.

    >>> import meshtide as mt
    >>> bird = mt.make_figure("bird", 4, "held-out", defects=False)[0]
    >>> [path.name for path in mt.view(bird, html="bird.html")]
    ['bird.html']
    """
    if up not in UPS:
        raise InputError(f"`up={up}` is not known; there are {', '.join(UPS)}")
    if not all(LEAST_PIXELS <= side <= MOST_PIXELS for side in size):
        raise InputError(f"`size={size[0]}x{size[1]}` is out of range; wanted {LEAST_PIXELS} to {MOST_PIXELS} pixels")
    entries = entries_of(what, split=split, data=data)
    scene = Scene(entries if labels is None else _labelled(entries, labels), model_tools(model, cache=cache))
    _choose(scene, mode, vertex)
    written = [] if html is None else [_page(scene, Path(html))]
    if screenshot is None and turntable is None:
        if html is None:
            from meshtide.viewer.window import Window

            Window(scene).open()
        return written
    from meshtide.viewer import window

    if screenshot is not None:
        window.screenshot(scene, screenshot, size=size, views=views, up=up)
        written.append(Path(screenshot))
    if turntable is not None:
        window.turntable(scene, turntable, frames=frames, size=size, up=up)
        written.append(Path(turntable))
    return written


def _labelled(entries: tuple[Entry, ...], labels: Labels | str | Path) -> tuple[Entry, ...]:
    """The one mesh with its true labels."""
    if len(entries) != 1:
        raise InputError(f"`labels` are those of one mesh, and there are {len(entries):,}; give that mesh alone")
    (entry,) = entries
    mesh, _ = entry.load()
    if isinstance(labels, str | Path):
        from meshtide.labels.files import read_labels

        labels = read_labels(labels, mesh)
    labels.check_fits(mesh)
    return (replace(entry, load=lambda: (mesh, labels)),)


def _choose(scene: Scene, mode: str | None, vertex: int | None) -> None:
    if vertex is not None:
        scene.select(vertex)
    if mode is not None or vertex is not None:
        scene.show(mode or "support")


def _page(scene: Scene, path: Path) -> Path:
    """All meshes of the scene on one page."""
    from meshtide.output.page import write_page

    found = [_result(scene, index) for index in range(len(scene.entries))]
    write_page([each for each in found if each is not None], path, titles=[entry.name for entry in scene.entries])
    return path


def _result(scene: Scene, index: int) -> Segmentation | None:
    """The segmentation that was given, or one that counts the elements of the mesh's file."""
    given, item = scene.entries[index].result, scene.item_at(index)
    if given is not None or item.prediction is None:
        return given
    return replace(item.prediction, origin=item.mesh.origin) if item.prediction.mesh is item.mesh else item.prediction
