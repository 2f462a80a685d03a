"""Cards of graphs: whole, found by name, true about the files; wrong ones are refused in a sentence."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from meshtide.data.nodes.card import known_node_cards, load_node_card
from meshtide.data.nodes.opening import is_node_source, open_node_task
from meshtide.errors import InputError

CARD = """
name = "mine"
obtain = "Ask the author."
[graph]
places = ["mine.npz", "other/mine.npz"]
component = "largest"
nodes = 3
edges = 2
[splits.few]
per_class = 1
development = 2
seeds = "3-5"
"""
# The table of the paper, after what is not in the largest component was left out; nodes, edges, features, classes.
PAPER = {
    "cora": (2485, 5069, 1433, 7),
    "citeseer": (2120, 3679, 3703, 6),
    "pubmed": (19717, 44324, 500, 3),
    "coauthor_cs": (18333, 81894, 6805, 15),
    "computers": (13381, 245778, 767, 10),
    "photo": (7487, 119043, 745, 8),
}
HETEROPHILIC = {"chameleon": 2277, "actor": 7600, "cornell": 183, "texas": 183, "wisconsin": 251}


def save(path: Path) -> None:
    np.savez(path, edges=[[0, 1], [1, 2], [3, 4]], features=np.eye(5), labels=[0, 1, 0, 1, 0])


def test_the_cards_of_a_checkout_are_known() -> None:
    files = (Path(__file__).parents[3] / "datasets" / "graphs").glob("*.toml")
    assert list(known_node_cards()) == sorted(file.stem for file in files)


@pytest.mark.parametrize("name", known_node_cards())
def test_the_cards_that_come_with_us_are_whole(name: str) -> None:
    card = load_node_card(name)
    assert card.name == name
    assert all((card.title, card.licence, card.obtain, card.nodes, card.channels, card.split))
    assert card.source.startswith("https://")
    assert is_node_source(name)


@pytest.mark.parametrize("name", PAPER)
def test_counts_are_those_of_the_papers_table(name: str, data_folder: Path) -> None:
    task = open_node_task(name, data=data_folder)
    assert (task.count, len(task.edges), task.features.shape[1], len(task.classes)) == PAPER[name]
    split = task.split()
    assert len(split.train) + len(split.validation) == 1500
    if name == "cora":
        assert len(split.train) == 129
    assert task.split_count("random") == 10


@pytest.mark.parametrize("name", HETEROPHILIC)
def test_heterophilic_graphs_have_their_ten_splits(name: str, data_folder: Path) -> None:
    task = open_node_task(name, data=data_folder)
    assert (task.count, task.split_count()) == (HETEROPHILIC[name], 10)
    shares = [len(part) / task.count for part in (task.split().train, task.split().validation, task.split().test)]
    np.testing.assert_allclose(shares, [0.48, 0.32, 0.2], atol=0.02)


def test_homophily_rises_with_the_number_of_the_generated_graph(data_folder: Path) -> None:
    shares = []
    for number in (0, 3, 6, 9):
        task = open_node_task(f"mixhop:{number}", data=data_folder)
        shares.append(np.mean(task.labels[task.edges[:, 0]] == task.labels[task.edges[:, 1]]))
    np.testing.assert_allclose(shares, [0, 0.3, 0.6, 0.9], atol=0.05)


def test_a_card_by_its_path(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("MESHTIDE_DATA", raising=False)
    (tmp_path / "mine.toml").write_text(CARD)
    assert is_node_source(str(tmp_path / "mine.toml"))
    with pytest.raises(InputError, match=r"mine\.npz or .*no such file; Ask the author"):
        open_node_task(tmp_path / "mine.toml")
    (tmp_path / "other").mkdir()
    save(tmp_path / "other" / "mine.npz")
    task = open_node_task(tmp_path / "mine.toml")
    assert (task.name, task.count, len(task.edges)) == ("mine", 3, 2)
    assert task.split_count("few") == 3
    assert open_node_task(tmp_path / "mine.toml", component="all").count == 5
    assert open_node_task(tmp_path / "mine.toml", splits="few:1").usual_split == "few:1"
    with pytest.raises(InputError, match="has no splits 'several'"):
        open_node_task(tmp_path / "mine.toml", splits="several")


def test_another_version_of_a_graph_is_no_silent_answer(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("MESHTIDE_DATA", raising=False)
    save(tmp_path / "mine.npz")
    (tmp_path / "mine.toml").write_text(CARD.replace("nodes = 3", "nodes = 4"))
    with pytest.raises(InputError, match="has 3 nodes and its card says 4; is it another version"):
        open_node_task(tmp_path / "mine.toml")


@pytest.mark.parametrize(
    ("old", "new", "sentence"),
    [
        ('["mine.npz", "other/mine.npz"]', '["../mine.npz"]', "leads outside the data folder"),
        ('["mine.npz", "other/mine.npz"]', '["/etc/passwd"]', "leads outside the data folder"),
        ('["mine.npz", "other/mine.npz"]', "[]", "names none"),
        ('["mine.npz", "other/mine.npz"]', '["{member}.npz"]', "if, and only if, there are members"),
        ('"largest"', '"biggest"', "graph.component 'biggest' is not known"),
        ("nodes = 3", 'nodes = "3"', "nodes is a str; wanted a int"),
        ("nodes = 3", "vertices = 3", "unknown keys 'vertices'"),
        ("[graph]", "[graf]", "unknown keys 'graf'"),
        ("splits.few", "splits.own", "other than 'own'"),
        ("per_class = 1", "train = 0.5", "wanted per_class"),
        ('"3-5"', '"3-999999"', "1,000 are the most"),
        ('"3-5"', '"three"', "wanted numbers like"),
        ('name = "mine"', 'name = "mine', "is not valid TOML"),
    ],
)
def test_a_wrong_card_is_refused(tmp_path: Path, old: str, new: str, sentence: str) -> None:
    assert old in CARD
    (tmp_path / "mine.toml").write_text(CARD.replace(old, new))
    with pytest.raises(InputError, match=rf"mine\.toml: .*{sentence}"):
        load_node_card(tmp_path / "mine.toml")


def test_what_is_no_member_gets_a_sentence(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="mixhop: has no graph ''; it has 0, 1, 2"):
        open_node_task("mixhop", data=tmp_path)
    with pytest.raises(InputError, match="write 'cora' alone"):
        open_node_task("cora:1", data=tmp_path)
