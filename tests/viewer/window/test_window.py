"""The viewer draws what the scene holds: without a window, and in a real one that is clicked on."""

from __future__ import annotations

import builtins
import os
import shutil
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pytest
import torch
from PIL import Image
from shapes import FIGURE_PARTS, figure, sphere
from small_models import model

from meshtide.errors import InputError
from meshtide.inference.segmentation import Segmentation
from meshtide.labels.colours import part_colours
from meshtide.labels.labels import Labels
from meshtide.mesh.files import save_mesh
from meshtide.viewer.state.item import model_tools
from meshtide.viewer.state.scene import Scene
from meshtide.viewer.view import view
from meshtide.viewer.window import backend

torch.set_num_threads(1)
try:
    from meshtide.viewer.window import screenshot, start, turntable
    from meshtide.viewer.window.shots import _picture, _stage

    start(window=False)
    WHY_NOT = ""
except InputError as error:
    WHY_NOT = str(error)
needs_drawing = pytest.mark.skipif(bool(WHY_NOT), reason=WHY_NOT)
needs_screen = pytest.mark.skipif(
    not (shutil.which("Xvfb") and shutil.which("xdotool")) or bool(WHY_NOT), reason="there is no Xvfb or no xdotool"
)


@pytest.fixture
def scene() -> Scene:
    mesh, parts = figure(2)
    return Scene((mesh, Labels(parts, "faces", FIGURE_PARTS)), model_tools(model()), mode="truth")


def covered(picture: np.ndarray) -> float:
    """The share of a picture that is not background."""
    return float((picture < 250).any(axis=2).mean())


@needs_drawing
def test_a_screenshot_shows_the_shape_and_each_side_differs(scene: Scene, tmp_path: Path) -> None:
    screenshot(scene, tmp_path / "one.png", size=(320, 240), up="z")
    screenshot(scene, tmp_path / "two.png", size=(320, 240), views=("front", "90,10"), up="z")
    one, two = (np.asarray(Image.open(tmp_path / name).convert("RGB")) for name in ("one.png", "two.png"))
    assert one.shape[1] == 320
    assert two.shape[1] == 640
    assert 0.03 < covered(one) < 0.7
    assert not np.array_equal(two[:, :320], two[:, 320:])


@needs_drawing
def test_modes_parts_and_a_selected_vertex_change_the_picture(scene: Scene) -> None:
    stage = _stage(scene, (240, 240), "z")
    pictures = {"truth": _picture(stage, 30, 10)}
    scene.toggle("torso")
    stage.refresh()
    pictures["no torso"] = _picture(stage, 30, 10)
    assert covered(pictures["no torso"]) < covered(pictures["truth"])
    scene.only(None)
    scene.select(10)
    for mode in ("eigenfunction", "support", "difference"):
        scene.show(mode)
        stage.refresh()
        pictures[mode] = _picture(stage, 30, 10)
    drawn = list(pictures.values())
    for number, picture in enumerate(drawn):
        assert covered(picture) > 0.02
        assert not any(np.array_equal(picture, other) for other in drawn[:number])


@needs_drawing
def test_a_ready_segmentation_is_drawn_and_a_chosen_instance_stands_out(tmp_path: Path) -> None:
    mesh, parts = figure(2)
    named = Segmentation.of_regions(mesh, parts, names=FIGURE_PARTS)
    view(named, screenshot=tmp_path / "regions.png", size=(240, 240), up="z")
    assert covered(np.asarray(Image.open(tmp_path / "regions.png").convert("RGB"))) > 0.03
    labels = Labels(parts, "faces", FIGURE_PARTS).to_vertices(mesh)
    rows = np.eye(len(FIGURE_PARTS), dtype=np.float32)[labels.values]
    scene = Scene(Segmentation(mesh, labels, rows, part_colours(FIGURE_PARTS)))
    stage = _stage(scene, (240, 240), "z")
    plain = _picture(stage, 0, 5)
    scene.show("instances")
    stage.refresh()
    shaded = _picture(stage, 0, 5)
    assert not np.array_equal(plain, shaded)
    stage.look(0, 5)
    hits = [stage.hit((float(x), float(y))) for x in range(60, 180, 8) for y in range(40, 220, 8)]
    found = {scene.pieces.at(*hit) for hit in hits if hit is not None}
    assert found == set(range(len(scene.pieces.all)))  # from the front all can be clicked on
    scene.pieces.choose(0)
    stage.refresh()
    faded = _picture(stage, 0, 5).astype(int)
    colourful = [np.ptp(picture, axis=2).mean() for picture in (shaded.astype(int), faded)]
    assert colourful[1] < 0.7 * colourful[0]


