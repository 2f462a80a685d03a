"""Thousands of meshes in one process: memory and open files, which should stay what they are.

python tests/benchmarks/many_meshes.py [--count 2000] [--small]
"""

from __future__ import annotations

import argparse
import sys
import tempfile
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1] / "helpers"))
from leaks import answer_many

if __name__ == "__main__":
    reader = argparse.ArgumentParser(description=__doc__)
    reader.add_argument("--count", type=int, default=2000)
    reader.add_argument("--small", action="store_true", help="meshes of some hundred vertices instead of thousands")
    asked = reader.parse_args()
    started = time.process_time()
    with tempfile.TemporaryDirectory() as folder:
        print("meshes  MB in use  open files  CPU seconds")
        for count, memory, files in answer_many(Path(folder), asked.count, max(1, asked.count // 10), asked.small):
            print(f"{count:6,}  {memory / 1e6:9,.0f}  {files:10,}  {time.process_time() - started:11,.0f}")
