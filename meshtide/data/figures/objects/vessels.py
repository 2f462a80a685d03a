"""Vessels: what holds water or soup, mostly turned on a wheel."""

from __future__ import annotations

import numpy as np

from meshtide.arrays import FloatArray
from meshtide.data.figures.dice import Dice
from meshtide.data.figures.objects.model import Model, Placed, block, curve, rod, tube, turned, turned_by


def bulging(dice: Dice, low: float, middle: float, top: float, tall: float, base: float = 0.0) -> FloatArray:
    """A smooth profile of (radius, height) through three radii, the middle one somewhere between."""
    from scipy.interpolate import PchipInterpolator

    where = dice.between(0.3, 0.7)
    share = np.linspace(0, 1, 14)
    radius = PchipInterpolator([0, 0.5 * where, where, (1 + where) / 2, 1], [
        low, 0.45 * low + 0.55 * middle + 0.1 * abs(middle - low), middle,
        0.45 * top + 0.55 * middle + 0.1 * abs(middle - top), top,
    ])(share)  # fmt: skip
    return np.stack([radius, base + tall * share], axis=1)


def hollow(model: Model, profile: FloatArray, wall: float, part: str = "body", floor: float | None = None) -> None:
    """Empty a turned body through its top; inside and outside are one piece."""
    bottom = float(profile[0, 1]) + (1.3 * wall if floor is None else floor)
    heights = np.linspace(bottom, float(profile[-1, 1]), 12)
    radius = np.interp(heights, profile[:, 1], profile[:, 0]) - wall
    radius[0] *= 0.9
    over = np.array([[radius[-1], float(profile[-1, 1]) + 2 * wall]])
    model.cut(turned(np.concatenate([np.stack([np.maximum(radius, 0.3 * wall), heights], axis=1), over])), part)


def ear(dice: Dice, profile: FloatArray, low: float, high: float, out: float, thick: float, turn: float) -> Placed:
    """A handle that leaves a turned body at one height and comes back at another."""
    way = np.array([np.cos(turn), np.sin(turn), 0.0])
    heights = [low, low + dice.between(0.0, 0.25) * (high - low), high - dice.between(0.0, 0.25) * (high - low), high]
    feet = [float(np.interp(z, profile[:, 1], profile[:, 0])) - 0.35 * thick for z in (low, high)]
    reach = max(feet) + out
    radii = [feet[0], reach * dice.between(0.85, 1.0), reach, feet[1]]
    points = curve([r * way + np.array([0, 0, z]) for r, z in zip(radii, heights, strict=True)], 14)
    if dice.chance(0.5):
        return tube(points, thick * dice.between(0.9, 1.4), np.cross(way, (0, 0, 1)), dice.between(0.5, 1.0))
    side = np.cross(way, (0, 0, 1))
    if dice.chance(0.5):
        return tube(points, thick, side, 1.0)
    return tube(points, thick * np.linspace(dice.between(0.7, 1.3), dice.between(0.7, 1.3), 14))


def square_ear(profile: FloatArray, low: float, high: float, out: float, thick: float) -> list[Placed]:
    """A handle of three straight bars."""
    foot, top = (float(np.interp(z, profile[:, 1], profile[:, 0])) for z in (low, high))
    reach = max(foot, top) + out
    return [
        rod((0.9 * foot, 0, low), (reach, 0, low), thick, sides="square"),
        rod((reach, 0, low - 0.9 * thick), (reach, 0, high + 0.9 * thick), thick, sides="square"),
        rod((0.9 * top, 0, high), (reach, 0, high), thick, sides="square"),
    ]


