"""Model files: one safetensors file with a network's weights and, as JSON, all that is needed to use them.

A model may come from anywhere, so that nothing in it is run and nothing large is built before it is known to fit: what
the JSON asks for is first built without memory (torch's "meta" device) and compared with the tensors that are there.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field, fields
from functools import lru_cache
from importlib import resources
from pathlib import Path
from typing import TYPE_CHECKING, Any

from meshtide import __version__
from meshtide.errors import InputError
from meshtide.files import write_atomically
from meshtide.inference.hub import fetched, is_on_hub, publish
from meshtide.inference.recorded import Recorded, recorded, shipped_bytes, shipped_weights, surface_name
from meshtide.inference.weights import (
    KEY,
    bytes_of,
    check_tensors,
    description_of,
    halved,
    saved,
    state_of,
    tensors_of,
    widened,
)
from meshtide.labels.labels import Element, Vocabulary, check_element, check_names
from meshtide.spectral.features import FEATURES
from meshtide.spectral.node_recipe import NodeRecipe
from meshtide.spectral.recipe import GraphRecipe
from meshtide.words import listed, shown

if TYPE_CHECKING:
    from torch import Tensor

    from meshtide.networks.network import Network

FORMAT = 1
DEFAULT = "default"  # the name of the model that ships
SHIPPED = {DEFAULT: "figures"}  # the names of all models of parts that ship -> their files

# Far beyond use: bounds so that a damaged or hostile file cannot ask for days or terabytes.
MOST_WIDTH = 4096
MOST_BLOCKS = 128
MOST_LETTERS = 500
_COUNTS_OF_BLOCKS = ("blocks", "layers", "depth", "steps", "heads")


@dataclass(frozen=True)
class About:
    """What a model is: how to build its network, what to feed it, what its answers mean and where it comes from."""

    network: str  # "tide-m", …
    options: dict[str, Any]  # of the network, beyond inputs, parts and operator, which recipe and parts decide
    recipe: GraphRecipe | NodeRecipe  # the latter of a graph that is no mesh
    parts: tuple[str, ...]
    colours: tuple[str, ...]  # "#rrggbb" for each part
    on: Element = "vertices"
    kinds: dict[str, tuple[str, ...]] = field(default_factory=dict)  # kind of shape -> its parts, if there are several
    # Other vocabularies that the parts can be joined to: name -> {part: the model's parts}, "unscored" for the rest.
    vocabularies: dict[str, dict[str, tuple[str, ...]]] = field(default_factory=dict)
    trained_on: dict[str, Any] = field(default_factory=dict)  # source, vocabulary, split, shapes, seed, epochs, …
    scores: dict[str, Any] = field(default_factory=dict)
    version: str = __version__  # of the meshtide that made it
    format: int = FORMAT

    def __post_init__(self) -> None:
        object.__setattr__(self, "parts", tuple(self.parts))
        object.__setattr__(self, "colours", tuple(self.colours))
        check_names(self.parts)
        check_element(self.on)
        if not self.parts:
            raise InputError("a model needs at least one part")
        if len(self.colours) != len(self.parts) or not all(map(_is_colour, self.colours)):
            raise InputError(f"{len(self.colours):,} colours for {len(self.parts):,} parts; wanted '#rrggbb' for each")
        object.__setattr__(self, "kinds", self._named_parts("kinds", self.kinds))
        vocabularies = {name: self._named_parts(name, groups) for name, groups in self.vocabularies.items()}
        object.__setattr__(self, "vocabularies", vocabularies)
        check_names((*self.kinds, *self.vocabularies))
        for name in self.vocabularies:
            self.vocabulary(name)  # which raises where a part stands in two groups
        for noun in ("options", "trained_on", "scores"):
            # As JSON gives it back, so that what is loaded equals what was saved.
            object.__setattr__(self, noun, _plain(getattr(self, noun), noun))
        for name, value in self.options.items():
            _check_option(name, value)
        if self.options.get("operator", self.recipe.operator) != self.recipe.operator:
            raise InputError(
                f"the operators of network and recipe differ: {shown(repr(self.options['operator']))} and "
                f"{self.recipe.operator!r}"
            )

    @property
    def mesh_recipe(self) -> GraphRecipe:
        """What a mesh is prepared by for this model; one that was trained on a graph that is no mesh has no such."""
        if not isinstance(self.recipe, GraphRecipe):
            raise InputError(
                f"this {self.network} model was trained on the nodes of a graph that is no mesh "
                f"({self.trained_on.get('source', 'unknown')}); `meshtide evaluate` takes it, with such a graph"
            )
        return self.recipe

    def vocabulary(self, name: str) -> Vocabulary | None:
        """One of the vocabularies that the model's parts can be joined to, or None."""
        if name not in self.vocabularies:
            return None
        groups = dict(self.vocabularies[name])
        unscored = groups.pop("unscored", ())
        return Vocabulary(name, groups, unscored)

    def _named_parts(self, what: str, said: Any) -> dict[str, tuple[str, ...]]:
        """Groups of the model's parts by their names, after a check that they are."""
        if not isinstance(said, Mapping):
            raise InputError(f"'{what}' is {type(said).__name__}; wanted parts by name")
        for name, parts in said.items():
            if not isinstance(parts, list | tuple) or not all(part in self.parts for part in parts):
                raise InputError(f"'{name}' names {shown(repr(parts))}, which are not all parts of the model")
        return {name: tuple(parts) for name, parts in said.items()}

    def to_json(self) -> str:
        """Write it in its one canonical form."""
        content = asdict(self) | {"recipe": json.loads(self.recipe.to_json())}
        return json.dumps(content, sort_keys=True, separators=(",", ":"), allow_nan=False)

    @staticmethod
    def from_json(text: str) -> About:
        """Read what `to_json` wrote; anything that does not fit raises InputError."""
        try:
            content = json.loads(text, parse_constant=_no_constant)
        except (ValueError, RecursionError) as error:
            raise InputError(f"its description is not JSON ({error})") from error
        if not isinstance(content, dict) or type(content.get("format")) is not int:
            raise InputError("its description has no format number")
        if content["format"] != FORMAT:
            hint = "update meshtide" if content["format"] > FORMAT else "train it again"
            raise InputError(f"is a model of format {content['format']:,} and this meshtide reads {FORMAT}; {hint}")
        wanted = [entry.name for entry in fields(About)]
        for noun in ("kinds", "vocabularies"):
            content.setdefault(noun, {})  # which the first models did not have
        if sorted(content) != sorted(wanted):
            odd = sorted(set(content) ^ set(wanted))
            raise InputError(f"its description lacks, or should not have, {listed(odd)}")
        _check_kinds(content)
        try:
            said = content["recipe"]
            recipe = NodeRecipe.of(said) if "channels" in said else GraphRecipe.from_json(json.dumps(said))
            return About(**content | {"recipe": recipe})
        except (ArithmeticError, AttributeError, LookupError, RecursionError, TypeError) as error:
            raise InputError(f"its description is damaged ({error}); copy or train it again") from error


