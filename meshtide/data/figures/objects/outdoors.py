"""Plants, and machines of the field and the street."""

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
    some,
    tube,
    turned,
    turned_by,
)
from meshtide.data.figures.objects.vehicles import wheel


def tree(dice: Dice) -> Model:
    """A trunk with a crown of one or several balls or cones, or bare branches."""
    model = Model()
    tall, radius = dice.size(0.7, 0.3), dice.size(0.08, 0.3)
    make = dice.pick({"ball": 1.2, "fir": 1, "palm": 0.8, "bare": 1})
    lean = np.array([dice.normal(0.1), dice.normal(0.1), 0])
    top = np.array([0, 0, tall]) + lean
    model.add("trunk", rod((0, 0, 0), top, radius, dice.between(0.5, 0.9) * radius))
    if make == "ball":
        size = dice.size(0.32, 0.2)
        for number in range(count := dice.pick({1: 2, 2: 1, 3: 1, 4: 0.7})):
            off = np.zeros(3) if count == 1 else 0.9 * size * np.array([*around(count, 0.4)[number][:2], 0.4 * number])
            model.add(
                "crown", ball(top + off + np.array([0, 0, 0.6 * size]), size * dice.size(0.9, 0.12)), number=number
            )
    elif make == "fir":
        z, wide = 0.45 * tall, dice.size(0.4, 0.2)
        for number in range(some(dice, 1, 4)):
            high = dice.size(0.45, 0.15) * 0.85**number
            at = lean * z / tall
            model.add(
                "crown",
                rod(at + np.array([0, 0, z]), at + np.array([0, 0, z + high]), wide * 0.78**number, 0.01),
                number=number,
            )
            z += 0.62 * high
    elif make == "palm":
        _palm_leaves(model, dice, top)
    else:
        _branches(model, dice, top, radius)
    return model


def _palm_leaves(model: Model, dice: Dice, top: FloatArray) -> None:
    """Long leaves that hang over."""
    for number, way in enumerate(around(some(dice, 4, 8), 0.3)):
        long = dice.size(0.45, 0.12)
        path = curve([top, top + 0.5 * long * way + np.array([0, 0, 0.16]), top + long * way - (0, 0, 0.08)], 8)
        model.add(
            "leaf",
            tube(path, np.array([0.5, 0.9, 1.2, 1.3, 1.2, 1, 0.7, 0.4]) * 0.07, (0, 0, 1), 0.35),
            number=number,
        )


def _branches(model: Model, dice: Dice, top: FloatArray, radius: float) -> None:
    """Bare branches along the upper half of a trunk."""
    for number in range(some(dice, 2, 6)):
        start = dice.between(0.45, 1.0) * top
        way = around(7, 2.4 * number)[0] + np.array([0, 0, dice.between(0.3, 1.2)])
        end = start + dice.size(0.45, 0.2) * way / np.linalg.norm(way)
        model.add("branch", rod(start, end, 0.5 * radius, 0.22 * radius), number=number)


def plant(dice: Dice) -> Model:
    """A pot with leaves, a flower or a cactus in it."""
    model = Model()
    wide, tall = dice.size(0.25, 0.15), dice.size(0.35, 0.2)
    model.add("pot", turned([(0.7 * wide, 0), (wide, tall)]))
    if dice.chance(0.5):
        model.add("pot", turned([(1.15 * wide, 0.78 * tall), (1.15 * wide, tall)]))
    make = dice.pick({"leaves": 1.2, "flower": 1, "cactus": 1})
    if make == "cactus":
        size, high = dice.size(0.12, 0.2), dice.size(0.6, 0.25)
        model.add("stem", tube([(0, 0, tall - 0.03), (0, 0, tall + 0.5 * high), (0, 0, tall + high)], size))
        for number in range(some(dice, 0, 3)):
            way, z = around(3, 0.4)[number], tall + dice.between(0.3, 0.55) * high
            at = np.array([0, 0, z])
            path = np.stack([at, at + 2.1 * size * way, at + 2.2 * size * way + (0, 0, dice.size(0.22, 0.2))])
            model.add("arm", tube(path, 0.62 * size), number=number)
    elif make == "flower":
        high = tall + dice.size(0.6, 0.2)
        model.add("stem", rod((0, 0, tall - 0.05), (0, 0, high), 0.03))
        model.add("flower", ball((0, 0, high), (0.09, 0.09, 0.06)))
        count = some(dice, 4, 8)
        for number, way in enumerate(around(count)):
            at = np.array([0, 0, high]) + 0.18 * way
            frame = turned_by(yaw=float(np.arctan2(way[1], way[0])))
            model.add("petal", ball(at, (0.12, min(0.075, 0.5 / count), 0.03), frame), number=number)
    else:
        for number, way in enumerate(around(some(dice, 3, 8), 0.5)):
            long, up = dice.size(0.5, 0.2), dice.between(0.3, 0.9)
            start = np.array([0, 0, tall - 0.04]) + 0.3 * wide * way
            middle, end = start + 0.4 * long * way + (0, 0, 0.7 * up * long), start + long * way + (0, 0, up * long)
            blade = curve([start, middle, end], 9)
            model.add("leaf", tube(blade, np.sin(np.linspace(0.25, 0.92, 9) * np.pi) * 0.085 + 0.012,
                                   np.array([0, 0, 1.0]) - 0.4 * way, 0.35), number=number)  # fmt: skip
    return model


