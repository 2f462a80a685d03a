"""Many tasks of one mesh each: divided, done on an engine, written down as they are done, and not done twice."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, TypeVar

from meshtide.errors import InputError
from meshtide.many.engine import Engine, run
from meshtide.many.faults import is_our_fault, sentence_about
from meshtide.many.manifest import Manifest
from meshtide.many.remote import exists, is_url
from meshtide.many.shard import Shard

Entry = dict[str, Any]  # what a report says of one mesh


class EmptyShardError(InputError):
    """There is nothing to do in this share of the work, which is nobody's fault."""


@dataclass(frozen=True)
class Task:
    """One mesh of many: where it is, which of all inputs it is, and what is known of an earlier run."""

    source: Path | str
    order: int = field(default=0, kw_only=True)  # among all inputs, those of other shards too
    known: Entry | None = field(default=None, kw_only=True)  # the line of a manifest

    def done_before(self, digest: str, fits: Callable[[Entry], bool]) -> Entry | None:
        """The entry of an earlier run, if that saw the same files and what it wrote is still there.

        `fits` says whether it has what an entry of this kind of work has.
        """
        if self.known is None or self.known["digest"] != digest or not all(map(_there, self.known["written"])):
            return None
        if not fits(self.known["entry"]):
            return None
        return {**self.known["entry"], "resumed": True}


@dataclass(frozen=True)
class Many:
    """How the work on many meshes is divided and remembered: where it is done, which share of it, and what is known."""

    engine: Engine = field(default_factory=Engine)
    shard: Shard | None = None
    manifest: Manifest | None = None

    @classmethod
    def of(
        cls,
        engine: Engine,
        shard: str | None = None,
        manifest: Path | None = None,
        resume: bool = False,
    ) -> Many:
        """From what a user says; `resume` goes on with what the manifest has."""
        if resume and manifest is None:
            raise InputError("`resume` goes on with a manifest; say with `manifest` which")
        share = None if shard is None else Shard.read(shard)
        return cls(engine, share, None if manifest is None else Manifest(manifest, resume))

    @property
    def is_plain(self) -> bool:
        """Whether everything is done here, one after the other, and nothing is remembered."""
        return self.engine.is_here and self.shard is None and self.manifest is None

    def has(self, name: str) -> bool:
        """Whether a mesh of this name is in the share."""
        return self.shard is None or self.shard.has(name)


PLAIN = Many()
_Some = TypeVar("_Some", bound=Task)


def do_tasks(
    work: Callable[[_Some], tuple[Entry, str]],
    tasks: Sequence[_Some],
    engine: Engine,
    manifest: Manifest | None = None,
    mark: str = "",
) -> Iterator[tuple[_Some, Entry]]:
    """Do every task and yield it with its entry as soon as that is known; each once, whoever dies on the way.

    `work` gives the entry and the digest of the files that it saw; an entry with an "error" is one that failed. With a
    manifest, in which `mark` says how the work is done, `work` is told what that knows, and new entries are added.
    """
    if manifest is not None:
        tasks = [replace(task, known=manifest.known(str(task.source), mark)) for task in tasks]
    for index, (entry, digest) in run(work, tasks, engine, _lost):
        if manifest is not None and not entry.get("resumed"):
            manifest.add(_line(tasks[index], entry, digest, mark))
        yield tasks[index], entry


def failed_entry(task: Task, error: Exception) -> Entry:
    """What a report says of a mesh that could not be done."""
    entry: Entry = {"file": str(task.source), "error": sentence_about(task.source, error)}
    return entry | ({"fault": True} if is_our_fault(error) else {})


def _there(written: str) -> bool:
    try:
        return exists(written if is_url(written) else Path(written))
    except (OSError, ValueError):  # a name that no file can have
        return False


def _lost(task: Task, sentence: str) -> tuple[Entry, str]:
    return {"file": str(task.source), "error": f"{task.source}: {sentence}"}, ""


def _line(task: Task, entry: Entry, digest: str, mark: str) -> Entry:
    """What a manifest says of a mesh: what to look for, and its entry in the report."""
    return {
        "path": str(task.source),
        "digest": digest,
        "options": mark,
        "outcome": "failed" if "error" in entry else "done",
        "seconds": entry.get("seconds"),
        "parts": len(entry.get("parts", ())),
        "written": entry.get("written", []),
        "order": task.order,
        "entry": entry,
    }