class Model:
    """A trained network and what it is.

    >>> load_model("default")
    Model(tide-m on the surface operator, 18 parts of 6 kinds on vertices, 143,226 weights, trained on figures)
    """

    def __init__(self, network: Network, about: About) -> None:
        self._network: Network | None = network
        self._recorded: Recorded | None = None
        self.about = about

    @staticmethod
    def of_recorded(own: Recorded, about: About) -> Model:
        """A model that answers by its program until somebody asks for the network itself, which is built then."""
        model = object.__new__(Model)
        model._network, model._recorded, model.about = None, own, about
        return model

    @property
    def network(self) -> Network:
        """The network, in torch."""
        if self._network is None:
            self._network = _built(state_of(self._recorded), self.about)
        return self._network

    @property
    def recorded(self) -> Recorded | None:
        """The network as a program; None where there is none, or where the network is there and may be changed."""
        return self._recorded if self._network is None else None

    def __repr__(self) -> str:
        about, weights = self.about, sum(weight.numel() for weight in self.network.parameters())
        kinds = f" of {len(about.kinds)} kinds" if about.kinds else ""
        source = f", trained on {about.trained_on['source']}" if "source" in about.trained_on else ""
        what = f"parts{kinds} on {about.on}" if isinstance(about.recipe, GraphRecipe) else "classes of nodes"
        return (
            f"Model({about.network} on the {about.recipe.operator} operator, {len(about.parts)} {what}, "
            f"{weights:,} weights{source})"
        )

    def save(self, path: str | Path, *, half: bool = False) -> None:
        """Write the model as one .safetensors file, which `load_model` reads again; `half` halves its size."""
        save_model(self, path, half=half)


