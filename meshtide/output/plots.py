"""Pictures of a training run and of its result, as PNG files.

Figures are made without pyplot, so that a caller's own figures, windows and backend stay as they are.
"""

from __future__ import annotations

import io
import warnings
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np
from numpy.typing import NDArray

from meshtide.errors import InputError
from meshtide.files import write_atomically
from meshtide.training.nodes.scores import NodeScore

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure, SubFigure

    from meshtide.training.scores import Score

Numbers = NDArray[np.float64]

INK, FAINT = "#333333", "#dddddd"
MOST_LETTERS = 24  # of a part's name beside the matrix
MOST_PANELS = 6  # of blocks beside each other
TRAINING, VALIDATION = "#0072b2", "#d55e00"
BLOCKS = ("#0072b2", "#009e73", "#cc79a7", "#d55e00", "#882255", "#3c4ba5")


class EpochRecord(Protocol):
    """What is plotted of one epoch of training."""

    @property
    def epoch(self) -> int: ...
    @property
    def loss(self) -> float: ...
    @property
    def train_accuracy(self) -> float: ...
    @property
    def validation_accuracy(self) -> float | None: ...
    @property
    def times(self) -> tuple[tuple[float, ...], ...]:
        """The learned diffusion times, blocks x channels; empty for a network without."""


def plot_confusion(score: Score | NodeScore, path: str | Path) -> None:
    """Draw, for each true part, into which parts its vertices went, in percent of the part; rows add up to 100."""
    part, vertices, title, known = _wording(score)
    names = [_short(name) for name in known]
    counts = score.confusion.sum(axis=1, keepdims=True)
    shares = score.confusion / np.maximum(counts, 1)
    cells, words = max(3.2, 0.42 * len(names)), 0.085 * max(map(len, names))
    figure = new_figure(cells + words + 0.5, cells + 0.7 * words + 0.9)
    axes = figure.subplots()
    axes.imshow(np.where(counts > 0, shares, np.nan), cmap="Blues", vmin=0, vmax=1)
    _write_percent(axes, shares, counts[:, 0])
    _name_cells(axes, names)
    axes.set_xlabel(f"predicted {part}, % of the true {part}'s {vertices}", color=INK, fontsize=9)
    axes.set_ylabel(f"true {part}", color=INK, fontsize=9)
    figure.suptitle(title, color=INK, fontsize=10)
    save_figure(figure, path)


def _wording(score: Score | NodeScore) -> tuple[str, str, str, Iterable[str]]:
    """What is told apart, what is counted, the title, and the names of what is told apart."""
    if isinstance(score, NodeScore):
        accuracy, by_class = 100 * score.accuracy, 100 * score.class_accuracy
        title = f"{score.count:,} nodes: accuracy {accuracy:.1f} %, mean over classes {by_class:.1f} %"
        return "class", "nodes", title, score.classes
    shapes = "1 shape" if len(score.shapes) == 1 else f"{len(score.shapes):,} shapes"
    accuracy, iou = 100 * score.vertex_accuracy, 100 * score.mean_iou
    return "part", "vertices", f"{shapes}: vertex accuracy {accuracy:.1f} %, mean IoU {iou:.1f} %", score.parts


def plot_training(history: Sequence[EpochRecord], path: str | Path, *, kept: int | None = None) -> None:
    """Draw loss, accuracies and, for a network that has them, the learned diffusion times over the epochs.

    The epoch whose weights were `kept` is marked.
    """
    if not history:
        raise InputError(f"{path}: there is no epoch to draw; train for at least one")
    times = _times_of(history)
    figure = new_figure(9, 6 if times else 3.2)
    rows = figure.subfigures(2 if times else 1, 1, squeeze=False)[:, 0]
    epochs = np.array([record.epoch for record in history])
    panels = list(rows[0].subplots(1, 2))
    _draw_loss(panels[0], epochs, history)
    _draw_accuracy(panels[1], epochs, history)
    if times:
        panels += _draw_times(rows[1], epochs, times)
    for axes in panels:
        _tidy(axes, epochs)
        if kept is not None and epochs[0] <= kept <= epochs[-1]:
            axes.axvline(kept, color=INK, linewidth=0.9, linestyle=(0, (3, 2)), zorder=0.5)
    if kept is not None and epochs[0] <= kept <= epochs[-1]:
        _name_kept(panels[0], kept, epochs)
    save_figure(figure, path)


def _name_kept(axes: Axes, kept: int, epochs: NDArray[np.int64]) -> None:
    """Say at the mark of the epoch that was kept what it is, on the side that has room."""
    late = kept > (epochs[0] + epochs[-1]) / 2
    axes.annotate(
        f"kept: epoch {kept}", (kept, 0.97), xycoords=("data", "axes fraction"), xytext=(-4 if late else 4, 0),
        textcoords="offset points", ha="right" if late else "left", va="top", fontsize=8, color=INK,
    )  # fmt: skip


def _write_percent(axes: Axes, shares: Numbers, counts: NDArray[np.int64]) -> None:
    """Numbers in the cells; what rounds to nothing stays blank, so that mistakes stand out."""
    digits = 1 if len(shares) <= 12 else 0
    style: dict[str, Any] = {"ha": "center", "va": "center", "fontsize": 8.5}
    for row in np.flatnonzero(counts == 0).tolist():
        axes.text((len(shares) - 1) / 2, row, "not in the truth", color="#888888", **style)
    for row, column in np.argwhere(np.round(100 * shares, digits) > 0).tolist():
        share = shares[row, column]
        axes.text(column, row, f"{100 * share:.{digits}f}", color="white" if share > 0.55 else INK, **style)


