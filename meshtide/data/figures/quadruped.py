"""Four-legged animals, standing, walking, running, sitting or lying."""

from __future__ import annotations

import numpy as np

from meshtide.arrays import FloatArray
from meshtide.data.figures.animal_head import head_bones
from meshtide.data.figures.dice import Dice
from meshtide.data.figures.families import Family, draw_animal
from meshtide.data.figures.skeleton import SIDE, UP, Bone, across, bent, chain, curl, pattern, touching, turned, unit

PARTS = ("head", "neck", "torso", "leg", "tail", "ear")
CONTACT = 0.1  # how often legs may touch each other or the belly
REAR, FORE = -0.43, 0.37  # where hips and shoulders are
MUSCLE = 0.5  # the upper half of shoulder and haunch counts as torso


def build(dice: Dice) -> list[Bone]:
    """The bones of one animal; poses in which legs touch are drawn again, mostly."""
    name, animal = draw_animal(dice)
    trunk = _trunk(dice, animal, name)
    front = _neck_and_head(dice, animal, name)
    tail = _tail(dice, animal)
    may_touch = dice.chance(CONTACT)
    feet = (
        dice.pick({"paw": 1, "hoof": 0.15})
        if name in ("dog", "fox", "cat", "bear", "mouse", "rabbit", "lizard", "crocodile")
        else dice.pick({"hoof": 1, "paw": 0.25})
    )
    for attempt in range(6):
        legs = _legs(dice, animal, feet, calm=attempt / 5)
        bones = [*trunk, *front, *tail, *legs]
        if may_touch or not touching(bones):
            break
    return bones


def _trunk(dice: Dice, animal: Family, name: str) -> list[Bone]:
    """Hip, belly and chest along a slightly bent spine, and sometimes a hump."""
    sag, lean = dice.normal(0.03), dice.normal(0.04)
    hip = np.array([0.0, REAR, lean])
    belly = np.array([0.0, dice.between(-0.1, 0.1), sag - 0.35 * (animal.belly - (animal.hip + animal.chest) / 2)])
    chest = np.array([0.0, FORE, -lean])
    like = pattern("torso", blend=0.6, thin=SIDE, squash=animal.width)
    bones = chain((hip, belly, chest), (animal.hip, animal.belly, animal.chest), like)
    breast = chest + np.array([0.0, 0.3 * animal.chest, -0.15 * animal.chest])
    bones.append(
        Bone(
            "torso", chest, breast, (0.9 * animal.chest, 0.75 * animal.chest), blend=0.5, thin=SIDE, squash=animal.width
        )
    )
    if name in ("llama", "cow") and dice.chance(0.3):
        for place in dice.pick({(0.0,): 1, (0.2, -0.25): 1, (0.4,): 1}):
            foot = np.array([0.0, place, 0.6 * animal.belly])
            bones.append(
                Bone(
                    "torso",
                    foot,
                    foot + dice.between(0.4, 0.8) * animal.belly * UP,
                    (0.55 * animal.belly, 0.25 * animal.belly),
                )
            )
    return bones


def _neck_and_head(dice: Dice, animal: Family, name: str) -> list[Bone]:
    """The neck rises from the withers, may bow down to graze, and carries the head."""
    pitch = animal.neck_angle + (dice.pick({0.0: 0.8, -45.0: 0.2}) if animal.neck > 0.25 else 0.0)
    frame = turned(np.eye(3), yaw=dice.angle(0, 14))
    angle = np.radians(pitch)
    direction = np.cos(angle) * frame[:, 1] + np.sin(angle) * UP
    rise = np.clip(pitch / 60, -0.4, 0.75)
    start = np.array([0.0, FORE, 0.0]) + animal.chest * np.array([0.0, 0.2, 0.5 * rise])
    inside = 0.55 * animal.chest
    points = curl(start, direction, frame[:, 1] if dice.chance(0.6) else UP, animal.neck + inside, 4, dice.angle(4, 4))
    radii = np.interp(
        np.linspace(0, 1, 5),
        [0, 0.6, 1],
        [animal.neck_base, 0.4 * animal.neck_base + 0.6 * animal.neck_top, animal.neck_top],
    )
    bones = chain(points, list(radii), pattern("neck", blend=0.5, thin=SIDE, squash=min(1.0, animal.width + 0.1)))
    snout = np.radians(animal.snout_angle + 0.35 * pitch * (pitch < 0))
    look = turned(frame, pitch=-snout, yaw=dice.angle(0, 10))
    return bones + head_bones(dice, animal, points[-1], look, unit(points[-1] - points[-2]), name)


