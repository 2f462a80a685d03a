"""Mechanical parts, as CAD programs make them: blocks, rings, bosses, shafts, pipes."""

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


def bracket(dice: Dice) -> Model:
    """Two plates at an angle, perhaps with ribs; holes are nobody's part."""
    model = Model()
    wide, deep, tall = dice.size(0.6, 0.3), dice.size(0.6, 0.25), dice.size(0.6, 0.35)
    thick = dice.size(0.1, 0.3)
    model.add("base", block((0, 0, thick / 2), (wide, deep, thick)))
    outline = rounded_rectangle(wide * dice.between(0.6, 1.0), tall, dice.pick({0.0: 1, 0.25: 1}) * wide)
    holes = [circle(dice.between(0.12, 0.25) * min(wide, tall)) + np.array([0, 0.1 * tall])] if dice.chance(0.6) else []
    walls = dice.pick({1: 2, 2: 1})
    for number in range(walls):
        y = 0.5 * (deep - thick) * (1 if number == 0 else -1) * (1 if dice.chance(0.7) else 0.5)
        model.add("wall", plate(Outline(outline, *holes), thick, (0, y, 0.9 * thick + tall / 2),
                                turned_by(pitch=np.pi / 2)), number=number)  # fmt: skip
    if walls == 1 and dice.chance(0.5):
        reach = 0.7 * min(deep - thick, tall)
        for number, x in enumerate((0.0,) if dice.chance(0.5) else (-0.35 * wide, 0.35 * wide)):
            y = 0.5 * deep - thick + 0.02
            corner = [(0, 0), (reach, 0), (0, reach)]
            frame = np.stack([(0, -1, 0), (0, 0, 1), (-1, 0, 0)], axis=1).astype(np.float64)
            model.add("rib", plate(corner, 0.7 * thick, (x, y, thick - 0.01), frame), number=number)
    for way in around(some(dice, 0, 4), np.pi / 4):
        at = way * np.array([0.35 * wide, 0.3 * deep, 0])
        model.cut(rod(at - np.array([0, 0, 0.1]), at + np.array([0, 0, 2 * thick]), 0.06 * wide))
    return model


def flange(dice: Dice) -> Model:
    """A disc or square with bolt holes, and a pipe on it."""
    model = Model()
    radius, thick = dice.size(0.5, 0.15), dice.size(0.12, 0.3)
    pipe, tall = radius * dice.between(0.3, 0.65), dice.size(0.5, 0.4)
    if dice.chance(0.75):
        model.add("flange", rod((0, 0, 0), (0, 0, thick), radius))
    else:
        outline = rounded_rectangle(1.7 * radius, 1.7 * radius, dice.between(0, 0.5) * radius)
        model.add("flange", plate(outline, thick, (0, 0, thick / 2)))
    model.add("pipe", rod((0, 0, 0.5 * thick), (0, 0, tall), pipe))
    second = dice.chance(0.4)
    if second:
        model.add("flange", rod((0, 0, tall - 0.02), (0, 0, tall + thick), radius * dice.between(0.7, 1.1)), number=1)
    if dice.chance(0.85):
        bore = pipe * dice.between(0.5, 0.8)
        model.cut(rod((0, 0, -1), (0, 0, tall + 1), bore), "flange" if second else "pipe")
    for way in around(dice.pick({0: 0.5, 3: 1, 4: 2, 6: 1, 8: 1}), np.pi / 4):
        at = 0.5 * (radius + pipe) * way
        model.cut(rod(at - np.array([0, 0, 1.0]), at + np.array([0, 0, thick + 0.02]), 0.16 * (radius - pipe) + 0.02))
    if dice.chance(0.3):
        z, side = thick + 0.5 * (tall - thick), pipe + dice.size(0.25, 0.2)
        model.add("branch", rod((0.6 * pipe, 0, z), (side, 0, z), min(0.5 * pipe, 0.35 * (tall - thick))))
    return model


