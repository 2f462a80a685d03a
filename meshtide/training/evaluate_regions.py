"""Score the division of meshes into parts without names against people's divisions of the same meshes."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from pathlib import Path
from statistics import fmean
from typing import Any

import numpy as np

from meshtide.data.divisions import DividedMesh, find_divided_meshes, read_division
from meshtide.inference.segment import segment
from meshtide.mesh.files import load_mesh
from meshtide.training.region_scores import RegionScore, agreement, mean_score, score_regions
from meshtide.training.sources import Progress, no_progress


@dataclass(frozen=True, eq=False)
class RegionReport:
    """How a set of meshes was divided, beside how far the people who divided them differ from each other."""

    mean: RegionScore
    meshes: tuple[RegionScore, ...]
    people: float  # the Rand error of people against each other, over meshes that several divided; nan without such
    divisions: int  # how many divisions by people there are

    def __repr__(self) -> str:
        return (
            f"RegionReport({len(self.meshes)} meshes, {self.divisions} divisions by people: Rand error "
            f"{self.mean.rand:.3f}, people against each other {self.people:.3f})"
        )

    def to_json(self) -> dict[str, Any]:
        """All figures in what JSON can hold; a figure that there is not is null."""
        return {
            "mean": _plain(self.mean),
            "people_rand": None if np.isnan(self.people) else self.people,
            "divisions": self.divisions,
            "meshes": [_plain(score) for score in self.meshes],
        }


def evaluate_regions(
    folder: str | Path,
    segmentations: str | Path | None = None,
    *,
    count: int | None = None,
    detail: float | None = None,
    progress: Progress = no_progress,
) -> RegionReport:
    """Divide the meshes of a folder without names and score that against the `.seg` files that people made of them.

    For a mesh `12.off` those are `12.seg` and `12_0.seg`, `12_1.seg` …, beside it or in the folder `segmentations`,
    there or in a folder `12` of it, as the Princeton benchmark has them. `count` and `detail` are those of `segment`.

    >>> import tempfile
    >>> import meshtide as mt
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     mesh, _ = mt.make_figure("octopus", 1)
    ...     mt.save_mesh(mesh, f"{folder}/octopus.off")
    ...     mt.segment(mesh, unnamed=True).save(f"{folder}/octopus_0.seg")
    ...     mt.evaluate_regions(folder).mean.rand < 0.01
    True
    """
    divided = find_divided_meshes(folder, segmentations)
    step = progress("dividing", len(divided))
    scores, people = [], []
    for each in divided:
        score, own = _score(each, count, detail)
        scores.append(score)
        people.append(own)
        step()
    known = [value for value in people if not np.isnan(value)]
    total = sum(len(each.seg_paths) for each in divided)
    return RegionReport(mean_score(scores), tuple(scores), fmean(known) if known else float("nan"), total)


def _score(each: DividedMesh, count: int | None, detail: float | None) -> tuple[RegionScore, float]:
    mesh = load_mesh(each.mesh_path)
    others = [read_division(path, mesh) for path in each.seg_paths]
    result = segment(each.mesh_path, unnamed=True, count=count, detail=detail)
    found = mesh.origin.faces_from_file(result.face_instances)
    return score_regions(mesh, found, others), agreement(others)


def _plain(score: RegionScore) -> dict[str, Any]:
    return {name: None if value != value else value for name, value in asdict(score).items()}
