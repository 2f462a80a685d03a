"""More mechanical parts: mounts, valves, pulleys, cranks, pistons, bolts."""

from __future__ import annotations

import numpy as np

from meshtide.data.figures.dice import Dice
from meshtide.data.figures.objects.model import (
    Model,
    around,
    ball,
    block,
    circle,
    plate,
    ring,
    rod,
    rounded_rectangle,
    some,
    turned,
)


def mount(dice: Dice) -> Model:
    """A base plate with upright cylinders and blocks, stepped and bored."""
    model = Model()
    wide, deep, thick = dice.size(1.0, 0.2), dice.size(0.6, 0.25), dice.size(0.12, 0.3)
    corner = dice.between(0, 0.5) * min(wide, deep)
    model.add("base", plate(rounded_rectangle(wide, deep, corner), thick))
    places = {1: [0.0], 2: [-0.28, 0.28], 3: [-0.33, 0.0, 0.33]}[dice.pick({1: 2, 2: 2, 3: 1})]
    room = min(0.42 * deep, 0.4 * wide / len(places))
    alike = (room * dice.between(0.5, 0.95), dice.size(0.4, 0.4), dice.chance(0.7))
    bores = []
    for number, x in enumerate(places):
        radius, tall, is_round = (
            alike if dice.chance(0.7) else (room * dice.between(0.4, 0.9), dice.size(0.3, 0.4), False)
        )
        at, top = np.array([x * wide, 0, 0.4 * thick]), np.array([x * wide, 0, 0.5 * thick + tall])
        shape = rod(at, top, radius, dice.between(0.8, 1.0) * radius)
        model.add(
            "post", shape if is_round else block((at + top) / 2, (1.7 * radius, 1.7 * radius, tall)), number=number
        )
        end = top[2]
        if dice.chance(0.35):
            step, small = dice.size(0.2, 0.3), radius * dice.between(0.4, 0.65)
            model.add("pin", rod(top - (0, 0, 0.02), top + (0, 0, step), small), number=number)
            end, radius = end + step, small
        if dice.chance(0.5):
            bores.append((rod((x * wide, 0, dice.pick({-1.0: 1, thick: 1})), (x * wide, 0, end + 1), 0.55 * radius),
                          "pin" if ("pin", number) in model.pieces() else "post", number))  # fmt: skip
    for bore, part, number in bores:
        model.cut(bore, part, number)
    if dice.chance(0.5):
        for way in ((-1, -1), (1, -1), (1, 1), (-1, 1)):
            at = np.array([way[0] * 0.44 * wide, way[1] * 0.38 * deep, 0])
            model.cut(rod(at - (0, 0, 1), at + (0, 0, thick), 0.05 * min(wide, deep)))
    return model


def valve(dice: Dice) -> Model:
    """A body with two pipes and a hand wheel or lever on a stem."""
    model = Model()
    size, pipe = dice.size(0.24, 0.2), dice.size(0.13, 0.15)
    body = (
        ball((0, 0, 0), size) if dice.chance(0.5) else block((0, 0, 0), (2 * size, 1.7 * size, 1.8 * size), 0.1 * size)
    )
    model.add("body", body)
    pipe = min(pipe, 0.7 * size)
    long, flanges = dice.size(0.5, 0.2), dice.chance(0.6)
    for number, sign in enumerate((-1, 1)):
        way = np.array([sign, 0.0, 0])
        model.add("pipe", rod(0.3 * size * way, (size + long) * way, pipe), number=number)
        if flanges:
            end = size + long
            model.add("flange", rod((end - 0.09) * way, end * way, pipe * dice.between(1.6, 2.1)), number=number)
    tall = size + dice.size(0.35, 0.25)
    model.add("stem", rod((0, 0, 0.5 * size), (0, 0, tall), dice.between(0.2, 0.45) * size))
    if dice.chance(0.65):
        reach = dice.size(0.3, 0.15)
        spokes = [rod((0, 0, tall), reach * way + np.array([0, 0, tall]), 0.03) for way in around(some(dice, 3, 5))]
        model.add(
            "wheel",
            ring((0, 0, tall), (0, 0, 1), reach, 0.045),
            rod((0, 0, tall - 0.05), (0, 0, tall + 0.05), 0.08),
            *spokes,
        )
    else:
        model.add("lever", block((0.22, 0, tall), (0.6, 0.11, 0.07), 0.02))
    if dice.chance(0.4):
        for number, sign in enumerate((-1, 1)):
            way = np.array([sign, 0.0, 0])
            model.cut(
                rod((size + 0.1) * way, (size + 3 * long) * way, 0.6 * pipe), "flange" if flanges else "pipe", number
            )
    return model


