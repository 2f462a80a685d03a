"""Damaged files of every format, and what meshtide makes of them: `python tests/benchmarks/fuzz.py [--count 2000]`.

Every file is made by its number from a valid one (our own writers' and odd ones made by hand), with one to four
changes: bytes, blocks, numbers, lines, and what the grammar of its format offers.
It is read in a forked child under limits of
memory and time. A find is whatever is neither an answer nor a refusal in one sentence: an exception, a Python warning,
too much time or memory, a process that died, or an answer that cannot be right. Finds are made smaller and kept in the
folder of `--keep`; the exit code is 1 if there is one. Ctrl-C ends it with the table of what was done.
`--seed 7 --first 0 --count 100000` names the files.
"""

from __future__ import annotations

import argparse
import contextlib
import sys
import time
from collections import Counter
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1] / "helpers"))

import torch
from fuzzing.campaign import KINDS, Row, Tally, keep, run, smaller


def main() -> int:
    options = _options()
    torch.set_num_threads(1)
    kinds = [kind for kind in KINDS if not options.kind or any(word in kind for word in options.kind)]
    tally, began = Tally(), time.perf_counter()
    numbers = range(options.first, options.first + options.count)
    done = 0
    with contextlib.suppress(KeyboardInterrupt):  # what was done is told all the same
        for done, (case, outcome) in enumerate(run(options.seed, numbers, kinds), 1):
            new = outcome.verdict == "broke" and outcome.signature not in tally.finds
            tally.add(case, outcome)
            if new:
                what = f"{case.kind} (whole)" if case.whole else case.kind
                print(f"find {case.name} {what}: {outcome.where}: {outcome.sentence[:300]}", flush=True)
            if done % 5000 == 0:
                print(f"{done:,} files, {len(tally.finds)} finds, {time.perf_counter() - began:,.0f} s", flush=True)
    print(table(tally))
    last = numbers.start + done - 1
    print(f"seed {options.seed}, files {numbers.start:,} to {last:,}, {time.perf_counter() - began:,.0f} s", flush=True)
    for case, outcome in tally.finds.values():
        print(f"kept {keep(smaller(case, outcome), outcome, options.keep)}: {outcome.where}: {outcome.sentence[:200]}")
    return 1 if tally.finds else 0


def table(tally: Tally) -> str:
    """A row for each kind of file and one for all."""
    lines = ["| format | tried | answered | refused | broke | slowest | most memory |", "|---|---|---|---|---|---|---|"]
    for kind, row in (*sorted(tally.rows.items()), ("all", _sum(tally))):
        counts = [row.verdicts[verdict] for verdict in ("answered", "refused", "broke")]
        cells = [
            kind,
            *(f"{count:,}" for count in (sum(counts), *counts)),
            f"{row.slowest:.2f} s",
            f"{row.largest:,.0f} MB",
        ]
        lines.append(f"| {' | '.join(cells)} |")
    return "\n".join(lines)


def _sum(tally: Tally) -> Row:
    rows = tally.rows.values()
    verdicts = sum((row.verdicts for row in rows), Counter[str]())
    return Row(verdicts, max((row.slowest for row in rows), default=0), max((row.largest for row in rows), default=0))


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--count", type=int, default=2000, help="how many files")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--first", type=int, default=0, help="the number of the first file")
    parser.add_argument("--kind", action="append", help="only kinds with this in their name, such as .ply or labels")
    parser.add_argument("--keep", type=Path, default=Path("fuzz-finds"), help="where finds are kept")
    return parser.parse_args()


if __name__ == "__main__":
    sys.exit(main())
