"""Parts that no one has named: the regions of a mesh as a segmentation, and what is said of their borders."""

from __future__ import annotations

import numpy as np

from meshtide.inference.given import Given
from meshtide.inference.regions.inputs import Prepared
from meshtide.inference.regions.regions import Regions, find_regions
from meshtide.inference.segmentation import Border, Segmentation
from meshtide.mesh.measure import relative_areas
from meshtide.mesh.mesh import Mesh

DOUBTFUL = 0.6  # a border this sure or less is named in a note; at 0.5 the two parts may as well be one
MOST_NAMED = 5  # doubtful borders in one sentence


def divide(
    given: Given,
    *,
    count: int | None = None,
    detail: float = 1.0,
    reason: str = "",
    prepared: Prepared | None = None,
) -> Segmentation:
    """Divide a mesh into parts as a person would, "part 1" to "part n", the largest first.

    `prepared` is the mesh's working surface with its inputs, where somebody has computed them already.
    """
    found = find_regions(given.mesh, count=count, detail=detail, prepared=prepared)
    names = _names(given.mesh, found)
    borders = _borders(found, names)
    return Segmentation.of_regions(
        given.mesh,
        found.face_regions,
        found.confidence,
        names=names,
        warnings=(*given.remarks, *_doubts(borders)),
        origin=given.origin,
        source=given.source,
        reason=reason,
        borders=borders,
    )


def _names(mesh: Mesh, found: Regions) -> list[str]:
    """What each region is called: the largest is "part 1"."""
    areas = np.bincount(found.face_regions, relative_areas(mesh), found.count)
    rank = np.empty(found.count, dtype=np.int64)
    rank[np.argsort(-areas, kind="stable")] = np.arange(found.count)
    return [f"part {place + 1}" for place in rank.tolist()]


def _borders(found: Regions, names: list[str]) -> tuple[Border, ...]:
    """The borders between regions, the most doubtful first."""
    ordered = sorted(found.borders, key=lambda border: (border.confidence, border.one, border.other))
    return tuple(Border(names[each.one], names[each.other], each.confidence) for each in ordered)


def _doubts(borders: tuple[Border, ...]) -> tuple[str, ...]:
    """A sentence that names the borders which may be none."""
    doubtful = [border for border in borders if border.confidence <= DOUBTFUL]
    if not doubtful:
        return ()
    named = ", ".join(f"{each.one} and {each.other} ({each.confidence:.0%})" for each in doubtful[:MOST_NAMED])
    rest = f" and {len(doubtful) - MOST_NAMED} more" if len(doubtful) > MOST_NAMED else ""
    which = "this border is" if len(doubtful) == 1 else "these borders are"
    return (f"{which} doubtful: {named}{rest}; `detail` below 1 gives fewer parts",)
