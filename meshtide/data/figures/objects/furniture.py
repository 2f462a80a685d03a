"""Furniture: what stands on legs and what one sits, lies or writes on."""

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


def chair(dice: Dice) -> Model:
    """A seat, a back of one of several makes, legs or a foot, perhaps armrests and stretchers."""
    model = Model()
    width, depth, high = dice.size(0.45, 0.12), dice.size(0.45, 0.12), dice.size(0.45, 0.15)
    thick = dice.size(0.04, 0.4)
    _seat(model, dice, width, depth, high, thick)
    back = dice.size(0.5, 0.25)
    lean = abs(dice.normal(0.15))
    _back(model, dice, (width, depth, high + 0.5 * thick), back, lean)
    legs_or_foot(model, dice, width, depth, high - 0.4 * thick)
    if dice.chance(0.35):
        _armrests(model, dice, width, depth, high, back)
    return model


def _seat(model: Model, dice: Dice, width: float, depth: float, high: float, thick: float) -> None:
    corner = dice.between(0.0, 0.5) * min(width, depth)
    if dice.chance(0.4):
        model.add("seat", block((0, 0, high), (width, depth, thick), 0.3 * thick))
    else:
        model.add("seat", plate(rounded_rectangle(width, depth, corner), thick, (0, 0, high), rounding=0.3 * thick))
    if dice.chance(0.25):  # upholstery belongs to the seat
        soft = dice.size(1.5, 0.3) * thick
        model.add("seat", block((0, 0, high + 0.5 * thick), (0.9 * width, 0.9 * depth, soft), 0.45 * soft))


def _back(model: Model, dice: Dice, seat: tuple[float, float, float], tall: float, lean: float) -> None:
    """The back is one piece, whatever it is made of: a panel, slats, spindles, a frame."""
    width, depth, high = seat
    make = dice.pick({"panel": 2, "slats": 1.5, "spindles": 1, "frame": 1, "bent": 0.8})
    thick = dice.size(0.03, 0.3)
    low = np.array([0.0, 0.5 * depth - 0.6 * thick, high - 0.02])
    rise = np.array([0.0, np.sin(lean), np.cos(lean)])
    frame = turned_by(pitch=-lean)
    inner = dice.between(0.75, 1.0) * width
    side = np.array([inner / 2 - thick, 0.0, 0.0])
    if make == "panel":
        shape = plate(
            rounded_rectangle(inner, tall, dice.between(0, 0.5) * inner), thick, low + 0.5 * tall * rise,
            frame @ turned_by(pitch=np.pi / 2), 0.3 * thick,
        )  # fmt: skip
        model.add("back", shape)
        return
    if make == "bent":
        points = [low + (t - 0.5) * inner * np.eye(3)[0] + tall * np.sin(np.pi * t) ** 0.6 * rise
                  for t in np.linspace(0.0, 1.0, 14)]  # fmt: skip
        model.add("back", tube(points, 0.8 * thick))
        posts = some(dice, 0, 5)
        for t in (np.arange(posts) + 1) / (posts + 1):
            foot = low + (t - 0.5) * 0.9 * inner * np.eye(3)[0]
            model.add("back", rod(foot, foot + 0.97 * tall * np.sin(np.pi * t) ** 0.6 * rise, 0.45 * thick))
        return
    sides = dice.pick({"round": 1, "square": 1})
    for sign in (-1, 1):
        model.add("back", rod(low + sign * side, low + sign * side + tall * rise, thick, sides=sides))
    bar = (inner, 1.1 * thick, dice.size(0.07, 0.4))
    model.add("back", block(low + (tall - bar[2] / 2) * rise, bar, 0.2 * thick, frame))
    rows = some(dice, 1, 4) if make == "slats" else int(make == "spindles")
    for row in range(rows):
        height = (0.25 + 0.6 * row / max(rows, 1)) * tall
        model.add("back", block(low + height * rise, (inner, 0.9 * thick, min(bar[2], 0.1 * tall)), 0.2 * thick, frame))
    if make == "spindles":
        for t in np.linspace(-0.7, 0.7, some(dice, 2, 6)):
            model.add("back", rod(low + t * side, low + t * side + 0.98 * tall * rise, 0.5 * thick))


