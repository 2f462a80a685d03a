"""`meshtide train` and `evaluate` as a person meets them, on a folder of their own."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
from command_line import run
from labelled_folders import write_figures

from conftest import hear_interrupts
from meshtide.inference.model import load_model

SMALL = ("--epochs", "20", "--width", "16", "--blocks", "2", "-k", "32")


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_figures(tmp_path_factory.mktemp("own"), 5)


def test_train_and_evaluate_a_folder(folder: Path, tmp_path: Path) -> None:
    done = run("train", folder, "-o", "mine.safetensors", *SMALL, "--json", "train.json", cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    assert "5 training, 0 validation" in done.stdout
    assert "too few shapes to keep some for validation" in done.stdout
    assert "--folds 3 would tell, in four times the time, or other shapes as --test" in done.stdout
    assert "the weights after all 20 epochs" in done.stdout
    names = sorted(path.name for path in tmp_path.iterdir())
    assert names == ["mine.safetensors", "mine.training.png", "train.json"]
    about = load_model(tmp_path / "mine.safetensors").about
    assert about.parts == ("arm", "head", "leg", "torso")
    assert about.trained_on["source"] == str(folder)
    done = run("evaluate", "mine.safetensors", folder, "--json", "r.json", "--confusion", "c.png", cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    report = json.loads((tmp_path / "r.json").read_text())
    wanted = {"vertex_accuracy", "face_accuracy", "area_accuracy", "mean_iou", "parts", "shapes", "network", "operator",
              "setting", "parts_vocabulary", "seed", "seconds"}  # fmt: skip
    assert wanted <= set(report)
    assert 0.5 < report["vertex_accuracy"] <= 1
    assert len(report["shapes"]) == 5
    assert (tmp_path / "c.png").stat().st_size > 5000


def test_several_seeds_and_the_single_setting(folder: Path, tmp_path: Path) -> None:
    done = run("train", folder, "--setting", "single", "--seeds", "2", "-o", "one.safetensors", *SMALL,
               "--json", "one.json", cwd=tmp_path)  # fmt: skip
    assert done.returncode == 0, done.stderr
    report = json.loads((tmp_path / "one.json").read_text())
    assert [entry["seed"] for entry in report["seeds"]] == [0, 1]
    mean = sum(entry["vertex_accuracy"] for entry in report["seeds"]) / 2
    assert report["over_seeds"]["vertex_accuracy"]["mean"] == pytest.approx(mean)
    assert report["setting"] == "single"


def test_logs_and_relatives(folder: Path, tmp_path: Path) -> None:
    pytest.importorskip("tensorboard", reason="tensorboard is not installed")
    done = run("train", folder, "-o", "m.safetensors", "--epochs", "2", "-k", "32", "--augment", "--relatives", "1",
               "--log", "logs", cwd=tmp_path)  # fmt: skip
    assert done.returncode == 0, done.stderr
    assert load_model(tmp_path / "m.safetensors").about.trained_on["relatives"] == 1
    assert [path for path in (tmp_path / "logs" / "seed-0").iterdir() if "tfevents" in path.name]


@pytest.mark.skipif(os.name != "posix", reason="sends POSIX signals")
def test_ctrl_c_keeps_the_best_and_a_kill_can_be_resumed(folder: Path, tmp_path: Path) -> None:
    command = [sys.executable, "-m", "meshtide", "train", str(folder), "-o", "m.safetensors", "--epochs", "100000",
               "--width", "16", "-k", "32"]  # fmt: skip
    state = tmp_path / "m.seed0.training"
    process = subprocess.Popen(command, cwd=tmp_path, stderr=subprocess.PIPE, text=True)
    _wait_for(state, process)
    process.kill()
    process.wait()
    assert not (tmp_path / "m.safetensors").exists()
    process = subprocess.Popen(
        [*command, "--resume"],
        cwd=tmp_path,
        stderr=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
        preexec_fn=hear_interrupts,
    )
    before = state.stat().st_mtime_ns
    deadline = time.monotonic() + 300
    while state.stat().st_mtime_ns == before and time.monotonic() < deadline:
        time.sleep(0.1)
    process.send_signal(signal.SIGINT)
    out, err = process.communicate(timeout=300)
    assert process.returncode == 0, err
    assert "going on after epoch" in out
    assert "the best so far is kept, and --resume goes on from there" in err
    assert load_model(tmp_path / "m.safetensors").about.trained_on["epochs"] > 0
    before = state.read_bytes()
    for words, said in (
        ([], "--resume goes on with it"),
        (["--resume", "--epochs", "9"], "--epochs was 100000 and is 9"),
    ):
        refused = run(*command[3:], *words, cwd=tmp_path)
        assert refused.returncode == 2
        assert said in refused.stderr
    assert state.read_bytes() == before


def _wait_for(path: Path, process: subprocess.Popen[str]) -> None:
    deadline = time.monotonic() + 300
    while not path.exists():
        assert process.poll() is None, process.stderr.read() if process.stderr else ""
        assert time.monotonic() < deadline
        time.sleep(0.05)


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["train", "{folder}", "-o", "m.pt"], ".safetensors"),
        (["train", "{folder}", "-o", "m.safetensors", "--network", "cnn"], "tide-m"),
        (["train", "{folder}", "-o", "no/m.safetensors"], "does not exist"),
        (["train", "{folder}", "-o", "m.safetensors", "--setting", "mixed"], "--test"),
        (["train", "{folder}", "-o", "m.safetensors", "--device", "tpu"], "auto"),
        (["evaluate", "missing.safetensors", "{folder}"], "missing.safetensors"),
    ],
)
def test_wrong_input_is_one_sentence(folder: Path, tmp_path: Path, words: list[str], said: str) -> None:
    done = run(*(word.format(folder=folder) for word in words), cwd=tmp_path)
    assert done.returncode == 2
    assert said in done.stderr
    assert "Traceback" not in done.stderr
    assert not list(tmp_path.iterdir())
