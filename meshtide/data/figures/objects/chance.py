"""Objects of no kind at all: random lathe work, random attachments, random assemblies."""

from __future__ import annotations

import numpy as np

from meshtide.arrays import FloatArray
from meshtide.data.figures.dice import Dice
from meshtide.data.figures.objects.model import (
    Model,
    Placed,
    ball,
    block,
    curve,
    plate,
    ring,
    rod,
    rounded_rectangle,
    some,
    towards,
    tube,
    turned,
)


def coaxial(dice: Dice) -> Model:
    """Turned bodies on one axis; between two of them there is a neck or a marked step, so each is a part."""
    model = Model(rounding=dice.size(1.0, 0.6))
    z = 0.0
    last = 0.0
    for number in range(some(dice, 1, 6)):
        radius, tall = dice.size(0.35, 0.45), dice.size(0.4, 0.5)
        if number and 0.72 < radius / last < 1.4:
            radius = last * (0.55 if dice.chance(0.5) else 1.8)
        profile = _bead(dice, radius, tall)
        profile[:, 1] += z - 0.04 * tall
        model.add("section", turned(profile, squash=1.0), number=number)
        z += 0.94 * tall
        last = radius
    return model


def _bead(dice: Dice, radius: float, tall: float) -> FloatArray:
    """One turned body from height 0 on: a ball, a drum, a cone, a bell, a disc."""
    share = np.linspace(0, 1, 11)
    make = dice.pick({"ball": 1, "drum": 1.5, "cone": 1, "bell": 1, "waist": 0.6})
    slope = dice.between(0.3, 0.9)
    slope = slope if dice.chance(0.5) else 1 / slope
    sizes = {
        "ball": np.sqrt(np.maximum(1 - 0.92 * (2 * share - 1) ** 2, 0)),
        "drum": 1 - 0.05 * np.cos(2 * np.pi * share),
        "cone": slope + (1 - slope) * share if slope < 1 else 1 + (1 / slope - 1) * share,
        "bell": 0.45 + 0.55 * (share if slope < 1 else 1 - share) ** 2,
        "waist": 1 - 0.35 * np.sin(np.pi * share) ** 2,
    }  # fmt: skip
    return np.stack([radius * sizes[make], tall * share], axis=1)


def attached(dice: Dice) -> Model:
    """A block or a blob with random attachments standing out of it."""
    model = Model()
    size = np.array([dice.size(0.4, 0.3) for _ in range(3)])
    core = dice.pick({"block": 2, "blob": 1.2, "drum": 1})
    if core == "block":
        model.add("body", block((0, 0, 0), 2 * size, dice.between(0, 0.3) * float(size.min())))
    elif core == "blob":
        model.add("body", ball((0, 0, 0), size))
    else:
        model.add(
            "body",
            turned([(size[0], -size[2]), (size[0], size[2])], squash=float(np.clip(size[1] / size[0], 0.6, 1.5))),
        )
    taken: list[FloatArray] = []
    for number in range(some(dice, 1, 9)):
        way = _direction(dice, core, size, taken)
        if way is None:
            continue
        taken.append(way)
        foot = _surface_point(core, size, way)
        thick = dice.between(0.16, 0.42) * float(size.min())
        for shape in _attachment(dice, foot, way, thick, dice.size(0.45, 0.5)):
            model.add("attachment", shape, number=number)
    return model


def _direction(dice: Dice, core: str, size: FloatArray, taken: list[FloatArray]) -> FloatArray | None:
    """A direction that no attachment has yet; blocks prefer their own axes."""
    for _ in range(12):
        way = dice.vector()
        if core != "blob" and dice.chance(0.7):
            way = np.eye(3)[int(dice.rng.integers(3))] * (1 if dice.chance(0.5) else -1) + 0.25 * dice.vector()
        way /= np.linalg.norm(way)
        if all(float(way @ other) < 0.75 for other in taken):
            return np.asarray(way)
    return None


def _surface_point(core: str, size: FloatArray, way: FloatArray) -> FloatArray:
    if core == "block":
        return np.asarray(way / np.max(np.abs(way) / size))
    return np.asarray(way / np.linalg.norm(way / size))


