"""Model files: one safetensors file with a network's weights and, as JSON, all that is needed to use them.

A model may come from anywhere, so that nothing in it is run and nothing large is built before it is known to fit: what
the JSON asks for is first built without memory (torch's "meta" device) and compared with the tensors that are there.
"""

from __future__ import annotations

import json
import re
from dataclasses import asdict, dataclass, field, fields
from pathlib import Path
from typing import Any

import safetensors
import safetensors.torch
import torch
from torch import Tensor

from meshtide import __version__
from meshtide.errors import InputError
from meshtide.files import write_atomically
from meshtide.labels.labels import Element, Vocabulary, check_element, check_names
from meshtide.networks.network import Network
from meshtide.spectral.recipe import GraphRecipe
from meshtide.words import listed

FORMAT = 1
KEY = "meshtide"  # of our entry in the safetensors metadata

# Far beyond use: bounds so that a damaged or hostile file cannot ask for days or terabytes.
MOST_BYTES = 2**30
MOST_WIDTH = 4096
MOST_BLOCKS = 128
MOST_LETTERS = 500
_COUNTS_OF_BLOCKS = ("blocks", "layers", "depth", "steps", "heads")


@dataclass(frozen=True)
class About:
    """What a model is: how to build its network, what to feed it, what its answers mean and where it comes from."""

    network: str  # "tide-m", …
    options: dict[str, Any]  # of the network, beyond inputs, parts and operator, which recipe and parts decide
    recipe: GraphRecipe
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
        object.__setattr__(self, "kinds", {kind: self._own(parts, kind) for kind, parts in self.kinds.items()})
        object.__setattr__(
            self,
            "vocabularies",
            {
                name: {part: self._own(members, name) for part, members in groups.items()}
                for name, groups in self.vocabularies.items()
            },
        )
        check_names((*self.kinds, *self.vocabularies))
        for noun in ("options", "trained_on", "scores"):
            # As JSON gives it back, so that what is loaded equals what was saved.
            object.__setattr__(self, noun, _plain(getattr(self, noun), noun))
        for name, value in self.options.items():
            _check_option(name, value)
        if self.options.get("operator", self.recipe.operator) != self.recipe.operator:
            raise InputError(
                f"the operators of network and recipe differ: {self.options['operator']!r} and {self.recipe.operator!r}"
            )

    def vocabulary(self, name: str) -> Vocabulary | None:
        """One of the vocabularies that the model's parts can be joined to, or None."""
        if name not in self.vocabularies:
            return None
        groups = dict(self.vocabularies[name])
        unscored = groups.pop("unscored", ())
        return Vocabulary(name, groups, unscored)

    def _own(self, parts: Any, what: str) -> tuple[str, ...]:
        """Some of the model's parts, after a check that they are."""
        if not isinstance(parts, list | tuple) or not set(parts) <= set(self.parts):
            raise InputError(f"'{what}' names {parts!r}, which are not all parts of the model")
        return tuple(parts)

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
            raise InputError(f"its description is no JSON ({error})") from error
        if not isinstance(content, dict) or type(content.get("format")) is not int:
            raise InputError("its description has no format number")
        if content["format"] != FORMAT:
            hint = "update meshtide" if content["format"] > FORMAT else "train it anew"
            raise InputError(f"is a model of format {content['format']:,} and this meshtide reads {FORMAT}; {hint}")
        wanted = [entry.name for entry in fields(About)]
        for noun in ("kinds", "vocabularies"):
            content.setdefault(noun, {})  # which the first models did not have
        if sorted(content) != sorted(wanted):
            odd = sorted(set(content) ^ set(wanted))
            raise InputError(f"its description lacks, or should not have, {listed(odd)}")
        _check_kinds(content)
        return About(**content | {"recipe": GraphRecipe.from_json(json.dumps(content["recipe"]))})


@dataclass(frozen=True, eq=False)
class Model:
    """A trained network and what it is."""

    network: Network
    about: About


def save_model(model: Model, path: str | Path) -> None:
    """Write a model as one safetensors file, replaced whole or not at all.

    What could not be loaded again (weights that are no numbers, a description of another network) raises InputError.
    """
    # Copies: safetensors takes no tensors that share memory, which layers that share weights have.
    weights = {
        name: value.detach().cpu().clone(memory_format=torch.contiguous_format)
        for name, value in model.network.state_dict().items()
    }
    data = safetensors.torch.save(weights, {KEY: model.about.to_json()})
    try:
        _parse(data)
    except InputError as error:
        raise InputError(f"{path}: is not written, as the model could not be read again: {error}") from error
    write_atomically(Path(path), data)


