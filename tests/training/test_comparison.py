"""`meshtide compare`: networks side by side, the same shapes for all, and nothing lost when it is interrupted."""

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
from meshtide.errors import InputError
from meshtide.training.comparison import Comparison, Result, compare
from meshtide.training.experiment import plan
from meshtide.training.run import make_lessons, prepare_training
from meshtide.training.sources import gather

SMALL = ("--epochs", "2", "-k", "32", "--sample", "200")
METRICS = {"vertex_accuracy": 0.6, "face_accuracy": 0.7, "area_accuracy": 0.8, "mean_iou": 0.9}
RESULT = Result("gcn", 0, 100, 2.0, 0.5, METRICS)


@pytest.fixture(scope="module")
def folders(tmp_path_factory: pytest.TempPathFactory) -> Path:
    top = tmp_path_factory.mktemp("compared")
    write_figures(top / "learn", 4)
    write_figures(top / "test", 2)
    return top


def test_a_comparison_is_what_the_trainings_alone_give(folders: Path, tmp_path: Path) -> None:
    common = (folders / "learn", "--setting", "mixed", "--test", folders / "test", "--relatives", "1", *SMALL)
    done = run("compare", *common, "--networks", "tide-m,gcn", "--seeds", "2", "--json", "c.json", cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    report = json.loads((tmp_path / "c.json").read_text())
    assert [(each["network"], each["seed"]) for each in report["runs"]] == [
        ("tide-m", 0),
        ("gcn", 0),
        ("tide-m", 1),
        ("gcn", 1),
    ]
    for network in ("tide-m", "gcn"):
        alone = run("train", *common, "--network", network, "-o", "m.safetensors", "--json", "t.json", cwd=tmp_path)
        assert alone.returncode == 0, alone.stderr
        wanted = json.loads((tmp_path / "t.json").read_text())
        (found,) = (each for each in report["runs"] if each["network"] == network and each["seed"] == 0)
        assert found["vertex_accuracy"] == wanted["vertex_accuracy"]
        assert found["mean_iou"] == wanted["mean_iou"]
        row = next(each for each in report["networks"] if each["network"] == network)
        values = [each["vertex_accuracy"] for each in report["runs"] if each["network"] == network]
        assert row["metrics"]["vertex_accuracy"]["mean"] == pytest.approx(sum(values) / 2)
        line = next(line for line in done.stdout.splitlines() if line.startswith(f"{network} "))
        assert f"{100 * sum(values) / 2:.2f} ± " in line
        assert f"{row['parameters']:,}" in line


def test_shared_lessons_are_those_that_each_network_would_make(folders: Path) -> None:
    one, other = (
        plan(folders / "learn", setting="mixed", test_source=folders / "test", network=name, eigenpairs=32, epochs=1,
             sample=100, relatives=1)
        for name in ("tide-s", "diffusionnet")
    )  # fmt: skip
    data = gather(one, extras=("gradients",))
    shared = make_lessons(one, data)
    for experiment in (one, other):
        losses = []
        for lessons in (shared, None):
            training, _ = prepare_training(experiment, data, lessons=lessons)
            losses.append(training.run_epoch().loss)
        assert losses[0] == losses[1]


def test_networks_are_refused_before_anything_is_loaded() -> None:
    with pytest.raises(InputError, match="network 'mlp' is not known; there are tide-m"):
        compare("faust", networks=["gcn", "mlp"])
    with pytest.raises(InputError, match="`networks` names none"):
        compare("faust", networks=[])
    with pytest.raises(InputError, match="`network` is for one network"):
        compare("faust", network="gcn")  # type: ignore[call-arg]  # that is the point
    with pytest.raises(InputError, match="name it with `report`"):
        compare("faust", resume=True)


def test_a_report_is_taken_up_only_by_the_comparison_it_belongs_to(tmp_path: Path) -> None:
    path = tmp_path / "c.json"
    Comparison(plan("faust"), ("gcn",), [RESULT]).save(path)
    again = Comparison(plan("faust"), ("gat",))
    again.take_up(path)  # networks may differ
    assert again.results == [RESULT]
    assert again.has("gcn", 0)
    assert not again.has("gcn", 1)
    for other in (plan("faust", epochs=3), plan("faust", seed=7)):  # a first seed may split a folder in another way
        with pytest.raises(InputError, match=r"c\.json: belongs to a comparison with other arguments"):
            Comparison(other, ("gcn",)).take_up(path)
    again.take_up(tmp_path / "none.json")  # nothing to go on with is no fault


@pytest.mark.parametrize(
    "text",
    ["", "[]", "{}", '{"digest": 1, "runs": 3}', '{"digest": "", "runs": [{"network": "gcn"}]}', "[" * 100_000],
)
def test_a_report_of_nonsense_is_a_sentence(tmp_path: Path, text: str) -> None:
    path = tmp_path / "c.json"
    path.write_text(text)
    with pytest.raises(InputError, match=r"c\.json: is not the report of a comparison"):
        Comparison(plan("faust"), ("gcn",)).take_up(path)


def test_what_cannot_be_compared_is_said_before_anything_is_trained(folders: Path, tmp_path: Path) -> None:
    done = run("compare", folders / "learn", *SMALL, cwd=tmp_path)
    assert done.returncode == 2
    assert "has no test shapes to compare networks on" in done.stderr
    done = run("compare", folders / "learn", "--resume", cwd=tmp_path)
    assert done.returncode == 2
    assert "name it with --json" in done.stderr


@pytest.mark.skipif(os.name != "posix", reason="sends POSIX signals")
def test_ctrl_c_keeps_the_runs_that_are_done_and_resume_goes_on(folders: Path, tmp_path: Path) -> None:
    words = ["compare", str(folders / "learn"), "--setting", "single", "--networks", "gcn", "-k", "32",
             "--epochs", "400", "--json", "c.json"]  # fmt: skip
    first = run(*words, "--seeds", "1", cwd=tmp_path)
    assert first.returncode == 0, first.stderr
    process = subprocess.Popen(
        [sys.executable, "-m", "meshtide", *words, "--seeds", "200", "--resume"],
        cwd=tmp_path,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        preexec_fn=hear_interrupts,
    )
    deadline = time.monotonic() + 300
    while len(json.loads((tmp_path / "c.json").read_text())["runs"]) < 2 and time.monotonic() < deadline:
        time.sleep(0.05)
    process.send_signal(signal.SIGINT)
    shown, said = process.communicate(timeout=300)
    assert process.returncode == 130, said
    assert "the run that was under way is lost" in said
    assert "Traceback" not in said
    assert "gcn " in shown  # the table of what there is
    runs = json.loads((tmp_path / "c.json").read_text())["runs"]
    assert [each["seed"] for each in runs] == list(range(len(runs)))
    assert 2 <= len(runs) < 200
