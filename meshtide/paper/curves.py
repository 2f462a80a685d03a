"""The paper's figures that are curves: accuracy against homophily or a fixed time, and times as they are learned."""

from __future__ import annotations

import statistics
from collections.abc import Mapping, Sequence
from pathlib import Path

import numpy as np

from meshtide.errors import InputError
from meshtide.output.plots import INK, new_figure, save_figure
from meshtide.paper.bench import ACM, GAT, GCN, GRAND, Bench, tide
from meshtide.paper.printed import sections
from meshtide.paper.table import Cell, Report

HOMOPHILY = tuple(f"mixhop:{number}" for number in range(10))
TIMES = tuple(round(0.1 * step, 1) for step in range(21))
COLOURS = ("#0072b2", "#d55e00", "#333333", "#009e73", "#cc79a7", "#e69f00", "#882255")

Line = tuple[Sequence[float], Sequence[float], Sequence[float]]  # places, means, deviations


def homophily(bench: Bench) -> Report:
    """Accuracy on ten graphs whose nodes have 0 to 9 of 10 neighbours of their own class."""
    section = sections()["homophily"]
    methods = [tide("m", blocks=(1, 2)), tide("s", blocks=(1, 2)), GCN, GAT, GRAND, ACM]
    graphs = bench.chosen(HOMOPHILY)
    wanted = bench.methods_of(methods)
    try:
        bench.graphs.task(graphs[0])
    except InputError as error:
        return Report("homophily", section.title, section.where, notes=(f"data not found: {error}",))
    cells, lines = [], dict[str, Line]()
    for method in wanted:
        row = [bench.cell(section, method, graph) for graph in graphs]
        cells += row
        found = [cell.found for cell in row if cell.found is not None]
        places = [int(graph.partition(":")[2]) / 10 for graph in graphs]
        lines[method.label] = (places, [each.mean for each in found], [each.deviation or 0.0 for each in found])
    cells.sort(key=lambda cell: cell.column)
    path = bench.output / "homophily.png"
    draw_lines(path, {section.title: lines}, "homophily h", "accuracy, %")
    best = "" if bench.fast else _best_everywhere(cells)
    return Report("homophily", section.title, section.where, tuple(cells), (path,), (best,), judged=False)


def _best_everywhere(cells: Sequence[Cell]) -> str:
    """Whether the claim holds that TIDE is best at every h."""
    lost = []
    for graph in dict.fromkeys(cell.column for cell in cells):
        row = [(cell.found.mean, cell.row) for cell in cells if cell.column == graph and cell.found is not None]
        if row and not max(row)[1].startswith("TIDE"):
            lost.append(f"{graph} ({max(row)[1]})")
    if not lost:
        return "The paper's claim that TIDE is the best at every h holds here."
    return f"The paper's claim that TIDE is the best at every h does not hold here: not for {', '.join(lost)}."


def times(bench: Bench) -> Report:
    """Accuracy at fixed times, and times as they are learned."""
    section = sections()["time"]
    graphs = [graph for graph in bench.chosen(("cora", "citeseer", "photo", "pubmed")) if _is_there(bench, graph)]
    if not graphs:
        return Report("time", section.title, section.where, notes=("data not found for any of the graphs",))
    places = (0.0, 1.0) if bench.fast else TIMES
    panels: dict[str, dict[str, Line]] = {}
    notes: list[str] = []
    for graph in graphs:
        # The paper's exp(-t L̃) with t > 0 sharpens, as the smooth eigenvectors of L̃ are those of its largest values.
        curves = {"t > 0, sharpening": 1.0, "t < 0, smoothing": -1.0}
        panels[graph] = {}
        for label, sign in curves.items():
            found = [
                bench.cell(section, tide("s", fixed_time=sign * time if time else 0.0), graph).found for time in places
            ]
            values = [each.mean for each in found if each is not None]
            panels[graph][label] = (places, values, [each.deviation or 0.0 for each in found if each is not None])
            best = int(np.argmax(values))
            notes.append(
                f"{graph}, {label}: {values[0]:.2f} at t = 0, best {values[best]:.2f} at t = {places[best]:g}, "
                f"{values[-1]:.2f} at t = {places[-1]:g}."
            )
    fixed = bench.output / "time-fixed.png"
    draw_lines(fixed, panels, "fixed time t", "accuracy, %")
    learned = bench.output / "time-learned.png"
    draw_lines(learned, _learned(bench, graphs), "epoch", "learned time")
    return Report("time", section.title, section.where, (), (fixed, learned), tuple(notes))


def _learned(bench: Bench, graphs: Sequence[str]) -> dict[str, dict[str, Line]]:
    """The times of some channels of TIDE-m during one training a graph."""
    panels: dict[str, dict[str, Line]] = {}
    for graph in graphs:
        course = np.array(bench.outcome(tide("m").trial(graph, 1, seed=0)).course)
        epochs = [1.0 + 10 * number for number in range(len(course))]
        lines: dict[str, Line] = {
            f"channel {channel}": (epochs, course[:, column].tolist(), [0.0] * len(course))
            for column, channel in enumerate((5, 10, 30, 60))
        }
        mean = [statistics.fmean(row) for row in course.tolist()]
        panels[graph] = lines | {"mean of these": (epochs, mean, [0.0] * len(course))}
    return panels


def _is_there(bench: Bench, graph: str) -> bool:
    try:
        bench.graphs.task(graph)
    except InputError:
        return False
    return True


def draw_lines(path: Path, panels: Mapping[str, Mapping[str, Line]], across: str, up: str) -> None:
    """Lines with bands of one deviation, a panel a title."""
    path.parent.mkdir(parents=True, exist_ok=True)
    figure = new_figure(4.2 * len(panels) + 0.6, 3.6)
    axes = figure.subplots(1, len(panels), squeeze=False)[0]
    for axis, (title, lines) in zip(axes, panels.items(), strict=True):
        for colour, (label, (places, means, deviations)) in zip(COLOURS, lines.items(), strict=False):
            low, high = np.subtract(means, deviations), np.add(means, deviations)
            axis.plot(places, means, color=colour, label=label, linewidth=1.6, marker="o", markersize=2.5)
            axis.fill_between(places, low, high, color=colour, alpha=0.12, linewidth=0)
        axis.set_title(title, fontsize=10, color=INK)
        axis.set_xlabel(across, fontsize=9, color=INK)
        axis.tick_params(labelsize=8, labelcolor=INK)
        axis.grid(color="#eeeeee")
        axis.set_axisbelow(True)
        axis.spines[["top", "right"]].set_visible(False)
    axes[0].set_ylabel(up, fontsize=9, color=INK)
    axes[-1].legend(fontsize=7.5, frameon=False, labelcolor=INK)
    save_figure(figure, path)