@needs_drawing
def test_the_truth_stands_beside_the_prediction(scene: Scene) -> None:
    alone = covered(_picture(_stage(scene, (400, 240), "z"), 0, 5))
    scene.show("prediction")
    stage = _stage(scene, (400, 240), "z")
    assert stage.shows_truth
    picture = _picture(stage, 0, 5)
    left, right = (picture[:, half] < 250 for half in (slice(None, 200), slice(200, None)))
    assert left.any()
    assert right.any()
    assert covered(picture) > 0.5 * alone


@needs_drawing
def test_the_vertex_under_a_pixel_is_the_nearest_to_the_viewer_s_ray(scene: Scene) -> None:
    stage = _stage(scene, (240, 240), "z")
    stage.look(0, 5)
    found = [stage.vertex_at((float(x), float(y))) for x in range(60, 180, 12) for y in range(40, 200, 16)]
    hit = [vertex for vertex in found if vertex is not None]
    assert 5 < len(hit) < len(found)
    # Seen from the front, only vertices that face the viewer are hit.
    normal = scene.mesh.vertices[hit] - scene.mesh.vertices.mean(axis=0)
    assert (normal[:, 1] < 0.2 * np.ptp(scene.mesh.vertices[:, 1])).all()
    assert stage.vertex_at((1.0, 1.0)) is None


@needs_drawing
def test_a_turntable_is_a_gif_or_a_folder(scene: Scene, tmp_path: Path) -> None:
    turntable(scene, tmp_path / "turn.gif", frames=4, size=(120, 120), up="z")
    moving = Image.open(tmp_path / "turn.gif")
    assert moving.n_frames == 4
    turntable(scene, tmp_path / "frames", frames=3, size=(120, 120), up="z")
    assert [path.name for path in sorted((tmp_path / "frames").iterdir())] == ["0000.png", "0001.png", "0002.png"]
    for wrong, options in (("x.mp4", {}), ("y.gif", {"frames": 1})):
        with pytest.raises(InputError, match="turntable"):
            turntable(scene, tmp_path / wrong, **options)
    with pytest.raises(InputError, match="'sideways' is not known"):
        screenshot(scene, tmp_path / "x.png", views=("sideways",))


@pytest.mark.parametrize(
    ("missing", "sentence"),
    [
        (ModuleNotFoundError("No module named 'polyscope'", name="polyscope"), "pip install"),
        (ImportError("libGL.so.1: cannot open shared object file"), "apt install libegl1"),
    ],
)
def test_what_is_missing_is_named(missing: ImportError, sentence: str, monkeypatch: pytest.MonkeyPatch) -> None:
    own = builtins.__import__

    def without(name: str, *rest: object) -> object:
        if name == "polyscope":
            raise missing
        return own(name, *rest)

    monkeypatch.setattr(builtins, "__import__", without)
    with pytest.raises(InputError, match=sentence):
        backend.start(window=True)


def test_without_a_screen_it_says_what_to_do(tmp_path: Path) -> None:
    save_mesh(figure(1)[0], tmp_path / "figure.ply")
    bare = {name: value for name, value in os.environ.items() if name not in ("DISPLAY", "WAYLAND_DISPLAY")}
    done = subprocess.run(
        [sys.executable, "-m", "meshtide", "view", "figure.ply"],
        cwd=tmp_path,
        env=bare,
        capture_output=True,
        text=True,
        check=False,
        timeout=600,
    )
    assert done.returncode == 2
    assert "--screenshot" in done.stderr
    assert "Traceback" not in done.stderr


