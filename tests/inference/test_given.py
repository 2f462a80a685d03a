"""Whatever is handed to `segment`, the answer is about the elements that were handed in, one for one."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
import torch
import trimesh
from segmented_files import obj_file
from shapes import box, figure, torus
from small_models import KINDS, model

from meshtide.errors import InputError
from meshtide.inference.given import polygons_of, take
from meshtide.inference.model import Model
from meshtide.inference.segment import segment
from meshtide.inference.segmentation import Segmentation
from meshtide.mesh.files import load_mesh, read_polygons, save_mesh
from meshtide.mesh.mesh import Mesh


@pytest.fixture(autouse=True, scope="module")
def _one_thread() -> None:
    torch.set_num_threads(1)


@pytest.fixture(scope="module")
def known() -> Model:
    return model(kinds=KINDS)


MESH = figure(1)[0]
V, F = len(MESH.vertices), len(MESH.faces)


@pytest.fixture(scope="module")
def expected(known: Model) -> Segmentation:
    """The answer for the mesh itself."""
    return segment(MESH, known)


def padded(polygons: list[list[int]]) -> np.ndarray:
    """As VTK has them: the size of each polygon, then its corners."""
    return np.array([number for polygon in polygons for number in (len(polygon), *polygon)])


def fake(package: str, name: str, **attributes: Any) -> Any:
    """An object of a class of that name in that package, which is not installed."""
    return type(name, (SimpleNamespace,), {"__module__": f"{package}.inner"})(**attributes)


def tensor(array: np.ndarray) -> Any:
    return SimpleNamespace(cpu=lambda: SimpleNamespace(numpy=lambda: array))


IN_MEMORY: dict[str, Callable[[], Any]] = {
    "Mesh": lambda: MESH,
    "pair": lambda: (MESH.vertices, MESH.faces),
    "lists": lambda: [MESH.vertices.tolist(), MESH.faces.tolist()],
    "single precision": lambda: (MESH.vertices.astype(np.float32), MESH.faces.astype(np.uint32)),
    "tensors": lambda: (torch.tensor(MESH.vertices, requires_grad=True), torch.tensor(MESH.faces)),
    "trimesh": lambda: trimesh.Trimesh(MESH.vertices, MESH.faces, process=False),
    "scene": lambda: trimesh.Scene([trimesh.Trimesh(MESH.vertices, MESH.faces, process=False)]),
    "pyvista": lambda: fake("pyvista", "PolyData", points=MESH.vertices, faces=padded(MESH.faces.tolist()), n_strips=0),
    "open3d": lambda: fake("open3d", "TriangleMesh", vertices=MESH.vertices.tolist(), triangles=MESH.faces.tolist()),
    "open3d tensors": lambda: fake(
        "open3d",
        "TriangleMesh",
        vertex=SimpleNamespace(positions=tensor(MESH.vertices)),
        triangle=SimpleNamespace(indices=tensor(MESH.faces)),
    ),
    "anything with vertices and faces": lambda: SimpleNamespace(vertices=MESH.vertices, faces=MESH.faces),
}


@pytest.mark.parametrize("kind", IN_MEMORY)
def test_a_mesh_in_memory_gets_the_answer_of_the_mesh(kind: str, known: Model, expected: Segmentation) -> None:
    result = segment(IN_MEMORY[kind](), known)
    assert result.kind == expected.kind
    assert (len(result.labels), len(result.face_labels)) == (V, F)
    assert (result.labels.values == expected.labels.values).mean() > 0.999  # float32 may turn one
    assert (result.face_labels.values == expected.face_labels.values).mean() > 0.999
    np.testing.assert_allclose(result.probabilities, expected.probabilities, atol=1e-3)
    assert len(result.confidence) == len(result.vertex_instances) == V
    assert len(result.face_confidence) == len(result.face_instances) == F


def test_a_real_pyvista_mesh(known: Model, expected: Segmentation) -> None:
    pyvista = pytest.importorskip("pyvista")
    mesh = pyvista.PolyData(MESH.vertices, padded(MESH.faces.tolist()))
    np.testing.assert_array_equal(segment(mesh, known).face_labels.values, expected.face_labels.values)
    quads = pyvista.Cube().clean()
    result = segment(quads, known)
    assert (len(result.labels), len(result.face_labels)) == (quads.n_points, 6)
    with pytest.raises(InputError, match="extract_surface"):
        segment(pyvista.ImageData(dimensions=(3, 3, 3)), known)


def test_a_real_open3d_mesh(known: Model, expected: Segmentation) -> None:
    open3d = pytest.importorskip("open3d")
    vertices, triangles = open3d.utility.Vector3dVector(MESH.vertices), open3d.utility.Vector3iVector(MESH.faces)
    mesh = open3d.geometry.TriangleMesh(vertices, triangles)
    np.testing.assert_array_equal(segment(mesh, known).labels.values, expected.labels.values)
    tensors = open3d.t.geometry.TriangleMesh.from_legacy(mesh)
    assert len(segment(tensors, known).labels) == V


def test_neither_library_is_imported(known: Model) -> None:
    import sys

    for kind in ("pyvista", "open3d"):
        segment(IN_MEMORY[kind](), known)
        assert kind not in sys.modules or getattr(sys.modules[kind], "__file__", None)  # only by the tests above


def test_every_corner_of_an_stl_has_its_own_answer(known: Model, expected: Segmentation, tmp_path: Path) -> None:
    save_mesh(MESH, tmp_path / "x.stl")
    result = segment(tmp_path / "x.stl", known)
    assert (len(result.labels), len(result.face_labels)) == (3 * F, F)
    assert len(result.mesh_labels) == V < 3 * F
    assert result.probabilities.shape == (3 * F, len(result.parts))
    same = result.labels.values == expected.labels.values[MESH.faces].ravel()
    assert same.mean() > 0.99  # STL holds 32 bits
    corners = result.labels.values.reshape(-1, 3)
    shared = {}
    for vertex, part in zip(MESH.faces.ravel().tolist(), corners.ravel().tolist(), strict=True):
        assert shared.setdefault(vertex, part) == part  # corners at one place agree
    # The same, read by another library that keeps the corners apart.
    soup = trimesh.load_mesh(tmp_path / "x.stl", process=False)
    np.testing.assert_array_equal(segment(soup, known).labels.values, result.labels.values)


CORNERS = [[x, y, z] for x in (0.0, 1.0) for y in (0.0, 1.0) for z in (0.0, 1.1)]
POINTS = [*CORNERS, [0.5, 0.0, 1.1], [9.0, 9.0, 9.0]]
POLYGONS = [[0, 2, 6, 4], [0, 1, 3, 2], [4, 6, 7], [4, 7, 5], [2, 3, 7, 6], [0, 4, 5, 8, 1], [1, 8, 5, 7, 3]]


@pytest.mark.parametrize("kind", ["file", "lists", "pyvista"])
def test_polygons_have_one_answer_each(kind: str, known: Model, tmp_path: Path) -> None:
    points, polygons = POINTS, POLYGONS
    given: Any = {
        "file": lambda: obj_file(tmp_path / "box.obj", points, polygons).path,
        "lists": lambda: (points, polygons),
        "pyvista": lambda: fake("pyvista", "PolyData", points=np.array(points), faces=padded(polygons)),
    }[kind]()
    if kind != "file":
        found = polygons_of(given)[0]
        assert found.corners.tolist() == [corner for polygon in polygons for corner in polygon]
        assert found.sizes.tolist() == [len(polygon) for polygon in polygons]
    result = segment(given, known)
    assert (len(result.labels), len(result.face_labels)) == (10, 7)
    assert len(result.mesh_face_labels) > 7
    assert result.labels.values[9] == -1  # no polygon has it
    assert result.confidence[9] == 0
    assert (result.face_labels.values >= 0).all()
    # All triangles of a polygon have its part, so no polygon is torn in any output.
    np.testing.assert_array_equal(result.mesh_face_labels.values, result.face_labels.values[result.origin.face_of])
    np.testing.assert_array_equal(result.mesh_face_instances, result.face_instances[result.origin.face_of])


def test_quads_in_one_array(known: Model) -> None:
    ring = torus(20, 10)
    u, v = np.meshgrid(np.arange(20), np.arange(10), indexing="ij")
    corner = lambda a, b: (a % 20 * 10 + b % 10).ravel()  # noqa: E731
    quads = np.stack([corner(u, v), corner(u + 1, v), corner(u + 1, v + 1), corner(u, v + 1)], axis=1)
    result = segment((ring.vertices, quads), known)
    assert (len(result.labels), len(result.face_labels), len(result.mesh.faces)) == (200, 200, 400)


def test_a_scene_is_counted_in_the_order_of_its_nodes(known: Model, tmp_path: Path) -> None:
    scene, shapes = trimesh.Scene(), {"ring": torus(24, 12), "body": MESH, "box": box()}
    for number, (name, mesh) in enumerate(shapes.items()):
        matrix = trimesh.transformations.rotation_matrix(0.4 * number, [1, 2, 3])
        matrix[0, 3] = 3.0 * number
        matrix[:3, 0] *= -1.0 if name == "body" else 1.0  # a mirror
        scene.add_geometry(trimesh.Trimesh(mesh.vertices, mesh.faces, process=False), name, name, transform=matrix)
    scene.add_geometry(trimesh.PointCloud(np.zeros((5, 3))), "points", "points")
    given, whole = take(scene), scene.to_mesh()
    assert [piece.name for piece in given.origin.pieces] == [*shapes]
    assert (given.origin.vertex_count, given.origin.face_count) == (len(whole.vertices), len(whole.faces))
    corners = given.mesh.vertices[given.origin.vertex_of]
    np.testing.assert_allclose(corners, whole.vertices)
    np.testing.assert_allclose(given.mesh.vertices[given.mesh.faces].sum(1), whole.triangles.sum(1), atol=1e-12)
    volume = np.einsum("fx,fx->", *(np.cross(*given.mesh.vertices[given.mesh.faces][:, :2].transpose(1, 0, 2)),
                                    given.mesh.vertices[given.mesh.faces][:, 2]))  # fmt: skip
    assert volume / 6 == pytest.approx(sum(trimesh.Trimesh(m.vertices, m.faces).volume for m in shapes.values()))
    result = segment(scene, known)
    assert (len(result.labels), len(result.face_labels)) == (len(whole.vertices), len(whole.faces))
    (tmp_path / "scene.glb").write_bytes(scene.export(file_type="glb"))
    read = segment(tmp_path / "scene.glb", known)
    polygons = read_polygons(tmp_path / "scene.glb")
    assert (len(read.labels), len(read.face_labels)) == (len(polygons.vertices), len(polygons.sizes))


def test_a_scene_is_joined_as_its_file_is(tmp_path: Path) -> None:
    """Two boxes with a side in common: the same surface, handed in as a scene or read from its GLB."""
    scene = trimesh.Scene()
    for number in range(2):
        geometry = trimesh.Trimesh(box().vertices + [number, 0, 0], box().faces, process=False)
        scene.add_geometry(geometry, f"box {number}", f"box {number}")
    (tmp_path / "scene.glb").write_bytes(scene.export(file_type="glb"))
    here, there = take(scene), take(tmp_path / "scene.glb")
    assert len(here.mesh.vertices) == len(there.mesh.vertices) == 12
    assert here.origin.vertex_count == there.origin.vertex_count == 16


def test_what_is_torn_is_welded_and_what_is_damaged_left_out(known: Model, expected: Segmentation) -> None:
    torn = MESH.vertices[MESH.faces].reshape(-1, 3), np.arange(3 * F).reshape(-1, 3)
    for given in (torn, Mesh(*torn), trimesh.Trimesh(*torn, process=False)):
        result = segment(given, known)
        assert any("weld" in warning for warning in result.warnings)
        np.testing.assert_array_equal(result.labels.values, expected.labels.values[MESH.faces].ravel())
        np.testing.assert_array_equal(result.face_labels.values, expected.face_labels.values)
    vertices = np.concatenate([MESH.vertices, [[np.nan, 0, 0]]])
    faces = np.concatenate([MESH.faces[:7], [[0, 1, 10**6], [0, 1, V]], MESH.faces[7:]])
    result = segment((vertices, faces), known)
    assert (len(result.labels), len(result.face_labels)) == (V + 1, F + 2)
    assert result.labels.values[V] == -1
    assert result.face_labels.values[7:9].tolist() == result.face_instances[7:9].tolist() == [-1, -1]
    np.testing.assert_array_equal(np.delete(result.face_labels.values, [7, 8]), expected.face_labels.values)


def test_a_mesh_that_came_from_a_file_is_answered_as_the_mesh(known: Model, tmp_path: Path) -> None:
    save_mesh(MESH, tmp_path / "x.stl")
    mesh = load_mesh(tmp_path / "x.stl")
    result = segment(mesh, known)
    assert result.mesh is mesh
    assert len(result.labels) == len(mesh.vertices) < mesh.origin.vertex_count
    result.save(tmp_path / "mesh.ply")
    assert len(load_mesh(tmp_path / "mesh.ply").vertices) == len(mesh.vertices)
    from meshtide.output.saving import write_segmentation

    write_segmentation(result, tmp_path / "file.ply", source=tmp_path / "x.stl")
    assert len(load_mesh(tmp_path / "file.ply").vertices) == mesh.origin.vertex_count


def test_permuting_what_is_handed_in_permutes_the_answer(known: Model, expected: Segmentation) -> None:
    draw = np.random.default_rng(4)
    order, faces = draw.permutation(V), draw.permutation(F)
    moved = (MESH.vertices[order], np.argsort(order)[MESH.faces[faces]])
    result = segment(moved, known)
    assert (result.labels.values == expected.labels.values[order]).mean() > 0.995
    assert (result.face_labels.values == expected.face_labels.values[faces]).mean() > 0.995


@pytest.mark.parametrize("suffix", [".ply", ".obj"])
def test_files_have_the_points_and_polygons_that_were_handed_in(known: Model, tmp_path: Path, suffix: str) -> None:
    points, polygons = np.array(POINTS), POLYGONS
    result = segment((points, polygons), known)
    points[:] = 7.0  # what the caller does to the array later is no concern of ours
    result.save(tmp_path / f"out{suffix}")
    back = read_polygons(tmp_path / f"out{suffix}")
    np.testing.assert_array_equal(back.vertices, POINTS)
    assert back.sizes.tolist() == [len(polygon) for polygon in polygons]
    assert back.corners.tolist() == [corner for polygon in polygons for corner in polygon]


@pytest.mark.parametrize(
    ("given", "sentence"),
    [
        (3, "found a int where a mesh should be; wanted a path, a meshtide.Mesh, a trimesh.Trimesh"),
        (np.zeros((3, 3)), "numpy.ndarray where a mesh should be"),
        ((np.zeros((3, 2)), [[0, 1, 2]]), r"vertices are \(3, 2\); wanted \(V, 3\)"),
        (("abc", [[0, 1, 2]]), "no table of numbers"),
        ((np.zeros((3, 3)), [[0, 1, 2.5]]), r"faces are float64 \(1, 3\)"),
        ((np.eye(3), [0, 1, 2]), r"faces are int64 \(3,\); wanted vertex numbers, one row for each face"),
        ((np.eye(3), []), "3 vertices and no faces"),
        (
            fake("pyvista", "PolyData", points=np.eye(3), faces=np.array([3, 0, 1])),
            "faces are damaged at number 0 of 3",
        ),
        (fake("pyvista", "PolyData", points=np.eye(3), faces=np.zeros(0), n_strips=2), "call triangulate"),
        (fake("pyvista", "UnstructuredGrid", extract_surface=None), "extract_surface"),
        (trimesh.Scene(), "no faces"),
        ("gone.obj", "gone.obj: no such file"),
    ],
)
def test_what_cannot_be_used_is_named(given: Any, sentence: str, known: Model) -> None:
    with pytest.raises(InputError, match=sentence):
        segment(given, known)


def test_the_model_that_ships_is_called_default(known: Model, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    assert segment(MESH, "default").parts == segment(MESH).parts != known.about.parts
    from meshtide.inference.model import save_model

    save_model(known, tmp_path / "default")  # a file of that name comes first
    assert segment(MESH, "default").parts == known.about.parts
