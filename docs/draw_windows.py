"""Take the pictures of the viewer's window and of a page that stand in these pages, with the tool itself.

    xvfb-run -a -s "-screen 0 1400x900x24" python docs/draw_windows.py [viewer] [labelling] [pieces] [support] [page]

A hand moves the mouse, types and looks at what is on the screen, in a window of 1280 x 720; the page is opened in
Chromium. Every shape is generated, of the variant that nothing was trained on.
"""

from __future__ import annotations

import subprocess
import sys
import tempfile
from pathlib import Path

import numpy as np
import torch
from PIL import Image, ImageGrab

ROOT = Path(__file__).parents[1]
sys.path[:0] = [str(ROOT), str(ROOT / "tests" / "helpers")]

from window_driver import Hand, Place  # noqa: E402

import meshtide as mt  # noqa: E402
from meshtide.output.pictures import save_picture, sheet  # noqa: E402
from meshtide.output.pictures.segments import shortened_legend  # noqa: E402
from meshtide.viewer.state.framing import pixels  # noqa: E402
from meshtide.viewer.state.item import model_tools  # noqa: E402
from meshtide.viewer.state.scene import Scene  # noqa: E402
from meshtide.viewer.window.window import Window  # noqa: E402

PICTURES = ROOT / "docs" / "pictures"
HORSE, DEER = 9005, 9002
COLOURS = 160  # of a picture that is kept small
MOST_ASKED = 16  # pixels of a piece that are looked at


def animal(number: int) -> tuple[mt.Mesh, mt.Labels]:
    """A generated animal and its true parts."""
    mesh, truth = mt.make_figure("quadruped", number, "held-out", defects=False)
    return mesh, truth.to_vertices(mesh)


class Show:
    """A window with one scene after another, and a hand in it."""

    def __init__(self, folder: Path) -> None:
        self.folder, self.tools = folder, model_tools()
        self.hand: Hand | None = None

    def open(self, source: object) -> Hand:
        """Show something else; the window stays the same."""
        self.hand = Hand(Window(Scene(source, self.tools)))
        return self.hand

    def take(self, name: str) -> None:
        """What is on the screen, pointer's ring and all, without the empty screen around it."""
        assert self.hand is not None
        self.hand.window.polyscope.set_SSAA_factor(3)
        self.hand.wait(2)
        whole = ImageGrab.grab().convert("RGB")
        save(whole.crop(whole.getbbox()), name)


def save(picture: Image.Image, name: str) -> None:
    """Write a picture with few colours."""
    small = picture.quantize(COLOURS, dither=Image.Dither.NONE)
    small.save(PICTURES / f"{name}.png", optimize=True)
    print(name, (PICTURES / f"{name}.png").stat().st_size)


