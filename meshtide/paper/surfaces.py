"""The paper's figures on surfaces: how far a layer reaches, and what networks make of a body's parts."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from meshtide.arrays import FloatArray
from meshtide.data.collection import open_collection
from meshtide.data.figures import make_figure
from meshtide.errors import InputError
from meshtide.inference.segment import segment
from meshtide.labels.colours import UNLABELLED, part_colours
from meshtide.labels.labels import Labels
from meshtide.mesh.mesh import Mesh
from meshtide.networks.graph import mesh_graph
from meshtide.output.pictures.camera import standing
from meshtide.output.pictures.paint import Image
from meshtide.output.pictures.rendering import render
from meshtide.output.pictures.saving import save_picture
from meshtide.output.pictures.segments import segmentation_picture
from meshtide.output.pictures.sheets import sheet
from meshtide.paper.bench import Bench
from meshtide.paper.printed import sections
from meshtide.paper.table import Cell, Found, Report
from meshtide.spectral.recipe import GraphRecipe
from meshtide.training.train import train
from meshtide.viewer.state.support import Support

SUPPORT_TIMES = (2e-3, 5e-3, 1e-2, 3e-2, 1e-1)  # on a surface of area 1
SUPPORT_EIGENPAIRS = 400  # short times take many
SIZE = (260, 380)  # of a drawing
NETWORKS = ("tide-m", "gcn", "grand")


@dataclass(frozen=True, eq=False)
class Body:
    """A body with its parts, and a word on where it is from."""

    mesh: Mesh
    labels: Labels
    source: str


def body(data: str | None) -> Body:
    """The first shape of FAUST, or where that is not there a generated body."""
    try:
        collection = open_collection("faust", data=data)
        mesh, labels = collection.load(collection.shapes[0])
        if labels is not None:
            return Body(mesh, labels, f"FAUST, {mesh.name}")
    except InputError:
        pass
    mesh, labels = make_figure("humanoid", 1, defects=False)
    return Body(mesh, labels, "a generated body, as FAUST is not there")


def support(bench: Bench) -> Report:
    """Figure 1: T_t of a vertex at several times."""
    section = sections()["support"]
    shape = body(bench.graphs.data)
    eigenpairs = 128 if bench.fast else SUPPORT_EIGENPAIRS
    reach = Support(shape.mesh, mesh_graph(shape.mesh, GraphRecipe(k=eigenpairs)))
    vertex = _front(shape.mesh)
    pictures, captions, words = [], [], []
    for time in SUPPORT_TIMES:
        values = reach.values(vertex, time=time)
        pictures.append(render(shape.mesh, _warm(values), on="vertices", size=SIZE, view="front"))
        captions.append(f"t = {time:g}")
        words.append(f"{reach.radius(vertex, values) / shape.mesh.area**0.5:.2f} at t = {time:g}")
    path = bench.output / "support.png"
    _save(sheet(pictures, captions, title=f"|T_t| of one vertex, {shape.source}"), path)
    note = f"90 % of |T_t| lies within a geodesic radius, in roots of the area, of {', '.join(words)}."
    return Report("support", section.title, section.where, pictures=(path,), notes=(note,))


def segmentation(bench: Bench) -> Report:
    """The figure of the single setting: a body's parts by people and by networks that saw a fifth of its vertices."""
    section = sections()["segmentation"]
    where = "faust" if body(bench.graphs.data).source.startswith("FAUST") else "figures"
    how: dict[str, Any] = {"operator": "graph", "features": "hks5"}
    pictures: list[Image] = []
    captions: list[str] = []
    cells: list[Cell] = []
    for network in NETWORKS[:1] if bench.fast else NETWORKS:
        model = train(
            where, setting="single", shape=None if where == "faust" else "humanoid-0001", network=network, seed=0,
            data=bench.graphs.data, epochs=10 if bench.fast else None, **how,
        )  # fmt: skip
        accuracy = 100 * float(model.about.scores["test"]["vertex_accuracy"])
        shape = model.about.trained_on["shapes"][0]
        mesh, labels = _load(where, shape, bench.graphs.data)
        if not pictures:
            pictures.append(_parts(mesh, labels))
            captions.append("people")
        pictures.append(segmentation_picture(segment(mesh, model=model), size=SIZE, view="front", legend=False))
        captions.append(f"{network} {accuracy:.1f} %")
        cells.append(Cell(shape, network, sections()["meshes"].figure(network, "single"), Found(accuracy, None, 1)))
    path = bench.output / "segmentation.png"
    _save(sheet(pictures, captions, title="Parts of a body from a fifth of its vertices, 5 HKS, graph operator"), path)
    return Report("segmentation", section.title, section.where, tuple(cells), (path,), judged=not bench.fast)


def _load(source: str, name: str, data: str | None) -> tuple[Mesh, Labels]:
    collection = open_collection(source, data=data)
    mesh, labels = collection.load(next(shape for shape in collection.shapes if shape.name == name))
    if labels is None:
        raise InputError(f"{name}: has no labels")
    return mesh, labels


def _parts(mesh: Mesh, labels: Labels) -> Image:
    """A mesh in the colours of its true parts."""
    palette = np.array([*part_colours(labels.names), UNLABELLED])
    return render(mesh, palette[labels.to_faces(mesh).values], on="faces", size=SIZE, view="front")


def _front(mesh: Mesh) -> int:
    """A vertex in the middle of the front, at two thirds of the height."""
    points = standing(mesh, "auto")
    low, high = points.min(axis=0), points.max(axis=0)
    wanted = np.array([(low[0] + high[0]) / 2, low[1] + 0.66 * (high[1] - low[1]), high[2]])
    return int(np.linalg.norm((points - wanted) * (3.0, 3.0, 1.0), axis=1).argmin())


def _warm(values: NDArray[np.float32]) -> FloatArray:
    """Grey where nothing arrives, through yellow to red where most does; on the scale of a root, (V, 3)."""
    share = np.sqrt(values / max(float(values.max()), 1e-12))[:, None]
    grey, yellow, red = np.array([[0.86, 0.86, 0.86]]), np.array([[0.95, 0.78, 0.25]]), np.array([[0.78, 0.08, 0.12]])
    low = grey + (yellow - grey) * np.minimum(2 * share, 1)
    return np.asarray(np.where(share < 0.5, low, yellow + (red - yellow) * (2 * share - 1)))


def _save(image: Image, path: Path) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    save_picture(image, path)