def _armrests(model: Model, dice: Dice, width: float, depth: float, high: float, back: float) -> None:
    level = high + dice.between(0.35, 0.6) * back
    thick = dice.size(0.028, 0.25)
    out = 0.5 * width + dice.between(-0.8, 0.8) * thick
    front = -dice.between(0.2, 0.48) * depth
    wide = dice.between(1.0, 2.2)
    rest = block((out, (front + 0.52 * depth) / 2, level), (2 * thick * wide, 0.52 * depth - front, 1.6 * thick),
                 0.5 * thick)  # fmt: skip
    post = rod((0.5 * width - thick, front + thick, high - 0.01), (out, front + thick, level), thick)
    if dice.chance(0.3):
        points = curve([(out, 0.5 * depth, level), (out, front, level), (out, front - 0.05 * depth, (level + high) / 2),
                        (0.5 * width - thick, front + 0.1 * depth, high)], 14)  # fmt: skip
        model.pair("armrest", tube(points, thick))
    else:
        model.pair("armrest", rest, post)


def legs_or_foot(model: Model, dice: Dice, width: float, depth: float, high: float) -> None:
    """Four legs with or without stretchers, three legs, a pedestal, a star of feet, or runners."""
    make = dice.pick({"four": 5, "three": 0.6, "pedestal": 1, "star": 0.8, "sled": 0.7})
    if make in ("four", "three"):
        feet(model, dice, width, depth, high, 4 if make == "four" else 3)
    elif make == "sled":
        thick = dice.size(0.022, 0.3)
        for number, sign in enumerate((-1, 1)):
            x = sign * (0.5 * width - thick)
            corners = [(x, -0.45 * depth, high + 0.01), (x, -0.45 * depth, 0.5 * high), (x, -0.45 * depth, thick),
                       (x, 0, thick), (x, 0.45 * depth, thick), (x, 0.45 * depth, 0.5 * high),
                       (x, 0.45 * depth, high + 0.01)]  # fmt: skip
            model.add("leg", tube(corners, thick), number=number)
    else:
        pedestal(model, dice, 0.5 * min(width, depth), high, star=make == "star")


def pedestal(model: Model, dice: Dice, reach: float, high: float, star: bool, column: str = "leg") -> None:
    """A column on a disc or on a star of feet."""
    radius = dice.size(0.12, 0.3) * reach + 0.008
    low = dice.size(0.12, 0.3) * reach
    if star:
        count = some(dice, 3, 6)
        for way in around(count, dice.between(0, 1)):
            end = dice.size(1.0, 0.05) * reach * way + np.array([0, 0, 0.4 * radius])
            model.add("base", rod((0, 0, low + radius), end, 0.8 * radius, 0.5 * radius), number=0)
            if dice.chance(0.3):
                model.add("base", ball(end, 0.9 * radius))
        model.add("base", rod((0, 0, low), (0, 0, low + 2 * radius), 1.1 * radius))
    else:
        wide = dice.between(0.7, 1.1) * reach
        profile = [(wide, 0), (wide, 0.35 * low), (dice.between(0.3, 0.9) * wide, 0.7 * low), (radius, low)]
        model.add("base", turned(profile))
    if dice.chance(0.3):
        steps = np.linspace(0, 1, 14)
        bulge = 1 + 0.7 * np.sin(np.pi * steps * some(dice, 1, 3)) ** 2
        model.add(column, turned(np.stack([radius * bulge, low + steps * (high - low)], axis=1)))
    else:
        model.add(column, rod((0, 0, 0.8 * low), (0, 0, high), radius, dice.size(radius, 0.2)))


