"""The file beside a model that lets a stopped training go on: safetensors, no pickle."""

from __future__ import annotations

import json
import time
from dataclasses import asdict
from pathlib import Path
from typing import Any

import safetensors
import safetensors.torch
from torch import Tensor

from meshtide.errors import InputError
from meshtide.files import write_atomically
from meshtide.training.experiment import Experiment
from meshtide.training.loop import Training

_KEY = "meshtide-training"
SECONDS_BETWEEN = 5.0
MOST_LETTERS = 60  # of a value in a sentence
MOST_NUMBER = 1e12  # of steps, rates and whatever else a training counts
_NEVER_NEGATIVE = ("step", "exp_avg_sq", "exp_inf")  # of what an optimiser keeps


class TrainingFile:
    """Where a training with one seed stands: written as it goes, and removed when its model is finished."""

    def __init__(self, model_path: Path, experiment: Experiment) -> None:
        self.path = model_path.with_suffix(f".seed{experiment.schedule.seed}.training")
        self.next_time = 0.0
        # As JSON gives it back: another experiment must not go on from this one's weights.
        self.experiment = json.loads(json.dumps(asdict(experiment)))

    def save(self, training: Training) -> None:
        """Write where the training stands, whole or not at all; every few seconds, and at the end."""
        if time.monotonic() < self.next_time and training.epoch < training.epochs:
            return
        tensors, numbers = training.state()
        metadata = {_KEY: json.dumps({**numbers, "experiment": self.experiment})}
        write_atomically(self.path, safetensors.torch.save(tensors, metadata))
        self.next_time = time.monotonic() + SECONDS_BETWEEN

    def exists(self) -> bool:
        """Whether a training was stopped here."""
        return self.path.exists()

    def check(self) -> None:
        """Refuse a file that is damaged, or that belongs to another experiment, before anything is loaded for it."""
        self._refuse_other(self._read()[1])

    def load(self, training: Training) -> bool:
        """Put the training where the file says; False if there is no file."""
        if not self.exists():
            return False
        tensors, numbers = self._read()
        self._refuse_other(numbers)
        try:
            training.check(numbers)
            _check_form(tensors, numbers, training)
            training.restore(tensors, numbers)
        except InputError as error:
            raise InputError(f"{self.path}: {error}; remove the file to train anew") from error
        except (ArithmeticError, AttributeError, LookupError, RuntimeError, ValueError, TypeError) as error:
            raise InputError(f"{self.path}: does not fit this training; remove the file to train anew") from error
        return True

    def remove(self) -> None:
        """The training is done."""
        self.path.unlink(missing_ok=True)

    def _read(self) -> tuple[dict[str, Tensor], dict[str, Any]]:
        try:
            with safetensors.safe_open(self.path, framework="pt") as file:
                numbers = json.loads((file.metadata() or {})[_KEY])
                if not isinstance(numbers, dict):
                    raise TypeError("numbers should have names")
                return {name: file.get_tensor(name) for name in file.keys()}, numbers  # noqa: SIM118  # not a dict
        except (OSError, KeyError, ValueError, TypeError, RecursionError, safetensors.SafetensorError) as error:
            raise InputError(f"{self.path}: is damaged, or no stopped training; remove it to train anew") from error

    def _refuse_other(self, numbers: dict[str, Any]) -> None:
        theirs = numbers.get("experiment")
        if theirs == self.experiment:
            return
        try:
            differences = _differences(theirs, self.experiment)
        except (KeyError, TypeError, ValueError):
            raise InputError(
                f"{self.path}: was written by another version of meshtide; remove it to train anew"
            ) from None
        raise InputError(
            f"{self.path}: belongs to a training with other arguments ({differences}); use those, or remove the file "
            "to train anew"
        )


def _check_form(tensors: dict[str, Tensor], numbers: dict[str, Any], training: Training) -> None:
    """Raise InputError unless all is of the form that this training would write: torch checks little, and late."""
    own, usual = training.state()
    found = {name: value for name, value in numbers.items() if name != "experiment"}
    same = _form(found) == _form(usual)
    same = same and all(map(_same_group, found["groups"], usual["groups"]))
    total = "total_steps"  # torch goes no further than that
    same = same and found["learning_rate"].get(total) == usual["learning_rate"].get(total)
    done = numbers["epoch"] * len(training.train)
    if (
        not same
        or not 0 <= numbers["learning_rate"]["last_epoch"] <= done
        or not 0 <= numbers["epoch"] <= training.epochs
        or numbers["step"] < 0
    ):
        raise InputError("is damaged")
    weights = {name: value for name, value in own.items() if not name.startswith(("optimiser.", "best."))}
    weights |= {f"best.{name}": value for name, value in training.kept.state_dict().items()}
    sizes = {str(number): value.shape for number, value in enumerate(training.network.parameters())}
    missing = [name for name in weights if name not in tensors]
    best = len(training.kept.state_dict())
    if any(not name.startswith("best.") for name in missing) or len(missing) not in (0, best):
        raise InputError("is damaged")
    for name, value in tensors.items():
        kind, _, rest = name.partition(".")
        if kind == "optimiser":
            number, _, key = rest.partition(".")
            fits = number in sizes and value.shape == (() if key == "step" else sizes[number])
            fits = fits and value.is_floating_point()  # complex numbers fit into no weight
            fits = fits and (key not in _NEVER_NEGATIVE or bool((value >= 0).all()))
        else:
            fits = name in weights and (value.shape, value.dtype) == (weights[name].shape, weights[name].dtype)
        if not fits or not value.isfinite().all():
            raise InputError("is damaged")


def _same_group(found: dict[str, Any], usual: dict[str, Any]) -> bool:
    """Whether an optimiser's knobs are this training's, but for two that turn: a decay beyond 1 has complex roots."""
    others = found.keys() - {"lr", "betas"}
    first, *rest = found.get("betas", (0.0,))
    return (
        all(found[name] == usual[name] for name in others)
        and rest == list(usual.get("betas", (0.0,))[1:])
        and 0 <= first < 1
    )


def _form(value: Any) -> Any:
    """What kind of thing a value is, down to the last entry; numbers that are beyond use are of no kind."""
    if isinstance(value, dict):
        return {name: _form(entry) for name, entry in value.items()}
    if isinstance(value, list | tuple):
        return [_form(entry) for entry in value]
    if isinstance(value, int | float) and not isinstance(value, bool):
        return "number" if abs(value) < MOST_NUMBER else value
    return value if isinstance(value, str) else type(value)  # words are names of functions


def _differences(theirs: Any, ours: dict[str, Any]) -> str:
    """What is other, by the names of the arguments that decide it."""
    was, now = _by_argument(theirs), _by_argument(ours)
    changed = [name for name in now if was[name] != now[name]]
    return ", ".join(f"`{name}` was {_short(was[name])} and is {_short(now[name])}" for name in changed[:3])


def _by_argument(experiment: dict[str, Any]) -> dict[str, Any]:
    parts = dict(experiment)
    schedule, recipe = parts.pop("schedule"), dict(parts.pop("recipe"))
    return {**parts, **schedule, "eigenpairs": recipe.pop("k"), **recipe}


def _short(value: Any) -> str:
    text = repr(value)
    return text if len(text) <= MOST_LETTERS else f"{text[:MOST_LETTERS]} …"
