"""How up and front of each kind of body are told from its parts."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from meshtide.arrays import FloatArray
from meshtide.inference.sides import Body, Figure, Frame, Limb, Limbs, made_frame

# What points to a person's front, and how much each counts.
WEIGHTS = {"toes": 1.0, "knees": 1.0, "elbows": 0.3, "face": 0.5}
CLEAR = 0.1  # the least sum of the evidence, or nothing is said


def _person(figure: Figure) -> Frame | None:
    """Up from the hips to the shoulders, and forwards as toes point, knees bend and the head is held."""
    arms, legs = figure.limbs.get("arm"), figure.limbs.get("leg")
    head = figure.middle(("head",))
    if legs is None or (arms is None and head is None):
        return None
    hips = [limb.root for limb in legs]
    shoulders = None if arms is None else [limb.root for limb in arms]
    top = np.mean(shoulders, axis=0) if shoulders is not None else head
    across = hips[0] - hips[1]
    if shoulders is not None:
        upper = shoulders[0] - shoulders[1]
        across = upper + (across if across @ upper > 0 else -across)
    frame = made_frame(np.asarray(top - np.mean(hips, axis=0)), across)
    if frame is None:
        return None
    normal = np.cross(frame.up, frame.front)  # the direction across stands as front here
    clues = person_clues(figure, normal)
    evidence = sum(WEIGHTS[name] * value for name, value in clues.items())
    if abs(evidence) < CLEAR:
        return None
    return Frame(frame.up, np.sign(evidence) * normal)


def person_clues(figure: Figure, normal: FloatArray) -> Mapping[str, float]:
    """How much each of the things that point to a person's front points along a direction."""
    toes, knees, elbows = [0.0], [0.0], [0.0]
    for limb in figure.limbs.get("leg", []):
        knee = figure.border(("upperleg",), ("lowerleg",), limb.faces)
        ankle = figure.border(("foot",), ("lowerleg",), limb.faces)
        foot = figure.middle(("foot",), limb.faces)
        if knee is not None and ankle is not None:
            shin = _unit(ankle - knee)
            knees.append(-float(_aside(shin, _unit(knee - limb.root)) @ normal))
            if foot is not None:
                toes.append(float(_aside(_unit(foot - ankle), shin) @ normal))
    for limb in figure.limbs.get("arm", []):
        elbow = figure.border(("upperarm",), ("lowerarm",), limb.faces)
        wrist = figure.border(("hand",), ("lowerarm",), limb.faces)
        if elbow is not None and wrist is not None:
            elbows.append(float(_aside(_unit(wrist - elbow), _unit(elbow - limb.root)) @ normal))
    head, neck = figure.middle(("head",)), figure.border(("head",), ("torso",))
    face = 0.0
    if head is not None and neck is not None:
        face = float(_unit(head - neck) @ normal)
    return {"toes": sum(toes) / 2, "knees": sum(knees) / 2, "elbows": sum(elbows) / 2, "face": face}


def _animal(figure: Figure) -> Frame | None:
    """Forwards from the trunk to the head, and up from where the legs stand."""
    legs = figure.limbs.get("leg")
    head, tail = figure.middle(("head",)), figure.border(("tail",), ("torso",))
    if legs is None or head is None:
        return None
    roots = np.stack([limb.root for limb in legs])
    forward = _unit(head - roots.mean(axis=0))
    if tail is not None:
        forward = forward + 0.5 * _unit(roots.mean(axis=0) - tail)
    # The roots of four legs lie along the trunk more truly than the head does.
    along = np.linalg.svd(roots - roots.mean(axis=0))[2][0] if len(legs) == 4 else forward
    standing = _standing(figure, legs)
    up = standing - (standing @ _unit(forward)) * _unit(forward)
    frame = made_frame(up, forward)
    if frame is None or len(legs) != 4:
        return frame
    turned = made_frame(up, along if along @ forward > 0 else -along)
    return turned if turned is not None and turned.front @ frame.front > 0.5 else frame


def _bird(figure: Figure) -> Frame | None:
    """Forwards from the tail to the head; up from the legs, or by where the wings are joined."""
    trunk, head, tail = figure.middle(("torso",)), figure.middle(("head",)), figure.middle(("tail",))
    if trunk is None or head is None:
        return None
    forward = _unit(head - (trunk if tail is None else tail))
    legs, wings = figure.limbs.get("leg"), figure.limbs.get("wing")
    if legs is not None:
        feet = _standing(figure, legs)
        hung = sum((trunk - limb.root for limb in legs), np.zeros(3))
        return made_frame(feet + hung, forward)
    if wings is None:
        return None
    frame = made_frame(wings[0].root - wings[1].root, forward)
    if frame is None:
        return None
    normal = np.cross(frame.front, frame.up)
    size = float(np.linalg.norm(wings[0].root - wings[1].root)) + 1e-9
    joined = float((np.mean([limb.root for limb in wings], axis=0) - trunk) @ normal) / size
    if abs(joined) < CLEAR:
        return None
    return Frame(np.sign(joined) * normal, frame.front)


def _ant(figure: Figure) -> Frame | None:
    """Forwards from the abdomen to the head, and up from where the legs stand."""
    head, rear, trunk = (figure.middle((part,)) for part in ("head", "abdomen", "torso"))
    legs = figure.limbs.get("leg")
    if head is None or trunk is None or legs is None:
        return None
    standing = _standing(figure, legs)
    return made_frame(standing, head - (trunk if rear is None else rear))


def _standing(figure: Figure, legs: Sequence[Limb]) -> FloatArray:
    """Upwards, from the ends of the legs to where they are joined to the trunk."""
    return np.asarray(np.sum([limb.root - figure.end(limb) for limb in legs], axis=0))


def _unit(vector: FloatArray) -> FloatArray:
    return np.asarray(vector / (np.linalg.norm(vector) + 1e-12))


def _aside(vector: FloatArray, along: FloatArray) -> FloatArray:
    """What of a vector is perpendicular to a direction of length one."""
    return np.asarray(vector - (vector @ along) * along)


BODIES: Mapping[str, Body] = {
    "humanoid": Body(
        ("torso",),
        {"arm": Limbs(("upperarm", "lowerarm", "hand")), "leg": Limbs(("lowerleg", "foot", "upperleg"))},
        _person,
    ),
    "quadruped": Body(("torso",), {"leg": Limbs(("leg",), 4), "ear": Limbs(("ear",))}, _animal),
    "bird": Body(("torso",), {"wing": Limbs(("wing",)), "leg": Limbs(("leg",))}, _bird),
    "ant": Body(("torso",), {"leg": Limbs(("leg",), 6), "antenna": Limbs(("antenna",))}, _ant),
}