def feet(model: Model, dice: Dice, width: float, depth: float, high: float, count: int) -> None:
    """Legs under the corners, straight or splayed, plain, tapered, turned or curved, perhaps with stretchers."""
    thick = dice.size(0.026, 0.3) * (width + depth + high) / 1.35
    thick = min(thick, 0.16 * min(width, depth))
    splay, taper = max(0.0, dice.normal(0.12)), dice.between(0.5, 1.05)
    make = dice.pick({"round": 2, "square": 2, "turned": 0.7, "curved": 0.5})
    places = corners(width, depth, thick, count)
    ends = [np.array([*(place[:2] * (1 + splay)), 0.0]) for place in places]
    for number, (place, end) in enumerate(zip(places, ends, strict=True)):
        top = place + np.array([0, 0, high - (0.6 * thick if make == "curved" else 0)])
        model.add("leg", leg(make, top, end, thick, taper, splay), number=number)
    if dice.chance(0.35) and make != "curved":
        _stretchers(model, dice, [p + np.array([0, 0, high]) for p in places], ends, thick)


def corners(width: float, depth: float, inset: float, count: int) -> list[FloatArray]:
    """Where legs stand: at four corners, or around."""
    if count == 4:
        x, y = 0.5 * width - 1.3 * inset, 0.5 * depth - 1.3 * inset
        return [np.array([sx * x, sy * y, 0.0]) for sx, sy in ((-1, -1), (1, -1), (1, 1), (-1, 1))]
    return [
        way * np.array([0.5 * width - 1.5 * inset, 0.5 * depth - 1.5 * inset, 0]) for way in around(count, np.pi / 2)
    ]


def leg(make: str, top: FloatArray, foot: FloatArray, thick: float, taper: float, splay: float) -> Placed:
    """One leg."""
    if make in ("round", "square"):
        return rod(top, foot, thick, taper * thick, make)
    out = np.array([*foot[:2], 0.0]) / max(float(np.linalg.norm(foot[:2])), 1e-6)
    share = np.linspace(0, 1, 12)
    if make == "curved":
        bow = 0.07 * np.linalg.norm(top - foot) * np.sin(1.6 * np.pi * share)
        points = top + share[:, None] * (foot - top) + bow[:, None] * out
        return tube(points, thick * (1.2 - 0.6 * share) * np.minimum(1, 0.55 + 2 * share))
    beads = 1 + 0.3 * np.sin(6.0 * np.pi * share + 4 * splay)
    length = float(np.linalg.norm(top - foot))
    return turned(np.stack([thick * beads * (taper + (1 - taper) * share), share * length], axis=1), foot, top - foot)


def _stretchers(model: Model, dice: Dice, tops: list[FloatArray], ends: list[FloatArray], thick: float) -> None:
    level = dice.between(0.2, 0.6)
    places = [end + level * (top - end) for top, end in zip(tops, ends, strict=True)]
    make = dice.pick({"around": 2, "sides": 1, "cross": 0.5})
    bar = dice.between(0.5, 0.8) * thick
    pairs = {
        "around": [(i, (i + 1) % len(places)) for i in range(len(places))],
        "sides": [(1, 2), (3, 0)] if len(places) == 4 else [(0, 1)],
        "cross": [(0, 2), (1, 3)] if len(places) == 4 else [(0, 1)],
    }[make]
    for number, (one, two) in enumerate(pairs):
        model.add("stretcher", rod(places[one], places[two], bar), number=0 if make == "cross" else number)