def seen(hand: Hand, piece: str) -> list[Place]:
    """Pixels at which a piece of the prediction is seen, the most central first; a few, as each is asked for."""
    scene, stage = hand.window.scene, hand.window.stage
    index = [each.name for each in scene.pieces.all].index(piece)
    rows = np.flatnonzero(scene.item.prediction.vertex_instances == index)
    camera, opening = stage._camera()
    places = pixels(scene.mesh.vertices[rows], camera, hand.size, opening)
    order = np.argsort(np.hypot(*(places - np.median(places, axis=0)).T))[:: max(1, len(rows) // MOST_ASKED)]
    hits = [((x, y), stage.hit((x, y))) for x, y in places[order].tolist()]
    return [place for place, hit in hits if hit is not None and scene.pieces.at(*hit) == index]


def draw_viewer(show: Show) -> None:
    """The parts beside the truth."""
    show.open([animal(HORSE)])
    show.take("viewer")


def draw_labelling(show: Show) -> None:
    """Regions without names that get some, a click each, and what is proposed for the rest."""
    path = show.folder / "horse.ply"
    mt.save_mesh(animal(HORSE)[0], path)
    hand = show.open(str(path))
    scene = hand.window.scene
    hand.key("B")
    hand.press_widget("##name")
    for name in ("head", "neck", "torso", "leg", "tail"):
        hand.type(name)
    hand.wait(3)  # the field is ready for another name first
    hand.key("Escape")
    hand.io.AddMousePosEvent(600.0, 20.0)
    hand.wait(2)
    places = {name: seen(hand, name)[0] for name in ("head", "neck", "torso", "leg 1", "leg 2", "tail")}
    for number, (name, place) in enumerate(places.items()):
        hand.key(f"{min(number, 3) + 1}" if name != "tail" else "5")
        hand.click(place)
    hand.io.AddMousePosEvent(600.0, 20.0)  # and no ring
    hand.wait(2)
    pictures = [picture(hand)]
    hand.key("T")
    hand.wait(2)
    hand.window.scene.show("proposal")
    hand.window.changed()
    hand.wait(2)
    pictures.append(picture(hand))
    legend = shortened_legend([(each.name, each.colour, None) for each in scene.legend()], "#ffffff")
    both = sheet(
        pictures,
        [f"{len(places)} clicks of the brush", "what T proposes for the rest"],
        legend=legend,
        background="#ffffff",
    )
    save_picture(both, PICTURES / "labelling.png")
    scene.show("painting")
    hand.key("3")
    hand.io.AddMousePosEvent(*places["torso"])
    show.take("labelling-panel")


def picture(hand: Hand) -> np.ndarray:
    """The shape beside the panel."""
    whole = hand.window.polyscope.screenshot_to_buffer(transparent_bg=False)[..., :3]
    return np.ascontiguousarray(
        np.asarray(Image.fromarray(whole[:, 390:]).resize((445, 360), Image.Resampling.LANCZOS))
    )


def draw_pieces(show: Show) -> None:
    """A piece that was split along a drawn line."""
    path = show.folder / "deer.ply"
    mt.save_mesh(animal(DEER)[0], path)
    hand = show.open(str(path))
    places = np.array(seen(hand, "torso"))
    hand.click(tuple(places[0]))
    across, down = places[0]
    hand.key("X")
    hand.stroke([(across, down + step) for step in range(-70, 71, 7)])
    show.take("pieces-panel")


def draw_support(show: Show) -> None:
    """Parts, confidence, and how far a vertex is heard."""
    mesh = animal(DEER)[0]
    hand = show.open(mesh)
    scene, stage = hand.window.scene, hand.window.stage
    scene.select(int(mesh.vertices[:, 2].argmax()))
    scene.choices.time = 0.02
    stage.panel = False
    stage._shown = None
    hand.window.polyscope.set_SSAA_factor(3)
    pictures = []
    for mode in ("prediction", "confidence", "support"):
        scene.show(mode)
        stage.refresh()
        whole = hand.window.polyscope.screenshot_to_buffer(transparent_bg=False)[..., :3]
        cut = Image.fromarray(np.ascontiguousarray(whole[:, 280:1000])).resize((300, 300), Image.Resampling.LANCZOS)
        pictures.append(np.asarray(cut))
    save_picture(
        sheet(pictures, ["parts", "confidence", "support of a vertex, t = 0.02"], columns=3), PICTURES / "support.png"
    )


def draw_page(show: Show) -> None:
    """The page that `-o horse.html` writes, as a browser shows it."""
    page, taken = show.folder / "horse.html", show.folder / "page.png"
    mt.segment(animal(HORSE)[0]).save(page)
    browser = ["chromium", "--headless", "--no-sandbox", "--hide-scrollbars", "--virtual-time-budget=5000"]
    browser += ["--enable-unsafe-swiftshader", "--window-size=1280,720", f"--screenshot={taken}", page.as_uri()]
    subprocess.run(browser, check=True, capture_output=True, timeout=300)
    save(Image.open(taken).convert("RGB"), "page")


if __name__ == "__main__":
    torch.set_num_threads(1)
    drawers = {"viewer": draw_viewer, "labelling": draw_labelling, "pieces": draw_pieces, "support": draw_support}
    drawers["page"] = draw_page
    with tempfile.TemporaryDirectory() as place:
        show = Show(Path(place))
        for name in sys.argv[1:] or drawers:
            drawers[name](show)
