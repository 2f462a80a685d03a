"""A real window that is worked with by mouse and keys: turning while one paints, pieces put right, parts named."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import time
from pathlib import Path

import pytest

needs_screen = pytest.mark.skipif(not shutil.which("Xvfb"), reason="there is no Xvfb")

WORKED = """
import numpy as np, torch
torch.set_num_threads(1)
from dataclasses import replace
from shapes import FIGURE_PARTS, figure
from meshtide.errors import InputError
try:
    from meshtide.viewer.window.backend import start
    start(window=True)
except InputError as error:
    raise SystemExit(f"SKIP {error}")
from meshtide.inference.segmentation import Segmentation
from meshtide.labels.colours import part_colours
from meshtide.labels.labels import Labels
from meshtide.mesh.files import save_mesh
from meshtide.viewer.state.framing import pixels
from meshtide.viewer.state.item import model_tools
from meshtide.viewer.state.scene import Scene
from meshtide.viewer.window.window import Window
from window_driver import Hand
mesh, parts = figure(2)
save_mesh(mesh, "figure.ply")
def true_parts(mesh):
    labels = Labels(parts, "faces", FIGURE_PARTS).to_vertices(mesh)
    rows = np.eye(len(FIGURE_PARTS), dtype=np.float32)[labels.values]
    return Segmentation(mesh, labels, rows, part_colours(FIGURE_PARTS), kind="person")
scene = Scene("figure.ply", replace(model_tools(), segment=true_parts))
hand = Hand(Window(scene), (1000, 640))
window, pieces = hand.window, scene.pieces

def seen(name):
    # Pixels at which a piece is seen.
    camera, found = window.stage._camera()[0], []
    index = [each.name for each in pieces.all].index(name)
    for x, y in pixels(mesh.vertices[scene.item.prediction.vertex_instances == index], camera, hand.size).tolist():
        hit = window.stage.hit((x, y)) if 390 < x < 990 and 10 < y < 630 else None
        if hit is not None and pieces.at(*hit) == index:
            found.append((x, y))
    return sorted(found, key=lambda place: np.hypot(*np.subtract(place, np.mean(found, axis=0))))

# A piece is chosen by a click, renamed by typing, merged by a key and a click.
hand.click(seen("head")[0])
assert pieces.told().startswith("head"), pieces.told()
hand.press_widget("##piece")
hand.type("skull")
hand.key("Escape")
assert pieces.told().startswith("skull"), (window.message, pieces.told())
count = len(pieces.all)
hand.key("M")
hand.click(seen("torso")[0])
assert len(pieces.all) == count - 1 and pieces.told().startswith("skull"), window.message

# It is split along a line that is drawn: across, through the middle of what is seen of it.
places = np.array(seen("skull"))
row = places[np.abs(places[:, 1] - places[0, 1]) < 8]
row = row[np.argsort(row[:, 0])]
hand.key("X")
before = window.stage._camera()[0].eye
hand.stroke([tuple(place) for place in row])
assert np.allclose(window.stage._camera()[0].eye, before), "drawing must not turn the shape"
assert len(pieces.all) == count, window.message
hand.press_widget("save pieces")
assert "wrote" in window.message, window.message

# While one paints, shift and a drag turn the shape and paint nothing, and so does a drag beside the shape.
hand.key("B")
hand.press_widget("##name")
for name in ("one", "two"):
    hand.type(name)
hand.key("Escape")
assert scene.painting.names == ("one", "two"), scene.painting.names
before = window.stage._camera()[0]
hand.turn(200.0)
after = window.stage._camera()[0]
assert not np.allclose(before.eye, after.eye) and np.allclose(before.up @ after.up, 1, atol=0.3)
assert not scene.painting.painted.any()
hand.stroke([(400.0, 10.0), (440.0, 10.0), (560.0, 10.0)])
assert not np.allclose(window.stage._camera()[0].eye, after.eye)
assert not scene.painting.painted.any()
still = window.stage._camera()[0].eye
hand.key("2")
hand.click(seen("leg 1")[0])
assert scene.painting.painted.any() and set(scene.painting.values.tolist()) == {-1, 1}
assert np.allclose(window.stage._camera()[0].eye, still)
hand.key("G")
hand.click(seen("leg 1")[0])
leg = [each.name for each in pieces.all].index("leg 1")
assert (scene.painting.values[scene.item.prediction.vertex_instances == leg] == 1).all()
print("worked", hand.clicks)
"""


@needs_screen
def test_work_in_a_real_window(tmp_path: Path) -> None:
    display = f":{1100 + os.getpid() % 900}"
    server = subprocess.Popen(["Xvfb", display, "-screen", "0", "1280x800x24"], stderr=subprocess.DEVNULL)
    try:
        time.sleep(1.5)
        surroundings = {**os.environ, "DISPLAY": display, "OMP_NUM_THREADS": "1"}
        surroundings["PYTHONPATH"] = os.pathsep.join(path for path in sys.path if path)
        done = subprocess.run(
            [sys.executable, "-c", WORKED],
            env=surroundings,
            cwd=tmp_path,
            capture_output=True,
            text=True,
            check=False,
            timeout=900,
        )
    finally:
        server.terminate()
        server.wait()
    if "SKIP" in done.stderr:
        pytest.skip(done.stderr.strip())
    assert done.returncode == 0, done.stderr[-2000:]
    assert "worked" in done.stdout
    assert (tmp_path / "parts" / "figure.glb").read_bytes()[:4] == b"glTF"
