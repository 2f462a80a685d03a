"""Many meshes in one process leave neither memory nor open files behind."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

PROGRAM = """
import json, sys
from pathlib import Path
from leaks import answer_many
print(json.dumps(list(answer_many(Path(sys.argv[1]), 16, 4))))
"""


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="reads what Linux says of a process")
def test_memory_and_open_files_stay_what_they_are(tmp_path: Path) -> None:
    # In a process of its own: what other tests left in this one is given back and taken again meanwhile.
    command = [sys.executable, "-c", PROGRAM, str(tmp_path)]
    seen = json.loads(subprocess.run(command, capture_output=True, text=True, check=True).stdout)
    memory, files = [row[1] for row in seen], [row[2] for row in seen]
    assert files[-1] == files[0]
    assert memory[-1] - memory[1] < 40e6  # what 8 meshes' arrays would take is ten times that
