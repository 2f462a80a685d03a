"""`view`: one call for a window, a picture or a page, for whatever can be segmented."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest
import torch
import trimesh
from labelled_folders import write_figures
from shapes import FIGURE_PARTS, box, figure
from small_models import KINDS, model

import meshtide
from meshtide.errors import InputError
from meshtide.inference.model import Model
from meshtide.inference.segment import segment
from meshtide.labels.labels import Labels
from meshtide.mesh.files import load_mesh, save_mesh
from meshtide.viewer import window
from meshtide.viewer.state.item import entries_of
from meshtide.viewer.state.scene import Scene
from meshtide.viewer.view import view

MESH, PARTS = figure(1)
TRUTH = Labels(PARTS, "faces", FIGURE_PARTS)


@pytest.fixture(autouse=True, scope="module")
def _one_thread() -> None:
    torch.set_num_threads(1)


@pytest.fixture(scope="module")
def known() -> Model:
    return model(kinds=KINDS)


@pytest.fixture
def opened(monkeypatch: pytest.MonkeyPatch) -> list[Scene]:
    """The scenes of the windows that would have been opened."""
    scenes: list[Scene] = []

    class Window:
        def __init__(self, scene: Scene) -> None:
            self.scene = scene

        def open(self) -> None:
            scenes.append(self.scene)

    monkeypatch.setattr(window, "Window", Window)
    return scenes


def page_counts(path: Path) -> list[tuple[int, int]]:
    """Vertices and faces that a page says each of its shapes has."""
    text = path.read_text(encoding="utf-8")
    return [(int(v), int(f)) for v, f in re.findall(r'"vertices": ?(\d+), ?"faces": ?(\d+)', text)]


def test_a_window_shows_what_was_given(opened: list[Scene], known: Model, tmp_path: Path) -> None:
    save_mesh(MESH, tmp_path / "x.stl")
    result = segment(tmp_path / "x.stl", known)
    shown: list[Any] = [
        tmp_path / "x.stl",
        MESH,
        (MESH.vertices, MESH.faces),
        trimesh.Trimesh(MESH.vertices, MESH.faces, process=False),
        result,
    ]
    for what in shown:
        assert view(what, known) == []
        scene = opened.pop()
        assert (len(scene.entries), len(scene.mesh.vertices)) == (1, len(MESH.vertices))
        assert scene.mode == "prediction"
        assert len(scene.item.prediction.labels) == len(scene.mesh.vertices)  # whatever it was made from
        assert len(scene.colours()[0]) == len(scene.mesh.faces)
    view(shown, known)
    assert len(opened.pop().entries) == len(shown)


def test_a_result_is_shown_as_it_is_and_not_computed_again(opened: list[Scene], known: Model) -> None:
    result = segment(MESH, known, kind="animal")
    result.show()  # with the model that ships, which would take it for something else
    (scene,) = opened
    assert scene.item.prediction.parts == result.parts
    assert (scene.item.prediction.labels.values == result.labels.values).all()


def test_show_and_save_go_through_the_public_names(
    known: Model, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    result, called = segment(MESH, known), []
    monkeypatch.setitem(vars(meshtide), "view", lambda what: called.append(what))
    result.show()
    assert called == [result]
    result.save(tmp_path / "x.npz")
    assert (tmp_path / "x.npz").exists()


def test_folders_truths_modes_and_vertices(opened: list[Scene], known: Model, tmp_path: Path) -> None:
    view(str(write_figures(tmp_path / "shapes", 3)), known, mode="truth")
    scene = opened.pop()
    assert (len(scene.entries), scene.mode) == (3, "truth")
    for labels in (TRUTH, tmp_path / "shapes" / "figure0.txt"):
        what = MESH if labels is TRUTH else tmp_path / "shapes" / "figure0.off"
        view(what, known, labels=labels, mode="difference")
        assert opened.pop().mode == "difference"
    view(MESH, known, vertex=5)
    scene = opened.pop()
    assert (scene.mode, scene.selected) == ("support", 5)


def test_a_page_counts_what_was_handed_in(known: Model, tmp_path: Path) -> None:
    save_mesh(MESH, tmp_path / "x.stl")
    file = tmp_path / "x.stl"
    corners = 3 * len(MESH.faces)
    for what in (file, segment(file, known)):
        assert view(what, known, html=tmp_path / "page.html") == [tmp_path / "page.html"]
        assert page_counts(tmp_path / "page.html") == [(corners, len(MESH.faces))]
    view(load_mesh(file), known, html=tmp_path / "page.html")
    assert page_counts(tmp_path / "page.html") == [(corners, len(MESH.faces))]  # of the file that the mesh came from
    view([MESH, file], known, html=tmp_path / "page.html")
    assert page_counts(tmp_path / "page.html") == [(len(MESH.vertices), len(MESH.faces)), (corners, len(MESH.faces))]


def test_pictures_are_asked_for_with_all_that_was_said(known: Model, monkeypatch: pytest.MonkeyPatch) -> None:
    asked: dict[str, Any] = {}
    monkeypatch.setattr(window, "screenshot", lambda scene, path, **how: asked.update(screenshot=(path, how)))
    monkeypatch.setattr(window, "turntable", lambda scene, path, **how: asked.update(turntable=(path, how)))
    written = view(
        MESH, known, screenshot="a.png", turntable="b.gif", views=("front",), size=(64, 48), up="z", frames=5
    )
    assert written == [Path("a.png"), Path("b.gif")]
    assert asked["screenshot"] == ("a.png", {"size": (64, 48), "views": ("front",), "up": "z"})
    assert asked["turntable"] == ("b.gif", {"size": (64, 48), "frames": 5, "up": "z"})


def test_what_cannot_be_shown_is_named(opened: list[Scene], known: Model) -> None:
    for what, how, sentence in (
        (MESH, {"up": "x"}, "`up=x` is not known; there are auto, y, z"),
        (MESH, {"size": (8, 900)}, "`size=8x900` is out of range"),
        ([MESH, box()], {"labels": TRUTH}, "`labels` are those of one mesh, and there are 2"),
        (box(), {"labels": TRUTH}, "were they made for another mesh"),
        (MESH, {"mode": "truth"}, "there is no truth to show"),
        ("gone.obj", {}, "no such file"),
        (3, {}, "where a mesh should be"),
        ([], {}, "no mesh to show"),
    ):
        with pytest.raises(InputError, match=re.escape(sentence)):
            view(what, known, **how)
    assert opened == []


def test_pairs_are_told_apart() -> None:
    assert len(entries_of((MESH, TRUTH))) == len(entries_of((MESH.vertices, MESH.faces))) == 1
    assert entries_of((MESH, TRUTH))[0].load()[1] is TRUTH
    assert len(entries_of((MESH, box()))) == len(entries_of([MESH, box()])) == len(entries_of(iter([MESH, box()]))) == 2
    assert len(entries_of(entries_of((MESH, box())))) == 2


def test_the_command_says_the_same(monkeypatch: pytest.MonkeyPatch, tmp_path: Path, capsys: Any) -> None:
    from meshtide.cli import main

    save_mesh(MESH, tmp_path / "x.off")
    monkeypatch.chdir(tmp_path)
    for words, code, said in (
        (["x.off", "--html", "x.html"], 0, "wrote x.html"),
        (["x.off", "--up", "x"], 2, "--up x is not known"),
        (["x.off", "--size", "9x9"], 2, "--size 9x9 is out of range"),
        (["x.off", "--size", "large"], 2, "wanted width x height"),
        (["x.off", "x.off", "--labels", "x.txt"], 2, "--labels are those of one mesh file"),
        (["x.off", "--model", "gone.safetensors"], 2, "no such file"),
        (["x.off", "--model", "default", "--html", "y.html"], 0, "wrote y.html"),
    ):
        monkeypatch.setattr("sys.argv", ["meshtide", "view", *words])
        with pytest.raises(SystemExit) as end:
            main()
        told = capsys.readouterr()
        assert (end.value.code or 0) == code, told
        assert said in " ".join((told.out + told.err).split())
    assert (tmp_path / "x.html").read_bytes() == (tmp_path / "y.html").read_bytes()
