"""Training on shapes that are streamed: memory, and how long a step waits for data, against the number of shapes.

    python tests/benchmarks/streaming.py [--counts 100 500 2000] [--made 40] [--epochs 1]

Generated animals are packed with `prepare --shards`, the same ones again under other names where more are wanted than
were made, as neither memory nor reading can tell. Every count is trained on in a process of its own with the usual
network and one process that reads. Printed are the peak of resident memory of both, the share of the time that steps
stood waiting for data, and CPU milliseconds a shape of both: with a core for each, no step waits while that of the
reader is less. With `--half` the shards have float16 vectors.
"""

from __future__ import annotations

import argparse
import multiprocessing
import os
import resource
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

os.environ.setdefault("OMP_NUM_THREADS", "1")
ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT))


def make(folder: Path, count: int, made: int) -> None:
    """Labelled animals, of which every one beyond the first `made` is one of these."""
    import meshtide as mt

    for number in range(made):
        mesh, labels = mt.make_figure("quadruped", number + 1)
        mt.save_mesh(mesh, folder / f"{number:05}.ply")
        mt.write_labels(labels, folder / f"{number:05}.txt", mesh)
    for number in range(made, count):
        for end in ("ply", "txt"):
            os.link(folder / f"{number % made:05}.{end}", folder / f"{number:05}.{end}")


def pack(folder: Path, packed: Path, cache: Path, half: bool) -> float:
    """Prepare and pack; returns the CPU seconds."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    words = ["prepare", folder, "--shards", packed, "--cache", cache, "-q", *(["--half"] if half else [])]
    subprocess.run([sys.executable, "-m", "meshtide", *map(str, words)], check=True)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def train(packed: Path, epochs: int) -> None:
    """Train on the shards and print a row of the table."""
    import torch

    import meshtide as mt
    from meshtide.training.run import Watch

    torch.set_num_threads(1)
    seen: dict[str, Any] = {}

    def begun(_: object, training: Any) -> None:
        shapes = training.train
        seen.update(shapes=shapes, started=time.perf_counter(), cpu=time.process_time(), waited=shapes.ahead.waited)
        seen["reading"] = reader_seconds()

    def ended(_: object) -> None:
        shapes = seen["shapes"]
        steps = epochs * len(shapes)
        seconds, waited = time.perf_counter() - seen["started"], shapes.ahead.waited - seen["waited"]
        step = (time.process_time() - seen["cpu"]) / steps
        read = (reader_seconds() - seen["reading"]) / steps
        memory = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1e3
        print(
            f"| {len(shapes):,} | {memory:,.0f} MB | {reader_memory():,.0f} MB | {1e3 * step:.1f} ms | "
            f"{1e3 * read:.1f} ms | {waited / seconds:.1%} |",
            flush=True,
        )

    count = [0]

    def epoch(_: object) -> None:
        count[0] += 1
        if count[0] == epochs:
            ended(None)

    mt.train(packed, epochs=epochs, validate=False, device="cpu", jobs=1, watch=Watch(begun=begun, epoch=epoch))


def reader_seconds() -> float:
    """CPU seconds of the processes that read."""
    total = 0
    for child in multiprocessing.active_children():
        fields = Path(f"/proc/{child.pid}/stat").read_text().rpartition(")")[2].split()
        total += int(fields[11]) + int(fields[12])
    return total / os.sysconf("SC_CLK_TCK")


def reader_memory() -> float:
    """The largest peak of memory of a process that reads, in megabytes."""
    peaks = [0.0]
    for child in multiprocessing.active_children():
        lines = Path(f"/proc/{child.pid}/status").read_text().splitlines()
        peaks += [float(line.split()[1]) / 1e3 for line in lines if line.startswith("VmHWM")]
    return max(peaks)


def main() -> None:
    reader = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    reader.add_argument("--counts", type=int, nargs="+", default=[100, 500, 2000])
    reader.add_argument("--made", type=int, default=40)
    reader.add_argument("--epochs", type=int, default=1)
    reader.add_argument("--half", action="store_true")
    reader.add_argument("--packed", type=Path, help=argparse.SUPPRESS)
    asked = reader.parse_args()
    if asked.packed:
        train(asked.packed, asked.epochs)
        return
    sys.stdout.reconfigure(line_buffering=True)  # type: ignore[union-attr]  # a text stream
    with tempfile.TemporaryDirectory() as place:
        cache = Path(place) / "cache"
        print("| shapes | memory | of the reader | CPU a step | CPU a reading | waited |\n|---|---|---|---|---|---|")
        for count in asked.counts:
            folder, packed = Path(place) / f"in{count}", Path(place) / f"packed{count}"
            folder.mkdir()
            make(folder, count, min(asked.made, count))
            seconds = pack(folder, packed, cache, asked.half)
            size = sum(path.stat().st_size for path in packed.iterdir())
            words = [sys.executable, __file__, "--packed", str(packed), "--epochs", str(asked.epochs)]
            subprocess.run(words, check=True)
            print(f"  packed in {seconds:.0f} CPU seconds, {size / count / 1e6:.2f} MB a shape", file=sys.stderr)
            for path in (*folder.iterdir(), *packed.iterdir()):
                path.unlink()


if __name__ == "__main__":
    main()
