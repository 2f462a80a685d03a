"""Processes that train together read their own shapes of a stream, and learn what one process would."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
import torch
from labelled_folders import write_figures
from test_distributed import run
from typer.testing import CliRunner

from meshtide.cli import app
from meshtide.inference.model import load_model
from meshtide.training.distributed import ALONE, Team
from meshtide.training.experiment import plan
from meshtide.training.schedule import Schedule
from meshtide.training.sharing import Step, steps_of
from meshtide.training.sources import gather
from meshtide.training.streaming import Glance, Stream
from meshtide.training.views import Example

SAMPLE, ORDER = 60, [4, 0, 3, 6, 1, 2, 5]


@pytest.fixture(scope="module")
def shards(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = write_figures(tmp_path_factory.mktemp("shared") / "shapes", 7)
    place = folder.parent / "shards"
    words = ["prepare", folder, "-k", "12", "--cache", folder.parent / "cache", "--shards", place]
    assert CliRunner().invoke(app, [str(word) for word in words]).exit_code == 0
    return place


@pytest.fixture(scope="module")
def stream(shards: Path) -> Stream[Example]:
    train = gather(plan(shards, validate=False)).train
    assert isinstance(train, Stream)
    assert len(train) == len(ORDER)
    return train.examples


def drawn(stream: Stream[Example], team: Team, schedule: Schedule) -> tuple[list[Step], int, torch.Tensor]:
    """The steps of an epoch, how many shapes were read for it, and the random numbers after it."""
    random, before = torch.Generator().manual_seed(5), stream.ahead.answered
    steps = list(steps_of(stream, ORDER, schedule, team, random))
    return steps, stream.ahead.answered - before, random.get_state()


@pytest.mark.parametrize("sample", [SAMPLE, None])
@pytest.mark.parametrize("size", [2, 3])
def test_each_reads_its_share_and_draws_what_one_would(stream: Stream[Example], size: int, sample: int | None) -> None:
    schedule = Schedule(batch=3, sample=sample)
    steps, read, state = drawn(stream, ALONE, schedule)
    assert read == len(ORDER)
    total = 0
    for rank in range(size):
        own, number, after = drawn(stream, Team(rank, size), schedule)
        total += number
        assert torch.equal(after, state)
        for (views, taught), (whole, of_all) in zip(own, steps, strict=True):
            assert taught == of_all
            assert [view.graph.name for view in views] == [view.graph.name for view in whole[rank::size]]
            for one, other in zip(views, whole[rank::size], strict=True):
                assert torch.equal(one.seen().features, other.seen().features)
    assert total == len(ORDER)


def test_shapes_without_a_label_are_passed_over_and_those_where_chance_decides_are_read_by_all(
    stream: Stream[Example],
) -> None:
    vertices = stream.glance.vertices
    assert stream.glance.counts.sum(dim=1).tolist() == vertices.tolist()  # every vertex has a label
    few = stream.of(stream.shapes)

    def labelled(counts: list[int]) -> int:
        glance = Glance(stream.glance.moments, torch.tensor(counts)[:, None], vertices)
        few.__dict__["glance"] = replace(glance)
        return drawn(few, Team(1, 2), Schedule(batch=2, sample=SAMPLE))[1]

    everything = vertices.tolist()
    assert labelled(everything) == 3  # the second of each pair, and none of the last one alone
    assert labelled([0, *everything[1:]]) == 2
    least = [count - SAMPLE + 1 for count in everything]
    assert labelled(least) == 3
    assert labelled([least[0] - 1, *least[1:]]) == len(ORDER)


def test_two_processes_on_shards_give_the_model_of_one(shards: Path, tmp_path: Path) -> None:
    models = []
    for processes in (1, 2):
        output = tmp_path / f"{processes}.safetensors"
        done = run(processes, shards, output, "--epochs", "4")
        assert done.returncode == 0, done.stderr
        models.append(load_model(output))
    for one, two in zip(*(model.network.state_dict().values() for model in models), strict=True):
        torch.testing.assert_close(one, two, rtol=1e-3, atol=1e-4)
