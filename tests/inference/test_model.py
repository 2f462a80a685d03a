"""A model file gives back the same network, and a file that is none is refused in one sentence that names it."""

from __future__ import annotations

import json
import math
import time
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import safetensors.torch
import torch
from shapes import FIGURE_PARTS, sphere

from meshtide.errors import InputError
from meshtide.inference.model import About, Model, default_model, load_model, save_model
from meshtide.inference.weights import KEY, MOST_BYTES
from meshtide.labels.colours import part_colours
from meshtide.networks.graph import mesh_graph
from meshtide.networks.registry import build_network, needs
from meshtide.spectral.recipe import GraphRecipe

PARTS = FIGURE_PARTS


def about_of(network: str = "tide-m", operator: str = "surface", **changes: Any) -> About:
    plain: dict[str, Any] = {
        "network": network,
        "options": {"width": 8, "blocks": 2},
        "recipe": GraphRecipe(operator=operator, k=12),
        "parts": PARTS,
        "colours": part_colours(PARTS),
        "trained_on": {"source": "figures", "seed": 3, "epochs": 2},
        "scores": {"vertex_accuracy": 0.5},
    }
    return About(**plain | changes)


def model_of(about: About, seed: int = 0) -> Model:
    torch.manual_seed(seed)
    options = {"operator": about.recipe.operator} | about.options
    return Model(build_network(about.network, about.recipe.channels, len(about.parts), **options), about)


@pytest.fixture(scope="module")
def saved(tmp_path_factory: pytest.TempPathFactory) -> bytes:
    path = tmp_path_factory.mktemp("models") / "good.safetensors"
    save_model(model_of(about_of()), path)
    return path.read_bytes()


def content_of(data: bytes) -> tuple[dict[str, torch.Tensor], dict[str, Any]]:
    size = int.from_bytes(data[:8], "little")
    return safetensors.torch.load(data), json.loads(json.loads(data[8 : 8 + size])["__metadata__"][KEY])


def refusal(path: Path, data: bytes) -> str:
    """The sentence with which these bytes are refused; it is one line that starts with the file's name."""
    path.write_bytes(data)
    with pytest.raises(InputError) as caught:
        load_model(path)
    sentence = str(caught.value)
    assert sentence.startswith(f"{path}: ")
    assert sentence.isprintable()
    assert len(sentence) < 800
    return sentence


@pytest.mark.parametrize(
    ("network", "operator"),
    [("tide-m", "surface"), ("tide-m", "graph"), ("tide-s", "surface"), ("gcn", "graph"), ("diffusionnet", "surface")],
)
def test_a_loaded_network_answers_the_same_to_the_last_bit(tmp_path: Path, network: str, operator: str) -> None:
    model = model_of(about_of(network, operator))
    save_model(model, tmp_path / "model.safetensors")
    random = torch.get_rng_state()
    loaded = load_model(tmp_path / "model.safetensors")
    assert torch.equal(torch.get_rng_state(), random)
    graph = mesh_graph(sphere(1), model.about.recipe, extras=needs(network))
    with torch.no_grad():
        assert torch.equal(model.network.eval()(graph), loaded.network(graph))
    assert loaded.about == model.about
    assert not loaded.network.training


def test_the_description_survives_as_it_was(tmp_path: Path) -> None:
    options = {"width": 8, "blocks": 1, "initial_times": (1e-3, 0.1), "mlp": False, "on": "faces"}
    parts = ("Kopf", "bras gauche", "脚")
    recipe = GraphRecipe(k=7, features=("wks", "log-hks"))
    about = about_of(options=options, parts=parts, colours=part_colours(parts), recipe=recipe, on="faces")
    save_model(model_of(about), tmp_path / "model.safetensors")
    loaded = load_model(tmp_path / "model.safetensors").about
    assert loaded == about
    assert (loaded.parts, loaded.recipe, loaded.on) == (parts, recipe, "faces")
    assert loaded.options["initial_times"] == [1e-3, 0.1]
    assert loaded.version == about.version


def test_saving_twice_gives_the_same_bytes(tmp_path: Path, saved: bytes) -> None:
    save_model(model_of(about_of()), tmp_path / "again.safetensors")
    assert (tmp_path / "again.safetensors").read_bytes() == saved


def test_weights_that_layers_share_are_saved(tmp_path: Path) -> None:
    model = model_of(about_of())
    model.network.blocks[1].mlp = model.network.blocks[0].mlp
    save_model(model, tmp_path / "model.safetensors")
    loaded = load_model(tmp_path / "model.safetensors").network.state_dict()
    assert all(torch.equal(value, loaded[name]) for name, value in model.network.state_dict().items())


