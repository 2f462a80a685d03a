"""What was run already: one line of JSON for every trial, added as it is done, so that nothing done is lost."""

from __future__ import annotations

import json
import os
from dataclasses import asdict
from pathlib import Path
from typing import Any

from meshtide.errors import InputError
from meshtide.files import read_regular
from meshtide.paper.trial import Outcome, Trial

MOST_BYTES = 2**28  # far beyond use


class Records:
    """Outcomes by trial, kept in a file if there is one; a line that was cut off by an interruption is left out."""

    def __init__(self, path: str | Path | None = None, *, resume: bool = False) -> None:
        self.path = None if path is None else Path(path)
        self._found: dict[str, dict[str, Any]] = {}
        if self.path is None:
            return
        if not self.path.parent.is_dir():
            raise InputError(f"{self.path}: the folder {self.path.parent} does not exist; create it first")
        if self.path.exists():
            self._found = _read(self.path)
            if self._found and not resume:
                raise InputError(
                    f"{self.path}: has {len(self._found):,} runs; `resume` goes on with them, or remove the file"
                )
            self._end_line()

    def __len__(self) -> int:
        return len(self._found)

    def outcome(self, trial: Trial) -> Outcome | None:
        """What a trial gave, if it was run."""
        said = self.find(trial.key())
        return None if said is None else _outcome(said)

    def add_outcome(self, trial: Trial, outcome: Outcome) -> None:
        """Keep what a trial gave."""
        self.add(trial.key(), asdict(outcome))

    def find(self, key: str) -> dict[str, Any] | None:
        """What stands under a key."""
        return self._found.get(key)

    def add(self, key: str, outcome: dict[str, Any]) -> None:
        """Keep something under a key, in the file before anything else is done."""
        self._found[key] = outcome
        if self.path is None:
            return
        line = json.dumps({"run": json.loads(key), "gave": outcome}) + "\n"
        try:
            with self.path.open("ab") as file:
                file.write(line.encode())
                file.flush()
                os.fsync(file.fileno())
        except OSError as error:
            raise InputError(f"{self.path}: cannot be written ({error.strerror or error})") from error

    def _end_line(self) -> None:
        """End a last line that was cut off, so that the next begins on its own."""
        if self.path is None or not self.path.stat().st_size:
            return
        with self.path.open("rb+") as file:
            file.seek(-1, os.SEEK_END)
            if file.read(1) != b"\n":
                file.write(b"\n")


def _read(path: Path) -> dict[str, dict[str, Any]]:
    lines = read_regular(path, MOST_BYTES).decode("utf-8", errors="replace").splitlines()
    found: dict[str, dict[str, Any]] = {}
    bad = 0
    for line in lines:
        try:
            said = json.loads(line)
            found[json.dumps(said["run"], sort_keys=True)] = dict(said["gave"])
        except (ValueError, TypeError, KeyError, RecursionError):
            bad += bool(line.strip())
    if bad and not found:
        raise InputError(f"{path}: holds no runs of `meshtide reproduce`; name another file")
    return found


def _outcome(said: dict[str, Any]) -> Outcome:
    try:
        return Outcome(
            float(said["validation"]),
            float(said["test"]),
            int(said["epoch"]),
            float(said["seconds"]),
            tuple(tuple(float(time) for time in block) for block in said["times"]),
            tuple(tuple(float(time) for time in record) for record in said["course"]),
        )
    except (KeyError, OverflowError, TypeError, ValueError):
        raise InputError(f"a record of a run is damaged: {json.dumps(said)[:200]}; remove that line") from None
