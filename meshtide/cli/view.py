"""The command `view`."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer
from rich.markup import escape

from meshtide.cli.console import CacheOption, DataOption, cache_of, out
from meshtide.errors import InputError

if TYPE_CHECKING:
    from meshtide.viewer.state.scene import Scene


def view(
    sources: Annotated[
        list[str], typer.Argument(metavar="MESH", help="Mesh files, folders of them, or the names of cards.")
    ],
    model: Annotated[
        Path | None, typer.Option(metavar="MODEL", help="A model that `train` wrote, instead of the one that ships.")
    ] = None,
    labels: Annotated[Path | None, typer.Option(metavar="FILE", help="True labels of the one mesh.")] = None,
    mode: Annotated[
        str | None,
        typer.Option(help="prediction, truth, difference, confidence, hks, eigenfunction, painting or support."),
    ] = None,
    vertex: Annotated[int | None, typer.Option(min=0, help="The vertex whose diffusion support is shown.")] = None,
    split: Annotated[str, typer.Option(help="Which shapes of a card.")] = "all",
    screenshot: Annotated[
        Path | None, typer.Option(metavar="PNG", help="Draw into a file instead of opening a window.")
    ] = None,
    views: Annotated[
        str, typer.Option(help="Sides for the screenshot: front, side, back, top, three-quarter or angles, with ;")
    ] = "three-quarter",
    size: Annotated[str, typer.Option(help="Width and height of a picture in pixels.")] = "900x700",
    turntable: Annotated[
        Path | None, typer.Option(metavar="GIF", help="Turn once around: a .gif, or a folder of pictures.")
    ] = None,
    frames: Annotated[int, typer.Option(min=2, max=720, help="Pictures of the turntable.")] = 36,
    html: Annotated[
        Path | None, typer.Option(metavar="HTML", help="Write a page to turn the parts around on, for any browser.")
    ] = None,
    up: Annotated[str, typer.Option(help="y, z, or auto to guess.")] = "auto",
    data: DataOption = None,
    cache: CacheOption = None,
) -> None:
    """Look at the parts of meshes, at how sure they are, and at how far information travels from a vertex you click.

    Parts can be painted and corrected, and a small model trained on what is painted.
    """
    from meshtide.inference.model import load_model
    from meshtide.viewer.state.item import model_tools
    from meshtide.viewer.state.scene import Scene

    if up not in ("auto", "y", "z"):
        raise InputError(f"--up {up!r} is not known; there are auto, y and z")
    pixels = _pixels(size)
    tools = model_tools(None if model is None else load_model(model), cache=cache_of(cache))
    scene = Scene(_entries(sources, labels, split, data), tools)
    _choose(scene, mode, vertex)
    if html is not None:
        _write_page(scene, html)
    if screenshot is None and turntable is None:
        if html is not None:
            return
        from meshtide.viewer.window import Window

        Window(scene).open()
        return
    from meshtide.viewer import window as viewer

    if screenshot is not None:
        viewer.screenshot(scene, screenshot, size=pixels, views=views.split(";"), up=up)
        out.print(f"wrote {escape(str(screenshot))}")
    if turntable is not None:
        viewer.turntable(scene, turntable, frames=frames, size=pixels, up=up)
        out.print(f"wrote {escape(str(turntable))}")


def _write_page(scene: Scene, path: Path) -> None:
    """All meshes of the scene on one page."""
    from meshtide.output.page import write_page

    found = [scene.item_at(index).prediction for index in range(len(scene.entries))]
    titles = [entry.name for entry in scene.entries]
    write_page([each for each in found if each is not None], path, titles=titles)
    out.print(f"wrote {escape(str(path))}")


def _choose(scene: Scene, mode: str | None, vertex: int | None) -> None:
    if vertex is not None:
        scene.select(vertex)
    if mode is not None or vertex is not None:
        scene.show(mode or "support")


def _entries(sources: list[str], labels: Path | None, split: str, data: Path | None) -> list[Any]:
    """What is to be shown: the meshes of files, and the shapes of folders and cards."""
    from meshtide.data.card import known_cards
    from meshtide.data.collection import open_collection
    from meshtide.labels.files import read_labels
    from meshtide.mesh.files import load_ready
    from meshtide.viewer.state.item import collection_entries

    if labels is not None:
        if len(sources) != 1 or not Path(sources[0]).is_file():
            raise InputError(f"{labels}: --labels are those of one mesh file; give that file alone")
        mesh = load_ready(sources[0])[0]
        return [(mesh, read_labels(labels, mesh))]
    entries: list[Any] = []
    for source in sources:
        path = Path(source)
        is_card = source.partition(":")[0] in known_cards() or path.suffix == ".toml"
        if path.is_dir() or is_card:
            entries += collection_entries(open_collection(source, data=data), split)
        else:
            entries.append(path)
    return entries


def _pixels(size: str) -> tuple[int, int]:
    try:
        width, height = (int(word) for word in size.lower().split("x"))
    except ValueError:
        raise InputError(f"--size {size!r} is no size; wanted width x height, like 900x700") from None
    if not (16 <= width <= 8192 and 16 <= height <= 8192):
        raise InputError(f"--size {size} is out of range; wanted 16 to 8192 pixels each way")
    return width, height