def save_model(model: Model, path: str | Path, *, half: bool = False) -> None:
    """Write a model as one safetensors file, replaced whole or not at all; to hf:OWNER/NAME with a card, on the hub.

    With `half` its weights are rounded to half precision, as in the models that ship; loaded, they are computed with in
    single precision again.

    What could not be loaded again (infinite weights, a description of another network) raises InputError.
    """
    parts, names = model.network.parts, len(model.about.parts)
    if parts != names:
        raise InputError(f"{path}: was not written, as its network tells {parts:,} parts apart and {names:,} are named")
    weights = state_of(model.network)
    data = saved(halved(weights) if half else weights, {KEY: model.about.to_json()})
    try:
        _parse(data)
    except InputError as error:
        raise InputError(f"{path}: was not written, as the model could not be read again: {error}") from error
    if is_on_hub(path):
        publish(path, data, model.about)
        return
    write_atomically(Path(path), data)


def load_model(path: str | Path) -> Model:
    """Read a model, on the CPU and ready to predict; nothing in the file is run, and what does not fit is refused.

    The path hf:OWNER/NAME is a repository of the Hugging Face hub, and needs huggingface-hub.
    The word "default", where no file has that name, is the model of bodies that comes with meshtide, the same object
    every time.

    >>> import meshtide as mt
    >>> mt.load_model("default").about.kinds["hand"]
    ('palm', 'finger')
    """
    if str(path) in SHIPPED and not Path(path).exists():
        return shipped_model(str(path))
    return _load(fetched(path) if is_on_hub(path) else Path(path))


@lru_cache
def shipped_model(name: str) -> Model:
    """One of the models of parts that come with meshtide, all of them trained on generated shapes alone."""
    file = f"{SHIPPED[name]}.safetensors"
    data = shipped_bytes(file)
    about = About.from_json(description_of(data))
    program = surface_name(about.network, {"operator": about.recipe.operator} | about.options)
    own = recorded(program, shipped_weights(data)) if _may_be_recorded(about) else None
    if own is not None:
        return Model.of_recorded(own, about)
    with resources.as_file(resources.files("meshtide") / "models" / file) as place:
        return _load(place)


def _may_be_recorded(about: About) -> bool:
    """Whether a program can answer: on vertices, once and not in several views, from nothing but an eigenbasis."""
    recipe = about.recipe
    if not isinstance(recipe, GraphRecipe) or recipe.operator != "surface" or about.on != "vertices":
        return False
    return not any(FEATURES[word].turns for word in recipe.features)


def default_model() -> Model:
    """The model of bodies that comes with meshtide: parts of people, animals and more."""
    return shipped_model(DEFAULT)


def _load(path: Path) -> Model:
    data = bytes_of(Path(path))
    try:
        return _parse(data)
    except InputError as error:
        raise InputError(f"{path}: {_readable(error)}") from error


def _parse(data: bytes) -> Model:
    """The model in a file's bytes; an InputError is a sentence about the file without its name."""
    tensors = widened(tensors_of(data))
    about = About.from_json(description_of(data))
    return Model(_built(tensors, about), about)