def gear(dice: Dice) -> Model:
    """One or two toothed wheels on a shaft; teeth belong to their wheel."""
    model = Model()
    shaft, long = dice.size(0.11, 0.25), dice.size(1.0, 0.35)
    bare = dice.chance(0.35)
    if not bare:
        model.add("shaft", rod((0, 0, -0.5 * long), (0, 0, 0.5 * long), shaft))
    places = [dice.between(-0.15, 0.15)] if bare or dice.chance(0.6) else [-0.22, 0.22]
    for number, place in enumerate(places):
        radius, thick = dice.size(0.42, 0.25), dice.size(0.16, 0.3)
        outline = _toothed(dice, radius)
        model.add("gear", plate(outline, thick, (0, 0, place * long)), number=number)
        if dice.chance(0.5):
            hub = max(1.5 * shaft, 0.3 * radius)
            model.add("hub", rod((0, 0, place * long), (0, 0, place * long + dice.between(0.9, 1.6) * thick), hub),
                      number=number)  # fmt: skip
    if bare:
        model.cut(rod((0, 0, -2), (0, 0, 2), shaft), "gear" if ("hub", 0) not in model.pieces() else "hub")
    return model


def _toothed(dice: Dice, radius: float) -> FloatArray:
    count, deep = some(dice, 8, 24), dice.between(0.1, 0.25)
    deep = min(deep, 3.5 / count)
    loop = []
    for tooth in range(count):
        for share, r in ((0.0, 1 - deep), (0.3, 1 - deep), (0.42, 1.0), (0.78, 1.0), (0.9, 1 - deep)):
            turn = 2 * np.pi * (tooth + share) / count
            loop.append((radius * r * np.cos(turn), radius * r * np.sin(turn)))
    return np.array(loop)


def shaft(dice: Dice) -> Model:
    """A stepped shaft: sections of clearly different thickness are parts; fillets and small steps are not."""
    model = Model()
    z, radius = 0.0, dice.size(0.16, 0.3)
    count = some(dice, 2, 6)
    for number in range(count):
        length = dice.size(0.35, 0.5)
        profile = [(radius, z - 0.01), (radius, z + length)]
        if dice.chance(0.3):  # a small chamfer at its end
            profile = [(radius, z - 0.01), (radius, z + 0.85 * length), (0.88 * radius, z + length)]
        model.add("section", turned(profile), number=number)
        z += length
        change = dice.between(1.5, 2.6)
        grows = radius < 0.1 or (radius < 0.3 and dice.chance(0.5))
        radius = radius * change if grows else radius / change
    if dice.chance(0.2):
        model.cut(rod((0, 0, -1), (0, 0, z + 1), 0.04), "section", 0)
    return model


def pipe(dice: Dice) -> Model:
    """Pipe fittings: elbows, tees and crosses with collars at the ends."""
    model = Model()
    radius, arm = dice.size(0.17, 0.2), dice.size(0.65, 0.2)
    make = dice.pick({"elbow": 1.2, "tee": 1.5, "cross": 0.6, "wye": 0.6, "three": 0.5})
    angle = dice.between(1.1, 2.6)
    ways = {
        "elbow": [(1, 0, 0), (np.cos(angle), np.sin(angle), 0)],
        "tee": [(1, 0, 0), (-1, 0, 0), (0, 0, 1)],
        "cross": [(1, 0, 0), (-1, 0, 0), (0, 0, 1), (0, 0, -1)],
        "wye": [(1, 0, 0), (-1, 0, 0), (0.7, 0.7, 0)],
        "three": [(1, 0, 0), (0, 1, 0), (0, 0, 1)],
    }[make]
    directions = [np.array(way) / np.linalg.norm(way) for way in ways]
    collars = dice.chance(0.65)
    sizes = [radius * (dice.between(0.55, 0.95) if number > 1 else 1.0) for number in range(len(directions))]
    if make == "elbow":
        model.add("pipe", tube(curve([0.85 * arm * directions[0], 0.25 * arm * (directions[0] + directions[1]),
                                      0.85 * arm * directions[1]], 12), radius))  # fmt: skip
    elif make in ("tee", "cross", "wye"):
        model.add("pipe", rod(-arm * directions[0], arm * directions[0], radius))
        for number, (way, size) in enumerate(zip(directions[2:], sizes[2:], strict=True)):
            model.add("pipe", rod((0, 0, 0), arm * way, size), number=number + 1)
    else:
        model.add("joint", ball((0, 0, 0), 1.25 * radius))
        for number, way in enumerate(directions):
            model.add("pipe", rod((0, 0, 0), arm * way, radius * 0.9), number=number)
    for number, (way, size) in enumerate(zip(directions, sizes, strict=True)):
        if collars:
            wide, long = size * dice.between(1.25, 1.6), dice.size(0.14, 0.25)
            model.add("collar", rod((arm - 0.3 * long) * way, (arm + 0.7 * long) * way, wide), number=number)
    if dice.chance(0.6):
        for number, (way, size) in enumerate(zip(directions, sizes, strict=True)):
            bore = rod(0.5 * arm * way, 2 * arm * way, 0.68 * size)
            model.cut(
                bore, "collar" if collars else "pipe", number if collars or make == "three" else max(0, number - 1)
            )
    return model


