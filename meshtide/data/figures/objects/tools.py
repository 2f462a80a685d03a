"""Tools for the hand: what has a handle and something at its end."""

from __future__ import annotations

import numpy as np

from meshtide.arrays import FloatArray
from meshtide.data.figures.dice import Dice
from meshtide.data.figures.objects.model import (
    Model,
    around,
    ball,
    block,
    circle,
    curve,
    plate,
    ring,
    rod,
    rounded_rectangle,
    some,
    tube,
    turned,
    turned_by,
)
from meshtide.data.figures.objects.outlines import Outline


def grip(dice: Dice, length: float, radius: float) -> FloatArray:
    """A handle's profile, from its end (height 0) to where the tool begins."""
    share = np.linspace(0, 1, 12)
    make = dice.pick({"plain": 1, "waist": 1, "belly": 1, "bulb": 0.7})
    shapes = {
        "plain": 1 - 0.15 * share,
        "waist": 1 - 0.3 * np.sin(np.pi * share) ** 2,
        "belly": 0.7 + 0.35 * np.sin(np.pi * share),
        "bulb": 1.25 - 0.55 * np.sin(np.pi / 2 * np.minimum(2 * share, 1)),
    }
    sizes = radius * shapes[make]
    sizes[0] *= dice.between(0.6, 1.0)
    return np.stack([sizes, length * share], axis=1)


def pliers(dice: Dice) -> Model:
    """Two levers that cross at a pivot: jaws above, handles below, in the plane y = 0."""
    model = Model()
    jaw, handle = dice.size(0.3, 0.3), dice.size(0.9, 0.2)
    thick = dice.size(0.065, 0.2)
    spread, gap = dice.between(0.1, 0.4), dice.between(0.0, 0.35)
    flat = dice.between(0.5, 1.0)
    pivot = dice.size(0.12, 0.2)
    bow, thin = dice.between(0.5, 1.4), thick * np.linspace(0.8, dice.size(1.1, 0.15), 12)
    claw, deep_jaw = _jaw_outline(dice, jaw, thick), 2 * thick * dice.between(0.6, 1.1)
    for number, sign in enumerate((-1.0, 1.0)):
        model.add("handle", tube(_lever(sign, handle, spread, pivot, bow), thin, (0, 1, 0), flat), number=number)
        turn = turned_by(roll=sign * gap * 0.7) @ turned_by(pitch=np.pi / 2)
        shape = plate(claw * np.array([sign, 1.0]), deep_jaw, (sign * 0.015, 0, 0.05), turn, 0.15 * thick)
        model.add("jaw", shape, number=number)
    deep = 2 * thick * flat
    if dice.chance(0.25):  # the levers just cross: what holds them is too slight to be a part
        model.add("jaw", rod((0, -0.45 * deep, 0), (0, 0.45 * deep, 0), 0.8 * pivot))
        return model
    model.add("pivot", rod((0, -0.6 * deep - 0.02, 0), (0, 0.6 * deep + 0.02, 0), pivot))
    if dice.chance(0.5):
        model.add("pivot", rod((0, -0.8 * deep - 0.02, 0), (0, 0.8 * deep + 0.02, 0), 0.5 * pivot))
    return model


def _lever(sign: float, length: float, spread: float, pivot: float, bow: float) -> FloatArray:
    knots = [(sign * 0.3 * pivot, 0, -0.5 * pivot), (sign * (0.25 * bow * spread + 0.1), 0, -0.3 * length),
             (sign * (spread * bow + 0.06), 0, -0.65 * length), (sign * (spread + 0.08), 0, -length)]  # fmt: skip
    return curve(knots, 12)


def _jaw_outline(dice: Dice, length: float, thick: float) -> FloatArray:
    """A jaw seen from the side: long and straight, or bowed out to meet the other at its tip."""
    if dice.chance(0.5):
        wide = dice.between(0.8, 1.4) * thick
        return np.array(
            [(0, -0.02), (1.8 * wide, -0.02), (1.5 * wide, 0.4 * length), (0.5 * wide, length), (0, length)]
        )
    wide = dice.between(1.2, 2.2) * thick
    return np.array([(0.1 * wide, -0.02), (1.6 * wide, 0.05), (2.2 * wide, 0.5 * length), (0.9 * wide, length),
                     (0, length), (1.2 * wide, 0.5 * length)])  # fmt: skip