CLICKED = """
import subprocess, sys, time
import torch
torch.set_num_threads(1)
from shapes import figure
from meshtide.viewer.window import Window
from meshtide.viewer.state.item import model_tools
from meshtide.viewer.state.scene import Scene
scene = Scene(figure(2)[0], model_tools())
window = Window(scene)
window.polyscope.set_window_size(900, 700)
window.stage.up = "z"
own, started, frames, told = window.frame, time.time(), 0, ""

def middle():
    # A place on the surface that the panel does not cover.
    for x in range(380, 880, 10):
        for y in range(60, 680, 10):
            if window.stage.vertex_at((float(x), float(y))) is not None:
                return x, y

def click():
    x, y = middle()
    search = ["xdotool", "search", "--name", "meshtide"]
    found = subprocess.run(search, capture_output=True, text=True).stdout.split()
    subprocess.Popen(f"xdotool mousemove --window {found[-1]} {x} {y}; sleep 0.5; xdotool mousedown 1; sleep 0.5; "
                     "xdotool mouseup 1", shell=True)

def frame():
    global frames, told
    own()
    frames += 1
    if frames == 5:
        click()
    if not told and scene.pieces.chosen is not None:
        told = scene.pieces.told()
        assert scene.mode == "prediction" and scene.selected is not None
        scene.pieces.choose(None)
        scene.select(None)
        scene.show("eigenfunction")  # where a click shows the support
        click()
    if "90 %" in window.message or time.time() - started > 90:
        window.polyscope.unshow()

window.frame = frame
window.open()
assert told, "no instance was chosen"
assert scene.selected is not None, "no vertex was selected"
assert scene.mode == "support", scene.mode
values = scene.layer().values
assert values[scene.selected] > 0.2 * values.max()
print("chosen", told)
print("selected", scene.selected, window.message)
"""


@needs_screen
def test_a_click_in_a_real_window_chooses_an_instance_and_shows_a_support() -> None:
    display = f":{90 + os.getpid() % 900}"
    server = subprocess.Popen(["Xvfb", display, "-screen", "0", "1000x800x24"], stderr=subprocess.DEVNULL)
    try:
        time.sleep(1.5)
        surroundings = {**os.environ, "DISPLAY": display, "OMP_NUM_THREADS": "1"}
        done = subprocess.run(
            [sys.executable, "-c", CLICKED], env=surroundings, capture_output=True, text=True, check=False, timeout=600
        )
    finally:
        server.terminate()
        server.wait()
    assert done.returncode == 0, done.stderr[-2000:]
    assert "% of the area" in done.stdout
    assert "90 % of it lies within" in done.stdout


MOCKED = """
import torch
torch.set_num_threads(1)
from dataclasses import replace
import numpy as np
from shapes import FIGURE_PARTS, figure, sphere
from meshtide.inference.segmentation import Segmentation
from meshtide.labels.colours import part_colours
from meshtide.labels.labels import Labels
from meshtide.viewer.window import Window
from meshtide.viewer.state.item import model_tools
from meshtide.viewer.state.scene import Scene
drawn = {len(figure(number)[0].faces): figure(number)[1] for number in (1, 2)}
def true_parts(mesh):
    labels = Labels(drawn[len(mesh.faces)], "faces", FIGURE_PARTS).to_vertices(mesh)
    rows = np.eye(len(FIGURE_PARTS), dtype=np.float32)[labels.values]
    return Segmentation(mesh, labels, rows, part_colours(FIGURE_PARTS))
tools = replace(model_tools(), segment=true_parts)
scene = Scene([figure(1)[0], figure(2)[0]], tools)
window = Window(scene)
window.stage.refresh()
window.polyscope.set_user_callback(window.frame)
scene.select(3)
for mode in scene.modes:
    scene.show(mode)
    window.polyscope.show(2)
scene.show("instances")
scene.pieces.choose(0)
window.polyscope.show(1)
scene.show("prediction")
parts = window.panel.parts
several = next(each.part for each in scene.pieces.all if each.number == 2)
parts.opened.add(several)
window.polyscope.show(2)
faces = len(window.stage._drawing.faces)
index, second = scene.pieces.of(several)[1]
parts.toggle(second.name)
parts.choose(index)
window.polyscope.show(2)
own = scene.item.prediction.outlined.face_instances == index
assert len(window.stage._drawing.faces) == faces - own.sum() < faces
parts.only(second.name)
window.polyscope.show(2)
assert len(window.stage._drawing.faces) == own.sum()
parts.choose(index)  # a second time lets go
assert scene.pieces.chosen is None
parts.only(None)
window.polyscope.show(1)
assert len(window.stage._drawing.faces) == faces
hit, window.stage.hit = window.stage.hit, lambda place: (int(scene.mesh.faces[7, 0]), 7)
window.click((0.0, 0.0))
assert scene.pieces.chosen == scene.item.prediction.face_instances[7] and scene.mode == "prediction"
window.stage.hit = lambda place: None
window.click((0.0, 0.0))
assert scene.pieces.chosen is None
window.stage.hit = hit
scene.show("support")
window.panel.options.sweep_start = 1.0  # as the button "animate over t" does
seen = set()
for _ in range(3):
    window.polyscope.show(1)
    seen.add(scene.choices.time)
assert len(seen) == 3 and None not in seen
window.panel.options.sweep_start = None
panel = window.labelling
panel.name = "tip"
panel.new_part()
panel.active = True
panel.begin()
panel.paint(5)
panel.end()
assert scene.mode == "painting" and scene.painting.painted.any()
panel.take_prediction()
assert (scene.painting.values >= 0).all() and "tip" in scene.painting.names
scene.painting.undo()
assert not scene.painting.painted.all()
panel.path = "painted.npz"
panel.save()
assert panel.leaving() == ""
window.polyscope.show(2)
panel.tool = "erase"
panel.paint(5)
window.polyscope.show(2)
window.leave(scene.next)
assert scene.index == 1 and "not saved yet" in panel.message, panel.message
assert panel.path == "figure-2.txt", panel.path
window.changed()
window.polyscope.show(2)
assert scene.painting.names == ("tip",)
print("drawn", scene.index)
import warnings
with warnings.catch_warnings(record=True) as caught:
    warnings.simplefilter("always")
    window.polyscope.show = lambda: None  # as if it had been closed
    window.open()
assert ["a copy is in .figure-1.unsaved.npz" in str(each.message) for each in caught] == [True]
"""


