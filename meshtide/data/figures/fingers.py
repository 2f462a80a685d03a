"""Hands from the wrist on: mittens, fists, open hands with three to five fingers in all."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from meshtide.arrays import FloatArray
from meshtide.data.figures.dice import Dice
from meshtide.data.figures.skeleton import Bone, Flat, bent, chain, pattern


@dataclass(frozen=True)
class Hand:
    """How a person's hands look; sizes are of an adult, in metres."""

    kind: str
    fingers: int  # without the thumb
    curl: float
    spread: float
    thickness: float
    length: float

    @staticmethod
    def draw(dice: Dice) -> Hand:
        """Hands for one person, both alike."""
        kind = dice.pick({"fingers": 0.5, "mitten": 0.22, "fist": 0.2, "stump": 0.08})
        fingers = dice.pick({4: 0.8, 3: 0.13, 2: 0.07})
        thickness = dice.size(0.0095, 0.12) * 4 / (fingers + 0.5) * 1.1
        return Hand(kind, fingers, dice.angle(12, 12), dice.size(0.06, 0.5), thickness, dice.size(0.075, 0.1))


def hand_bones(
    hand: Hand, wrist: FloatArray, onward: FloatArray, palm: FloatArray, sign: float, scale: float, limb: str
) -> list[Bone]:
    """The bones of a hand at a wrist; `palm` is where the palm looks, and fingers curl that way."""
    aside = np.cross(onward, palm) * sign
    knuckles = wrist + 0.085 * scale * onward
    flat: Flat = {"thin": palm, "squash": 0.42}
    if hand.kind in ("fist", "stump"):
        middle = wrist + 0.05 * scale * onward
        size = 0.042 * scale if hand.kind == "fist" else 0.034 * scale
        ball = Bone("hand", wrist + 0.012 * scale * onward, middle, (0.028 * scale, size), blend=0.4, limb=limb)
        tail = Bone(
            "hand", middle, middle + 0.025 * scale * onward + 0.01 * scale * palm, (size, 0.8 * size), limb=limb
        )
        thumb = _thumb(hand, wrist, onward, palm, aside, 0.7 * scale, limb) if hand.kind == "fist" else []
        return [ball, tail, *thumb]
    bones = [
        Bone("hand", wrist + 0.01 * scale * onward, knuckles, (0.032 * scale, 0.042 * scale), limb=limb, **flat),
        *_thumb(hand, wrist, onward, palm, aside, scale, limb),
    ]
    if hand.kind == "mitten":
        tip = knuckles + 0.07 * scale * bent(onward, palm, hand.curl)
        return [*bones, Bone("hand", knuckles, tip, (0.042 * scale, 0.027 * scale), limb=limb, **flat)]
    for number in range(hand.fingers):
        bones += _finger(hand, number, knuckles, (onward, palm, aside), scale, limb)
    return bones


def _finger(
    hand: Hand,
    number: int,
    knuckles: FloatArray,
    frame: tuple[FloatArray, FloatArray, FloatArray],
    scale: float,
    limb: str,
) -> list[Bone]:
    onward, palm, aside = frame
    place = (number + 0.5) / hand.fingers - 0.5  # -0.5 little finger … 0.5 index finger
    root = knuckles + scale * (0.072 * place * aside - 0.012 * onward * abs(place))
    direction = bent(onward, aside, 4 * hand.spread * place)
    length = scale * hand.length * (1 - 0.5 * (place - 0.1) ** 2 - (0.12 if place < -0.3 else 0))
    points = [root, root + 0.5 * length * bent(direction, palm, hand.curl)]
    points.append(points[1] + 0.5 * length * bent(direction, palm, 2.2 * hand.curl))
    thick = scale * hand.thickness
    return chain(points, (1.08 * thick, thick, 0.85 * thick), pattern("hand", limb, blend=0.35))


def _thumb(
    hand: Hand, wrist: FloatArray, onward: FloatArray, palm: FloatArray, aside: FloatArray, scale: float, limb: str
) -> list[Bone]:
    root = wrist + scale * (0.025 * onward + 0.02 * aside + 0.006 * palm)
    joint = root + 0.045 * scale * bent(bent(onward, aside, 0.75), palm, 0.3)
    tip = joint + 0.035 * scale * bent(bent(onward, aside, 0.35), palm, 0.3 + hand.curl)
    thick = scale * max(hand.thickness, 0.0105)
    return chain((root, joint, tip), (1.6 * thick, 1.15 * thick, 0.9 * thick), pattern("hand", limb, blend=0.4))