def mug(dice: Dice) -> Model:
    """A cup with a handle, some with a foot, some without a handle."""
    model = Model()
    tall, radius = dice.size(1.0, 0.2), dice.size(0.42, 0.2)
    if dice.chance(0.5):
        profile = np.array([(radius, 0), (radius * dice.size(1.0, 0.12), tall)])
    else:
        profile = bulging(dice, radius * dice.between(0.5, 1), radius, radius * dice.between(0.8, 1.3), tall)
    stem = dice.chance(0.15)
    if stem:
        height = dice.between(0.1, 0.5)
        profile[:, 1] += height
        wide = dice.between(0.7, 1.2) * radius
        thin = dice.between(0.15, 0.45) * profile[0, 0]
        model.add("foot", turned([(wide, 0), (wide, 0.05), (thin, 0.12), (thin, height + 0.03)]))
    model.add("body", turned(profile))
    if dice.chance(0.85):
        low, high = (profile[0, 1] + tall * part for part in (dice.between(0.08, 0.35), dice.between(0.6, 0.93)))
        thick, out = dice.size(0.065, 0.25), dice.between(0.15, 0.5) * radius + 0.08
        handle = [ear(dice, profile, low, high, out, thick, 0.0)]
        if dice.chance(0.25):
            handle = square_ear(profile, low, high, out, thick)
        model.add("handle", *handle)
        if dice.chance(0.08):
            model.add("handle", *(one.moved((0, 0, 0), turned_by(yaw=np.pi)) for one in handle), number=1)
    if dice.chance(0.85):
        hollow(model, profile, dice.between(0.04, 0.08), floor=dice.between(0.06, 0.3) * tall)
    return model


def jug(dice: Dice) -> Model:
    """A pitcher with a spout and a handle."""
    model = Model()
    tall, radius = dice.size(1.2, 0.2), dice.size(0.42, 0.2)
    lip = radius * dice.between(0.5, 1.0)
    profile = bulging(dice, radius * dice.between(0.5, 1.0), radius, lip, tall)
    model.add("body", turned(profile))
    top = profile
    if dice.chance(0.4):
        high = dice.between(0.15, 0.4)
        top = np.array([(0.9 * lip, tall - 0.02), (0.8 * lip, tall + 0.4 * high), (lip * dice.between(0.9, 1.2),
                                                                                    tall + high)])  # fmt: skip
        model.add("neck", turned(top))
    whole = np.concatenate([profile, top]) if top is not profile else profile
    high = float(whole[-1, 1])
    edge = float(whole[-1, 0])
    beak = dice.size(0.16, 0.25)
    points = curve([(-0.5 * edge, 0, high - 2.2 * beak), (-edge, 0, high - beak), (-edge - 0.9 * beak, 0, high)], 7)
    model.add("spout", tube(points, np.linspace(1.2, 0.55, 7) * beak))
    model.cut(block((-edge, 0, high + 1.0), (4 * edge, 4 * edge, 2.0)))
    low, up = dice.between(0.15, 0.4) * tall, dice.between(0.8, 0.95) * high
    handle = ear(dice, whole, low, up, dice.between(0.2, 0.5) * radius + 0.08, dice.size(0.065, 0.2), 0.0)
    model.add("handle", handle)
    if dice.chance(0.6):
        hollow(model, profile if top is profile else top, dice.between(0.045, 0.07),
               "body" if top is profile else "neck", floor=0.1)  # fmt: skip
    return model


def bottle(dice: Dice) -> Model:
    """A body, a shoulder, a neck and mostly a cap."""
    model = Model()
    tall, radius = dice.size(1.0, 0.25), dice.size(0.3, 0.25)
    thin, neck = radius * dice.between(0.22, 0.6), dice.size(0.45, 0.35)
    slope = dice.between(0.05, 0.4) * tall
    share = np.linspace(0, 1, 7)
    shoulder = np.stack([thin + (radius - thin) * np.cos(np.pi / 2 * share) ** dice.between(0.5, 1.2),
                         tall + slope * share], axis=1)  # fmt: skip
    waist = dice.between(0.8, 1.0) if dice.chance(0.3) else 1.0
    body = np.concatenate([[(0.95 * radius, 0), (radius, 0.04), (waist * radius, 0.5 * tall)], shoulder])
    squash = dice.between(0.45, 0.9) if dice.chance(0.25) else 1.0
    model.add("body", turned(body, squash=squash))
    base = tall + 0.8 * slope
    model.add("neck", turned([(0.98 * thin, base), (thin, base + 0.2 * slope), (thin * dice.between(0.8, 1.0),
                                                                                  base + neck)]))  # fmt: skip
    if dice.chance(0.75):
        wide, high = thin * dice.between(1.15, 1.6), dice.size(0.16, 0.4)
        top = base + neck
        profile = [(wide, top - 0.4 * high), (wide, top + 0.5 * high), (wide * dice.between(0.6, 1), top + 0.6 * high)]
        model.add("cap", turned(profile))
    return model


