"""What meshtide does with a file of each kind, and what must be true of its answer."""

from __future__ import annotations

import contextlib
import io
import json
import shutil
import sys
from collections.abc import Callable
from functools import lru_cache
from pathlib import Path

import numpy as np
from cache_entries import MESH, RECIPE

import meshtide as mt
from fuzzing.bases import label_mesh, plain_graph
from fuzzing.packed import CHOICES, training_folder, write_balls
from meshtide.cli import main
from meshtide.data.collection import open_collection
from meshtide.data.nodes.files.unpickled import unpickled
from meshtide.data.nodes.opening import open_node_task
from meshtide.data.nodes.task import NodeTask
from meshtide.errors import InputError
from meshtide.inference.model import load_model
from meshtide.inference.recognise import load_recogniser
from meshtide.inference.regions.model import load_region_model
from meshtide.labels.files import parse_labels, read_labels
from meshtide.labels.files.beside import has_own_labels
from meshtide.labels.labels import Labels
from meshtide.many.manifest import merged
from meshtide.mesh.doctor import diagnose, repair
from meshtide.mesh.files import load_ready, read_polygons, read_raw
from meshtide.mesh.files.raw import Polygons
from meshtide.mesh.mesh import Mesh
from meshtide.spectral.cache import Cache, cache_key
from meshtide.spectral.preparation import Preparation, prepare
from meshtide.training.train import train

MESHES_WITH_LABELS = (".ply", ".obj", ".vtk", ".vtp")
MOST_LETTERS = 2500  # of a sentence


class NonsenseError(AssertionError):
    """An answer that cannot be right, or a refusal that nobody can use."""


def claim(true: bool, sentence: str) -> None:
    """What must be so."""
    if not true:
        raise NonsenseError(sentence)


def handle(kind: str, path: Path) -> None:
    """Read a file by all that reads such files; refusals pass as InputError, after a look at their sentence."""
    try:
        (HANDLERS | RARE)[kind](path)
    except InputError as error:
        check_sentence(str(error), path)
        raise


def check_sentence(sentence: str, path: Path) -> None:
    """A refusal is one sentence that names the file, and nothing in it can play tricks on a terminal."""
    claim(path.name in sentence or path.parent.name in sentence, f"the refusal names no file: {sentence[:200]!r}")
    claim(sentence.isprintable(), f"the refusal is not plain text: {sentence[:200]!r}")
    claim(len(sentence) < MOST_LETTERS, f"the refusal has {len(sentence):,} letters")
    claim("into memory" not in sentence, "memory ended before anyone asked how large the file is")


def _mesh(path: Path) -> None:
    """Polygons, a mesh that is ready for all else, the doctor's findings and the repaired mesh."""
    _check_polygons(read_polygons(path))
    diagnosis = None
    with contextlib.suppress(InputError):
        raw = read_raw(path)
        diagnosis = diagnose(raw)
        for finding in diagnosis.findings:
            claim(finding.sentence.isprintable(), f"the finding is not plain text: {finding.sentence[:200]!r}")
        if diagnosis.verdict != "unusable":
            _check_mesh(repair(raw, diagnosis)[0])
    mesh, remarks = load_ready(path)
    claim(all(remark.isprintable() for remark in remarks), f"a remark is not plain text: {remarks}")
    claim(diagnosis is not None, "the doctor cannot read what can be segmented")
    _check_mesh(mesh)


def _check_polygons(polygons: Polygons) -> None:
    claim(polygons.vertices.ndim == 2 and polygons.vertices.shape[1] == 3, f"points are {polygons.vertices.shape}")
    claim(bool((polygons.sizes >= 0).all()), "a face has a negative number of corners")
    claim(int(polygons.sizes.sum()) == len(polygons.corners), "sizes and corners differ")
    if polygons.groups is not None:
        claim(len(polygons.groups) == len(polygons.sizes), "groups and faces differ")
        claim(bool((polygons.groups < len(polygons.group_names)).all()), "a group has no name")


def _check_mesh(mesh: Mesh) -> None:
    origin = mesh.origin
    claim(bool(np.isfinite(mesh.vertices).all()), "a vertex is not finite")
    claim(bool(((mesh.faces >= 0) & (mesh.faces < len(mesh.vertices))).all()), "a face names no vertex")
    claim(len(origin.face_of) == len(mesh.faces), "the origin has other faces")
    claim(bool(((origin.face_of >= 0) & (origin.face_of < origin.face_count)).all()), "the origin names no face")
    claim(bool((origin.vertex_of < len(mesh.vertices)).all()), "the origin names no vertex")
    counts = [sum(piece.vertices for piece in origin.pieces), sum(piece.faces for piece in origin.pieces)]
    claim(not origin.pieces or counts == [origin.vertex_count, origin.face_count], "the pieces are not the whole")


