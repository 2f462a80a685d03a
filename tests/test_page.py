"""Pages: what is embedded is what was found, strangers' texts stay texts, and a browser shows what it should."""

from __future__ import annotations

import base64
import fcntl
import hashlib
import io
import json
import os
import re
import select
import shutil
import subprocess
import sys
from collections.abc import Iterator
from functools import partial
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray
from PIL import Image as Pillow
from scipy.ndimage import binary_erosion
from scipy.spatial import cKDTree

from meshtide.colours import UNLABELLED, part_colours
from meshtide.errors import InputError
from meshtide.labels import Labels
from meshtide.mesh import Mesh, unit_box
from meshtide.page import contents, page_bytes, write_page
from meshtide.page.light import light
from meshtide.pictures import confidence_colours, render
from meshtide.pictures.camera import guess_up
from meshtide.pictures.shading import to_linear
from meshtide.segmentation import Segmentation
from meshtide.segmentation_files import summary
from meshtide.shapes import FIGURE_PARTS, box, figure, torus
from tests.segmented_files import HOSTILE, guess, small_files_only

ATTACK = '</title></script><img src=x onerror="window.hurt=1;alert(1)"><script>window.hurt=1</script>{{SCRIPT}}\'&amp;'
Y_UP = np.array([[1, 0, 0], [0, 0, 1], [0, -1, 0]])  # turns the figure, whose z points up


def body(level: int = 2, names: tuple[str, ...] = FIGURE_PARTS, sure: float = 0.9, **more: Any) -> Segmentation:
    """A figure with its true parts, of which the model is equally sure everywhere."""
    mesh, parts = figure(level)
    labels = Labels(parts, "faces", names).to_vertices(mesh)
    probabilities = np.full((len(labels), len(names)), (1 - sure) / (len(names) - 1), dtype=np.float32)
    probabilities[np.arange(len(labels)), labels.values] = sure
    return Segmentation(mesh, labels, probabilities, part_colours(names), **more)


class Reader(HTMLParser):
    """The elements of a page with their attributes, and the text that follows each before the next tag."""

    def __init__(self, page: bytes) -> None:
        super().__init__()
        self.elements: list[tuple[str, dict[str, str | None]]] = []
        self.texts: list[str] = []
        self.open = False
        self.feed(page.decode("utf-8"))
        self.close()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.elements.append((tag, dict(attrs)))
        self.texts.append("")
        self.open = True

    def handle_endtag(self, tag: str) -> None:
        self.open = False

    def handle_data(self, data: str) -> None:
        if self.open:
            self.texts[-1] += data

    def texts_of(self, tag: str, **wanted: str | None) -> list[str]:
        kept = zip(self.elements, self.texts, strict=True)
        return [text for (name, has), text in kept if name == tag and all(has.get(k) == v for k, v in wanted.items())]

    @property
    def shapes(self) -> list[dict[str, Any]]:
        return [json.loads(text) for text in self.texts_of("script", **{"class": "shape"})]


def unpacked(text: str, kind: str, columns: int = 1) -> NDArray[Any]:
    values = np.frombuffer(base64.b64decode(text), dtype=kind)
    return values.reshape(-1, columns) if columns > 1 else values


