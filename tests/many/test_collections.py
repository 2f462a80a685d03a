"""`prepare` and `evaluate` on the engine of `segment`: side by side, in shards, after an interruption."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from labelled_folders import write_figures
from typer.testing import CliRunner

import meshtide as mt
from meshtide.cli import app
from meshtide.many.manifest import read_lines
from meshtide.training.merging import merged_score

SHAPES = 5
SMALL = {"eigenpairs": 12, "epochs": 1, "sample": 60, "options": {"width": 8, "blocks": 1}}


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Path]:
    """A folder of labelled shapes, and a model."""
    place = tmp_path_factory.mktemp("made")
    folder = write_figures(place / "shapes", SHAPES)
    mt.train(folder, output=place / "m.safetensors", device="cpu", **SMALL)
    return folder, place / "m.safetensors"


def done(*words: object, code: int = 0) -> str:
    ended = CliRunner().invoke(app, [str(word) for word in words])
    assert ended.exit_code == code, ended.output
    return ended.output


def report(path: Path) -> dict[str, Any]:
    return json.loads(path.read_text())


SCORES = ("vertex_accuracy", "face_accuracy", "area_accuracy", "mean_iou", "shape_mean_iou", "parts", "confusion")
SAME = (*SCORES, "shapes", "notes", "network", "operator", "setting", "source", "split", "parts_vocabulary", "seed")


def test_shards_of_an_evaluation_are_merged_to_the_score_of_the_whole(made: tuple[Path, Path], tmp_path: Path) -> None:
    folder, model = made
    words = ("evaluate", model, folder, "--cache", tmp_path / "cache", "--device", "cpu")
    done(*words, "--json", tmp_path / "whole.json")
    said = [done(*words, "--shard", f"{i}/4", "--manifest", tmp_path / f"{i}.jsonl") for i in range(4)]
    manifests = [tmp_path / f"{i}.jsonl" for i in range(4) if (tmp_path / f"{i}.jsonl").exists()]
    assert sum("none of its 5 shapes is in this shard" in each for each in said) == 4 - len(manifests)
    done("merge", *manifests, "--json", tmp_path / "merged.json")
    whole, merged = report(tmp_path / "whole.json"), report(tmp_path / "merged.json")
    assert {name: merged[name] for name in SAME} == {name: whole[name] for name in SAME}
    done(*words, "--no-refine", "--manifest", tmp_path / "d.jsonl")
    assert "no common score" in str(ended_with("merge", tmp_path / "d.jsonl", manifests[0]))


def ended_with(*words: object) -> BaseException | None:
    return CliRunner().invoke(app, [str(word) for word in words]).exception


def test_an_evaluation_goes_on_and_one_bad_shape_costs_itself(made: tuple[Path, Path], tmp_path: Path) -> None:
    _, model = made
    folder = write_figures(tmp_path / "shapes", 3)
    (folder / "figure1.off").write_text("OFF\n3 1 0\n0 0 0\n")
    words = ("evaluate", model, folder, "--cache", tmp_path / "cache", "--manifest", tmp_path / "m.jsonl", "--resume")
    said = done(*words, "--jobs", "2", "--json", tmp_path / "r.json", code=2)
    assert "figure1.off" in said
    assert [shape["name"] for shape in report(tmp_path / "r.json")["shapes"]] == ["figure0", "figure2"]
    assert len(report(tmp_path / "r.json")["failed"]) == 1
    with pytest.raises(mt.InputError, match=r"figure1\.off"):
        mt.evaluate(model, folder)
    write_figures(tmp_path / "shapes", 3)
    lines = len(read_lines(tmp_path / "m.jsonl"))
    done(*words, "--json", tmp_path / "again.json")
    assert len(read_lines(tmp_path / "m.jsonl")) == lines + 1  # the one that had failed
    assert len(report(tmp_path / "again.json")["shapes"]) == 3
    damaged = read_lines(tmp_path / "m.jsonl")[-1]
    damaged["entry"]["score"] = {"name": "x"}
    with pytest.raises(mt.InputError, match="is damaged"):
        merged_score([damaged])


def test_what_was_prepared_is_not_prepared_again(made: tuple[Path, Path], tmp_path: Path) -> None:
    folder, _ = made
    cache = tmp_path / "cache"
    words = ("prepare", folder, "-k", "12", "--cache", cache)
    for index in range(2):
        done(*words, "--shard", f"{index}/2", "--manifest", tmp_path / f"{index}.jsonl", "--jobs", "2")
    assert len(list(cache.glob("*.h5"))) == SHAPES
    said = done("merge", tmp_path / "0.jsonl", tmp_path / "1.jsonl")
    assert f"{SHAPES} of {SHAPES} meshes done" in said
    whole = (*words, "--manifest", tmp_path / "0.jsonl", "--resume")
    assert "were cached already" in done(*whole)
    gone = next(cache.glob("*.h5"))
    gone.unlink()
    assert f"1 computed, {SHAPES - 1} were cached already" in done(*whole)
    assert gone.exists()
    other = done("prepare", folder, "-k", "8", "--cache", cache, "--manifest", tmp_path / "0.jsonl", "--resume")
    assert f"{SHAPES} computed" in other


def test_prepare_fills_the_cache_that_training_reads(made: tuple[Path, Path], tmp_path: Path) -> None:
    folder, _ = made
    done("prepare", folder, "-k", "12", "--cache", tmp_path)
    before = {path.name for path in tmp_path.glob("*.h5")}
    mt.train(folder, cache=mt.Cache(tmp_path), device="cpu", **SMALL)
    assert {path.name for path in tmp_path.glob("*.h5")} == before
