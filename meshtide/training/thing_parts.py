"""What the parts of generated things are called: the generator's words, and those that a person would use."""

from __future__ import annotations

from collections.abc import Mapping

LEGS = ("upperleg", "lowerleg", "foot")
ARMS = ("arm", "upperarm", "lowerarm", "hand")
HEAD = ("head", "ear", "horn")

# kind -> sort of thing -> the names of parts, each with the generator's words for what is of it.
THINGS: Mapping[str, Mapping[str, Mapping[str, tuple[str, ...]]]] = {
    "chair": {
        "objects.chair": {
            "seat": ("seat",),
            "back": ("back",),
            "arm": ("armrest",),
            "leg": ("leg", "stretcher", "base"),
        },
        "objects.stool": {"seat": ("seat",), "leg": ("leg", "stretcher", "base")},
        "objects.sofa": {"seat": ("seat", "cushion"), "back": ("back",), "arm": ("armrest",), "leg": ("leg",)},
    },
    "table": {"objects.table": {"top": ("top",), "leg": ("leg", "base", "stretcher")}},
    "lamp": {"objects.lamp": {"shade": ("shade",), "arm": ("arm", "joint"), "base": ("base",)}},
    "cup": {"objects.mug": {"body": ("body", "foot"), "handle": ("handle",)}},
    "bottle": {"objects.bottle": {"body": ("body",), "neck": ("neck",), "cap": ("cap",)}},
    "vase": {"objects.vase": {"body": ("body",), "neck": ("neck", "lip"), "foot": ("foot",), "handle": ("handle",)}},
    "teapot": {
        "objects.teapot": {"body": ("body",), "spout": ("spout",), "handle": ("handle",), "lid": ("lid", "knob")},
    },
    "airplane": {
        "objects.airplane": {
            "body": ("fuselage",),
            "wing": ("wing",),
            "tail": ("tailplane", "fin"),
            "engine": ("engine", "propeller"),
        },
    },
    "car": {
        "objects.car": {"body": ("body", "cabin", "bumper", "mirror", "spoiler"), "wheel": ("wheel",)},
        "objects.truck": {"body": ("cab", "load", "chassis", "hood"), "wheel": ("wheel",)},
    },
    "glasses": {"objects.glasses": {"frame": ("rim", "bridge"), "temple": ("temple",)}},
    "fish": {"creatures.fish": {"body": ("body",), "tail": ("tail",), "fin": ("fin",)}},
    "snake": {"creatures.snake": {"head": ("head",), "body": ("body",)}},
    "insect": {
        "creatures.insect": {
            "head": ("head",),
            "body": ("thorax", "abdomen"),
            "wing": ("wing",),
            "leg": ("leg",),
            "antenna": ("antenna",),
        },
        "creatures.beetle": {
            "head": ("head", "horn"),
            "body": ("thorax", "body"),
            "leg": ("leg",),
            "antenna": ("antenna",),
        },
    },
    "dinosaur": {
        "creatures.saurian": {
            "head": HEAD,
            "neck": ("neck",),
            "torso": ("torso",),
            "arm": ARMS,
            "leg": LEGS,
            "tail": ("tail",),
        },
    },
    "bust": {
        "creatures.bust": {
            "head": ("head", "hair", "hat", "beard"),
            "ear": ("ear",),
            "neck": ("neck",),
            "chest": ("chest",),
            "base": ("base",),
        },
    },
    "face": {
        "creatures.mask": {"head": ("head", "hair"), "nose": ("nose",), "ear": ("ear",), "neck": ("neck",)},
    },
}


def parts_of_kind(kind: str) -> tuple[str, ...]:
    """The names of a kind's parts, whatever sort of thing has them."""
    return tuple(dict.fromkeys(name for parts in THINGS[kind].values() for name in parts))
