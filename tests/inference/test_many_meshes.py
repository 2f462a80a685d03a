"""Many meshes in one process leave neither memory nor open files behind."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

PROGRAM = """
import json, sys
from pathlib import Path
from leaks import answer_many
print(json.dumps(list(answer_many(Path(sys.argv[1]), 24, 2))))
"""
# One thread, and one pool of memory: several are filled by chance, and each keeps what it once had.
ALONE = {"OMP_NUM_THREADS": "1", "MALLOC_ARENA_MAX": "1"}


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="reads what Linux says of a process")
def test_memory_and_open_files_stay_what_they_are(tmp_path: Path) -> None:
    # In a process of its own: what other tests left in this one is given back and taken again meanwhile.
    command = [sys.executable, "-c", PROGRAM, str(tmp_path)]
    done = subprocess.run(command, capture_output=True, text=True, check=False, env=os.environ | ALONE)
    assert done.returncode == 0, done.stderr
    _, memory, files = zip(*json.loads(done.stdout), strict=True)
    assert files[-1] == files[3]
    # The least of several moments, after a start in which libraries are loaded: what is leaked is in all of them.
    assert min(memory[8:]) - min(memory[3:7]) < 60e6, memory  # ten meshes' arrays would take five times that
