"""Valid files of every format to begin with: our own writers' and exotic ones made by hand, all of them small."""

from __future__ import annotations

import io
import json
import tempfile
from collections.abc import Iterator
from functools import lru_cache
from pathlib import Path

import numpy as np
from shapes import box, figure, sphere, torus

from fuzzing.exotic import EXOTIC, vtk_texts, vtp_texts
from meshtide.inference.segmentation import Segmentation
from meshtide.labels.files import write_labels
from meshtide.labels.labels import Labels
from meshtide.mesh.files import WRITABLE, save_mesh
from meshtide.mesh.mesh import Mesh

PARTS = ("head", "upper arm", "tail")


@lru_cache(maxsize=1)
def label_mesh() -> Mesh:
    """The mesh that all label files are about: 42 vertices, 80 faces, 120 edges."""
    return sphere(1)


@lru_cache(maxsize=1)
def bases() -> dict[str, list[bytes]]:
    """The kind of each file, which ends with its suffix, and the files to begin with."""
    from fuzzing.packed import packed_bases

    found: dict[str, list[bytes]] = {}
    for kind, data in (*EXOTIC, *_own_meshes(), *_vtk(), *_own_labels(), *_plain_labels()):
        found.setdefault(kind, []).append(data)
    found["card.toml"] = _cards()
    found["graph.npz"] = [plain_graph(), _sparse_graph()]
    found["graph.toml"] = _graph_cards()
    return found | packed_bases()


def _own_meshes() -> Iterator[tuple[str, bytes]]:
    pole = Mesh(
        np.concatenate([box((9.0, 9.0, 0.2)).vertices, sphere(1).vertices + [4, 4, 3]]),
        np.concatenate([box().faces, sphere(1).faces + 8]),
    )
    meshes = (box(), sphere(1), torus(9, 6), figure(0)[0], pole)
    with tempfile.TemporaryDirectory() as folder:
        for suffix in WRITABLE:
            for mesh in meshes:
                path = Path(folder) / f"mesh{suffix}"
                save_mesh(mesh, path)
                yield f"mesh{suffix}", path.read_bytes()


def _vtk() -> Iterator[tuple[str, bytes]]:
    """Segmentations of the mesh that labels are about, which hold labels too, and what VTK itself writes."""
    parts = np.digitize(label_mesh().vertices[label_mesh().faces].mean(axis=1)[:, 2], [-0.5, 0.5])
    result = Segmentation.of_regions(label_mesh(), parts)
    with tempfile.TemporaryDirectory() as folder:
        for suffix in (".vtk", ".vtp"):
            result.save(Path(folder) / f"x{suffix}")
            data = (Path(folder) / f"x{suffix}").read_bytes()
            yield from ((f"mesh{suffix}", data), (f"labels{suffix}", data))
    yield from (("mesh.vtk", each) for each in vtk_texts())
    yield from (("mesh.vtp", each) for each in vtp_texts())


def _own_labels() -> Iterator[tuple[str, bytes]]:
    mesh, draw = label_mesh(), np.random.default_rng(1)
    with tempfile.TemporaryDirectory() as folder:
        for name in ("labels.seg", "labels.txt", "x_labels.txt", "labels.npy", "labels.npz", "labels.json"):
            for on in ("faces", "vertices"):
                if on == "vertices" and name in ("labels.seg", "x_labels.txt"):
                    continue
                count = len(mesh.faces) if on == "faces" else len(mesh.vertices)
                labels = Labels(draw.integers(-1, 3, count), on, PARTS)
                write_labels(labels, Path(folder) / name, mesh)
                yield name, (Path(folder) / name).read_bytes()


def _plain_labels() -> Iterator[tuple[str, bytes]]:
    """What other programs write."""
    draw = np.random.default_rng(2)
    numbers = draw.integers(0, 4, 80).tolist()
    yield "labels.txt", "\n".join(str(each) for each in numbers).encode()
    yield "labels.txt", "\r\n".join(("arm", "leg", "head", "-1")[each] for each in numbers).encode()
    yield "labels.eseg", "\n".join(str(each) for each in draw.integers(1, 4, 120).tolist()).encode()
    yield "labels.json", json.dumps({"head": list(range(40)), "tail": list(range(40, 80))}).encode()
    yield "labels.json", json.dumps(["arm", None, "leg", "arm"] * 20).encode()
    yield "labels.json", json.dumps({"labels": numbers, "names": ["a", "b", "c", "d"], "on": "faces"}).encode()
    for array in (np.array(numbers, dtype=">i2"), np.array(numbers, dtype=np.float64)[:, None], np.arange(80) % 2 == 0):
        stream = io.BytesIO()
        np.save(stream, array)
        yield "labels.npy", stream.getvalue()
    stream = io.BytesIO()
    np.savez(stream, vertices=np.zeros((42, 3)), segmentation=np.array(numbers, dtype=np.uint8))
    yield "labels.npz", stream.getvalue()
    yield "labels.ply", _labelled_ply(numbers)
    yield "labels.obj", _labelled_obj(numbers)


