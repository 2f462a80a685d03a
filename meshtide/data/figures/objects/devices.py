"""Devices, buildings, fences and ladders."""

from __future__ import annotations

import numpy as np

from meshtide.arrays import FloatArray
from meshtide.data.figures.dice import Dice
from meshtide.data.figures.objects.model import (
    Model,
    around,
    ball,
    block,
    curve,
    plate,
    ring,
    rod,
    rounded_rectangle,
    some,
    tube,
    turned_by,
)


def headphones(dice: Dice) -> Model:
    """A band over the head and two cups with pads."""
    model = Model()
    wide, tall, bar = dice.size(0.45, 0.12), dice.size(0.6, 0.15), dice.size(0.045, 0.2)
    turn = np.linspace(0, np.pi, 18)
    points = np.stack([wide * np.cos(turn), 0 * turn, tall * np.sin(turn)], axis=1)
    model.add("band", tube(points, bar * dice.between(1.0, 2.0), (0, 1, 0), dice.between(1.0, 1.6)))
    radius, thick = dice.size(0.2, 0.15), dice.size(0.13, 0.2)
    axis = np.array([1.0, 0, 0])
    at = np.array([wide, 0, -0.03])
    model.pair("cup", rod(at - 0.2 * thick * axis, at + 0.8 * thick * axis, radius, dice.between(0.7, 1) * radius))
    if dice.chance(0.6):
        model.pair("pad", ring(at - 0.45 * thick * axis, axis, 0.75 * radius, 0.32 * radius, 0.8 * thick))
    if dice.chance(0.25):
        points = curve([at - np.array([0, 0.5 * radius, 0.3 * radius]), at + np.array([0, -1.5 * radius, -0.15]),
                        at + np.array([-0.25, -2.2 * radius, -0.22])], 8)  # fmt: skip
        model.add("microphone", tube(points, 0.025), ball(points[-1], 0.05))
    return model


