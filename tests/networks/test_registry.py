"""Networks by name: every record says what its class takes, and a package from elsewhere can add one."""

from __future__ import annotations

import inspect
import subprocess
import sys
from importlib import import_module
from pathlib import Path

import pytest
import torch
from labelled_folders import write_figures
from shapes import sphere

from meshtide.errors import InputError
from meshtide.inference.model import About, Model, load_model, save_model
from meshtide.inference.predict import predict
from meshtide.labels.colours import part_colours
from meshtide.networks.diffusion import TimeDerivativeDiffusion
from meshtide.networks.graph import mesh_graph
from meshtide.networks.network import NEEDED, Diffusing
from meshtide.networks.registry import (
    BUILT_IN,
    USUAL_ARROWS,
    NetworkRecord,
    build_network,
    needs,
    network_names,
    network_record,
    networks_for,
    option_names,
    usual_options,
)
from meshtide.networks.tide import TideBlock, TideNet
from meshtide.spectral.recipe import GraphRecipe
from meshtide.training.run import Watch
from meshtide.training.train import train

PARTS = ("head", "tail")

# A whole package: one module with a network and its record.
MODULE = """
import torch
from meshtide.networks.layers import Normalise, on_elements
from meshtide.networks.registry import NetworkRecord

class Pointwise(torch.nn.Module):
    def __init__(self, inputs, parts, *, on="vertices", slope=0.0):
        super().__init__()
        self.on, self.parts, self.slope = on, parts, slope
        self.normalise = Normalise(inputs)
        self.last = torch.nn.Linear(inputs, parts)

    part_layer = property(lambda self: self.last)

    def forward(self, graph):
        hidden = torch.nn.functional.leaky_relu(self.normalise(graph.features), self.slope)
        return on_elements(self.last(hidden), graph, self.on)

RECORD = NetworkRecord(
    "pointwise", "every vertex for itself", "pointwise_network:Pointwise", ("on", "slope"), samples=True,
    usual_options=lambda purpose: {"slope": 0.5 if purpose.setting == "single" else 0.25},
)
OTHER_NAME = NetworkRecord("points", "misnamed", "pointwise_network:Pointwise", ())
BARE = NetworkRecord("bare", "not a network of ours", "torch.nn:Linear", ())
LIAR = NetworkRecord("liar", "always of seven parts", "pointwise_network:seven_parts", ())

def seven_parts(inputs, parts):
    return Pointwise(inputs, 7)
"""
ENTRIES = """[meshtide.networks]
pointwise = pointwise_network:RECORD
misnamed = pointwise_network:OTHER_NAME
missing = pointwise_network:NOTHING
bare = pointwise_network:BARE
liar = pointwise_network:LIAR
gcn = pointwise_network:RECORD
"""


