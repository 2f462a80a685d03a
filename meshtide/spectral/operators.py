"""The names of the two operators of a mesh, which `spectrum` defines; here so that knowing them imports nothing."""

from __future__ import annotations

OPERATORS = ("surface", "graph")
