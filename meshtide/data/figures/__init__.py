"""Procedural labelled bodies: people, animals, hands, made from bones on the spot and from no one's data."""

from meshtide.data.figures.defects import DEFECTS
from meshtide.data.figures.generator import KINDS, PARTS, VARIANTS, make_figure, make_plan, parts_of

__all__ = ["DEFECTS", "KINDS", "PARTS", "VARIANTS", "make_figure", "make_plan", "parts_of"]
