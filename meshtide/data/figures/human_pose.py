"""How a person stands, walks, sits or bends: angles for trunk, arms and legs."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from meshtide.arrays import FloatArray
from meshtide.data.figures.dice import Dice

Angles = tuple[float, float, float]  # pitch, roll, yaw


@dataclass(frozen=True)
class Limb:
    """An arm or a leg: how far it is spread and raised, and how far it bends at elbow or knee."""

    spread: float  # away from the body's middle plane
    raised: float  # forwards and up, 0 hangs down
    bend: float
    twist: float = 0.0  # where the palm or the toes point
    tip: float = 0.0  # bend at the wrist or ankle
    inward: float = 0.0  # how far the elbow bends towards the middle plane
    upward: float = 0.0

    def direction(self, sign: float) -> FloatArray:
        """Where the upper half points, in the frame of the trunk."""
        out, forward = np.sin(self.spread), np.cos(self.spread) * np.sin(self.raised)
        return np.array([sign * out, forward, -np.cos(self.spread) * np.cos(self.raised)])

    def aim(self, sign: float) -> FloatArray:
        """Where an elbow bends to, in the frame of the trunk."""
        return np.array([-sign * self.inward, 1.0, self.upward])


@dataclass(frozen=True)
class Pose:
    """Angles of a whole person; arms and legs left first."""

    pelvis: Angles
    chest: Angles
    neck: Angles
    head: Angles
    arms: tuple[Limb, Limb]
    legs: tuple[Limb, Limb]


def draw_pose(dice: Dice, openness: float) -> Pose:
    """A random pose; the more open, the further limbs are kept apart."""
    stoop = dice.pick({0.0: 0.75, 25.0: 0.15, 60.0: 0.1}) * (1 - openness)
    arms = dice.pick({"down": 3, "wide": 3, "up": 1.2, "forward": 1.2, "walk": 1, "each": 2})
    legs = dice.pick({"stand": 4, "walk": 2, "sit": 0.7, "wide": 1.5, "lunge": 0.8})
    chest = (dice.angle(stoop, 6), dice.angle(0, 5), dice.angle(0, 10))
    return Pose(
        pelvis=(dice.angle(stoop / 4, 5), dice.angle(0, 4), 0.0),
        chest=chest,
        neck=(dice.angle(12, 8), dice.angle(0, 6), 0.0),
        head=(dice.angle(-8, 10), dice.angle(0, 6), dice.angle(0, 20)),
        arms=_pair(_arm(dice, arms, +1, openness), _arm(dice, arms, -1, openness)),
        legs=_pair(_leg(dice, legs, +1, openness), _leg(dice, legs, -1, openness)),
    )


def _pair(one: Limb, two: Limb) -> tuple[Limb, Limb]:
    return one, two


def _arm(dice: Dice, pose: str, sign: int, openness: float) -> Limb:
    if pose == "each":
        pose = dice.pick({"down": 2, "wide": 2, "up": 1, "forward": 1})
    spread, raised, bend = {
        "down": (22, 0, 15),
        "wide": (70, 5, 15),
        "up": (115, 10, 20),
        "forward": (25, 65, 30),
        "walk": (18, 25 * sign, 30),
    }[pose]
    deviation = 12 * (1 - 0.5 * openness)
    lift = 14 * openness if pose != "up" else 0.0
    return Limb(
        spread=dice.angle(spread + lift, deviation),
        raised=dice.angle(raised, deviation),
        bend=abs(dice.angle(bend, 25 * (1 - 0.6 * openness))),
        twist=dice.angle(0, 50),
        tip=dice.angle(5, 12),
        inward=dice.between(0, 0.7) * (1 - openness),
        upward=dice.between(-0.3, 0.8),
    )


def _leg(dice: Dice, pose: str, sign: int, openness: float) -> Limb:
    stride = sign if pose in ("walk", "lunge") else 0
    spread, raised, bend = {
        "stand": (7, 2, 4),
        "walk": (6, 18 * stride, 14 - 10 * stride),
        "sit": (12, 82, 85),
        "wide": (22, 5, 10),
        "lunge": (10, 45 * stride, 40 + 25 * stride),
    }[pose]
    return Limb(
        spread=dice.angle(spread + 7 * openness, 3.5),
        raised=dice.angle(raised, 6),
        bend=abs(dice.angle(bend, 7)),
        twist=dice.between(0, 0.35),
        tip=dice.angle(0, 8),
    )