def _tail(dice: Dice, animal: Family) -> list[Bone]:
    """From a stub to a long and bushy tail, which may curl."""
    if dice.chance(0.04):
        return []
    angle = np.radians(animal.tail_angle)
    direction = -np.cos(angle) * np.array([dice.normal(0.15), 1.0, 0.0]) + np.sin(angle) * UP
    thick = animal.tail_base > 0.08
    root = np.array([0.0, REAR, 0.0]) + animal.hip * np.array([0.0, -0.5 if thick else -0.6, 0.0 if thick else 0.45])
    towards = dice.pick({"up": 1.0, "down": 1.0, "aside": 1.0})
    goal = {"up": UP, "down": -UP, "aside": SIDE * (1 if dice.chance(0.5) else -1)}[towards]
    steps = 6
    limit = 8 if thick else 16
    points = curl(root, unit(direction), goal, animal.tail + 0.4 * animal.hip, steps, abs(dice.angle(0, limit)))
    share = np.linspace(0, 1, steps + 1)
    base = min(animal.tail_base, 0.85 * animal.hip)
    radii = base + (min(animal.tail_tip, base) - base) * share ** (0.7 if thick else 1)
    if not thick and dice.chance(0.2):  # bushy
        radii = radii * (1 + dice.between(0.5, 1.6) * np.sin(np.pi * share) ** 1.5)
    return chain(points, list(radii), pattern("tail", "tail", blend=0.7 if thick else 0.4))


def _legs(dice: Dice, animal: Family, feet: str, calm: float) -> list[Bone]:
    """Four legs in one gait."""
    gait = dice.pick({"stand": 4, "walk": 3, "run": 1, "lie": 0.5, "sit": 0.4}) if calm < 0.5 else "stand"
    swing = {"stand": 4, "walk": 16, "run": 34, "lie": 4, "sit": 4}[gait] * (1 - 0.5 * calm)
    bones = []
    for fore in (True, False):
        phase = dice.between(-1, 1)
        for sign in (1.0, -1.0):
            beat = phase if gait == "run" else sign * phase
            angle = np.radians(swing * beat) + dice.angle(0, 3 * (1 - calm))
            folded = gait == "lie" or (gait == "sit" and not fore)
            bones += _leg(dice, animal, fore, sign, angle, folded, feet, calm)
    return bones


def _leg(
    dice: Dice, animal: Family, fore: bool, sign: float, swing: float, folded: bool, feet: str, calm: float
) -> list[Bone]:
    """Shoulder or haunch, upper and lower leg, foot; the joints of hind legs point the other way."""
    girth = animal.chest if fore else animal.hip
    name = f"{'fore' if fore else 'hind'}{sign:+.0f}"
    out = 0.62 * girth * animal.width * sign
    top = np.array([out, FORE - 0.02 if fore else REAR, -0.25 * girth])
    tilt = (dice.between(0.02, 0.09) + 0.06 * calm) * (1 - animal.sprawl) + animal.sprawl * dice.between(0.9, 1.25)
    lean = {True: (-0.3, 0.12, 0.0), False: (0.4, -0.55, 0.05)}[fore]
    if folded:
        lean = {True: (-0.5, 1.5, 1.4), False: (1.2, -1.3, 1.35)}[fore]
    rest = 0.75 * girth + animal.leg  # from the top joint to the ground
    shares = (0.75 * girth + 0.18 * animal.leg, 0.42 * animal.leg, 0.4 * animal.leg)
    stretch = rest / sum(s * np.cos(a) for s, a in zip(shares, (lean if not folded else (0, 0, 0)), strict=True))
    points = [top]
    for number, (share, angle) in enumerate(zip(shares, lean, strict=True)):
        spread = sign * (tilt if number == 0 or animal.sprawl == 0 else tilt * (0.9 if number == 1 else 0.1))
        points.append(points[-1] + share * stretch * _down(angle + (swing if not folded else 0.0), spread))
    scale = 1.0 if fore else 1.12
    flank = pattern("leg", name, blend=0.6, thin=SIDE, squash=0.65, cut=MUSCLE, before="torso")
    shank = pattern("leg", name, blend=0.4)
    bones = chain(points[:2], (scale * 1.25 * animal.thigh, scale * 0.85 * animal.thigh), flank)
    bones += chain(points[1:], (scale * 0.85 * animal.thigh, animal.shin, animal.ankle), shank)
    return bones + _foot(animal, points[-1], unit(points[-1] - points[-2]), feet, name)


def _down(angle: float, spread: float) -> FloatArray:
    """Down, turned forwards by one angle and to the side by another."""
    return np.array([np.sin(spread), np.cos(spread) * np.sin(angle), -np.cos(spread) * np.cos(angle)])


def _foot(animal: Family, ankle: FloatArray, down: FloatArray, feet: str, limb: str) -> list[Bone]:
    forward = across(down, np.array([0.0, 1.0, -0.25]))
    size = animal.foot
    if feet == "hoof":
        sole = ankle + 0.9 * size * down + 0.3 * size * forward
        return [Bone("leg", ankle, sole, (0.95 * animal.ankle, size), blend=0.3, limb=limb, square=animal.foot > 0.06)]
    ball = ankle + 0.35 * size * down + 0.2 * size * forward
    toe = ball + 1.3 * size * bent(forward, down, 0.15)
    return [Bone("leg", ball, toe, (size, 0.75 * size), blend=0.4, limb=limb, thin=down, squash=0.7)]
