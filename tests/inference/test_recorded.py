"""Programs of the networks that ship: what they answer is what the networks themselves answer."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from torch import nn

import meshtide as mt
from meshtide.inference.forms import answer_of
from meshtide.inference.kinds import answer
from meshtide.inference.model import DEFAULT, SHIPPED, shipped_model
from meshtide.inference.reading import read
from meshtide.inference.recognise import default_recogniser, trained_recogniser
from meshtide.inference.recorded import Recorded, recorded
from meshtide.inference.recording import recorded_program, shipped_networks
from meshtide.inference.regions.inputs import prepare_surface
from meshtide.inference.regions.model import default_region_model, trained_region_model
from meshtide.inference.regions.regions import judge_surface
from meshtide.inference.regions.surface import working_surface
from meshtide.inference.things import default_namer
from meshtide.networks.graph import mesh_graph
from meshtide.networks.program import Program
from meshtide.networks.recording import record

NAMES = sorted(shipped_networks())


def moved(network: nn.Module, spread: float) -> nn.Module:
    """The network with every number in it moved at random, so that none is left as it begins."""
    with torch.no_grad():
        for name, tensor in [*network.named_parameters(), *network.named_buffers()]:
            tensor += spread * (torch.rand_like(tensor) if "spread" in name else torch.randn_like(tensor))
    return network.eval()


@settings(max_examples=15, deadline=None)
@given(
    name=st.sampled_from(NAMES),
    many=st.integers(2, 300),
    few=st.integers(2, 40),
    seed=st.integers(0, 2**16),
    spread=st.sampled_from([0.02, 0.2]),
)
def test_a_program_answers_as_its_network_does(name: str, many: int, few: int, seed: int, spread: float) -> None:
    build, inputs = shipped_networks()[name]
    torch.manual_seed(seed)
    network, read_by_it = moved(build(few), spread), inputs(many, few)
    with torch.no_grad():
        wanted = answer_of(network, read_by_it).numpy()
    own = recorded(name, {key: value.numpy() for key, value in network.state_dict().items()})
    assert own is not None
    arrays = {key: value.numpy() for key, value in read_by_it.items()}
    before = {key: value.copy() for key, value in {**arrays, **own.weights}.items()}
    found = own.program.run(own.weights, arrays)
    assert found.dtype == np.float32
    np.testing.assert_allclose(found, wanted, atol=2e-4 * max(1, np.abs(wanted).max()), rtol=2e-3)
    for key, value in {**arrays, **own.weights}.items():
        assert np.array_equal(value, before[key]), f"{key} was written over"


@pytest.mark.parametrize("name", NAMES)
def test_programs_that_ship_are_what_is_recorded_now(name: str) -> None:
    own = recorded(name, {})
    assert own is not None
    known = {step.operation for step in own.program.steps}
    assert {step.operation for step in recorded_program(*shipped_networks()[name]).steps} == known


def test_all_networks_that_ship_are_recorded() -> None:
    assert isinstance(default_recogniser().network, Recorded)
    assert isinstance(default_namer().network, Recorded)
    assert isinstance(default_region_model().network, Recorded)
    for name in SHIPPED:
        shipped_model.cache_clear()
        assert shipped_model(name).recorded is not None


def test_bodies_have_the_same_parts_by_both_ways() -> None:
    shipped_model.cache_clear()
    model = shipped_model(DEFAULT)
    mesh = mt.make_figure("hand", 3, "held-out", defects=False)[0]
    by_program = answer(model, read(mesh, model.about.mesh_recipe))
    graph = mesh_graph(mesh, model.about.mesh_recipe, extras=("gradients",))
    by_torch = answer(model, graph)
    assert model.recorded is None  # whoever has the network may change it
    assert by_program.kind == by_torch.kind == "hand"
    np.testing.assert_allclose(by_program.probabilities, by_torch.probabilities, atol=1e-4)
    with pytest.raises(mt.InputError, match="changed since"):
        answer(model, read(mesh, model.about.mesh_recipe))
    shipped_model.cache_clear()


def test_things_and_regions_are_the_same_by_both_ways() -> None:
    mesh = mt.make_figure("octopus", 3, "held-out", defects=False)[0]
    prepared = prepare_surface(working_surface(mesh))
    one, other = default_recogniser(), trained_recogniser()
    ours, theirs = one.shares(prepared.inputs), other.shares(prepared.inputs)
    assert ours[0] == pytest.approx(theirs[0], abs=1e-4)
    logits = [judge_surface(prepared, model).logits for model in (default_region_model(), trained_region_model())]
    if logits[0].shape == logits[1].shape:
        assert np.abs(logits[0] - logits[1]).mean() < 0.05


def test_a_named_mesh_is_segmented_without_torch(tmp_path: Path) -> None:
    mt.save_mesh(mt.make_figure("quadruped", 3, "held-out", defects=False)[0], tmp_path / "small.obj")
    program = (
        "import sys\n"
        "from meshtide.cli import main\n"
        "sys.argv = ['meshtide', 'segment', 'small.obj', '-o', 'parts.ply', '--cache', 'cache']\n"
        "try:\n"
        "    main()\n"
        "except SystemExit as end:\n"
        "    assert not end.code, end.code\n"
        "heavy = {'torch', 'trimesh', 'matplotlib', 'polyscope'} & set(sys.modules)\n"
        "assert not heavy, heavy\n"
    )
    for _ in range(2):  # nothing kept, and everything kept
        done = subprocess.run([sys.executable, "-c", program], cwd=tmp_path, capture_output=True, text=True)
        assert done.returncode == 0, done.stderr
        assert "quadruped" in done.stdout
        assert (tmp_path / "parts.ply").is_file()


def test_what_no_program_can_hold_is_refused() -> None:
    class Odd(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.weight = nn.Parameter(torch.ones(3))

    cases = [(Odd(), {"x": torch.rand(size, 3)}) for size in (5, 7)]
    kept = torch.ones(3)
    with pytest.raises(ValueError, match="comes from nowhere"):
        record(lambda network, inputs: inputs["x"] * kept, *cases)
    with pytest.raises(ValueError, match="numpy does not know"):
        record(lambda network, inputs: torch.special.bessel_j0(inputs["x"]), *cases)
    with pytest.raises(ValueError, match="no sizes of the inputs"):
        record(lambda network, inputs: inputs["x"] * (100 if len(inputs["x"]) > 5 else 2), *cases)
    program = record(lambda network, inputs: (inputs["x"] * network.weight).reshape(-1), *cases)
    again = Program.of(program.rows())
    x = np.arange(12, dtype=np.float32).reshape(4, 3)
    assert again.run({"weight": np.full(3, 2, np.float32)}, {"x": x}).tolist() == (2 * x).ravel().tolist()