def _labels(path: Path) -> None:
    mesh = label_mesh()
    if path.suffix in MESHES_WITH_LABELS:
        has_own_labels(path)
    with contextlib.suppress(InputError):
        parse_labels(path, None)
    _check_labels(read_labels(path, mesh), mesh)


def _check_labels(labels: Labels, mesh: Mesh) -> None:
    wanted = len(mesh.vertices) if labels.on == "vertices" else len(mesh.faces)
    claim(len(labels.values) == wanted, f"{len(labels.values)} labels for {wanted} {labels.on}")
    claim(bool(((labels.values >= -1) & (labels.values < len(labels.names))).all()), "a label has no name")
    claim(len(set(labels.names)) == len(labels.names), "two parts have one name")
    claim(all(isinstance(name, str) for name in labels.names), "a name is no text")


def _card(path: Path) -> None:
    folder = path.parent / "shapes"
    if not folder.is_dir():
        folder.mkdir()
        write_balls(folder)
    collection = open_collection(str(path), data=path.parent)
    for problem in collection.check():
        claim(problem.sentence.isprintable(), f"a problem is not plain text: {problem.sentence[:200]!r}")
    for shape in collection.shapes:
        with contextlib.suppress(InputError):
            mesh, labels = collection.load(shape)
            if labels is not None:
                _check_labels(labels, mesh)


def _model(path: Path) -> None:
    model = load_model(path)
    claim(len(repr(model)) < MOST_LETTERS, "the model's repr is endless")
    for name in model.about.vocabularies:
        model.about.vocabulary(name)
    try:
        result = mt.segment(_small(), model)
    except InputError as error:  # about the mesh, as far as it knows
        raise InputError(f"{path}: {error}") from error
    claim(bool(np.isfinite(result.probabilities).all()), "a probability is not finite")
    _check_labels(result.labels, _small())
    model.save(path.with_name("again.safetensors"))


@lru_cache(maxsize=1)
def _small() -> Mesh:
    return label_mesh()


def _graph(path: Path) -> None:
    """A graph that is no mesh, with features and classes of its nodes."""
    _check_task(open_node_task(path))


def _graph_card(path: Path) -> None:
    (path.parent / "graph.npz").write_bytes(plain_graph())
    try:
        _check_task(open_node_task(path, data=path.parent))
    except InputError as error:  # about the graph, as far as it knows
        raise InputError(f"{path}: {error}") from error


def _pickled(path: Path) -> None:
    """What old collections of graphs keep in pickles."""
    try:
        unpickled(path.read_bytes())
    except InputError as error:
        raise InputError(f"{path}: {error}") from error


def _check_task(task: NodeTask) -> None:
    claim(len(task.labels) == task.count, "labels and nodes differ")
    claim(bool((task.labels < len(task.classes)).all()), "a class has no name")
    claim(bool(((task.edges >= 0) & (task.edges < task.count)).all()), "an edge names no node")
    values = task.features if isinstance(task.features, np.ndarray) else task.features.data
    claim(bool(np.isfinite(values).all()), "a feature is not finite")
    claim(len(repr(task)) < MOST_LETTERS, "the graph's repr is endless")


def _training(path: Path) -> None:
    """Go on with a stopped training, from the file where `train` looks for it."""
    shapes = Path(training_folder())
    try:
        model = train(
            shapes, output=path.parent / "model.safetensors", resume=True, cache=Cache(shapes / "cache"), **CHOICES
        )
    finally:
        (path.parent / "model.safetensors").unlink(missing_ok=True)
    claim(all(bool(each.isfinite().all()) for each in model.network.parameters()), "a weight is not finite")


def _entry(path: Path) -> None:
    """A cache entry is right, or is set aside and made anew."""
    folder = path.parent / "cache"
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir()
    cache = Cache(folder)
    path.rename(cache.path(cache_key(MESH, RECIPE)))
    verdicts = [verdict for _, verdict in cache.verify()]
    fetched = cache.fetch(MESH, RECIPE)
    claim(all(remark.isprintable() for remark in fetched.remarks), f"a remark is not plain text: {fetched.remarks}")
    _check_preparation(fetched.preparation)
    if not fetched.hit:
        claim(bool(fetched.remarks), "a damaged entry was replaced without a word")
        raise InputError(f"{path}: {fetched.remarks[0]}")
    claim(verdicts == ["good"], f"was used and is {verdicts}")


