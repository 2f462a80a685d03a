"""Bones with radii: what a figure is made of before it has a surface."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TypedDict

import numpy as np

from meshtide.arrays import FloatArray

# Space everywhere: x to the figure's left, y forwards, z up.
SIDE, FRONT, UP = np.eye(3)


class Flat(TypedDict):
    """In which direction several bones are flat, and how far."""

    thin: FloatArray
    squash: float


@dataclass(frozen=True, eq=False)
class Bone:
    """A round cone between two joints, thinner along one direction if it is flat; its part is what it labels."""

    part: str
    start: FloatArray  # (3,)
    end: FloatArray  # (3,)
    radii: tuple[float, float]  # at the start and at the end
    bulge: float = 0.0  # what the radius gains in the middle: a muscle
    blend: float = 0.5  # how far it melts into its neighbours, in units of its own mean radius
    thin: FloatArray | None = None  # (3,) the direction in which the bone is flat
    squash: float = 1.0  # thickness along `thin` over the thickness across it
    cut: float = 0.0  # the first fraction of the bone belongs to `before`
    before: str = ""
    limb: str = ""  # bones of different limbs should not touch; the trunk is ""
    square: bool = False  # ends cut off flat instead of round: hems, hooves, stumps
    finer: str = ""  # the part it would be where limbs are divided, if `part` joins several
    goes_on: bool = False  # continues the bone before it: the two meet without swelling at the joint

    @property
    def radius(self) -> float:
        """The mean radius."""
        return (self.radii[0] + self.radii[1]) / 2 + 2 * self.bulge / 3

    @property
    def reach(self) -> float:
        """The largest distance of the surface from the axis."""
        return (max(self.radii) + max(self.bulge, 0.0)) * max(1.0, self.squash)


def unit(vector: FloatArray) -> FloatArray:
    """The vector at length one; a zero vector becomes UP."""
    length = float(np.linalg.norm(vector))
    return np.asarray(vector / length) if length > 1e-12 else UP.copy()


def across(direction: FloatArray, wanted: FloatArray) -> FloatArray:
    """The unit vector perpendicular to a direction that comes nearest to a wanted one."""
    axis = unit(direction)
    rest = wanted - (wanted @ axis) * axis
    if np.linalg.norm(rest) < 1e-6:
        rest = np.cross(axis, np.roll(axis, 1) + 0.3)
    return unit(rest)


def bent(direction: FloatArray, towards: FloatArray, angle: float) -> FloatArray:
    """A unit direction turned by an angle towards another one."""
    return np.asarray(np.cos(angle) * unit(direction) + np.sin(angle) * across(direction, towards))


def turned(frame: FloatArray, pitch: float = 0.0, roll: float = 0.0, yaw: float = 0.0) -> FloatArray:
    """A frame (columns side, front, up) turned about its own axes: nod forwards, lean aside, look aside."""
    (cx, sx), (cy, sy), (cz, sz) = ((np.cos(a), np.sin(a)) for a in (-pitch, roll, yaw))
    nod = np.array([[1, 0, 0], [0, cx, -sx], [0, sx, cx]])
    lean = np.array([[cy, 0, sy], [0, 1, 0], [-sy, 0, cy]])
    look = np.array([[cz, -sz, 0], [sz, cz, 0], [0, 0, 1]])
    return np.asarray(frame @ nod @ lean @ look)


def chain(points: Sequence[FloatArray], radii: Sequence[float], like: Bone) -> list[Bone]:
    """Bones through a row of joints; all have the settings of `like`, only the first one its cut."""
    bones = []
    for number in range(len(points) - 1):
        ends = (float(radii[number]), float(radii[number + 1]))
        cut = like.cut if number == 0 else 0.0
        bones.append(
            replace(like, start=points[number], end=points[number + 1], radii=ends, cut=cut, goes_on=number > 0)
        )
    return bones


def continued(points: Sequence[FloatArray], radii: Sequence[float], like: Bone) -> list[Bone]:
    """A chain that continues the bone before it."""
    return [replace(bone, goes_on=True) for bone in chain(points, radii, like)]


def pattern(part: str, limb: str = "", blend: float = 0.5, **settings: object) -> Bone:
    """Settings for `chain`, without a place."""
    bone = Bone(part, np.zeros(3), np.zeros(3), (0.0, 0.0), blend=blend, limb=limb)
    return replace(bone, **settings) if settings else bone  # type: ignore[arg-type]  # checked by replace itself


def curl(
    start: FloatArray, direction: FloatArray, towards: FloatArray, length: float, steps: int, angle: float
) -> list[FloatArray]:
    """The joints of a curve that starts in a direction and turns towards another by an angle a step."""
    points = [np.asarray(start)]
    for _ in range(steps):
        points.append(points[-1] + direction * length / steps)
        direction = bent(direction, towards, angle)
    return points


def moved(bone: Bone, place: FloatArray, frame: FloatArray, scale: float = 1.0) -> Bone:
    """A bone from its own coordinates to a place, a frame and a scale."""
    thin = None if bone.thin is None else frame @ bone.thin
    start, end = (place + scale * frame @ point for point in (bone.start, bone.end))
    radii = (scale * bone.radii[0], scale * bone.radii[1])
    return replace(bone, start=start, end=end, radii=radii, bulge=scale * bone.bulge, thin=thin)


def thickened(bones: Iterable[Bone], factors: Mapping[str, float]) -> list[Bone]:
    """Bones with the girth of each part changed by a factor."""
    result = []
    for bone in bones:
        factor = factors[bone.part]
        radii = (factor * bone.radii[0], factor * bone.radii[1])
        result.append(replace(bone, radii=radii, bulge=factor * bone.bulge))
    return result


def groups(bones: Iterable[Bone]) -> list[list[Bone]]:
    """Bones in order, those that continue each other together."""
    result: list[list[Bone]] = []
    for bone in bones:
        if bone.goes_on and result:
            result[-1].append(bone)
        else:
            result.append([bone])
    return result


def touching(bones: Iterable[Bone], margin: float = 0.3) -> bool:
    """Whether two limbs touch, or the far half of a limb touches the trunk; the margin is in radii of the thinner."""
    bones = list(bones)
    samples = np.linspace(0.1, 1.0, 5)[:, None]
    points = np.array([bone.start + samples * (bone.end - bone.start) for bone in bones])  # (B, 5, 3)
    radii = np.array([bone.reach * np.sqrt(bone.squash) for bone in bones])
    order = _places_along_limbs(bones)
    gap = np.linalg.norm(points[:, None, :, None] - points[None, :, None, :], axis=-1).min(axis=(2, 3))
    close = gap < radii[:, None] + radii + margin * np.minimum(radii[:, None], radii)
    far = order >= 2  # the first bones of a limb lie on the trunk and on each other by nature
    relevant = np.zeros_like(close)
    for one, bone in enumerate(bones):
        for two in range(one):
            other = bones[two]
            if bone.limb != other.limb:
                trunk = not bone.limb or not other.limb
                relevant[one, two] = (far[one] or far[two]) if trunk else (order[one] + order[two] >= 3)
    return bool((close & relevant).any())


def _places_along_limbs(bones: Sequence[Bone]) -> FloatArray:
    """How many bones of its own limb come before each bone; 0 on the trunk."""
    seen: dict[str, int] = {}
    places = []
    for bone in bones:
        places.append(seen.get(bone.limb, 0) if bone.limb else 0)
        seen[bone.limb] = seen.get(bone.limb, 0) + 1
    return np.array(places, dtype=np.float64)
