"""Vehicles on wheels, wings, water and rockets."""

from __future__ import annotations

import numpy as np

from meshtide.arrays import FloatArray
from meshtide.data.figures.dice import Dice
from meshtide.data.figures.objects.model import (
    Model,
    Placed,
    around,
    ball,
    block,
    plate,
    ring,
    rod,
    rounded_rectangle,
    towards,
    turned,
    turned_by,
)


def spindle(dice: Dice, length: float, radius: float, nose: float, tail: float) -> FloatArray:
    """A profile of (radius, place) that is pointed at both ends and straight between."""
    share = np.concatenate([np.linspace(0, nose, 7), np.linspace(1 - tail, 1, 7)])
    front = np.sqrt(np.clip(1 - (1 - share / nose) ** 2, 0, 1))
    back = np.clip((1 - share) / tail, 0, 1) ** dice.between(0.6, 1.0)
    end = dice.between(0.05, 0.3)
    sizes = np.where(share <= nose, np.maximum(front, 0.12), end + (1 - end) * back)
    return np.stack([radius * sizes, length * share], axis=1)


def wing(root: FloatArray, span: FloatArray, chord: float, tip: float, sweep: float, thick: float) -> Placed:
    """A flat wing from its root along a span; the chord runs along y."""
    length = float(np.linalg.norm(span))
    outline = [(0, -chord / 2), (length, sweep - tip * chord / 2), (length, sweep + tip * chord / 2), (0, chord / 2)]
    x = span / length
    y = np.array([0.0, 1.0, 0.0])
    frame = np.stack([x, y - (y @ x) * x, np.cross(x, y - (y @ x) * x)], axis=1)
    frame /= np.linalg.norm(frame, axis=0)
    return plate(outline, thick, root, frame, 0.4 * thick)


def airplane(dice: Dice) -> Model:
    """A fuselage along y, nose at the front (y < 0), with wings, tail and engines."""
    model = Model()
    length, radius = 1.0, dice.size(0.06, 0.25)
    profile = spindle(dice, length, radius, dice.between(0.08, 0.25), dice.between(0.25, 0.5))
    model.add("fuselage", turned(profile, (0, -0.5 * length, 0), (0, 1, 0), dice.between(0.85, 1.15)))
    if dice.chance(0.3):
        model.add("fuselage", ball((0, dice.between(-0.35, -0.15), 0.8 * radius), (0.5 * radius, 0.1, 0.6 * radius)))
    span, chord = dice.size(0.45, 0.25), dice.size(0.2, 0.25)
    level = dice.between(-0.7, 0.7) * radius
    place = dice.between(-0.12, 0.08)
    sweep, tip = dice.between(-0.05, 0.6) * span, dice.between(0.25, 0.95)
    rise = dice.normal(0.08)
    thick = dice.size(0.022, 0.2)
    root = np.array([0.3 * radius, place, level])
    out = np.array([span, 0.0, span * rise])
    model.pair("wing", wing(root, out, chord, tip, sweep, thick))
    if dice.chance(0.1):
        model.pair("wing", wing(root + np.array([0, 0, 2.6 * radius]), out, chord, tip, sweep, thick), first=2)
        for x in (0.25, 0.7):
            model.pair("wing", rod(root + x * out, root + x * out + np.array([0, 0, 2.6 * radius]), 0.008), first=0)
    _tail(model, dice, length, radius, thick)
    make = dice.pick({"none": 1.2, "under": 2, "rear": 0.5, "nose": 0.8})
    if make == "under":
        _engines(model, dice, root, out, sweep, chord)
    elif make == "rear":
        size = dice.size(0.035, 0.2)
        at = (radius + 0.8 * size, 0.22 * length, 0.5 * radius)
        model.pair("engine", rod(at, (at[0], at[1] + 5 * size, at[2]), size, 0.8 * size))
    elif make == "nose":
        _propeller(model, dice, np.array([0, -0.5 * length, 0]), dice.size(0.14, 0.2), 0)
    return model


def _tail(model: Model, dice: Dice, length: float, radius: float, thick: float) -> None:
    tall, chord = dice.size(0.16, 0.25), dice.size(0.12, 0.2)
    end = 0.5 * length - 0.6 * chord
    sweep = dice.between(0.0, 0.8) * tall
    foot = np.array([0.0, end, 0.2 * radius])
    high = dice.chance(0.25)
    twin = dice.chance(0.15)
    tip = dice.between(0.4, 0.9)
    half = dice.size(0.17, 0.2)
    level = foot + np.array([0.0, 0.0, 0.8 * tall]) + np.array([0.0, 0.8 * sweep, 0.0]) if high and not twin else foot
    side = level + np.array([0.15 * radius, 0, 0])
    if twin:
        at = foot + np.array([0.9 * half, 0, 0])
        model.pair("fin", wing(at, np.array([0.1 * tall, 0, tall]), chord, tip, sweep, thick))
    else:
        model.add("fin", wing(foot, np.array([0.0, 0, tall]), chord, tip, sweep, thick))
    model.pair("tailplane", wing(side, np.array([half, 0, dice.normal(0.02)]), 0.9 * chord, dice.between(0.4, 0.9),
                                 dice.between(0, 0.5) * half, thick))  # fmt: skip


