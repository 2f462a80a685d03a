"""The model that ships, models by name."""

from __future__ import annotations

from meshtide.inference.model import default_model, load_model

named_model = load_model

__all__ = ["default_model", "named_model"]
