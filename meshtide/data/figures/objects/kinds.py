"""The table of kinds: how each is built, what its parts are called, and what surfaces it comes in."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from meshtide.data.figures.dice import Dice
from meshtide.data.figures.objects import (
    chance,
    craft,
    devices,
    fittings,
    furniture,
    household,
    machines,
    outdoors,
    rooms,
    things,
    tools,
    vehicles,
    vessels,
)
from meshtide.data.figures.objects.model import Model


@dataclass(frozen=True)
class Ways:
    """How often the surfaces of a kind are blended, solid with sharp edges, or many shells."""

    training: Mapping[str, float]
    held_out: Mapping[str, float]

    def __getitem__(self, variant: str) -> Mapping[str, float]:
        return self.held_out if variant == "held-out" else self.training


@dataclass(frozen=True)
class Kind:
    """One kind of object."""

    build: Callable[[Dice], Model]
    parts: tuple[str, ...]
    ways: Ways


SHARP = Ways({"blended": 0.3, "solid": 0.5, "shells": 0.2}, {"blended": 0.5, "solid": 0.3, "shells": 0.2})
MIXED = Ways({"blended": 0.45, "solid": 0.3, "shells": 0.25}, {"blended": 0.3, "solid": 0.45, "shells": 0.25})
SMOOTH = Ways({"blended": 0.7, "solid": 0.2, "shells": 0.1}, {"blended": 0.5, "solid": 0.35, "shells": 0.15})


def _kind(build: Callable[[Dice], Model], parts: str, ways: Ways = MIXED) -> Kind:
    return Kind(build, tuple(parts.split(", ")), ways)


KINDS: dict[str, Kind] = {
    "chair": _kind(furniture.chair, "seat, back, leg, armrest, stretcher, base"),
    "stool": _kind(furniture.stool, "seat, leg, stretcher, base"),
    "sofa": _kind(rooms.sofa, "seat, back, armrest, leg, cushion"),
    "table": _kind(furniture.table, "top, leg, base, stretcher"),
    "bed": _kind(rooms.bed, "mattress, headboard, footboard, leg, pillow"),
    "shelf": _kind(rooms.shelf, "board, side, back, leg"),
    "cabinet": _kind(rooms.cabinet, "body, handle, leg, top"),
    "lamp": _kind(rooms.lamp, "shade, arm, base, joint"),
    "mug": _kind(vessels.mug, "body, handle, foot", SMOOTH),
    "jug": _kind(vessels.jug, "body, handle, spout, neck", SMOOTH),
    "bottle": _kind(vessels.bottle, "body, neck, cap", SMOOTH),
    "vase": _kind(vessels.vase, "body, neck, foot, lip, handle", SMOOTH),
    "teapot": _kind(vessels.teapot, "body, spout, handle, lid, knob", SMOOTH),
    "bowl": _kind(vessels.bowl, "body, foot, handle, lid", SMOOTH),
    "pan": _kind(vessels.pan, "body, handle", SMOOTH),
    "airplane": _kind(vehicles.airplane, "fuselage, wing, tailplane, fin, engine, propeller", SMOOTH),
    "car": _kind(vehicles.car, "body, wheel, cabin, bumper, mirror, spoiler"),
    "truck": _kind(craft.truck, "cab, load, wheel, chassis, hood"),
    "bicycle": _kind(craft.bicycle, "wheel, frame, fork, handlebar, saddle, crank"),
    "helicopter": _kind(craft.helicopter, "body, boom, rotor, fin, skid, wheel, wing"),
    "ship": _kind(craft.ship, "hull, deckhouse, funnel, mast, sail, gun"),
    "rocket": _kind(craft.rocket, "body, nose, fin, nozzle, booster"),
    "pliers": _kind(tools.pliers, "handle, jaw, pivot", SMOOTH),
    "hammer": _kind(tools.hammer, "handle, head"),
    "screwdriver": _kind(tools.screwdriver, "handle, shaft, collar"),
    "scissors": _kind(tools.scissors, "blade, handle", SMOOTH),
    "key": _kind(tools.key, "bow, shaft, bit"),
    "wrench": _kind(tools.wrench, "handle, head"),
    "knife": _kind(tools.knife, "blade, handle, guard"),
    "fork": _kind(tools.fork, "handle, head", SMOOTH),
    "spoon": _kind(tools.spoon, "handle, bowl", SMOOTH),
    "brush": _kind(tools.brush, "handle, head, ferrule, bristle"),
    "glasses": _kind(things.glasses, "rim, bridge, temple", SMOOTH),
    "guitar": _kind(things.guitar, "body, neck, head, bridge"),
    "chess piece": _kind(things.chess, "base, stem, collar, head, cross", SMOOTH),
    "robot": _kind(things.robot, "torso, head, antenna, arm, hand, leg, foot, wheel"),
    "toy blocks": _kind(things.blocks, "block"),
    "box": _kind(things.box, "body, lid, handle, foot"),
    "ladder": _kind(devices.ladder, "rail, rung, leg"),
    "fence": _kind(devices.fence, "post, rail, picket"),
    "umbrella": _kind(things.umbrella, "canopy, shaft, handle", SMOOTH),
    "headphones": _kind(devices.headphones, "band, cup, pad, microphone", SMOOTH),
    "phone": _kind(devices.phone, "body, antenna, button, cradle, receiver, dial"),
    "camera": _kind(devices.camera, "body, lens, hood, flash, button, leg"),
    "gamepad": _kind(devices.gamepad, "body, grip, stick, cross, button", SMOOTH),
    "building": _kind(devices.building, "house, roof, tower, chimney", SHARP),
    "bracket": _kind(machines.bracket, "base, wall, rib", SHARP),
    "flange": _kind(machines.flange, "flange, pipe, branch", SHARP),
    "gear": _kind(machines.gear, "gear, shaft, hub", SHARP),
    "shaft": _kind(machines.shaft, "section", SHARP),
    "pipe": _kind(machines.pipe, "pipe, collar, joint", SHARP),
    "housing": _kind(machines.housing, "housing, boss, base, lug", SHARP),
    "bearing": _kind(machines.bearing, "ring, base, support, stem, arm, ball", SHARP),
    "bolt": _kind(fittings.bolt, "head, shank, washer, nut", SHARP),
    "link": _kind(machines.link, "boss, arm", SHARP),
    "mount": _kind(fittings.mount, "base, post, pin", SHARP),
    "valve": _kind(fittings.valve, "body, pipe, flange, stem, wheel, lever", SHARP),
    "pulley": _kind(fittings.pulley, "rim, hub, spoke, axle, fork, bridge", SHARP),
    "crank": _kind(fittings.crank, "journal, web, pin", SHARP),
    "piston": _kind(fittings.piston, "cylinder, rod, cap, eye, port", SHARP),
    "clamp": _kind(fittings.clamp, "frame, screw, foot, handle, anvil", SHARP),
    "fan": _kind(household.fan, "hub, blade, ring, stand, base"),
    "candlestick": _kind(household.candlestick, "base, stem, knot, arm, cup, candle", SMOOTH),
    "tap": _kind(household.tap, "base, spout, handle", SMOOTH),
    "can": _kind(household.can, "body, handle, spout, rose", SMOOTH),
    "barbell": _kind(household.barbell, "bar, weight"),
    "sword": _kind(household.sword, "blade, grip, guard, pommel"),
    "pistol": _kind(household.pistol, "barrel, body, grip, guard, scope"),
    "screen": _kind(household.screen, "screen, keyboard, stand, base, leg"),
    "hat": _kind(household.hat, "crown, brim", SMOOTH),
    "microscope": _kind(household.microscope, "base, arm, tube, eyepiece, stage, wheel"),
    "bell": _kind(household.bell, "bell, handle", SMOOTH),
    "tree": _kind(outdoors.tree, "trunk, crown, leaf, branch", SMOOTH),
    "plant": _kind(outdoors.plant, "pot, stem, arm, flower, petal, leaf", SMOOTH),
    "mushroom": _kind(outdoors.mushroom, "stem, cap", SMOOTH),
    "windmill": _kind(outdoors.windmill, "tower, head, hub, sail"),
    "tank": _kind(outdoors.tank, "hull, track, turret, gun, hatch"),
    "train": _kind(outdoors.train, "frame, boiler, cab, roof, chimney, dome, wheel"),
    "drone": _kind(outdoors.drone, "body, arm, rotor, skid"),
    "cart": _kind(outdoors.cart, "tray, wheel, axle, handle, leg"),
    "jack": _kind(outdoors.jack, "middle, arm, knob", SMOOTH),
    "coaxial": _kind(chance.coaxial, "section"),
    "attached": _kind(chance.attached, "body, attachment"),
    "assembly": _kind(chance.assembly, "piece"),
}
