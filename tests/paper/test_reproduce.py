"""Reproducing the paper's tables: protocol, records, tables; on small graphs made here."""

from __future__ import annotations

import json
import os
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
import torch
from typer.testing import CliRunner

import meshtide
from meshtide.cli import app
from meshtide.data.nodes.task import NodeTask
from meshtide.errors import InputError
from meshtide.paper import trial as trial_module
from meshtide.paper.bench import GCN, Bench, tide
from meshtide.paper.cost import ARXIV_EDGES, ARXIV_NODES, generated_edges
from meshtide.paper.distances import edges_to
from meshtide.paper.node_tables import depth, nodes, zeroed
from meshtide.paper.printed import Printed, sections
from meshtide.paper.records import Records
from meshtide.paper.reproduce import TABLES, contents
from meshtide.paper.table import Cell, Found, Report
from meshtide.paper.trial import Graphs, Outcome, Trial, run_trial

COUNT, CLASSES = 120, 3


def task(name: str = "cora") -> NodeTask:
    """Three groups of nodes, most of whose neighbours are of their own group."""
    random = np.random.default_rng(0)
    labels = np.arange(COUNT) % CLASSES
    own = random.integers(0, COUNT // CLASSES, (400, 2)) * CLASSES + random.integers(0, CLASSES, 400)[:, None]
    edges = np.concatenate([own, random.integers(0, COUNT, (40, 2)), [[n, (n + 1) % COUNT] for n in range(COUNT)]])
    features = np.eye(CLASSES, dtype=np.float32)[labels] + random.random((COUNT, CLASSES)).astype(np.float32)
    order = random.permutation(COUNT)
    masks = [order[:30], order[30:60], order[60:]]
    return NodeTask(name, edges, features, labels, splits=(masks,), usual_features="given")


@pytest.fixture
def graphs(monkeypatch: pytest.MonkeyPatch) -> Graphs:
    """A bench's graphs, all of which are the small one; there is no data but for Cora and Citeseer."""

    def opened(name: str, data: object = None) -> NodeTask:
        if name not in ("cora", "citeseer"):
            raise InputError(f"{name}: no such file; get it from https://example.org/{name}")
        return task(name)

    monkeypatch.setattr(trial_module, "open_node_task", opened)
    monkeypatch.setattr(trial_module, "EIGENPAIRS", 16)
    return Graphs(None)


def bench(graphs: Graphs, folder: Path, **more: object) -> Bench:
    return Bench(graphs, Records(folder / "runs.jsonl", resume=True), folder, **more)


def test_every_table_of_the_paper_can_be_run_and_has_its_figures() -> None:
    assert list(sections())
    assert set(TABLES) == set(sections())
    assert [name for name, _, _ in contents()] == list(TABLES)
    assert sections()["nodes"].figure("tide-m", "cora") == Printed(84.47, 0.43)
    assert sections()["zeroed"].figure("tide-s", "computers") == Printed(60.21)
    assert sections()["nodes"].figure("tide-m", "nowhere") is None
    for section in sections().values():
        assert section.title
        assert section.where
        columns = {tuple(sorted(row)) for row in section.figures.values()}
        assert len(columns) <= 1, f"{section.name}: a row lacks a column"


def test_a_trial_learns_and_is_repeatable(graphs: Graphs) -> None:
    trial = tide("m").trial("cora", 1, epochs=60, seed=1)
    one, two = run_trial(trial, graphs), run_trial(trial, graphs)
    assert replace(one, seconds=0) == replace(two, seconds=0)
    assert one.test > 0.8
    assert len(one.times) == 1
    assert len(one.times[0]) == 64
    assert len(one.course) == 6
    other = run_trial(replace(trial, seed=2), graphs)
    assert other.times != one.times


def test_zeroed_features_are_those_of_all_nodes_that_are_not_learned_from(graphs: Graphs) -> None:
    given = graphs.task("cora")
    split = given.split()
    values = trial_module._zeroed(given, split)
    dense = values.to_dense() if values.layout is not torch.strided else values
    kept = np.zeros(COUNT, dtype=bool)
    kept[split.train] = True
    assert (dense[~kept] == 0).all()
    np.testing.assert_array_equal(dense[kept].numpy(), given.features[kept])
    trial = GCN.trial("cora", None, epochs=20)
    assert run_trial(replace(trial, zeroed=True), graphs).test < run_trial(trial, graphs).test


def test_the_paper_s_training_is_what_it_says(graphs: Graphs) -> None:
    trial = tide("s").trial("cora", 2)
    given = graphs.task("cora")
    training = trial_module._training(trial, graphs.prepared("cora"), given, given.split())
    assert training.epochs == 500
    assert type(training.optimiser) is torch.optim.Adamax
    group = training.optimiser.param_groups[0]
    assert (group["lr"], group["weight_decay"]) == (0.01, 0)
    network = training.network
    assert len(network.blocks) == 2
    for block in network.blocks:
        assert block.mlp is None
        assert block.residual
        assert block.drop.kept == 128
        start = [float(value) for parameter in block.diffusion.parameters() for value in parameter.detach().ravel()]
        assert start == [0, 0, 0]
    # Features are as prepared, not brought to mean 0 besides.
    assert float(network.normalise.mean.abs().sum()) == 0


def test_what_is_done_is_not_done_again(graphs: Graphs, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    told: list[str] = []
    first = bench(graphs, tmp_path, runs=2, only=("cora",), networks=("gcn",), told=told.append)
    monkeypatch.setattr(trial_module, "EPOCHS", 5)
    fast = replace(first, fast=True)
    report = nodes(fast)
    assert [cell.found.runs for cell in report.cells if cell.found] == [1, 1]
    assert len(told) == 2
    again = nodes(replace(bench(graphs, tmp_path), only=("cora",), networks=("gcn",), fast=True, told=told.append))
    assert again.rows() == report.rows()
    assert len(told) == 2
    with pytest.raises(InputError, match=r"runs.jsonl: has 2 runs; `resume` goes on"):
        Records(tmp_path / "runs.jsonl")


def test_a_record_that_was_cut_off_is_run_again(tmp_path: Path) -> None:
    path = tmp_path / "runs.jsonl"
    records = Records(path)
    outcome = Outcome(0.5, 0.25, 3, 1.5, ((0.1, 0.2),), ((0.1,),))
    for seed in (0, 1):
        records.add_outcome(Trial("cora", "gcn", seed=seed), outcome)
    whole = path.read_bytes()
    path.write_bytes(whole[:-20])
    back = Records(path, resume=True)
    assert back.outcome(Trial("cora", "gcn", seed=0)) == outcome
    assert back.outcome(Trial("cora", "gcn", seed=1)) is None
    back.add_outcome(Trial("cora", "gcn", seed=1), outcome)
    assert len(Records(path, resume=True)) == 2
    path.write_text("this is a poem\n")
    with pytest.raises(InputError, match="holds no runs"):
        Records(path, resume=True)
    with pytest.raises(InputError, match="does not exist"):
        Records(tmp_path / "nowhere" / "runs.jsonl")
    trial = Trial("cora", "gcn")
    path.write_text(json.dumps({"run": json.loads(trial.key()), "gave": {"validation": "much"}}) + "\n")
    with pytest.raises(InputError, match="damaged"):
        Records(path, resume=True).outcome(trial)


def test_validation_chooses_the_number_of_blocks(graphs: Graphs, tmp_path: Path) -> None:
    here = bench(graphs, tmp_path, runs=3)
    method = tide("m", blocks=(1, 2, 3))
    for blocks, validation in ((1, 0.6), (2, 0.8), (3, 0.7)):
        for seed in range(3):
            # The test accuracies would choose otherwise.
            outcome = Outcome(validation, 0.9 - validation, 1, 0.0)
            here.records.add_outcome(method.trial("cora", blocks, seed=seed), outcome)
    cell = here.cell(sections()["nodes"], method, "cora")
    assert cell.note == "2 blocks"
    assert cell.found is not None
    assert cell.found.mean == pytest.approx(10)


def test_missing_data_is_said_once_and_where_to_get_it(graphs: Graphs, tmp_path: Path) -> None:
    here = replace(bench(graphs, tmp_path), only=("photo",), networks=("gcn",))
    for table in (nodes, zeroed):
        report = table(here)
        assert "data not found: photo: no such file; get it from https://example.org/photo" in report.notes
        assert len(report.notes) == 1
        assert all(cell.found is None and cell.note == "no data" for cell in report.cells)
        assert "no data" in report.as_text()


def test_the_depth_table_runs_each_depth(graphs: Graphs, tmp_path: Path) -> None:
    report = depth(replace(bench(graphs, tmp_path), fast=True))
    assert [(cell.column, cell.row) for cell in report.cells] == [
        ("cora, 1", "TIDE-m"), ("cora, 1", "GCN"), ("cora, 2", "TIDE-m"), ("cora, 2", "GCN"),
    ]  # fmt: skip


def test_what_counts_as_reached() -> None:
    def cell(mean: float, deviation: float | None, printed: float = 84.47) -> Cell:
        return Cell("cora", "TIDE-m", Printed(printed, 0.43), Found(mean, deviation, 10))

    assert cell(84.1, 0.2).is_reached
    assert cell(90.0, 0.2).is_reached
    assert not cell(83.9, 0.2).is_reached
    assert cell(83.9, 0.6).is_reached
    assert Cell("cora", "TIDE-m").is_reached is None
    report = Report("nodes", "Nodes", "table 1", (cell(84.1, 0.2), cell(80.0, None)))
    assert report.summary().startswith("1 of 2 figures")
    text, page = report.as_text(), report.as_markdown()
    assert "84.47 ± 0.43  84.10 ± 0.20  -0.37" in text
    assert "| cora | TIDE-m | 84.47 ± 0.43 | 84.10 ± 0.20 | -0.37 | 10 |" in page


def test_distances_are_edges_to_the_nearest() -> None:
    path = np.stack([np.arange(5), np.arange(1, 6)], axis=1)
    assert edges_to(path, 7, np.array([0, 5])).tolist() == [0, 1, 2, 2, 1, 0, -1]


def test_the_generated_graph_is_connected_and_of_its_size() -> None:
    from scipy import sparse
    from scipy.sparse.csgraph import connected_components

    edges = generated_edges(2_000, 14_000)
    assert edges.shape == (14_000, 2)
    assert len(np.unique(np.sort(edges, axis=1), axis=0)) == len(edges)
    assert (edges[:, 0] != edges[:, 1]).all()
    matrix = sparse.coo_array((np.ones(len(edges)), edges.T), shape=(2_000, 2_000))
    assert connected_components(matrix, directed=False)[0] == 1
    degree = np.bincount(edges.ravel())
    assert degree.max() > 10 * degree.mean()  # as hubs of a citation graph
    assert (ARXIV_NODES, ARXIV_EDGES) == (169_343, 1_166_243)


def test_the_command_lists_and_runs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    listed = CliRunner().invoke(app, ["reproduce", "list"])
    assert listed.exit_code == 0
    assert all(name in listed.output for name in TABLES)
    here = ["reproduce", "support", "--fast", "--data", "nowhere", "-o", "out", "--markdown", "page.md"]
    done = CliRunner().invoke(app, here)
    assert done.exit_code == 0, done.output
    assert (tmp_path / "out" / "support.png").read_bytes()[:4] == b"\x89PNG"
    assert "generated body" in (tmp_path / "page.md").read_text() or "support.png" in (tmp_path / "page.md").read_text()
    missing = CliRunner().invoke(app, ["reproduce", "distances", "--data", "nowhere", "--graphs", "cora"])
    assert missing.exit_code == 0
    assert "data not found" in missing.output
    assert "no data" in missing.output
    with pytest.raises(InputError, match="there are nodes, zeroed"):
        meshtide.reproduce("everything")
    with pytest.raises(InputError, match="`runs=0`"):
        meshtide.reproduce("nodes", runs=0)
    with pytest.raises(InputError, match="`resume` goes on"):
        meshtide.reproduce("nodes", resume=True)


def test_everything_runs_at_reduced_size(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Every table, on the real graphs where they are there; without them each says what it lacks."""
    monkeypatch.chdir(tmp_path)
    given = os.environ.get("MESHTIDE_DATA", "nowhere")
    here = ["reproduce", "all", "--fast", "--data", given, "--json", "runs.jsonl", "--markdown", "page.md"]
    done = CliRunner().invoke(app, here, catch_exceptions=False)
    assert done.exit_code == 0, done.output
    page = (tmp_path / "page.md").read_text()
    for section in sections().values():
        assert f"## {section.title}" in page
    if Path(given).is_dir():
        assert "no data" not in page
        assert {"support.png", "segmentation.png", "homophily.png", "time-fixed.png", "time-learned.png"} == {
            path.name for path in (tmp_path / "reproduced").iterdir()
        }
        assert len(Records("runs.jsonl", resume=True)) > 10
