"""Things of every day: glasses, instruments, toys, devices."""

from __future__ import annotations

import numpy as np

from meshtide.data.figures.dice import Dice
from meshtide.data.figures.objects.model import (
    Model,
    around,
    ball,
    block,
    circle,
    curve,
    plate,
    rod,
    rounded_rectangle,
    some,
    tube,
    turned,
    turned_by,
)
from meshtide.data.figures.objects.outlines import Outline


def glasses(dice: Dice) -> Model:
    """Two rims, with or without lenses, a bridge, two temples."""
    model = Model()
    wide, tall = dice.size(0.26, 0.12), dice.size(0.2, 0.2)
    bar, gap = dice.size(0.024, 0.25), dice.size(0.12, 0.2)
    make = dice.pick({"oval": 1, "square": 1, "drop": 0.7})
    loop = circle(1.0, 28) if make == "oval" else rounded_rectangle(2, 2, dice.between(0.3, 0.8))
    loop = loop * np.array([wide, tall])
    if make == "drop":
        loop[:, 0] *= 1 + 0.25 * loop[:, 1] / tall
    inner = loop * (1 - 2.6 * bar / wide)
    upright = turned_by(pitch=np.pi / 2)
    at = np.array([wide + gap / 2, 0, 0])
    thick = dice.size(1.7, 0.2) * bar
    filled = dice.chance(0.45)
    rim = plate(Outline(loop) if filled else Outline(loop, inner), thick, at, upright, 0.2 * thick)
    model.pair("rim", rim)
    level = dice.between(0.0, 0.6) * tall
    arch = curve([(-gap / 2 - 0.08 * wide, 0, level), (0, -0.01, level + dice.between(0, 0.3) * tall),
                  (gap / 2 + 0.08 * wide, 0, level)], 9)  # fmt: skip
    model.add("bridge", tube(arch, bar))
    if dice.chance(0.2):
        model.add("bridge", tube(arch + np.array([0, 0, 0.3 * tall]), 0.8 * bar))
    _temples(model, dice, 2 * wide + gap / 2, wide, tall, bar)
    return model


def _temples(model: Model, dice: Dice, out: float, wide: float, tall: float, bar: float) -> None:
    """Arms that hook behind the ears, from the outer ends of the rims."""
    deep, drop = dice.size(0.85, 0.12), dice.between(0.05, 0.35)
    high = dice.between(0.1, 0.6) * tall
    spread = dice.between(-0.15, 0.15)
    hinge = float(np.interp(high / tall, [0, 1], [1.0, 0.93]))
    points = curve(
        [
            (hinge * out - 0.06 * wide, 0, high),
            (out + 0.03, 0.12, high),
            (out + 0.5 * spread, 0.7 * deep, high),
            (out + spread, 0.9 * deep, high - 0.3 * drop),
            (out + spread, deep, high - drop),
        ],
        14,
    )
    tall_bar = dice.between(1.0, 1.8) * bar
    model.pair("temple", tube(points, tall_bar, (1, 0, 0), bar / tall_bar))


def guitar(dice: Dice) -> Model:
    """A waisted body, a neck, a head; a violin if small and with a scroll."""
    model = Model()
    long, wide, thick = dice.size(0.5, 0.12), dice.size(0.2, 0.15), dice.size(0.1, 0.3)
    turn = np.linspace(0, 2 * np.pi, 40, endpoint=False)
    waist = dice.between(0.1, 0.35)
    half = wide * (1 - 0.18 * np.cos(turn)) * (1 - waist * np.exp(-((np.cos(turn) - 0.15) ** 2) / 0.08))
    outline = np.stack([half * np.sin(turn) * 1.1, -long * 0.5 * np.cos(turn)], axis=1)
    outline[:, 1] *= -1
    model.add("body", plate(outline[::-1], thick, (0, 0, 0), rounding=0.2 * thick))
    neck, bar = dice.size(0.55, 0.2), dice.size(0.035, 0.2)
    end = 0.5 * long + neck
    z = 0.3 * thick
    model.add("neck", block((0, (0.3 * long + end) / 2, z), (1.7 * bar, end - 0.3 * long, 1.6 * bar), 0.3 * bar))
    if dice.chance(0.7):
        model.add("head", block((0, end + 0.08, z - 0.02), (dice.size(0.12, 0.2), 0.2, 1.3 * bar), 0.01,
                                turned_by(pitch=dice.between(-0.3, 0))))  # fmt: skip
    else:
        model.add("head", rod((-0.05, end + 0.04, z), (0.05, end + 0.04, z), 0.055))
    if dice.chance(0.5):
        model.add("bridge", block((0, -0.2 * long, 0.5 * thick + 0.01), (0.5 * wide, 0.04, dice.between(0.03, 0.08))))
    if dice.chance(0.3):
        model.cut(rod((0, 0.08 * long, 0.2 * thick), (0, 0.08 * long, thick), 0.28 * wide))
    return model


