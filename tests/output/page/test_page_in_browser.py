"""Pages in a headless browser: it shows what a picture shows, turns and hides, and strangers' texts do nothing."""

from __future__ import annotations

import base64
import fcntl
import io
import json
import os
import select
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray
from PIL import Image as Pillow
from scipy.ndimage import binary_erosion, label
from segmented_files import guess
from shapes import FIGURE_PARTS, torus
from test_page import ATTACK, Reader, body

from meshtide.inference.segmentation import Segmentation
from meshtide.labels.colours import part_colours
from meshtide.output.page import write_page
from meshtide.output.page.contents import content
from meshtide.output.pictures import confidence_colours, render
from meshtide.output.pictures.shading import to_linear


class Browser:
    """A headless Chromium, spoken to through two pipes: the DevTools protocol without a network."""

    def __init__(self, program: str, folder: Path) -> None:
        reading, self.out = os.pipe()
        self.into, writing = os.pipe()
        flags = (
            "--headless=new",
            "--no-sandbox",
            "--remote-debugging-pipe",
            "--disable-dev-shm-usage",
            "--no-first-run",
            "--use-angle=swiftshader",
            "--enable-unsafe-swiftshader",
            f"--user-data-dir={folder}",
        )
        # The browser listens on 3 and answers on 4. Far above these, neither end is overwritten by the other.
        ends = [fcntl.fcntl(end, fcntl.F_DUPFD, 50) for end in (reading, writing)]
        start = f"import os, sys; os.dup2({ends[0]}, 3); os.dup2({ends[1]}, 4); os.execv(sys.argv[1], sys.argv[1:])"
        command = [sys.executable, "-c", start, program, *flags]
        self.process = subprocess.Popen(command, pass_fds=ends, stderr=subprocess.DEVNULL)
        for end in (reading, writing, *ends):
            os.close(end)
        self.buffer, self.count, self.events = b"", 0, list[dict[str, Any]]()
        self.session: dict[str, str] = {}

    def open_tab(self) -> None:
        target = self.call("Target.createTarget", url="about:blank")["targetId"]
        self.session = {"sessionId": self.call("Target.attachToTarget", targetId=target, flatten=True)["sessionId"]}
        for domain in ("Page", "Runtime", "Log", "Network"):
            self.call(f"{domain}.enable")

    def call(self, method: str, **values: Any) -> dict[str, Any]:
        self.count += 1
        message = {"id": self.count, "method": method, "params": values, **self.session}
        os.write(self.out, json.dumps(message).encode() + b"\0")
        while (answer := self._read()).get("id") != self.count:
            self.events.append(answer)
        assert "error" not in answer, answer
        return dict(answer["result"])

    def _read(self) -> dict[str, Any]:
        while b"\0" not in self.buffer:
            ready, _, _ = select.select([self.into], [], [], 60)
            piece = os.read(self.into, 1 << 16) if ready else b""
            if not piece:
                raise ConnectionError("the browser does not answer")
            self.buffer += piece
        message, self.buffer = self.buffer.split(b"\0", 1)
        return dict(json.loads(message))

    def run(self, script: str) -> Any:
        answer = self.call("Runtime.evaluate", expression=script, awaitPromise=True, returnByValue=True)
        assert "exceptionDetails" not in answer, answer
        return answer["result"].get("value")

    def show(self, path: Path, fragment: str = "", size: tuple[int, int] = (800, 500)) -> None:
        """Open a page; its events from now on are the only ones."""
        width, height = size
        self.call("Emulation.setDeviceMetricsOverride", width=width, height=height, deviceScaleFactor=1, mobile=False)
        self.call("Page.navigate", url="about:blank")  # the same file with another fragment would not be loaded again
        self.events.clear()
        self.call("Page.navigate", url=path.as_uri() + fragment)
        self.run("new Promise((done) => document.readyState === 'complete' ? done() : addEventListener('load', done))")
        self.settle()

    def settle(self) -> None:
        """Wait for two frames: what changed in the first has been painted by the second."""
        self.run("new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))")

    def mouse(self, kind: str, x: float, y: float, **more: Any) -> None:
        self.call("Input.dispatchMouseEvent", type=kind, x=x, y=y, **more)

    def drag(self, by: tuple[int, int], **more: Any) -> None:
        for kind, step in (("mousePressed", 0), ("mouseMoved", 0.5), ("mouseMoved", 1), ("mouseReleased", 1)):
            self.mouse(kind, 240 + by[0] * step, 220 + by[1] * step, buttons=1, **{"button": "left", **more})
        self.mouse("mouseMoved", 780, 480)  # away, so that nothing is shown at the pointer
        self.settle()

    def canvas(self) -> NDArray[np.uint8]:
        data = base64.b64decode(self.call("Page.captureScreenshot", format="png")["data"])
        wide, high = self.run("[canvas.clientWidth, canvas.clientHeight]")
        return np.asarray(Pillow.open(io.BytesIO(data)).convert("RGB"))[:high, :wide]

    def text(self, selector: str) -> Any:
        return self.run(f"document.querySelector({json.dumps(selector)}).textContent")

    def stop(self) -> None:
        self.process.terminate()
        self.process.wait(20)
        os.close(self.out)
        os.close(self.into)