def housing(dice: Dice) -> Model:
    """A box with cylinders, bosses, lugs and a foot."""
    model = Model()
    size = np.array([dice.size(0.8, 0.25), dice.size(0.6, 0.25), dice.size(0.45, 0.3)])
    model.add("housing", block((0, 0, size[2] / 2), size, dice.between(0, 0.06)))
    if dice.chance(0.6):
        radius, long = 0.36 * min(size[0], size[1]) * dice.size(1, 0.15), dice.size(0.3, 0.4)
        model.add("boss", rod((0, 0, 0.9 * size[2]), (0, 0, size[2] + long), radius))
        if dice.chance(0.6):
            model.cut(rod((0, 0, size[2] + 0.2 * long), (0, 0, size[2] + 2 * long), 0.6 * radius), "boss")
    sides = [(1, 0), (-1, 0), (0, 1), (0, -1)]
    for number, (x, y) in enumerate(side for side in sides if dice.chance(0.4)):
        way = np.array([x, y, 0.0])
        start = way * size / 2 * 0.9 + np.array([0, 0, size[2] / 2])
        radius = dice.between(0.2, 0.42) * min(size[2], size[1 - abs(y)] if y == 0 else size[0])
        model.add("boss", rod(start, start + way * dice.size(0.25, 0.4), radius, dice.between(0.7, 1) * radius),
                  number=number + 1)  # fmt: skip
    if dice.chance(0.5):
        wide = size * np.array([1.35, 1.3, 1])
        model.add("base", block((0, 0, 0.03), (wide[0], wide[1], dice.size(0.09, 0.2))))
    for number in range(dice.pick({0: 2, 2: 1, 4: 1})):
        sx, sy = ((-1, -1), (1, 1), (-1, 1), (1, -1))[number]
        at = np.array([sx * 0.5 * size[0], sy * 0.3 * size[1], 0.8 * size[2]])
        model.add("lug", block(at + np.array([sx * 0.07, 0, 0]), (0.22, 0.12, 0.12)), number=number)
    return model


