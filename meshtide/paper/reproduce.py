"""Any table or figure of the paper by its name."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

from meshtide.errors import InputError
from meshtide.paper.bench import Bench
from meshtide.paper.cost import cost
from meshtide.paper.curves import homophily, times
from meshtide.paper.distances import distances
from meshtide.paper.meshes import meshes
from meshtide.paper.node_tables import depth, heterophily, implicit, nodes, residual, splits, zeroed
from meshtide.paper.printed import sections
from meshtide.paper.records import Records
from meshtide.paper.surfaces import segmentation, support
from meshtide.paper.table import Report
from meshtide.paper.trial import Graphs
from meshtide.words import known

TABLES: Mapping[str, Callable[[Bench], Report]] = {
    "nodes": nodes,
    "zeroed": zeroed,
    "meshes": meshes,
    "cost": cost,
    "depth": depth,
    "distances": distances,
    "heterophily": heterophily,
    "residual": residual,
    "implicit": implicit,
    "time": times,
    "homophily": homophily,
    "support": support,
    "segmentation": segmentation,
    "splits": splits,
}
OUTPUT = "reproduced"  # the folder of figures


def reproduce(
    name: str,
    *,
    runs: int | None = None,
    data: str | Path | None = None,
    report: str | Path | None = None,
    resume: bool = False,
    fast: bool = False,
    output: str | Path = OUTPUT,
    graphs: Sequence[str] = (),
    networks: Sequence[str] = (),
    told: Callable[[str], None] = lambda sentence: None,
) -> Report:
    """Run the experiments of one table or figure of the paper, and put the paper's figures beside those found here.

    `runs` is how many of every cell; without it 10 on small graphs and 3 on others. `graphs` and `networks` leave the
    others out. Every run is added to the `report`, a file of JSON lines, as it is done, and `resume=True` takes those
    that stand there. Figures go to the folder `output`. `fast` is a look at everything: too short for its figures to
    mean anything. `told` is called with a sentence after every run.

    >>> import meshtide as mt
    >>> print(mt.reproduce("support", fast=True, data="nowhere").as_text())  # doctest: +ELLIPSIS
    How far a layer reaches at several times (figure 1)
    90 % of |T_t| lies within a geodesic radius, ...
    wrote reproduced/support.png
    """
    known(name, tuple(TABLES), "table")
    if runs is not None and runs < 1:
        raise InputError(f"`runs={runs}` is too small; it should be 1 or more")
    if resume and report is None:
        raise InputError("`resume` goes on with the runs of an earlier time: name their file with `report`")
    bench = Bench(
        Graphs(None if data is None else str(data)),
        Records(report, resume=resume),
        Path(output),
        runs,
        tuple(graphs),
        tuple(networks),
        fast,
        told,
    )
    return TABLES[name](bench)


def contents() -> list[tuple[str, str, str]]:
    """The name of every table and figure, its title, and where it stands in the paper."""
    return [(name, sections()[name].title, sections()[name].where) for name in TABLES]