def hammer(dice: Dice) -> Model:
    """A handle with a head across it: face and claw or peen are the head's."""
    model = Model()
    length, radius = dice.size(1.0, 0.15), dice.size(0.045, 0.2)
    model.add("handle", turned(grip(dice, length, radius)))
    size = dice.size(0.085, 0.25)
    reach = dice.size(0.2, 0.25)
    top = length - 0.2 * size
    make = dice.pick({"claw": 1, "mallet": 1, "peen": 1, "axe": 0.7, "pick": 0.5})
    if make == "mallet":
        shape = block((0, 0, top), (2.2 * reach, 2.4 * size, 2.6 * size), 0.2 * size) if dice.chance(0.5) else rod(
            (-reach, 0, top), (reach, 0, top), 1.4 * size)  # fmt: skip
        model.add("head", shape)
        return model
    if make == "axe":
        outline = [(-0.5 * size, -size), (0.3 * reach, -size), (reach, -2.2 * size), (1.15 * reach, 0),
                   (reach, 1.6 * size), (-0.5 * size, size)]  # fmt: skip
        model.add("head", plate(outline, 1.2 * size, (0, 0, top), turned_by(pitch=np.pi / 2), 0.2 * size))
        return model
    model.add("head", block((0, 0, top), (2 * size, 1.8 * size, 1.9 * size), 0.2 * size))
    model.add("head", rod((0, 0, top), (reach, 0, top), 0.75 * size), rod((0.7 * reach, 0, top), (reach, 0, top), size))
    if make == "claw":
        for side in (-0.4, 0.4):
            points = curve([(0, 0, top), (-0.6 * reach, side * size, top), (-1.2 * reach, 1.4 * side * size,
                                                                            top - 0.7 * size)], 8)  # fmt: skip
            model.add("head", tube(points, np.linspace(0.6, 0.25, 8) * size))
    elif make == "peen":
        model.add(
            "head", ball((-0.75 * reach, 0, top), 0.8 * size), rod((0, 0, top), (-0.7 * reach, 0, top), 0.55 * size)
        )
    else:
        model.add("head", rod((0, 0, top), (-1.4 * reach, 0, top - 0.3 * size), 0.8 * size, 0.15 * size))
    return model


def screwdriver(dice: Dice) -> Model:
    """A handle and a shaft with its tip."""
    model = Model()
    length, radius = dice.size(0.45, 0.2), dice.size(0.085, 0.25)
    shaft = dice.size(0.6, 0.35)
    model.add("handle", turned(grip(dice, length, radius)))
    thin = radius * dice.between(0.2, 0.45)
    model.add("shaft", rod((0, 0, 0.9 * length), (0, 0, length + shaft), thin))
    if dice.chance(0.5):
        end = length + shaft
        model.add("shaft", block((0, 0, end), (2.4 * thin, 1.0 * thin, 5 * thin), 0.1 * thin, top=(1.0, 0.4)))
    if dice.chance(0.3):
        model.add("collar", rod((0, 0, 0.97 * length), (0, 0, 1.06 * length), radius * dice.between(0.9, 1.2)))
    return model


def scissors(dice: Dice) -> Model:
    """Two blades that cross, and a ring for the fingers at each end."""
    model = Model()
    blade, arm = dice.size(0.7, 0.25), dice.size(0.35, 0.25)
    opening = dice.between(0.08, 0.4)
    thick, wide = dice.size(0.035, 0.2), dice.size(0.055, 0.2)
    loop, bar = dice.size(0.13, 0.15), dice.size(0.035, 0.2)
    for number, sign in enumerate((-1.0, 1.0)):
        frame = turned_by(roll=sign * opening)
        y = sign * 0.45 * thick
        outline = [
            (-wide, -0.05),
            (wide, -0.05),
            (0.8 * wide, 0.6 * blade),
            (sign * 0.7 * wide, blade),
            (-0.8 * wide, 0.6 * blade),
        ]
        model.add("blade", plate(outline, thick, (0, y, 0), frame @ turned_by(pitch=np.pi / 2)), number=number)
        end = frame @ np.array([sign * -0.02, y, -arm])
        middle = end - loop * np.array([0.0, 0.0, 1.0]) * 0.8 - np.array([sign * 0.4 * loop, 0, 0])
        model.add("handle", rod((0, y, 0.02), end, bar), ring(middle, (0, 1, 0), loop, bar), number=number)
    return model


