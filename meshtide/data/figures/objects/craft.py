"""Helicopters, ships and rockets, and trucks and bicycles."""

from __future__ import annotations

import numpy as np

from meshtide.arrays import FloatArray
from meshtide.data.figures.dice import Dice
from meshtide.data.figures.objects.model import Model, around, ball, block, curve, plate, rod, some, tube, turned
from meshtide.data.figures.objects.vehicles import spindle, wheel, wing


def helicopter(dice: Dice) -> Model:
    """A cabin, a tail boom, two rotors and skids or wheels."""
    model = Model()
    long, radius = dice.size(0.35, 0.15), dice.size(0.2, 0.12)
    model.add("body", ball((0, 0, 0), (radius, long, radius * dice.between(0.8, 1.1))))
    boom = dice.size(0.75, 0.15)
    z = dice.between(0.0, 0.5) * radius
    tail = np.array([0, 0.6 * long + boom, z + 0.05])
    model.add("boom", rod((0, 0.4 * long, z), tail, 0.38 * radius, 0.14 * radius))
    fin = np.array([0, dice.between(0, 0.08), dice.size(0.2, 0.2)])
    model.add("fin", wing(tail - np.array([0, 0.08, 0.02]), fin, 0.13, 0.7, 0.05, 0.03))
    mast = np.array([0, dice.between(-0.05, 0.08), 1.25 * radius])
    model.add("rotor", rod((0, mast[1], 0.6 * radius), mast + np.array([0, 0, 0.03]), 0.045))
    _blades(model, dice, mast, dice.size(0.75, 0.15), 0, upright=False)
    _blades(model, dice, tail + np.array([0.025, -0.02, 0.06]), dice.size(0.15, 0.15), 1, upright=True)
    if dice.chance(0.75):
        low = -radius - dice.size(0.1, 0.2)
        x = 0.9 * radius
        legs = [rod((0.4 * radius, y, -0.6 * radius), (x, y, low), 0.02) for y in (-0.4 * long, 0.4 * long)]
        model.pair("skid", rod((x, -1.0 * long, low), (x, 0.9 * long, low), 0.026), *legs)
    else:
        for number, (x, y) in enumerate(((-0.8, 0.2), (0.8, 0.2), (0, -0.8))):
            at = np.array([x * radius, y * long, -1.05 * radius])
            wheel(model, dice, at, 0.08, 0.06, number)
            model.add("wheel", rod(at, (0.6 * x * radius, y * long, -0.3 * radius), 0.02), number=number)
    if dice.chance(0.3):
        model.pair("wing", wing(np.array([0.1, 0.05, 0]), np.array([0.35, 0, -0.03]), 0.16, 0.8, 0.02, 0.035))
    return model


def _blades(model: Model, dice: Dice, hub: FloatArray, reach: float, number: int, upright: bool) -> None:
    """A rotor: hub and blades are one piece."""
    model.add("rotor", ball(hub, 0.06 * reach + 0.02), number=number)
    for way in around(dice.pick({2: 1, 3: 1, 4: 1, 5: 0.5}), dice.between(0, 3)):
        out = np.array([0, way[0], way[1]]) if upright else way
        side = np.cross(out, (1, 0, 0) if upright else (0, 0, 1))
        frame = np.stack([out, side, np.cross(out, side)], axis=1)
        size = (reach, 0.09 * reach + 0.01, 0.028)
        model.add("rotor", block(hub + 0.5 * reach * out, size, 0.008, frame), number=number)


