"""Everything runs on another device than the processor: a stand-in for a graphics card, see `stand_in_device`.

`test_device.py` runs these tests in a process of their own: pytest tests/training/on_stand_in.py
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
import torch
from labelled_folders import write_figures
from shapes import figure
from stand_in_device import NAME, StandIn, counted, set_up

from meshtide.inference.predict import predict
from meshtide.networks import device as devices
from meshtide.networks.graph import mesh_graph
from meshtide.networks.registry import BUILT_IN, build_network
from meshtide.spectral.recipe import GraphRecipe
from meshtide.training.experiment import plan
from meshtide.training.loop import Training
from meshtide.training.placing import Place
from meshtide.training.run import run_once
from meshtide.training.schedule import Schedule
from meshtide.training.sources import gather
from meshtide.training.views import Example

PARTS = 3
CASES = [(name, operator) for name, record in BUILT_IN.items() for operator in record.operators]


@pytest.fixture(scope="module", autouse=True)
def _device() -> Iterator[None]:
    """Known before anything is differentiated: autograd makes its threads then, for the devices that it knows.

    Not on import: whoever looks for docstrings to run imports this file too.
    """
    libraries = set_up()
    yield
    del libraries


def shapes(operator: str, count: int = 3, extras: tuple[str, ...] = ("gradients",)) -> list[Example]:
    made = []
    for number in range(count):
        mesh, labels = figure(1)
        graph = mesh_graph(mesh, GraphRecipe(operator=operator, k=8), extras=extras if operator == "surface" else ())
        targets = torch.from_numpy(labels[: graph.num_vertices]).long() % PARTS
        made.append(Example(f"figure {number}", replace(graph, name=f"figure {number}"), targets))
    return made


def training(name: str, operator: str, device: str, examples: list[Example], **schedule: object) -> Training:
    torch.manual_seed(0)
    channels = examples[0].graph.num_channels
    options = {"gradients": operator == "surface"} if name in ("tide-m", "diffusionnet") else {}
    if name not in ("tide-m", "tide-s"):
        options["dropout"] = 0.0
    network = build_network(name, channels, PARTS, operator=operator, width=8, blocks=2, **options)
    network.to(device)
    samples = BUILT_IN[name].samples
    usual = {"epochs": 1, "seed": 1, "sample": 40 if samples else None}
    return Training(network, examples, examples[:1], Schedule(**{**usual, **schedule}))


@pytest.mark.parametrize(("name", "operator"), CASES)
@pytest.mark.parametrize("precision", ["float32", "bfloat16"])
def test_every_network_learns_and_answers_there_as_here(name: str, operator: str, precision: str) -> None:
    examples = shapes(operator)
    here = training(name, operator, "cpu", examples, batch=2, precision="float32")
    there = training(name, operator, NAME, examples, batch=2, precision=precision)
    assert isinstance(next(iter(there.network.parameters())), StandIn)
    mine, theirs = next(iter(here.run())), next(iter(there.run()))
    close = 1e-4 if precision == "float32" else 0.1
    assert theirs.loss == pytest.approx(mine.loss, rel=close)
    if precision == "float32":
        np.testing.assert_allclose(
            predict(there.network, examples[0].graph), predict(here.network, examples[0].graph), atol=1e-3
        )
        assert theirs.validation_accuracy == pytest.approx(mine.validation_accuracy, abs=0.02)


def test_devices_do_not_mix() -> None:
    graph = shapes("surface")[0].graph
    network = build_network("tide-m", graph.num_channels, PARTS, width=8, blocks=1)
    with pytest.raises(RuntimeError, match="same device"):
        network(graph.to(NAME))


@pytest.mark.parametrize("average", [0.0, 0.25])
def test_a_step_never_waits_for_the_device(average: float) -> None:
    made = training("tide-m", "surface", NAME, shapes("surface"), batch=2, average=average, class_weights=True)
    with counted() as counts:
        for _ in range(2):
            made._step(made.train, tally := stand_in_tally())
        assert counts.calls["aten::addmm"] > 0
        assert not counts.waits
        tally.read()
        assert counts.waits


def stand_in_tally() -> object:
    from meshtide.training.batch_loss import Tally

    return Tally()


def test_what_waits_is_counted() -> None:
    values = torch.arange(4.0).to(NAME)
    for wait in (
        lambda: float(values[1]), lambda: values.cpu(), lambda: values[values > 1],
        lambda: torch.nonzero(values), lambda: bool((values > 1).any()),
    ):  # fmt: skip
        with counted() as counts:
            wait()
            assert counts.waits


def test_shapes_are_on_the_device_only_while_they_are_read(monkeypatch: pytest.MonkeyPatch) -> None:
    one = shapes("surface", 1)[0]
    many = [replace(one, name=str(number), graph=replace(one.graph, name=str(number))) for number in range(12)]
    most = []
    for examples in (many[:2], many):
        made = training("tide-m", "surface", NAME, examples)
        made.validation = []
        with counted() as counts:
            begin = counts.bytes
            list(made.run())
            most.append(counts.most - begin)
        del made
    assert most[1] < 1.2 * most[0]

    place = Place(torch.device(f"{NAME}:0"), most=3 * one.graph.num_bytes)
    with counted() as counts:
        begin = counts.bytes
        first = place.whole(many[0].graph)
        assert place.whole(many[0].graph) is first
        del first
        for example in many:
            place.whole(example.graph)
        assert counts.most - begin < 5 * one.graph.num_bytes
        assert place.whole(many[-1].graph).device.type == NAME


def test_what_goes_to_a_card_is_pinned(monkeypatch: pytest.MonkeyPatch) -> None:
    pinned = []
    monkeypatch.setattr(devices, "PINNING", (NAME,))
    monkeypatch.setattr(torch.Tensor, "pin_memory", lambda value: pinned.append(value.shape) or value)
    graph = shapes("surface")[0].graph
    assert graph.to(NAME).vectors.device.type == NAME
    assert graph.vectors.shape in pinned
    graph.to("cpu")
    assert len(pinned) == 8  # every tensor of the graph, and none on a way that leads nowhere


def test_a_folder_is_trained_scored_and_segmented_there(tmp_path: Path) -> None:
    from meshtide.inference.segment import segment

    folder = write_figures(tmp_path, 3)
    experiment = plan(folder, eigenpairs=12, epochs=2, sample=60, batch=2, options={"width": 8, "blocks": 1})
    data = gather(experiment)
    data = replace(data, test=data.train[:1])
    run = run_once(experiment, data, device=NAME)
    assert run.score is not None
    assert run.finished
    path = next(iter(folder.glob("*.off")))
    assert segment(path, run.model, device=NAME).labels.values.shape == segment(path, run.model).labels.values.shape


def test_auto_is_cuda_where_there_is_one_and_never_mps(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(torch.backends.mps, "is_available", lambda: True)
    assert devices.choose_device("auto") == ("cuda" if torch.cuda.is_available() else "cpu")
    assert devices.choose_device("mps") == "mps"
    monkeypatch.setattr(torch.cuda, "is_available", lambda: True)
    assert devices.choose_device("auto") == "cuda"


def test_mixed_precision_is_refused_where_a_device_has_none() -> None:
    with devices.full_precision("meta"), devices.mixed_precision("meta", False):
        pass
    with pytest.raises(devices.InputError, match="float32"):
        devices.mixed_precision("meta", True)