def stool(dice: Dice) -> Model:
    """A round or square seat without a back."""
    model = Model()
    high, radius, thick = dice.size(0.5, 0.3), dice.size(0.19, 0.2), dice.size(0.045, 0.35)
    if dice.chance(0.6):
        model.add("seat", turned([(0.95 * radius, high - thick / 2), (radius, high), (0.9 * radius, high + thick / 2)]))
    else:
        outline = rounded_rectangle(2 * radius, 2 * radius * dice.size(1, 0.2), dice.between(0, radius))
        model.add("seat", plate(outline, thick, (0, 0, high), rounding=0.3 * thick))
    make = dice.pick({"legs": 3, "pedestal": 1, "star": 0.7})
    if make == "legs":
        feet(model, dice, 1.7 * radius, 1.7 * radius, high, dice.pick({3: 1, 4: 1.5}))
    else:
        pedestal(model, dice, dice.size(1.0, 0.15) * radius, high, star=make == "star")
    if make != "legs" and dice.chance(0.4):
        level = dice.between(0.35, 0.6) * high
        model.add("stretcher", ring((0, 0, level), (0, 0, 1), 0.7 * radius, 0.05 * radius + 0.006),
                  *(rod((0, 0, level), 0.7 * radius * way + np.array([0, 0, level]), 0.05 * radius + 0.004)
                    for way in around(3)))  # fmt: skip
    return model


def table(dice: Dice) -> Model:
    """A top on one to six legs, a pedestal, trestles or panels."""
    model = Model()
    long, wide, high = dice.size(1.2, 0.35), dice.size(0.75, 0.2), dice.size(0.7, 0.25)
    thick = dice.size(0.04, 0.4)
    shape = dice.pick({"box": 2, "round": 1, "rounded": 1})
    if shape == "round":
        wide = long if dice.chance(0.6) else wide
        outline = circle(long / 2, squash=wide / long)
    else:
        outline = rounded_rectangle(long, wide, 0.0 if shape == "box" else dice.between(0.1, 0.5) * wide)
    model.add("top", plate(outline, thick, (0, 0, high), rounding=0.25 * thick))
    inner = 0.72 if shape == "round" else 0.98
    make = dice.pick({"legs": 4, "pedestal": 1.2, "star": 0.6, "trestle": 0.8, "panels": 0.6})
    if make == "legs":
        _apron(model, dice, inner * long, inner * wide, high - thick / 2)
        feet(model, dice, inner * long, inner * wide, high, dice.pick({3: 0.5, 4: 4, 5: 0.2, 6: 0.3}))
    elif make in ("pedestal", "star"):
        pedestal(model, dice, 0.4 * min(long, wide), high, star=make == "star")
    else:
        _trestles(model, dice, inner * long, inner * wide, high, panels=make == "panels")
    return model


def _apron(model: Model, dice: Dice, long: float, wide: float, high: float) -> None:
    """A frame under the top, which people see as the top's."""
    if not dice.chance(0.35):
        return
    deep = dice.size(0.08, 0.3)
    model.add("top", block((0, 0, high - deep / 2), (0.9 * long, 0.86 * wide, deep)))


def _trestles(model: Model, dice: Dice, long: float, wide: float, high: float, panels: bool) -> None:
    thick = dice.size(0.035, 0.3)
    where = dice.between(0.3, 0.46) * long
    for number, sign in enumerate((-1, 1)):
        x = sign * where
        if panels:
            model.add("leg", block((x, 0, high / 2), (1.5 * thick, 0.85 * wide, high)), number=number)
            continue
        spread, cross = 0.42 * wide, dice.chance(0.4)
        for side in (-1, 1):
            top = (x, (side if not cross else -side) * (0.25 if not cross else 0.9) * spread, high)
            model.add("leg", rod((x, side * spread, 0), top, thick, sides="square"), number=number)
        model.add("leg", rod((x, -0.75 * spread, 0.4 * high), (x, 0.75 * spread, 0.4 * high), 0.7 * thick),
                  number=number)  # fmt: skip
    if dice.chance(0.7):
        level = dice.between(0.3, 0.45) * high
        model.add("stretcher", rod((-where, 0, level), (where, 0, level), 0.8 * thick, sides="square"))
