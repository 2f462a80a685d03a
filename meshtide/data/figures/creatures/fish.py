"""Swimmers: fish, sharks, whales, eels, rays and seahorses."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from meshtide.arrays import FloatArray
from meshtide.data.figures.creatures.shapes import Creature, ball, bone, fan, strand
from meshtide.data.figures.dice import Dice
from meshtide.data.figures.skeleton import FRONT, SIDE, UP, Bone, bent, chain, curl, pattern, unit


@dataclass(frozen=True)
class Build:
    """Medians of a sort of fish whose body is 2 long."""

    girth: float
    flat: float  # width over height
    stalk: float  # of the tail, over the girth
    deepest: float  # where the body is thickest, 0 at the nose
    tail: float
    opening: float  # of the tail fin, degrees
    dorsal: float
    long: float  # length of the dorsal fin's root
    pectoral: float


SORTS = {
    "carp": Build(0.4, 0.6, 0.3, 0.4, 0.5, 70, 0.3, 0.6, 0.35),
    "disc": Build(0.75, 0.3, 0.25, 0.45, 0.5, 70, 0.4, 0.8, 0.3),
    "tuna": Build(0.38, 0.75, 0.15, 0.4, 0.55, 110, 0.3, 0.2, 0.4),
    "shark": Build(0.3, 0.95, 0.18, 0.4, 0.6, 100, 0.4, 0.25, 0.6),
    "dolphin": Build(0.32, 1.0, 0.2, 0.45, 0.4, 130, 0.3, 0.2, 0.45),
    "whale": Build(0.45, 1.0, 0.18, 0.3, 0.5, 140, 0.08, 0.1, 0.5),
    "puffer": Build(0.65, 0.95, 0.2, 0.45, 0.35, 40, 0.2, 0.2, 0.25),
    "pike": Build(0.22, 0.8, 0.4, 0.5, 0.4, 60, 0.25, 0.25, 0.25),
    "gold": Build(0.5, 0.7, 0.3, 0.4, 0.9, 80, 0.4, 0.6, 0.4),
}


def _fish(dice: Dice) -> list[Bone]:
    name = dice.pick(dict.fromkeys(SORTS, 1.0))
    sort = SORTS[name]
    girth, flat = dice.size(sort.girth, 0.15), min(1.0, dice.size(sort.flat, 0.15))
    spine = _spine(dice, girth, dice.size(sort.stalk, 0.2), float(np.clip(sort.deepest + dice.normal(0.07), 0.25, 0.6)))
    points, radii = spine
    like = pattern("body", blend=0.5, thin=SIDE, squash=flat)
    bones = chain(points, radii, like)
    whale = name in ("dolphin", "whale")
    bones += _tail(dice, sort, points, radii, flat_tail=whale)
    bones += _back_fins(dice, sort, points, radii)
    bones += _side_fins(dice, sort, points, radii, flat)
    if name == "dolphin":
        bones.append(bone("body", points[0], points[0] + 0.3 * FRONT - 0.05 * UP, (0.1, 0.06), blend=0.5))
    if dice.chance(0.2):
        for sign in (-1.0, 1.0):
            eye = points[1] + flat * radii[1] * 0.9 * sign * SIDE + 0.3 * radii[1] * UP
            bones.append(ball("body", eye, 0.15 * girth, blend=0.3))
    return bones


def _spine(dice: Dice, girth: float, stalk: float, deepest: float) -> tuple[list[FloatArray], list[float]]:
    """Joints from the nose to the tail along a bow or a wave, and the body's height at them."""
    share = np.linspace(0, 1, 9)
    blunt = dice.between(0.25, 0.7)
    front = blunt + (1 - blunt) * np.sin(np.clip(share / deepest, 0, 1) * np.pi / 2)
    rear = stalk + (1 - stalk) * np.cos(np.clip((share - deepest) / (1 - deepest), 0, 1) * np.pi / 2) ** 1.2
    radii = girth * np.where(share < deepest, front, rear)
    bow, wave = dice.normal(0.25), dice.normal(0.12)
    sideways = bow * share**2 + wave * np.sin(2 * np.pi * share)
    lift = dice.normal(0.06) * share**2
    points = [(1 - 2 * s) * FRONT + x * SIDE + z * UP for s, x, z in zip(share, sideways, lift, strict=True)]
    return points, [float(r) for r in radii]