def install(folder: Path, package: str, entries: str, module: str = "") -> None:
    """What pip leaves behind: a module, and a folder of metadata beside it."""
    if module:
        (folder / "pointwise_network.py").write_text(module)
    about = folder / f"{package}-1.0.dist-info"
    about.mkdir()
    (about / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {package}\nVersion: 1.0\n")
    (about / "entry_points.txt").write_text(entries)


@pytest.fixture
def _installed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    place = tmp_path / "site"
    place.mkdir()
    install(place, "pointwise-network", ENTRIES, MODULE)
    monkeypatch.syspath_prepend(str(place))
    monkeypatch.delitem(sys.modules, "pointwise_network", raising=False)


def about_of(network: str) -> About:
    return About(network, {"slope": 0.5}, GraphRecipe(k=8), PARTS, part_colours(PARTS))


@pytest.mark.usefixtures("_installed")
def test_a_package_from_elsewhere_adds_a_network(tmp_path: Path) -> None:
    assert network_names() == (*BUILT_IN, "bare", "liar", "misnamed", "missing", "pointwise")
    assert option_names("pointwise") == ("on", "slope")
    assert needs("pointwise") == ()
    model = Model(build_network("pointwise", 16, 2, slope=0.5).eval(), about_of("pointwise"))
    save_model(model, tmp_path / "model.safetensors")
    loaded = load_model(tmp_path / "model.safetensors")
    graph = mesh_graph(sphere(1), model.about.recipe)
    assert (predict(loaded.network, graph) == predict(model.network, graph)).all()
    assert loaded.network.slope == 0.5


@pytest.mark.usefixtures("_installed")
def test_a_network_from_elsewhere_learns(tmp_path: Path) -> None:
    folder, path, epochs = write_figures(tmp_path / "own", 3), tmp_path / "model.safetensors", []
    trained = train(
        folder, network="pointwise", epochs=3, eigenpairs=16, sample=200, output=path, watch=Watch(epoch=epochs.append)
    )
    assert trained.about.options == {"slope": 0.25}
    assert epochs[-1].loss < epochs[0].loss
    assert epochs[-1].times == ()
    weights = load_model(path).network.state_dict()
    assert all(torch.equal(value, weights[name]) for name, value in trained.network.state_dict().items())


@pytest.mark.usefixtures("_installed")
def test_networks_from_elsewhere_that_are_wrong_get_a_sentence() -> None:
    for name, words in {
        "misnamed": "network 'misnamed' of 'pointwise-network': pointwise_network:OTHER_NAME should be a NetworkRecord",
        "missing": "network 'missing' of 'pointwise-network' cannot be imported",
        "bare": "the bare network should be a torch.nn.Module with on, parts, normalise, part_layer",
        "liar": "the liar network was built for 8 parts and says that it has 7",
    }.items():
        with pytest.raises(InputError, match=words):
            build_network(name, 16, 8)


@pytest.mark.usefixtures("_installed")
def test_no_package_takes_a_name_of_meshtide_s_or_of_another_package(tmp_path: Path) -> None:
    assert network_record("gcn") is BUILT_IN["gcn"]
    install(tmp_path / "site", "second", "[meshtide.networks]\npointwise = other_module:RECORD\n")
    with pytest.raises(InputError, match="several packages, 'pointwise-network', 'second'"):
        network_record("pointwise")


def test_a_model_of_a_network_that_is_not_installed(
    tmp_path: Path, request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch
) -> None:
    before = list(sys.path)
    request.getfixturevalue("_installed")
    path = tmp_path / "model.safetensors"
    save_model(Model(build_network("pointwise", 16, 2, slope=0.5), about_of("pointwise")), path)
    monkeypatch.setattr(sys, "path", before)
    with pytest.raises(InputError, match=r"model.safetensors: .*'pointwise' is not known; .* install that package"):
        load_model(path)


@pytest.mark.parametrize("record", BUILT_IN.values(), ids=BUILT_IN)
def test_a_record_lists_the_options_of_its_class(record: NetworkRecord) -> None:
    module, _, name = record.builder.partition(":")
    kind = getattr(import_module(module), name)
    chain = (TideNet, TideBlock, TimeDerivativeDiffusion) if kind is TideNet else (kind,)
    taken = [
        parameter.name
        for each in chain
        for parameter in inspect.signature(each).parameters.values()
        if parameter.kind is inspect.Parameter.KEYWORD_ONLY
    ]
    operator = ["operator"] if record.takes_operator else []
    assert sorted(taken) == sorted([*record.options, *record.fixed, *operator])
    assert len(record.description) < 60


@pytest.mark.parametrize("record", BUILT_IN.values(), ids=BUILT_IN)
def test_every_network_has_what_the_protocol_says(record: NetworkRecord) -> None:
    for package in record.packages:
        pytest.importorskip(package)
    network = record.build(16, 5, on="faces")
    assert all(hasattr(network, word) for word in NEEDED)
    assert (network.parts, network.on) == (5, "faces")
    assert len(network.normalise.mean) == 16
    if network.part_layer is not None:
        assert network.part_layer.out_features == 5
    assert isinstance(network, Diffusing) == (record.name in ("tide-m", "tide-s", "diffusionnet"))


@pytest.mark.parametrize("record", BUILT_IN.values(), ids=BUILT_IN)
def test_what_a_record_says_of_samples_and_extras_is_true(record: NetworkRecord) -> None:
    for package in record.packages:
        pytest.importorskip(package)
    for operator in record.operators:
        options = usual_options(record.name, operator, "single", relatives=False)
        graph = mesh_graph(sphere(1), GraphRecipe(operator=operator, k=8), extras=needs(record.name, options))
        network = record.build(graph.num_channels, 3, operator=operator, **options).eval()
        assert network(graph).shape == (graph.num_vertices, 3)
    surface = mesh_graph(sphere(1), GraphRecipe(k=8), extras=needs(record.name)).sampled(torch.arange(30))
    network = record.build(16, 3).eval()
    if record.samples:
        assert network(surface).shape == (30, 3)
    else:
        with pytest.raises(InputError, match="sampled"):
            network(surface)


def test_usual_options() -> None:
    assert usual_options("tide-m", "surface", "multi", relatives=False) == {"gradients": True}
    read = usual_options("tide-m", "surface", "multi", relatives=False, arrows=True)
    assert read == {"gradients": True, "arrows": USUAL_ARROWS}
    assert usual_options("tide-s", "surface", "single", relatives=False) == {"gradients": True, "dropout": 0.5}
    assert usual_options("tide-m", "surface", "mixed", relatives=True) == {}
    assert usual_options("tide-m", "graph", "single", relatives=False) == {}
    assert all(usual_options(name, "surface", "single", relatives=False) == {} for name in list(BUILT_IN)[2:])


def test_networks_for_an_operator() -> None:
    assert networks_for("surface") == tuple(BUILT_IN)
    assert networks_for("graph") == tuple(BUILT_IN)


def test_records_are_read_without_torch_or_scipy() -> None:
    code = (
        "import sys, meshtide.networks.registry as r; r.network_names(); "
        "sys.exit(any(name in sys.modules for name in ('torch', 'scipy', 'numpy')))"
    )
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0
