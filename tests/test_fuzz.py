"""The fuzzer's two thousand files; see `fuzz_alone.py`."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from own_process import pass_alone


@pytest.mark.skipif(os.name != "posix", reason="forks as POSIX does")
def test_damaged_files_of_every_format_are_answered_or_refused() -> None:
    # Its children are forks, and do not survive the threads that other tests leave.
    pass_alone(Path(__file__).with_name("fuzz_alone.py"))
