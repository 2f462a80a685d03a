"""Tables of the paper's figures beside ours, as text for a terminal or a page."""

from __future__ import annotations

import statistics
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from meshtide.paper.printed import Printed

HEADINGS = ("", "", "paper", "here", "difference", "runs")


@dataclass(frozen=True)
class Found:
    """A figure of ours: mean and deviation over runs."""

    mean: float
    deviation: float | None
    runs: int

    @staticmethod
    def of(values: Sequence[float]) -> Found:
        """The mean of values and, of several, the deviation of a sample."""
        return Found(statistics.fmean(values), statistics.stdev(values) if len(values) > 1 else None, len(values))


@dataclass(frozen=True)
class Cell:
    """One comparison: what the paper has, what was found here, and a word on either."""

    column: str
    row: str
    printed: Printed | None = None
    found: Found | None = None
    note: str = ""  # what is to be known of ours, or why there is none

    @property
    def difference(self) -> float | None:
        """Ours less the paper's."""
        return None if self.printed is None or self.found is None else self.found.mean - self.printed.mean

    @property
    def is_reached(self) -> bool | None:
        """Whether ours is within one deviation, the larger of the two, of the paper's or above."""
        if self.difference is None or self.printed is None or self.found is None:
            return None
        return self.difference >= -max(self.printed.deviation or 0.0, self.found.deviation or 0.0)


@dataclass(frozen=True, eq=False)
class Report:
    """What reproducing one table or figure gave."""

    name: str
    title: str
    where: str  # in the paper
    cells: tuple[Cell, ...] = ()
    pictures: tuple[Path, ...] = ()
    notes: tuple[str, ...] = ()
    digits: int = 2
    judged: bool = True  # whether more is better, so that figures are reached or not

    def rows(self) -> list[tuple[str, ...]]:
        """The cells as texts, after a row of headings."""
        lines: list[tuple[str, ...]] = [HEADINGS]
        previous = None
        for cell in self.cells:
            found = _number(cell.found.mean, cell.found.deviation, self.digits) if cell.found else "–"
            printed = _number(cell.printed.mean, cell.printed.deviation, self.digits) if cell.printed else "–"
            difference = "" if cell.difference is None else f"{cell.difference:+.{self.digits}f}"
            runs = str(cell.found.runs) if cell.found else ""
            told = f"{runs} {cell.note}".strip()
            lines.append((cell.column if cell.column != previous else "", cell.row, printed, found, difference, told))
            previous = cell.column
        return lines

    def as_text(self) -> str:
        """The report for a terminal."""
        parts = [f"{self.title} ({self.where})"]
        if self.cells:
            rows = self.rows()
            widths = [max(len(row[column]) for row in rows) for column in range(len(HEADINGS))]
            parts += [
                "  ".join(text.ljust(width) for text, width in zip(row, widths, strict=True)).rstrip() for row in rows
            ]
            parts.append(self.summary())
        parts += [*self.notes, *(f"wrote {path}" for path in self.pictures)]
        return "\n".join(part for part in parts if part)

    def as_markdown(self) -> str:
        """The report for a page."""
        parts = [f"## {self.title}\n\n*{self.where[0].upper()}{self.where[1:]}*"]
        if self.cells:
            head, *rows = self.rows()
            lines = [f"| {' | '.join(head)} |", "|" + "---|" * len(head)]
            lines += [f"| {' | '.join(row)} |" for row in rows]
            parts += ["\n".join(lines), self.summary()]
        parts += [*self.notes, *(f"![{self.title}]({path.name})" for path in self.pictures)]
        return "\n\n".join(part for part in parts if part) + "\n"

    def summary(self) -> str:
        """How many of the paper's figures are reached."""
        judged = [cell.is_reached for cell in self.cells if cell.is_reached is not None]
        if not judged or not self.judged:
            return ""
        return f"{sum(judged)} of {len(judged)} figures of the paper are within one deviation or above."


def _number(mean: float, deviation: float | None, digits: int) -> str:
    return f"{mean:.{digits}f}" + (f" ± {deviation:.{digits}f}" if deviation is not None else "")