def mushroom(dice: Dice) -> Model:
    """One to three mushrooms on a common foot."""
    model = Model()
    count = dice.pick({1: 2, 2: 1, 3: 1})
    for number, way in enumerate(around(count, 0.7)):
        at = (0.28 if count > 1 else 0.0) * way
        tall, thick = dice.size(0.5, 0.25), dice.size(0.09, 0.2)
        top = at * 1.2 + np.array([0, 0, tall])
        model.add("stem", rod(0.25 * at, top, 1.2 * thick, 0.9 * thick), number=number)
        wide, high = thick * dice.between(2.0, 3.2), dice.size(0.2, 0.3)
        share = np.linspace(0, 1, 8)
        profile = np.stack([wide * np.cos(np.pi / 2 * share) ** 0.7 + 0.004, high * share], axis=1)
        model.add(
            "cap", turned(np.concatenate([[(0.5 * wide, -0.03)], profile]), top - np.array([0, 0, 0.05])), number=number
        )
    return model


def windmill(dice: Dice) -> Model:
    """A tower with a head and sails, each a piece."""
    model = Model()
    tall, low, high = dice.size(1.0, 0.15), dice.size(0.2, 0.4), dice.size(0.1, 0.3)
    high = min(high, low)
    model.add("tower", rod((0, 0, 0), (0, 0, tall), low, high))
    head = dice.size(1.25, 0.1) * high
    if dice.chance(0.5):
        model.add("head", block((0, 0.3 * head, tall + 0.6 * head), (1.6 * head, 3.2 * head, 1.6 * head), 0.2 * head))
    else:
        model.add("head", rod((0, 0, tall - 0.02), (0, 0, tall + 1.6 * head), 1.3 * head, 0.1 * head))
    hub = np.array([0, -1.6 * head, tall + 0.5 * head])
    model.add("hub", rod(hub + (0, 1.2 * head, 0), hub - (0, 0.3 * head, 0), 0.45 * head))
    reach = dice.size(0.6, 0.12)
    for number, way in enumerate(around(dice.pick({3: 1, 4: 1.5, 5: 0.3}), dice.between(0, 2))):
        out, side = np.array([way[0], 0, way[1]]), np.array([-way[1], 0, way[0]])
        frame = np.stack([side, np.cross(out, side), out], axis=1)
        size = (dice.size(0.13, 0.1), 0.03, reach)
        model.add(
            "sail",
            block(hub + 0.52 * reach * out, size, 0.005, frame, top=(dice.between(0.3, 1.2), 1.0)),
            number=number,
        )
    return model


