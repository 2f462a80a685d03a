"""What the paper prints, from the one file that holds it."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from importlib import resources


@dataclass(frozen=True)
class Printed:
    """A figure of the paper: a mean and, where it has one, a deviation."""

    mean: float
    deviation: float | None = None


@dataclass(frozen=True, eq=False)
class Section:
    """A table or figure of the paper: where it stands, what it is about, and its figures by row and column."""

    name: str
    where: str
    title: str
    figures: Mapping[str, Mapping[str, tuple[float, ...]]]

    def figure(self, row: str, column: str) -> Printed | None:
        """The figure of a row and column; None where the paper has none."""
        numbers = self.figures.get(row, {}).get(column)
        return Printed(*numbers[:2]) if numbers else None

    def columns(self) -> tuple[str, ...]:
        """The columns in the paper's order."""
        return tuple(dict.fromkeys(column for row in self.figures.values() for column in row))


@cache
def sections() -> Mapping[str, Section]:
    """All sections by name, in the order in which they are listed."""
    text = resources.files("meshtide.paper").joinpath("printed.toml").read_text(encoding="utf-8")
    return {
        name: Section(
            name,
            said["where"],
            said["title"],
            {
                row: {key: tuple(numbers) for key, numbers in cells.items()}
                for row, cells in said.get("figures", {}).items()
            },
        )
        for name, said in tomllib.loads(text).items()
    }