def _built(tensors: dict[str, Tensor], about: About) -> Network:
    """The network with these weights, which have to be its own."""
    import torch

    # Building draws random numbers; loading a model must not change what comes after it.
    with torch.random.fork_rng(devices=[]):
        if _may_be_large(about):
            with torch.device("meta"):
                planned = _build(about)
            check_tensors(tensors, planned.state_dict())
        network = _build(about)
        check_tensors(tensors, network.state_dict())
    if network.on != about.on:
        raise InputError(
            f"its description says that it answers on {about.on} and its network that it answers on {network.on}; "
            "train it again"
        )
    network.load_state_dict(tensors)
    return network.eval()


def _build(about: About) -> Network:
    # Here and not above, as the networks need much that a description does not.
    from meshtide.networks.registry import build_network

    options = {"operator": about.recipe.operator} | about.options
    try:
        return build_network(about.network, about.recipe.channels, len(about.parts), **options)
    except InputError:
        raise
    except Exception as error:  # options that no network can be built with, in whatever way it fails
        raise InputError(f"its network '{about.network}' cannot be built with its options ({error})") from error


def _may_be_large(about: About) -> bool:
    """Whether building the network could take more than some megabytes.

    Only then is it built without memory first: torch's "meta" device takes a second to be imported.
    """
    width = max([64, *(value for value in about.options.values() if isinstance(value, int))])
    blocks = max(8, int(about.options.get("blocks", 0)))
    return width * (32 * width * blocks + about.recipe.channels + len(about.parts)) > 2**24


def _check_kinds(content: dict[str, Any]) -> None:
    """Raise InputError unless every entry of a description is what its name says."""
    kinds = {"network": str, "version": str, "on": str, "parts": list, "colours": list}
    for name, value in content.items():
        kind = int if name == "format" else kinds.get(name, dict)
        if not isinstance(value, kind):
            raise InputError(f"its description has {type(value).__name__} as '{name}' and not {kind.__name__}")


def _check_option(name: str, value: Any) -> None:
    """Raise InputError for a number that no network of sane size has."""
    is_count = name in _COUNTS_OF_BLOCKS
    if is_count and type(value) is not int:
        raise InputError(f"the option '{name}' is {shown(repr(value))}; wanted a whole number")
    if name == "width" and not (type(value) is int and value > 0):
        raise InputError(f"the option 'width' is {shown(repr(value))}; wanted a whole number from 1 on")
    most = MOST_BLOCKS if is_count else MOST_WIDTH
    for entry in value if isinstance(value, list) else [value]:
        if not isinstance(entry, str | int | float | None):
            raise InputError(f"the option '{name}' is {type(entry).__name__}; wanted numbers and words")
        if isinstance(entry, int | float) and not abs(entry) <= most:
            raise InputError(f"the option '{name}' is {str(entry)[:20]}; it should be at most {most:,}")


def _plain(content: Any, noun: str) -> Any:
    """What JSON makes of a dictionary."""
    try:
        text = json.dumps(content, allow_nan=False, ensure_ascii=False)
        text.encode()  # half a character could be neither printed nor written again
        plain = json.loads(text)
    except (TypeError, ValueError, RecursionError) as error:
        raise InputError(f"'{noun}' of a model should be what JSON can hold, but {error}") from error
    if not isinstance(plain, dict):
        raise InputError(f"'{noun}' of a model should be named values, not {type(content).__name__}")
    return plain


def _readable(error: Exception) -> str:
    """An error's sentence on one line of sane length: it may quote the file, and the file may hold anything."""
    text = "".join(letter if letter.isprintable() else " " for letter in str(error))
    return text if len(text) <= MOST_LETTERS else f"{text[:MOST_LETTERS]} …"


def _no_constant(word: str) -> float:
    raise ValueError(f"{word} is not a finite number")


def _is_colour(word: Any) -> bool:
    return isinstance(word, str) and re.fullmatch("#[0-9a-f]{6}", word) is not None