def tank(dice: Dice) -> Model:
    """A hull on tracks with a turret and a gun."""
    model = Model()
    long, wide, tall = dice.size(1.0, 0.1), dice.size(0.5, 0.1), dice.size(0.18, 0.15)
    model.add("hull", block((0, 0, 0.2), (0.75 * wide, long, tall), 0.02, top=(1.0, dice.between(0.75, 1.0))))
    thick, deep = dice.size(0.14, 0.15), dice.size(0.2, 0.12)
    outline = [(-0.5 * long, 0.04), (-0.42 * long, -0.5 * deep), (0.42 * long, -0.5 * deep), (0.5 * long, 0.04),
               (0.46 * long, 0.5 * deep), (-0.46 * long, 0.5 * deep)]  # fmt: skip
    frame = np.stack([(0, 1, 0), (0, 0, 1), (1, 0, 0)], axis=1).astype(np.float64)
    model.pair("track", plate(outline, thick, (0.42 * wide, 0, 0.14), frame, 0.03))
    z, high = 0.2 + 0.5 * tall, dice.size(0.16, 0.2)
    y = dice.between(-0.1, 0.12) * long
    size = dice.size(0.2, 0.12)
    if dice.chance(0.5):
        model.add("turret", rod((0, y, z - 0.02), (0, y, z + high), size, dice.between(0.6, 0.95) * size))
    else:
        model.add("turret", block((0, y, z + 0.48 * high), (1.7 * size, 2 * size, high), 0.03, top=(0.7, 0.7)))
    model.add("gun", rod((0, y, z + 0.5 * high), (0, y - size - dice.size(0.5, 0.2), z + 0.6 * high), 0.035))
    if dice.chance(0.4):
        model.add("hatch", rod((0.25 * size, y, z + 0.9 * high), (0.25 * size, y, z + 1.25 * high), 0.09))
    return model