def _tail(dice: Dice, sort: Build, points: list[FloatArray], radii: list[float], flat_tail: bool) -> list[Bone]:
    """A fin behind the stalk, upright or, of whales, lying."""
    back = unit(points[-1] - points[-2])
    length, opening = dice.size(sort.tail, 0.25), dice.angle(sort.opening, 12)
    width = dice.between(0.13, 0.22) * length
    rays = int(np.clip(opening * length / (1.2 * width), 3, 9))
    like = pattern("tail", "tail", blend=0.3, squash=dice.between(0.2, 0.45))
    notch = dice.between(0.1, 0.6) if opening > 1.0 else dice.between(-0.3, 0.5)
    return fan(
        like,
        points[-1] - 0.1 * back,
        bent(back, SIDE, dice.normal(0.15)),
        SIDE if flat_tail else UP,
        opening,
        length + 0.1,
        (max(0.8 * radii[-1], width), 0.8 * width),
        rays,
        notch,
    )


def _back_fins(dice: Dice, sort: Build, points: list[FloatArray], radii: list[float]) -> list[Bone]:
    """The fins on the back, and those below the tail."""
    bones = []
    squash = dice.between(0.2, 0.4)
    if dice.chance(0.9):
        bones += _blade(
            dice,
            "dorsal",
            points,
            radii,
            dice.between(0.3, 0.5),
            dice.size(sort.long, 0.3),
            dice.size(sort.dorsal, 0.3),
            UP,
            squash,
        )
    if dice.chance(0.3):
        bones += _blade(dice, "second", points, radii, dice.between(0.7, 0.78), 0.15, 0.6 * sort.dorsal, UP, squash)
    if dice.chance(0.5):
        bones += _blade(
            dice,
            "anal",
            points,
            radii,
            dice.between(0.66, 0.76),
            dice.between(0.12, 0.4),
            dice.size(0.7 * sort.dorsal, 0.3),
            -UP,
            squash,
        )
    return bones


def _blade(
    dice: Dice,
    limb: str,
    points: list[FloatArray],
    radii: list[float],
    place: float,
    long: float,
    high: float,
    up: FloatArray,
    squash: float,
) -> list[Bone]:
    """An upright fin whose root runs along the body; its rays lean backwards."""
    share = np.linspace(0, 1, len(points))
    lean, width = dice.between(0.2, 1.2), max(0.07, 0.25 * high, 0.2 * long)
    rays = int(np.clip(1.4 * long / width + 1, 2, 9))
    bones = []
    for number, offset in enumerate(np.linspace(-0.5, 0.5, rays)):
        where = float(np.clip(place + offset * long / 2, 0.15, 0.9))
        root = np.array([np.interp(where, share, [p[a] for p in points]) for a in range(3)])
        girth = float(np.interp(where, share, radii))
        tall = high * (1 - 0.4 * number / max(rays - 1, 1))
        start = root + 0.8 * girth * up
        bones.append(
            bone(
                "fin",
                start,
                start + (tall + 0.2 * girth) * unit(up - lean * FRONT),
                (width, 0.85 * width),
                limb,
                blend=0.25,
                thin=SIDE,
                squash=squash,
            )
        )
    return bones


def _side_fins(dice: Dice, sort: Build, points: list[FloatArray], radii: list[float], flat: float) -> list[Bone]:
    """Breast fins, and often belly fins behind them."""
    bones = []
    squash, down, back = dice.between(0.2, 0.4), dice.between(-0.1, 0.8), dice.between(0.3, 1.3)
    pairs = [("breast", 2, dice.size(sort.pectoral, 0.25), -0.3)] if dice.chance(0.92) else []
    if dice.chance(0.4):
        pairs.append(("belly", 5, 0.5 * dice.size(sort.pectoral, 0.25), -0.75))
    for name, joint, length, level in pairs:
        width = dice.between(0.2, 0.32) * length
        for sign in (-1.0, 1.0):
            like = pattern("fin", f"{name}{sign:+.0f}", blend=0.25, squash=squash)
            root = points[joint] + radii[joint] * (0.65 * flat * sign * SIDE + level * UP)
            direction = unit(sign * SIDE - down * UP - back * FRONT)
            bones += fan(
                like,
                root,
                direction,
                FRONT,
                dice.between(0.3, 0.7),
                length + 0.3 * radii[joint],
                (width, 0.8 * width),
                3,
            )
    return bones


def _eel(dice: Dice) -> list[Bone]:
    """A long body in waves with low fins, head and tail."""
    length, girth = dice.between(4, 9), dice.size(0.3, 0.15)
    turns, swing = dice.between(0.5, 2.0), dice.between(0.2, 0.9)
    share = np.linspace(0, 1, 33)
    points = [length * s * FRONT * -1 + swing * np.sin(2 * np.pi * turns * s) * SIDE for s in share]
    radii = girth * (1 - 0.85 * share**1.5)
    bones = chain(points, list(radii), pattern("body", blend=0.4))
    head = bone("head", points[0], points[0] + dice.between(0.3, 0.9) * FRONT, (1.15 * girth, 0.6 * girth), blend=0.4)
    bones.append(head)
    if dice.chance(0.6):
        tall = dice.between(0.25, 0.6) * girth
        first = int(dice.rng.integers(5, 16))
        ridge = [points[number] + (0.75 * radii[number] + 0.5 * tall) * UP for number in range(first, 33)]
        like = pattern("fin", "back", blend=0.2, thin=SIDE, squash=0.3)
        bones += chain(ridge, [tall] * len(ridge), like)
    for sign in (-1.0, 1.0):
        like = pattern("fin", f"breast{sign:+.0f}", blend=0.3, squash=0.3)
        bones += fan(
            like,
            points[1] + 0.7 * girth * sign * SIDE,
            unit(sign * SIDE - 0.6 * FRONT),
            FRONT,
            0.6,
            0.6,
            (0.12, 0.12),
            3,
        )
    return bones


