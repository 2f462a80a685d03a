"""From cues to the probability that two patches are of one part: a small network, asked twice.

The first answer looks at a pair alone. The second one also sees what the first answers to all other pairs make of it:
whether a likely way leads from one to the other, and whether they belong with the same others.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from meshtide.arrays import FloatArray, IntArray
from meshtide.inference.recorded import Recorded, asked
from meshtide.inference.regions.cues import Patches, later_cues, pair_cues
from meshtide.inference.regions.inputs import Prepared

if TYPE_CHECKING:
    from meshtide.inference.regions.pair_network import PairJudge

SURE = 12.0  # logits beyond this say no more


@dataclass(frozen=True, eq=False)
class RecordedJudge:
    """Both networks of a judge that ships."""

    first: Recorded
    second: Recorded


def judge_pairs(judge: PairJudge | RecordedJudge, prepared: Prepared, patches: Patches, scale: float) -> FloatArray:
    """The logit of being of one part for all pairs of patches, (n, n) and symmetric; SURE on the diagonal."""
    count = patches.count
    if count < 2:
        return np.full((count, count), SURE)
    cues, i, j = pair_cues(prepared, patches, scale)
    first = spread(asked(judge.first, cues=cues), i, j, count)
    later = later_cues(patches, first)[i, j].astype(np.float32)
    both = np.concatenate([cues, later], axis=1)
    return spread(asked(judge.second, cues=both), i, j, count)


def spread(logits: NDArray[np.floating], i: IntArray, j: IntArray, count: int) -> FloatArray:
    """Logits of pairs as a symmetric matrix."""
    matrix = np.full((count, count), SURE)
    matrix[i, j] = matrix[j, i] = np.clip(logits, -SURE, SURE)
    return matrix
