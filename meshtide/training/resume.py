"""The file beside a model that lets an interrupted training go on: safetensors, no pickle."""

from __future__ import annotations

import hashlib
import json
import time
from pathlib import Path

import safetensors
import safetensors.torch

from meshtide.errors import InputError
from meshtide.files import write_atomically
from meshtide.training.experiment import Experiment
from meshtide.training.loop import Training

_KEY = "meshtide-training"
SECONDS_BETWEEN = 5.0


class TrainingFile:
    """Where a training with one seed stands, written after every epoch and removed at the end."""

    def __init__(self, model_path: Path, experiment: Experiment) -> None:
        self.path = model_path.with_suffix(f".seed{experiment.settings.seed}.training")
        self.next_time = 0.0
        # Another experiment must not go on from this one's weights.
        self.digest = hashlib.blake2b(repr(experiment).encode(), digest_size=16).hexdigest()

    def save(self, training: Training) -> None:
        """Write where the training stands, whole or not at all; not more often than every few seconds."""
        if time.monotonic() < self.next_time:
            return
        self.next_time = time.monotonic() + SECONDS_BETWEEN
        tensors, numbers = training.state()
        metadata = {_KEY: json.dumps({**numbers, "experiment": self.digest})}
        write_atomically(self.path, safetensors.torch.save(tensors, metadata))

    def load(self, training: Training) -> bool:
        """Put the training where the file says; False if there is no file."""
        if not self.path.exists():
            return False
        try:
            with safetensors.safe_open(self.path, framework="pt") as file:
                numbers = json.loads((file.metadata() or {})[_KEY])
                tensors = {name: file.get_tensor(name) for name in file.keys()}  # noqa: SIM118  # not a dict
        except (OSError, KeyError, ValueError, safetensors.SafetensorError) as error:
            raise InputError(f"{self.path}: is no interrupted training; remove it or train without --resume") from error
        if numbers.get("experiment") != self.digest:
            raise InputError(f"{self.path}: belongs to a training with other arguments; use those, or remove the file")
        try:
            training.restore(tensors, numbers)
        except (KeyError, RuntimeError, ValueError, TypeError) as error:
            raise InputError(f"{self.path}: does not fit this training; remove it or train without --resume") from error
        return True

    def remove(self) -> None:
        """The training is done."""
        self.path.unlink(missing_ok=True)
