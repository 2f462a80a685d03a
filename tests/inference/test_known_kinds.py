"""The kinds whose parts have names: one table, which models, recogniser, `segment` and the command line agree with."""

from __future__ import annotations

from importlib import resources
from pathlib import Path

import numpy as np
import pytest
import torch
from command_line import run

import meshtide as mt
from meshtide.errors import InputError
from meshtide.inference.known_kinds import KIND_OF, KNOWN_KINDS, THINGS, together_by_model
from meshtide.inference.model import SHIPPED, shipped_model
from meshtide.inference.recognise import default_recogniser
from meshtide.inference.things import default_namer

MOST_BYTES = 2_000_000  # of all weights that ship together


def test_every_kind_is_named_by_the_model_that_the_table_says_and_by_no_other() -> None:
    for name, kinds in (
        *((name, shipped_model(name).about.kinds) for name in SHIPPED),
        (THINGS, default_namer().kinds),
    ):
        assert {kind for kind, known in KNOWN_KINDS.items() if known.model == name} == set(kinds)
        assert all(mt.known_kinds()[kind] == tuple(parts) for kind, parts in kinds.items())


def test_every_sort_of_a_kind_is_one_that_the_recogniser_knows_and_of_one_kind_alone() -> None:
    assert set(KIND_OF) <= set(default_recogniser().sorts)
    assert len(KIND_OF) == sum(len(known.sorts) for known in KNOWN_KINDS.values())


def test_kinds_are_counted_together_by_their_model() -> None:
    for kind, known in KNOWN_KINDS.items():
        together = together_by_model(dict.fromkeys(KNOWN_KINDS, 0.0) | {kind: 0.75})
        assert together == {name: 0.75 if name == known.model else 0.0 for name in (*SHIPPED, THINGS)}


def test_an_unknown_kind_is_a_sentence_that_lists_the_known_ones() -> None:
    with pytest.raises(InputError, match=r"no kind 'unicorn'.*humanoid.*chair"):
        mt.segment(mt.make_figure("hand", 1)[0], kind="unicorn")


def test_the_command_line_lists_all_kinds(tmp_path: Path) -> None:
    said = run("segment", "--kinds", cwd=tmp_path).stdout
    for kind, parts in mt.known_kinds().items():
        assert f"{kind}: {', '.join(parts)}" in " ".join(said.split())


def test_the_weights_that_ship_are_halves_and_small() -> None:
    files = [file for file in (resources.files("meshtide") / "models").iterdir() if file.name.endswith(".safetensors")]
    assert {file.name for file in files} >= {f"{name}.safetensors" for name in SHIPPED.values()}
    assert sum(len(file.read_bytes()) for file in files) < MOST_BYTES
    for file in files:
        assert b'"dtype":"F32"' not in file.read_bytes()
        assert b'"dtype":"F16"' in file.read_bytes()


def test_halves_are_computed_with_in_single_precision_and_round_no_further_when_saved_again(tmp_path: Path) -> None:
    for name in SHIPPED:
        model = shipped_model(name)
        assert all(weight.dtype == torch.float32 for weight in model.network.parameters())
        model.save(tmp_path / "again.safetensors", half=True)
        again = mt.load_model(tmp_path / "again.safetensors").network.state_dict()
        assert all(torch.equal(weight, again[key]) for key, weight in model.network.state_dict().items())


def test_half_precision_is_half_the_file_and_refuses_what_it_cannot_hold(tmp_path: Path) -> None:
    model = shipped_model("default")
    model.save(tmp_path / "half.safetensors", half=True)
    model.save(tmp_path / "single.safetensors")
    sizes = [(tmp_path / f"{name}.safetensors").stat().st_size for name in ("half", "single")]
    assert 1.7 < sizes[1] / sizes[0] < 2
    weights = model.network.state_dict()
    kept = weights["normalise.mean"].clone()
    try:
        weights["normalise.mean"][0] = 1e6
        with pytest.raises(InputError, match=r"normalise\.mean.*half precision"):
            model.save(tmp_path / "large.safetensors", half=True)
    finally:
        weights["normalise.mean"].copy_(kept)
    assert not (tmp_path / "large.safetensors").exists()


def test_a_kind_that_is_given_is_named_by_its_own_model() -> None:
    mesh = mt.make_figure("hand", 7001, "held-out", defects=False)[0]
    for kind in ("hand", "octopus"):
        result = mt.segment(mesh, kind=kind)
        present = set(np.array(result.parts)[np.unique(result.labels.values)])
        assert result.kind == kind
        assert present <= set(mt.known_kinds()[kind])