def ship(dice: Dice) -> Model:
    """A hull with a deckhouse and funnels, or masts and sails, or guns."""
    model = Model()
    long, wide, tall = dice.size(1.5, 0.2), dice.size(0.35, 0.2), dice.size(0.25, 0.2)
    share = np.linspace(0, 1, 12)
    bow = wide / 2 * (1 - np.clip((share - dice.between(0.45, 0.7)) / 0.5, 0, 1) ** 2)
    bow[-1] = 0.02
    right = np.stack([bow, long * (0.5 - share)], axis=1)
    outline = np.concatenate([right, right[::-1] * np.array([-1, 1])])
    model.add("hull", plate(outline[::-1], tall, (0, 0, 0), rounding=0.1 * tall))
    if dice.chance(0.4):
        model.add("hull", plate(0.8 * outline[::-1], 0.5 * tall, (0, 0, -0.6 * tall)))
    if dice.chance(0.4):
        _sails(model, dice, long, tall)
        return model
    high, z = dice.size(0.14, 0.3), tall / 2
    for number in range(some(dice, 1, 3)):
        less = 0.8**number
        size = (0.75 * wide * less, dice.size(0.4, 0.3) * long * less, high + 0.02)
        model.add("deckhouse", block((0, 0.12 * long, z + high / 2 - 0.02), size), number=number)
        z += high
    for number in range(some(dice, 0, 3)):
        y = 0.12 * long + 0.12 * (number - 0.5)
        model.add("funnel", rod((0, y, z - 0.05), (0, y + 0.03, z + dice.size(0.18, 0.2)), 0.045), number=number)
    if dice.chance(0.3):
        for number, y in enumerate((-0.22, -0.33)):
            at = np.array([0, y * long, tall / 2])
            model.add("gun", block(at, (0.13, 0.14, 0.12), 0.02), rod(at, at + np.array([0, -0.22, 0.05]), 0.025),
                      number=number)  # fmt: skip
    return model


def _sails(model: Model, dice: Dice, long: float, tall: float) -> None:
    masts = some(dice, 1, 3)
    for number in range(masts):
        y = long * (0.55 * (number + 0.5) / masts - 0.3)
        high = dice.size(0.8, 0.15)
        model.add("mast", rod((0, y, 0), (0, y, tall / 2 + high), 0.026, 0.018), number=number)
        low = tall / 2 + 0.14 * high
        if dice.chance(0.5):
            outline = [(0.0, low), (0.55 * long / masts, low), (0.0, tall / 2 + 0.95 * high)]
            frame = np.stack([(0, 1, 0), (0, 0, 1), (1, 0, 0)], axis=1).astype(np.float64)
            model.add("sail", plate(outline, 0.03, (0, y, 0), frame), number=number)
        else:
            size = (0.55 * high, 0.035, 0.65 * high)
            model.add("sail", block((0, y - 0.02, low + 0.35 * high), size, top=(0.75, 1.0)), number=number)


def rocket(dice: Dice) -> Model:
    """A body with a nose, fins and nozzles, perhaps boosters."""
    model = Model()
    tall, radius = dice.size(1.2, 0.2), dice.size(0.14, 0.25)
    if dice.chance(0.5):
        model.add("body", rod((0, 0, 0), (0, 0, tall), radius))
        wide, tip = radius * dice.between(1.15, 1.4), dice.size(0.4, 0.25)
        share = np.linspace(0, 1, 8)
        profile = np.stack([wide * np.cos(np.pi / 2 * share) ** 0.8 + 0.005, tall + tip * share], axis=1)
        model.add("nose", turned(np.concatenate([[(0.9 * radius, tall - 0.05)], profile])))
    else:
        model.add("body", turned(spindle(dice, tall, radius, 0.15, 0.45)))
    count = dice.pick({0: 0.4, 3: 1.5, 4: 1.5})
    long, out = dice.size(0.3, 0.3), dice.size(0.22, 0.25)
    sweep = dice.between(0.0, 0.5)
    for number, way in enumerate(around(count, 0.2)):
        outline = [(0, 0), (out, -sweep * long), (out, (0.5 - sweep) * long), (0, long)]
        frame = np.stack([way, (0, 0, 1), np.cross(way, (0, 0, 1))], axis=1)
        model.add("fin", plate(outline, 0.04, 0.75 * radius * way + np.array([0, 0, 0.03]), frame), number=number)
    if dice.chance(0.6):
        model.add("nozzle", rod((0, 0, -0.15), (0, 0, 0.05), radius * dice.between(0.7, 1.0), 0.4 * radius))
    for number, way in enumerate(around(dice.pick({0: 2, 2: 1, 4: 0.7}), 0.9)):
        small = dice.between(0.4, 0.6) * radius
        at = (radius + 0.85 * small) * way
        shell = [(small, 0), (small, 0.45 * tall), (0.5 * small, 0.53 * tall), (0.08 * small, 0.6 * tall)]
        model.add("booster", turned(shell, at), number=number)
    return model


