"""Where the examples in docstrings run: in an empty folder, with a cache of their own."""

from __future__ import annotations

from pathlib import Path

import pytest

# Programs to run, not modules to import.
collect_ignore_glob = ["tests/benchmarks/*", "tests/helpers/*", "viewers/*"]


@pytest.fixture(autouse=True)
def _own_place(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """Examples write files where they stand and compute; neither may touch the checkout or the user's own cache."""
    if isinstance(request.node, pytest.DoctestItem):
        place: Path = request.getfixturevalue("tmp_path")
        monkeypatch.chdir(place)
        monkeypatch.setenv("MESHTIDE_CACHE", str(place / "cache"))