def _name_cells(axes: Axes, names: list[str]) -> None:
    """Part names on both sides and white lines between the cells."""
    axes.set_xticks(range(len(names)), names, rotation=45, ha="right", rotation_mode="anchor", parse_math=False)
    axes.set_yticks(range(len(names)), names, parse_math=False)
    between = np.arange(len(names) - 1) + 0.5
    axes.set_xticks(between, minor=True)
    axes.set_yticks(between, minor=True)
    axes.grid(which="minor", color="white", linewidth=1)
    axes.tick_params(which="both", length=0, labelcolor=INK, labelsize=9)
    axes.spines[:].set_visible(False)


def _draw_loss(axes: Axes, epochs: NDArray[np.int64], history: Sequence[EpochRecord]) -> None:
    axes.plot(epochs, [record.loss for record in history], color=TRAINING, **_stroke(epochs))
    axes.set_title("loss", fontsize=10, color=INK)
    axes.set_ylim(bottom=0)


def _draw_accuracy(axes: Axes, epochs: NDArray[np.int64], history: Sequence[EpochRecord]) -> None:
    training = [100 * record.train_accuracy for record in history]
    axes.plot(epochs, training, color=TRAINING, label="training", **_stroke(epochs))
    # Validation may be measured at some epochs only: the line joins those.
    checked = [(r.epoch, 100 * r.validation_accuracy) for r in history if r.validation_accuracy is not None]
    if checked:
        when, values = np.array(checked).T
        axes.plot(when, values, color=VALIDATION, label="validation", **_stroke(when))
        axes.legend(loc="lower right", frameon=False, fontsize=8, labelcolor=INK)
    lowest = min([*training, *(value for _, value in checked)])
    axes.set_title("accuracy, %", fontsize=10, color=INK)
    axes.set_ylim(max(0.0, 0.95 * lowest - 2) if np.isfinite(lowest) else 0.0, 101)


def _draw_times(row: SubFigure, epochs: NDArray[np.int64], times: dict[int, Numbers]) -> list[Axes]:
    """A panel for each block: its channels as thin lines, the middle 80 % of them as a band, their median as a line."""
    # More panels than fit are thinned out evenly, the first and the last block among those that stay.
    chosen = sorted({round(i) for i in np.linspace(0, len(times) - 1, MOST_PANELS)})
    panels: list[Axes] = list(row.subplots(1, len(chosen), sharey=True, squeeze=False)[0])
    for axes, (number, block) in zip(panels, [list(times.items())[i] for i in chosen], strict=True):
        colour = BLOCKS[number % len(BLOCKS)]
        low, middle, high = np.nanquantile(block, (0.1, 0.5, 0.9), axis=1)
        if block.shape[1] > 1:
            axes.fill_between(epochs, low, high, color=colour, alpha=0.15, linewidth=0)
            axes.plot(epochs, block, color=colour, linewidth=0.4, alpha=0.4)
        axes.plot(epochs, middle, color=colour, **_stroke(epochs))
        axes.set_yscale("log")
        axes.set_title(f"block {number + 1}", fontsize=9, color=INK)
    row.suptitle("learned diffusion times, on a surface of area 1", fontsize=10, color=INK)
    return panels


def _times_of(history: Sequence[EpochRecord]) -> dict[int, Numbers]:
    """For each block that has any the times, (epochs, channels); those that a logarithm cannot show are nan."""
    blocks = [np.array(block, dtype=np.float64) for block in zip(*(record.times for record in history), strict=True)]
    shown = [np.where((block > 0) & np.isfinite(block), block, np.nan) for block in blocks]
    return {number: block for number, block in enumerate(shown) if np.isfinite(block).any(axis=1).all()}


def _stroke(epochs: NDArray[Any]) -> dict[str, Any]:
    """How lines are drawn: few points, and above all one, need marks to be seen."""
    return {"linewidth": 1.5, "marker": "o" if len(epochs) <= 12 else None, "markersize": 3, "clip_on": False}


def _tidy(axes: Axes, epochs: NDArray[np.int64]) -> None:
    from matplotlib.ticker import MaxNLocator

    axes.set_xlabel("epoch", color=INK, fontsize=9)
    axes.xaxis.set_major_locator(MaxNLocator(nbins=5, integer=True, min_n_ticks=1))
    lonely = 0.5 if len(epochs) == 1 else 0.0
    axes.set_xlim(epochs[0] - lonely, epochs[-1] + lonely)
    axes.grid(color=FAINT, linewidth=0.6)
    axes.set_axisbelow(True)
    axes.spines[["top", "right"]].set_visible(False)
    axes.spines[["left", "bottom"]].set_color(FAINT)
    axes.tick_params(which="both", color=FAINT, labelcolor=INK, labelsize=8)


def _short(name: str) -> str:
    return name if len(name) <= MOST_LETTERS else f"{name[: MOST_LETTERS - 1]}…"


def new_figure(width: float, height: float) -> Figure:
    """A figure of so many inches that belongs to nobody's pyplot."""
    from matplotlib.figure import Figure

    return Figure(figsize=(width, height), dpi=150, layout="constrained", facecolor="white")


def save_figure(figure: Figure, path: str | Path) -> None:
    """Write a figure as PNG, whole or not at all."""
    picture = io.BytesIO()
    with warnings.catch_warnings():
        # Names in scripts that the font lacks are drawn as boxes, which the picture itself shows.
        warnings.filterwarnings("ignore", message="Glyph .* missing")
        figure.savefig(picture, format="png")
    write_atomically(Path(path), picture.getvalue())
