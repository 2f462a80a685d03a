"""Seeded chance for figures: every size, choice and angle of a body is drawn here."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TypeVar
from zlib import crc32

import numpy as np

from meshtide.arrays import FloatArray

Choice = TypeVar("Choice")


class Dice:
    """Random draws that depend on (kind, seed, variant) only.

    Sizes are log-normal. The held-out variant draws them log-uniformly, with another spread: other priors for the same
    anatomy, so that a network that only remembers the training distribution is found out.
    """

    def __init__(self, kind: str, seed: int, variant: str) -> None:
        self.rng = np.random.default_rng([crc32(f"{kind} {variant}".encode()), abs(seed), int(seed < 0)])
        self.uniform_sizes = variant == "held-out"

    def size(self, median: float, spread: float = 0.12) -> float:
        """A positive number around a median; `spread` is the standard deviation of its logarithm."""
        if self.uniform_sizes:
            return median * float(np.exp(1.5 * spread * self.rng.uniform(-1, 1)))
        return median * float(np.exp(spread * np.clip(self.rng.normal(), -2.6, 2.6)))

    def between(self, low: float, high: float) -> float:
        """A number from an interval, all equally likely."""
        return float(self.rng.uniform(low, high))

    def normal(self, deviation: float = 1.0) -> float:
        """A number around zero, never further than 2.6 deviations."""
        return deviation * float(np.clip(self.rng.normal(), -2.6, 2.6))

    def angle(self, mean: float, deviation: float) -> float:
        """An angle in radians, from degrees."""
        return float(np.radians(mean + self.normal(deviation)))

    def chance(self, probability: float) -> bool:
        """True as often as the probability says."""
        return bool(self.rng.uniform() < probability)

    def pick(self, weights: Mapping[Choice, float]) -> Choice:
        """One of the keys, as often as its weight says."""
        keys = list(weights)
        shares = np.array([weights[key] for key in keys])
        return keys[int(self.rng.choice(len(keys), p=shares / shares.sum()))]

    def vector(self, deviation: float = 1.0) -> FloatArray:
        """A random vector, (3,)."""
        return np.asarray(self.rng.normal(0, deviation, 3))
