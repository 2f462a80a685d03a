"""Several pictures on one sheet, with captions under them and a legend at the bottom."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from meshtide.errors import InputError, printable
from meshtide.output.pictures.paint import BACKGROUND, Image, rgb

if TYPE_CHECKING:
    from PIL.ImageDraw import ImageDraw
    from PIL.ImageFont import FreeTypeFont

INK = "#333333"
README_WIDTH = 900  # pixels at which a page shows a sheet; text is as large as can be read there
LETTER = 15  # pixels of a caption's letters at that width
SMALLEST = 12  # pixels, however narrow the sheet

Legend = Sequence[tuple[str, str]]  # names and colours "#rrggbb"
MOST_LETTERS = 200


def sheet(
    pictures: Sequence[Image],
    captions: Sequence[str] | None = None,
    columns: int | None = None,
    *,
    title: str | None = None,
    legend: Legend | None = None,
    background: Any = BACKGROUND,
) -> Image:
    """Put pictures in a grid, row by row, as bytes (height, width, 3).

    A caption stands under each picture, and is cut with … where it is too long; an empty one leaves its place free.
    The legend's names stand beside patches of their colours, in as many rows as they need.
    """
    captions = [""] * len(pictures) if captions is None else captions
    columns = len(pictures) if columns is None else columns
    if not pictures or columns < 1 or len(captions) != len(pictures):
        raise InputError(
            f"a sheet of {len(pictures)} pictures with {len(captions)} captions in {columns} columns cannot be made; "
            "give at least one picture, one column and a caption for each picture"
        )
    columns = min(columns, len(pictures))
    width = columns * max(picture.shape[1] for picture in pictures)
    letter = max(SMALLEST, round(LETTER * width / README_WIDTH))
    bands = [_title(title, width, round(1.25 * letter), background)] if title else []
    bands += _grid(pictures, captions, columns, letter, background)
    bands += [_legend(legend, width, letter, background)] if legend else []
    return np.concatenate(bands)


def _grid(
    pictures: Sequence[Image], captions: Sequence[str], columns: int, letter: int, background: Any
) -> Iterator[Image]:
    """The rows of pictures, each with its captions."""
    cell = tuple(max(picture.shape[side] for picture in pictures) for side in (0, 1))
    for first in range(0, len(pictures), columns):
        row = _blank(cell[0], columns * cell[1], background)
        for place, picture in enumerate(pictures[first : first + columns]):
            top, left = (cell[0] - picture.shape[0]) // 2, (cell[1] - picture.shape[1]) // 2 + place * cell[1]
            row[top : top + picture.shape[0], left : left + picture.shape[1]] = picture
        yield row
        words = captions[first : first + columns]
        if any(captions):
            middles = [((place + 0.5) * cell[1], word) for place, word in enumerate(words)]
            yield _line(middles, columns * cell[1], 0.94 * cell[1], letter, background)


def _title(title: str, width: int, letter: int, background: Any) -> Image:
    return _line([(width / 2, title)], width, 0.96 * width, letter, background)


def _line(words: list[tuple[float, str]], width: int, room: float, letter: int, background: Any) -> Image:
    """A line of text: words around the columns they are centred on, each with the same room."""
    band = _blank(2 * letter, width, background)
    draw, paper = _draw_on(band)
    for middle, word in words:
        draw.text((middle, 0.9 * letter), _cut(word, room, letter), fill=INK, font=_font(letter), anchor="mm")
    return np.asarray(paper())


def _legend(legend: Legend, width: int, letter: int, background: Any) -> Image:
    """Rows of coloured patches with names, each row in the middle."""
    room = width - 2 * letter
    entries = [(_cut(name, room - 2 * letter, letter), colour) for name, colour in legend]
    rows = list(_legend_rows(entries, room, letter))
    band = _blank(round(letter * (1.7 * len(rows) + 1)), width, background)
    draw, paper = _draw_on(band)
    for number, row in enumerate(rows):
        left = (width - sum(_entry_width(name, letter) for name, _ in row) + letter) / 2
        middle = letter * (1.7 * number + 1.15)
        for name, colour in row:
            patch = (round(left), round(middle - letter / 2), round(left + letter), round(middle + letter / 2))
            draw.rounded_rectangle(patch, radius=letter / 5, fill=tuple(rgb(colour).astype(int).tolist()))
            draw.text((left + 1.4 * letter, middle), name, fill=INK, font=_font(letter), anchor="lm")
            left += _entry_width(name, letter)
    return np.asarray(paper())


def _legend_rows(entries: Legend, room: float, letter: int) -> Iterator[list[tuple[str, str]]]:
    row: list[tuple[str, str]] = []
    taken = 0.0
    for name, colour in entries:
        if row and taken + _entry_width(name, letter) - letter > room:
            yield row
            row, taken = [], 0.0
        row.append((name, colour))
        taken += _entry_width(name, letter)
    yield row


def _entry_width(name: str, letter: int) -> float:
    """Pixels from one patch to the next."""
    return _font(letter).getlength(name) + 2.6 * letter


def _cut(text: str, room: float, letter: int) -> str:
    """As much of a text as fits."""
    whole = printable(" ".join(text.split()))
    text = whole[:MOST_LETTERS]  # measuring takes long for a name of thousands, which a stranger's file may have
    if text == whole and _font(letter).getlength(text) <= room:
        return text
    while text and _font(letter).getlength(f"{text}…") > room:
        text = text[:-1]
    return f"{text.rstrip()}…"


def _blank(height: int, width: int, background: Any) -> Image:
    band = np.empty((height, width, 3), dtype=np.uint8)
    band[:] = (rgb(background) + 0.5).astype(np.uint8)
    return band


def _draw_on(band: Image) -> tuple[ImageDraw, Any]:
    """A pen for an image, and a function that gives the image as drawn on."""
    from PIL import Image as Pillow
    from PIL import ImageDraw

    paper = Pillow.fromarray(band)
    return ImageDraw.Draw(paper), lambda: np.asarray(paper)


@cache
def _font(letter: int) -> FreeTypeFont:
    """Matplotlib brings a font along, so that text looks the same on every machine."""
    from matplotlib import get_data_path
    from PIL import ImageFont

    path = Path(get_data_path()) / "fonts" / "ttf" / "DejaVuSans.ttf"
    # Pillow's own layout needs no library that some machines lack.
    return ImageFont.truetype(str(path), letter, layout_engine=ImageFont.Layout.BASIC)