def bearing(dice: Dice) -> Model:
    """A ring in a block on a foot (a pillow block), a ring with a stem, or two rings with balls."""
    model = Model()
    radius, wide, thick = dice.size(0.4, 0.15), dice.size(0.35, 0.25), dice.size(0.1, 0.25)
    make = dice.pick({"pillow": 2, "rod end": 1.2, "rings": 1, "clevis": 0.8})
    if make == "rings":
        _ball_bearing(model, dice, radius, wide, thick)
        return model
    axis = np.array([0.0, 1.0, 0.0])
    model.add("ring", rod(-0.5 * wide * axis, 0.5 * wide * axis, radius + thick))
    if make == "pillow":
        foot, low = dice.size(1.5, 0.2), radius + dice.between(0.1, 0.3)
        high = dice.size(0.14, 0.25)
        model.add("base", block((0, 0, -low), (foot, wide * dice.between(0.8, 1.6), high)))
        if low - high / 2 > radius - 0.05 or dice.chance(0.5):
            model.add(
                "support", block((0, 0, -0.55 * low - 0.02), (dice.between(0.9, 1.5) * radius, 0.8 * wide, 0.9 * low))
            )
        for x in (-0.42, 0.42):
            if foot / 2 > radius + thick + 0.1:
                model.cut(rod((x * foot, 0, -low - 0.5), (x * foot, 0, -low + high), 0.05 * foot))
    elif make == "rod end":
        length = dice.size(0.9, 0.3)
        model.add("stem", rod((0, 0, -0.9 * radius), (0, 0, -radius - length), dice.between(0.3, 0.55) * radius))
        if dice.chance(0.5):
            other = dice.between(0.5, 1.0) * (radius + thick)
            at = np.array([0, 0, -radius - length - 0.7 * other])
            model.add("ring", rod(at - 0.5 * wide * axis, at + 0.5 * wide * axis, other), number=1)
            model.cut(rod(at - wide * axis, at + wide * axis, 0.6 * other), "ring", 1)
    else:
        for number, y in enumerate((-1, 1)):
            model.add("arm", block((0, y * 0.62 * wide, -0.8 * radius), (1.2 * radius, 0.3 * wide, 2.4 * radius), 0.02),
                      number=number)  # fmt: skip
        model.add("base", block((0, 0, -2.0 * radius), (1.6 * radius, 2 * wide, 0.4 * radius)))
    model.cut(rod(-2 * wide * axis, 2 * wide * axis, radius * dice.between(0.6, 0.9)), "ring")
    return model


def _ball_bearing(model: Model, dice: Dice, radius: float, wide: float, thick: float) -> None:
    """Two rings with balls between them."""
    inner = dice.between(0.4, 0.6) * radius
    model.add("ring", ring((0, 0, 0), (0, 0, 1), radius, 0.8 * thick, wide, square=True))
    model.add("ring", ring((0, 0, 0), (0, 0, 1), inner, 0.7 * thick, wide, square=True), number=1)
    count = some(dice, 5, 9)
    ball_size = min(0.62 * (radius - inner), 0.4 * wide, 2.6 * radius / count)
    for number, way in enumerate(around(count)):
        model.add("ball", ball(0.5 * (radius + inner) * way, ball_size), number=number)


def link(dice: Dice) -> Model:
    """Arms between bosses: a lever, a connecting rod, a crank, a spider."""
    model = Model()
    count = dice.pick({2: 2, 3: 1, 4: 0.6})
    thick, reach = dice.size(0.16, 0.25), dice.size(0.7, 0.2)
    flat, hub = dice.chance(0.5), dice.size(0.22, 0.2)
    bores = dice.chance(0.75)
    reach = max(reach, 2.6 * hub)
    start = np.zeros(3)
    ends = (
        [reach * dice.size(1.0, 0.15) * way for way in around(count, 0.3)] if count > 2 else [np.array([reach, 0, 0])]
    )
    for number, end in enumerate([start, *ends]):
        radius = hub * (1.0 if number == 0 else dice.between(0.6, 1.0))
        tall = thick * dice.between(1.3, 3.0)
        model.add(
            "boss", rod(end - np.array([0, 0, tall / 2]), end + np.array([0, 0, tall / 2]), radius), number=number
        )
        if number > 0:
            wide = 0.8 * hub * dice.between(0.6, 1.0)
            middle = (start + end) / 2
            turn = turned_by(yaw=float(np.arctan2(end[1], end[0])))
            size = (float(np.linalg.norm(end)), wide, thick)
            arm = block(middle, size, 0.02, turn) if flat else rod(start, end, 0.5 * wide)
            model.add("arm", arm, number=number)
    if bores:
        for number, end in enumerate([start, *ends]):
            bore = rod(end - np.array([0, 0, 1]), end + np.array([0, 0, 1]), 0.36 * hub)
            model.cut(bore, "boss", number)
    return model
