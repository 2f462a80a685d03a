"""The model that names things learns what it is shown, and every shape is taken for what the tables say."""

from __future__ import annotations

import numpy as np
import pytest
import torch

from meshtide.data.figures.objects import make_object
from meshtide.inference.recognise import trained_recogniser
from meshtide.training.regions.examples import RegionExample, make_example
from meshtide.training.regions.train import Progress
from meshtide.training.thing_parts import THINGS, parts_of_kind
from meshtide.training.things import ThingsSchedule, kept_faces, train_namer, wanted_shapes

KINDS = {kind: parts_of_kind(kind) for kind in ("cup", "table")}
SCHEDULE = ThingsSchedule(head_steps=150, steps=3, sample=100, kept=600)


@pytest.fixture(scope="module")
def examples() -> list[RegionExample]:
    made = [(sort, make_object(sort, seed)) for sort in ("mug", "table", "gear") for seed in (1, 2)]
    return [make_example(figure.mesh, figure.face_parts, f"objects.{sort}", dense=False) for sort, figure in made]


def test_it_learns_what_it_is_shown_and_the_same_again(examples: list[RegionExample]) -> None:
    seen: list[Progress] = []

    def trained(tell=lambda _: None):
        things = [kept_faces(example, KINDS, SCHEDULE.kept, np.random.default_rng(0)) for example in examples]
        return train_namer(things, KINDS, trained_recogniser().network, SCHEDULE, tell)

    namer = trained(seen.append)
    assert {each.stage for each in seen} == {"features", "head", "things"}
    for example in examples:
        inputs = kept_faces(example, KINDS, 600, np.random.default_rng(1)).inputs
        inputs = type(inputs)(*(array.astype(np.float32) for array in vars(inputs).values()))
        shares = namer.shares(namer.scores(inputs), inputs.areas)
        likeliest = max(shares, key=lambda kind: shares[kind])
        wanted = {"objects.mug": "cup", "objects.table": "table"}.get(example.kind)
        assert (likeliest == wanted) if wanted else (sum(shares.values()) < 0.5)
    again = trained()
    assert all(torch.equal(a, b) for a, b in zip(namer.network.parameters(), again.network.parameters(), strict=True))


def test_small_parts_are_seen_and_areas_stay_true(examples: list[RegionExample]) -> None:
    cup = kept_faces(examples[0], KINDS, 4000, np.random.default_rng(0))
    areas, parts = examples[0].inputs.areas, examples[0].parts
    handle = parts == parts.max()
    first = sum(len(names) for names in list(KINDS.values())[:0])
    share = cup.inputs.areas[cup.outputs != first].sum() / cup.inputs.areas.sum()
    assert (cup.outputs != first).mean() > 0.15
    assert share == pytest.approx(areas[handle].sum() / areas.sum(), rel=0.3)


def test_the_shapes_wanted_are_those_of_the_tables() -> None:
    wanted = wanted_shapes(3, 1)
    sorts = [f"{recipe.source}.{recipe.kind}" for recipe in wanted]
    named = {sort for kinds in THINGS.values() for sort in kinds}
    assert all(sorts.count(sort) == (3 if sort in named else 1) for sort in set(sorts))
    assert len(set(wanted)) == len(wanted)
