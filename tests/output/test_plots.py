"""Colours that can be told apart, and pictures that show something."""

from __future__ import annotations

import subprocess
import sys
from dataclasses import dataclass
from itertools import combinations
from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray

from meshtide.errors import InputError
from meshtide.labels.colours import KNOWN, PALETTE, UNLABELLED, part_colours
from meshtide.labels.shades import MOST_SHADES, instance_colours
from meshtide.output.plots import plot_confusion, plot_training
from meshtide.training.scores import Score, ShapeScore, combine

BODY = ("head", "torso", "upperarm", "lowerarm", "hand", "upperleg", "lowerleg", "foot")
ANIMAL = ("head", "neck", "torso", "leg", "tail", "earhorn")

# What is left of linear RGB without the cones for long or for middle waves (Machado, Oliveira and Fernandes 2009).
SIGHT = {
    "normal": np.eye(3),
    "protanopia": [[0.152286, 1.052583, -0.204868], [0.114503, 0.786281, 0.099216], [-0.003882, -0.048116, 1.051998]],
    "deuteranopia": [[0.367322, 0.860646, -0.227968], [0.280085, 0.672501, 0.047413], [-0.011820, 0.042940, 0.968881]],
}


def oklab(colour: str, sight: str) -> NDArray[np.float64]:
    """Where a colour lies in a space of even perception (Ottosson 2020), as seen by someone."""
    value = np.array([int(colour[i : i + 2], 16) for i in (1, 3, 5)]) / 255
    linear = np.where(value <= 0.04045, value / 12.92, ((value + 0.055) / 1.055) ** 2.4)
    cones = [
        [0.41222147, 0.53633254, 0.05144599],
        [0.2119035, 0.68069955, 0.10739696],
        [0.08830246, 0.28171884, 0.6299787],
    ]
    axes = [
        [0.21045426, 0.79361779, -0.00407205],
        [1.9779985, -2.42859221, 0.45059371],
        [0.02590404, 0.78277177, -0.80867577],
    ]
    seen = np.clip(np.asarray(SIGHT[sight]) @ linear, 0, 1)
    return np.asarray(axes) @ np.cbrt(np.asarray(cones) @ seen)


def closest(colours: tuple[str, ...], sight: str) -> float:
    return min(float(np.linalg.norm(oklab(a, sight) - oklab(b, sight))) for a, b in combinations(colours, 2))


@pytest.mark.parametrize("parts", [BODY, ANIMAL, ("head", "torso", "arm", "leg"), ("head", "torso", "limb")])
def test_parts_that_occur_together_are_told_apart_by_everyone(parts: tuple[str, ...]) -> None:
    for sight in SIGHT:
        assert closest(part_colours(parts), sight) > 0.07, sight


def test_many_parts_have_colours_that_differ_to_the_eye() -> None:
    colours = part_colours([f"part {number}" for number in range(24)])
    assert closest(colours, "normal") > 0.05
    assert closest((*PALETTE, UNLABELLED), "normal") > 0.03
    forty = part_colours([f"part {number}" for number in range(40)])
    assert closest(forty, "normal") > 0.06
    assert min(closest(forty, sight) for sight in SIGHT) > 0.02
    many = part_colours([f"part {number}" for number in range(2000)])
    assert len(set(many)) == 2000
    assert many[:24] == colours


def test_known_parts_keep_their_colour_in_any_company() -> None:
    assert len(set(KNOWN.values())) == len(KNOWN)
    assert set(KNOWN.values()) <= set(PALETTE)
    alone = {name: part_colours([name])[0] for name in KNOWN}
    together = part_colours(["handle", *KNOWN, "wheel", *(f"part {number}" for number in range(30))])
    assert dict(zip(KNOWN, together[1:], strict=False)) == alone
    assert len(set(together)) == len(together)
    assert part_colours(["Upper Arm"]) == part_colours(["upper_arm"]) == part_colours(["upperarm"])
    assert len(set(part_colours(["head", "Head", "HEAD"]))) == 3
    assert part_colours([]) == ()


def hue(colour: str) -> float:
    _, a, b = oklab(colour, "normal")
    return float(np.degrees(np.arctan2(b, a)))


def test_instances_of_a_part_have_shades_of_its_colour_that_are_told_apart() -> None:
    parts = ("head", "torso", "leg", "tail")
    colours = part_colours(parts)
    found = instance_colours(colours, [0, 1, 2, 2, 2, 2, 3])
    assert (*found[:3], found[6]) == colours  # the first of each has the part's own
    assert closest(found, "normal") > 0.09
    assert min(closest(found[2:6], sight) for sight in SIGHT) > 0.09
    for colour in PALETTE:
        for shade in instance_colours([colour], [0] * 4):
            assert abs((hue(shade) - hue(colour) + 180) % 360 - 180) < 30
    many = instance_colours(colours, [2] * (MOST_SHADES + 2))
    assert len(set(many)) == MOST_SHADES
    assert many[MOST_SHADES:] == many[:2]
    assert instance_colours(colours, []) == ()