@pytest.fixture(scope="module")
def browser(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Browser]:
    program = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None)
    if program is None or os.name != "posix":
        pytest.skip("no Chromium here to look at the page with")
    found = Browser(program, tmp_path_factory.mktemp("browser"))
    try:
        try:
            found.open_tab()
        except (ConnectionError, BrokenPipeError):
            pytest.skip(f"{program} does not start here")
        yield found
    finally:
        found.stop()


@pytest.fixture(scope="module")
def pages(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    """A page of a body and a second one, and a page of hostile texts."""
    folder = tmp_path_factory.mktemp("pages")
    hostile = body(names=(ATTACK, "x" * 5000, "头", "<b>"), kind=ATTACK, warnings=(ATTACK, "y" * 5000))
    write_page([body(), guess(torus())], folder / "two.html", titles=["body", "ring"])
    write_page(hostile, folder / "hostile.html", titles=ATTACK)
    return {path.stem: path for path in folder.iterdir()}


def amount(image: NDArray[np.uint8], colour: str) -> int:
    return int(coloured(image, colour).sum())


def coloured(image: NDArray[np.uint8], colour: str) -> NDArray[np.bool_]:
    """Which pixels have this colour, in whatever light."""
    lit = to_linear(image / 255)
    wanted = to_linear(np.array(list(bytes.fromhex(colour[1:]))) / 255)
    brightness = lit.max(axis=2, keepdims=True)
    near = np.abs(lit / np.maximum(brightness, 1e-6) - wanted / wanted.max()).max(axis=2) < 0.12
    return np.asarray(near & (brightness[..., 0] > 0.02))


def drawn(image: NDArray[np.uint8]) -> NDArray[np.bool_]:
    """Which pixels are not the background."""
    return np.asarray(np.abs(image.astype(int) - image[0, 0]).max(axis=2) > 12)


def cropped(image: NDArray[np.uint8]) -> NDArray[np.uint8]:
    """What is drawn, stretched to a fixed size."""
    rows, columns = (np.flatnonzero(drawn(image).any(axis=axis)) for axis in (1, 0))
    cut = image[rows[0] : rows[-1] + 1, columns[0] : columns[-1] + 1]
    return np.asarray(Pillow.fromarray(cut).resize((200, 200)))


@pytest.mark.parametrize(("azimuth", "elevation"), [(35, 15), (-120, 40), (10, -30)])
def test_a_browser_shows_what_a_picture_shows(
    browser: Browser, pages: dict[str, Path], azimuth: int, elevation: int
) -> None:
    answer = body()
    browser.show(pages["two"], f"#azimuth={azimuth}&elevation={elevation}")
    colours = np.array(answer.colours)[answer.face_labels.values]
    picture = render(answer.mesh, colours, on="faces", size=(480, 480), view=(azimuth, elevation), up="auto")
    seen, wanted = cropped(browser.canvas()), cropped(picture)
    both = drawn(seen) & drawn(wanted)
    assert both.sum() > 0.96 * (drawn(seen) | drawn(wanted)).sum()
    for colour in answer.colours:
        assert amount(seen, colour) == pytest.approx(amount(wanted, colour), rel=0.25, abs=200)


def test_parts_are_hidden_shown_and_shown_alone(browser: Browser, pages: dict[str, Path]) -> None:
    colours = dict(zip(FIGURE_PARTS, part_colours(FIGURE_PARTS), strict=True))

    def seen() -> set[str]:
        image = browser.canvas()
        return {name for name, colour in colours.items() if amount(image, colour) > 150}

    browser.show(pages["two"], f"#hide={FIGURE_PARTS[0]}")
    assert seen() == {*FIGURE_PARTS[1:]}
    browser.run("document.querySelectorAll('#legend .eye')[1].click()")
    browser.settle()
    assert seen() == {*FIGURE_PARTS[2:]}
    browser.run("document.getElementById('all').click()")
    browser.settle()
    assert seen() == {*FIGURE_PARTS}
    x, y = browser.run(
        "(({x, y}) => [x + 9, y + 9])(document.querySelectorAll('#legend .pick')[2].getClientRects()[0])"
    )
    for count in (1, 2):
        for kind in ("mousePressed", "mouseReleased"):
            browser.mouse(kind, x, y, button="left", clickCount=count)
    browser.mouse("mouseMoved", 780, 480)
    browser.settle()
    assert seen() == {FIGURE_PARTS[2]}
    assert browser.text("#chosen-name") == FIGURE_PARTS[2]  # what is clicked twice is also chosen


def test_mouse_and_keys_turn_zoom_and_move(browser: Browser, pages: dict[str, Path]) -> None:
    browser.show(pages["two"])
    first = browser.canvas()
    browser.drag((60, 0))
    turned = browser.canvas()
    assert (drawn(first) != drawn(turned)).sum() > 1_000
    browser.run("document.getElementById('reset').click()")
    browser.settle()
    assert np.array_equal(browser.canvas(), first)
    browser.drag((0, 40), modifiers=8)  # shift
    moved = drawn(browser.canvas())
    assert (moved[40:] == drawn(first)[:-40]).mean() > 0.999
    browser.run("document.getElementById('reset').click()")
    browser.mouse("mouseWheel", 240, 220, deltaX=0, deltaY=300)
    browser.mouse("mouseMoved", 780, 480)
    browser.settle()
    assert 0.3 < drawn(browser.canvas()).sum() / drawn(first).sum() < 0.6  # exp(-0.45)², as areas shrink
    browser.run("dispatchEvent(new KeyboardEvent('keydown', {key: '0'}))")
    browser.run("dispatchEvent(new KeyboardEvent('keydown', {key: 'ArrowRight'}))")
    browser.settle()
    by_key = browser.canvas()
    azimuth = Reader(pages["two"].read_bytes()).shapes[0]["view"][0] + 10
    browser.show(pages["two"], f"#azimuth={azimuth}")
    assert np.array_equal(by_key, browser.canvas())
    assert not np.array_equal(by_key, first)


def test_the_pointer_tells_part_and_confidence(browser: Browser, pages: dict[str, Path]) -> None:
    browser.show(pages["two"])
    image = browser.canvas()
    for name, colour in zip(FIGURE_PARTS, part_colours(FIGURE_PARTS), strict=True):
        inside = np.argwhere(binary_erosion(coloured(image, colour), iterations=4))
        y, x = inside[len(inside) // 2].tolist()
        browser.mouse("mouseMoved", x, y)
        browser.settle()
        tip, lit = browser.text("#tip").split(), browser.text("#legend .lit .name")
        assert tip[0] == lit == name
        assert tip[-3:] == ["90", "%", "sure"]
    browser.mouse("mouseMoved", 3, 3)
    browser.settle()
    assert browser.run("document.getElementById('tip').hidden")


def place_of(browser: Browser, colour: str, left: bool) -> tuple[int, int]:
    """A place well inside the leftmost or rightmost patch of a colour."""
    patches, count = label(binary_erosion(coloured(browser.canvas(), colour), iterations=3))
    sizes = np.bincount(patches.ravel(), minlength=count + 1)
    large = [patch for patch in range(1, count + 1) if sizes[patch] > 60]
    middle = {patch: float(np.argwhere(patches == patch)[:, 1].mean()) for patch in large}
    inside = np.argwhere(patches == (min if left else max)(large, key=lambda patch: middle[patch]))
    y, x = inside[len(inside) // 2].tolist()
    return x, y


def click(browser: Browser, x: float, y: float) -> None:
    for kind in ("mouseMoved", "mousePressed", "mouseReleased"):
        browser.mouse(kind, x, y, **({} if kind == "mouseMoved" else {"button": "left", "clickCount": 1}))
    browser.mouse("mouseMoved", 780, 480)
    browser.settle()


def test_a_click_selects_the_piece_and_its_eye_hides_it_alone(browser: Browser, pages: dict[str, Path]) -> None:
    answer, front = body(), "#azimuth=0&elevation=5"
    colour = dict(zip(FIGURE_PARTS, part_colours(FIGURE_PARTS), strict=True))["leg"]
    figures = {
        each.name: f"{100 * each.share:.1f} % of the area · {100 * each.confidence:.0f} % sure"
        for each in answer.instances
    }
    browser.show(pages["two"], front)
    before = amount(browser.canvas(), colour)
    places = [place_of(browser, colour, left) for left in (True, False)]
    names = []
    for place in places:
        click(browser, *place)
        names.append(browser.text("#chosen-name"))
        assert browser.text("#chosen-figures") == f"1 of 2 pieces · {figures[names[-1]]}"
        assert browser.text("#legend .chosen .name") == names[-1]  # its part was opened
        assert 0.3 * before < amount(browser.canvas(), colour) < 0.7 * before  # the other leg has faded
    assert sorted(names) == ["leg 1", "leg 2"]
    browser.run("document.querySelector('#legend .chosen .eye').click()")
    browser.run("dispatchEvent(new KeyboardEvent('keydown', {key: 'Escape'}))")
    browser.settle()
    assert browser.run("document.getElementById('chosen').hidden")
    assert 0.3 * before < amount(browser.canvas(), colour) < 0.7 * before  # one of two is seen
    eyes = "[...document.querySelectorAll('#legend .eye')].map((eye) => eye.getAttribute('aria-pressed'))"
    assert sorted(browser.run(eyes)) == ["false", "mixed", *["true"] * (len(FIGURE_PARTS) - 1 + 1)]
    click(browser, *places[1])  # where nothing is any more
    assert browser.run("document.getElementById('chosen').hidden")
    browser.drag((60, 0))  # turning is not clicking
    assert browser.run("document.getElementById('chosen').hidden")


def test_pieces_are_reached_and_hidden_by_keys_alone(browser: Browser, pages: dict[str, Path]) -> None:
    browser.show(pages["two"])
    browser.run("[...document.querySelectorAll('#legend .pick')].find((e) => e.title === 'leg').focus()")

    def press(key: str, **more: Any) -> None:
        for kind in ("keyDown", "keyUp"):
            browser.call("Input.dispatchKeyEvent", type=kind, key=key, **(more if kind == "keyDown" else {}))
        browser.settle()

    press("ArrowRight")
    press("ArrowDown")
    assert browser.run("document.activeElement.title") == "leg 1"
    press("Enter", code="Enter", text="\r", windowsVirtualKeyCode=13)
    assert browser.text("#chosen-name") == "leg 1"
    press("h")
    assert browser.run("document.querySelector('#legend .off .pick').title") == "leg 1"
    assert browser.text("#chosen-hide") == "Show"
    press("ArrowLeft")
    assert browser.run("document.activeElement.title") == "leg"
    assert browser.run(
        "document.querySelector('#legend .pieces').offsetParent === null || "
        "[...document.querySelectorAll('#legend .pieces')].every((e) => e.hidden)"
    )


def test_the_pieces_of_a_part_have_shades_and_can_be_named_in_the_address(
    browser: Browser, pages: dict[str, Path]
) -> None:
    browser.show(pages["two"], "#mode=instances&azimuth=0&elevation=5")
    (first, _) = Reader(pages["two"].read_bytes()).shapes
    image = browser.canvas()
    for each in first["instances"]:
        assert amount(image, each["colour"]) > 100, each["name"]
    browser.show(pages["two"], "#only=head&only=leg 2&choose=leg 2&azimuth=0&elevation=5")
    assert browser.text("#chosen-name") == "leg 2"
    seen = browser.run("[...document.querySelectorAll('#legend .line:not(.off) .name')].map((e) => e.textContent)")
    assert seen == ["head", "leg", "leg 2"]
    browser.run("document.getElementById('next').click()")
    browser.settle()
    assert browser.run("document.getElementById('chosen').hidden")


def test_forty_parts_are_scrolled_through_and_found(browser: Browser, tmp_path: Path) -> None:
    mesh = torus(80, 40)
    middle = mesh.vertices[mesh.faces].mean(axis=1)
    turn = np.arctan2(*np.delete(middle, int(np.ptp(mesh.vertices, axis=0).argmin()), axis=1).T)
    regions = ((turn + np.pi) / (2 * np.pi) * 40).astype(int).clip(0, 39)
    write_page(Segmentation.of_regions(mesh, regions), tmp_path / "regions.html")
    browser.show(tmp_path / "regions.html")
    assert browser.run("document.querySelectorAll('#legend .pick').length") == 40
    assert browser.run(
        "(({scrollHeight, clientHeight}) => scrollHeight > 2 * clientHeight)(document.getElementById('legend'))"
    )
    assert browser.run("document.getElementById('mode-instances').hidden")  # each part is one piece
    for x, y in ((240, 90), (150, 300), (350, 260)):
        click(browser, x, y)
        if browser.run("document.getElementById('chosen').hidden"):
            continue
        inside = browser.run(
            "(([row, list]) => row.top >= list.top - 1 && row.bottom <= list.bottom + 1)"
            "(['#legend .chosen', '#legend'].map((e) => document.querySelector(e).getBoundingClientRect()))"
        )
        assert inside
        assert browser.text("#legend .chosen .name") == browser.text("#chosen-name")
        break
    else:
        pytest.fail("no click met the ring")


def test_confidence_has_the_colour_of_its_scale(browser: Browser, pages: dict[str, Path]) -> None:
    browser.show(pages["two"], "#mode=confidence")
    red, green, blue = np.rint(255 * confidence_colours(0.9)).astype(int)
    image = browser.canvas()
    assert amount(image, f"#{red:02x}{green:02x}{blue:02x}") > 0.9 * drawn(image).sum()
    first = content(body(), "body")["parts"][0]["confidence"]  # by area: less than 0.9 where a border crosses faces
    assert 0.85 < first < 0.9
    assert browser.text("#legend .sure") == f"{first:.0%}".replace("%", " %")
    assert not browser.run("document.getElementById('scale').hidden")


def test_next_and_previous_go_round(browser: Browser, pages: dict[str, Path]) -> None:
    browser.show(pages["two"], "#index=1")
    titles = [browser.text("#title")]
    for button in ("next", "next", "previous"):
        browser.run(f"document.getElementById('{button}').click()")
        titles.append(browser.text("#title"))
    assert titles == ["ring", "body", "ring", "body"]


@pytest.mark.parametrize("size", [(800, 500), (320, 560)])
def test_hostile_texts_are_shown_and_do_nothing(
    browser: Browser, pages: dict[str, Path], size: tuple[int, int]
) -> None:
    browser.show(pages["hostile"], "#hide=%3Cb%3E&mode=%3Cscript%3E", size=size)
    assert browser.text("#title") == browser.text("#legend .name") == browser.text("#warnings li") == ATTACK
    assert browser.run("document.title") == ATTACK
    browser.run("for (const each of document.querySelectorAll('#legend .fold, #legend .pick')) each.click?.()")
    browser.run("document.querySelector('#legend .pick').click()")
    browser.settle()
    assert browser.text("#chosen-name") == browser.run("document.querySelector('#legend .pick').title") == ATTACK
    assert browser.run("[...document.querySelectorAll('#legend .pieces .name')].at(-1).textContent") == "<b> 2"
    assert browser.run("[typeof window.hurt, document.images.length, document.scripts.length]") == ["undefined", 0, 3]
    assert browser.run("document.documentElement.scrollWidth <= innerWidth")
    assert drawn(browser.canvas()).sum() > 1_000
    methods = [event.get("method") for event in browser.events]
    assert not {"Page.javascriptDialogOpening", "Runtime.exceptionThrown", "Log.entryAdded"} & {*methods}
    assert methods.count("Network.requestWillBeSent") == 1  # the page itself


def test_without_webgl_there_is_a_sentence(browser: Browser, pages: dict[str, Path]) -> None:
    script = "HTMLCanvasElement.prototype.getContext = () => null"
    added = browser.call("Page.addScriptToEvaluateOnNewDocument", source=script)
    browser.show(pages["two"])
    browser.call("Page.removeScriptToEvaluateOnNewDocument", **added)
    assert not browser.run("document.getElementById('missing').hidden")
    assert browser.text("#title") == "body"
    assert browser.run("document.querySelectorAll('#legend .pick').length") == len(FIGURE_PARTS)
