"""Models on the Hugging Face hub, named hf:OWNER/NAME or hf:OWNER/NAME@REVISION.

A repository holds one model file and a card that is made from what the model knows of itself. What comes from there is
read as any stranger's file is: nothing in it is run.
"""

from __future__ import annotations

import re
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING, Any

from meshtide.errors import InputError
from meshtide.words import listed

if TYPE_CHECKING:
    from meshtide.inference.model import About

PREFIX = "hf:"
MODEL_FILE, CARD_FILE = "model.safetensors", "README.md"
_PLACE = re.compile(r"hf:([\w.-]+/[\w.-]+)(?:@([\w./-]+))?")


def is_on_hub(path: str | Path) -> bool:
    """Whether a path names a repository on the hub, and not a file."""
    return str(path).startswith(PREFIX)


def fetched(path: str | Path) -> Path:
    """The model file of a repository, from the hub's own cache where it is there."""
    repository, revision = _place(path)
    hub = _hub(path)
    try:
        return Path(hub.hf_hub_download(repository, MODEL_FILE, revision=revision))
    except (OSError, ValueError) as error:
        reason = str(error).strip().partition("\n")[0][:200] or type(error).__name__
        raise InputError(f"{path}: cannot be had from the hub ({reason}); check the name and the connection") from error


def publish(path: str | Path, data: bytes, about: About) -> None:
    """Put a model's bytes and its card into a repository of the hub, which is made if it is not there."""
    repository, revision = _place(path)
    hub = _hub(path)
    with tempfile.TemporaryDirectory() as folder:
        (Path(folder) / MODEL_FILE).write_bytes(data)
        (Path(folder) / CARD_FILE).write_text(model_card(about, repository), encoding="utf-8")
        try:
            hub.create_repo(repository, exist_ok=True)
            hub.upload_folder(repo_id=repository, folder_path=folder, revision=revision)
        except (OSError, ValueError) as error:
            reason = str(error).strip().partition("\n")[0][:200] or type(error).__name__
            raise InputError(f"{path}: cannot be put on the hub ({reason}); are you logged in as its owner?") from error


def model_card(about: About, name: str) -> str:
    """What a reader of a repository sees: what the model knows, how to use it, what it learned from, how it scored."""
    trained, score = about.trained_on, about.scores.get("test") or {}
    shapes = trained.get("shapes")
    kinds = [f"- {kind}: {', '.join(parts)}" for kind, parts in about.kinds.items()]
    lines = [
        "---",
        "library_name: meshtide",
        "tags: [mesh-segmentation, 3d, geometry]",
        "---",
        f"# {name.rpartition('/')[2]}",
        "",
        f"A {about.network} on the {about.recipe.operator} operator that divides surface meshes into "
        f"{len(about.parts)} parts: {listed(about.parts)}.",
        "",
        *(["Each kind of shape has its own:", *kinds, ""] if kinds else []),
        "```",
        f"meshtide segment mesh.obj --model {PREFIX}{name} -o parts.glb",
        "```",
        "",
        f"It learned from {trained.get('source', 'shapes that it does not name')}"
        + (f", {len(shapes):,} shapes" if isinstance(shapes, list) else "")
        + f"; features {', '.join(about.recipe.features)}; made by meshtide {about.version}.",
        "",
    ]
    if score:
        lines += ["| on shapes it has not seen | |", "|---|---|"]
        lines += [f"| {noun.replace('_', ' ')} | {value:.1%} |" for noun, value in _fractions(score)]
        lines += [""]
    return "\n".join(lines)


def _fractions(score: Any) -> list[tuple[str, float]]:
    found = score.items() if isinstance(score, dict) else ()
    return [(str(noun), float(value)) for noun, value in found if isinstance(value, float) and 0 <= value <= 1]


def _place(path: str | Path) -> tuple[str, str | None]:
    found = _PLACE.fullmatch(str(path))
    if found is None:
        raise InputError(f"{path}: is no model on the hub; wanted hf:OWNER/NAME or hf:OWNER/NAME@REVISION")
    return found[1], found[2]


def _hub(path: str | Path) -> Any:
    try:
        import huggingface_hub
    except ImportError as error:
        raise InputError(
            f"{path}: models on the hub need huggingface-hub; pip install -c constraints.txt huggingface-hub"
        ) from error
    return huggingface_hub
