"""Regions of all sorts of meshes: whatever comes, an answer; and the same one however it comes."""

from __future__ import annotations

import numpy as np
import pytest
import torch
from shapes import box, figure, sphere, torus

from meshtide.errors import InputError
from meshtide.inference.regions.embedding import RegionNet
from meshtide.inference.regions.model import RegionAbout, RegionModel, load_region_model, save_region_model
from meshtide.inference.regions.pair_network import PairJudge
from meshtide.inference.regions.regions import find_regions
from meshtide.mesh.mesh import Mesh


@pytest.fixture(scope="module")
def model():
    """Networks with random weights: enough for all that must hold whatever they learned."""
    torch.manual_seed(0)
    judge = PairJudge().eval()
    # Some pairs likely, some not.
    torch.nn.init.normal_(judge.second.layers[-1].weight, std=2.0)
    return RegionModel(RegionNet().eval(), judge, RegionAbout())


def joined(*meshes):
    starts = np.cumsum([0, *(len(mesh.vertices) for mesh in meshes)])
    faces = [mesh.faces + start for mesh, start in zip(meshes, starts, strict=False)]
    return Mesh(np.concatenate([mesh.vertices for mesh in meshes]), np.concatenate(faces))


def plate(size=8):
    x, y = np.meshgrid(np.arange(size), np.arange(size), indexing="ij")
    corner = (x * size + y)[:-1, :-1].ravel()
    faces = np.concatenate([np.stack([corner, corner + size, corner + 1], 1),
                            np.stack([corner + 1, corner + size, corner + size + 1], 1)])  # fmt: skip
    return Mesh(np.stack([x.ravel(), y.ravel(), 0 * x.ravel()], axis=1), faces)


def fan():
    """Three sheets on one edge."""
    return Mesh(np.array([[0, 0, 0], [0, 0, 1], [1, 0, 0], [0, 1, 0], [-1, -1, 0]]),
                np.array([[0, 1, 2], [0, 1, 3], [0, 1, 4]]))  # fmt: skip


def bolts(count):
    random = np.random.default_rng(0)
    return joined(
        box((4, 4, 0.3)), *(Mesh(0.05 * sphere(0).vertices + random.uniform(-2, 2, 3), sphere(0).faces)
                            for _ in range(count))
    )  # fmt: skip


def degenerate():
    ball = sphere(2)
    return Mesh(ball.vertices, np.concatenate([ball.faces, ball.faces[:5], [[0, 0, 1], [1, 2, 1]]]))


HOSTILE = {
    "one triangle": Mesh(np.eye(3), np.array([[0, 1, 2]])),
    "sliver": Mesh(np.array([[0, 0, 0], [1, 0, 0], [0.5, 1e-9, 0]]), np.array([[0, 1, 2]])),
    "two triangles apart": Mesh(np.random.default_rng(0).normal(size=(6, 3)), np.array([[0, 1, 2], [3, 4, 5]])),
    "plate": plate(), "three sheets on one edge": fan(), "box of twelve faces": box(), "bolts": bolts(120),
    "degenerate faces": degenerate(), "far from the origin": Mesh(sphere(2).vertices + 1e7, sphere(2).faces),
    "tiny": Mesh(sphere(2).vertices * 1e-12, sphere(2).faces),
    "inside out": Mesh(torus().vertices, torus().faces[:, ::-1]),
    "half a ball": Mesh(sphere(3).vertices, sphere(3).faces[: len(sphere(3).faces) // 2]),
    "soup": Mesh(sphere(2).vertices[sphere(2).faces].reshape(-1, 3), np.arange(960).reshape(-1, 3)),
    "long rod": Mesh(sphere(3).vertices * [1, 1, 500], sphere(3).faces),
}  # fmt: skip


@pytest.mark.parametrize("name", HOSTILE)
def test_every_mesh_gets_an_answer(model, name):
    mesh = HOSTILE[name]
    found = find_regions(mesh, model)
    assert found.face_regions.shape == (len(mesh.faces),)
    assert sorted(set(found.face_regions.tolist())) == list(range(found.count))
    assert np.isfinite(found.confidence).all()
    assert ((found.confidence >= 0) & (found.confidence <= 1)).all()
    assert all(0 <= border.confidence <= 1 and border.one != border.other for border in found.borders)


@pytest.mark.parametrize("count", [1, 2, 5, 9])
def test_a_wanted_number_is_met(model, count):
    assert find_regions(figure(2)[0], model, count=count).count == count


def test_as_many_as_there_are_faces_can_be_had(model):
    assert find_regions(box(), model, count=12).count == 12
    with pytest.raises(InputError, match="`count` is 13 for 12 faces"):
        find_regions(box(), model, count=13)


def test_large_meshes_give_a_wanted_number_too(model):
    assert find_regions(sphere(6), model, count=6).count == 6


def test_regions_are_numbered_by_area(model):
    shape = figure(2)[0]
    found = find_regions(shape, model, count=6)
    areas = np.bincount(found.face_regions, shape.face_areas)
    assert (np.diff(areas) <= 1e-12).all()


def test_it_is_the_same_every_time(model):
    shape = figure(2)[0]
    one, other = (find_regions(shape, model, count=5).face_regions for _ in range(2))
    assert np.array_equal(one, other)


def test_another_order_of_faces_gives_the_same_regions(model):
    shape = figure(2)[0]
    order = np.random.default_rng(1).permutation(len(shape.faces))
    plain = find_regions(shape, model, count=5).face_regions
    mixed = find_regions(Mesh(shape.vertices, shape.faces[order]), model, count=5).face_regions
    assert np.mean(mixed == plain[order]) > 0.97


def test_more_detail_gives_more_regions(model):
    counts = [find_regions(figure(2)[0], model, detail=detail).count for detail in (0.05, 1.0, 20.0)]
    assert counts[0] <= counts[1] <= counts[2]
    assert counts[0] < counts[2]


@pytest.mark.parametrize("detail", [0.0, -1.0, float("nan")])
def test_a_detail_that_is_no_positive_number_is_refused(model, detail):
    with pytest.raises(InputError, match="detail"):
        find_regions(box(), model, detail=detail)


def test_a_model_comes_back_as_it_was_saved(model, tmp_path):
    """In half precision, so that one which was loaded loses nothing more."""
    path = tmp_path / "regions.safetensors"
    save_region_model(model, path)
    assert path.stat().st_size < 500_000
    model = load_region_model(path)
    save_region_model(model, path)
    again = load_region_model(path)
    shape = figure(2)[0]
    assert np.array_equal(find_regions(shape, again).face_regions, find_regions(shape, model).face_regions)
    assert again.about == model.about


def test_files_that_are_no_model_are_refused(model, tmp_path):
    from safetensors.torch import save_file

    path = tmp_path / "odd.safetensors"
    with pytest.raises(InputError, match="no such file"):
        load_region_model(path)
    path.write_bytes(b"nothing of the kind")
    with pytest.raises(InputError, match="no safetensors file"):
        load_region_model(path)
    save_file({"a": torch.zeros(2)}, path)
    with pytest.raises(InputError, match="no model for regions"):
        load_region_model(path)
    save_file({"a": torch.zeros(2)}, path, {"meshtide-regions": '{"channels": 100000}'})
    with pytest.raises(InputError, match="sizes"):
        load_region_model(path)
    save_region_model(model, path)
    data = path.read_bytes()
    path.write_bytes(data[:-100])
    with pytest.raises(InputError, match="damaged"):
        load_region_model(path)
