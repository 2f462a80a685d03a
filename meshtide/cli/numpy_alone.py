"""numpy without those of its parts that scipy makes it import and nobody here uses."""

from __future__ import annotations

import importlib.util
import sys

UNUSED = ("numpy.f2py", "numpy.testing")  # a translator of Fortran, with all that it imports, and unittest


def import_numpy_alone() -> None:
    """Import numpy and have the parts without a use wait until somebody wants something of them.

    `from numpy import *`, which scipy says, imports them all: a twelfth of what a small mesh takes.
    """
    import numpy as np

    for name in UNUSED:
        spec = importlib.util.find_spec(name)
        if name in sys.modules or spec is None or spec.loader is None:
            continue
        spec.loader = importlib.util.LazyLoader(spec.loader)
        module = importlib.util.module_from_spec(spec)
        sys.modules[name] = module
        spec.loader.exec_module(module)
        setattr(np, name.rpartition(".")[2], module)