@needs_drawing
def test_every_mode_and_the_panel_with_the_backend_that_draws_nothing(tmp_path: Path) -> None:
    surroundings = {**os.environ, "MESHTIDE_POLYSCOPE": "mock", "OMP_NUM_THREADS": "1"}
    done = subprocess.run(
        [sys.executable, "-c", MOCKED],
        env=surroundings,
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=False,
        timeout=600,
    )
    assert done.returncode == 0, done.stderr[-2000:]
    assert "drawn 1" in done.stdout
    assert np.load(tmp_path / "painted.npz")["names"].tolist() == ["tip"]


@needs_drawing
@pytest.mark.parametrize(("script", "words"), [("segmentation", ()), ("diffusion", ("12",)), ("labelling", ("l.txt",))])
def test_the_scripts_that_people_copy_run(script: str, words: tuple[str, ...], tmp_path: Path) -> None:
    save_mesh(figure(2)[0], tmp_path / "figure.ply")
    place = Path(__file__).parents[3] / "viewers" / f"{script}.py"
    done = subprocess.run(
        [sys.executable, str(place), "figure.ply", *words, "out.png"],
        cwd=tmp_path,
        text=True,
        capture_output=True,
        check=False,
        timeout=600,
    )
    assert done.returncode == 0, done.stderr[-2000:]
    assert covered(np.asarray(Image.open(tmp_path / "out.png").convert("RGB"))) > 0.02
    assert done.stdout


@needs_drawing
def test_colours_equal_the_swatches(tmp_path: Path) -> None:
    ball = sphere(4)
    for colour in ("#3c4ba5", "#56b4e9", "#e69f00", "#d8dde3", "#0a0a0a"):
        parts = Segmentation.of_regions(ball, np.zeros(len(ball.faces), dtype=int), colours=(colour,))
        picture = _picture(_stage(Scene(parts), (200, 200), "z"), 0, 0)
        lit = picture[95:105, 95:105].reshape(-1, 3).mean(axis=0)
        # What was drawn before in this process dims the light by some percent.
        np.testing.assert_allclose(lit, list(bytes.fromhex(colour[1:])), rtol=0.06, atol=4)
        rim = picture[100, :100][(picture[100, :100] < 250).any(axis=1)][2]
        assert rim.sum() < 0.95 * lit.sum()  # and there is light and shade
