"""Small collections of generated shapes, learned in several ways: face accuracy on shapes kept back, and seconds.

    python tests/benchmarks/small_collections.py [--kinds chair,mug] [--ways "default; start"] [--seeds 2]

Each collection has 12 shapes to learn and 8 to test, half of these of the variant that the generator keeps back. What a
way is called below is what it changes in `mt.train`; everything else is as usual.
"""

from __future__ import annotations

import argparse
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

import meshtide as mt
from meshtide.data.figures.creatures import CREATURE_KINDS, make_creature
from meshtide.data.figures.figure import Figure
from meshtide.data.figures.objects import make_object
from meshtide.mesh.files import save_mesh

# What stands for Teddy, Chair, Cup, Plier, Fish, Hand, Airplane and Bird.
KINDS = ("teddy", "chair", "mug", "pliers", "fish", "hand", "airplane", "bird")
LEARNED, TESTED = 12, 8
BEFORE: dict[str, Any] = {"features": ("log-hks",), "validate": True, "average": 0.0}
CURVED = ("log-hks", "curvature")
WAYS: dict[str, dict[str, Any]] = {
    "before": BEFORE,
    "all shapes": BEFORE | {"validate": False},
    "averaged": BEFORE | {"validate": False, "average": 0.25},
    "validated, averaged": BEFORE | {"average": 0.25},
    "curvature": {"features": CURVED, "validate": False, "average": 0.0},
    "curvature, averaged": {"features": CURVED, "validate": False, "average": 0.25},
    "diameter": {"features": (*CURVED, "diameter"), "validate": False, "average": 0.25},
    "without arrows": {"features": CURVED},
    "second reader": {"options": {"second_reader": True}},
    "default": {},
    "start": {"start": "default"},
}


def make(kind: str, seed: int, variant: str) -> Figure:
    """A creature or an object."""
    make_one: Callable[..., Figure] = make_creature if kind in CREATURE_KINDS else make_object
    return make_one(kind, seed, variant)


def make_collection(folder: Path, kind: str, seed: int) -> None:
    """Write the shapes to learn and to test with their faces' parts; what no shape to learn has is not tested."""
    seen: set[int] = set()
    for name, count, first in (("learn", LEARNED, 1000 * seed + 1), ("test", TESTED, 1000 * seed + 501)):
        place = folder / name
        place.mkdir(parents=True, exist_ok=True)
        for number in range(count):
            path = place / f"{number:02d}.ply"
            held_out = name == "test" and number % 2
            figure = make(kind, first + number, "held-out" if held_out else "blended")
            save_mesh(figure.mesh, path)
            seen |= set(figure.face_parts.tolist()) if name == "learn" else set()
            known = np.where(np.isin(figure.face_parts, list(seen)), figure.face_parts, -1)
            labels = mt.Labels(known, "faces", figure.parts)
            mt.write_labels(labels, path.with_suffix(".txt"), figure.mesh)


def measure(folder: Path, way: dict[str, Any], seed: int, cache: mt.Cache) -> tuple[float, float, int]:
    """Face accuracy in percent, seconds of training alone, and the epoch that was kept."""
    started = time.perf_counter()
    model = mt.train(folder / "learn", seed=seed, cache=cache, **way)
    seconds = model.about.trained_on.get("seconds") or time.perf_counter() - started
    score = mt.evaluate(model, folder / "test", cache=cache)
    return 100 * score.face_accuracy, float(seconds), int(model.about.trained_on["best_epoch"])


def table(results: dict[str, dict[str, list[tuple[float, float, int]]]], kinds: list[str]) -> str:
    """A row for each way: the mean over seeds for every kind, their mean, the worst, and the seconds."""
    lines = [f"| way | {' | '.join(kinds)} | mean | seconds |", "|---" * (len(kinds) + 3) + "|"]
    for way, by_kind in results.items():
        means = [np.mean([one[0] for one in by_kind[kind]]) if by_kind.get(kind) else np.nan for kind in kinds]
        seconds = np.mean([one[1] for found in by_kind.values() for one in found])
        cells = [f"{mean:.1f}" for mean in (*means, np.mean(means))]
        lines.append(f"| {way} | {' | '.join(cells)} | {seconds:.0f} |")
    return "\n".join(lines)


def main() -> None:
    """Measure and print the table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--kinds", default=",".join(KINDS))
    parser.add_argument("--ways", default="; ".join(WAYS), help="with semicolons between them")
    parser.add_argument("--seeds", type=int, default=1)
    parser.add_argument("--folder", type=Path, help="where the shapes are kept; a temporary folder unless given")
    parser.add_argument("--output", type=Path)
    given = parser.parse_args()
    kinds, ways = given.kinds.split(","), [way.strip() for way in given.ways.split(";")]
    results: dict[str, dict[str, list[tuple[float, float, int]]]] = {way: {} for way in ways}
    with tempfile.TemporaryDirectory() as temporary:
        place = given.folder or Path(temporary)
        for seed in range(given.seeds):
            for kind in kinds:
                folder = place / f"{kind}-{seed}"
                make_collection(folder, kind, seed)
                cache = mt.Cache(place / "cache")
                for way in ways:
                    results[way].setdefault(kind, []).append(measure(folder, WAYS[way], seed, cache))
                    accuracy, seconds, epoch = results[way][kind][-1]
                    print(f"{kind} {seed}: {way}: {accuracy:.1f} % in {seconds:.0f} s, epoch {epoch}", flush=True)
    text = table(results, kinds)
    print(text)
    if given.output:
        given.output.write_text(f"{text}\n")


if __name__ == "__main__":
    main()