@pytest.mark.parametrize("turn", [np.eye(3), Y_UP, np.diag([1e-9, 1e-9, 1e-9]), np.diag([1e300, 1e300, 1e300])])
def test_the_embedded_data_are_the_mesh_and_its_parts(turn: NDArray[np.float64]) -> None:
    given = body()
    stray = np.concatenate([[[1e301, 0, 0]], given.mesh.vertices @ turn.T])  # a vertex of no face, first of all
    mesh = Mesh(stray, given.mesh.faces + 1)
    labels = Labels(np.append(-1, given.labels.values), "vertices", given.parts)
    probabilities = np.concatenate([given.probabilities[:1], given.probabilities])
    (shape,) = Reader(page_bytes(Segmentation(mesh, labels, probabilities, given.colours))).shapes
    faces = unpacked(shape["indices"], "<u2", 3)
    assert np.array_equal(faces, given.mesh.faces)
    points = unit_box(mesh.vertices[1:], given.mesh.faces)
    found = unpacked(shape["places"], "<u2", 3) / 65535 * shape["box"]
    assert np.abs(found - points).max() <= 0.5001 / 65535
    assert max(shape["box"]) == pytest.approx(1)
    names = np.array([part["name"] for part in shape["parts"]])
    assert np.array_equal(names[unpacked(shape["labels"], "u1")], np.array(given.parts)[given.face_labels.values])
    assert np.abs(unpacked(shape["sure"], "u1") / 255 - 0.9).max() <= 0.5 / 255
    assert shape["up"] == guess_up(points, given.mesh.faces) == ("y" if turn is Y_UP else "z")


def test_the_normals_are_those_of_a_round_surface() -> None:
    mesh = torus(90, 60)
    (shape,) = Reader(page_bytes(guess(mesh))).shapes
    x, y = unpacked(shape["normals"], "<i2", 2).T / 32767
    z = 1 - np.abs(x) - np.abs(y)
    fold = np.maximum(-z, 0)
    normals = np.stack([x - np.copysign(fold, x), y - np.copysign(fold, y), z], axis=1)
    normals /= np.linalg.norm(normals, axis=1, keepdims=True)
    ring = mesh.vertices * ([1, 1, 0] if np.ptp(mesh.vertices[:, 2]) < 1 else [1, 0, 1])
    ring /= np.linalg.norm(ring, axis=1, keepdims=True)  # the circle inside the tube; its radius is one
    outwards = mesh.vertices - ring
    outwards /= np.linalg.norm(outwards, axis=1, keepdims=True)
    assert (normals * outwards).sum(axis=1).min() > 0.998


def test_indices_and_labels_are_as_wide_as_they_must_be() -> None:
    many = tuple(f"part {number}" for number in range(300))
    answer = guess(torus(330, 199), many)
    (shape,) = Reader(page_bytes(answer)).shapes
    assert np.array_equal(unpacked(shape["indices"], "<u4", 3), answer.mesh.faces)
    assert len(shape["parts"]) >= 300
    names = np.array([part["name"] for part in shape["parts"]])
    wanted = np.array([*many, "unlabelled"])[answer.face_labels.values]
    assert np.array_equal(names[unpacked(shape["labels"], "<u2")], wanted)


def test_the_legend_has_every_part_present_with_its_share_of_the_area() -> None:
    answer = guess(box((1, 2, 3)), ("absent", "a", "b"))
    values = np.array([1, 1, 1, 1, 2, 2, 2, -1])
    answer = Segmentation(answer.mesh, Labels(values, "vertices", answer.parts), answer.probabilities, answer.colours)
    (shape,) = Reader(page_bytes(answer)).shapes
    told = summary(answer)
    assert [part["name"] for part in shape["parts"]][:2] == ["a", "b"]
    for part in shape["parts"]:
        wanted = told["parts"].get(part["name"], told["unlabelled"])
        assert part["share"] == pytest.approx(wanted["share"])
        assert part["colour"] == wanted.get("colour", UNLABELLED)
    assert sum(part["share"] for part in shape["parts"]) == pytest.approx(1)
    assert shape["confidence"] == pytest.approx(float(answer.confidence[values >= 0].mean()))


