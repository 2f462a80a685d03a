"""What is wrong with a mesh, what that means for segmentation, and what can be repaired."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np

from meshtide.arrays import IntArray
from meshtide.mesh.doubled import doubled_faces
from meshtide.mesh.measure import LEAST_AREA, triangle_areas, unit_box
from meshtide.mesh.mesh import Mesh
from meshtide.mesh.raw import RawMesh
from meshtide.mesh.ready import SOUP, is_soup
from meshtide.mesh.repair import REPAIRABLE, Step, crack_map, mend, seam_map
from meshtide.mesh.topology import components, duplicate_faces, edges_with_uses, repeated_corner, used_vertices
from meshtide.words import shown

Severity = Literal["fatal", "repairable", "remark"]
Verdict = Literal["good", "usable", "repairable", "unusable"]

USUAL_EIGENPAIRS = 128  # of which every component takes one for itself


@dataclass(frozen=True)
class Finding:
    """One thing the doctor saw: its kind, how often, and a sentence on what it is and what it means."""

    kind: str
    severity: Severity
    count: int
    sentence: str


@dataclass(frozen=True)
class Diagnosis:
    """Everything the doctor found in one mesh."""

    name: str
    vertices: int
    faces: int
    components: int
    findings: tuple[Finding, ...]

    @property
    def verdict(self) -> Verdict:
        """`good`, `usable` (remarks only), `repairable` (`repair` helps) or `unusable`."""
        severities = {finding.severity for finding in self.findings}
        if "fatal" in severities:
            return "unusable"
        if "repairable" in severities:
            return "repairable"
        return "usable" if severities else "good"

    def to_json(self) -> dict[str, Any]:
        """The diagnosis as plain data."""
        findings = [vars(finding) for finding in self.findings]
        return {**vars(self), "verdict": self.verdict, "findings": findings}


def diagnose(mesh: RawMesh | Mesh) -> Diagnosis:
    """Examine a mesh, checked or raw, and say in plain sentences what was found.

    >>> import meshtide as mt
    >>> for finding in mt.diagnose(mt.Mesh([[0, 0, 0], [1, 0, 0], [0, 1, 0]], [[0, 1, 2]])).findings:
    ...     print(finding.sentence)
    3 boundary edges: the surface has holes or rims; harmless if they are meant
    """
    raw = mesh if isinstance(mesh, RawMesh) else RawMesh.of(mesh)
    findings = [*(() if isinstance(mesh, Mesh) else _reading(raw)), *_invalid(raw)]
    sound, _ = mend(raw, ("missing-vertices", "not-finite"))
    pieces = 0
    fatal = _hopeless(raw, sound)
    if fatal:
        findings.append(fatal)
    else:
        pieces, piece_of = components(sound.faces, len(sound.vertices))
        for examine in (_faces, _doubled, _seams, _edges, _unreferenced, _scale):
            findings.extend(examine(sound))
        findings.extend(_pieces(sound, pieces, piece_of))
    findings.sort(key=lambda finding: ("fatal", "repairable", "remark").index(finding.severity))
    return Diagnosis(raw.name, len(raw.vertices), len(raw.faces), pieces, tuple(findings))


def repair(mesh: RawMesh | Mesh, diagnosis: Diagnosis | None = None) -> tuple[Mesh, tuple[Step, ...]]:
    """Repair what the diagnosis finds repairable; the mesh's origin still leads back to the file's elements.

    >>> import meshtide as mt
    >>> square = mt.Mesh([[0, 0, 0], [1, 0, 0], [0, 1, 0], [1, 0, 0], [1, 1, 0], [0, 1, 0]], [[0, 1, 2], [3, 4, 5]])
    >>> mended, steps = mt.repair(square)
    >>> mended, steps[0].done
    (Mesh('mesh': 4 vertices, 2 faces, 1 x 1 x 0, from 6 vertices and 2 faces), '2 vertices were welded along seams')
    """
    raw = mesh if isinstance(mesh, RawMesh) else RawMesh.of(mesh)
    diagnosis = diagnose(raw) if diagnosis is None else diagnosis
    found = {finding.kind for finding in diagnosis.findings}
    # Welding makes faces collapse onto one vertex or onto each other, and leaves vertices behind.
    kinds = REPAIRABLE if found & {"unwelded", "cracks"} else tuple(kind for kind in REPAIRABLE if kind in found)
    if found & set(REPAIRABLE):
        kinds = (*kinds, "unreferenced")
    mended, steps = mend(raw, kinds)
    return mended.checked(), steps


def _reading(raw: RawMesh) -> Iterator[Finding]:
    """What reading already did, so that nobody is surprised by the counts."""
    origin = raw.origin
    short = origin.face_count - len(np.unique(origin.face_of))
    if short:
        yield _remark("short-faces", short, f"{_many(short, 'face')} of fewer than three corners left out")
    polygons = origin.face_count - short
    if len(raw.faces) > polygons:
        yield _remark(
            "polygons", polygons, f"{_many(polygons, 'polygon')} became {len(raw.faces):,} triangles to work with"
        )
    if origin.pieces:
        names = ", ".join(shown(piece.name) for piece in origin.pieces[:4]) + (", …" if len(origin.pieces) > 4 else "")
        yield _remark("scene", len(origin.pieces), f"{len(origin.pieces)} geometries were joined into one ({names})")


def _invalid(raw: RawMesh) -> Iterator[Finding]:
    outside = int(((raw.faces < 0) | (raw.faces >= len(raw.vertices))).any(axis=1).sum())
    if outside:
        yield _repairable(
            "missing-vertices",
            outside,
            f"{_many(outside, 'face names', 'faces name')} vertices that do not exist (there are "
            f"{len(raw.vertices):,}), so the file is damaged; they can be removed, which leaves holes",
        )
    wild = int((~np.isfinite(raw.vertices)).any(axis=1).sum())
    if wild:
        yield _repairable(
            "not-finite",
            wild,
            f"{_many(wild, 'vertex has', 'vertices have')} coordinates that are NaN or infinite; "
            "they and their faces can be removed, which leaves holes",
        )


def _hopeless(raw: RawMesh, sound: RawMesh) -> Finding | None:
    """The reason why no repair makes this a surface."""
    if len(raw.faces) == 0:
        points = _many(len(raw.vertices), "vertex", "vertices")
        what = f"{points} and no faces" if len(raw.vertices) else "nothing in it"
        return Finding("no-faces", "fatal", 0, f"{what}; segmentation needs a surface, not points or lines")
    if len(sound.faces) == 0:
        return Finding("no-faces", "fatal", 0, "no face is left without the damaged ones; export the file again")
    if not triangle_areas(unit_box(sound.vertices, sound.faces), sound.faces).sum() >= LEAST_AREA:
        meaning = "its faces have no area: all lie on a line or a point, or some vertices lie far off by mistake"
        return Finding("no-area", "fatal", len(sound.faces), meaning)
    joined, _ = mend(sound, ("unwelded", "cracks"))
    return Finding("soup", "fatal", len(joined.faces), SOUP.format(len(joined.faces))) if is_soup(joined) else None


def _faces(raw: RawMesh) -> Iterator[Finding]:
    repeated = repeated_corner(raw.faces)
    count = int(repeated.sum())
    if count:
        yield _repairable(
            "repeated-corners", count, f"{_many(count, 'face names', 'faces name')} one vertex twice, covering nothing"
        )
    points = unit_box(raw.vertices, raw.faces)
    sides = [np.linalg.norm(points[raw.faces[:, i]] - points[raw.faces[:, i - 1]], axis=1) for i in range(3)]
    flat = (triangle_areas(points, raw.faces) <= 1e-10 * np.max(sides, axis=0) ** 2) & ~repeated
    if flat.any():
        count = int(flat.sum())
        yield _remark(
            "flat-faces",
            count,
            f"{_many(count, 'face has', 'faces have')} three corners on a line; the robust Laplacian copes",
        )
    count = int(duplicate_faces(raw.faces, len(raw.vertices)).sum())
    if count:
        yield _repairable(
            "duplicate-faces",
            count,
            f"{_many(count, 'face repeats', 'faces repeat')} an earlier one and would count its area twice",
        )


def _doubled(raw: RawMesh) -> Iterator[Finding]:
    """Faces on other faces; those that name the same vertices are found as duplicates."""
    twin = doubled_faces(raw)[0]
    count = int((twin != np.arange(len(twin))).sum()) - int(duplicate_faces(raw.faces, len(raw.vertices)).sum())
    if count > 0:
        what = f"{_many(count, 'triangle lies', 'triangles lie')} on others, as two-sided export writes them"
        yield _repairable("doubled-faces", count, f"{what}; parts are those of the single sheet")


def _seams(raw: RawMesh) -> Iterator[Finding]:
    """Vertices that are one place but several numbers: heat does not pass between them."""
    target = seam_map(raw)
    count = int((target != np.arange(len(target))).sum())
    if count:
        before, _ = components(raw.faces, len(raw.vertices))
        after, _ = components(target[raw.faces], len(raw.vertices))
        soup = "is a soup of triangles that share no vertices" if before == len(raw.faces) else "is cut along seams"
        pieces = f"{before:,} pieces instead of {after:,}, " if before > after else ""
        yield _repairable(
            "unwelded",
            count,
            f"{_many(count, 'vertex repeats', 'vertices repeat')} the place of another, so the surface {soup}: "
            f"{pieces}where heat should pass it does not, and features would miss the shape",
        )
        return
    target = crack_map(raw)
    count = int((target != np.arange(len(target))).sum())
    if count:
        yield _repairable(
            "cracks",
            count,
            f"{_many(count, 'boundary vertex lies', 'boundary vertices lie')} within a millionth of the size from "
            "another: cracks that heat does not cross",
        )


def _edges(raw: RawMesh) -> Iterator[Finding]:
    _, uses = edges_with_uses(raw.faces, len(raw.vertices))
    boundary, crowded = int((uses == 1).sum()), int((uses > 2).sum())
    if boundary:
        yield _remark(
            "boundary-edges",
            boundary,
            f"{_many(boundary, 'boundary edge')}: the surface has holes or rims; harmless if they are meant",
        )
    if crowded:
        yield _remark(
            "non-manifold-edges",
            crowded,
            f"{_many(crowded, 'edge')} with three or more faces (not manifold); the robust Laplacian copes",
        )
    turned = _turned_edges(raw)
    if turned:
        yield _remark(
            "turned-faces",
            turned,
            f"{_many(turned, 'edge')} between faces that look to opposite sides; parts are found all the same",
        )


def _turned_edges(raw: RawMesh) -> int:
    """How many edges of exactly two faces are walked in one direction by both."""
    sides = raw.faces[:, [0, 1, 1, 2, 2, 0]].reshape(-1, 2)
    low, high = sides.min(axis=1), sides.max(axis=1)
    _, edge, uses = np.unique(low * len(raw.vertices) + high, return_inverse=True, return_counts=True)
    direction = np.bincount(edge.ravel(), np.where(sides[:, 0] < sides[:, 1], 1.0, -1.0))
    return int(((uses == 2) & (np.abs(direction) == 2)).sum())


def _unreferenced(raw: RawMesh) -> Iterator[Finding]:
    count = int((~used_vertices(raw.faces, len(raw.vertices))).sum())
    if count:
        yield _repairable(
            "unreferenced",
            count,
            f"{_many(count, 'vertex belongs', 'vertices belong')} to no face and can get no part",
        )


def _scale(raw: RawMesh) -> Iterator[Finding]:
    corners = raw.vertices[raw.faces]
    low, high = corners.min(axis=(0, 1)), corners.max(axis=(0, 1))
    extent, distance = float((high / 2 - low / 2).max()) * 2, float(np.abs(low / 2 + high / 2).max())
    if not 1e-6 < extent < 1e6:
        yield _remark(
            "scale", 1, f"the shape is {extent:.3g} units large; harmless here, but other programs may show nothing"
        )
    if distance > 1e4 * extent:
        yield _remark(
            "far-away",
            1,
            f"the shape lies {distance / extent:.3g} times its size from the origin, where 32-bit files lose detail",
        )


def _pieces(raw: RawMesh, count: int, piece_of: IntArray) -> Iterator[Finding]:
    if count < 2:
        return
    areas = np.bincount(piece_of[raw.faces[:, 0]], triangle_areas(unit_box(raw.vertices, raw.faces), raw.faces), count)
    share = areas.max() / areas.sum()
    eaten = min(count, USUAL_EIGENPAIRS)
    meaning = "nothing is left to describe shape" if eaten == USUAL_EIGENPAIRS else "the rest is shared by area"
    yield _remark(
        "components",
        count,
        f"{count:,} components, the largest with {share:.0%} of the area; each takes an eigenpair for itself, "
        f"{eaten} of the usual {USUAL_EIGENPAIRS}, and {meaning}",
    )


def _many(count: int, one: str, several: str | None = None) -> str:
    return f"{count:,} {one if count == 1 else several or one + 's'}"


def _remark(kind: str, count: int, sentence: str) -> Finding:
    return Finding(kind, "remark", count, sentence)


def _repairable(kind: str, count: int, sentence: str) -> Finding:
    return Finding(kind, "repairable", count, sentence)
