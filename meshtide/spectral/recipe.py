"""What is computed for a mesh before a network sees it, as one value that can be compared, hashed and stored."""

from __future__ import annotations

import hashlib
import json
import math
from collections.abc import Iterable
from dataclasses import asdict, dataclass, fields, replace
from itertools import pairwise
from typing import Any

from meshtide.errors import InputError
from meshtide.spectral.features import FEATURES
from meshtide.spectral.operators import OPERATORS
from meshtide.spectral.signatures import hks_times, wks_energies
from meshtide.words import shown

ARROWS = "arrows"  # the feature that stands last, as a network looks for it there
# What is read of shapes that bend little between those to learn from and those to answer about: docs/training.md.
USUAL_FEATURES = ("log-hks", "curvature", ARROWS)
# What is read of shapes unlike those to learn from: docs/mesh-settings.md.
MIXED_FEATURES = ("log-hks", "twins")
MOST_EIGENPAIRS = 4096  # far beyond use; a bound so that a damaged file cannot ask for a terabyte


@dataclass(frozen=True)
class GraphRecipe:
    """The operator, the number of eigenpairs and the input features of a mesh graph.

    >>> GraphRecipe(k=64, features=("log-hks", "wks")).channels
    32
    """

    operator: str = "surface"
    k: int = 128
    features: tuple[str, ...] = ("log-hks",)
    times: tuple[float, ...] = hks_times()  # of hks and log-hks, on a surface of area 1; hks5 has its own
    energies: tuple[float, ...] = wks_energies()  # of wks, eigenvalues on a surface of area 1
    energy_width: float = 0.4  # of wks, in log energy

    def __post_init__(self) -> None:
        # Lists and numpy numbers are welcome, but equal recipes must be equal values with one digest.
        object.__setattr__(self, "features", _words(self.features, "features", tuple(FEATURES)))
        object.__setattr__(self, "times", _ascending(self.times, "times"))
        object.__setattr__(self, "energies", _ascending(self.energies, "energies"))
        object.__setattr__(self, "energy_width", _ascending((self.energy_width,), "energy_width")[0])
        if self.operator not in OPERATORS:
            raise InputError(f"operator {shown(repr(self.operator))} is not known; there are {', '.join(OPERATORS)}")
        if isinstance(self.k, bool) or not 1 <= _whole(self.k) <= MOST_EIGENPAIRS:
            raise InputError(
                f"`k={shown(repr(self.k))}`: the number of eigenpairs should be from 1 to {MOST_EIGENPAIRS:,}"
            )
        object.__setattr__(self, "k", _whole(self.k))

    @property
    def channels(self) -> int:
        """The number of feature columns."""
        return sum(FEATURES[word].channels(self) for word in self.features)

    @property
    def kept(self) -> GraphRecipe:
        """The recipe whose preparation a cache keeps: without arrows, which are made faster than they are read."""
        with_arrows = self.features[-1] == ARROWS and len(self.features) > 1
        return replace(self, features=self.features[:-1]) if with_arrows else self

    def to_json(self) -> str:
        """Write the recipe in its one canonical form: equal recipes give equal text."""
        return json.dumps(asdict(self), sort_keys=True, separators=(",", ":"))

    @staticmethod
    def from_json(text: str) -> GraphRecipe:
        """Read what `to_json` wrote; fields that are missing have their defaults, unknown ones raise InputError."""
        try:
            content = json.loads(text)
        except (ValueError, RecursionError) as error:
            raise InputError(f"a recipe should be JSON, but {error}") from error
        if not isinstance(content, dict):
            raise InputError(f"a recipe should be a JSON object, not {type(content).__name__}")
        known = [field.name for field in fields(GraphRecipe)]
        unknown = sorted(set(content) - set(known))
        if unknown:
            raise InputError(f"a recipe has no {', '.join(unknown)}; its fields are {', '.join(known)}")
        return GraphRecipe(**content)

    def digest(self) -> str:
        """32 hexadecimal digits that differ between recipes."""
        return hashlib.blake2b(self.to_json().encode(), digest_size=16).hexdigest()


def usual_features(operator: str | None, setting: str = "multi", *, arrows: bool = True) -> tuple[str, ...]:
    """The features that a training reads unless somebody asks for others; `arrows` where the network can read them."""
    if setting == "single" or operator not in (None, "surface"):
        return ("log-hks",)
    if setting == "mixed":
        return MIXED_FEATURES
    return USUAL_FEATURES if arrows else tuple(word for word in USUAL_FEATURES if word != ARROWS)


def _words(given: Any, noun: str, known: tuple[str, ...]) -> tuple[str, ...]:
    words = (given,) if isinstance(given, str) else _tuple(given, noun)
    for word in words:
        if word not in known:
            raise InputError(f"`{noun}`: {shown(repr(word))} is not known; there are {', '.join(known)}")
    if not words or len(set(words)) < len(words):
        raise InputError(f"{noun} {list(words)} should be one or more of {', '.join(known)}, each once")
    return words


def _ascending(given: Any, noun: str) -> tuple[float, ...]:
    try:
        numbers = tuple(float(value) for value in _tuple(given, noun))
    except (TypeError, ValueError, OverflowError):
        raise InputError(f"{noun} {shown(repr(given))} should be numbers") from None
    rising = all(low < high for low, high in pairwise(numbers))
    if not numbers or not rising or numbers[0] <= 0 or not all(map(math.isfinite, numbers)):
        raise InputError(f"{noun} {list(numbers)} should be positive and ascending")
    return numbers


def _tuple(given: Any, noun: str) -> tuple[Any, ...]:
    if isinstance(given, str) or not isinstance(given, Iterable):
        raise InputError(f"{noun} {shown(repr(given))} should be a list")
    return tuple(given)


def _whole(number: Any) -> int:
    """The number as a Python integer, or 0 where it is not a whole number."""
    try:
        return int(number) if int(number) == number else 0
    except (TypeError, ValueError, OverflowError):
        return 0