def truck(dice: Dice) -> Model:
    """A cab, a load behind it, four to ten wheels."""
    model = Model()
    wide, cab_long, cab_tall = dice.size(0.4, 0.1), dice.size(0.3, 0.15), dice.size(0.42, 0.12)
    load, radius = dice.size(0.8, 0.25), dice.size(0.085, 0.12)
    floor = 1.2 * radius
    gap = dice.between(0.0, 0.1)
    model.add("chassis", block((0, 0.5 * load, floor), (0.85 * wide, load + 1.2 * cab_long, 0.09)))
    front = -0.5 * cab_long - gap
    model.add("cab", block((0, front, floor + cab_tall / 2), (wide, cab_long, cab_tall), 0.03, top=(0.95, 0.85)))
    if dice.chance(0.4):
        hood = dice.size(0.2, 0.2)
        y = front - 0.5 * cab_long - 0.45 * hood
        model.add("hood", block((0, y, floor + 0.24 * cab_tall), (0.8 * wide, hood, 0.5 * cab_tall), 0.03))
    make = dice.pick({"box": 2, "tank": 1, "bed": 1})
    high = dice.size(0.45, 0.2)
    middle = (0, 0.5 * load + 0.02, floor + 0.03 + high / 2)
    if make == "tank":
        z = floor - 0.01 + 0.5 * wide
        model.add("load", rod((0, 0, z), (0, load, z), 0.52 * wide))
    else:
        model.add("load", block(middle, (1.05 * wide, load, high if make == "box" else 0.6 * high)))
    if make == "bed":
        model.cut(block((0, middle[1], middle[2] + 0.12), (0.85 * wide, 0.88 * load, 0.6 * high)), "load")
    places = [front, 0.8 * load] + ([0.8 * load - 2.3 * radius] if dice.chance(0.5) else [])
    for number in range(2 * len(places)):
        at = np.array([(0.46 * wide) * (1 if number % 2 else -1), places[number // 2], radius])
        wheel(model, dice, at, radius, dice.size(0.08, 0.1), number)
    return model


def bicycle(dice: Dice) -> Model:
    """A frame between two wheels, with a fork, a handlebar and a saddle."""
    model = Model(whole=True)
    radius, base = dice.size(0.33, 0.1), dice.size(1.0, 0.08)
    bar, tyre = dice.size(0.028, 0.15), dice.size(0.045, 0.2)
    rear, front = np.array([0, base / 2, radius]), np.array([0, -base / 2, radius])
    spokes = dice.pick({0: 0.6, 3: 1, 5: 1, 8: 1})
    for number, at in enumerate((rear, front)):
        wheel(model, dice, at, radius, tyre * (1.3 if spokes == 0 else 1.0), number, spokes)
    crank = np.array([0, 0.06 * base, 0.95 * radius])
    seat = np.array([0, 0.17 * base, radius * dice.between(2.1, 2.5)])
    head = np.array([0, -0.3 * base, radius * dice.between(2.1, 2.4)])
    pairs = [(crank, seat), (crank, head - (0, 0, 0.1 * radius)), (seat - 0.1 * (seat - crank), head), (rear, crank)]
    model.add("frame", *(rod(a, b, bar) for a, b in pairs), rod(rear, seat - 0.12 * (seat - crank), 0.8 * bar))
    top = head + 0.2 * (head - front)
    model.add("fork", rod(front, top, bar))
    wide, back = dice.size(0.28, 0.2), dice.between(0.0, 0.18)
    points = curve([(-wide, top[1] + back, top[2] - 0.02), (-0.4 * wide, top[1], top[2]), (0.4 * wide, top[1], top[2]),
                    (wide, top[1] + back, top[2] - 0.02)], 14)  # fmt: skip
    model.add("handlebar", tube(points, 0.9 * bar))
    model.add("saddle", ball(seat + np.array([0, 0.02, 0.03]), (0.075, 0.15, 0.045)))
    if dice.chance(0.7):
        model.add("crank", rod(crank - np.array([0.05, 0, 0]), crank + np.array([0.05, 0, 0]), 0.09))
        for sign in (-1, 1):
            foot = crank + np.array([sign * 0.06, 0, sign * 0.16])
            model.add("crank", rod(crank + np.array([sign * 0.04, 0, 0]), foot, 0.02),
                      block(foot + np.array([sign * 0.05, 0, 0]), (0.12, 0.08, 0.03)))  # fmt: skip
    return model