def vase(dice: Dice) -> Model:
    """A body with, or without, a foot, a neck, a lip and up to three handles."""
    model = Model(rounding=dice.size(1.5, 0.5))
    tall, radius = dice.size(1.0, 0.25), dice.size(0.42, 0.25)
    low, top = radius * dice.between(0.3, 0.8), radius * dice.between(0.3, 0.85)
    profile = bulging(dice, low, radius, top, tall)
    neck_high = dice.size(0.35, 0.4) if dice.chance(0.6) else 0.0
    outline, open_part = profile, "body"
    model.add("body", turned(profile))
    if dice.chance(0.6):
        high, wide = dice.size(0.14, 0.4), low * dice.between(1.0, 1.7)
        waist = low * dice.between(0.5, 0.85)
        model.add("foot", turned([(wide, -high), (wide * 0.97, -0.7 * high), (waist, -0.2 * high), (waist, 0.03)]))
    if neck_high > 0:
        thin = top * dice.between(0.6, 0.9)
        rim = thin * dice.between(0.8, 1.4)
        neck = np.array([(thin, tall - 0.03), (0.96 * thin, tall + 0.5 * neck_high), (rim, tall + neck_high)])
        model.add("neck", turned(neck))
        outline, open_part = np.concatenate([profile[:-1], neck]), "neck"
    edge, end = float(outline[-1, 0]), float(outline[-1, 1])
    if dice.chance(0.45):
        wide, high = edge * dice.between(1.2, 1.7), dice.size(0.08, 0.3)
        lip = np.array([(edge * 0.95, end - 0.02), (wide, end + 0.3 * high), (wide, end + high)])
        model.add("lip", turned(lip))
        outline = np.concatenate([outline[:-1], [(edge, end + high)]])
    if dice.chance(0.6):
        narrow = float(outline[outline[:, 1] > 0.75 * tall, 0].min())
        opening = np.array([(narrow, tall * 0.75), (narrow, outline[-1, 1])])
        if open_part == "body":
            opening = profile if len(outline) == len(profile) else opening
        hollow(model, opening, dice.between(0.045, 0.08), "lip" if ("lip", 0) in model.pieces() else open_part)
    _ears(model, dice, outline, tall, radius)
    return model


def _ears(model: Model, dice: Dice, outline: FloatArray, tall: float, radius: float) -> None:
    """Up to three handles alike, two of them opposite each other."""
    count = dice.pick({0: 3, 1: 0.8, 2: 1.6, 3: 0.2})
    low, high = tall * dice.between(0.3, 0.6), min(float(outline[-1, 1]) - 0.06, tall * dice.between(0.85, 1.3))
    handle = ear(dice, outline, low, high, dice.between(0.2, 0.5) * radius, dice.size(0.055, 0.2), 0.0)
    for number in range(count):
        turn = turned_by(yaw=(0.0, np.pi, np.pi / 2)[number])
        model.add("handle", handle.moved((0, 0, 0), turn), number=number)


def teapot(dice: Dice) -> Model:
    """A belly with a spout, a handle, and a lid with a knob."""
    model = Model()
    tall, radius = dice.size(0.7, 0.2), dice.size(0.5, 0.12)
    top = radius * dice.between(0.45, 0.75)
    profile = bulging(dice, radius * dice.between(0.5, 0.85), radius, top, tall)
    model.add("body", turned(profile))
    thick = dice.size(0.06, 0.2)
    if dice.chance(0.25):
        foot, high = 0.75 * tall, 1.3 * tall + 0.3
        knots = [(-0.75, foot), (-0.65, high), (0.65, high), (0.75, foot)]
        arch = curve([(x * radius, 0, z) for x, z in knots], 16)
        model.add("handle", tube(arch, thick))
    else:
        low, high = dice.between(0.15, 0.35) * tall, dice.between(0.75, 0.95) * tall
        model.add("handle", ear(dice, profile, low, high, dice.between(0.25, 0.6) * radius, thick, 0.0))
    reach, rise = radius * dice.between(1.5, 2.0), tall * dice.between(0.85, 1.15)
    points = curve([(-0.6 * radius, 0, 0.3 * tall), (-1.1 * radius, 0, 0.4 * tall),
                    (-0.5 * (reach + radius), 0, 0.75 * rise), (-reach, 0, rise)], 10)  # fmt: skip
    model.add("spout", tube(points, np.linspace(2.6, dice.between(0.8, 1.3), 10) * thick))
    high, wide = dice.size(0.12, 0.4), top * dice.between(0.85, 1.1)
    model.add("lid", turned([(wide, tall - 0.04), (wide, tall + 0.03), (0.75 * wide, tall + 0.03 + 0.5 * high),
                             (0.2 * wide, tall + 0.03 + high)]))  # fmt: skip
    ball = dice.size(0.085, 0.2)
    z = tall + 0.03 + high
    model.add("knob", turned([(0.5 * ball, z - 0.05), (0.5 * ball, z + 0.3 * ball), (ball, z + ball),
                              (0.8 * ball, z + 1.7 * ball), (0.2 * ball, z + 2 * ball)]))  # fmt: skip
    return model


