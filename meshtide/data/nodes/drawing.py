"""Nodes to learn from, to validate on and to test on, drawn by a rule where a graph's files do not say it."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from meshtide.arrays import IntArray
from meshtide.errors import InputError

Drawn = tuple[IntArray, IntArray, IntArray]  # nodes to train, validate and test on
RANDOM_SEEDS = tuple(range(10))


@dataclass(frozen=True)
class PerClass:
    """As many nodes of every class, drawn from a few development nodes; the rest of these validate, all others test.

    With `replacement` a node may be drawn twice, which leaves fewer different ones: so the paper's code does it.
    """

    per_class: int = 20
    development: int = 1500
    replacement: bool = False
    seeds: tuple[int, ...] = RANDOM_SEEDS

    def __post_init__(self) -> None:
        if self.per_class < 1 or self.development < 2:
            raise InputError("a split needs at least one node a class and two to develop with")
        _check_seeds(self.seeds)

    def draw(self, labels: IntArray, seed: int) -> Drawn:
        """The split of a seed among the nodes that have a class."""
        labelled = np.flatnonzero(labels >= 0)
        if len(labelled) <= self.development:
            raise InputError(
                f"{len(labelled):,} labelled nodes are too few to develop with {self.development:,} and test on others"
            )
        # numpy's old generator, begun twice with the same seed: what the published split was drawn with.
        development = labelled[np.random.RandomState(seed).choice(len(labelled), self.development, replace=False)]
        random = np.random.RandomState(seed)
        chosen: list[int] = []
        for number in range(int(labels.max()) + 1):
            of_class = development[labels[development] == number]
            if not len(of_class):
                continue
            count = self.per_class if self.replacement else min(self.per_class, len(of_class))
            chosen.extend(random.choice(of_class, count, replace=self.replacement).tolist())
        train = np.unique(np.array(chosen, dtype=np.int64))
        return train, np.setdiff1d(development, train), np.setdiff1d(labelled, development)


@dataclass(frozen=True)
class Shares:
    """A share of the nodes of every class to train on, a share to validate on, and the others to test on."""

    train: float = 0.6
    validation: float = 0.2
    seeds: tuple[int, ...] = RANDOM_SEEDS

    def __post_init__(self) -> None:
        if not (0 < self.train < 1 and 0 <= self.validation < 1 and self.train + self.validation <= 1):
            raise InputError(f"shares of {self.train:g} to train and {self.validation:g} to validate on are no split")
        _check_seeds(self.seeds)

    def draw(self, labels: IntArray, seed: int) -> Drawn:
        """The split of a seed among the nodes that have a class."""
        random = np.random.default_rng(seed)
        pieces: list[list[IntArray]] = [[], [], []]
        for number in range(int(labels.max()) + 1):
            nodes = random.permutation(np.flatnonzero(labels == number))
            first = max(1, round(self.train * len(nodes)))  # of a rare class one node at least is to learn from
            second = max(first, round((self.train + self.validation) * len(nodes)))
            for piece, part in zip(pieces, np.split(nodes, [first, second]), strict=True):
                piece.append(part)
        train, validation, test = (np.sort(np.concatenate(piece)) for piece in pieces)
        return train, validation, test


Rule = PerClass | Shares


def _check_seeds(seeds: tuple[int, ...]) -> None:
    if not seeds or not all(type(seed) is int and 0 <= seed < 2**32 for seed in seeds):
        raise InputError(f"seeds {seeds!r}: wanted at least one whole number, none below 0")
