"""Files handled in forked children, which may hang, fill the memory or die without harm to the fuzzer."""

from __future__ import annotations

import json
import os
import resource
import shutil
import signal
import sys
import tempfile
import time
import traceback
import warnings
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path

from fuzzing.handlers import NonsenseError, handle, whole
from meshtide.errors import InputError

BATCH = 40  # files that one child handles; a fork costs some milliseconds
MEMORY = 3 * 2**30  # bytes that a child may map beyond what it has
MOST_GROWTH = 1000.0  # megabytes; a file that needs more is a find
SECONDS, WHOLE_SECONDS = 5.0, 30.0  # of a processor, for reading a file and for segmenting a mesh
WAIT = 20  # times that, of the clock, is a hang,
PATIENCE = 6  # and so many times as long before it is called one: a busy machine may have had no time for it


@dataclass(frozen=True)
class Case:
    """A file to handle."""

    name: str
    kind: str
    data: bytes
    whole: bool = False  # segment it by the command line


@dataclass(frozen=True)
class Outcome:
    """What became of a file: "answered", "refused" or "broke"."""

    verdict: str
    sentence: str  # what was said; of a find, what broke
    where: str = ""  # the line of meshtide that a find came from
    seconds: float = 0.0  # of a processor
    megabytes: float = 0.0  # that the process grew by

    @property
    def signature(self) -> tuple[str, str]:
        """Finds of one signature are one fault."""
        return self.where, self.sentence.partition(":")[0]


def outcomes(cases: Sequence[Case]) -> Iterator[Outcome]:
    """What becomes of each file, in order; a child that dies costs the file it died of."""
    done = 0
    while done < len(cases):
        batch = cases[done : done + BATCH]
        found, ending = _in_child(batch)
        yield from found
        done += len(found)
        if len(found) < len(batch):
            yield _last_word(ending, batch[len(found)])
            done += 1


def _last_word(ending: int, case: Case) -> Outcome:
    """What becomes of a file that a child died of; one that seemed to hang is tried alone, with more of the clock."""
    if -os.waitstatus_to_exitcode(ending) == signal.SIGALRM:
        found, ending = _in_child([case], PATIENCE)
        if found:
            return found[0]
    return _death(ending, case)


def _death(ending: int, case: Case) -> Outcome:
    number = os.waitstatus_to_exitcode(ending)
    if -number == signal.SIGPROF:
        return Outcome("broke", "over time: used more than its seconds of the processor", case.kind)
    if -number == signal.SIGALRM:
        return Outcome("broke", "hang: did not end", case.kind)
    return Outcome("broke", f"death: the process ended with {number}", case.kind)


def _in_child(batch: Sequence[Case], patience: int = 1) -> tuple[list[Outcome], int]:
    reading, writing = os.pipe()
    folder = Path(tempfile.mkdtemp(prefix="fuzz-", dir=_memory_folder()))
    child = os.fork()
    if child == 0:
        os.close(reading)
        try:
            _work(batch, folder, writing, patience)
        finally:  # whatever happens, the child must not go on as the parent
            os._exit(0)
    os.close(writing)
    with os.fdopen(reading, "rb") as pipe:
        lines = pipe.read().split(b"\n")[:-1]
    _, ending = os.waitpid(child, 0)
    shutil.rmtree(folder, ignore_errors=True)
    return [Outcome(**json.loads(line)) for line in lines], ending


def _memory_folder() -> str | None:
    """A folder that is no disk, where the machine has one."""
    return "/dev/shm" if os.access("/dev/shm", os.W_OK) else None


def _work(batch: Sequence[Case], folder: Path, pipe: int, patience: int) -> None:
    for number in (signal.SIGPROF, signal.SIGALRM):
        signal.signal(number, signal.SIG_DFL)
    pages = int(Path("/proc/self/statm").read_text().split()[0]) if Path("/proc/self/statm").exists() else 0
    limit = pages * resource.getpagesize() + MEMORY if pages else resource.RLIM_INFINITY
    resource.setrlimit(resource.RLIMIT_AS, (limit, limit))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    quiet = os.open(os.devnull, os.O_WRONLY)
    os.dup2(quiet, 1), os.dup2(quiet, 2)
    for case in batch:
        outcome = _outcome(case, folder, patience)
        os.write(pipe, json.dumps(asdict(outcome)).encode() + b"\n")


def _outcome(case: Case, folder: Path, patience: int) -> Outcome:
    """Handle one file under its limits of time."""
    path = folder / case.kind
    path.write_bytes(case.data)
    budget = WHOLE_SECONDS if case.whole else SECONDS
    signal.setitimer(signal.ITIMER_PROF, budget)
    signal.setitimer(signal.ITIMER_REAL, WAIT * budget * patience)
    before, began = _reset_peak(), time.process_time()
    verdict, sentence, where = _verdict(case, path)
    seconds, growth = time.process_time() - began, _peak() - before
    signal.setitimer(signal.ITIMER_PROF, 0)
    signal.setitimer(signal.ITIMER_REAL, 0)
    if verdict != "broke" and growth > MOST_GROWTH:
        verdict, sentence, where = "broke", f"over memory: {growth:,.0f} MB for {len(case.data):,} bytes", case.kind
    path.unlink(missing_ok=True)
    return Outcome(verdict, sentence, where, seconds, growth)


def _verdict(case: Case, path: Path) -> tuple[str, str, str]:
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        try:
            (whole if case.whole else handle)(case.kind, path)
            verdict, sentence, where = "answered", "", ""
        except InputError as error:
            verdict, sentence, where = "refused", str(error), ""
        except NonsenseError as error:
            return "broke", f"nonsense, {error}", case.kind
        except BaseException as error:  # all that is left is a find
            return "broke", f"{type(error).__name__}: {str(error)[:300]}", _place(error)
    odd = [each for each in caught if not each.category.__name__.startswith("Spectrum")]
    if odd:
        return "broke", f"{odd[0].category.__name__}: {odd[0].message}", f"{Path(odd[0].filename).name}:{odd[0].lineno}"
    return verdict, sentence, where


def _place(error: BaseException) -> str:
    """The innermost line of meshtide."""
    frames = [frame for frame in traceback.extract_tb(error.__traceback__) if "meshtide/" in frame.filename]
    frames = frames or list(traceback.extract_tb(error.__traceback__))
    return f"{frames[-1].filename.rpartition('meshtide/')[2]}:{frames[-1].lineno}" if frames else ""


def _reset_peak() -> float:
    """Let the system forget the largest size so far, where it can; returns what the process has now, in megabytes."""
    try:
        Path("/proc/self/clear_refs").write_text("5")
    except OSError:
        return _peak()
    return _status("VmRSS")


def _peak() -> float:
    if Path("/proc/self/status").exists():
        return _status("VmHWM")
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * (1 if sys.platform == "darwin" else 1024) / 1e6


def _status(key: str) -> float:
    line = next(line for line in Path("/proc/self/status").read_text().splitlines() if line.startswith(key))
    return int(line.split()[1]) / 1e3