def _check_preparation(found: Preparation) -> None:
    right = prepared()
    for name in ("values", "vectors", "mass", "features", "edges"):
        one, other = getattr(found, name), getattr(right, name)
        claim(one.dtype == other.dtype and one.shape[-1:] == other.shape[-1:], f"{name} is {one.dtype} {one.shape}")
        claim(bool(np.isfinite(one).all()), f"{name} is not finite")


@lru_cache(maxsize=1)
def prepared() -> Preparation:
    """What the entry of the cache holds."""
    return prepare(MESH, RECIPE)


def whole(kind: str, path: Path) -> None:
    """The commands `doctor` and `segment` as a user runs them, in this process, and all they write."""
    folder = path.parent / "written"
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir()
    report = folder / "report.json"
    run_command("doctor", str(path), "--fix", "-o", str(folder / f"fixed{path.suffix.replace('gltf', 'glb')}"))
    outputs = [folder / f"parts{suffix}" for suffix in (".ply", ".glb", ".obj", ".npz", ".json", ".seg", ".txt")]
    words = [word for output in outputs for word in ("-o", str(output))]
    code, said = run_command("segment", str(path), *words, "--json", str(report))
    entries = json.loads(report.read_text())["meshes"]
    claim(len(entries) == 1, "the report is not about the file")
    left = sorted(each.name for each in folder.iterdir() if each.suffix == ".part")
    claim(not left, f"half-written files are left: {left}")
    if code == 2:
        too_large = "too large for" in said  # for one of the formats
        claim(too_large or not any(output.exists() for output in outputs), "outputs of a mesh that was refused")
        raise InputError(f"{path}: {said}")
    claim(all(output.is_file() for output in outputs), "not all outputs were written")
    with np.load(folder / "parts.npz", allow_pickle=False) as arrays:
        claim(bool(np.isfinite(arrays["probabilities"]).all()), "a probability is not finite")
        claim(bool((arrays["labels"] < len(arrays["names"])).all()), "a label has no name")
    if bool(np.isfinite(read_polygons(path).vertices).all()):
        read_polygons(folder / "parts.ply"), read_polygons(folder / "parts.obj")


def run_command(*words: str) -> tuple[int, str]:
    """Run the command line in this process; what it says is plain text without a traceback or a Python warning."""
    streams = io.TextIOWrapper(io.BytesIO(), "utf-8"), io.TextIOWrapper(io.BytesIO(), "utf-8")
    before = sys.argv
    sys.argv = ["meshtide", *words]
    code: object = 0
    try:
        with contextlib.redirect_stdout(streams[0]), contextlib.redirect_stderr(streams[1]):
            main()
    except SystemExit as stop:
        code = stop.code or 0
    finally:
        sys.argv = before
    said = ""
    for stream in streams:
        stream.flush()
        said += stream.buffer.getvalue().decode()  # type: ignore[attr-defined]  # it is the BytesIO of above
    claim(code in (0, 2), f"{words[0]} ended with {code}: {said[-300:]!r}")
    claim("Traceback" not in said and "Warning" not in said, f"{words[0]} said {said[-500:]!r}")
    odd = sorted({letter for letter in said if not letter.isprintable() and letter != "\n"})
    claim(not odd, f"{words[0]} said {odd}")
    return int(str(code)), " ".join(said.split())


HANDLERS: dict[str, Callable[[Path], None]] = {
    **{f"mesh{suffix}": _mesh for suffix in (".obj", ".ply", ".off", ".stl", ".glb", ".gltf", ".vtk", ".vtp")},
    **{f"labels{suffix}": _labels for suffix in (".seg", ".txt", ".npy", ".npz", ".json", ".eseg")},
    **{f"labels{suffix}": _labels for suffix in MESHES_WITH_LABELS},
    "x_labels.txt": _labels,
    "card.toml": _card,
    "graph.npz": _graph,
    "graph.toml": _graph_card,
    "model.safetensors": _model,
    "regions.safetensors": lambda path: load_region_model(path) and None,
    "kinds.safetensors": lambda path: load_recogniser(path) and None,
    "model.seed0.training": _training,
    "entry.h5": _entry,
}

# Kinds of which no files are drawn; `bombs.py` makes some by hand.
RARE: dict[str, Callable[[Path], None]] = {
    "done.jsonl": lambda path: merged([path]) and None,
    "graph.pickle": _pickled,
    "graph.csv.gz": _graph,
    "graph.mat": _graph,
}
