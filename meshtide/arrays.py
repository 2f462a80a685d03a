"""Names for the arrays that travel through meshtide, and how much of a large one is worked on at a time."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

IntArray = NDArray[np.int64]
FloatArray = NDArray[np.float64]
BoolArray = NDArray[np.bool_]
Probabilities = NDArray[np.floating[Any]]
CHUNK = 1 << 14  # triangles at a time: what is made of so many stays in the processor's cache
