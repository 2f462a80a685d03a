"""What shards in half precision and fewer eigenpairs cost: accuracy on validation shapes, and bytes a shape.

    python tests/benchmarks/packed.py [--seeds 3] [--eigenpairs 64 32 16]

Small networks learn generated figures of random proportions out of shards, as `train` does, and are judged on others
that they did not see; mean and deviation over seeds.
"""

from __future__ import annotations

import argparse
import os
import sys
import tempfile
from dataclasses import replace
from pathlib import Path
from statistics import fmean, stdev

os.environ.setdefault("OMP_NUM_THREADS", "1")
ROOT = Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT), str(ROOT / "tests" / "helpers")]

import torch  # noqa: E402
from labelled_folders import write_figures  # noqa: E402

from meshtide.data.collection import open_collection  # noqa: E402
from meshtide.data.shards.writing import tar_tasks, write_shards  # noqa: E402
from meshtide.spectral.recipe import GraphRecipe, usual_features  # noqa: E402
from meshtide.training.experiment import plan  # noqa: E402
from meshtide.training.run import prepare_training  # noqa: E402
from meshtide.training.sources import gather  # noqa: E402

SMALL = {"epochs": 25, "sample": 300, "validate": True, "options": {"width": 32, "blocks": 2}}


def measure(source: Path, place: Path, eigenpairs: int, half: bool, seeds: int) -> None:
    collection = open_collection(source)
    packed = place / f"{eigenpairs}-{half}"
    recipe = GraphRecipe(k=eigenpairs, features=usual_features("surface"))
    for _ in write_shards(collection, tar_tasks(collection, packed), recipe, place / "cache", half=half):
        pass
    size = sum(path.stat().st_size for path in packed.iterdir()) / len(collection.shapes)
    usual = plan(packed, **SMALL)
    data = gather(usual, stream=False)
    found = []
    for seed in range(seeds):
        training, _ = prepare_training(replace(usual, schedule=replace(usual.schedule, seed=seed)), data)
        found.append([epoch.validation_accuracy or 0.0 for epoch in training.run()][-1])
    words = "float16" if half else "float32"
    print(f"| {eigenpairs} | {words} | {size / 1e3:.0f} kB | {fmean(found):.2%} ± {stdev(found):.2%} |", flush=True)


if __name__ == "__main__":
    reader = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    reader.add_argument("--seeds", type=int, default=3)
    reader.add_argument("--eigenpairs", type=int, nargs="+", default=[64, 32, 16])
    reader.add_argument("--shapes", type=int, default=12)
    asked = reader.parse_args()
    torch.set_num_threads(1)
    with tempfile.TemporaryDirectory() as place:
        source = write_figures(Path(place) / "in", asked.shapes)
        print("| eigenpairs | vectors | a shape | accuracy |\n|---|---|---|---|")
        for eigenpairs in asked.eigenpairs:
            for half in (False, True):
                measure(source, Path(place), eigenpairs, half, asked.seeds)