def phone(dice: Dice) -> Model:
    """An old telephone: a body and a receiver; or a handset with an aerial."""
    model = Model()
    if dice.chance(0.5):
        wide, tall, deep = dice.size(0.22, 0.15), dice.size(0.6, 0.2), dice.size(0.1, 0.2)
        model.add("body", block((0, 0, 0), (2 * wide, deep, tall), 0.4 * deep))
        model.add("antenna", rod((0.7 * wide, 0, 0.45 * tall), (0.7 * wide, 0, 0.5 * tall + dice.size(0.25, 0.4)),
                                 dice.size(0.035, 0.2)))  # fmt: skip
        rows = some(dice, 0, 3)
        for number in range(3 * rows):
            at = ((number % 3 - 1) * 0.55 * wide, -0.5 * deep, -0.35 * tall + 0.13 * (number // 3))
            model.add("button", block(at, (0.36 * wide, 0.08, 0.08), 0.02), number=number)
        return model
    wide, deep, tall = dice.size(0.6, 0.12), dice.size(0.5, 0.12), dice.size(0.28, 0.2)
    top = (dice.between(0.5, 0.8), dice.between(0.4, 0.7))
    model.add("body", block((0, 0, tall / 2), (wide, deep, tall), 0.05, top=top))
    high, radius = tall + 0.1, dice.size(0.05, 0.2)
    model.add("cradle", rod((0, 0.05, tall - 0.05), (0, 0.05, high + 0.07), 0.5 * radius + 0.05))
    half = dice.size(0.38, 0.1)
    points = curve([(-half, 0.05, high), (-0.5 * half, 0.05, high + 0.09), (0.5 * half, 0.05, high + 0.09),
                    (half, 0.05, high)], 12)  # fmt: skip
    ends = [ball((sign * half, 0.05, high - 0.02), (0.11, 0.11, 0.08)) for sign in (-1, 1)]
    model.add("receiver", tube(points, radius), *ends)
    if dice.chance(0.7):
        frame = turned_by(pitch=0.5)
        model.add("dial", rod((0, -0.2 * deep, 0.6 * tall), frame @ np.array([0, -0.6 * deep, 1.1 * tall]) * 0.9, 0.15))
    return model


def camera(dice: Dice) -> Model:
    """A body with a lens of one or more rings, a flash hump, a button; perhaps on a tripod."""
    model = Model()
    wide, tall, deep = dice.size(0.6, 0.12), dice.size(0.38, 0.15), dice.size(0.22, 0.2)
    model.add("body", block((0, 0, 0), (wide, deep, tall), dice.between(0.02, 0.08)))
    radius, long = dice.size(0.15, 0.15), dice.size(0.25, 0.35)
    x = dice.between(-0.12, 0.12) * wide
    model.add("lens", rod((x, -0.3 * deep, 0), (x, -0.5 * deep - long, 0), radius))
    if dice.chance(0.5):
        end = -0.5 * deep - long
        model.add("hood", rod((x, end + 0.02, 0), (x, end - 0.1, 0), 1.3 * radius, dice.between(1.2, 1.7) * radius))
    if dice.chance(0.6):
        model.add("flash", block((x, 0, 0.5 * tall + 0.04), (0.3 * wide, 0.6 * deep, 0.16), 0.02, top=(0.6, 0.8)))
    if dice.chance(0.6):
        side = 0.36 * wide
        model.add("button", rod((side, 0, 0.45 * tall), (side, 0, 0.5 * tall + 0.05), 0.05))
    if dice.chance(0.3):
        for number, way in enumerate(around(3, 0.5)):
            foot = 0.45 * way - np.array([0, 0, 0.5 * tall + dice.size(0.9, 0.15)])
            model.add("leg", rod((0, 0, -0.48 * tall), foot, 0.035, 0.025), number=number)
    return model


def gamepad(dice: Dice) -> Model:
    """A flat body with two grips, sticks and a cross."""
    model = Model()
    wide, deep, thick = dice.size(0.7, 0.12), dice.size(0.35, 0.15), dice.size(0.16, 0.2)
    model.add("body", plate(rounded_rectangle(wide, deep, 0.4 * deep), thick, rounding=0.35 * thick))
    spread = dice.between(0.05, 0.2)
    end = (0.5 * wide + spread, -0.75 * deep - dice.between(0.0, 0.2), -0.3 * thick)
    points = curve([(0.35 * wide, 0, 0), (0.5 * wide, -0.35 * deep, -0.05 * thick), end], 8)
    model.pair("grip", tube(points, np.linspace(0.75, 0.5, 8) * thick))
    for number, x in enumerate((-0.18, 0.18)):
        at = np.array([x * wide, -0.25 * deep, 0.4 * thick])
        up = np.array([0, 0, dice.between(0.6, 0.9) * thick])
        model.add("stick", rod(at, at + up, 0.03), rod(at + 0.7 * up, at + up, 0.06), number=number)
    if dice.chance(0.6):
        at = np.array([-0.33 * wide, 0.15 * deep, 0.5 * thick])
        model.add("cross", block(at, (0.17, 0.06, 0.09)), block(at, (0.06, 0.17, 0.09)))
    if dice.chance(0.6):
        for number, way in enumerate(around(4)):
            at = np.array([0.33 * wide, 0.15 * deep, 0.4 * thick]) + 0.075 * way
            model.add("button", rod(at, at + np.array([0, 0, 0.08]), 0.035), number=number)
    return model


def building(dice: Dice) -> Model:
    """A house or a castle: blocks, roofs, towers, a chimney."""
    model = Model()
    wide, deep, tall = dice.size(0.8, 0.25), dice.size(0.55, 0.2), dice.size(0.45, 0.4)
    model.add("house", block((0, 0, tall / 2), (wide, deep, tall)))
    _roof(model, dice, np.array([0.0, 0, tall]), wide, deep, 0, dice.pick({"gable": 2, "hip": 1, "flat": 0.7}))
    if dice.chance(0.5):
        short, low = dice.size(0.5, 0.2) * wide, dice.between(0.6, 0.95) * tall
        at = np.array([dice.between(-0.25, 0.25) * wide, -0.5 * deep - 0.4 * short, low / 2])
        model.add("house", block(at, (0.7 * short, short, low)), number=1)
        _roof(model, dice, at + np.array([0, 0, low / 2]), 0.7 * short, short, 1, dice.pick({"hip": 1, "flat": 0.7}))
    for number in range(dice.pick({0: 2, 1: 1.5, 2: 1, 4: 0.5})):
        x, y = ((-1, -1), (1, 1), (1, -1), (-1, 1))[number]
        _tower(model, dice, np.array([0.5 * x * wide, 0.5 * y * deep, 0]), tall, number)
    if dice.chance(0.4):
        model.add("chimney", block((0.3 * wide, 0.12 * deep, tall + 0.15), (0.1, 0.1, 0.5)))
    return model


def _roof(model: Model, dice: Dice, at: FloatArray, wide: float, deep: float, number: int, make: str) -> None:
    high, over = dice.size(0.5, 0.25) * min(wide, deep), dice.between(1.08, 1.25)
    if make == "gable":
        half = 0.5 * over * deep
        outline = [(-half, 0), (half, 0), (0, high)]
        frame = np.stack([(0, 1, 0), (0, 0, 1), (1, 0, 0)], axis=1).astype(np.float64)
        model.add("roof", plate(outline, over * wide, at - np.array([0, 0, 0.01]), frame), number=number)
    elif make == "hip":
        top = (dice.between(0.05, 0.5), 0.08)
        model.add("roof", block(at + np.array([0, 0, high / 2 - 0.01]), (over * wide, over * deep, high), top=top),
                  number=number)  # fmt: skip
    else:
        model.add("roof", block(at + np.array([0, 0, 0.03]), (over * wide, over * deep, 0.08)), number=number)


def _tower(model: Model, dice: Dice, at: FloatArray, tall: float, number: int) -> None:
    radius, high = dice.size(0.13, 0.15), tall * dice.between(1.2, 2.2)
    top = at + np.array([0, 0, high])
    if dice.chance(0.6):
        model.add("tower", rod(at, top, radius), number=number)
        model.add(
            "roof",
            rod(top - np.array([0, 0, 0.01]), top + np.array([0, 0, dice.size(0.3, 0.3)]), 1.3 * radius, 0.01),
            number=10 + number,
        )
    else:
        model.add("tower", block((at + top) / 2, (2 * radius, 2 * radius, high)), number=number)
        model.add(
            "roof",
            block(top + np.array([0, 0, 0.12]), (2.5 * radius, 2.5 * radius, 0.25), top=(0.05, 0.05)),
            number=10 + number,
        )


def ladder(dice: Dice) -> Model:
    """Two rails and rungs."""
    model = Model()
    wide, tall, bar = dice.size(0.4, 0.2), dice.size(1.5, 0.2), dice.size(0.035, 0.2)
    narrow, sides = dice.between(0.75, 1.0), dice.pick({"round": 1, "square": 1})
    rungs = some(dice, 3, 8)
    model.pair("rail", rod((0.5 * wide, 0, 0), (0.5 * narrow * wide, 0, tall), bar, sides=sides))
    for number in range(rungs):
        share = (number + 0.6) / (rungs + 0.2)
        x = 0.5 * wide * (1 + (narrow - 1) * share)
        model.add("rung", rod((-x, 0, share * tall), (x, 0, share * tall), 0.75 * bar), number=number)
    if dice.chance(0.3):
        lean = dice.size(0.5, 0.2)
        model.pair("leg", rod((0.5 * narrow * wide, -0.01, 0.97 * tall), (0.5 * wide, lean, 0), 0.9 * bar, sides=sides))
    return model


def fence(dice: Dice) -> Model:
    """Posts, rails between them, and pickets."""
    model = Model()
    wide, tall, bar = dice.size(1.4, 0.3), dice.size(0.8, 0.2), dice.size(0.05, 0.2)
    posts = some(dice, 2, 4)
    for number, x in enumerate(np.linspace(-0.5, 0.5, posts) * wide):
        model.add(
            "post", rod((x, 0, 0), (x, 0, tall), 1.3 * bar, sides=dice.pick({"round": 1, "square": 2})), number=number
        )
        if dice.chance(0.3):
            model.add("post", ball((x, 0, tall + 0.5 * bar), 1.6 * bar), number=number)
    for number in range(rails := some(dice, 1, 3)):
        z = tall * (0.2 + 0.65 * (number + 0.3) / rails)
        model.add("rail", rod((-0.5 * wide, 0, z), (0.5 * wide, 0, z), 0.8 * bar, sides="square"), number=number)
    if rails > 1 and dice.chance(0.5):
        count = some(dice, 3, 9)
        for number, x in enumerate((np.arange(count) + 0.5) / count - 0.5):
            model.add("picket", block((x * wide, -bar, 0.52 * tall), (0.5 * wide / count, 0.7 * bar, 0.8 * tall)),
                      number=number)  # fmt: skip
    return model
