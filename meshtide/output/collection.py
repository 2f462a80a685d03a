"""Segment many meshes: here, side by side, on a cluster or in shards, and go on after an interruption."""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

from meshtide.errors import InputError
from meshtide.files import make_folder
from meshtide.inference.model import Model
from meshtide.many.engine import HERE, Engine
from meshtide.many.entries import SEGMENTED, fits
from meshtide.many.manifest import Manifest, digest_of, fingerprint
from meshtide.many.remote import is_url, local_copy, uploaded
from meshtide.many.shard import Shard
from meshtide.many.tasks import Entry, Task, do_tasks, failed_entry
from meshtide.output.files.numbers import summary
from meshtide.output.files.splitting import split_parts
from meshtide.output.targets import Place, check_targets, names_of, targets_of


@dataclass(frozen=True)
class SegmentTask(Task):
    """One mesh to segment: what is written of it, beside where it is."""

    targets: tuple[Place, ...] = ()
    pieces: Path | None = None  # the folder for its parts as meshes of their own


@dataclass(frozen=True, eq=False)
class How:
    """How every mesh is segmented; `options` are those of `segment`."""

    model: Model | None
    options: dict[str, Any]
    cap: bool = False
    manifest: bool = False

    def fingerprint(self, outputs: Sequence[Place]) -> str:
        """What a manifest knows of it: everything that shapes an answer, and nothing of where it is computed."""
        shaping = {name: value for name, value in self.options.items() if name not in ("cache", "device")}
        about = None if self.model is None else self.model.about.to_json()
        return fingerprint({**shaping, "cap": self.cap, "model": about, "outputs": [str(each) for each in outputs]})


def plan(
    sources: Sequence[Place],
    outputs: Sequence[Place] = (),
    pieces: Path | None = None,
    *,
    several: bool = True,
    shard: Shard | None = None,
) -> list[SegmentTask]:
    """The tasks of some meshes, or of one shard of them; refused if a file would be written twice or over an input."""
    if pieces is not None and any(is_url(source) for source in sources) and is_url(str(pieces)):
        raise InputError(f"{pieces}: pieces are written to folders of this machine alone")
    names = names_of(sources)
    targets = {source: targets_of(names[source], outputs, several) for source in sources}
    check_targets(targets)
    return [
        SegmentTask(
            source,
            targets[source],
            None if pieces is None else pieces / names[source] if several else pieces,
            order=order,
        )
        for order, source in enumerate(sources)
        if shard is None or shard.has(names[source])
    ]


def segment_tasks(
    tasks: Sequence[SegmentTask], how: How, engine: Engine = HERE, manifest: Manifest | None = None, mark: str = ""
) -> Iterator[tuple[int, Entry]]:
    """Segment every mesh and yield (its order, its entry) as soon as it is known; no mesh costs another.

    With a manifest, in which `mark` says how meshes are segmented, those that it knows as done are not done again.
    """
    for task, entry in do_tasks(partial(segment_one, how=how), tasks, engine, manifest, mark):
        yield task.order, entry


def segment_one(task: SegmentTask, how: How) -> tuple[Entry, str]:
    """Segment one mesh and write what was asked for; its entry in the report, and its digest if that is wanted."""
    started = time.perf_counter()
    digest = ""
    try:
        with local_copy(task.source) as path:
            digest = digest_of(path) if how.manifest else ""
            return task.done_before(digest, _is_told) or _segmented(task, path, how, started), digest
    except Exception as error:  # whatever one mesh does costs that mesh alone
        return failed_entry(task, error), digest


def _is_told(entry: Entry) -> bool:
    return fits(entry, SEGMENTED)


def _segmented(task: SegmentTask, path: Path, how: How, started: float) -> Entry:
    # Here, where it is looked up anew: whoever replaces `segment` replaces it for many meshes too.
    from meshtide.inference.segment import segment

    result = segment(path, how.model, **how.options)
    for target in task.targets:
        if isinstance(target, Path):
            make_folder(target.parent)
        with uploaded(target) as file:
            result.save(file)
    pieces = () if task.pieces is None else split_parts(result, task.pieces, cap=how.cap)
    return {
        "file": str(task.source),
        **summary(result),
        "confidence": float(result.mean_confidence),
        "written": [str(target) for target in (*task.targets, *pieces)],
        "seconds": round(time.perf_counter() - started, 3),
    }
