"""The command `view`."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer
from rich.markup import escape

from meshtide.cli.console import CacheOption, DataOption, cache_of, out
from meshtide.cli.order import check_no_models
from meshtide.errors import InputError


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
        typer.Option(
            help="prediction, instances, truth, difference, confidence, hks, eigenfunction, painting or support."
        ),
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
    from meshtide.viewer.view import view as show

    check_no_models(sources)
    if labels is not None and (len(sources) != 1 or not Path(sources[0]).is_file()):
        raise InputError(f"{labels}: --labels are those of one mesh file; give that file alone")
    written = show(
        sources,
        model,
        labels=labels,
        mode=mode,
        vertex=vertex,
        split=split,
        screenshot=screenshot,
        views=views.split(";"),
        turntable=turntable,
        frames=frames,
        html=html,
        size=_pixels(size),
        up=up,
        data=data,
        cache=cache_of(cache),
    )
    for path in written:
        out.print(f"wrote {escape(str(path))}")


def _pixels(size: str) -> tuple[int, int]:
    try:
        width, height = (int(word) for word in size.lower().split("x"))
    except ValueError:
        raise InputError(f"--size {size!r} is no size; wanted width x height, like 900x700") from None
    return width, height