def bowl(dice: Dice) -> Model:
    """A wide open vessel, some with a foot, two handles, or a lid."""
    model = Model()
    radius, tall = dice.size(0.6, 0.15), dice.size(0.4, 0.35)
    share = np.linspace(0, 1, 9)
    profile = np.stack([radius * (0.35 + 0.65 * np.sin(np.pi / 2 * share) ** dice.between(0.5, 1.3)), tall * share],
                       axis=1)  # fmt: skip
    model.add("body", turned(profile))
    if dice.chance(0.5):
        high, wide = dice.size(0.12, 0.6), float(profile[0, 0]) * dice.between(0.9, 1.6)
        waist = float(profile[0, 0]) * dice.between(0.45, 0.8)
        model.add("foot", turned([(wide, -high), (wide, -0.8 * high), (waist, -0.3 * high), (waist, 0.04)]))
    if dice.chance(0.4):
        for number in (0, 1):
            turn = np.pi * number
            way, side = np.array([np.cos(turn), np.sin(turn), 0]), np.array([-np.sin(turn), np.cos(turn), 0])
            z = np.array([0, 0, 0.8 * tall])
            foot = float(np.interp(z[2], profile[:, 1], profile[:, 0])) * 0.93
            points = curve(
                [
                    foot * way - 0.25 * radius * side + z,
                    (foot + 0.2) * way - 0.2 * radius * side + z,
                    (foot + 0.2) * way + 0.2 * radius * side + z,
                    foot * way + 0.25 * radius * side + z,
                ],
                12,
            )
            model.add("handle", tube(points, 0.045), number=number)
    if dice.chance(0.25):
        high = dice.size(0.2, 0.3)
        model.add("lid", turned([(1.04 * radius, tall - 0.02), (1.04 * radius, tall + 0.04),
                                 (0.6 * radius, tall + 0.75 * high), (0.1 * radius, tall + high)]))  # fmt: skip
        model.add("handle", turned([(0.05, tall + high - 0.05), (0.05, tall + high + 0.04), (0.1, tall + high + 0.1),
                                    (0.06, tall + high + 0.16)]), number=9)  # fmt: skip
    else:
        hollow(model, profile, dice.between(0.05, 0.08))
    return model


def pan(dice: Dice) -> Model:
    """A flat vessel with a long handle, or a pot with two short ones."""
    model = Model()
    radius, tall = dice.size(0.5, 0.15), dice.size(0.2, 0.5)
    profile = np.array([(radius * dice.between(0.75, 1.0), 0), (radius, tall)])
    model.add("body", turned(profile))
    thick = dice.size(0.045, 0.2)
    z = dice.between(0.6, 0.85) * tall
    length = dice.size(0.9, 0.25)
    if dice.chance(0.75):
        end = (radius + length, 0, z + dice.between(0.0, 0.25))
        points = curve([(0.95 * radius, 0, z), (radius + 0.4 * length, 0, z + 0.08), end], 9)
        model.add("handle", tube(points, thick * np.linspace(0.8, 1.25, 9), (0, 0, 1), dice.between(0.5, 1.0)))
    else:
        for number, sign in enumerate((-1, 1)):
            points = curve([(sign * 0.93 * radius, -0.2, z), (sign * (radius + 0.16), -0.14, z),
                            (sign * (radius + 0.16), 0.14, z), (sign * 0.93 * radius, 0.2, z)], 12)  # fmt: skip
            model.add("handle", tube(points, thick), number=number)
    hollow(model, profile, dice.between(0.045, 0.07))
    return model
