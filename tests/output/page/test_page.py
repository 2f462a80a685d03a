"""Pages: what is embedded is what was found, strangers' texts stay texts, and a file is written whole or not at all."""

from __future__ import annotations

import base64
import hashlib
import json
import re
from functools import partial
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray
from scipy.spatial import cKDTree
from segmented_files import HOSTILE, guess, small_files_only
from shapes import FIGURE_PARTS, box, figure, torus

from meshtide.errors import InputError
from meshtide.inference.segmentation import Segmentation
from meshtide.labels.colours import UNLABELLED, part_colours
from meshtide.labels.labels import Labels
from meshtide.mesh.measure import unit_box
from meshtide.mesh.mesh import Mesh
from meshtide.output.files.numbers import summary
from meshtide.output.page import contents, page_bytes, write_page
from meshtide.output.page.light import light
from meshtide.output.pictures.upright import guess_up

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


def pieces(shape: dict[str, Any]) -> NDArray[Any]:
    """The instance of each face."""
    return unpacked(shape["face_instances"], "u1" if len(shape["instances"]) <= 256 else "<u2")


def part_names(shape: dict[str, Any]) -> NDArray[Any]:
    """The name of the part of each face."""
    names = np.array([part["name"] for part in shape["parts"]])
    return np.asarray(names[[instance["part"] for instance in shape["instances"]]][pieces(shape)])


def drawn_parts(answer: Segmentation) -> NDArray[Any]:
    """The name of the part of each drawn face."""
    names = np.array([*(instance.part for instance in answer.instances), "unlabelled"])
    return np.asarray(names[answer.outlined.face_instances])


@pytest.mark.parametrize("turn", [np.eye(3), Y_UP, np.diag([1e-9, 1e-9, 1e-9]), np.diag([1e300, 1e300, 1e300])])
def test_the_embedded_data_are_the_mesh_and_its_parts(turn: NDArray[np.float64]) -> None:
    given = body()
    stray = np.concatenate([[[1e301, 0, 0]], given.mesh.vertices @ turn.T])  # a vertex of no face, first of all
    mesh = Mesh(stray, given.mesh.faces + 1)
    labels = Labels(np.append(-1, given.labels.values), "vertices", given.parts)
    probabilities = np.concatenate([given.probabilities[:1], given.probabilities])
    answer = Segmentation(mesh, labels, probabilities, given.colours)
    (shape,) = Reader(page_bytes(answer)).shapes
    faces, drawn = unpacked(shape["indices"], "<u2", 3), answer.outlined
    assert np.array_equal(faces, drawn.mesh.faces - 1)
    points = unit_box(drawn.mesh.vertices[1:], faces)
    found = unpacked(shape["places"], "<u2", 3) / 65535 * shape["box"]
    assert np.abs(found - points).max() <= 0.5001 / 65535
    assert max(shape["box"]) == pytest.approx(1)
    assert np.array_equal(part_names(shape), drawn_parts(answer))
    assert np.abs(unpacked(shape["sure"], "u1") / 255 - 0.9).max() <= 0.5 / 255
    assert shape["up"] == guess_up(points, faces) == ("y" if turn is Y_UP else "z")


def test_the_normals_are_those_of_a_round_surface() -> None:
    mesh = torus(90, 60)
    answer = guess(mesh)
    (shape,) = Reader(page_bytes(answer)).shapes
    mesh = answer.outlined.mesh
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
    answer = guess(torus(150, 95), many)
    (shape,) = Reader(page_bytes(answer)).shapes
    assert len(answer.outlined.mesh.vertices) > 65_536
    assert np.array_equal(unpacked(shape["indices"], "<u4", 3), answer.outlined.mesh.faces)
    assert len(shape["parts"]) >= 300
    assert np.array_equal(part_names(shape), drawn_parts(answer))


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
    assert shape["confidence"] == pytest.approx(answer.mean_confidence)


