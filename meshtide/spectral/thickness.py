"""How thick the body is below every face: the shape diameter, by rays cast inwards."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from meshtide.arrays import FloatArray, IntArray
from meshtide.memory import need

RAYS = 12
HALF_ANGLE = np.radians(50.0)  # of the cone that rays are cast into
FAR = 1.0  # what counts as thick where no ray meets anything: the square root of a surface of area 1
NEAR = 1e-3  # nothing is thinner than this: both sides of a sheet drawn twice
BLOCK = 65_536  # faces whose rays are cast at once, so that memory does not grow with the mesh
ROOM, ROOM_A_FACE = 160 * 2**20, 400  # bytes: a little more than Embree was seen to take, its threads' stacks included
LIFT = 1e-4  # rays start this far below the surface, so that they do not meet their own face


@dataclass(frozen=True, eq=False)
class Thickness:
    """For every face the length of a typical ray inwards, (F,), and the share of its rays that met anything, (F,)."""

    lengths: FloatArray
    hits: FloatArray


class Inside:
    """A surface of area 1 that rays can be cast at."""

    def __init__(self, vertices: FloatArray, faces: IntArray) -> None:
        self.triangles = np.ascontiguousarray(vertices[faces], dtype=np.float32)

    @cached_property
    def _scene(self) -> Any:
        from embreex.mesh_construction import TriangleMesh
        from embreex.rtcore_scene import EmbreeScene

        need(ROOM + ROOM_A_FACE * len(self.triangles))
        scene = EmbreeScene()
        # The scene keeps no reference to what was built into it.
        self._mesh = TriangleMesh(scene, self.triangles)
        return scene

    def distances(self, origins: FloatArray, directions: FloatArray, most: float = 1e3) -> NDArray[np.float32]:
        """How far each ray (N, 3) goes before it meets a face, (N,); `most` where it meets none."""
        starts = np.ascontiguousarray(origins, dtype=np.float32)
        ways = np.ascontiguousarray(directions, dtype=np.float32)
        if len(starts) == 0:
            return np.zeros(0, dtype=np.float32)
        found = self._scene.run(starts, ways, dists=np.full(len(starts), most, dtype=np.float32), query="DISTANCE")
        return np.minimum(np.nan_to_num(np.asarray(found, dtype=np.float32), nan=most), most)

    def thickness(self, normals: FloatArray, rays: int = RAYS) -> Thickness:
        """The shape diameter below every face whose outward unit normal is given, (F, 3).

        It is the median length of rays in a cone around the inward normal, as far as they met anything. Where fewer
        than a quarter did, as below a sheet that is open to both sides, the body has no thickness and FAR stands in.
        """
        blocks = [slice(start, start + BLOCK) for start in range(0, len(normals), BLOCK)]
        parts = [self._block(self.triangles[block], normals[block], rays) for block in blocks]
        return Thickness(*(np.concatenate(arrays) if arrays else np.zeros(0) for arrays in zip(*parts, strict=True)))

    def _block(self, triangles: NDArray[np.float32], normals: FloatArray, rays: int) -> tuple[FloatArray, FloatArray]:
        """The lengths and hits of some faces."""
        origins = triangles.mean(axis=1).astype(np.float64) - LIFT * normals
        # Turned with the shape: the cone starts at the face's first side, not at an axis of the world.
        sides = (triangles[:, 1] - triangles[:, 0]).astype(np.float64)
        directions = cone(-normals, sides, rays)  # (F, R, 3)
        starts = np.repeat(origins, rays, axis=0)
        found = self.distances(starts, directions.reshape(-1, 3)).reshape(len(normals), rays).astype(np.float64)
        met = found < 10 * FAR
        hits = met.mean(axis=1)
        lengths = _median(found, met)
        return np.where(hits >= 0.25, np.clip(lengths + LIFT, NEAR, FAR), FAR), hits


def cone(axes: FloatArray, sides: FloatArray, rays: int, half_angle: float = HALF_ANGLE) -> FloatArray:
    """Directions spread evenly over a cone around each unit axis (N, 3), counted from its side (N, 3), (N, R, 3)."""
    # A Fibonacci spiral over the cap.
    number = np.arange(rays) + 0.5
    height = 1 - (1 - np.cos(half_angle)) * number / rays
    turn = np.pi * (1 + np.sqrt(5)) * number
    radius = np.sqrt(1 - height**2)
    first = np.cross(axes, sides)
    first /= np.maximum(np.linalg.norm(first, axis=1, keepdims=True), 1e-12)
    second = np.cross(axes, first)
    return np.asarray(
        height[None, :, None] * axes[:, None, :]
        + (radius * np.cos(turn))[None, :, None] * first[:, None, :]
        + (radius * np.sin(turn))[None, :, None] * second[:, None, :]
    )


def _median(values: FloatArray, valid: NDArray[np.bool_]) -> FloatArray:
    """The median of the valid entries of every row, (N,); FAR in rows that have none."""
    ordered = np.sort(np.where(valid, values, np.inf), axis=1)
    count, rows = valid.sum(axis=1), np.arange(len(values))
    low, high = np.maximum(count - 1, 0) // 2, np.minimum(count // 2, np.maximum(count - 1, 0))
    return np.where(count > 0, (ordered[rows, low] + ordered[rows, high]) / 2, FAR)
