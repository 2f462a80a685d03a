"""Everything runs on another device than the processor; see `on_stand_in.py`."""

from __future__ import annotations

from pathlib import Path

from own_process import pass_alone


def test_everything_runs_on_a_stand_in_for_a_graphics_card() -> None:
    # A device is for a whole process, and one that has differentiated before does not take it up.
    pass_alone(Path(__file__).with_name("on_stand_in.py"))
