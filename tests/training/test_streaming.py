"""Training on shapes that are read when they are wanted: the model of the same shapes in memory, and little memory."""

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
from typer.testing import CliRunner

import meshtide as mt
from meshtide.cli import app
from meshtide.errors import InputError
from meshtide.inference.model import Model
from meshtide.many.ahead import FRONT, Ahead
from meshtide.spectral.recipe import USUAL_FEATURES
from meshtide.training import opening
from meshtide.training.experiment import plan
from meshtide.training.loop import Training
from meshtide.training.run import Watch
from meshtide.training.sources import gather
from meshtide.training.streaming import Stream

SMALL = {"epochs": 3, "sample": 60, "batch": 2, "device": "cpu", "options": {"width": 8, "blocks": 1}, "validate": True}


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_figures(tmp_path_factory.mktemp("streamed") / "shapes", 9)


@pytest.fixture(scope="module")
def shards(folder: Path) -> Path:
    place = folder.parent / "shards"
    words = ["prepare", folder, "-k", "12", "--cache", folder.parent / "cache", "--shards", place]
    done = CliRunner().invoke(app, [str(word) for word in words])
    assert done.exit_code == 0, done.output
    assert "packed 9 labelled shapes into 1 files" in done.output
    return place


def weights_apart(one: Model, other: Model) -> float:
    pairs = zip(one.network.state_dict().values(), other.network.state_dict().values(), strict=True)
    return max(float((mine - theirs).abs().max()) for mine, theirs in pairs)


def test_the_model_is_that_of_the_same_shapes_in_memory(folder: Path, shards: Path) -> None:
    cache = mt.Cache(folder.parent / "cache")
    seen: list[tuple[Training, object]] = []
    watch = Watch(begun=lambda _, training: seen.append((training, training.train)))
    kept = mt.train(folder, cache=cache, eigenpairs=12, watch=watch, **SMALL)
    packed = mt.train(shards, watch=watch, **SMALL)
    streamed = mt.train(folder, cache=cache, eigenpairs=12, stream=True, watch=watch, **SMALL)
    assert [isinstance(train, Stream) for _, train in seen] == [False, True, True]
    for other in (packed, streamed):
        assert weights_apart(kept, other) < 1e-5
        assert other.about.scores["validation_accuracy"] == kept.about.scores["validation_accuracy"]
        for name in ("shapes", "familiar", "validation_shapes"):
            assert other.about.trained_on[name] == kept.about.trained_on[name]
    assert weights_apart(kept, mt.train(shards, seed=1, **SMALL)) > 1e-3
    scores = [mt.evaluate(kept, source) for source in (folder, shards)]
    assert scores[0].confusion.tolist() == scores[1].confusion.tolist()


def test_weights_of_parts_folds_and_one_shape_work_on_streams(folder: Path, shards: Path) -> None:
    cache = mt.Cache(folder.parent / "cache")
    for choices in ({"class_weights": True, "folds": 2}, {"setting": "single", "batch": None}):
        models = [
            mt.train(source, cache=cache, stream=stream, **{**SMALL, **choices, **more})
            for source, stream, more in ((folder, False, {"eigenpairs": 12, "features": USUAL_FEATURES}),
                                         (shards, None, {}))
        ]  # fmt: skip
        assert weights_apart(*models) < 1e-5
        assert models[0].about.scores == models[1].about.scores


def test_a_model_without_arrows_is_gone_on_with_on_shards_that_have_them(
    folder: Path, shards: Path, tmp_path: Path
) -> None:
    begin = tmp_path / "begin.safetensors"
    mt.train(folder, eigenpairs=12, features=("log-hks", "curvature"), output=begin, **SMALL)
    more = {name: value for name, value in SMALL.items() if name != "options"}
    kept, packed = (mt.train(source, start=begin, **more) for source in (folder, shards))
    assert weights_apart(kept, packed) < 1e-5


def test_shards_say_what_they_are_prepared_for(shards: Path, tmp_path: Path) -> None:
    assert plan(shards).recipe.k == 12
    with pytest.raises(InputError, match="were prepared with `eigenpairs=12`"):
        plan(shards, eigenpairs=64)
    with pytest.raises(InputError, match="were prepared with `features=log-hks,curvature,arrows`"):
        plan(shards, features="log-hks")
    with pytest.raises(InputError, match="with reads them"):
        plan(shards, start="default")
    with pytest.raises(InputError, match="augmentation=False"):
        mt.train(shards, augmentation=True, **SMALL)
    done = CliRunner().invoke(app, ["prepare", str(shards)])
    assert isinstance(done.exception, InputError)
    assert "whose shapes are prepared" in str(done.exception)


