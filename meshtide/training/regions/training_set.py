"""The generated shapes that regions are learned from, made once and kept in a folder."""

from __future__ import annotations

import os
import warnings
from collections.abc import Callable, Iterator, Mapping
from concurrent.futures import ProcessPoolExecutor, as_completed
from dataclasses import dataclass
from multiprocessing import get_context
from pathlib import Path
from typing import Any

from meshtide.data.figures import KINDS
from meshtide.data.figures.creatures import CREATURE_KINDS, body_figure, make_creature
from meshtide.data.figures.figure import Figure
from meshtide.data.figures.objects import OBJECT_KINDS, make_object
from meshtide.errors import InputError
from meshtide.spectral.spectrum import SpectrumWarning
from meshtide.training.regions.examples import RegionExample, load_example, make_example, save_example

# Two sources may have a kind of the same name: a robot as an object and as a creature.
SOURCES: Mapping[str, tuple[str, ...]] = {
    "bodies": tuple(KINDS), "creatures": tuple(CREATURE_KINDS), "objects": tuple(OBJECT_KINDS),
}  # fmt: skip
_MAKERS: Mapping[str, Callable[..., Figure]] = {
    "bodies": body_figure, "creatures": make_creature, "objects": make_object,
}  # fmt: skip
FIRST, EVERY = 3, 4  # of the seeds, those that the judge of pairs learns from, and the embedding does not


@dataclass(frozen=True)
class Recipe:
    """One shape to make."""

    source: str
    kind: str
    seed: int
    variant: str = "blended"

    @property
    def name(self) -> str:
        """A name for its file."""
        return f"{self.source}.{self.kind.replace(' ', '_')}-{self.variant}-{self.seed}"

    @property
    def for_pairs(self) -> bool:
        """Whether it is for the judge of pairs, and not for the embedding."""
        return self.seed % EVERY == FIRST


def make_figure_of(source: str, kind: str, seed: int, variant: str = "blended") -> Figure:
    """A generated shape of any source."""
    if source not in SOURCES:
        raise InputError(f"there is no source of figures '{source}'; there are {', '.join(SOURCES)}")
    return _MAKERS[source](kind, seed, variant=variant)


def recipes(seeds: int, *, variant: str = "blended", first: int = 0, without: tuple[str, ...] = ()) -> Iterator[Recipe]:
    """So many shapes of every kind of every source, but for the kinds left out (as "source.kind")."""
    for seed in range(first, first + seeds):
        for source, kinds in SOURCES.items():
            for kind in kinds:
                if f"{source}.{kind}" not in without:
                    yield Recipe(source, kind, seed, variant)


def make_training_set(
    wanted: list[Recipe],
    folder: Path,
    *,
    named: bool = False,
    jobs: int = 1,
    report: Callable[[int, int], None] | None = None,
) -> list[Path]:
    """Make and prepare the shapes that the folder does not hold yet; returns the files, in the order wanted.

    The parts of a face are numbered piece by piece, or, if `named`, as the generator's names of parts are. A shape that
    cannot be made is left out: of thousands of random ones a few are no surface.
    """
    folder.mkdir(parents=True, exist_ok=True)
    missing = [recipe for recipe in wanted if not (folder / f"{recipe.name}.npz").exists()]
    # Fresh processes: those that were forked would inherit torch's threads, some of them locked.
    with ProcessPoolExecutor(jobs, mp_context=get_context("spawn")) as pool:
        running = [pool.submit(_make, recipe, folder, named) for recipe in missing]
        for done, future in enumerate(as_completed(running), start=1):
            future.result()
            if report is not None:
                report(done, len(missing))
    return [path for recipe in wanted if (path := folder / f"{recipe.name}.npz").exists()]


def load_training_set(paths: list[Path]) -> tuple[list[RegionExample], list[Path]]:
    """The examples for the embedding, and the files of those for the judge of pairs."""
    of_pairs = [path for path in paths if int(path.stem.rsplit("-", 1)[1]) % EVERY == FIRST]
    rest = [path for path in paths if path not in set(of_pairs)]
    return [load_example(path) for path in rest], of_pairs


def _make(recipe: Recipe, folder: Path, named: bool) -> None:
    path = folder / f"{recipe.name}.npz"
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", SpectrumWarning)
        try:
            figure: Any = make_figure_of(recipe.source, recipe.kind, recipe.seed, recipe.variant)
            sort = f"{recipe.source}.{recipe.kind}"
            if named:
                example = make_example(figure.mesh, figure.face_parts, sort, dense=False)
            else:
                example = make_example(figure.mesh, figure.face_instances, sort)
        except (InputError, ArithmeticError, RuntimeError):
            return
    unfinished = path.with_suffix(f".{os.getpid()}.tmp.npz")
    save_example(example, unfinished)
    unfinished.replace(path)
