"""More things of the house: taps, candlesticks, fans, screens, weights, swords."""

from __future__ import annotations

import numpy as np

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
    towards,
    tube,
    turned,
    turned_by,
)
from meshtide.data.figures.objects.tools import grip
from meshtide.data.figures.objects.vessels import bulging, ear, hollow


def fan(dice: Dice) -> Model:
    """Blades around a hub, each a piece; on a stand, in a ring, or alone like a ship's screw."""
    model = Model()
    reach, hub = dice.size(0.5, 0.15), dice.size(0.11, 0.25)
    count, wide = some(dice, 2, 7), dice.size(0.16, 0.25)
    axis = np.array([0.0, 1.0, 0.0])
    deep = dice.size(0.14, 0.3)
    model.add("hub", rod(-0.5 * deep * axis, 0.5 * deep * axis, hub, dice.between(0.6, 1.0) * hub))
    pitch, tip = dice.between(0.1, 0.8), dice.between(0.6, 1.6)
    wide = min(wide, 2.4 * reach / count)
    for number, way in enumerate(around(count, dice.between(0, 3))):
        out = np.array([way[0], 0, way[1]])
        frame = towards(out, axis) @ turned_by(yaw=pitch)
        size = (wide, 0.035, reach - 0.5 * hub)
        model.add("blade", block((0.5 * hub + reach) / 2 * out, size, 0.015, frame, top=(tip, 1.0)), number=number)
    if dice.chance(0.4):
        model.add("ring", ring((0, 0, 0), axis, 1.02 * reach, 0.03, dice.between(0.06, 0.2)))
    if dice.chance(0.5):
        low = -dice.between(1.2, 2.2) * reach
        model.add("stand", rod((0, 0.55 * deep, 0), (0, 0.55 * deep, low), 0.045))
        model.add("stand", rod((0, 0.3 * deep, 0), (0, 0.8 * deep, 0), 0.08))
        model.add("base", rod((0, 0.55 * deep, low - 0.04), (0, 0.55 * deep, low + 0.03), dice.size(0.26, 0.2)))
    return model


def candlestick(dice: Dice) -> Model:
    """A foot, a stem, cups, and mostly candles; or a trophy."""
    model = Model(rounding=dice.size(1.0, 0.4))
    base, tall, thin = dice.size(0.24, 0.2), dice.size(0.6, 0.3), dice.size(0.045, 0.2)
    low = dice.size(0.1, 0.3)
    model.add("base", turned([(base, 0), (base, 0.3 * low), (0.5 * base, 0.7 * low), (1.2 * thin, low)]))
    model.add("stem", rod((0, 0, 0.8 * low), (0, 0, tall), thin))
    if dice.chance(0.4):
        model.add("knot", ball((0, 0, dice.between(0.35, 0.7) * tall), (2.2 * thin, 2.2 * thin, 1.8 * thin)))
    cup, candle = dice.size(0.1, 0.25), dice.chance(0.6)
    places = [np.array([0.0, 0, tall])]
    count, out = dice.pick({0: 1.5, 2: 1, 3: 0.6, 4: 0.6}), dice.size(0.35, 0.15)
    for number, way in enumerate(around(count)):
        end = out * way + np.array([0, 0, tall - dice.between(0.0, 0.05)])
        low_point = np.array([0, 0, 0.55 * tall])
        path = curve([low_point, 0.6 * out * way + low_point - (0, 0, 0.08), end - (0, 0, 0.12), end], 12)
        model.add("arm", tube(path, 0.75 * thin), number=number)
        places.append(end)
    for number, place in enumerate(places):
        high = dice.size(0.12, 0.2)
        profile = [(0.35 * cup, 0), (cup, 0.4 * high), (dice.between(0.9, 1.2) * cup, high)]
        model.add("cup", turned(profile, place - np.array([0, 0, 0.03])), number=number)
        if candle:
            model.add(
                "candle",
                rod(
                    place + np.array([0, 0, 0.5 * high]),
                    place + np.array([0, 0, high + dice.size(0.3, 0.3)]),
                    0.5 * cup,
                ),
                number=number,
            )
    return model


