"""The files that meshtide packs for itself: models, stopped trainings and cache entries, all tiny."""

from __future__ import annotations

import os
import tempfile
from functools import lru_cache
from pathlib import Path
from typing import Any

import numpy as np
import torch
from cache_entries import good_bytes
from shapes import sphere
from small_models import KINDS, PARTS, model

from meshtide.inference.kind_network import KindNet
from meshtide.inference.model import About, Model
from meshtide.inference.recognise import Recogniser, save_recogniser
from meshtide.inference.regions.embedding import RegionNet
from meshtide.inference.regions.model import RegionAbout, RegionModel, save_region_model
from meshtide.inference.regions.pair_network import PairJudge
from meshtide.labels.files import write_labels
from meshtide.labels.labels import Labels
from meshtide.mesh.files import save_mesh
from meshtide.networks.registry import build_network
from meshtide.spectral.cache import Cache
from meshtide.spectral.recipe import GraphRecipe
from meshtide.training.experiment import plan
from meshtide.training.resume import TrainingFile
from meshtide.training.run import prepare_training
from meshtide.training.sources import gather

CHOICES: dict[str, Any] = {"epochs": 2, "eigenpairs": 8, "options": {"width": 4, "blocks": 1}, "validate": False}


def packed_bases() -> dict[str, list[bytes]]:
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        return {
            "model.safetensors": _models(folder),
            "regions.safetensors": _regions(folder),
            "kinds.safetensors": _recognisers(folder),
            "entry.h5": [good_bytes()],
            "model.seed0.training": [_stopped_training()],
        }


def _models(folder: Path) -> list[bytes]:
    torch.manual_seed(0)
    recipe = GraphRecipe(k=8, features=("log-hks",))
    network = build_network("gcn", recipe.channels, 2, operator="surface", width=4)
    colours = ("#000000", "#ffffff")
    plain = Model(network.eval(), About("gcn", {"width": 4}, recipe, ("left", "right"), colours))
    joined = {"coarse": {"body": PARTS[:4], "unscored": PARTS[4:]}}
    found = []
    for each in (model(), model(kinds=KINDS, vocabularies=joined, trained_on={"source": "x"}), plain):
        each.save(folder / "model.safetensors")
        found.append((folder / "model.safetensors").read_bytes())
    return found


def _regions(folder: Path) -> list[bytes]:
    about = RegionAbout(channels=4, arrows=2, blocks=1, outputs=3)
    save_region_model(RegionModel(RegionNet(4, 2, 1, 3), PairJudge(), about), folder / "regions.safetensors")
    return [(folder / "regions.safetensors").read_bytes()]


def _recognisers(folder: Path) -> list[bytes]:
    save_recogniser(Recogniser(KindNet(3, 4, 2, 1), ("cat", "cow", "teapot")), folder / "kinds.safetensors")
    return [(folder / "kinds.safetensors").read_bytes()]


@lru_cache(maxsize=1)
def training_folder() -> str:
    """Two labelled balls to learn from; the folder stays until the process ends."""
    folder = Path(tempfile.mkdtemp(prefix="fuzz-shapes-"))
    write_balls(folder)
    return str(folder)


def write_balls(folder: Path) -> None:
    """Two balls in three parts, with labels beside them."""
    for number in (1, 2):
        mesh = sphere(1)
        part = np.digitize(mesh.vertices[mesh.faces].mean(axis=1)[:, 2] * number, [-0.5, 0.5])
        save_mesh(mesh, folder / f"ball{number}.off")
        write_labels(Labels(part, "faces", ("head", "upper arm", "tail")), folder / f"ball{number}.txt", mesh)


def _stopped_training() -> bytes:
    """A training of two epochs that was stopped after one.

    A fork does it: where a machine has a GPU, or a device stands in for one, torch does not train in the children of a
    process that has trained.
    """
    folder = Path(training_folder())
    child = os.fork()
    if child == 0:
        try:
            (folder / "stopped").write_bytes(_train_and_stop(folder))
        finally:  # whatever happens, the child must not go on as the parent
            os._exit(0)
    os.waitpid(child, 0)
    data = (folder / "stopped").read_bytes()
    (folder / "stopped").unlink()
    return data


def _train_and_stop(folder: Path) -> bytes:
    experiment = plan(folder, **CHOICES)
    loaded = gather(experiment, data=None, cache=Cache(folder / "cache"), jobs=1)
    training, _ = prepare_training(experiment, loaded)
    file = TrainingFile(folder / "model.safetensors", experiment)
    next(training.run())
    file.save(training)
    data = file.path.read_bytes()
    file.remove()
    return data
