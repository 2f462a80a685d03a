"""A collection labelled through the viewer's window, by a program: clicks, seconds and accuracy of every shape.

    xvfb-run -a python tests/benchmarks/labelling.py [--kind quadruped] [--shapes 20] [--rest 20] [--threads 1]

It makes generated shapes like those of a category of SHREC'07, shows them in the window of `meshtide view` with 1280 x
720 pixels, and labels them as somebody would who knows the parts and has no model that does: the regions have no names
and no trained model has a say. Clicks, drags, keys and words go through the window's own queue of events. What is wrong
is read off the truth, where a person would see it. Then `mt.train` learns from the files that were saved, and the rest
of the shapes is labelled by that model.

A click is a press of the mouse, on the shape or on the panel; turns of the shape, keys and typed names are counted
apart. Seconds are those that the processor worked, drawing included; a person needs some for looking, too.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
import time
from dataclasses import replace
from pathlib import Path

import numpy as np
import torch

ROOT = Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT), str(ROOT / "tests" / "helpers"), str(Path(__file__).parent)]

from small_collections import make  # noqa: E402
from window_driver import Hand, Place  # noqa: E402

import meshtide as mt  # noqa: E402
from meshtide.arrays import FloatArray, IntArray  # noqa: E402
from meshtide.data.figures import KINDS  # noqa: E402
from meshtide.labels.labels import Labels  # noqa: E402
from meshtide.mesh.files import save_mesh  # noqa: E402
from meshtide.mesh.topology import components  # noqa: E402
from meshtide.viewer.state.item import model_tools  # noqa: E402
from meshtide.viewer.state.scene import Scene  # noqa: E402
from meshtide.viewer.window.stage import PANEL_EDGE, PANEL_WIDTH  # noqa: E402
from meshtide.viewer.window.window import Window  # noqa: E402

ENOUGH = 0.95  # of the area right: then one goes on to the next shape
MOST_CLICKS = 30  # and then too
PURE = 0.9  # of a region belongs to one part, so that it is named with one click
WORTH = 0.01  # of the area: less is not looked at
DABS = 3  # of the brush between two proposals
NEAR = 12  # vertices of those that are wrong, the most inward first, of which one that is seen is clicked on


def make_shape(kind: str, number: int) -> tuple[mt.Mesh, Labels]:
    """A generated shape and its parts, on vertices; every second one of the variant that nothing was trained on."""
    variant = "held-out" if number % 2 else "blended"
    if kind in KINDS:
        mesh, truth = mt.make_figure(kind, 5000 + number, variant, defects=False)
        return mesh, truth.to_vertices(mesh)
    figure = make(kind, 5000 + number, variant)
    return figure.mesh, Labels(figure.face_parts, "faces", figure.parts).to_vertices(figure.mesh)


class Labeller:
    """Labels the shape that is shown, knowing what it should become."""

    def __init__(self, hand: Hand, names: tuple[str, ...]) -> None:
        self.hand, self.names = hand, names
        self.window, self.scene, self.labelling = hand.window, hand.window.scene, hand.window.labelling

    def begin(self) -> None:
        """Take up the brush and name the parts."""
        self.hand.key("B")
        self.hand.press_widget("##name")
        for name in self.names:
            self.hand.type(name)
        self.hand.key("Escape")

    def label(self, truth: Labels) -> None:
        """Until nearly all is right: accept what the shapes before have taught, or name regions and paint."""
        self.truth = np.array([*map(self.names.index, truth.names), -1])[truth.values]
        self.areas: FloatArray = self.scene.item.vertex_areas
        first, self.seen_proposal = self.hand.clicks, False
        if len(self.scene.paintings) > 1:
            self.propose()
        while self.accuracy(self.values()) < ENOUGH and self.hand.clicks - first < MOST_CLICKS:
            if not self.name_region():
                dabbed = [self.dab() for _ in range(DABS)]
                if not any(dabbed):
                    break
            if self.tool_dabbed or not self.seen_proposal:
                self.propose()
        if self.seen_proposal:
            self.hand.key("A")
        if not self.scene.painting.painted.all() and self.accuracy(self.scene.painting.values) < ENOUGH:
            self.propose()
            self.hand.key("A")

    def values(self) -> IntArray:
        """What would be saved if the proposal were accepted."""
        proposal = self.scene.proposals.get(self.scene.index)
        painted = self.scene.painting.values
        return painted if proposal is None else np.where(painted >= 0, painted, proposal.labels.values)

    def accuracy(self, values: IntArray) -> float:
        """The share of the area that has its part."""
        return float(self.areas[values == self.truth].sum() / self.areas[self.truth >= 0].sum())

    def propose(self) -> None:
        """Let the window's small models propose the rest."""
        self.hand.key("T")
        self.hand.wait(3)
        self.seen_proposal, self.tool_dabbed = self.scene.index in self.scene.proposals, False

    def name_region(self) -> bool:
        """Click the region that mends most, if one lies in one part nearly."""
        self.tool_dabbed = False
        result = self.scene.item.prediction
        if result is None:
            return False
        owner, wrong = result.vertex_instances, self.values() != self.truth
        best, gain = -1, WORTH * self.areas.sum()
        for region in range(len(result.instances)):
            own = owner == region
            votes = np.bincount(self.truth[own] + 1, self.areas[own], len(self.names) + 1)
            mends = self.areas[own & wrong & (self.truth == votes.argmax() - 1)].sum()
            mends -= self.areas[own & ~wrong & (self.truth != votes.argmax() - 1)].sum()
            if votes.argmax() > 0 and votes.max() > PURE * votes.sum() and mends > gain:
                best, gain = region, mends
        if best < 0:
            return False
        self.choose_tool("piece")
        part = int(np.bincount(self.truth[owner == best] + 1, self.areas[owner == best]).argmax()) - 1
        return self.click_inside(owner == best, part)

    def dab(self) -> bool:
        """One dab of the brush into the middle of the largest place that is wrong."""
        wrong = self.values() != self.truth
        found = self.largest(wrong)
        if found is None:
            return False
        self.choose_tool("brush")
        self.tool_dabbed = True
        return self.click_inside(found, int(self.truth[np.flatnonzero(found)[0]]))

    def largest(self, wrong: np.ndarray) -> np.ndarray | None:
        """The largest connected place of one true part among wrong vertices, (V,)."""
        mesh, best, most = self.scene.mesh, None, WORTH * self.areas.sum()
        for part in range(len(self.names)):
            own = wrong & (self.truth == part)
            faces = mesh.faces[own[mesh.faces].all(axis=1)]
            if len(faces) == 0:
                continue
            _, piece = components(faces, len(mesh.vertices))
            sums = np.bincount(piece[piece >= 0], self.areas[piece >= 0])
            if sums.max() > most:
                best, most = piece == sums.argmax(), sums.max()
        return best

    def click_inside(self, own: np.ndarray, part: int) -> bool:
        """Choose a part by its key, and click well inside of some vertices, turning the shape until they are seen."""
        place = self.find(*self.inward(own))
        if place is None:
            return False
        self.hand.key(f"{part + 1}")
        self.hand.click(place)
        return True

    def inward(self, own: np.ndarray) -> tuple[IntArray, IntArray]:
        """Some of these vertices, the ones farthest from all others, and all that lie half as deep at least."""
        rows, others = np.flatnonzero(own), np.flatnonzero(~own)
        if len(others) == 0:
            return rows[:NEAR], rows
        from scipy.spatial import cKDTree

        points = self.scene.mesh.vertices
        depth = cKDTree(points[others]).query(points[rows])[0]
        good = rows[depth >= depth.max() / 2]
        return good[:: max(1, len(good) // NEAR)], good

    def find(self, rows: IntArray, good: IntArray) -> Place | None:
        """A pixel at which one of the good vertices is seen; the shape is turned until there is one."""
        for turn in range(10):
            for place in self.pixels(rows):
                hit = self.window.stage.hit(place)
                if hit is not None and hit[0] in good:
                    return place
            self.hand.turn(*((0.0, 250.0) if turn == 4 else (0.0, -500.0) if turn == 9 else (200.0, 0.0)))
        return None

    def pixels(self, rows: IntArray) -> list[Place]:
        """Where vertices are drawn, beside the panel."""
        camera = self.window.polyscope.get_view_camera_parameters()
        size = self.hand.size
        points = self.scene.mesh.vertices[rows] - np.asarray(camera.get_position())
        ahead, up, right = (np.asarray(get()) for get in (camera.get_look_dir, camera.get_up_dir, camera.get_right_dir))
        scale = size[1] / 2 / np.tan(np.radians(camera.get_fov_vertical_deg() / 2)) / (points @ ahead)
        places = zip(size[0] / 2 + scale * (points @ right), size[1] / 2 - scale * (points @ up), strict=True)
        left = PANEL_WIDTH + 2 * PANEL_EDGE
        return [(x, y) for x, y in places if left < x < size[0] - 5 and 5 < y < size[1] - 5]

    def choose_tool(self, tool: str) -> None:
        """Take another tool, if it is another."""
        if self.labelling.tool != tool:
            self.hand.key({"piece": "G", "brush": "B"}[tool])


def label_all(folder: Path, kind: str, shapes: int, cache: mt.Cache) -> None:
    """Label the first shapes in the window, and print a line for each."""
    paths, truths = [], []
    for number in range(shapes):
        mesh, truth = make_shape(kind, number)
        paths.append(folder / f"{kind}{number:02d}.ply")
        save_mesh(mesh, paths[-1])
        truths.append(truth)
    names = tuple(dict.fromkeys(truth.names[part] for truth in truths for part in np.unique(truth.values) if part >= 0))
    tools = replace(model_tools(cache=cache), segment=lambda mesh: mt.segment(mesh, unnamed=True), model=None)
    hand = Hand(Window(Scene([str(path) for path in paths], tools)))
    labeller = Labeller(hand, names)
    labeller.begin()
    print("shape      clicks turns keys words seconds accuracy", flush=True)
    rows, before = [], np.zeros(5)
    for number, truth in enumerate(truths):
        began = time.process_time()
        labeller.label(truth)
        hand.key("S")
        right = labeller.accuracy(labeller.scene.painting.values)
        seconds = time.process_time() - began
        total = np.array([hand.clicks, hand.turns, hand.keys, hand.words, 0.0])
        row = total - before
        row[4] = seconds
        rows.append([*row, right])
        print(f"{paths[number].stem:12s}" + "".join(f"{value:5.0f} " for value in row) + f"{right:8.1%}", flush=True)
        before = total
        hand.key("N")
        hand.wait()
    mean = np.mean(rows, axis=0)
    print(f"mean of {shapes}: {mean[0]:.1f} clicks, {mean[1]:.1f} turns, {mean[2]:.1f} keys, {mean[4]:.0f} s,", end=" ")
    print(f"{mean[5]:.1%} of the area right (worst {min(row[5] for row in rows):.1%}); most clicks", end=" ")
    print(f"{max(row[0] for row in rows):.0f}; all: {sum(row[0] for row in rows):.0f} clicks,", end=" ")
    print(f"{sum(row[3] for row in rows):.0f} names, {sum(row[4] for row in rows) / 60:.1f} minutes", flush=True)


def label_the_rest(folder: Path, kind: str, shapes: int, rest: int, cache: mt.Cache) -> None:
    """Train on what was saved, and print how the model does on shapes that nobody has labelled."""
    began = time.process_time()
    model = mt.train(folder, cache=cache)
    seconds, scores = time.process_time() - began, []
    for number in range(shapes, shapes + rest):
        mesh, truth = make_shape(kind, number)
        found = mt.segment(mesh, model, cache=cache)
        place = np.array([*(truth.names.index(name) if name in truth.names else -2 for name in found.parts), -1])
        areas = np.bincount(mesh.faces.ravel(), np.repeat(mesh.face_areas, 3), len(mesh.vertices))
        scores.append(float(areas[place[found.labels.values] == truth.values].sum() / areas.sum()))
    print(
        f"trained in {seconds:.0f} s; the other {rest} by the model: {np.mean(scores):.1%} of the area right", end=" "
    )
    print(f"(worst {min(scores):.1%}, {sum(score >= ENOUGH for score in scores)} of {rest} at {ENOUGH:.0%} or more)")


def main() -> None:
    words = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    words.add_argument("--kind", default="quadruped")
    words.add_argument("--shapes", type=int, default=20)
    words.add_argument("--rest", type=int, default=20)
    words.add_argument("--threads", type=int, default=1)
    given = words.parse_args()
    torch.set_num_threads(given.threads)
    with tempfile.TemporaryDirectory() as place:
        folder, cache = Path(place) / given.kind, mt.Cache(Path(place) / "cache")
        folder.mkdir()
        label_all(folder, given.kind, given.shapes, cache)
        if given.rest:
            label_the_rest(folder, given.kind, given.shapes, given.rest, cache)


if __name__ == "__main__":
    main()
