"""Four-legged families: the medians that a single animal varies around, in units of its trunk's length."""

from __future__ import annotations

from dataclasses import dataclass, fields, replace

from meshtide.data.figures.dice import Dice


@dataclass(frozen=True)
class Family:
    """Sizes of an animal whose trunk measures 1 from hip to shoulder; angles in degrees above the horizontal."""

    chest: float
    belly: float
    hip: float
    width: float  # of the trunk, side to side over top to bottom
    leg: float  # what is seen of it below the trunk
    thigh: float
    shin: float
    ankle: float
    foot: float
    neck: float
    neck_base: float
    neck_top: float
    neck_angle: float
    head: float
    muzzle: float
    muzzle_tip: float
    ear: float
    ear_width: float
    tail: float
    tail_base: float
    tail_tip: float
    tail_angle: float
    horn: float = 0.0
    snout_angle: float = -25.0
    sprawl: float = 0.0  # 0 legs below the trunk, 1 legs to the side


# Medians, one family a line; a family stands in all three tables.
_BODY = """
family    chest belly   hip width   leg thigh  shin ankle  foot
horse      0.26  0.26  0.25  0.75  0.85  0.11 0.058  0.04  0.06
cow        0.29  0.33  0.28   0.8   0.6  0.12 0.062 0.048 0.065
pig        0.27   0.3  0.28   0.9  0.32  0.11  0.07  0.05 0.055
hippo      0.34  0.37  0.33  0.95  0.28  0.14   0.1 0.085  0.09
dog        0.21  0.17  0.16  0.75   0.6 0.085 0.045 0.032 0.045
fox        0.18  0.16  0.15   0.8  0.48  0.07 0.038 0.028 0.036
cat        0.17 0.175  0.16  0.85  0.46 0.075 0.043 0.033 0.042
bear       0.28  0.29  0.28   0.9  0.42  0.13  0.09 0.078 0.085
deer       0.22   0.2   0.2  0.75  0.85 0.085 0.038 0.026 0.034
goat       0.23  0.25  0.22   0.8  0.55 0.085 0.045 0.033 0.042
giraffe    0.27  0.24  0.21  0.72   1.2   0.1 0.052 0.036 0.048
llama      0.25  0.25  0.23   0.8   0.8   0.1 0.055  0.04  0.05
elephant   0.38  0.41  0.37  0.85  0.62  0.16 0.125  0.11  0.12
mouse       0.2  0.25  0.24   0.9   0.2  0.07 0.038 0.028 0.034
rabbit      0.2  0.25  0.26   0.9  0.26  0.09 0.045 0.035 0.042
sauropod   0.29  0.34   0.3   0.8  0.55  0.14   0.1  0.08 0.085
dinosaur   0.26  0.32   0.3  0.85  0.42  0.13 0.085 0.065 0.075
lizard     0.15  0.19  0.15  1.25  0.32  0.06 0.042  0.03 0.036
crocodile  0.18  0.21  0.17   1.3  0.24 0.065 0.045 0.034 0.042
"""

_NECK = """
family     neck neck_base neck_top neck_angle  head muzzle muzzle_tip
horse      0.62      0.19     0.11         50 0.105    0.3      0.065
cow        0.32       0.2     0.14         22  0.13   0.25       0.09
pig        0.15      0.22     0.18          8  0.16    0.2      0.075
hippo      0.18      0.27     0.22          8  0.19   0.27       0.15
dog        0.28      0.13      0.1         45  0.12   0.19      0.052
fox        0.22      0.11     0.09         38  0.11   0.17      0.035
cat        0.17      0.11     0.09         35  0.12   0.07      0.055
bear        0.2       0.2     0.16         20  0.16   0.14       0.07
deer       0.45      0.13     0.08         55 0.095   0.19      0.045
goat        0.3      0.14      0.1         45   0.1   0.18      0.055
giraffe     1.3      0.17    0.075         64 0.085    0.2       0.05
llama      0.75      0.14     0.09         70 0.095   0.16      0.055
elephant   0.16       0.3     0.26         12  0.24   0.85       0.05
mouse       0.1      0.17     0.14         12  0.14   0.13       0.04
rabbit     0.13      0.15     0.13         35  0.15   0.09       0.06
sauropod    1.2      0.18    0.075         40  0.09   0.12       0.05
dinosaur    0.3       0.2     0.16         20  0.17   0.25       0.09
lizard     0.14      0.13     0.11          8 0.115   0.16      0.055
crocodile  0.15      0.16     0.13          3  0.13   0.42       0.05
"""

