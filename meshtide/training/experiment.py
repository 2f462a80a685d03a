"""What one training is: everything that decides what it gives, and every default that depends on something else."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, TypedDict

from meshtide.data.augmentation import WITH_TWINS, Augmentation
from meshtide.data.card import known_cards
from meshtide.errors import InputError
from meshtide.inference.model import load_model
from meshtide.networks.registry import network_record, reads_arrows, usual_options
from meshtide.spectral.node_recipe import NodeRecipe
from meshtide.spectral.recipe import ARROWS, GraphRecipe, usual_features
from meshtide.training.packed import check_packed, packed_recipe
from meshtide.training.schedule import Schedule, rate_factor
from meshtide.training.start import START_LEARNING_RATE, START_STEPS
from meshtide.words import known

SETTINGS = ("single", "multi", "mixed")
NODES = "nodes"  # the setting of graphs that are no meshes, which nobody has to choose
USUAL_NETWORK = "tide-m"
USUAL_RELATIVES = 6
MIXED_EIGENPAIRS = 64  # what is finer is a matter of the kind of body, and costs time: docs/mesh-settings.md
SINGLE_EPOCHS = 500  # each is one step on one shape
# The mean of late weights is steadier than any one of them, and needs no validation to choose one: docs/training.md.
USUAL_AVERAGE = 0.25
MOST_STRENGTH = 3.0
NO_ARROWS = "arrows are for TIDE on the surface operator; what others can read of the same is coordinates and normals"


@dataclass(frozen=True, kw_only=True)
class Experiment:
    """Everything that decides what a training gives; two equal experiments give equal models. `plan` makes one."""

    source: str
    setting: str
    test_source: str | None
    vocabulary: str | None
    network: str
    options: dict[str, Any]
    recipe: GraphRecipe | NodeRecipe
    schedule: Schedule
    augmentation: Augmentation | None
    relatives: int  # of each shape; 0 without augmentation
    shape: str | None  # the one of the single setting; the first training shape if None
    start: str | None  # the model to begin with, as `load_model` takes it; random weights if None
    validate: bool | None  # False: learn from the validation shapes too; None: where they are too few to choose by
    splits: str | None = None  # of a graph that is no mesh: which of its splits of the nodes
    component: str | None = None  # of such a graph: "all" nodes, or those of the "largest" component

    def __post_init__(self) -> None:
        known(self.setting, (*SETTINGS, NODES), "setting")
        if self.setting == "mixed" and self.test_source is None:
            raise InputError("the mixed setting trains on one source and tests on another: name it with `test_source`")
        if self.augmentation and self.recipe.operator != "surface":
            raise InputError(
                "`augmentation` changes the surface, which the graph operator does not see; leave out one of the two"
            )
        if self.augmentation and self.setting == "single":
            raise InputError(
                "`augmentation` makes relatives of whole shapes, and the single setting learns from some vertices of "
                "one; leave out one of the two"
            )

    @property
    def on_one_graph(self) -> bool:
        """Whether some vertices of one graph are learned from and others of the same scored."""
        return self.setting in ("single", NODES)

    @property
    def mesh_recipe(self) -> GraphRecipe:
        """The recipe of an experiment on meshes."""
        if not isinstance(self.recipe, GraphRecipe):
            raise InputError(f"{self.source}: is a graph that is no mesh, and this needs meshes")
        return self.recipe


class Choices(TypedDict, total=False):
    """What can be chosen about a training, as `plan` takes it; what is left out is as usual."""

    setting: str
    test_source: str | Path | None
    vocabulary: str | None
    operator: str | None
    features: str | Sequence[str] | None
    eigenpairs: int | None
    augmentation: bool | Augmentation | None
    relatives: int | None
    strength: float | None
    validate: bool | None
    shape: str | None
    epochs: int | None
    batch: int | None
    sample: int | None
    precision: str | None
    patience: int | None
    class_weights: bool
    average: float | None
    optimiser: str | None
    learning_rate: float | None
    course: str | None
    weight_decay: float | None
    seed: int
    splits: str | None
    component: str | None


class NetworkChoices(Choices, total=False):
    """What can be chosen about one network besides."""

    network: str | None
    options: Mapping[str, Any] | None
    start: str | Path | None


def plan(
    source: str | Path,
    *,
    setting: str = "multi",
    test_source: str | Path | None = None,
    vocabulary: str | None = None,
    network: str | None = None,
    operator: str | None = None,
    features: str | Sequence[str] | None = None,
    eigenpairs: int | None = None,
    options: Mapping[str, Any] | None = None,
    start: str | Path | None = None,
    augmentation: bool | Augmentation | None = None,
    relatives: int | None = None,
    strength: float | None = None,
    validate: bool | None = None,
    shape: str | None = None,
    epochs: int | None = None,
    batch: int | None = None,
    sample: int | None = None,
    precision: str | None = None,
    patience: int | None = None,
    class_weights: bool = False,
    average: float | None = None,
    optimiser: str | None = None,
    learning_rate: float | None = None,
    course: str | None = None,
    weight_decay: float | None = None,
    seed: int = 0,
    splits: str | None = None,
    component: str | None = None,
) -> Experiment:
    """The experiment that these choices mean; whatever is None is decided here, and nowhere else.

    `options` are the network's own, beyond those it usually has. `start` is a model's file, or "default", and brings
    its network, operator and features. `sample=0` looks at all vertices of a shape in every step.

    >>> plan("faust").options
    {'gradients': True, 'arrows': 16}
    >>> plan("faust", setting="mixed", test_source="shrec07-human").relatives
    6
    """
    known(setting, SETTINGS, "setting")
    check_numbers(
        eigenpairs=eigenpairs, relatives=relatives, epochs=epochs, batch=batch, sample=sample, patience=patience,
        seed=seed,
    )  # fmt: skip
    for noun, value in (("splits", splits), ("component", component)):
        if value is not None:
            raise InputError(f"`{noun}` is about graphs that are no meshes, and {source} is none")
    about = None
    if start is not None:
        _refuse_beside_start(options, network=network, operator=operator, features=features, eigenpairs=eigenpairs)
        about = load_model(start).about
    average = USUAL_AVERAGE if average is None else average
    packed = packed_recipe(source)
    if packed is not None:
        check_packed(source, packed, about.mesh_recipe if about else None, operator, features, eigenpairs)
    name = about.network if about else network or USUAL_NETWORK
    features = _features(features, name, operator, setting, augmentation, options or {})
    if eigenpairs is None and setting == "mixed" and operator in (None, "surface"):
        eigenpairs = MIXED_EIGENPAIRS
    chosen = packed or GraphRecipe(**given(operator=operator, k=eigenpairs, features=features))
    recipe = about.mesh_recipe if about else chosen
    if packed is not None and augmentation is None:
        augmentation = False  # relatives are kept in memory, and shards are for what is too large for that
    if ARROWS in recipe.features and not reads_arrows(name):  # as shards may have them
        raise InputError(f"{source}: was prepared with `features={','.join(recipe.features)}`, and {NO_ARROWS}")
    how = _augmentation(augmentation, strength, setting, recipe)
    usual = usual_options(name, recipe.operator, setting, how is not None, ARROWS in recipe.features)
    asked = given(
        precision=precision, average=average, optimiser=optimiser, learning_rate=learning_rate, course=course,
        weight_decay=weight_decay, batch=batch,
    )  # fmt: skip
    schedule = Schedule(
        patience=patience, class_weights=class_weights, seed=seed, **_lengths(name, setting, epochs, sample),
        **(_started(about is not None) | asked),
    )  # fmt: skip
    if batch is not None and setting == "single":
        raise InputError("`batch` counts shapes of a step, and the single setting has one; leave it out")
    if learning_rate is None:
        schedule = replace(schedule, learning_rate=schedule.learning_rate * rate_factor(schedule.batch))
    return Experiment(
        source=_source_name(source),
        setting=setting,
        test_source=None if test_source is None else _source_name(test_source),
        vocabulary=vocabulary,
        network=name,
        options=about.options if about else usual | dict(options or {}),
        recipe=recipe,
        schedule=schedule,
        augmentation=how,
        relatives=0 if how is None else relatives or USUAL_RELATIVES,
        shape=shape,
        start=None if start is None else str(start),
        validate=validate,
    )


def _features(
    asked: str | Sequence[str] | None,
    network: str,
    operator: str | None,
    setting: str,
    augmentation: bool | Augmentation | None,
    options: Mapping[str, Any],
) -> tuple[str, ...]:
    """What is read, arrows last; unasked they are read where the network can, and shapes are what they are in space."""
    if asked is None:
        takes = reads_arrows(network) and options.get("mlp", True) and options.get("method", "spectral") == "spectral"
        return usual_features(operator, setting, arrows=takes and not augmentation)
    words = (asked,) if isinstance(asked, str) else tuple(asked)
    if ARROWS not in words:
        return words
    if not reads_arrows(network) or operator not in (None, "surface"):
        raise InputError(f"`features`: {NO_ARROWS}")
    return (*(word for word in words if word != ARROWS), *(word for word in words if word == ARROWS))


def check_numbers(**numbers: int | None) -> None:
    """Raise InputError for a number that is too small to mean anything."""
    for noun, value in numbers.items():
        least = 0 if noun in ("sample", "seed") else 1
        if value is not None and value < least:
            raise InputError(f"`{noun}={value}` is too small; it should be {least} or more")


def with_seed(experiment: Experiment, seed: int) -> Experiment:
    """The same experiment with another seed."""
    return replace(experiment, schedule=replace(experiment.schedule, seed=seed))


def _augmentation(
    asked: bool | Augmentation | None, strength: float | None, setting: str, recipe: GraphRecipe
) -> Augmentation | None:
    """How relatives are made: as asked, and unasked where a network must work on shapes unlike the training set."""
    if strength is not None and not 0 <= strength <= MOST_STRENGTH:
        raise InputError(f"`strength={strength}` is out of range; it should be from 0 to {MOST_STRENGTH:g}")
    if asked is None:
        asked = setting == "mixed" and recipe.operator == "surface"
    if asked is False:
        return None
    usual = WITH_TWINS if "twins" in recipe.features else Augmentation()
    how = usual if asked is True else asked
    return how if strength is None else how.scaled(strength)


def _lengths(network: str, setting: str, epochs: int | None, sample: int | None) -> dict[str, Any]:
    """How many epochs, and how many vertices in a step, where a setting or a network decides it."""
    if setting == "single":
        return {"epochs": epochs or SINGLE_EPOCHS, "sample": None}
    if not network_record(network).samples:
        return {"epochs": epochs, "sample": None}
    return {"epochs": epochs} | ({} if sample is None else {"sample": sample or None})


def _started(begun: bool) -> dict[str, Any]:
    """What is other for a training that begins with a model: it knows much, needs less, and must not forget."""
    return {"steps": START_STEPS, "learning_rate": START_LEARNING_RATE} if begun else {}


def _refuse_beside_start(options: Mapping[str, Any] | None, **others: Any) -> None:
    """Refuse choices about the network, which the model to begin with has made."""
    given = [f"`{name}`" for name, value in others.items() if value is not None]
    given += [f"the option `{name}`" for name in options or {}]
    if given:
        raise InputError(f"{given[0]} cannot be chosen beside `start`, as the model to begin with has its own")


def given(**values: Any) -> dict[str, Any]:
    """Those that are not None; the others have the defaults of whatever takes them."""
    return {name: value for name, value in values.items() if value is not None}


def _source_name(source: str | Path) -> str:
    """A source as text: a path stays a folder, even where a card has its name."""
    return f"./{source}" if isinstance(source, Path) and str(source) in known_cards() else str(source)
