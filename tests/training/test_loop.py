"""Training: it learns, it repeats itself, it survives interruption, and it keeps to its split."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
import torch
from labelled_folders import write_figures
from shapes import FIGURE_PARTS, figure, sphere
from torch.utils.data import DataLoader

from meshtide.data.augmentation import Augmentation, augmented, stretched, swollen_basis
from meshtide.data.collection import open_collection
from meshtide.errors import InputError
from meshtide.inference.predict import predict
from meshtide.labels.files import write_labels
from meshtide.labels.labels import Labels
from meshtide.mesh.files import save_mesh
from meshtide.mesh.mesh import Mesh
from meshtide.networks.graph import graph_of
from meshtide.spectral.recipe import GraphRecipe
from meshtide.spectral.spectrum import eigenbasis, laplacian
from meshtide.training.examples import GraphDataset, load_shapes, split_shapes, split_vertices, with_relatives
from meshtide.training.experiment import Experiment, plan
from meshtide.training.loop import Training, mean_accuracy
from meshtide.training.run import prepare_training
from meshtide.training.schedule import Schedule
from meshtide.training.sources import gather

RECIPE = GraphRecipe(k=32)


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_figures(tmp_path_factory.mktemp("figures"), 6)


def experiment(folder: Path, **changes: object) -> Experiment:
    """A small experiment; the changes are of its fields, whatever `plan` would say."""
    usual = plan(folder, eigenpairs=32, options={"width": 16, "blocks": 2, "gradients": False})
    defaults = {"validate": True, "schedule": Schedule(epochs=40, sample=300, seed=3)}
    return replace(usual, **{**defaults, **changes})  # type: ignore[arg-type]  # a mixed bag by design


def trained(which: Experiment) -> tuple[Training, list[float]]:
    training, _ = prepare_training(which, gather(which))
    losses = [epoch.loss for epoch in training.run()]
    training.keep_best()
    return training, losses


def test_a_small_folder_is_learned_and_unseen_shapes_are_right(folder: Path) -> None:
    training, losses = trained(experiment(folder))
    assert losses[-1] < losses[0] / 2
    assert training.validation
    assert mean_accuracy(training.network, training.validation) > 0.9
    assert mean_accuracy(training.network, training.validation) == pytest.approx(training.best_accuracy)


def test_the_same_seed_gives_the_same_weights_and_another_others(folder: Path) -> None:
    short = experiment(folder, schedule=Schedule(epochs=3, sample=200, seed=1))
    one, again = trained(short)[0], trained(short)[0]
    other = trained(experiment(folder, schedule=Schedule(epochs=3, sample=200, seed=2)))[0]
    for left, right in zip(one.network.parameters(), again.network.parameters(), strict=True):
        assert torch.equal(left, right)
    assert any(not torch.equal(a, b) for a, b in zip(one.network.parameters(), other.network.parameters(), strict=True))


def test_averaged_weights_are_the_weighted_mean_of_every_step(folder: Path) -> None:
    share = 0.5  # step i counts in proportion to i, but for the first two, which a mean of half the steps cannot hold
    which = experiment(folder, validate=False, schedule=Schedule(epochs=4, sample=100, seed=1, average=share))
    training, _ = prepare_training(which, gather(which))
    seen: list[torch.Tensor] = []
    weights = training.network.parameters
    training.optimiser.register_step_post_hook(
        lambda *_: seen.append(torch.nn.utils.parameters_to_vector(weights()).detach().clone())
    )
    list(training.run())
    mean = torch.nn.utils.parameters_to_vector(training.kept.parameters())
    n = len(seen)
    counts = torch.tensor([0.0, *(2.0 * i / (n * (n - 1)) for i in range(1, n))])
    assert torch.allclose(mean, (counts[:, None] * torch.stack(seen)).sum(dim=0), atol=1e-5)
    training.keep_best()
    assert torch.equal(torch.nn.utils.parameters_to_vector(training.network.parameters()), mean)


def test_validation_is_of_the_averaged_weights(folder: Path) -> None:
    which = experiment(folder, schedule=Schedule(epochs=6, sample=100, seed=1, average=0.3))
    training, _ = prepare_training(which, gather(which))
    for epoch in training.run():
        assert epoch.validation_accuracy == mean_accuracy(training.kept, training.validation)
    with pytest.raises(InputError, match="average=2"):
        Schedule(average=2.0)


def test_coordinates_are_learned_from_every_side_and_validated_as_they_are_answered(folder: Path) -> None:
    recipe = GraphRecipe(k=32, features=("log-hks", "coordinates", "normals"))
    which = experiment(folder, recipe=recipe, schedule=Schedule(epochs=2, sample=100, seed=1))
    training, _ = prepare_training(which, gather(which))
    mean, spread = (value[-6:] for value in (training.network.normalise.mean, training.network.normalise.spread))
    assert mean.abs().max() < 1e-5
    assert torch.allclose(spread[:3], spread[:1], rtol=1e-3)  # no direction is another
    assert torch.allclose(spread[3:], spread[3:4], rtol=1e-3)
    accuracy = [epoch.validation_accuracy for epoch in training.run()][-1]
    right = [predict(training.network, e.graph).argmax(axis=1) == e.targets.numpy() for e in training.validation]
    assert accuracy == pytest.approx(np.mean([each.mean() for each in right]))


def test_patience_stops_early(folder: Path) -> None:
    which = experiment(folder, schedule=Schedule(epochs=50, sample=100, seed=1, patience=2, learning_rate=1e-9))
    training, losses = trained(which)
    assert len(losses) < 50
    assert training.best_epoch <= training.epoch - 2 or training.epoch < 5


def test_splits_are_by_shape_and_relatives_stay_in_theirs(folder: Path) -> None:
    collection = open_collection(folder)
    split = split_shapes(collection, seed=0)
    assert not set(split.train) & set(split.validation)
    assert len(split.train) + len(split.validation) == 6
    which = experiment(folder, augmentation=Augmentation(), relatives=2, schedule=Schedule(epochs=1))
    training, _ = prepare_training(which, gather(which))
    names = {example.name for example in training.train}, {example.name for example in training.validation}
    assert not names[0] & names[1]
    for example in training.train:
        assert len(example.relatives) == 2
        assert {graph.name for graph, _ in example.relatives} == {example.name}


def test_without_validation_every_shape_teaches_and_the_last_epoch_stays(folder: Path) -> None:
    training, losses = trained(experiment(folder, validate=False, schedule=Schedule(epochs=2, sample=100)))
    assert len(training.train) == 6
    assert not training.validation
    assert training.best_epoch == len(losses) == 2


def test_one_shape_is_enough_and_no_label_is_too_little(tmp_path: Path) -> None:
    one = write_figures(tmp_path / "one", 1)
    training, _ = trained(experiment(one, schedule=Schedule(epochs=150, sample=None, seed=0)))
    assert not training.validation
    assert mean_accuracy(training.network, training.train) > 0.9
    bare = tmp_path / "bare"
    bare.mkdir()
    save_mesh(figure(0)[0], bare / "a.off")
    with pytest.raises(InputError, match="no shape has labels"):
        gather(experiment(bare))


def test_partial_labels_teach_the_rest(tmp_path: Path) -> None:
    folder = tmp_path / "partial"
    folder.mkdir()
    mesh, parts = figure(1)
    some = np.where(np.random.default_rng(0).random(len(parts)) < 0.3, parts, -1)
    save_mesh(mesh, folder / "a.off")
    write_labels(Labels(some, "faces", FIGURE_PARTS), folder / "a.txt", mesh)
    training, _ = trained(experiment(folder, schedule=Schedule(epochs=200, sample=None)))
    # A folder's parts stand in alphabetical order.
    truth = np.array([sorted(FIGURE_PARTS).index(name) for name in FIGURE_PARTS])[
        Labels(parts, "faces", FIGURE_PARTS).to_vertices(mesh).values
    ]
    with torch.no_grad():
        predicted = training.network(training.train[0].graph).argmax(dim=1).numpy()
    assert (predicted == truth).mean() > 0.85


def test_the_single_setting_splits_vertices(folder: Path) -> None:
    which = experiment(folder, setting="single", schedule=Schedule(epochs=2))
    data = gather(which)
    parts = split_vertices(data.train[0].example, seed=0)
    shares = [float((part.targets >= 0).float().mean()) for part in parts]
    assert shares == pytest.approx([0.2, 0.3, 0.5], abs=0.01)
    together = torch.stack([part.targets >= 0 for part in parts]).sum(dim=0)
    assert (together == 1).all()


def test_class_weights_raise_rare_parts(folder: Path) -> None:
    which = experiment(folder, schedule=Schedule(epochs=1, class_weights=True))
    training, _ = prepare_training(which, gather(which))
    assert training.weights is not None
    counts = torch.bincount(torch.cat([example.targets for example in training.train]))
    assert torch.equal(training.weights.argsort(), counts.argsort(descending=True))


def test_no_growth_gives_the_basis_itself() -> None:
    mesh = figure(1)[0]
    basis = eigenbasis(mesh, 16)
    same = swollen_basis(laplacian(mesh), np.zeros(len(mesh.vertices)), 16)
    np.testing.assert_allclose(same.values, basis.values, rtol=1e-6, atol=1e-8)


def test_a_uniform_growth_changes_nothing_as_the_area_stays_one() -> None:
    mesh = figure(1)[0]
    grown = swollen_basis(laplacian(mesh), np.full(len(mesh.vertices), 0.7), 16)
    np.testing.assert_allclose(grown.values, eigenbasis(mesh, 16).values, rtol=1e-6, atol=1e-8)
    assert grown.mass.sum() == pytest.approx(1)


def test_relatives_differ_from_the_shape_and_from_each_other() -> None:
    mesh, parts = figure(1)
    labels = Labels(parts, "faces", FIGURE_PARTS)
    random = np.random.default_rng(0)
    relatives = [augmented(mesh, labels, RECIPE, Augmentation(), random).preparation for _ in range(2)]
    own = eigenbasis(mesh, 32).values
    assert np.abs(relatives[0].values / np.maximum(own, 1) - 1)[1:].max() > 0.05
    assert not np.allclose(relatives[0].values, relatives[1].values, rtol=1e-2)
    assert graph_of(relatives[0], "relative", RECIPE).num_vertices == len(mesh.vertices)


def test_what_looks_alike_grows_alike() -> None:
    ball = sphere(2)
    stretched_ball = Mesh(ball.vertices * [1.0, 1.0, 2.0], ball.faces)  # whose poles look alike, and its equator
    height = np.abs(stretched_ball.vertices[:, 2])
    order = np.argsort(height)
    how = Augmentation(stretch=0.0, swell=0.0, swell_piece=0.0, alike=0.5, smooth=1e-6)
    labels = Labels(np.zeros(len(height), dtype=np.int64), "vertices", ("ball",))
    growths = [augmented(stretched_ball, labels, RECIPE, how, np.random.default_rng(n)).growth for n in range(3)]
    for growth in growths:
        assert growth.std() > 0.05
        beside = np.abs(np.diff(growth[order]))[np.diff(height[order]) < 1e-9]
        assert beside.mean() < 0.1 * growth.std()
    assert not np.allclose(growths[0], growths[1], atol=0.05)


def test_the_gradients_of_a_relative_have_its_eigenvalues_as_their_energy() -> None:
    mesh, parts = figure(2)
    relative = augmented(mesh, Labels(parts, "faces", FIGURE_PARTS), RECIPE, Augmentation(), np.random.default_rng(1))
    assert relative.growth.std() > 0.1
    energy = np.einsum("v,avk,avk->k", relative.preparation.mass, *[relative.gradients().astype(float)] * 2)
    # A gradient averaged at a vertex loses a little of what it had on the faces.
    np.testing.assert_allclose(energy[1:12], relative.preparation.values[1:12], rtol=0.15)


def test_relatives_in_processes_are_those_of_one_process(folder: Path) -> None:
    collection = open_collection(folder)
    shapes = load_shapes(collection, collection.shapes[:2], RECIPE, None)
    one, two = (with_relatives(shapes, Augmentation(), 2, seed=5, jobs=jobs) for jobs in (1, 2))
    for left, right in zip(one, two, strict=True):
        for (graph, targets), (other, other_targets) in zip(left.relatives, right.relatives, strict=True):
            torch.testing.assert_close(graph.features, other.features)
            assert torch.equal(targets, other_targets)


@pytest.mark.parametrize(
    ("network", "operator"),
    [
        ("tide-m", "surface"),
        ("tide-m", "graph"),
        ("diffusionnet", "surface"),
        ("gcn", "surface"),
        ("gat", "graph"),
        ("grand", "surface"),
    ],
)
def test_mixed_precision_learns_nearly_the_same_and_leaves_full_weights(
    folder: Path, network: str, operator: str
) -> None:
    if network == "grand":
        pytest.importorskip("torchdiffeq", reason="torchdiffeq is not installed")

    def losses(precision: str) -> list[float]:
        options = {"width": 16, "dropout": 0.0}
        which = plan(
            folder, network=network, operator=operator, options=options, eigenpairs=32, epochs=6, sample=200, seed=1,
            precision=precision,
        )  # fmt: skip
        training, found = trained(which)
        assert {value.dtype for value in training.network.parameters()} == {torch.float32}
        graph = training.train[0].graph
        torch.testing.assert_close(graph.input_spectrum, graph.project(graph.inputs))  # kept in full for later
        return found

    full, mixed = losses("float32"), losses("bfloat16")
    assert mixed != full  # or it was not mixed at all
    assert mixed == pytest.approx(full, rel=0.05)


def test_mixed_precision_computes_the_gradient_of_float32_to_two_digits(folder: Path) -> None:
    data = gather(experiment(folder))
    gradients = []
    for precision in ("float32", "bfloat16"):
        schedule = Schedule(epochs=1, sample=None, seed=1, learning_rate=1e-9, precision=precision)
        training, _ = prepare_training(experiment(folder, schedule=schedule), data)
        training.train = training.train[:1]
        training.run_epoch()
        found = [value.grad.ravel() for value in training.network.parameters() if value.grad is not None]
        gradients.append(torch.cat(found))
    full, mixed = gradients
    assert torch.linalg.norm(mixed - full) < 0.03 * torch.linalg.norm(full)


@pytest.mark.parametrize("device", ["cpu", "cuda", "mps"])
def test_devices(folder: Path, device: str) -> None:
    present = {"cpu": True, "cuda": torch.cuda.is_available(), "mps": torch.backends.mps.is_available()}
    if not present[device]:
        pytest.skip(f"this machine has no {device}")
    which = experiment(folder, schedule=Schedule(epochs=1, sample=100))
    training, _ = prepare_training(which, gather(which), device=device)
    assert np.isfinite(training.run_epoch().loss)


def test_wrong_arguments_are_sentences(folder: Path) -> None:
    with pytest.raises(InputError, match="precision 'half' is not known; there are float32, bfloat16"):
        Schedule(precision="half")
    for wrong, said in (
        ({"setting": "many"}, "there are"),
        ({"setting": "mixed"}, "`test_source`"),
        ({"network": "cnn"}, "there are"),
        ({"options": {"colour": 3}}, "colour"),
        (
            {"augmentation": Augmentation(), "recipe": GraphRecipe(operator="graph")},
            "`augmentation` changes the surface",
        ),
    ):
        with pytest.raises(InputError, match=said):
            trained(experiment(folder, **wrong))


def test_a_collection_is_a_torch_dataset(folder: Path) -> None:
    dataset = GraphDataset(open_collection(folder), recipe=RECIPE)
    loader = DataLoader(dataset, batch_size=None, num_workers=0)
    seen = [(graph.name, len(targets), int(targets.max())) for graph, targets in loader]
    assert len(seen) == len(dataset) == 6
    assert all(count == 610 and most == 3 for _, count, most in seen)


def test_a_graph_goes_to_torch_geometric(folder: Path) -> None:
    pytest.importorskip("torch_geometric", reason="torch_geometric is not installed")
    graph, targets = GraphDataset(open_collection(folder), recipe=RECIPE)[0]
    data = graph.to_pyg(targets)
    assert data.num_nodes == graph.num_vertices
    assert data.num_edges == 2 * graph.edges.shape[1]
    assert data.is_undirected()


def test_mesh_is_not_changed_by_stretching() -> None:
    mesh = figure(0)[0]
    before = mesh.vertices.copy()
    relative = stretched(mesh, 0.3, np.random.default_rng(0))
    np.testing.assert_array_equal(mesh.vertices, before)
    assert isinstance(relative, Mesh)
    assert not np.allclose(relative.vertices, before)