_TAIL = """
family      ear ear_width  tail tail_base tail_tip tail_angle  horn snout_angle sprawl
horse       0.1      0.03   0.6     0.045     0.04        -65     0         -45      0
cow        0.14     0.045   0.6     0.028    0.022        -80  0.12         -25      0
pig        0.14     0.055  0.15     0.022    0.015         10     0         -25      0
hippo      0.06      0.03   0.2      0.03     0.02        -60     0         -25      0
dog        0.12      0.04  0.45     0.038     0.02         25     0         -25      0
fox        0.12     0.045  0.65      0.05     0.05        -25     0         -25      0
cat        0.09     0.042  0.75     0.036    0.028          5     0         -25      0
bear      0.075     0.045  0.07     0.045    0.035        -40     0         -25      0
deer       0.13     0.035   0.1      0.03     0.02        -30   0.4         -25      0
goat       0.12     0.035  0.12      0.03     0.02        -20  0.25         -25      0
giraffe     0.1     0.032   0.5     0.022     0.02        -75  0.07         -25      0
llama      0.12     0.032  0.15      0.04     0.03        -40     0         -25      0
elephant   0.32      0.16  0.45     0.032     0.02        -80     0         -65      0
mouse       0.1      0.06  0.85     0.028    0.012         -5     0         -25      0
rabbit     0.36     0.045   0.1      0.06     0.06         20     0         -25      0
sauropod      0      0.02   1.5       0.2    0.025         -8     0         -25      0
dinosaur      0      0.02   1.1      0.19     0.03         -5  0.06         -25      0
lizard        0      0.02  1.25       0.1    0.018         -2     0          -5    0.9
crocodile     0      0.02   1.3      0.14     0.02         -3     0          -3   0.75
"""


def _families() -> dict[str, Family]:
    sizes: dict[str, dict[str, float]] = {}
    for table in (_BODY, _NECK, _TAIL):
        header, *rows = (line.split() for line in table.strip().splitlines())
        for name, *values in rows:
            sizes.setdefault(name, {}).update(zip(header[1:], map(float, values), strict=True))
    return {name: Family(**columns) for name, columns in sizes.items()}


FAMILIES = _families()

WEIGHTS = {
    "horse": 1.5, "cow": 1.3, "pig": 1, "hippo": 0.6, "dog": 1.5, "fox": 0.8, "cat": 1.2, "bear": 0.8, "deer": 0.9,
    "goat": 0.9, "giraffe": 0.7, "llama": 0.7, "elephant": 0.5, "mouse": 0.5, "rabbit": 0.6, "sauropod": 0.7,
    "dinosaur": 0.7, "lizard": 0.5, "crocodile": 0.5,
}  # fmt: skip

SPREADS = {
    "neck": 0.22,
    "ear": 0.28,
    "tail": 0.3,
    "horn": 0.35,
    "muzzle": 0.18,
    "leg": 0.16,
    "tail_base": 0.2,
    "tail_tip": 0.3,
}
GIRTHS = ("chest", "belly", "hip", "thigh", "shin", "ankle", "foot", "neck_base", "neck_top", "tail_base", "tail_tip")
ANGLES = {"neck_angle": 14.0, "tail_angle": 22.0, "snout_angle": 12.0}


def draw_animal(dice: Dice) -> tuple[str, Family]:
    """One animal: often a mixture of two families, with fat, stature and head size moving together; some are toys."""
    name, other = dice.pick(WEIGHTS), dice.pick(WEIGHTS)
    animal = FAMILIES[name]
    if dice.chance(0.3):
        animal = _mixed(animal, FAMILIES[other], dice.between(0.1, 0.5))
    stout, heavy, head = dice.size(1.0, 0.12), dice.size(1.0, 0.12), dice.size(1.0, 0.13)
    changes = {}
    for field in fields(Family):
        value = getattr(animal, field.name)
        if field.name in ANGLES:
            changes[field.name] = value + dice.normal(ANGLES[field.name])
        elif field.name != "sprawl":
            changes[field.name] = dice.size(value, SPREADS.get(field.name, 0.1))
    for key in ("chest", "belly", "hip"):
        changes[key] *= stout
    for key in ("thigh", "shin", "ankle", "foot"):
        changes[key] *= heavy
    for key in ("head", "muzzle", "muzzle_tip", "ear", "ear_width", "horn"):
        changes[key] *= head
    animal = replace(animal, **changes)
    animal = _toy(animal, dice.between(0.3, 1.0)) if dice.chance(0.17) else animal
    # A skull is never sunk in its neck, nor a neck thicker than what it grows from.
    base = min(animal.neck_base, 0.85 * animal.chest)
    return name, replace(animal, neck_base=base, neck_top=min(animal.neck_top, 0.88 * animal.head, base))


def _mixed(one: Family, two: Family, share: float) -> Family:
    pairs = {field.name: (getattr(one, field.name), getattr(two, field.name)) for field in fields(Family)}
    return Family(**{name: (1 - share) * a + share * b for name, (a, b) in pairs.items()})


def _toy(animal: Family, amount: float) -> Family:
    """Fat, with short thick limbs and a big head."""
    changes = {
        key: getattr(animal, key) * (1 + 0.45 * amount) for key in GIRTHS if key not in ("chest", "belly", "hip")
    }
    changes |= {
        key: getattr(animal, key) * (1 + 0.25 * amount) for key in ("chest", "belly", "hip", "ear_width", "muzzle_tip")
    }
    changes |= {key: getattr(animal, key) * (1 - 0.3 * amount) for key in ("leg", "neck", "muzzle", "tail", "horn")}
    return replace(animal, head=animal.head * (1 + 0.5 * amount), **changes)