def chess(dice: Dice) -> Model:
    """A turned chessman: base, stem, collar and head where there is a marked neck between."""
    model = Model()
    base, tall = dice.size(0.3, 0.12), dice.size(0.55, 0.25)
    low = dice.size(0.16, 0.25)
    profile = [(base, 0), (base, 0.35 * low), (0.85 * base, 0.5 * low), (0.6 * base, low)]
    model.add("base", turned(profile))
    thin = base * dice.between(0.35, 0.55)
    share = np.linspace(0, 1, 9)
    model.add("stem", turned(np.stack([thin + 0.2 * base * (1 - share) ** 3, low - 0.02 + tall * share], axis=1)))
    z = low + tall
    if dice.chance(0.6):
        model.add(
            "collar", turned([(thin * 0.9, z - 0.06), (1.7 * thin, z - 0.02), (1.7 * thin, z + 0.03), (thin, z + 0.06)])
        )
        z += 0.05
    make = dice.pick({"pawn": 1, "rook": 1, "bishop": 1, "king": 1, "knight": 0.6})
    size = dice.size(0.2, 0.15)
    if make == "pawn":
        model.add("head", ball((0, 0, z + 0.75 * size), size))
    elif make == "rook":
        model.add("head", rod((0, 0, z - 0.02), (0, 0, z + 1.3 * size), size))
        model.cut(rod((0, 0, z + 0.9 * size), (0, 0, z + 2 * size), 0.6 * size), "head")
        for way in around(2, 0.5):
            turn = turned_by(yaw=float(np.arctan2(way[1], way[0])) + (np.pi / 2 if way[0] < 0 else 0))
            model.cut(block((0, 0, z + 1.3 * size), (3 * size, 0.3 * size, 0.5 * size), 0, turn), "head")
    elif make == "knight":
        points = curve([(0, 0, z - 0.05), (0.04, 0, z + 0.15), (-0.02, 0, z + 0.32), (-0.2, 0, z + 0.26)], 8)
        model.add("head", tube(points, np.linspace(1.05, 0.6, 8) * 0.8 * size))
    else:
        tip = 2.4 * size
        model.add("head", turned([(0.6 * thin, z - 0.02), (0.95 * size, z + 0.4 * tip), (0.5 * size, z + 0.8 * tip),
                                  (0.1 * size, z + tip)]))  # fmt: skip
        if make == "king":
            top = z + tip
            model.add("cross", rod((0, 0, top - 0.1), (0, 0, top + 0.16), 0.035, sides="square"),
                      rod((-0.09, 0, top + 0.07), (0.09, 0, top + 0.07), 0.035, sides="square"))  # fmt: skip
    return model


