"""Tests that need a process to themselves, because of what others leave in one: threads, memory, a device."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[2]


def pass_alone(tests: Path) -> None:
    """Run a file of tests in a process of its own; fails with what that printed."""
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", str(tests)]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout[-5000:] + done.stderr[-2000:]
    assert "[100%]" in done.stdout  # and so they were not all left out
