"""The model that ships, models by name."""

from __future__ import annotations

from functools import lru_cache
from importlib import resources
from pathlib import Path

from meshtide.inference.model import Model, load_model


@lru_cache(maxsize=1)
def default_model() -> Model:
    """The model that comes with meshtide: parts of people, animals and more, trained on generated bodies alone."""
    with resources.as_file(resources.files("meshtide") / "models" / "figures.safetensors") as place:
        return load_model(place)


def named_model(name: str | Path) -> Model:
    """The model in a file; the word "default", where no file has that name, is the one that ships."""
    return default_model() if str(name) == "default" and not Path(name).exists() else load_model(name)