def robot(dice: Dice) -> Model:
    """A toy robot of boxes and cylinders."""
    model = Model()
    wide, deep, tall = dice.size(0.4, 0.2), dice.size(0.28, 0.2), dice.size(0.5, 0.2)
    taper = dice.between(0.7, 1.2)
    model.add("torso", block((0, 0, 0), (wide, deep, tall), 0.03, top=(taper, 1.0)))
    head = dice.size(0.24, 0.2)
    z = tall / 2
    neck = dice.between(0.02, 0.12)
    model.add("head", rod((0, 0, z - 0.03), (0, 0, z + neck + 0.03), 0.3 * head))
    if dice.chance(0.6):
        model.add("head", block((0, 0, z + neck + head / 2), (1.1 * head, head, head), 0.1 * head))
    else:
        model.add("head", ball((0, 0, z + neck + 0.5 * head), 0.6 * head))
    if dice.chance(0.4):
        top = z + neck + 0.95 * head
        model.pair("antenna", rod((0.25 * head, 0, top - 0.04), (0.4 * head, 0, top + 0.15), 0.018),
                   ball((0.4 * head, 0, top + 0.15), 0.04))  # fmt: skip
    round_limbs = dice.pick({"round": 1, "square": 1})
    arm, radius = dice.size(0.45, 0.2), dice.size(0.06, 0.2)
    lift = dice.between(-1.2, 0.8)
    shoulder = np.array([wide / 2 * (0.12 + 0.88 * taper) + 0.6 * radius, 0, 0.38 * tall])
    way = np.array([np.cos(lift) * 0.5, -0.2, np.sin(lift) - 0.3])
    way /= np.linalg.norm(way)
    model.pair("arm", ball(shoulder, 1.35 * radius), rod(shoulder, shoulder + arm * way, radius, sides=round_limbs))
    if dice.chance(0.6):
        model.pair("hand", ball(shoulder + (arm + 0.4 * radius) * way, 1.6 * radius))
    if dice.chance(0.75):
        leg, foot = dice.size(0.4, 0.25), dice.size(0.2, 0.2)
        hip = np.array([0.27 * wide, 0, -0.45 * tall])
        model.pair("leg", rod(hip, hip - np.array([0, 0, leg]), 1.2 * radius, sides=round_limbs))
        model.pair("foot", block(hip - np.array([0, 0.25 * foot, leg]), (0.75 * foot, 1.3 * foot, 0.4 * foot), 0.03))
    else:
        for number, x in enumerate((-1, 1)):
            at = np.array([x * 0.55 * wide, 0, -0.5 * tall])
            model.add("wheel", rod(at - np.array([0.06, 0, 0]), at + np.array([0.06, 0, 0]), 0.17), number=number)
    return model


def blocks(dice: Dice) -> Model:
    """Toy blocks piled up: every block is a piece."""
    model = Model()
    z, size = 0.0, dice.size(0.4, 0.15)
    at = np.zeros(2)
    for number in range(some(dice, 2, 7)):
        make = dice.pick({"box": 2, "rod": 1, "arch": 0.5, "roof": 0.4 if number else 0.0})
        wide, tall = size * dice.size(1.0, 0.25), size * dice.size(0.7, 0.3)
        turn = turned_by(yaw=dice.normal(0.3))
        place = (at[0], at[1], z + tall / 2 - 0.01)
        if make == "rod":
            model.add("block", rod((at[0], at[1], z - 0.01), (at[0], at[1], z + tall), wide / 2), number=number)
        elif make == "arch":
            outline = Outline(rounded_rectangle(1.5 * wide, tall, 0))
            model.add("block", plate(outline, wide, place, turn @ turned_by(pitch=np.pi / 2)), number=number)
            along = turn @ np.array([0.0, wide, 0])
            low = np.array([at[0], at[1], z])
            model.cut(rod(low - along, low + along, 0.45 * tall), "block", number)
        elif make == "roof":
            gable = [(-0.7 * wide, -tall / 2), (0.7 * wide, -tall / 2), (0, tall / 2)]
            model.add("block", plate(gable, wide, place, turn @ turned_by(pitch=np.pi / 2)), number=number)
        else:
            model.add("block", block(place, (wide, wide * dice.size(1, 0.2), tall), dice.between(0, 0.05), turn),
                      number=number)  # fmt: skip
        if make == "roof":
            break
        z += tall
        at = at + np.clip(dice.rng.normal(0, 0.12, 2), -0.2, 0.2) * size
    return model