def test_every_instance_has_its_figures_and_its_faces() -> None:
    answer = body()
    (shape,) = Reader(page_bytes(answer)).shapes
    assert np.array_equal(pieces(shape), answer.outlined.face_instances)
    assert [each["name"] for each in shape["instances"]] == [each.name for each in answer.instances]
    assert [each["name"] for each in shape["instances"] if each["name"].startswith("leg")] == ["leg 1", "leg 2"]
    for told, wanted in zip(shape["instances"], answer.instances, strict=True):
        assert shape["parts"][told["part"]]["name"] == wanted.part
        assert told["share"] == pytest.approx(wanted.share)
        assert told["confidence"] == pytest.approx(wanted.confidence)
    colours = [each["colour"] for each in shape["instances"]]
    assert len(set(colours)) == len(colours)
    firsts = [
        each["colour"] for each, piece in zip(shape["instances"], answer.instances, strict=True) if piece.number == 1
    ]
    assert firsts == [part["colour"] for part in shape["parts"]]


def test_forty_unnamed_parts_are_listed_largest_first() -> None:
    mesh = torus(80, 40)
    regions = np.random.default_rng(0).integers(0, 40, len(mesh.faces))
    regions[:5] = -1
    answer = Segmentation.of_regions(mesh, regions, np.linspace(0.3, 1, 40))
    (shape,) = Reader(page_bytes(answer)).shapes
    assert [part["name"] for part in shape["parts"]] == [*(f"part {k + 1}" for k in range(40)), "unlabelled"]
    shares = [part["share"] for part in shape["parts"]][:40]
    assert shares == sorted(shares, reverse=True)
    assert [each["part"] for each in shape["instances"]] == list(range(41))  # each region is one piece, also if torn
    assert np.array_equal(pieces(shape), answer.outlined.face_instances % 41)
    assert (pieces(shape) == 40).any()
    assert len({part["colour"] for part in shape["parts"]}) == 41


def test_more_pieces_than_a_list_can_help_with_are_left_out(monkeypatch: pytest.MonkeyPatch) -> None:
    answer = body()
    monkeypatch.setattr(contents, "MOST_INSTANCES", 5)
    (shape,) = Reader(page_bytes(answer)).shapes
    assert [each["name"] for each in shape["instances"]] == [part["name"] for part in shape["parts"]]
    assert np.array_equal(part_names(shape), drawn_parts(answer))


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
    assert len(page) < 140_000


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
    assert shape["warnings"][2] == "\\ud800\\x00"
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
    mesh = torus(100, 70)
    four = 2 * (mesh.vertices[:, 0] > 0) + (mesh.vertices[:, 1] > 0)
    answer = Segmentation(mesh, Labels(four, "vertices", tuple("abcd")), np.eye(4)[four], part_colours("abcd"))
    assert len(page_bytes(answer)) < 400_000


def test_a_large_mesh_is_drawn_lighter_and_told_as_it_is(monkeypatch: pytest.MonkeyPatch) -> None:
    answer = body(4)
    assert light(answer) is answer.outlined
    small = light(answer, most=3_000)
    assert 2_000 < len(small.cut.old_faces) <= 3_100
    nearest = cKDTree(answer.mesh.vertices[answer.mesh.faces].mean(axis=1)).query(
        small.mesh.vertices[small.mesh.faces].mean(axis=1)
    )[1]
    same = answer.mesh_face_instances[nearest] == small.face_instances
    assert np.average(same, weights=small.mesh.face_areas) > 0.97
    monkeypatch.setattr(contents, "light", partial(light, most=3_000))
    (shape,) = Reader(page_bytes(answer)).shapes
    assert shape["shown"] == len(small.mesh.faces) == len(unpacked(shape["indices"], "<u2", 3))
    assert (shape["vertices"], shape["faces"]) == (len(answer.mesh.vertices), len(answer.mesh.faces))
    told = summary(answer)
    assert [part["share"] for part in shape["parts"]] == [part["share"] for part in told["parts"].values()]
    wanted = [each["share"] for each in told["instances"]]
    assert [each["share"] for each in shape["instances"]] == pytest.approx(wanted)


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
