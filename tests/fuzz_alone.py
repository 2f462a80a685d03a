"""Two thousand damaged files of every format: each is answered or refused in a sentence, in bounded time and memory.

`test_fuzz.py` runs these tests in a process of their own: pytest tests/fuzz_alone.py
"""

from __future__ import annotations

import os
import re
import time
import warnings
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
import torch
from fuzzing import server
from fuzzing.bases import bases
from fuzzing.bombs import BOMBS
from fuzzing.campaign import KINDS, Tally, make_case, run, smaller
from fuzzing.handlers import HANDLERS
from fuzzing.server import Case, outcomes

from meshtide.errors import InputError

SEED, COUNT = 20, 2000  # other seeds: tests/benchmarks/fuzz.py
REPRODUCERS = Path(__file__).parent / "reproducers"
ELSEWHERE = ("no such folder", "no such file", "holds no")  # cards whose meshes are not here


@pytest.fixture(autouse=True)
def _one_thread() -> None:
    torch.set_num_threads(1)  # more of them do not survive a fork


def test_the_files_to_begin_with_are_answered() -> None:
    cases = [
        Case(f"base {number}", kind, data)
        for kind, pool in bases().items()
        for number, data in enumerate(pool)
    ]  # fmt: skip
    assert {case.kind for case in cases} == set(KINDS)
    for case, outcome in zip(cases, outcomes(cases), strict=True):
        elsewhere = case.kind.endswith(".toml") and any(word in outcome.sentence for word in ELSEWHERE)
        assert outcome.verdict == "answered" or elsewhere, (case.kind, case.name, outcome)


def test_damaged_files_of_every_format_are_answered_or_refused() -> None:
    tally = Tally()
    for case, outcome in run(SEED, range(COUNT)):
        tally.add(case, outcome)
    assert not tally.finds, "\n".join(f"{case.kind} {case.name}: {what}" for case, what in tally.finds.values())
    verdicts = [sum(row.verdicts[verdict] for row in tally.rows.values()) for verdict in ("answered", "refused")]
    assert sum(verdicts) == COUNT
    assert min(verdicts) > COUNT // 20  # neither all whole nor all beyond recognition
    assert set(tally.rows) == {*KINDS, "whole"}


@pytest.mark.parametrize("path", sorted(REPRODUCERS.glob("*.*")), ids=lambda path: path.name)
def test_what_once_broke_does_not_break_again(path: Path) -> None:
    kind = re.sub(r"-\d+-\d+(-whole)?", "", path.name)
    case = Case(path.name, kind, path.read_bytes(), "-whole." in path.name)
    (outcome,) = outcomes([case])
    assert outcome.verdict != "broke", outcome


@pytest.mark.parametrize("name", BOMBS)
def test_small_files_that_ask_for_much_do_not_get_it(name: str) -> None:
    kind, make = BOMBS[name]
    (outcome,) = outcomes([Case(name, kind, make())])
    assert outcome.verdict != "broke", outcome
    assert outcome.megabytes < 700


def test_a_number_is_always_the_same_file() -> None:
    for number in (1, 7, 400):
        assert make_case(3, number) == make_case(3, number)
    assert make_case(3, 1).data != make_case(4, 1).data


def _busy(path: Path) -> None:
    while True:
        time.process_time()


def _large(path: Path) -> None:
    np.ones(15_000_000)


def _refusing_badly(path: Path) -> None:
    raise InputError("it is bad")


@pytest.mark.parametrize(
    ("breaks", "said"),
    [
        (lambda path: {}["key"], "KeyError"),
        (lambda path: warnings.warn("careful", stacklevel=1), "UserWarning"),
        (lambda path: os._exit(3), "death: the process ended with 3"),
        (lambda path: time.sleep(60), "hang"),
        (_busy, "over time"),
        (_large, "over memory"),
        (_refusing_badly, "names no file"),
    ],
)
def test_the_fuzzer_notices(breaks: Callable[[Path], None], said: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(HANDLERS, "mesh.obj", lambda path: breaks(path) if path.read_bytes() == b"bad" else None)
    monkeypatch.setattr(server, "SECONDS", 0.5)
    monkeypatch.setattr(server, "WAIT", 120 if breaks is _busy else 10)
    monkeypatch.setattr(server, "PATIENCE", 3)
    monkeypatch.setattr(server, "MOST_GROWTH", 60.0)
    found = list(outcomes([Case(str(number), "mesh.obj", data) for number, data in enumerate((b"", b"bad", b""))]))
    assert [each.verdict for each in found] == ["answered", "broke", "answered"]
    assert said in found[1].sentence


def test_a_find_is_made_smaller(monkeypatch: pytest.MonkeyPatch) -> None:
    def breaks(path: Path) -> None:
        if b"#!" in path.read_bytes():
            raise KeyError("mark")

    monkeypatch.setitem(HANDLERS, "mesh.obj", breaks)
    case = Case("x", "mesh.obj", bytes(range(33)) * 30 + b"#!" + bytes(range(33)) * 20)
    (outcome,) = outcomes([case])
    assert b"#!" in smaller(case, outcome).data
    assert len(smaller(case, outcome).data) < 20