def box(dice: Dice) -> Model:
    """A box with a lid that overhangs, and perhaps a handle or feet."""
    model = Model()
    wide, deep, tall = dice.size(0.8, 0.25), dice.size(0.6, 0.25), dice.size(0.45, 0.35)
    lid, over = dice.size(0.14, 0.5), dice.between(1.05, 1.18)
    open_box = dice.chance(0.3)
    if dice.chance(0.3):
        model.add("body", rod((0, 0, 0), (0, 0, tall), 0.5 * wide))
        model.add("lid", rod((0, 0, tall - 0.02), (0, 0, tall + lid), 0.5 * over * wide))
    else:
        model.add("body", block((0, 0, tall / 2), (wide, deep, tall), dice.between(0, 0.05)))
        if open_box:
            model.cut(block((0, 0, 0.1 + tall / 2), (wide - 0.12, deep - 0.12, tall)), "body")
            angle = dice.between(0.3, 1.5)
            edge = np.array([0, deep / 2, tall])
            way = np.array([0, np.cos(angle + 1.2), np.sin(angle + 1.2) * 0.9 + 0.2])
            way /= np.linalg.norm(way)
            frame = np.stack([np.eye(3)[0], way, np.cross(np.eye(3)[0], way)], axis=1)
            model.add("lid", block(edge + 0.47 * deep * way, (wide, deep, 0.08), 0.01, frame))
        else:
            model.add("lid", block((0, 0, tall + lid / 2 - 0.01), (over * wide, over * deep, lid), 0.02))
    if not open_box and dice.chance(0.5):
        top = tall + lid
        make = dice.chance(0.5)
        knob = [rod((0, 0, top - 0.03), (0, 0, top + 0.05), 0.04), ball((0, 0, top + 0.1), 0.08)]
        arch = [
            tube(
                curve([(-0.2, 0, top - 0.03), (-0.16, 0, top + 0.12), (0.16, 0, top + 0.12), (0.2, 0, top - 0.03)], 10),
                0.035,
            )
        ]
        model.add("handle", *(knob if make else arch))
    if dice.chance(0.25):
        for number, (x, y) in enumerate(((-1, -1), (1, -1), (1, 1), (-1, 1))):
            at = np.array([0.4 * x * wide, 0.38 * y * deep, -0.03])
            model.add("foot", ball(at, 0.075), number=number)
    return model


def umbrella(dice: Dice) -> Model:
    """A canopy on a shaft with a hooked or straight handle, open or closed."""
    model = Model()
    long, thin = dice.size(1.0, 0.15), dice.size(0.022, 0.2)
    if dice.chance(0.7):
        wide, tall = dice.size(0.6, 0.2), dice.size(0.28, 0.3)
        share = np.linspace(0, 1, 9)
        profile = np.stack([wide * np.cos(np.pi / 2 * share) + 0.02, long - 0.8 * tall + tall * share], axis=1)
        model.add("canopy", turned(profile))
        inside = profile - np.array([0.05, 0.06])
        model.cut(turned(np.concatenate([[(wide, float(inside[0, 1]) - 0.2)], inside])), "canopy")
        model.add("shaft", rod((0, 0, 0), (0, 0, long + 0.15 * tall), thin))
    else:
        model.add("shaft", rod((0, 0, 0), (0, 0, long), thin))
        model.add("canopy", turned([(2 * thin, 0.25 * long), (4 * thin, 0.45 * long), (3 * thin, 0.8 * long),
                                    (1.2 * thin, long)]))  # fmt: skip
    hook = dice.size(0.09, 0.2)
    if dice.chance(0.6):
        turn = np.linspace(0, np.pi * dice.between(0.8, 1.2), 10)
        points = np.stack([hook * (1 - np.cos(turn)), 0 * turn, -0.12 - hook * np.sin(turn)], axis=1)
        model.add("handle", tube(np.concatenate([[(0, 0, 0.06)], points]), 1.7 * thin))
    else:
        model.add("handle", turned([(1.8 * thin, -0.2), (2.2 * thin, -0.1), (1.5 * thin, 0.05)]))
    return model
