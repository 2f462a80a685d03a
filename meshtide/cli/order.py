"""Arguments that stand in each other's place, recognised and put right in a sentence."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from meshtide.errors import InputError
from meshtide.many.remote import is_url


def is_model(text: str) -> bool:
    """Whether this names a model: a file, the one that ships, or one on the hub."""
    return text.endswith(".safetensors") or text == "default" or text.startswith("hf:")


def check_model_before_source(model: str, source: str) -> None:
    """`evaluate` takes the model first."""
    if is_model(source) and not is_model(model):
        raise InputError(
            f"{source}: is a model and stands where the shapes should; give meshtide evaluate {source} {model}"
        )


def check_source_is_no_model(source: str, output: Path) -> None:
    """`train` takes the shapes, and writes the model."""
    if is_model(source) and not is_model(str(output)):
        raise InputError(
            f"{source}: is a model and stands where the shapes should; give meshtide train {output} -o {source}"
        )


def check_no_models(meshes: Sequence[str]) -> None:
    """`segment` and `view` take a model as an option."""
    for text in meshes:
        if text.lower().endswith(".safetensors") or text.startswith("hf:"):
            raise InputError(f"{text}: is a model and no mesh; give it as --model {text}")


def check_no_outputs(given: Sequence[str], outputs: Sequence[str]) -> None:
    """A file that should be written stands where the meshes stand, or the mesh stands behind -o."""
    from meshtide.mesh.files import READABLE
    from meshtide.output.saving import SUFFIXES

    paths = [Path(text) for text in given if not is_url(text)]
    if len(paths) == 1 and not paths[0].exists():
        for target in map(Path, outputs):
            if target.is_file() and target.suffix.lower() in READABLE:
                raise InputError(
                    f"{paths[0]}: no such file, and {target} is there; the other way around it is "
                    f"meshtide segment {target} -o {paths[0]}"
                )
    ends = paths if len(paths) == 2 else paths[-1:] if len(paths) > 2 else []
    for path in ends:
        others = [other for other in paths if other is not path]
        if path.suffix.lower() in SUFFIXES and not path.exists() and others[0].exists():
            raise InputError(f"{path}: no such file; if the parts should go there, give it as -o {path}")