def test_a_page_is_one_document_that_needs_nothing_else() -> None:
    page = page_bytes(body(kind="person", warnings=("a warning",)))
    reader = Reader(page)
    tags = [tag for tag, _ in reader.elements]
    assert page.startswith(b"<!DOCTYPE html>")
    assert [tags.count(tag) for tag in ("html", "head", "body", "title", "canvas")] == [1] * 5
    for tag, has in reader.elements:
        assert not {"src", "href", "srcset", "action", "data", "style", "onclick", "onload"} & has.keys(), tag
    text = re.sub(r'"[A-Za-z0-9+/=]{40,}"', "", page.decode()).replace("http-equiv", "")
    assert not re.search(r"https?:|//[a-z]+\.|url\(|@import|fetch\(|XMLHttp|WebSocket|\bimport\b", text)
    assert not re.search(r"innerHTML|outerHTML|insertAdjacent|document\.write|\beval\b|Function\(", text)
    assert len(page) < 120_000


def test_the_policy_allows_the_pages_own_script_and_style_alone() -> None:
    reader = Reader(page_bytes(body(), title=ATTACK))
    (policy,) = (has["content"] for _, has in reader.elements if has.get("http-equiv") == "Content-Security-Policy")
    assert policy is not None
    rules = dict(rule.strip().split(" ", 1) for rule in policy.split(";"))
    for rule, tag in (("script-src", "script"), ("style-src", "style")):
        (text,) = reader.texts_of(tag, type=None)
        digest = base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()
        assert rules.pop(rule) == f"'sha256-{digest}'"
    assert rules == dict.fromkeys(("default-src", "base-uri", "form-action"), "'none'")


def test_hostile_texts_stay_texts() -> None:
    names = (*HOSTILE, ATTACK)
    answer = guess(torus(), names)
    answer = Segmentation(
        answer.mesh, answer.labels, answer.probabilities, answer.colours, ATTACK, (ATTACK, "<!--<script>", "\ud800\0")
    )
    plain, hostile = Reader(page_bytes(guess(torus()))), Reader(page_bytes(answer, title=ATTACK))
    assert hostile.elements[1:5] == plain.elements[1:5]
    assert [tag for tag, _ in hostile.elements] == [tag for tag, _ in plain.elements]
    (shape,) = hostile.shapes
    assert shape["title"] == shape["kind"] == shape["warnings"][0] == ATTACK
    assert shape["warnings"][2] == "\ud800\0"
    assert hostile.texts_of("title") == [ATTACK]
    found = [part["name"] for part in shape["parts"]]
    assert [name for name in names if len(name) <= 200] == [name for name in found[: len(names)] if "…" not in name]
    assert max(map(len, found)) == 200


def test_long_texts_and_many_warnings_are_cut() -> None:
    answer = body(warnings=tuple("w" * 10_000 for _ in range(500)))
    (shape,) = Reader(page_bytes(answer, title="t" * 100_000)).shapes
    assert shape["title"] == "t" * 199 + "…"
    assert len(shape["warnings"]) == 21
    assert shape["warnings"][-1] == "And 480 more."


def test_seven_thousand_vertices_take_less_than_400_kilobytes() -> None:
    assert len(page_bytes(guess(torus(100, 70)))) < 300_000


def test_a_large_mesh_is_drawn_lighter_and_told_as_it_is(monkeypatch: pytest.MonkeyPatch) -> None:
    answer = body(4)
    assert light(answer) is answer
    small = light(answer, most=3_000)
    assert 2_000 < len(small.mesh.faces) <= 3_100
    nearest = cKDTree(answer.mesh.vertices).query(small.mesh.vertices)[1]
    assert np.mean(answer.labels.values[nearest] == small.labels.values) > 0.99
    monkeypatch.setattr(contents, "light", partial(light, most=3_000))
    (shape,) = Reader(page_bytes(answer)).shapes
    assert shape["shown"] == len(small.mesh.faces) == len(unpacked(shape["indices"], "<u2", 3))
    assert (shape["vertices"], shape["faces"]) == (len(answer.mesh.vertices), len(answer.mesh.faces))
    assert [part["share"] for part in shape["parts"]] == [part["share"] for part in summary(answer)["parts"].values()]


