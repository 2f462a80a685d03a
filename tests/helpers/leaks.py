"""How much memory and how many open files a process has, and what many meshes leave of either."""

from __future__ import annotations

import contextlib
import ctypes
import gc
import os
from collections.abc import Iterator
from pathlib import Path

import numpy as np
from shapes import figure, sphere, torus

import meshtide as mt
from meshtide.data.figures.objects import make_object


def resident() -> int:
    """Bytes of memory that are in use now; what is only kept for the next time is given back to the system first."""
    gc.collect()
    with contextlib.suppress(OSError, AttributeError):  # other systems' libraries of C have other names for it
        ctypes.CDLL("libc.so.6").malloc_trim(0)
    return int(Path("/proc/self/statm").read_text().split()[1]) * os.sysconf("SC_PAGE_SIZE")


def open_files() -> int:
    """Files, sockets and pipes that are open now."""
    return len(list(Path("/proc/self/fd").iterdir()))


def answer_many(folder: Path, count: int, every: int, small: bool = False) -> Iterator[tuple[int, int, int]]:
    """Write a mesh, read and segment it, write its parts, again and again; yields meshes, memory and open files.

    Half of the meshes are objects without names, half are ants, of some thousand vertices; small ones are balls, rings
    and bodies of 42 to 610. No two are alike.
    """
    suffixes = (".ply", ".obj", ".stl", ".off", ".glb")
    for number in range(count):
        source = folder / f"mesh{suffixes[number % len(suffixes)]}"
        mesh = _small(number) if small else _usual(number)
        size = np.random.default_rng(number).uniform(0.5, 2, 3)
        mt.save_mesh(mt.Mesh(mesh.vertices * size, mesh.faces), source)
        mt.segment(source).save(folder / "parts.glb")
        if (number + 1) % every == 0:
            yield number + 1, resident(), open_files()


def _usual(number: int) -> mt.Mesh:
    made = make_object(("mug", "valve", "table", "key")[number // 2 % 4], number)
    return made.mesh if number % 2 else mt.make_figure("ant", number + 1)[0]


def _small(number: int) -> mt.Mesh:
    return (sphere(1), sphere(2), torus(10 + number % 30, 8), figure(1)[0])[number % 4]