def _labelled_ply(numbers: list[int]) -> bytes:
    mesh = label_mesh()
    lines = ["ply", "format ascii 1.0", f"element vertex {len(mesh.vertices)}"]
    lines += [f"property float {axis}" for axis in "xyz"]
    lines += [f"element face {len(mesh.faces)}", "property list uchar int vertex_indices", "property int label"]
    lines += ["end_header", *(" ".join(f"{each:.4f}" for each in point) for point in mesh.vertices.tolist())]
    lines += [f"3 {a} {b} {c} {part}" for (a, b, c), part in zip(mesh.faces.tolist(), numbers, strict=True)]
    return ("\n".join(lines) + "\n").encode()


def _labelled_obj(numbers: list[int]) -> bytes:
    mesh = label_mesh()
    lines = [f"v {x:.4f} {y:.4f} {z:.4f}" for x, y, z in mesh.vertices.tolist()]
    for (a, b, c), part in zip((mesh.faces + 1).tolist(), numbers, strict=True):
        lines += [f"g part{part}", f"f {a} {b} {c}"]
    return ("\n".join(lines) + "\n").encode()


def _cards() -> list[bytes]:
    """Cards about the shapes that lie beside them, and those that ship."""
    own = (
        'name = "own"\ntitle = "Two balls"\nlicence = "none"\nvocabulary = "halves"\n'
        '[meshes]\nfolder = "shapes"\npattern = "ball*.off"\nnumbers = "1-2"\nvertices = 42\nfaces = 80\n'
        '[labels]\nbeside = "{stem}.txt"\non = "faces"\nparts = ["head", "upper arm", "tail"]\n'
        '[vocabularies]\nown2 = ["head", "upper arm", "tail"]\n'
        '[vocabularies.halves]\nfront = ["head"]\nback = ["upper arm"]\nunscored = ["tail"]\n'
        '[splits]\ntrain = "1"\ntest = ["ball2"]\n'
    )
    several = (
        'name = "several"\n[meshes]\nfolder = "{category}"\npattern = "*.off"\n'
        '[labels]\nbeside = "{stem}.txt"\n[categories]\nshapes = "1-2"\nothers = "3, 5-7"\n'
    )
    shipped = sorted((Path(__file__).parents[3] / "datasets").glob("*.toml"))
    return [own.encode(), several.encode(), own.encode(), *(path.read_bytes() for path in shipped)]


@lru_cache(maxsize=1)
def plain_graph() -> bytes:
    """A ring of twelve nodes in two classes, by the usual names of arrays."""
    ring = np.stack([np.arange(12), (np.arange(12) + 1) % 12], axis=1)
    stream = io.BytesIO()
    masks = {f"{kind}_masks": np.arange(12)[None] % 3 == at for at, kind in enumerate(("train", "val", "test"))}
    labels = np.arange(12) // 6
    np.savez(stream, edges=ring, features=np.eye(12, 3), labels=labels, classes=np.array(["a", "b"]), **masks)
    return stream.getvalue()


def _sparse_graph() -> bytes:
    """The same with matrices by rows, as other collections have it."""
    rows = np.arange(13)
    shape = np.array([12, 12])
    arrays = {
        "data": np.ones(12, dtype=np.float32),
        "indices": (np.arange(12) + 1) % 12,
        "indptr": rows,
        "shape": shape,
    }
    content = {f"{prefix}_{name}": array for prefix in ("adj", "attr") for name, array in arrays.items()}
    stream = io.BytesIO()
    np.savez_compressed(stream, labels=np.arange(12) % 3, **content)
    return stream.getvalue()


def _graph_cards() -> list[bytes]:
    own = (
        'name = "ring"\ntitle = "A ring"\n[graph]\nplaces = ["graph.npz"]\nclasses = ["left", "right"]\n'
        'component = "largest"\nnodes = 12\nedges = 12\nchannels = 3\n'
        '[splits.half]\ntrain = 0.5\nvalidation = 0.25\nseeds = "0-2"\n'
    )
    shipped = sorted((Path(__file__).parents[3] / "datasets" / "graphs").glob("*.toml"))
    return [own.encode(), own.encode(), *(path.read_bytes() for path in shipped[:4])]