def pulley(dice: Dice) -> Model:
    """A grooved or spoked wheel, with its hub, on an axle or in a fork."""
    model = Model()
    radius, wide, hub = dice.size(0.45, 0.12), dice.size(0.2, 0.25), dice.size(0.11, 0.2)
    axis = np.array([0.0, 1.0, 0.0])
    if dice.chance(0.5):
        count = some(dice, 3, 7)
        model.add("rim", ring((0, 0, 0), axis, radius, dice.size(0.06, 0.25), wide, square=dice.chance(0.6)))
        model.add("hub", rod(-0.6 * wide * axis, 0.6 * wide * axis, hub))
        for number, way in enumerate(around(count)):
            out = np.array([way[0], 0, way[1]])
            model.add("spoke", rod(0.5 * hub * out, radius * out, dice.between(0.2, 0.4) * wide), number=number)
    else:
        groove = radius * dice.between(0.65, 0.85)
        half = wide / 2
        model.add("rim", turned([(radius, -half), (radius, -0.7 * half), (groove, -0.2 * half), (groove, 0.2 * half),
                                 (radius, 0.7 * half), (radius, half)], (0, 0, 0), axis))  # fmt: skip
        if dice.chance(0.7):
            model.add("hub", rod(-1.2 * wide * axis, 1.2 * wide * axis, hub))
    if dice.chance(0.5):
        reach = 1.0 * wide
        model.add("axle", rod(-1.5 * reach * axis, 1.5 * reach * axis, 0.5 * hub))
        if dice.chance(0.6):
            top = radius + 0.22
            for number, sign in enumerate((-1, 1)):
                model.add(
                    "fork",
                    block((0, sign * 1.25 * reach, 0.45 * top), (1.6 * hub, 0.09, top + hub), 0.01),
                    number=number,
                )
            model.add("bridge", block((0, 0, top), (1.8 * hub, 2.8 * reach, 0.1), 0.01))
    else:
        model.cut(rod(-9 * wide * axis, 9 * wide * axis, 0.5 * hub), "hub" if ("hub", 0) in model.pieces() else "rim")
    return model


def crank(dice: Dice) -> Model:
    """A crankshaft: journals, webs and pins in a row; or a hand crank."""
    model = Model()
    throws, arm = some(dice, 1, 3), dice.size(0.22, 0.2)
    thin, web = dice.size(0.09, 0.2), dice.size(0.09, 0.2)
    x, long = 0.0, dice.size(0.28, 0.2)
    model.add("journal", rod((x - 0.02, 0, 0), (x + long, 0, 0), thin))
    x += long
    for number in range(throws):
        turn = np.pi * number + dice.between(-0.3, 0.3)
        way = np.array([0.0, np.sin(turn), np.cos(turn)])
        for side in (0, 1):
            at = x + side * (web + 0.24) + web / 2
            outline = rounded_rectangle(3 * thin, arm + 3 * thin, 1.4 * thin)
            frame = np.stack([np.cross(way, (1, 0, 0)), way, (1, 0, 0)], axis=1)
            model.add(
                "web", plate(outline, web, np.array([at, 0, 0]) + 0.5 * arm * way, frame), number=2 * number + side
            )
        pin = np.array([x + 0.5 * web, 0, 0]) + arm * way
        model.add("pin", rod(pin, pin + np.array([0.24 + web, 0, 0]), 0.85 * thin), number=number)
        x += 2 * web + 0.24
        model.add("journal", rod((x - 0.5 * web, 0, 0), (x + long, 0, 0), thin), number=number + 1)
        x += long
    return model


