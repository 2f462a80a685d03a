"""What starting the program costs: it makes the command that was asked for, and imports what that needs."""

from __future__ import annotations

import subprocess
import sys

import pytest
from typer.testing import CliRunner

from meshtide.cli import COMMANDS, app, program

PROBE = """
import sys
from meshtide.cli.numpy_alone import UNUSED, import_numpy_alone
import_numpy_alone()
import scipy.sparse
print([name for name in ("unittest", "charset_normalizer", "numpy.f2py.crackfortran") if name in sys.modules])
import numpy as np
np.testing.assert_allclose(np.ones(2), 1)
import numpy.testing as testing
from numpy import f2py
print(testing.assert_equal.__name__, f2py.__version__ == np.__version__ or bool(f2py.__version__))
"""


def test_parts_of_numpy_without_a_use_wait_and_are_there_when_wanted() -> None:
    done = subprocess.run([sys.executable, "-c", PROBE], capture_output=True, text=True, check=False, timeout=120)
    assert done.returncode == 0, done.stderr
    assert done.stdout.splitlines() == ["[]", "assert_equal True"]


@pytest.mark.parametrize("command", [command.__name__ for command in COMMANDS])
def test_a_command_alone_is_what_it_is_among_all(command: str) -> None:
    ways = (app, program(command))
    helps = [CliRunner().invoke(way, [command, "-h"], prog_name="meshtide") for way in ways]
    assert helps[0].exit_code == helps[1].exit_code == 0
    assert helps[0].output == helps[1].output
    assert len(ways[1].registered_commands) == 1


def test_another_word_gets_all_commands() -> None:
    for word in (None, "cache", "segmnt", "--help"):
        assert len(program(word).registered_commands) == len(COMMANDS)