def train(dice: Dice) -> Model:
    """A steam engine: boiler, cab, chimney, wheels."""
    model = Model()
    long, radius = dice.size(0.8, 0.15), dice.size(0.17, 0.12)
    size = dice.size(0.11, 0.15)
    z = 1.6 * size + radius
    model.add("frame", block((0, 0.15, 1.5 * size), (1.6 * radius, long + 0.35, 0.09)))
    model.add("boiler", rod((0, -0.5 * long, z), (0, 0.5 * long, z), radius))
    high = dice.size(0.55, 0.12)
    model.add("cab", block((0, 0.5 * long + 0.14, 1.5 * size + high / 2), (2.3 * radius, 0.32, high), 0.01))
    if dice.chance(0.5):
        model.add("roof", block((0, 0.5 * long + 0.14, 1.5 * size + high), (2.8 * radius, 0.42, 0.05), 0.01))
    top = z + radius
    model.add("chimney", rod((0, -0.35 * long, top - 0.08), (0, -0.35 * long, top + dice.size(0.2, 0.2)), 0.06,
                             0.06 * dice.between(0.9, 2.0)))  # fmt: skip
    if dice.chance(0.6):
        model.add("dome", ball((0, 0.05 * long, top), (0.08, 0.08, 0.1)))
    count = some(dice, 2, 4)
    for number in range(2 * count):
        y = np.linspace(-0.4 * long, 0.5 * long + 0.15, count)[number // 2]
        at = np.array([(0.85 * radius) * (1 if number % 2 else -1), y, size])
        wheel(model, dice, at, size, 0.07, number)
    return model


def drone(dice: Dice) -> Model:
    """A body with arms, each with a rotor at its end."""
    model = Model()
    size, reach = dice.size(0.2, 0.2), dice.size(0.55, 0.12)
    if dice.chance(0.5):
        model.add("body", block((0, 0, 0), (2 * size, 2 * size * dice.size(1.1, 0.2), 0.8 * size), 0.2 * size))
    else:
        model.add("body", ball((0, 0, 0), (size, 1.2 * size, 0.5 * size)))
    blade = dice.size(0.24, 0.15)
    for number, way in enumerate(around(count := dice.pick({4: 2, 6: 1, 3: 0.4}), np.pi / 4)):
        end = reach * way + np.array([0, 0, dice.between(0.0, 0.04)])
        model.add("arm", rod((0, 0, 0), end, 0.04, 0.03), number=number)
        model.add("rotor", rod(end - (0, 0, 0.05), end + (0, 0, 0.09), 0.055), number=number)
        if dice.chance(0.75):
            frame = turned_by(yaw=dice.between(0, 3))
            wide = (2 * min(blade, 0.8 * reach * np.sin(np.pi / count)), 0.07, 0.025)
            model.add("rotor", block(end + (0, 0, 0.08), wide, 0.008, frame), number=number)
    if dice.chance(0.5):
        model.pair("skid", tube([(0.4 * size, -0.3, -0.2 * size), (size, -0.3, -0.3), (size, 0.3, -0.3),
                                 (0.4 * size, 0.3, -0.2 * size)], 0.025))  # fmt: skip
        bars = [rod((0, s * 0.3, -0.2 * size), (0, 0, -0.1 * size), 0.025) for s in (-1, 1)]
        model.add("body", *bars, rod((-0.4 * size, -0.3, -0.2 * size), (0.4 * size, -0.3, -0.2 * size), 0.025),
                  rod((-0.4 * size, 0.3, -0.2 * size), (0.4 * size, 0.3, -0.2 * size), 0.025))  # fmt: skip
    return model


def cart(dice: Dice) -> Model:
    """A tray on one to four wheels, with handles: a wheelbarrow, a trolley, a skateboard."""
    model = Model()
    long, wide, tall = dice.size(0.8, 0.15), dice.size(0.45, 0.15), dice.size(0.2, 0.3)
    radius, count = dice.size(0.12, 0.2), dice.pick({1: 1, 2: 1, 4: 1.5})
    floor = 1.7 * radius if count != 1 else 0.3
    flat = dice.chance(0.3)
    tall = 0.07 if flat else tall
    model.add(
        "tray",
        block((0, 0, floor + tall / 2), (wide, long, tall), 0.02, top=(dice.between(1, 1.3), dice.between(1, 1.2))),
    )
    if not flat and dice.chance(0.7):
        model.cut(block((0, 0, floor + tall / 2 + 0.06), (wide - 0.1, long - 0.1, tall)), "tray")
    layouts: dict[int, list[tuple[float, float]]] = {
        1: [(0, -0.62)],
        2: [(-0.5, 0), (0.5, 0)],
        4: [(-0.42, -0.35), (0.42, -0.35), (-0.42, 0.35), (0.42, 0.35)],
    }
    for number, (x, y) in enumerate(layouts[count]):
        at = np.array([x * wide, y * long, radius])
        wheel(model, dice, at, radius, 0.08, number)
        if count == 2:
            model.add("axle", rod((-0.5 * wide, 0, radius), (0.5 * wide, 0, radius), 0.03))
            model.add("axle", block((0, 0, 0.5 * (floor + radius)), (0.3 * wide, 0.1, floor - radius + 0.08)))
        elif count == 4:
            up = np.array([0.0, 0, floor - radius + 0.03])
            model.add("wheel", rod(at, at + up, 0.035), number=number)
    z = floor + 0.5 * tall
    bar = 0.03
    if count == 1:
        model.pair("handle", rod((0.06, -0.65 * long, radius), (0.5 * wide, 0.95 * long, z + 0.15), bar))
        model.add("wheel", rod((-0.1, -0.62 * long, radius), (0.1, -0.62 * long, radius), 0.035), number=0)
        model.pair("leg", rod((0.4 * wide, 0.3 * long, floor + 0.03), (0.42 * wide, 0.4 * long, 0), bar))
    elif not flat or dice.chance(0.3):
        high = z + dice.size(0.4, 0.2)
        x, y = 0.42 * wide, 0.47 * long
        model.add(
            "handle", tube([(-x, y, z), (-x, y + 0.12, high), (0, y + 0.12, high), (x, y + 0.12, high), (x, y, z)], bar)
        )
    return model


def jack(dice: Dice) -> Model:
    """A star of like arms around a middle: jacks, stars, caltrops, molecules, snowflakes."""
    model = Model()
    core, count = dice.size(0.18, 0.4), some(dice, 3, 8)
    model.add("middle", ball((0, 0, 0), core))
    flat = dice.chance(0.5) or count > 6
    ways = around(count) if flat else [np.asarray(w) for w in np.concatenate([np.eye(3), -np.eye(3)])[:count]]
    reach, thick = dice.size(0.5, 0.25), min(dice.size(0.09, 0.3), 0.6 * core)
    tip = dice.pick({"none": 1, "ball": 1, "cone": 1, "ring": 0.4})
    for number, way in enumerate(ways):
        end = (core + reach) * way
        model.add("arm", rod(0.5 * core * way, end, thick, 0.12 * thick if tip == "cone" else thick), number=number)
        if tip == "ball":
            model.add("knob", ball(end, 2.0 * thick), number=number)
        elif tip == "ring":
            model.add(
                "knob",
                ring(end + 1.6 * thick * way, (0, 0, 1) if flat else np.roll(way, 1), 2 * thick, 0.7 * thick),
                number=number,
            )
    return model