def piston(dice: Dice) -> Model:
    """A cylinder with a rod and an eye at each end; or a spring leg, a pump."""
    model = Model()
    radius, long, reach = dice.size(0.16, 0.2), dice.size(0.7, 0.2), dice.size(0.5, 0.3)
    model.add("cylinder", rod((0, 0, 0), (0, 0, long), radius))
    thin = radius * dice.between(0.3, 0.6)
    model.add("rod", rod((0, 0, 0.9 * long), (0, 0, long + reach), thin))
    if dice.chance(0.5):
        model.add("cap", rod((0, 0, long - 0.05), (0, 0, long + 0.06), radius * dice.between(1.2, 1.4)))
    ends = [np.array([0, 0, long + reach]), np.array([0, 0, 0.0])][: dice.pick({1: 1, 2: 1.5})]
    for number, end in enumerate(ends):
        eye = max(1.5 * thin, 0.7 * radius)
        at = end + np.array([0, 0, 0.6 * eye if number == 0 else -0.7 * eye])
        if dice.chance(0.7):
            model.add("eye", ring(at, (0, 1, 0), 0.8 * eye, 0.4 * eye, 1.2 * eye, square=True), number=number)
        else:
            model.add("eye", ball(at, eye), number=number)
    if dice.chance(0.3):
        model.add("port", rod((0, 0, 0.25 * long), (radius + 0.14, 0, 0.25 * long), 0.35 * radius))
    return model


def clamp(dice: Dice) -> Model:
    """A C-shaped frame with a screw and a handle, or a hook with an eye."""
    model = Model()
    tall, deep, bar = dice.size(0.7, 0.15), dice.size(0.45, 0.2), dice.size(0.09, 0.2)
    model.add("frame", block((0, 0, 0), (2 * bar, 1.6 * bar, tall), 0.02))
    for sign in (-1, 1):
        z = sign * (tall / 2 - bar)
        model.add("frame", block((deep / 2, 0, z), (deep + 2 * bar, 1.6 * bar, 2 * bar), 0.02))
    low = -tall / 2 - dice.size(0.3, 0.3)
    high = dice.between(-0.2, 0.2) * tall
    model.add("screw", rod((deep, 0, low), (deep, 0, high), 0.55 * bar))
    model.add("foot", rod((deep, 0, high - 0.02), (deep, 0, high + 0.06), 1.3 * bar))
    half = dice.size(0.2, 0.2)
    model.add("handle", rod((deep - half, 0, low + 0.05), (deep + half, 0, low + 0.05), 0.4 * bar))
    if dice.chance(0.4):
        model.add("anvil", plate(circle(1.3 * bar), 0.09, (deep, 0, tall / 2 - 2.2 * bar)))
    return model


def bolt(dice: Dice) -> Model:
    """A head on a shank, perhaps with a washer and a nut."""
    model = Model()
    radius, long = dice.size(0.12, 0.2), dice.size(0.8, 0.35)
    head, tall = radius * dice.between(1.6, 2.3), dice.size(0.16, 0.25)
    make = dice.pick({"hex": 2, "round": 1, "dome": 1, "square": 0.5, "countersunk": 0.5})
    if make in ("hex", "square"):
        model.add("head", plate(circle(head, 6 if make == "hex" else 4), tall, (0, 0, long + tall / 2)))
    elif make == "round":
        model.add("head", rod((0, 0, long), (0, 0, long + tall), head))
    elif make == "dome":
        model.add("head", turned([(head, long), (0.9 * head, long + 0.5 * tall), (0.5 * head, long + tall)]))
    else:
        model.add("head", turned([(radius, long - 0.02), (head, long + tall), (head, long + 1.1 * tall)]))
    if dice.chance(0.3):
        model.cut(block((0, 0, long + 1.1 * tall), (3 * head, 0.2 * head, 0.4 * tall)), "head")
    model.add("shank", rod((0, 0, 0), (0, 0, long + 0.02), radius * dice.between(0.9, 1.0), radius))
    if dice.chance(0.3):
        model.add("washer", rod((0, 0, long - 0.06), (0, 0, long + 0.01), 1.15 * head))
    if dice.chance(0.35):
        z = dice.between(0.1, 0.6) * long
        model.add("nut", plate(circle(1.9 * radius, 6), 1.4 * radius, (0, 0, z)))
    return model
