"""A segmented mesh as one HTML file that any browser shows: no network, no library, nothing to install."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from meshtide.errors import InputError
from meshtide.files import write_atomically
from meshtide.inference.segmentation import Segmentation
from meshtide.output.page.contents import content
from meshtide.output.page.document import document

__all__ = ["SUFFIXES", "page_bytes", "write_page"]

SUFFIXES = (".html", ".htm")


def page_bytes(segmentation: Segmentation, *, title: str | None = None) -> bytes:
    """A page on which the shape can be turned, its parts and their instances selected or hidden, its confidence seen.

    The title is the mesh's name. What follows a # in the page's address sets it, as in #azimuth=40&hide=head: azimuth
    and elevation (degrees), zoom, up (x, y, z, -x, -y or -z), mode (parts, instances or confidence), hide and only (the
    name of a part or an instance, as often as needed), choose (one such name) and index (of several shapes, from 0).
    """
    return _page([segmentation], None if title is None else [title])


def write_page(
    segmentations: Segmentation | Sequence[Segmentation],
    path: str | Path,
    *,
    titles: str | Sequence[str] | None = None,
) -> None:
    """Write one or several segmentations as a page (see page_bytes); several have buttons for the next and previous.

    An existing file is replaced whole or not at all.
    """
    path = Path(path)
    if path.suffix.lower() not in SUFFIXES:
        raise InputError(f"{path}: pages are HTML files; end the name with .html instead of '{path.suffix}'")
    several = [segmentations] if isinstance(segmentations, Segmentation) else list(segmentations)
    write_atomically(path, _page(several, [titles] if isinstance(titles, str) else titles))


def _page(segmentations: Sequence[Segmentation], titles: Sequence[str] | None) -> bytes:
    if not segmentations:
        raise InputError("a page of no shapes; give at least one segmentation")
    titles = [each.mesh.name for each in segmentations] if titles is None else titles
    if len(titles) != len(segmentations):
        raise InputError(f"{len(titles):,} titles for {len(segmentations):,} shapes; give one title for each shape")
    return document([content(each, title) for each, title in zip(segmentations, titles, strict=True)])