def test_what_memory_holds_is_kept_and_what_it_does_not_is_streamed(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    experiment = plan(folder, eigenpairs=12)
    cache = mt.Cache(folder.parent / "cache")
    assert isinstance(gather(experiment, cache=cache).train, list)
    monkeypatch.setattr(opening, "free_memory", lambda: 500_000)
    assert isinstance(gather(experiment, cache=cache).train, Stream)
    assert isinstance(gather(experiment, cache=cache, stream=False).train, list)
    monkeypatch.setattr(opening, "free_memory", lambda: None)
    assert isinstance(gather(experiment, cache=cache).train, list)


def test_a_bad_shard_ends_a_training_in_a_sentence(shards: Path, tmp_path: Path) -> None:
    place = tmp_path / "shards"
    place.mkdir()
    for path in shards.iterdir():
        (place / path.name).write_bytes(path.read_bytes())
    tar = place / "shapes-00000.tar"
    data = bytearray(tar.read_bytes())
    data[len(data) // 2] ^= 1
    tar.write_bytes(data)
    done = CliRunner().invoke(app, ["train", str(place), "-o", str(tmp_path / "m.safetensors"), "--epochs", "1"])
    assert isinstance(done.exception, InputError)
    assert "fails its checksum" in str(done.exception)
    assert not (tmp_path / "m.safetensors").exists()


def _slow(item: int) -> int:
    time.sleep(0.01 * (item % 3))
    return 10 * item


def _deadly(place: tuple[int, str]) -> int:
    number, mark = place
    if number == 3 and (not Path(mark).exists() or mark.endswith("always")):
        Path(mark).touch()
        os.kill(os.getpid(), signal.SIGKILL)
    if number == 5:
        raise InputError("five is bad")
    return number


def test_answers_come_in_order_and_few_are_worked_out_ahead() -> None:
    taken: list[int] = []

    def items() -> object:
        for item in range(20):
            taken.append(item)
            yield item

    ahead = Ahead(2)
    found = ahead(_slow, items())
    assert [next(found) for _ in range(3)] == [0, 10, 20]
    assert len(taken) <= 3 + 2 + FRONT
    assert list(found) == [10 * item for item in range(3, 20)]
    assert ahead.answered == 20
    assert list(ahead(_slow, range(3))) == [0, 10, 20]  # the same processes once more
    ahead.close()


@pytest.mark.skipif(os.name != "posix", reason="kills as POSIX does")
def test_a_reader_that_dies_is_replaced(tmp_path: Path) -> None:
    ahead = Ahead(1)
    mark = str(tmp_path / "once")
    found = ahead(_deadly, [(number, mark) for number in range(7)])
    assert [next(found) for _ in range(5)] == [0, 1, 2, 3, 4]
    with pytest.raises(InputError, match="five is bad"):
        next(found)
    always = str(tmp_path / "always")
    with pytest.raises(InputError, match="killed again and again"):
        list(ahead(_deadly, [(number, always) for number in range(5)]))
    assert list(ahead(_deadly, [(1, mark)])) == [1]
    ahead.close()


SCRIPT = """
import meshtide as mt
print("script")
mt.train({place!r}, epochs=1, sample=60, device="cpu", options={{"width": 8, "blocks": 1}})
"""


def test_a_script_needs_no_guard(shards: Path, tmp_path: Path) -> None:
    script = tmp_path / "script.py"
    script.write_text(SCRIPT.format(place=str(shards)))
    done = subprocess.run([sys.executable, str(script)], capture_output=True, text=True, check=False, timeout=600)
    assert (done.returncode, done.stdout, done.stderr) == (0, "script\n", "")


def test_a_streamed_training_goes_on_after_an_interruption(shards: Path, tmp_path: Path) -> None:
    whole = mt.train(shards, output=tmp_path / "whole.safetensors", **SMALL)

    def stop(epoch: object) -> None:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        mt.train(shards, output=tmp_path / "m.safetensors", watch=Watch(epoch=stop), **SMALL)
    again = mt.train(shards, output=tmp_path / "m.safetensors", resume=True, **SMALL)
    assert weights_apart(whole, again) < 1e-6


def test_streams_are_sequences(shards: Path) -> None:
    data = gather(plan(shards))
    examples = data.train.examples
    names = [shape.example.name for shape in data.train]
    assert [example.name for example in examples] == names == data.train.names
    assert [example.name for example in examples[1::2]] == names[1::2]
    assert [example.name for example in examples.in_order([2, 0])] == [names[2], names[0]]
    assert torch.equal(examples[1].targets, data.train[1].example.targets)
