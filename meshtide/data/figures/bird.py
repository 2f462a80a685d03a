"""Birds: wings folded or spread, from sparrows to geese, herons and penguins."""

from __future__ import annotations

import numpy as np

from meshtide.arrays import FloatArray
from meshtide.data.figures.dice import Dice
from meshtide.data.figures.skeleton import FRONT, SIDE, UP, Bone, bent, chain, curl, pattern, turned, unit

PARTS = ("head", "torso", "wing", "tail", "leg")
SHOULDER = 0.12  # the first fraction of the wing that counts as torso


def build(dice: Dice) -> list[Bone]:
    """The bones of one bird; the trunk is about 1 long and its frame may stand upright."""
    pitch = dice.pick({15.0: 3, 35.0: 2, 75.0: 0.6})
    frame = turned(np.eye(3), pitch=-dice.angle(pitch, 8))
    girth = dice.size(0.27, 0.14)
    trunk = _trunk(dice, frame, girth)
    head = _head(dice, frame, girth, upright=pitch > 60)
    tail = _tail(dice, frame, girth)
    legs = _legs(dice, frame, girth) if dice.chance(0.9) else []
    wings = _spread(dice, frame, girth) if dice.chance(0.55) else _folded(dice, frame, girth)
    return [*trunk, *head, *tail, *wings, *legs]


def _trunk(dice: Dice, frame: FloatArray, girth: float) -> list[Bone]:
    side, front, up = frame.T
    points = (-0.4 * front, 0.05 * front - 0.1 * girth * up, 0.3 * front + 0.05 * girth * up)
    radii = (dice.size(0.5, 0.1) * girth, girth, dice.size(0.75, 0.08) * girth)
    return chain(points, radii, pattern("torso", blend=0.5, thin=side, squash=dice.size(0.9, 0.07)))


def _head(dice: Dice, frame: FloatArray, girth: float, upright: bool) -> list[Bone]:
    """A neck from none to a swan's, which counts as head, and a skull on it."""
    long = dice.pick({0.08: 3, 0.3: 2, 0.75: 1.2}) * dice.size(1.0, 0.2)
    _, front, up = frame.T
    size = dice.size(0.145, 0.12)
    rise = unit(up + 0.6 * front if not upright else front)
    start, towards = 0.3 * front + 0.3 * girth * up, FRONT if dice.chance(0.5) else UP
    points = curl(start, rise, towards, long + 0.45 * girth, 5, dice.angle(5, 5))
    top = min(0.75 * size, 0.6 * girth)
    radii = np.linspace(0.7 * girth, top, 6) if long < 0.2 else np.array([0.6 * girth] + [top] * 5)
    look = turned(np.eye(3), pitch=dice.angle(8, 10), yaw=dice.angle(0, 15))
    middle = points[-1] + 0.3 * size * UP + 0.2 * size * look[:, 1]
    skull = Bone("head", middle, middle + 0.3 * size * look[:, 1], (size, 0.9 * size))
    return [*chain(points, list(radii), pattern("head")), skull, *_bill(dice, middle, look, size)]


def _bill(dice: Dice, middle: FloatArray, look: FloatArray, size: float) -> list[Bone]:
    """A pointed or flat bill, sometimes a crest."""
    side, front, up = look.T
    bill, thick = dice.pick({0.12: 2, 0.22: 2, 0.5: 0.7}) * dice.size(1.0, 0.2), dice.size(0.4, 0.2) * size
    tip = middle + (size + bill) * front - dice.between(0, 0.4) * bill * up
    like = pattern("head", blend=0.3, thin=up, squash=dice.pick({1.0: 2, 0.5: 1}))
    bones = chain((middle + 0.8 * size * front, tip), (thick, max(0.25 * thick, 0.014)), like)
    if dice.chance(0.15):
        crest = (middle + 0.8 * size * up, middle + size * (1.35 * up - 0.4 * front))
        bones += chain(crest, (0.3 * size, 0.15 * size), pattern("head", blend=0.4, thin=side, squash=0.5))
    return bones