@dataclass(frozen=True)
class Record:
    epoch: int
    loss: float
    train_accuracy: float
    validation_accuracy: float | None
    learning_rate: float
    times: tuple[tuple[float, ...], ...]


def history(epochs: int, blocks: int = 3, channels: int = 8, loss: float = 2.0) -> list[Record]:
    times = np.geomspace(1e-3, 0.2, max(channels, 1))
    return [
        Record(
            epoch,
            loss / epoch,
            1 - 0.7 / epoch,
            0.9 - 0.6 / epoch if epoch % 5 == 1 else None,
            1e-3,
            tuple(tuple((times * (1 + block) ** (1 - 1 / epoch)).tolist()) for block in range(blocks)),
        )
        for epoch in range(1, epochs + 1)
    ]


def score_of(names: list[str], missing: int | None = None) -> Score:
    random = np.random.default_rng(0)
    confusion = random.integers(0, 9, (len(names), len(names))) + 90 * np.eye(len(names), dtype=np.int64)
    if missing is not None:
        confusion[missing] = 0
    return combine([ShapeScore("shape", 0.9, 0.9, 0.9, 0.8, confusion)], names)


def picture(path: Path) -> NDArray[np.float64]:
    """The pixels of a PNG, (height, width, 3 or 4), after a look at whether anything is drawn."""
    from matplotlib.image import imread

    pixels = imread(path)
    assert path.read_bytes().startswith(b"\x89PNG")
    assert pixels[..., :3].std() > 0.02
    assert len(np.unique(pixels[..., 0])) > 20
    return np.asarray(pixels)


@pytest.mark.parametrize("count", [1, 3, 8, 24])
def test_a_confusion_matrix_is_drawn_at_a_size_to_read(tmp_path: Path, count: int) -> None:
    plot_confusion(score_of([f"part {number}" for number in range(count)]), tmp_path / "confusion.png")
    height, width, _ = picture(tmp_path / "confusion.png").shape
    assert min(height, width) > max(500, 60 * count)
    assert max(height, width) < 2500


def test_odd_names_and_missing_parts_are_drawn(tmp_path: Path) -> None:
    names = ["$\\frac{", "a_b^c", "脚", "a name that is far too long for the side of a matrix", "100 %"]
    plot_confusion(score_of(names, missing=2), tmp_path / "confusion.png")
    assert np.ptp(picture(tmp_path / "confusion.png")[..., :3]) > 0.5


@pytest.mark.parametrize(("epochs", "blocks", "channels"), [(60, 4, 64), (60, 4, 1), (5, 0, 0), (1, 2, 8), (20, 12, 4)])
def test_a_training_run_is_drawn(tmp_path: Path, epochs: int, blocks: int, channels: int) -> None:
    plot_training(history(epochs, blocks, channels), tmp_path / "training.png")
    height, width, _ = picture(tmp_path / "training.png").shape
    assert width > 1000
    assert height == (900 if blocks else 480)


def test_the_epoch_that_was_kept_is_marked(tmp_path: Path) -> None:
    plain, marked, outside = (tmp_path / f"{name}.png" for name in ("plain", "marked", "outside"))
    plot_training(history(60), plain)
    plot_training(history(60), marked, kept=40)
    plot_training(history(60), outside, kept=70)
    assert (picture(plain) == picture(outside)).all()
    changed = (picture(plain) != picture(marked)).any(axis=(0, 2))
    assert 0 < changed.mean() < 0.3  # a line in every panel, and a word beside one


def test_numbers_that_cannot_be_drawn_do_not_stop_the_drawing(tmp_path: Path) -> None:
    records = history(8)
    still = Record(9, float("nan"), 0.5, None, 1e-3, ((0.0,) * 8, (0.0, *[0.1] * 7), (float("inf"), *[0.1] * 7)))
    plot_training([*records, still], tmp_path / "training.png")
    picture(tmp_path / "training.png")
    plot_training(history(8, loss=float("nan")), tmp_path / "training.png")
    with pytest.raises(InputError, match="no epoch"):
        plot_training([], tmp_path / "training.png")


def test_a_folder_that_is_missing_is_named(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="does not exist"):
        plot_training(history(3), tmp_path / "none" / "training.png")


def test_the_caller_s_own_figures_are_left_alone(tmp_path: Path) -> None:
    program = f"""
import sys
from types import SimpleNamespace
import meshtide.output.plots
assert "matplotlib" not in sys.modules
import matplotlib
matplotlib.use("svg")
before = dict(matplotlib.rcParams)
record = SimpleNamespace(epoch=1, loss=1.0, train_accuracy=0.5, validation_accuracy=None, times=((0.1, 0.2),))
meshtide.output.plots.plot_training([record], {str(tmp_path / "training.png")!r})
assert dict(matplotlib.rcParams) == before
assert "matplotlib.pyplot" not in sys.modules
"""
    root = Path(__file__).parents[2]
    done = subprocess.run([sys.executable, "-c", program], cwd=root, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
