"""Single hands on a wrist stump, with three to five fingers."""

from __future__ import annotations

from meshtide.arrays import FloatArray
from meshtide.data.figures.dice import Dice
from meshtide.data.figures.skeleton import FRONT, SIDE, UP, Bone, bent, chain, pattern

PARTS = ("palm", "finger")
KNUCKLE = 0.2  # the first fraction of a finger that counts as palm


def build(dice: Dice) -> list[Bone]:
    """A hand whose palm is about 1 long, fingers up, thumb to the side, palm to the front."""
    wide, wrist = dice.size(0.45, 0.08), dice.size(0.3, 0.1)
    stump = pattern("palm", blend=0.4, thin=FRONT, squash=0.75, square=dice.chance(0.6))
    palm = pattern("palm", blend=0.4, thin=FRONT, squash=dice.size(0.4, 0.1))
    ball = (0.1 * UP + 0.25 * SIDE + 0.08 * FRONT, 0.45 * UP + 0.35 * SIDE + 0.08 * FRONT)
    bones = [
        *chain((-dice.between(0.3, 1.0) * UP, 0.05 * UP), (1.05 * wrist, wrist), stump),
        *chain((0.15 * UP, 0.75 * UP), (0.9 * wide, wide), palm),
        *chain(ball, (0.2, 0.17), pattern("palm")),
    ]
    count = dice.pick({4: 0.85, 3: 0.1, 2: 0.05})
    length, girth = dice.size(0.9, 0.12), dice.size(0.105, 0.12) * 4 / (count + 0.4) * 1.1
    splay, curled = dice.between(0.02, 0.5), abs(dice.angle(0, 25))
    for number in range(count):
        place = (number + 0.5) / count - 0.5
        little = place < -0.3
        root = 1.75 * wide * place * SIDE + (0.95 - 0.35 * place**2) * UP
        direction = bent(UP, SIDE, splay * place + dice.normal(0.04))
        own = length * (1 - 0.6 * (place - 0.05) ** 2 - (0.14 if little else 0)) * dice.size(1.0, 0.04)
        curl = curled + abs(dice.normal(0.2)) if not dice.chance(0.12) else dice.between(0.9, 1.3)
        bones += _finger(f"finger{number}", root, direction, own, girth * (0.88 if little else 1.0), curl)
    return bones + _thumb(dice, wide, length, girth)


def _finger(name: str, root: FloatArray, direction: FloatArray, length: float, girth: float, curl: float) -> list[Bone]:
    points = [root - 0.15 * direction]
    for share, bend in ((0.46, 0.6), (0.3, 1.3), (0.24, 1.8)):
        extra = 0.15 if len(points) == 1 else 0.0
        points.append(points[-1] + (share * length + extra) * bent(direction, FRONT, bend * curl))
    radii = (1.12 * girth, girth, 0.92 * girth, 0.75 * girth)
    return chain(points, radii, pattern("finger", name, blend=0.3, cut=KNUCKLE + 0.15, before="palm"))


def _thumb(dice: Dice, wide: float, length: float, girth: float) -> list[Bone]:
    root = 0.3 * UP + 0.85 * wide * SIDE + 0.08 * FRONT
    out = dice.between(0.45, 1.1)
    first = root + 0.42 * length * bent(bent(UP, SIDE, out), FRONT, dice.between(0.0, 0.7))
    tip = first + 0.34 * length * bent(bent(UP, SIDE, out - dice.between(0.0, 0.5)), FRONT, dice.between(0.0, 0.9))
    return chain(
        (root, first, tip),
        (1.5 * girth, 1.15 * girth, 0.9 * girth),
        pattern("finger", "thumb", blend=0.4, cut=0.3, before="palm"),
    )