def tap(dice: Dice) -> Model:
    """A base, a curved spout, one or two handles."""
    model = Model()
    radius, tall, reach = dice.size(0.075, 0.2), dice.size(0.5, 0.35), dice.size(0.5, 0.2)
    model.add("base", rod((0, 0, -0.02), (0, 0, dice.size(0.08, 0.3)), 1.9 * radius))
    drop = dice.between(0.1, 0.4) * tall
    points = curve([(0, 0, 0.03), (0, 0, 0.75 * tall), (0, -0.5 * reach, 1.1 * tall), (0, -reach, tall - drop)], 16)
    model.add("spout", tube(points, radius * np.linspace(1.1, 0.8, 16)))
    if dice.chance(0.5):
        model.add("handle", rod((0, 0, 0.3 * tall), (dice.size(0.25, 0.2), 0, 0.4 * tall), 0.5 * radius, 0.7 * radius))
        return model
    out = dice.size(0.35, 0.15)
    make = dice.pick({"cross": 1, "knob": 1, "lever": 1})
    for number, sign in enumerate((-1, 1)):
        foot, top = np.array([sign * out, 0, -0.02]), np.array([sign * out, 0, dice.size(0.2, 0.15)])
        model.add("base", block((0, 0, 0.02), (2 * out, 1.6 * radius, 0.07), 0.02))
        model.add("handle", rod(foot, top, 0.8 * radius), number=number)
        if make == "knob":
            model.add(
                "handle", rod(top - np.array([0, 0, 0.02]), top + np.array([0, 0, 0.1]), 1.6 * radius), number=number
            )
        elif make == "cross":
            for way in around(4):
                model.add("handle", rod(top, top + 0.17 * way, 0.035), number=number)
        else:
            model.add("handle", rod(top, top + np.array([sign * 0.12, -0.16, 0.05]), 0.04), number=number)
    return model


def can(dice: Dice) -> Model:
    """A bucket with a bail, a watering can, or a basket."""
    model = Model()
    radius, tall = dice.size(0.35, 0.15), dice.size(0.6, 0.2)
    profile = bulging(dice, radius * dice.between(0.65, 1.0), radius, radius * dice.between(0.8, 1.15), tall)
    model.add("body", turned(profile))
    edge = float(profile[-1, 0])
    if dice.chance(0.55):
        high = dice.size(0.45, 0.3)
        arch = curve([(-edge + 0.03, 0, tall - 0.05), (-0.75 * edge, 0, tall + 0.7 * high), (0, 0, tall + high),
                      (0.75 * edge, 0, tall + 0.7 * high), (edge - 0.03, 0, tall - 0.05)], 18)  # fmt: skip
        model.add("handle", tube(arch, dice.size(0.03, 0.25)))
    else:
        model.add("handle", ear(dice, profile, 0.3 * tall, 0.9 * tall, 0.25, 0.04, 0.0))
    if dice.chance(0.5):
        end = np.array([-radius - dice.size(0.45, 0.2), 0, tall * dice.between(0.9, 1.25)])
        model.add("spout", rod((-0.8 * radius, 0, 0.2 * tall), end, 0.09, 0.05))
        if dice.chance(0.6):
            way = end - np.array([-0.8 * radius, 0, 0.2 * tall])
            model.add("rose", rod(end - 0.02 * way, end + 0.12 * way, 0.05, 0.14))
    hollow(model, profile, dice.between(0.04, 0.06))
    return model


def barbell(dice: Dice) -> Model:
    """A bar with weights at both ends: discs, balls or hexagons."""
    model = Model()
    half, thin = dice.size(0.5, 0.35), dice.size(0.045, 0.25)
    axis = np.array([1.0, 0.0, 0.0])
    make, count = dice.pick({"disc": 2, "ball": 1}), some(dice, 1, 3)
    radius, thick = dice.size(0.22, 0.25), dice.size(0.12, 0.3)
    half = max(half, count * thick + 0.2)
    sizes = [radius * dice.between(0.55, 0.8) ** number for number in range(count)]
    model.add("bar", rod(-half * axis, half * axis, thin))
    for side, sign in enumerate((-1, 1)):
        at = sign * (half - thick * (count if make == "disc" else 0))
        if make == "ball":
            model.add("weight", ball(at * axis, radius), number=side)
            continue
        for number, size in enumerate(sizes):
            end = at + sign * thick
            model.add("weight", rod(at * axis, (end + sign * 0.01) * axis, size), number=2 * number + side)
            at = end
    return model