def key(dice: Dice) -> Model:
    """A bow to hold, a shaft, and a bit."""
    model = Model()
    length, radius = dice.size(0.7, 0.2), dice.size(0.05, 0.2)
    bow, thick = dice.size(0.17, 0.2), dice.size(0.08, 0.25)
    upright = turned_by(pitch=np.pi / 2)
    make = dice.pick({"ring": 1.5, "disc": 1, "square": 0.7, "clover": 0.6})
    centre = np.array([0, 0, length + 0.9 * bow])
    if make == "ring":
        model.add("bow", ring(centre, (0, 1, 0), bow, 0.35 * bow * dice.between(0.6, 1.1), thick))
    elif make == "clover":
        model.add("bow", *(ring(centre + 0.75 * bow * np.array([w[0], 0, w[1]]), (0, 1, 0), 0.6 * bow, 0.2 * bow)
                           for w in around(3, np.pi / 2)))  # fmt: skip
    else:
        loop = circle(bow * 1.2) if make == "disc" else rounded_rectangle(2.4 * bow, 2 * bow, 0.4 * bow)
        hole = circle(0.3 * bow) + np.array([0, 0.5 * bow])
        model.add("bow", plate(Outline(loop, hole), thick, centre, upright))
    flat = dice.chance(0.5) and make in ("disc", "square")
    if flat:
        teeth = _teeth(dice, length, 1.7 * radius)
        model.add("shaft", plate(teeth, 0.6 * thick, (0, 0, 0), upright))
        return model
    model.add("shaft", rod((0, 0, 0), (0, 0, length + 0.1 * bow), radius))
    deep, tall = dice.size(0.16, 0.2), dice.size(0.16, 0.2)
    model.add("bit", block((0.5 * deep + 0.5 * radius, 0, 0.04 + tall / 2), (deep + radius, 0.9 * radius, tall)))
    if dice.chance(0.5):
        model.cut(block((deep + radius, 0, 0.04 + tall / 2), (deep, 2 * radius, 0.3 * tall)), "bit")
    return model


def _teeth(dice: Dice, length: float, wide: float) -> FloatArray:
    heights = np.linspace(0.02, 0.75 * length, some(dice, 4, 7))
    cut = [(wide * dice.between(0.35, 0.95), z) for z in heights]
    return np.array([(-wide, 0.0), *cut, (wide, 0.85 * length), (wide, 1.1 * length), (-wide, 1.1 * length)])


def wrench(dice: Dice) -> Model:
    """A flat handle with an open jaw or a ring at one or both ends."""
    model = Model()
    length, wide, thick = dice.size(1.0, 0.15), dice.size(0.06, 0.2), dice.size(0.06, 0.25)
    model.add("handle", block((0, 0, 0), (2 * wide, length, thick), 0.3 * thick))
    ends = dice.pick({"both": 2, "one": 1})
    for number, sign in enumerate((1.0, -1.0) if ends == "both" else (1.0,)):
        size = dice.size(0.15, 0.15)
        at = np.array([0, sign * (0.5 * length + 0.6 * size), 0])
        if dice.chance(0.5):
            model.add("head", ring(at, (0, 0, 1), 0.8 * size, 0.28 * size, 1.4 * thick, square=True), number=number)
        else:
            tilt = dice.between(-0.4, 0.4)
            model.add("head", plate(circle(size), 1.3 * thick, at), number=number)
            mouth = at + 0.75 * size * np.array([np.sin(tilt), sign * np.cos(tilt), 0])
            turn = turned_by(yaw=-sign * tilt)
            model.cut(block(mouth, (0.9 * size, 1.6 * size, 3 * thick), 0, turn), "head", number)
    return model


def knife(dice: Dice) -> Model:
    """A blade and a handle, perhaps with a guard between."""
    model = Model()
    blade, hand = dice.size(0.7, 0.3), dice.size(0.4, 0.2)
    wide, thick = dice.size(0.08, 0.3), dice.size(0.035, 0.25)
    belly = dice.between(-0.3, 1.0) * wide
    outline = curve([(-wide, -0.04), (-wide, 0.5 * blade), (belly, blade)], 8).tolist()
    outline += curve([(belly, blade), (wide, 0.7 * blade), (wide, -0.04)], 8).tolist()[1:]
    upright = turned_by(pitch=np.pi / 2)
    model.add("blade", plate(np.array(outline)[::-1], thick, (0, 0, 0), upright))
    model.add("handle", turned(grip(dice, hand, dice.size(0.065, 0.15)), (0, 0, -hand), squash=dice.between(0.5, 1.0)))
    if dice.chance(0.35):
        model.add("guard", block((0, 0, 0.01), (dice.size(0.3, 0.2), 0.14, 0.05), 0.02))
    return model


