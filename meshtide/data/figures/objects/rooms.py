"""Furniture that stands in rooms: sofas, beds, shelves, cabinets, lamps."""

from __future__ import annotations

import numpy as np

from meshtide.data.figures.dice import Dice
from meshtide.data.figures.objects.furniture import corners
from meshtide.data.figures.objects.model import (
    Model,
    ball,
    block,
    plate,
    rod,
    rounded_rectangle,
    some,
    towards,
    tube,
    turned,
    turned_by,
)


def bed(dice: Dice) -> Model:
    """A mattress between two boards, with pillows."""
    model = Model()
    long, wide, high = dice.size(2.0, 0.06), dice.size(1.3, 0.3), dice.size(0.45, 0.2)
    thick, low = dice.size(0.2, 0.3), dice.between(0.0, 0.2)
    model.add("mattress", block((0, 0, high - thick / 2), (wide, long, thick), dice.between(0.1, 0.45) * thick))
    base = max(high - thick - low, 0.05)
    model.add("mattress", block((0, 0, high - thick - base / 2 + 0.01), (1.02 * wide, 1.01 * long, base)))
    board = dice.size(0.07, 0.3)
    tall = high + dice.size(0.45, 0.35)
    outline = rounded_rectangle(dice.between(1.02, 1.2) * wide, tall, dice.between(0.0, 0.3) * tall)
    upright = turned_by(pitch=np.pi / 2)
    model.add("headboard", plate(outline, board, (0, 0.5 * long + 0.3 * board, tall / 2), upright))
    if dice.chance(0.5):
        foot = dice.between(0.9, 1.25) * high
        model.add("footboard", block((0, -0.5 * long - 0.3 * board, foot / 2), (1.05 * wide, board, foot)))
    if low > 0.07:
        radius = dice.size(0.045, 0.2)
        for number, place in enumerate(corners(wide, long, 1.2 * radius, 4)):
            model.add("leg", rod(place, place + np.array([0, 0, high - thick]), radius), number=number)
    pillows = some(dice, 0, 2 if wide > 1.1 else 1)
    for number in range(pillows):
        x = wide * ((number + 0.5) / pillows - 0.5)
        size = (0.35 * wide if pillows == 2 else 0.6 * wide, 0.2, 0.08)
        model.add("pillow", ball((x, 0.38 * long, high + 0.04), (0.55 * size[0], size[1], size[2])), number=number)
    return model


def shelf(dice: Dice) -> Model:
    """Boards between two sides."""
    model = Model(whole=True)
    wide, deep, tall = dice.size(0.8, 0.3), dice.size(0.3, 0.2), dice.size(1.4, 0.35)
    thick, count = dice.size(0.035, 0.3), some(dice, 2, 6)
    open_sides = dice.chance(0.3)
    for number, sign in enumerate((-1, 1)):
        x = sign * (0.5 * wide - thick / 2)
        if open_sides:
            for y in (-1, 1):
                post = rod((x, y * (0.5 * deep - thick), 0), (x, y * (0.5 * deep - thick), tall), thick, sides="square")
                model.add("leg", post, number=2 * number + (y > 0))
        else:
            model.add("side", block((x, 0, tall / 2), (thick, deep, tall)), number=number)
    low = dice.between(0.03, 0.15)
    for number in range(count):
        z = tall * (low + (0.97 - low) * number / (count - 1))
        model.add("board", block((0, 0, z), (wide - 0.5 * thick, 0.98 * deep, thick)), number=number)
    if dice.chance(0.4):
        model.add("back", block((0, 0.5 * deep, tall / 2), (wide, 0.7 * thick, 0.96 * tall)))
    return model


