"""Parts without names: for what has no known kind, and for whoever asks."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest
from command_line import run
from shapes import box

import meshtide as mt
from meshtide.data.figures.objects import make_object
from meshtide.errors import InputError
from meshtide.training.region_scores import rand_error


@pytest.fixture(scope="module")
def microscope() -> mt.Mesh:
    return make_object("microscope", 901, "held-out", defects=False).mesh


def test_a_thing_of_no_known_kind_is_divided_without_names_and_the_reason_is_said(microscope) -> None:
    result = mt.segment(microscope)
    assert result.kind is None
    assert result.parts == tuple(f"part {number + 1}" for number in range(len(result.parts)))
    assert "none of the kinds" in result.reason
    shares = list(result.shares.values())
    assert shares == sorted(shares, reverse=True)
    assert len(result.instances) == len(result.parts) > 2


def test_a_body_keeps_its_names_unless_regions_are_asked_for() -> None:
    body = mt.make_figure("humanoid", 905, "held-out", defects=False)[0]
    named, unnamed = mt.segment(body), mt.segment(body, unnamed=True)
    assert named.kind == "humanoid"
    assert "taken for a humanoid" in named.reason
    assert unnamed.kind is None
    assert set(unnamed.parts) == {f"part {number + 1}" for number in range(len(unnamed.parts))}


@pytest.mark.parametrize("count", [1, 2, 7])
def test_as_many_parts_as_asked_for(microscope, count: int) -> None:
    assert len(mt.segment(microscope, count=count).instances) == count


def test_more_detail_never_gives_fewer_parts(microscope) -> None:
    counts = [len(mt.segment(microscope, detail=detail).parts) for detail in (0.25, 1.0, 4.0)]
    assert counts == sorted(counts)
    assert counts[0] < counts[-1]


def test_the_answer_is_the_same_however_the_shape_is_turned_and_scaled(microscope) -> None:
    first = mt.segment(microscope, unnamed=True).mesh_face_instances
    turn = np.linalg.qr(np.random.default_rng(3).normal(size=(3, 3)))[0]
    turn *= np.sign(np.linalg.det(turn))
    moved = mt.Mesh(1e3 * microscope.vertices @ turn.T + 50.0, microscope.faces)
    assert rand_error(first, mt.segment(moved, unnamed=True).mesh_face_instances) < 0.05


def test_words_that_do_not_go_together_are_refused(microscope) -> None:
    with pytest.raises(InputError, match="`kind` is for parts with names"):
        mt.segment(microscope, kind="humanoid", unnamed=True)
    with pytest.raises(InputError, match="`count` is 0"):
        mt.segment(microscope, count=0)
    with pytest.raises(InputError, match="`detail` is nan"):
        mt.segment(microscope, detail=float("nan"))


def test_the_least_that_is_a_surface_has_one_part() -> None:
    triangle = mt.Mesh(np.eye(3), np.array([[0, 1, 2]]))
    assert len(mt.segment(triangle).parts) == 1
    assert len(mt.segment(box(), unnamed=True).parts) >= 1


def test_the_command_line_says_which_and_why_and_writes_every_format(microscope, tmp_path: Path) -> None:
    mt.save_mesh(microscope, tmp_path / "microscope.obj")
    names = ("microscope.glb", "microscope.json", "microscope.seg", "microscope.npz", "parts.ply")
    words = [word for name in names for word in ("-o", name)]
    done = run("segment", "microscope.obj", *words, "--split-parts", "split", cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    assert "like none of the kinds whose parts have names" in done.stdout
    content = json.loads((tmp_path / "microscope.json").read_text())
    assert content["kind"] is None
    assert content["reason"]
    assert all(set(border) == {"one", "other", "confidence"} for border in content["borders"])
    regions = np.loadtxt(tmp_path / "microscope.seg", dtype=int)
    assert len(np.unique(regions)) == len(content["instances"]) == len(list((tmp_path / "split").iterdir()))


def test_regions_are_scored_against_people(microscope, tmp_path: Path) -> None:
    mt.save_mesh(microscope, tmp_path / "1.off")
    mt.segment(microscope, unnamed=True).save(tmp_path / "1_0.seg")
    (tmp_path / "1_1.seg").write_text("0\n" * len(microscope.faces))
    report = mt.evaluate_regions(tmp_path)
    assert report.divisions == 2
    assert report.people == pytest.approx(2 * report.mean.rand, rel=0.05)
    done = run("evaluate", "default", ".", "--regions", "--json", "out.json", cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    assert "people against each other" in done.stdout
    assert json.loads((tmp_path / "out.json").read_text())["mean"]["rand"] == pytest.approx(report.mean.rand)
    assert run("evaluate", "mine.safetensors", ".", "--regions", cwd=tmp_path).returncode == 2
