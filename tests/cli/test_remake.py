"""`meshtide remake`: what it writes can be loaded, and what it cannot write is said before hours of work."""

from __future__ import annotations

from pathlib import Path

import pytest
import torch
from command_line import run

from meshtide.cli.remake import remake
from meshtide.data.figures.creatures import body_figure
from meshtide.data.figures.objects import make_object
from meshtide.errors import InputError
from meshtide.inference.model import default_model, load_model
from meshtide.inference.recognise import load_recogniser
from meshtide.inference.regions.model import default_region_model, load_region_model, trained_region_model
from meshtide.training.recognition import RecognitionSchedule, train_recogniser
from meshtide.training.regions.examples import make_example
from meshtide.training.regions.train import Progress


@pytest.fixture(scope="module")
def examples():
    figures = [("bodies.ant", body_figure("ant", seed)) for seed in (1, 2)]
    figures += [("objects.gear", make_object("gear", seed)) for seed in (1, 2)]
    return [(sort, make_example(figure.mesh, figure.face_instances, sort).inputs) for sort, figure in figures]


def test_a_recogniser_learns_what_it_is_shown(examples) -> None:
    seen: list[Progress] = []
    schedule = RecognitionSchedule(steps=150, batch=4, sample=100)
    found = train_recogniser(examples, trained_region_model().network, schedule, seen.append)
    assert found.sorts == ("bodies.ant", "objects.gear")
    assert seen[-1].done == schedule.steps
    for sort, inputs in examples:
        kinds, none = found.shares(inputs)
        assert sum(kinds.values()) + none == pytest.approx(1)
        assert (none > 0.5) == (sort == "objects.gear")
    again = train_recogniser(examples, trained_region_model().network, schedule)
    assert all(torch.equal(a, b) for a, b in zip(found.network.parameters(), again.network.parameters(), strict=True))


def test_the_command_writes_what_can_be_loaded(monkeypatch, tmp_path: Path, examples) -> None:
    monkeypatch.setattr("meshtide.training.regions.train.train_regions", lambda *_, **__: default_region_model())
    remake("regions", tmp_path / "regions.safetensors", tmp_path)
    assert load_region_model(tmp_path / "regions.safetensors").about.channels > 0

    monkeypatch.setattr("meshtide.training.names.train.train_names", lambda *_, **__: default_model())
    remake("names", tmp_path / "names.safetensors", tmp_path)
    written = tmp_path / "names.safetensors"
    assert load_model(written).about.parts == default_model().about.parts
    assert written.stat().st_size < 400_000  # in half precision, as what ships is

    def quickly(folder, regions, *, jobs, report):
        report(Progress("shapes", 2, 2))
        return train_recogniser(examples, regions.network, RecognitionSchedule(steps=2, batch=2, sample=50), report)

    monkeypatch.setattr("meshtide.training.recognition.train_kinds", quickly)
    remake("kinds", tmp_path / "kinds.safetensors", tmp_path)
    assert load_recogniser(tmp_path / "kinds.safetensors").sorts == ("bodies.ant", "objects.gear")


def test_what_cannot_be_is_said_first(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="there are names, regions, kinds"):
        remake("parts", tmp_path / "x.safetensors")
    with pytest.raises(InputError, match=r"ends in \.safetensors"):
        remake("regions", tmp_path / "x.pt")
    with pytest.raises(InputError, match=r"programs' file name ends in \.json"):
        remake("programs", tmp_path / "x.safetensors")
    assert run("remake", "kinds", "-o", "none/x.safetensors", cwd=tmp_path).returncode == 2


def test_a_damaged_recogniser_is_a_sentence(tmp_path: Path) -> None:
    bad = tmp_path / "kinds.safetensors"
    bad.write_bytes(b"\x08\0\0\0\0\0\0\0{}      ")
    with pytest.raises(InputError, match="is no recogniser of kinds"):
        load_recogniser(bad)
    with pytest.raises(InputError, match="is no recogniser of kinds"):
        load_recogniser(tmp_path / "missing.safetensors")
