"""How much faster two jobs prepare a folder than one: `python tests/benchmarks/prepare_jobs.py FOLDER [JOBS [COUNT]]`.

FOLDER holds meshes, for example the 100 of FAUST. Each run fills a temporary cache of its own; the start of the
workers is part of the time. It means something on a machine that is otherwise quiet and has as many cores as jobs.
"""

from __future__ import annotations

import sys
import tempfile
import time
from collections import Counter
from pathlib import Path

from meshtide.spectral.batch import prepare_meshes
from meshtide.spectral.recipe import GraphRecipe

SUFFIXES = (".ply", ".off", ".obj", ".stl", ".glb")


def run(paths: list[Path], jobs: int) -> float:
    with tempfile.TemporaryDirectory() as folder:
        start = time.perf_counter()
        statuses = Counter(outcome.status for outcome in prepare_meshes(paths, GraphRecipe(), Path(folder), jobs=jobs))
        elapsed = time.perf_counter() - start
    print(f"{jobs} job{'s' * (jobs > 1)}: {elapsed:.1f} s, {dict(statuses)}")
    return elapsed


def main() -> None:
    if len(sys.argv) < 2:
        sys.exit(__doc__)
    jobs = int(sys.argv[2]) if len(sys.argv) > 2 else 2
    count = int(sys.argv[3]) if len(sys.argv) > 3 else None
    paths = sorted(path for path in Path(sys.argv[1]).iterdir() if path.suffix in SUFFIXES)[:count]
    run(paths[:2], 1)  # imports and the file cache are nobody's
    print(f"ratio {run(paths, 1) / run(paths, jobs):.2f} over {len(paths)} meshes")


if __name__ == "__main__":
    main()