def test_several_shapes_keep_their_order_and_titles(tmp_path: Path) -> None:
    write_page([body(0), guess(torus()), guess(box())], tmp_path / "all.html", titles=["one", "two", "three"])
    reader = Reader((tmp_path / "all.html").read_bytes())
    assert [shape["title"] for shape in reader.shapes] == ["one", "two", "three"]
    assert [shape["faces"] for shape in reader.shapes] == [len(m.faces) for m in (figure(0)[0], torus(), box())]
    assert reader.texts_of("title") == ["one and 2 more"]


def test_a_page_is_written_whole_or_not_at_all(tmp_path: Path) -> None:
    path = tmp_path / "page.html"
    answer = body(0)
    write_page(answer, path)
    before = path.read_bytes()
    assert before == page_bytes(answer)
    with small_files_only(2_000), pytest.raises(InputError, match=r"page\.html: cannot be written"):
        write_page(guess(torus()), path)
    assert path.read_bytes() == before
    assert list(tmp_path.iterdir()) == [path]


def test_what_cannot_be_written_is_said(tmp_path: Path) -> None:
    answer = body(0)
    for path, said in ((tmp_path / "page.pdf", "end the name with .html"), (tmp_path / "no" / "page.html", "no")):
        with pytest.raises(InputError, match=said):
            write_page(answer, path)
    with pytest.raises(InputError, match="no shapes"):
        write_page([], tmp_path / "page.html")
    with pytest.raises(InputError, match="1 titles for 2 shapes"):
        write_page([answer, answer], tmp_path / "page.html", titles="one")
    odd = Segmentation(answer.mesh, answer.labels, answer.probabilities, ("red",) * len(answer.parts))
    with pytest.raises(InputError, match="'#rrggbb'"):
        page_bytes(odd)
    assert not list(tmp_path.iterdir())


class Browser:
    """A headless Chromium, spoken to through two pipes: the DevTools protocol without a network."""

    def __init__(self, program: str, folder: Path) -> None:
        reading, self.out = os.pipe()
        self.into, writing = os.pipe()
        flags = (
            "--headless=new", "--no-sandbox", "--remote-debugging-pipe", "--disable-dev-shm-usage", "--no-first-run",
            "--use-angle=swiftshader", "--enable-unsafe-swiftshader", f"--user-data-dir={folder}",
        )  # fmt: skip
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
    browser.run("document.querySelectorAll('#legend button')[1].click()")
    browser.settle()
    assert seen() == {*FIGURE_PARTS[2:]}
    browser.run("document.getElementById('all').click()")
    browser.settle()
    assert seen() == {*FIGURE_PARTS}
    x, y = browser.run(
        "(({x, y}) => [x + 9, y + 9])(document.querySelectorAll('#legend button')[2].getClientRects()[0])"
    )
    for count in (1, 2):
        for kind in ("mousePressed", "mouseReleased"):
            browser.mouse(kind, x, y, button="left", clickCount=count)
    browser.mouse("mouseMoved", 780, 480)
    browser.settle()
    assert seen() == {FIGURE_PARTS[2]}


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
        assert browser.text("#tip").split() == [name, "90", "%", "sure"]
        assert browser.text("#legend button.lit .name") == name
    browser.mouse("mouseMoved", 3, 3)
    browser.settle()
    assert browser.run("document.getElementById('tip').hidden")


def test_confidence_has_the_colour_of_its_scale(browser: Browser, pages: dict[str, Path]) -> None:
    browser.show(pages["two"], "#mode=confidence")
    red, green, blue = np.rint(255 * confidence_colours(0.9)).astype(int)
    image = browser.canvas()
    assert amount(image, f"#{red:02x}{green:02x}{blue:02x}") > 0.9 * drawn(image).sum()
    assert browser.text("#legend .figure") == "90 %"
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
    assert browser.run("document.querySelectorAll('#legend button').length") == len(FIGURE_PARTS)