def test_what_could_not_be_read_again_is_not_written(tmp_path: Path, saved: bytes) -> None:
    path = tmp_path / "model.safetensors"
    path.write_bytes(saved)
    diverged = model_of(about_of())
    torch.nn.init.constant_(diverged.network.last.bias, math.nan)
    other = Model(model_of(about_of("gcn")).network, about_of())
    for model, word in (
        (diverged, "diverge"),
        (other, "weights"),
        (Model(other.network.double(), about_of("gcn")), "float64"),
    ):
        with pytest.raises(InputError, match=word):
            save_model(model, path)
        assert path.read_bytes() == saved
    assert [file.name for file in tmp_path.iterdir()] == [path.name]


class Trap:
    """What a hostile pickle would run."""

    def __reduce__(self) -> tuple[Callable[..., Any], tuple[Any, ...]]:
        return pytest.fail, ("a pickle was run",)


def test_files_of_other_kinds_are_refused(tmp_path: Path, saved: bytes) -> None:
    path = tmp_path / "x.safetensors"
    assert "empty" in refusal(path, b"")
    assert "not a safetensors" in refusal(path, b"v 0 0 0\nv 1 0 0\nf 1 2 3\n")
    assert "not a safetensors" in refusal(path, b"abc")
    assert "another program" in refusal(path, safetensors.torch.save({"weight": torch.ones(2)}))
    assert "another program" in refusal(path, safetensors.torch.save({"weight": torch.ones(2)}, {"format": "pt"}))
    for old in (False, True):
        torch.save({"weight": Trap()}, path, _use_new_zipfile_serialization=not old)
        assert "pickled" in refusal(path, path.read_bytes())
    for length in (9, 200, len(saved) // 2, len(saved) - 1):
        assert "shortened" in refusal(path, saved[:length])
    assert "shortened" in refusal(path, saved + b"more")


def test_places_without_a_model_are_refused(tmp_path: Path) -> None:
    for path, word in ((tmp_path / "no", "no such file"), (tmp_path, "folder"), (Path("/dev/zero"), "is a device")):
        with pytest.raises(InputError, match=word):
            load_model(path)
    huge = tmp_path / "huge.safetensors"
    with huge.open("wb") as file:
        file.truncate(MOST_BYTES + 1)  # a hole, which takes no space
    with pytest.raises(InputError, match="at most"):
        load_model(huge)


@pytest.mark.parametrize(
    ("changes", "word"),
    [
        ({"format": 2}, "update meshtide"),
        ({"format": 0}, "train it again"),
        ({"format": True}, "format number"),
        ({"format": "1"}, "format number"),
        ({"network": "transformer"}, "tide-m"),
        ({"network": ["tide-m"]}, "network"),
        ({"network": "\x1b[2J" * 1000}, "network"),
        ({"options": {"width": 10**9, "blocks": 2}}, "at most"),
        ({"options": {"width": 10**400, "blocks": 2}}, "at most"),
        ({"options": {"width": 8, "blocks": 10**9}}, "at most"),
        ({"options": {"width": 4096, "blocks": 128}}, "missing or too many"),
        ({"options": {"width": 4096, "blocks": 2}}, "should be"),
        ({"options": {"width": -8, "blocks": 2}}, "from 1 on"),
        ({"options": {"width": 0, "blocks": 2}}, "from 1 on"),
        ({"options": {"width": 8, "blocks": -2}}, "0 or more"),
        ({"vocabularies": {"x": {"a": ["head"], "b": ["head"]}}}, "two parts"),
        ({"options": {"width": 8, "blocks": 2, "initial_times": [0, -1]}}, "built"),
        ({"options": {"width": 8, "blocks": 2, "inputs": 3}}, "inputs"),
        ({"options": {"width": [[8]], "blocks": 2}}, "option 'width'"),
        ({"options": {"width": 8, "blocks": 2, "\x1b[31m\n": 1}}, "no option"),
        ({"options": {"width": 8, "blocks": 2, "on": "faces"}}, "answers on"),
        ({"options": {"width": 8, "blocks": 2, "operator": "graph"}}, "operators"),
        ({"options": [8]}, "options"),
        ({"recipe": {"k": 10**9}}, "eigenpairs"),
        ({"recipe": {"k": 12, "colour": 1}}, "colour"),
        ({"recipe": {"times": [1, 2]}}, "should be"),
        ({"recipe": "surface"}, "recipe"),
        ({"parts": ["head"]}, "colours"),
        ({"parts": []}, "at least one part"),
        ({"parts": ["head", "head", "arm", "leg"]}, "twice"),
        ({"parts": ["head", "torso", 3, "leg"]}, "part name"),
        ({"colours": ["#000000", "#000001", "red", "#000002"]}, "rrggbb"),
        ({"on": "edges"}, "edges"),
        ({"trained_on": {"source": "\ud800"}}, "trained_on"),
        ({"scores": {"vertex_accuracy": math.nan}}, "JSON"),
        ({"surprise": 1}, "surprise"),
        ({"kinds": {"a": [[1]]}}, "not all parts"),
        ({"kinds": {"a": [{"b": 0}]}}, "not all parts"),
        ({"vocabularies": {"x": ["head"]}}, "parts by name"),
        ({"vocabularies": {"x": 3}}, "parts by name"),
        ({"options": {"width": 8, "blocks": "x"}}, "wanted a whole number"),
        ({"options": {"width": 8, "blocks": 2.5}}, "wanted a whole number"),
    ],
)
def test_descriptions_that_do_not_fit_are_refused_at_once(
    tmp_path: Path, saved: bytes, changes: dict[str, Any], word: str
) -> None:
    tensors, about = content_of(saved)
    data = safetensors.torch.save(tensors, {KEY: json.dumps(about | changes)})
    start = time.process_time()
    assert word in refusal(tmp_path / "x.safetensors", data)
    assert time.process_time() - start < 5


@pytest.mark.parametrize("text", ["", "{", "[]", "null", "3", '"a"', "[" * 100_000, "{}", '{"format":1}'])
def test_descriptions_that_are_no_description_are_refused(tmp_path: Path, saved: bytes, text: str) -> None:
    data = safetensors.torch.save(content_of(saved)[0], {KEY: text})
    assert "description" in refusal(tmp_path / "x.safetensors", data)


def test_weights_that_do_not_fit_are_refused(tmp_path: Path, saved: bytes) -> None:
    tensors, about = content_of(saved)
    path, bias = tmp_path / "x.safetensors", tensors["last.bias"]
    infinite = bias.clone()
    infinite[1] = math.inf
    cases = [
        (tensors | {"more": bias.clone()}, "'more'"),
        ({name: value for name, value in tensors.items() if name != "last.bias"}, "'last.bias'"),
        (tensors | {"last.bias": bias[:2].clone()}, "(2,) and should be torch.float32 (4,)"),
        (tensors | {"last.bias": bias.bfloat16()}, "torch.bfloat16"),
        (tensors | {"last.bias": infinite}, "infinite or undefined"),
        (tensors | {"last.bias": bias * math.nan}, "infinite or undefined"),
        ({}, "missing"),
    ]
    for weights, word in cases:
        assert word in refusal(path, safetensors.torch.save(weights, {KEY: json.dumps(about)}))


def test_damage_anywhere_is_refused_or_harmless(tmp_path: Path, saved: bytes) -> None:
    random, path = np.random.default_rng(5), tmp_path / "x.safetensors"
    header = 8 + int.from_bytes(saved[:8], "little")
    for _ in range(150):
        data = bytearray(saved)
        for place in random.integers(0, header, random.integers(1, 4)):
            data[place] = random.integers(256)
        path.write_bytes(data)
        try:
            load_model(path)
        except InputError as error:
            assert str(error).startswith(f"{path}: ")


def test_an_about_is_checked_where_it_is_made() -> None:
    with pytest.raises(InputError, match="JSON"):
        about_of(trained_on={"shapes": {1, 2}})
    with pytest.raises(InputError, match="JSON"):
        about_of(scores={"mean_iou": math.nan})
    with pytest.raises(InputError, match="colours"):
        replace(about_of(), colours=("#000000",))


def test_the_word_default_is_the_model_that_ships_unless_a_file_has_that_name(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    assert load_model("default") is default_model()
    assert load_model(Path("default")) is default_model()
    model_of(about_of()).save(tmp_path / "default")
    assert load_model("default").about == about_of()


def test_a_model_saves_itself(tmp_path: Path, saved: bytes) -> None:
    model_of(about_of()).save(tmp_path / "model.safetensors")
    assert (tmp_path / "model.safetensors").read_bytes() == saved


def test_a_model_in_one_line() -> None:
    line = "Model(tide-m on the surface operator, 4 parts on vertices, 736 weights, trained on figures)"
    assert repr(model_of(about_of())) == line
    kinds = {"person": PARTS[:2], "animal": PARTS[1:]}
    assert "4 parts of 2 kinds on vertices" in repr(model_of(about_of(kinds=kinds)))
    assert repr(model_of(about_of(trained_on={}))).endswith("weights)")


def test_a_network_of_another_number_of_parts_is_not_written(tmp_path: Path) -> None:
    other = build_network("tide-m", 16, len(PARTS) + 1, width=8, blocks=2)
    with pytest.raises(InputError, match="its network tells 5 parts apart and 4 are named"):
        Model(other, about_of()).save(tmp_path / "model.safetensors")
    assert not list(tmp_path.iterdir())