def _attachment(dice: Dice, foot: FloatArray, way: FloatArray, thick: float, length: float) -> list[Placed]:
    """Something that grows out of a foot: a rod, a knob, a fin, a hook, a ring, a cone."""
    start, end = foot - 0.7 * thick * way, foot + length * way
    side = towards(way)[:, 0]
    make = dice.pick({"rod": 2, "square": 1, "knob": 1, "fin": 1, "hook": 1, "ring": 0.6, "cone": 0.8, "loop": 0.6})
    if make in ("rod", "square"):
        return [rod(start, end, thick, dice.between(0.6, 1.1) * thick, "round" if make == "rod" else "square")]
    if make == "cone":
        return [rod(start, end, 1.2 * thick, 0.15 * thick)]
    if make == "knob":
        return [rod(start, foot + 0.6 * length * way, 0.6 * thick), ball(foot + 0.7 * length * way, 1.25 * thick)]
    if make == "fin":
        outline = rounded_rectangle(3.5 * thick, length + thick, dice.between(0, 1.5) * thick)
        frame = np.stack([side, way, np.cross(side, way)], axis=1)
        return [plate(outline, 0.7 * thick, foot + 0.5 * (length - 0.6 * thick) * way, frame)]
    if make == "ring":
        return [ring(foot + 1.5 * thick * way, side, 1.6 * thick, 0.55 * thick)]
    if make == "loop":
        points = [start - 1.6 * thick * side, foot + 0.7 * length * way - 1.6 * thick * side,
                  foot + 0.7 * length * way + 1.6 * thick * side, start + 1.6 * thick * side]  # fmt: skip
        return [tube(curve(points, 12), 0.6 * thick)]
    points = [
        start,
        foot + 0.5 * length * way,
        foot + length * way + 0.5 * length * side,
        foot + 0.7 * length * way + length * side,
    ]
    return [tube(curve(points, 12), np.linspace(0.9, dice.between(0.4, 0.9), 12) * thick)]


def assembly(dice: Dice) -> Model:
    """A random tree of random solids, each standing on the end or the side of an earlier one."""
    model = Model()
    count = some(dice, 2, 10)
    sharp_turns = dice.chance(0.5)
    ends: list[tuple[FloatArray, FloatArray, float]] = []  # where something may grow, along what, how thick it is there
    at, way, thick = np.zeros(3), np.array([0.0, 0.0, 1.0]), dice.size(0.25, 0.3)
    for number in range(count):
        if ends:
            at, way, thick = ends.pop(int(dice.rng.integers(len(ends))))
            thick = min(thick * (dice.between(0.5, 0.8) if dice.chance(0.85) else dice.between(1.4, 2.0)), 0.4)
        ends += _grown(model, dice, at, way, thick, number, sharp_turns)
    return model


def _grown(
    model: Model, dice: Dice, at: FloatArray, way: FloatArray, thick: float, number: int, sharp: bool
) -> list[tuple[FloatArray, FloatArray, float]]:
    """Add one solid, and say where the next ones may start."""
    make = dice.pick({"rod": 2, "block": 1.5, "ball": 1, "disc": 1, "cone": 0.6})
    length = (
        thick * {"rod": dice.between(3, 7), "block": dice.between(1.5, 4), "ball": 2.0, "disc": 0.8, "cone": 3.0}[make]
    )
    wide = thick * (2.2 if make == "disc" else 1.0)
    start, end = at - 0.3 * thick * way, at + length * way
    if make == "block":
        frame = towards(way)
        wide = thick * dice.between(0.9, 1.8)
        size = (2 * wide, 2 * thick * dice.between(0.5, 1.2), length + 0.3 * thick)
        model.add("piece", block((start + end) / 2, size, dice.between(0, 0.3) * thick, frame), number=number)
    elif make == "ball":
        model.add("piece", ball(at + 0.8 * 1.3 * thick * way, 1.3 * thick), number=number)
        end, wide = at + 2.2 * thick * way, 1.3 * thick
    else:
        model.add("piece", rod(start, end, wide, 0.35 * wide if make == "cone" else wide), number=number)
    side = towards(way) @ np.array([np.cos(t := dice.between(0, 6.3)), np.sin(t), 0.0])
    bent = way if not sharp else way + 0.8 * dice.between(-1, 1) * side
    bent = bent / np.linalg.norm(bent)
    middle = at + dice.between(0.35, 0.65) * (end - at)
    width = wide if make == "ball" else min(wide, thick)
    places = [(np.asarray(end), np.asarray(bent), width * 0.9)]
    sides = (-1.0, 1.0)
    places += [(np.asarray(middle + s * 0.9 * width * side), np.asarray(s * side), 0.5 * width) for s in sides]
    return places
