"""What shards decide of a training: they were prepared by one recipe, and a network reads what they have."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from meshtide.data.card import known_cards
from meshtide.data.mirror import folder_of
from meshtide.data.shards.layout import is_shards
from meshtide.errors import InputError
from meshtide.spectral.recipe import GraphRecipe


def packed_recipe(source: str | Path) -> GraphRecipe | None:
    """How the shapes of a source were prepared, if it is a folder of shards."""
    if isinstance(source, str) and source in known_cards():
        return None
    folder = folder_of(source)
    if not is_shards(folder):
        return None
    from meshtide.data.shards.reading import recipe_of

    return recipe_of(folder)


def check_packed(
    source: str | Path,
    packed: GraphRecipe,
    start: GraphRecipe | None,
    operator: str | None,
    features: str | Sequence[str] | None,
    eigenpairs: int | None,
) -> None:
    """Refuse choices that shards do not have."""
    words = (features,) if isinstance(features, str) else None if features is None else tuple(features)
    asked = (("operator", operator, packed.operator), ("eigenpairs", eigenpairs, packed.k),
             ("features", words, packed.features))  # fmt: skip
    for noun, wanted, there in asked:
        if wanted is not None and wanted != there:
            told = ",".join(there) if isinstance(there, tuple) else there
            raise InputError(
                f"{source}: its shards were prepared with `{noun}={told}`; leave it out, or write others with "
                "`prepare` with `shards`"
            )
    if start is not None and start not in (packed, packed.kept):
        raise InputError(
            f"{source}: its shards were prepared otherwise than the model to `start` with reads them "
            f"({', '.join(start.features)}, {start.k} eigenpairs); write others with `prepare` with `shards`"
        )