def fork(dice: Dice) -> Model:
    """A handle, and a head with tines that is one piece."""
    model = Model()
    _cutlery_handle(model, dice)
    wide, deep, thick = dice.size(0.11, 0.15), dice.size(0.14, 0.2), 0.022
    tine, count = dice.size(0.28, 0.25), some(dice, 2, 4)
    bow = dice.between(0.0, 0.08)
    model.add("head", tube([(0, 0, -0.1), (0, bow, 0.5 * deep), (0, bow, deep)], [0.03, 0.9 * wide, 0.9 * wide],
                           (0, 1, 0), 0.25))  # fmt: skip
    for x in np.linspace(-1, 1, count) * 0.75 * wide:
        model.add("head", tube(curve([(x, bow, deep), (x, bow + 0.02, deep + 0.5 * tine), (x, 0, deep + tine)], 6),
                               [thick, thick, thick, thick, 0.8 * thick, 0.6 * thick]))  # fmt: skip
    return model


def spoon(dice: Dice) -> Model:
    """A handle and a hollowed bowl, or a ladle or spatula."""
    model = Model()
    _cutlery_handle(model, dice)
    wide, long, deep = dice.size(0.13, 0.2), dice.size(0.2, 0.2), dice.size(0.08, 0.3)
    if dice.chance(0.2):
        outline = rounded_rectangle(2 * wide, 2 * long, 0.4 * wide)
        model.add("bowl", plate(outline, 0.04, (0, 0.02, 0.8 * long), turned_by(pitch=np.pi / 2)))
        return model
    at = np.array([0, 0, 0.85 * long])
    model.add("bowl", ball(at, (wide, deep, long)))
    model.cut(block(at - np.array([0, 0.5, 0]) * 1.0, (1, 1.0, 1.6 * long)), "bowl")
    if dice.chance(0.8):
        model.cut(ball(at - np.array([0, 0.01, 0]), (wide - 0.04, max(deep - 0.035, 0.02), long - 0.045)), "bowl")
    return model


def _cutlery_handle(model: Model, dice: Dice) -> None:
    length, bow = dice.size(0.85, 0.2), dice.between(-0.05, 0.1)
    points = curve([(0, 0, 0), (0, -bow, -0.4 * length), (0, 0, -length)], 10)
    radii = np.linspace(dice.between(0.6, 1.0), dice.between(1.0, 1.8), 10) * 0.04
    model.add("handle", tube(points, radii, (0, 1, 0), dice.between(0.4, 1.0)))


def brush(dice: Dice) -> Model:
    """A handle and a head of bristles, at its end or across, as of brooms and paint brushes."""
    model = Model()
    length, radius = dice.size(0.9, 0.35), dice.size(0.05, 0.2)
    model.add("handle", turned(grip(dice, length, radius)))
    wide, deep, tall = dice.size(0.18, 0.4), dice.size(0.07, 0.2), dice.size(0.22, 0.3)
    make = dice.pick({"paint": 1, "broom": 1, "side": 1})
    if make == "paint":
        model.add("ferrule", block((0, 0, length + 0.04), (2 * wide, 2 * deep, 0.14), 0.02))
        model.add("bristle", block((0, 0, length + 0.1 + tall / 2), (1.85 * wide, 1.8 * deep, tall), 0.03,
                                   top=(dice.between(0.8, 1.1), dice.between(0.3, 0.8))))  # fmt: skip
    elif make == "broom":
        long = dice.size(0.6, 0.25)
        model.add("head", block((0, 0, length + 0.03), (long, 2 * deep, 0.09), 0.02))
        model.add("bristle", block((0, 0, length + 0.07 + tall / 2), (0.94 * long, 1.6 * deep, tall),
                                   top=(dice.between(1, 1.2), dice.between(0.8, 1.3))))  # fmt: skip
    else:
        long = dice.size(0.4, 0.25)
        z = length + long / 2
        model.add("head", block((0, 0, z), (2 * deep, 0.09, long + 0.04), 0.03))
        model.add("bristle", block((0, 0.04 + tall / 3, z), (1.7 * deep, 0.7 * tall, 0.9 * long)))
    return model