def _tail(dice: Dice, frame: FloatArray, girth: float) -> list[Bone]:
    """A flat fan behind the trunk."""
    side, front, up = frame.T
    length, width = dice.size(0.4, 0.35), dice.size(0.1, 0.25)
    direction = bent(-front, up, dice.angle(5, 14))
    root = -0.42 * front + 0.1 * girth * up
    thin = np.cross(direction, side)
    tip = root + (0.3 * girth + length) * direction
    bones = [Bone("tail", root, tip, (0.38 * girth, width), blend=0.5, thin=thin, squash=dice.size(0.32, 0.15))]
    if dice.chance(0.25):  # a fork
        for sign in (-1.0, 1.0):
            end = tip + 0.35 * length * (direction + 0.5 * sign * side)
            bones.append(Bone("tail", tip, end, (0.6 * width, 0.3 * width), blend=0.3, thin=thin, squash=0.4))
    return bones


def _spread(dice: Dice, frame: FloatArray, girth: float) -> list[Bone]:
    """Wings out to the sides: an arm along the front edge and feathers behind it."""
    side, front, up = frame.T
    lift, sweep = dice.angle(10, 22), dice.angle(5, 14)
    span, chord = dice.size(0.95, 0.25), dice.size(0.3, 0.18)
    bones = []
    for sign in (-1.0, 1.0):
        out = bent(bent(sign * side, up, lift), front, sweep)
        elbow = 0.18 * front + 0.35 * girth * up + 0.5 * girth * sign * side
        wrist = elbow + 0.45 * span * out
        hand = wrist + 0.55 * span * bent(bent(out, -front, dice.angle(25, 8)), -up, dice.angle(8, 8))
        thin = np.cross(out, front)
        like = pattern("wing", f"wing{sign:+.0f}", blend=0.4, cut=SHOULDER, before="torso", thin=thin, squash=0.35)
        bones += chain((elbow, wrist, hand), (0.3 * girth, 0.2 * girth, 0.05), like)
        feather = pattern("wing", f"wing{sign:+.0f}", blend=0.35, thin=thin, squash=dice.size(0.2, 0.1))
        mid, far = (elbow + wrist) / 2 - 0.45 * chord * front, (wrist + hand) / 2 - 0.3 * chord * front
        bones += chain(
            (elbow + 0.2 * (wrist - elbow) - 0.4 * chord * front, mid, far, hand),
            (0.5 * chord, 0.55 * chord, 0.4 * chord, 0.05),
            feather,
        )
    return bones


def _folded(dice: Dice, frame: FloatArray, girth: float) -> list[Bone]:
    """Wings along the trunk; they are part of its outline but stand out a little."""
    side, front, up = frame.T
    length, out = dice.size(0.75, 0.12), dice.between(0.95, 1.2)
    bones = []
    for sign in (-1.0, 1.0):
        start = 0.2 * front + girth * (0.2 * up + out * 0.85 * sign * side)
        end = start - length * front - girth * (0.1 * up + 0.45 * sign * side)
        bones.append(Bone("wing", start, end, (0.5 * girth, 0.16 * girth), 0.1 * girth, 0.25, side, 0.4, limb="fold"))
    return bones


def _legs(dice: Dice, frame: FloatArray, girth: float) -> list[Bone]:
    """Thin legs with three toes, from a duck's to a heron's."""
    length, thick = dice.pick({0.25: 3, 0.6: 1.2, 1.0: 0.6}) * dice.size(1.0, 0.15), dice.size(0.032, 0.2)
    side, front, _ = frame.T
    bones = []
    for sign in (-1.0, 1.0):
        name = f"leg{sign:+.0f}"
        hip = -0.08 * front + 0.45 * girth * sign * side - 0.5 * girth * UP
        knee = hip - (0.5 * girth + 0.35 * length) * UP + 0.1 * length * FRONT + 0.1 * length * sign * SIDE
        foot = knee - 0.6 * length * UP + dice.normal(0.05) * FRONT
        bones += chain((hip, knee, foot), (0.22 * girth, 1.2 * thick, thick), pattern("leg", name, blend=0.5))
        for angle in (-0.6, 0.0, 0.6):
            toe = foot + 0.17 * (np.cos(angle) * FRONT + np.sin(angle) * SIDE) - 0.02 * UP
            bones.append(Bone("leg", foot, toe, (thick, 0.7 * thick), blend=0.4, limb=name))
    return bones
