"""Building blocks that many creatures share: balls, limbs, fans, rings of directions."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

import numpy as np
from scipy.sparse import coo_array
from scipy.sparse.csgraph import connected_components

from meshtide.arrays import FloatArray
from meshtide.data.figures.dice import Dice
from meshtide.data.figures.meshing import MOST_CELLS
from meshtide.data.figures.skeleton import SIDE, UP, Bone, across, bent, chain, curl, pattern, unit


@dataclass(frozen=True)
class Creature:
    """How a kind is made, and what its parts are called."""

    build: Callable[[Dice], list[Bone]]
    parts: tuple[str, ...]


def ball(part: str, middle: FloatArray, radius: float, limb: str = "", **settings: object) -> Bone:
    """A ball, or a lens if it is thin in some direction."""
    thin = settings.get("thin")
    along = UP if thin is None else across(np.asarray(thin), UP + 0.1 * SIDE)
    end = middle + 0.02 * radius * along
    return replace(pattern(part, limb, **settings), start=middle, end=end, radii=(radius, radius))  # type: ignore[arg-type]


def bone(
    part: str, start: FloatArray, end: FloatArray, radii: tuple[float, float], limb: str = "", **settings: object
) -> Bone:
    """A single bone with the settings of `pattern`."""
    return replace(pattern(part, limb, **settings), start=start, end=end, radii=radii)  # type: ignore[arg-type]


def strand(
    like: Bone,
    start: FloatArray,
    direction: FloatArray,
    towards: FloatArray,
    length: float,
    radii: Sequence[float],
    turn: float = 0.0,
) -> list[Bone]:
    """A limb that turns by an angle in all from a direction towards another; the radii are spread along it."""
    steps = max(len(radii) - 1, 2 if abs(turn) < 0.3 else 7)
    points = curl(start, unit(direction), towards, length, steps, turn / steps)
    places = np.linspace(0, len(radii) - 1, steps + 1)
    return chain(points, [float(r) for r in np.interp(places, np.arange(len(radii)), radii)], like)


def fan(
    like: Bone,
    root: FloatArray,
    direction: FloatArray,
    sideways: FloatArray,
    opening: float,
    length: float,
    radii: tuple[float, float],
    rays: int = 3,
    notch: float = 0.0,
) -> list[Bone]:
    """A flat fan of rays from a root, opening by an angle; a notch shortens the middle rays, below 0 the outer."""
    thin = across(direction, np.cross(direction, sideways))
    like = replace(like, thin=thin)
    rays = int(np.clip(opening * length / (1.2 * radii[1]), rays, 12))  # no gaps between the tips
    bones = []
    for place in np.linspace(-1, 1, rays):
        ray = bent(direction, sideways, place * opening / 2)
        long = length * (1 - (notch * (1 - place**2) if notch > 0 else -notch * place**2))
        bones += chain((root, root + long * ray), radii, like)
    return bones


def ring(count: int, start: float = 0.0, jitter: Sequence[float] | None = None) -> list[FloatArray]:
    """Horizontal unit directions around a circle."""
    turns = start + 2 * np.pi * (np.arange(count) + (np.zeros(count) if jitter is None else np.asarray(jitter))) / count
    return [np.array([np.cos(turn), np.sin(turn), 0.0]) for turn in turns]


def connected(bones: Sequence[Bone]) -> bool:
    """Whether the balls along the bones make one body, as far as samples tell."""
    samples = np.linspace(0, 1, 7)[:, None]
    points = np.concatenate([b.start + samples * (b.end - b.start) for b in bones])
    radii = np.concatenate([b.radii[0] + samples[:, 0] * (b.radii[1] - b.radii[0]) for b in bones])
    bodies = np.repeat(np.arange(len(bones)), 7)
    one, two = np.nonzero(np.linalg.norm(points[:, None] - points, axis=2) < 0.9 * (radii[:, None] + radii))
    graph = coo_array((np.ones(len(one)), (bodies[one], bodies[two])), shape=(len(bones), len(bones)))
    return int(connected_components(graph, directed=False)[0]) == 1


def sturdy(bones: Sequence[Bone]) -> list[Bone]:
    """Bones with nothing so thin that the grid of the surface would miss it."""
    low = np.min([np.minimum(b.start, b.end) - b.reach for b in bones], axis=0)
    high = np.max([np.maximum(b.start, b.end) + b.reach for b in bones], axis=0)
    least = 0.85 * float(np.prod(high - low) / MOST_CELLS) ** (1 / 3)
    result = []
    for each in bones:
        first, last = (max(radius, least) for radius in each.radii)
        squash = max(each.squash, min(1.0, least / max(min(first, last), 1e-9))) if each.thin is not None else 1.0
        result.append(replace(each, radii=(first, last), squash=squash))
    return result