def _ray(dice: Dice) -> list[Bone]:
    """A flat body with two wings and a thin tail."""
    length, span, thick = dice.between(0.7, 1.2), dice.between(0.8, 1.8), dice.between(0.2, 0.35)
    bones = [bone("body", 0.5 * length * FRONT, -0.5 * length * FRONT, (0.35, 0.25), thin=UP, squash=0.7, blend=0.6)]
    lift, sweep = dice.normal(0.35), dice.between(-0.1, 0.6)
    for sign in (-1.0, 1.0):
        out = bent(sign * SIDE, UP, lift)
        tip = span * unit(out - sweep * FRONT)
        for place in np.linspace(-0.4, 0.4, 4):
            root = place * length * FRONT + 0.15 * sign * SIDE
            end = tip * (0.95 - 0.3 * abs(place - 0.1)) + 0.3 * place * length * FRONT
            bones.append(
                bone(
                    "fin",
                    root,
                    end,
                    (0.3 * length, 0.08),
                    f"wing{sign:+.0f}",
                    blend=0.3,
                    thin=np.cross(out, FRONT),
                    squash=thick,
                )
            )
    tail = pattern("tail", "tail", blend=0.4)
    bones += strand(
        tail,
        -0.45 * length * FRONT,
        -FRONT,
        SIDE if dice.chance(0.5) else UP,
        dice.between(0.8, 2.2),
        (0.13, 0.07, 0.04),
        dice.angle(0, 30),
    )
    if dice.chance(0.4):
        for sign in (-1.0, 1.0):
            horn = 0.5 * length * FRONT + 0.25 * sign * SIDE
            bones.append(bone("horn", horn, horn + dice.between(0.4, 0.6) * FRONT, (0.1, 0.06), f"horn{sign:+.0f}"))
    return bones


def _seahorse(dice: Dice) -> list[Bone]:
    """An upright body with a curled tail, a bent neck and a snout."""
    belly = dice.between(0.26, 0.4)
    spine = [0.9 * UP, 0.55 * UP + 0.1 * FRONT, 0.15 * UP + 0.12 * FRONT, -0.25 * UP]
    bones = chain(spine, (0.22, belly, 0.9 * belly, 0.2), pattern("body", blend=0.5, thin=SIDE, squash=0.8))
    points = curl(spine[-1], unit(-UP - 0.3 * FRONT), FRONT, dice.between(1.4, 2.2), 12, dice.between(0.15, 0.45))
    bones += chain(points, list(np.linspace(0.2, 0.06, 13)), pattern("tail", "tail", blend=0.3))
    neck = 0.9 * UP + dice.between(0.1, 0.3) * (UP - 0.5 * FRONT)
    head = neck + 0.15 * UP + 0.2 * FRONT
    bones += chain((0.85 * UP, neck), (0.2, 0.17), pattern("head", blend=0.5))
    bones += chain((neck, head), (0.2, 0.24), pattern("head", blend=0.4))
    snout = head + dice.between(0.45, 0.8) * unit(FRONT - dice.between(0.1, 0.8) * UP)
    bones.append(bone("snout", head, snout, (0.11, 0.08), "snout", blend=0.4))
    if dice.chance(0.6):
        bones.append(bone("head", head + 0.1 * UP, head + 0.4 * UP - 0.1 * FRONT, (0.12, 0.05), blend=0.3))
    if dice.chance(0.8):
        like = pattern("fin", "back", blend=0.25, squash=0.3)
        bones += fan(
            like, 0.4 * UP - 0.1 * FRONT, -FRONT, UP, dice.between(0.6, 1.2), dice.between(0.45, 0.7), (0.12, 0.1), 4
        )
    return bones


CREATURES = {
    "fish": Creature(_fish, ("body", "tail", "fin")),
    "eel": Creature(_eel, ("body", "head", "fin")),
    "ray": Creature(_ray, ("body", "fin", "tail", "horn")),
    "seahorse": Creature(_seahorse, ("body", "head", "snout", "fin", "tail")),
}