def load_model(path: str | Path) -> Model:
    """Read a model, on the CPU and ready to predict; nothing in the file is run, and what does not fit is refused."""
    data = _bytes_of(Path(path))
    try:
        return _parse(data)
    except InputError as error:
        raise InputError(f"{path}: {_readable(error)}") from error


def _bytes_of(path: Path) -> bytes:
    try:
        if path.is_dir():
            raise InputError(f"{path}: is a folder; give the model file in it")
        if path.exists() and not path.is_file():
            raise InputError(f"{path}: is no file but a device or a pipe, which might never end; give a model file")
        size = path.stat().st_size
        if size > MOST_BYTES:
            raise InputError(f"{path}: has {size:,} bytes and a model at most {MOST_BYTES:,}; is it another file?")
        return path.read_bytes()
    except FileNotFoundError as error:
        raise InputError(f"{path}: no such file; give a model that `meshtide train` made") from error
    except OSError as error:
        raise InputError(f"{path}: cannot be read ({error.strerror})") from error


def _parse(data: bytes) -> Model:
    """The model in a file's bytes; an InputError is a sentence about the file without its name."""
    tensors = _tensors(data)
    about = About.from_json(_description(data))
    # Building draws random numbers; loading a model must not change what comes after it.
    with torch.random.fork_rng(devices=[]):
        if _may_be_large(about):
            with torch.device("meta"):
                planned = _build(about)
            _check_tensors(tensors, planned.state_dict())
        network = _build(about)
        _check_tensors(tensors, network.state_dict())
    if network.on != about.on:
        raise InputError(f"says that it answers on {about.on}, and its network answers on {network.on}; train it anew")
    network.load_state_dict(tensors)
    return Model(network.eval(), about)


def _tensors(data: bytes) -> dict[str, Tensor]:
    if not data:
        raise InputError("is empty; was a download or a copy cut short?")
    if data.startswith((b"PK\x03\x04", b"\x80")) and data[8:9] != b"{":
        raise InputError("is a pickled PyTorch file, which could run anything when read; wanted a model of meshtide's")
    try:
        return safetensors.torch.load(data)
    except Exception as error:  # whatever a damaged header does to safetensors, it is the file's fault
        if data[8:9] == b"{":
            raise InputError(f"is a damaged or shortened model ({error}); get or train it again") from error
        raise InputError("is no safetensors file; wanted a model that `meshtide train` made") from error


def _description(data: bytes) -> str:
    """Our JSON in the header of a file that safetensors could read."""
    size = int.from_bytes(data[:8], "little")
    metadata = json.loads(data[8 : 8 + size]).get("__metadata__") or {}
    if KEY not in metadata:
        raise InputError(
            "is a safetensors file of another program, as it does not say which network it is for; "
            "wanted a model that `meshtide train` made"
        )
    return str(metadata[KEY])


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


def _check_tensors(found: dict[str, Tensor], wanted: dict[str, Tensor]) -> None:
    """Raise InputError unless the tensors are, by name, shape and type, those of the network, and are numbers."""
    odd = sorted(found.keys() ^ wanted.keys())
    if odd:
        raise InputError(
            f"its weights are not those of its network; {listed(odd, most=3)} are missing or too many; "
            "was it changed, or made by another version?"
        )
    for name, tensor in found.items():
        if tensor.shape != wanted[name].shape or tensor.dtype != wanted[name].dtype:
            raise InputError(
                f"its '{name}' is {tensor.dtype} {tuple(tensor.shape)} and should be {wanted[name].dtype} "
                f"{tuple(wanted[name].shape)}; was it changed, or made by another version?"
            )
        if not torch.isfinite(tensor).all():
            raise InputError(f"its '{name}' holds what is no number; did its training diverge?")


def _check_kinds(content: dict[str, Any]) -> None:
    """Raise InputError unless every entry of a description is what its name says."""
    kinds = {"network": str, "version": str, "on": str, "parts": list, "colours": list}
    for name, value in content.items():
        kind = int if name == "format" else kinds.get(name, dict)
        if not isinstance(value, kind):
            raise InputError(f"its description has {type(value).__name__} as '{name}' and not {kind.__name__}")


def _check_option(name: str, value: Any) -> None:
    """Raise InputError for a number that no network of sane size has."""
    most = MOST_BLOCKS if name in _COUNTS_OF_BLOCKS else MOST_WIDTH
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
    raise ValueError(f"{word} is no number")


def _is_colour(word: Any) -> bool:
    return isinstance(word, str) and re.fullmatch("#[0-9a-f]{6}", word) is not None