def sword(dice: Dice) -> Model:
    """A long blade, a guard, a grip and a pommel."""
    model = Model()
    blade, wide = dice.size(1.2, 0.25), dice.size(0.055, 0.25)
    outline = [(-wide, -0.05), (-wide, 0.85 * blade), (0, blade), (wide, 0.85 * blade), (wide, -0.05)]
    model.add("blade", plate(outline[::-1], dice.size(0.035, 0.2), (0, 0, 0), turned_by(pitch=np.pi / 2)))
    hand, radius = dice.size(0.28, 0.2), dice.size(0.04, 0.15)
    model.add("grip", turned(grip(dice, hand, radius), (0, 0, -hand)))
    out, bow = dice.size(0.17, 0.3), dice.between(-0.06, 0.08)
    model.add(
        "guard", tube(curve([(-out, 0, bow), (0, 0, 0), (out, 0, bow)], 9), 0.04, (0, 1, 0), dice.between(0.7, 1.3))
    )
    if dice.chance(0.7):
        model.add("pommel", ball((0, 0, -hand - 0.02), dice.size(0.07, 0.15)))
    return model


def pistol(dice: Dice) -> Model:
    """A barrel on a grip, with a guard around the trigger."""
    model = Model()
    long, tall, wide = dice.size(0.9, 0.15), dice.size(0.16, 0.15), dice.size(0.13, 0.15)
    round_barrel = dice.chance(0.4)
    if round_barrel:
        model.add("barrel", rod((0, 0, 0), (0, -long, 0), 0.4 * wide))
        model.add("body", block((0, 0.1, -0.02), (wide, 0.5, 1.3 * tall), 0.03))
    else:
        model.add("barrel", block((0, 0.2 - long / 2, 0), (wide, long, tall), 0.02))
    lean, length = dice.between(0.05, 0.45), dice.size(0.45, 0.15)
    foot = np.array([0, 0.15 + lean * length, -length])
    frame = towards(foot - (0, 0.12, 0), (0, 1, 0))
    model.add("grip", block((foot + (0, 0.12, 0)) / 2, (0.9 * wide, dice.size(0.19, 0.1), length), 0.04, frame))
    at = np.array([0, -0.08, -0.5 * tall - 0.07])
    model.add("guard", ring(at, (1, 0, 0), 0.1, 0.022))
    if dice.chance(0.3):
        high = 0.5 * tall + 0.07
        model.add("scope", rod((0, 0.1, high), (0, -0.4, high), 0.07))
    return model


def screen(dice: Dice) -> Model:
    """A monitor on a foot, a laptop, or a television on legs."""
    model = Model()
    wide, tall, thick = dice.size(0.9, 0.2), dice.size(0.55, 0.15), dice.size(0.06, 0.3)
    lean = dice.between(-0.05, 0.4)
    if dice.chance(0.4):
        deep = dice.between(0.7, 0.9) * wide
        model.add("keyboard", block((0, -deep / 2, 0), (wide, deep, thick), 0.01))
        way = np.array([0, np.sin(lean), np.cos(lean)])
        frame = turned_by(pitch=-lean)
        model.add("screen", block(0.48 * deep * way, (wide, 0.8 * thick, deep), 0.01, frame))
        return model
    model.add("screen", block((0, 0, 0), (wide, thick, tall), 0.3 * thick))
    if dice.chance(0.3):
        model.add("screen", block((0, 0.15, 0), (0.7 * wide, 0.3, 0.7 * tall), 0.05))
    low = -0.5 * tall - dice.size(0.18, 0.3)
    if dice.chance(0.7):
        model.add("stand", rod((0, 0.3 * thick, -0.3 * tall), (0, 0.06, low), dice.size(0.05, 0.3)))
        size = (dice.size(0.4, 0.2), dice.size(0.28, 0.2), 0.045)
        model.add("base", plate(rounded_rectangle(size[0], size[1], dice.between(0, 0.14)), size[2], (0, 0.05, low)))
    else:
        for number, sign in enumerate((-1, 1)):
            model.add(
                "leg", rod((sign * 0.3 * wide, 0, -0.45 * tall), (sign * 0.4 * wide, -0.1, low), 0.035), number=number
            )
    return model