def cabinet(dice: Dice) -> Model:
    """A body with doors or drawers, each with a handle or a knob."""
    model = Model()
    wide, deep, tall = dice.size(0.8, 0.35), dice.size(0.45, 0.2), dice.size(0.9, 0.4)
    low = dice.pick({0.0: 1, 0.1: 1, 0.2: 0.7})
    model.add("body", block((0, 0, low + tall / 2), (wide, deep, tall), dice.between(0, 0.03)))
    if dice.chance(0.3):
        model.add("top", block((0, 0, low + tall), (1.12 * wide, 1.12 * deep, 0.05)))
    if low > 0:
        radius = dice.size(0.03, 0.25)
        for number, place in enumerate(corners(wide, deep, 1.3 * radius, 4)):
            model.add("leg", rod(place, place + np.array([0, 0, low + 0.02]), radius, 1.3 * radius), number=number)
    rows, columns = some(dice, 1, 4), some(dice, 1, 2)
    bar, thick = dice.chance(0.5), dice.size(0.018, 0.2)
    for number in range(rows * columns):
        z = low + tall * (number // columns + 0.5) / rows
        x = wide * ((number % columns + 0.5) / columns - 0.5)
        _handle(model, (x, -0.5 * deep, z), bar, thick, dice.between(0.12, 0.3) * wide / columns, number)
    return model


def _handle(model: Model, at: tuple[float, float, float], bar: bool, thick: float, reach: float, number: int) -> None:
    x, y, z = at
    if not bar:
        model.add("handle", rod((x, y + 0.02, z), (x, y - 2 * thick, z), thick),
                  ball((x, y - 2.6 * thick, z), 2 * thick), number=number)  # fmt: skip
        return
    points = [(x - reach, y + 0.02, z), (x - reach, y - 3 * thick, z), (x, y - 3.3 * thick, z),
              (x + reach, y - 3 * thick, z), (x + reach, y + 0.02, z)]  # fmt: skip
    model.add("handle", tube(points, thick), number=number)


def lamp(dice: Dice) -> Model:
    """A foot, an arm in one or more links, and a shade."""
    model = Model()
    tall, radius = dice.size(0.7, 0.5), dice.size(0.02, 0.3)
    base = dice.size(0.14, 0.3)
    low = dice.between(0.02, 0.06)
    model.add("base", turned([(base, 0), (base, 0.5 * low), (dice.between(0.3, 0.9) * base, low)]))
    shade = _shade(dice)
    if dice.chance(0.5):
        model.add("arm", rod((0, 0, 0.7 * low), (0, 0, tall), radius))
        model.join(shade, (0, 0, tall))
        return model
    links = some(dice, 1, 3)
    end, way = np.array([0.0, 0.0, 0.8 * low]), 0.0
    for number in range(links):
        way = way + dice.between(0.2, 1.0) * (0.4 if number == 0 else 1.7) * (-1 if number == 1 else 1)
        step = tall / links * np.array([np.sin(way), 0.0, max(np.cos(way), 0.1)])
        model.add("arm", rod(end, end + step, radius), number=number)
        end = end + step
        if number < links - 1:
            model.add("joint", ball(end, 2.2 * radius), number=number)
    model.join(shade, end, turned_by(roll=dice.between(-0.7, 0.7)) @ towards(step, (0, 1, 0)))
    return model


def _shade(dice: Dice) -> Model:
    """A shade around the origin, opening upwards, hollow or solid."""
    model = Model()
    wide, tall = dice.size(0.16, 0.3), dice.size(0.2, 0.3)
    narrow = dice.between(0.35, 1.0) * wide
    bulge = dice.between(0.0, 0.2) * wide
    share = np.linspace(0, 1, 8)
    radius = narrow + (wide - narrow) * share + bulge * np.sin(np.pi * share)
    heights = -0.1 * tall + tall * share
    model.add("shade", turned(np.stack([radius, heights], axis=1)))
    if dice.chance(0.5):
        wall = 0.14 * wide
        model.cut(turned(np.stack([radius - wall, heights + 1.3 * wall], axis=1)), "shade")
    elif dice.chance(0.4):
        model.add("shade", ball((0, 0, 0.9 * tall), 0.5 * wide))
    return model


def sofa(dice: Dice) -> Model:
    """A wide soft seat between two arms."""
    model = Model()
    width, depth, high = dice.size(1.3, 0.4), dice.size(0.7, 0.12), dice.size(0.32, 0.15)
    soft = dice.between(0.1, 0.45)
    arm, tall, thick = dice.size(0.16, 0.3), dice.size(0.55, 0.15), dice.size(0.2, 0.25)
    low = dice.between(0.06, 0.14)
    model.add("seat", block((0, 0, (high + low) / 2), (width, depth, high - low), soft * 0.1))
    frame = turned_by(pitch=-abs(dice.normal(0.1)))
    centre = (0.0, 0.5 * depth, low + 0.5 * (high + tall - low))
    model.add("back", block(centre, (width, thick, high + tall - low), soft * thick, frame))
    rest = high + dice.between(0.3, 0.7) * tall
    reach = dice.between(0.85, 1.05) * depth
    side = [block((0.5 * width, 0.05 * depth, (low + rest) / 2), (arm, reach, rest - low), soft * arm)]
    if dice.chance(0.4):
        side.append(rod((0.5 * width, 0.05 * depth - reach / 2, rest), (0.5 * width, 0.05 * depth + reach / 2, rest),
                        0.62 * arm))  # fmt: skip
    model.pair("armrest", *side)
    if dice.chance(0.5):
        _cushions(model, dice, width - arm, depth, high)
    if dice.chance(0.7):
        for number, place in enumerate(corners(width, depth, 0.04, 4)):
            model.add("leg", rod(place, place + np.array([0, 0, low + 0.03]), 0.025, 0.035), number=number)
    return model


def _cushions(model: Model, dice: Dice, room: float, depth: float, high: float) -> None:
    count = max(1, min(4, round(room / 0.55)))
    tall = dice.between(0.1, 0.18)
    for number in range(count):
        x = room * ((number + 0.5) / count - 0.5)
        size = (0.97 * room / count, 0.85 * depth, tall)
        model.add("cushion", block((x, -0.1 * depth, high + 0.35 * tall), size, 0.4 * tall), number=number)
