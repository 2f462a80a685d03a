"""Two processes on this machine train one network: they give the model of one process, and go on after a kill."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
import torch
from labelled_folders import write_figures
from safetensors.torch import load_file

from meshtide.training.distributed import ALONE, Team

SMALL = ("-k", "12", "--width", "8", "--blocks", "1", "--sample", "60", "--batch", "2", "--no-gradients", "--seed", "3")


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_figures(tmp_path_factory.mktemp("figures"), 3)


def command(processes: int, folder: Path, output: Path, *more: str) -> list[str]:
    start = [sys.executable, "-m"]
    if processes > 1:
        start += ["torch.distributed.run", "--standalone", f"--nproc-per-node={processes}", "-m"]
    cache = ("--cache", str(output.parent / "cache"), "--device", "cpu")
    return [*start, "meshtide", "train", str(folder), "-o", str(output), *SMALL, *cache, *more]


def environment() -> dict[str, str]:
    return {**os.environ, "OMP_NUM_THREADS": "1", "GLOO_SOCKET_IFNAME": "lo"}


def run(*arguments: object) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        command(*arguments),  # type: ignore[arg-type]  # as they come
        env=environment(), capture_output=True, text=True, timeout=600, check=False,
    )  # fmt: skip


@pytest.mark.skipif(not Path("/proc/self/task").exists(), reason="finds its processes through /proc")
def test_two_processes_give_the_model_of_one_and_go_on_after_a_kill(folder: Path, tmp_path: Path) -> None:
    one, two = tmp_path / "one.safetensors", tmp_path / "two.safetensors"
    alone = run(1, folder, one, "--epochs", "120")
    assert alone.returncode == 0, alone.stderr
    killed = subprocess.Popen(
        command(2, folder, two, "--epochs", "120"),
        env=environment(), stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
    )  # fmt: skip
    state = tmp_path / "two.seed3.training"
    while not state.exists() and killed.poll() is None:
        time.sleep(0.01)
    children = Path(f"/proc/{killed.pid}/task/{killed.pid}/children").read_text().split()
    os.kill(int(children[-1]), signal.SIGKILL)
    assert killed.wait(timeout=300) != 0  # torchrun ends the other one
    assert state.exists()
    assert not two.exists()
    again = run(2, folder, two, "--epochs", "120", "--resume")
    assert again.returncode == 0, again.stderr
    assert again.stdout.count("wrote ") == 1  # the first one alone speaks
    weights, others = load_file(one), load_file(two)
    assert weights.keys() == others.keys()
    for name, value in weights.items():
        torch.testing.assert_close(others[name], value, rtol=1e-2, atol=1e-3)
    assert sorted(path.suffix for path in tmp_path.glob("two.*")) == sorted(
        path.suffix for path in tmp_path.glob("one.*")
    )


def test_a_batch_that_two_cannot_share_is_refused() -> None:
    from meshtide.errors import InputError

    ALONE.check_batch(1)
    with pytest.raises(InputError, match="`batch=2` or more"):
        Team(0, 2).check_batch(1)


def test_every_item_is_of_one_process() -> None:
    shares = [Team(rank, 3).share(range(7)) for rank in range(3)]
    assert sorted(item for share in shares for item in share) == list(range(7))
    assert ALONE.total(1.0, 2) == [1.0, 2]