def hat(dice: Dice) -> Model:
    """A crown and a brim."""
    model = Model(rounding=dice.size(1.0, 0.5))
    radius, tall = dice.size(0.32, 0.12), dice.size(0.35, 0.4)
    share = np.linspace(0, 1, 8)
    make = dice.pick({"bowler": 1, "top": 1, "cone": 0.6})
    sizes = {"bowler": np.cos(np.pi / 2 * share) ** 0.6 + 0.03, "top": 1 - 0.1 * np.sin(np.pi * share),
             "cone": 1.02 - 0.95 * share}[make]  # fmt: skip
    model.add("crown", turned(np.stack([radius * sizes, tall * share], axis=1), squash=dice.between(0.75, 1.0)))
    wide, thick = radius * dice.between(1.4, 2.4), dice.size(0.05, 0.2)
    model.add("brim", turned([(wide, -0.5 * thick), (wide, 0.5 * thick)], squash=dice.between(0.75, 1.0)))
    if dice.chance(0.3):
        model.cut(turned([(0.8 * radius, -1), (0.75 * radius, 0.6 * tall)]), "brim")
    return model


def microscope(dice: Dice) -> Model:
    """A foot, an arm, a tube, a stage: devices that look like this."""
    model = Model()
    base, tall = dice.size(0.45, 0.2), dice.size(0.8, 0.15)
    model.add("base", plate(rounded_rectangle(0.8 * base, base, 0.2 * base), 0.09, (0, 0, 0)))
    bar = dice.size(0.055, 0.2)
    points = curve(
        [(0, 0.35 * base, 0), (0, 0.5 * base, 0.5 * tall), (0, 0.25 * base, 0.85 * tall), (0, 0, 0.85 * tall)], 14
    )
    model.add("arm", tube(points, bar))
    lean = dice.between(-0.1, 0.4)
    way = np.array([0, np.sin(lean), np.cos(lean)])
    at = np.array([0, -0.08, 0.85 * tall])
    radius = dice.size(0.075, 0.2)
    model.add("tube", rod(at - 0.28 * way, at + dice.size(0.35, 0.2) * way, radius))
    if dice.chance(0.6):
        model.add("eyepiece", rod(at + 0.3 * way, at + 0.5 * way, 1.5 * radius))
    model.add("stage", block((0, 0.05, 0.35 * tall), (0.6 * base, 0.75 * base, 0.055)))
    if dice.chance(0.5):
        model.pair("wheel", rod((0, 0.42 * base, 0.3 * tall), (2.2 * bar, 0.42 * base, 0.3 * tall), 0.07))
    return model


def bell(dice: Dice) -> Model:
    """A bell with a handle or a loop; or a spinning top, a funnel, a plunger."""
    model = Model(rounding=dice.size(1.0, 0.5))
    wide, tall = dice.size(0.4, 0.2), dice.size(0.55, 0.25)
    share = np.linspace(0, 1, 10)
    radius = wide * (0.35 + 0.65 * (1 - share) ** dice.between(1.0, 3.0))
    profile = np.stack([radius, tall * share], axis=1)
    model.add("bell", turned(profile))
    if dice.chance(0.6):
        inner = profile.copy()
        inner[:, 0] -= 0.14 * wide
        inner[:, 1] -= 0.12 * tall
        model.cut(turned(np.concatenate([[(float(inner[0, 0]), -0.3)], inner])), "bell")
    if dice.chance(0.6):
        model.add(
            "handle", turned(grip(dice, dice.size(0.4, 0.3), 0.28 * wide * dice.size(0.7, 0.2)), (0, 0, 0.97 * tall))
        )
    else:
        model.add("handle", ring((0, 0, tall + 0.1 * wide), (0, 1, 0), 0.2 * wide, 0.07 * wide))
    return model
