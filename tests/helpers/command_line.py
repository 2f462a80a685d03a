"""The command line as a user runs it."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path


def run(*words: object, cwd: Path | None = None, **environment: str) -> subprocess.CompletedProcess[str]:
    """Run `python -m meshtide` in a process of its own, as a user would."""
    return subprocess.run(
        [sys.executable, "-m", "meshtide", *map(str, words)],
        capture_output=True,
        text=True,
        cwd=cwd,
        timeout=600,
        check=False,
        env={**os.environ, "COLUMNS": "100", **environment},
    )