def _engines(model: Model, dice: Dice, root: FloatArray, out: FloatArray, sweep: float, chord: float) -> None:
    size = dice.size(0.032, 0.25)
    propellers = dice.chance(0.35)
    places = [0.4] if dice.chance(0.65) else [0.3, 0.6]
    for number, share in enumerate(places):
        at = root + share * out + np.array([0, share * sweep - 0.45 * chord, 0 if propellers else -0.72 * size])
        shape = turned(spindle(dice, 5 * size, size, 0.2, 0.4), at - np.array([0, 2 * size, 0]), (0, 1, 0))
        model.pair("engine", shape, first=2 * number)
        if propellers:
            for sign in (-1, 1):
                hub = (at - np.array([0, 2 * size, 0])) * np.array([sign, 1, 1])
                _propeller(model, dice, hub, 2.6 * size, 2 * number + (sign > 0))


def _propeller(model: Model, dice: Dice, at: FloatArray, reach: float, number: int) -> None:
    """Blades around a hub: one piece."""
    count = dice.pick({2: 1, 3: 1, 4: 0.7})
    hub = 0.16 * reach
    model.add("propeller", ball(at, (hub, 1.6 * hub, hub)), number=number)
    for way in around(count, dice.between(0, 3)):
        blade = np.array([way[0], 0, way[1]])
        frame = towards(blade, (0, 1, 0)) @ turned_by(yaw=0.5)
        shape = block(at + 0.5 * reach * blade, (0.22 * reach, 0.09 * reach, reach), 0.04 * reach, frame)
        model.add("propeller", shape, number=number)


def wheel(model: Model, dice: Dice, at: FloatArray, radius: float, width: float, number: int, spokes: int = 0) -> None:
    """A wheel with its axis along x; tyre, rim and hub are one piece."""
    axis = np.array([1.0, 0, 0])
    if spokes:
        model.add("wheel", ring(at, axis, radius - 0.5 * width, 0.5 * width), number=number)
        model.add("wheel", rod(at - 0.8 * width * axis, at + 0.8 * width * axis, 0.16 * radius), number=number)
        for way in around(spokes, 0.3):
            model.add("wheel", rod(at, at + 0.95 * radius * np.array([0, way[0], way[1]]), 0.3 * width), number=number)
        return
    flat = dice.between(0.6, 1.0)
    profile = [
        (flat * radius, -0.5 * width),
        (radius, -0.3 * width),
        (radius, 0.3 * width),
        (flat * radius, 0.5 * width),
    ]
    model.add("wheel", turned(profile, at, axis), number=number)
    if dice.chance(0.3):
        model.add("wheel", rod(at - 0.6 * width * axis, at + 0.6 * width * axis, 0.3 * radius), number=number)


def car(dice: Dice) -> Model:
    """A body with a cabin on four wheels, along y."""
    model = Model()
    long, wide, tall = dice.size(1.0, 0.12), dice.size(0.42, 0.12), dice.size(0.17, 0.2)
    radius = dice.size(0.085, 0.15)
    floor = 0.75 * radius
    soft = dice.between(0.0, 0.4) * tall
    model.add("body", block((0, 0, floor + tall / 2), (wide, long, tall), soft, top=(dice.between(0.88, 1.0), 1.0)))
    make = dice.pick({"saloon": 2, "van": 1, "pickup": 0.7, "open": 0.3, "sports": 0.7})
    cabin = {"saloon": (0.5, 0.02), "van": (0.8, 0.08), "pickup": (0.32, -0.05), "open": (0, 0), "sports": (0.4, 0.1)}
    share, back = cabin[make]
    high = dice.size(0.16, 0.2) * (1.3 if make == "van" else 0.8 if make == "sports" else 1.0)
    if share > 0:
        size = (0.9 * wide, share * long * dice.size(1, 0.08), high)
        top = (dice.between(0.75, 0.95), dice.between(0.5, 0.85))
        middle = (0, back * long, floor + tall + 0.48 * high)
        model.add("cabin", block(middle, size, 0.25 * high, top=top))
    if make == "pickup":
        model.cut(block((0, 0.3 * long, floor + tall), (0.8 * wide, 0.33 * long, 1.2 * tall)), "body")
    width = dice.size(0.075, 0.2)
    axles = [-dice.between(0.27, 0.34) * long, dice.between(0.27, 0.34) * long]
    for number in range(4):
        at = np.array([(0.5 * wide - 0.2 * width) * (1 if number % 2 else -1), axles[number // 2], radius])
        wheel(model, dice, at, radius, width, number)
    _extras(model, dice, long, wide, floor, tall, share > 0)
    return model


def _extras(model: Model, dice: Dice, long: float, wide: float, floor: float, tall: float, cabin: bool) -> None:
    if dice.chance(0.3):
        for number, sign in enumerate((-1, 1)):
            outline = rounded_rectangle(0.98 * wide, 0.07, 0.03)
            middle = (0, sign * 0.52 * long, floor + 0.2 * tall)
            model.add("bumper", plate(outline, 0.4 * tall, middle), number=number)
    if dice.chance(0.3) and cabin:
        at = (0.56 * wide, -0.2 * long, floor + 1.15 * tall)
        model.pair("mirror", ball(at, (0.045, 0.03, 0.03)), rod((0.4 * wide, at[1], at[2] - 0.04), at, 0.014))
    if dice.chance(0.15):
        z = floor + tall + 0.1
        posts = [rod((s * 0.3 * wide, 0.46 * long, floor + tall - 0.02), (s * 0.3 * wide, 0.46 * long, z), 0.015)
                 for s in (-1, 1)]  # fmt: skip
        model.add("spoiler", block((0, 0.46 * long, z), (0.95 * wide, 0.1, 0.025)), *posts)
