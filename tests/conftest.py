"""Fixtures that several test modules share."""

from __future__ import annotations

import os
import signal
from pathlib import Path

import pytest
from hypothesis import HealthCheck, Phase, settings

# Random examples that are the same in every run; `pytest --hypothesis-profile=thorough` draws others, and many.
# None has a time limit by the clock, which a busy machine would miss; limits of time are tests of their own.
PATIENT = {"deadline": None, "suppress_health_check": [HealthCheck.too_slow]}
settings.register_profile("usual", max_examples=40, derandomize=True, **PATIENT)
settings.register_profile("thorough", max_examples=2000, **PATIENT)
settings.register_profile(
    "quick", max_examples=15, derandomize=True, phases=[Phase.explicit, Phase.generate], **PATIENT
)
settings.load_profile("usual")


@pytest.fixture(scope="session")
def data_folder() -> Path:
    """The folder of real meshes, where the machine has one."""
    folder = os.environ.get("MESHTIDE_DATA")
    if not folder or not Path(folder).is_dir():
        pytest.skip("set MESHTIDE_DATA to the folder of real meshes to run this test")
    return Path(folder)


@pytest.fixture(autouse=True)
def _own_cache(tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch) -> None:
    """No test reads or fills the user's own cache."""
    monkeypatch.setenv("MESHTIDE_CACHE", str(tmp_path_factory.mktemp("cache")))


@pytest.fixture(autouse=True)
def _helpers_for_children(monkeypatch: pytest.MonkeyPatch) -> None:
    """Scripts that tests run in processes of their own find the helpers, and this checkout."""
    root = Path(__file__).parents[1]
    monkeypatch.setenv("PYTHONPATH", os.pathsep.join([str(root), str(root / "tests" / "helpers")]))


def hear_interrupts() -> None:
    """For a child that is to be interrupted: a test run in the background hands on that SIGINT is ignored."""
    signal.signal(signal.SIGINT, signal.SIG_DFL)
