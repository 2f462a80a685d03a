"""Living shapes of many kinds, made from bones on the spot: every face knows its part and its piece."""

from meshtide.data.figures.creatures.catalogue import CREATURE_KINDS, body_figure, make_creature

__all__ = ["CREATURE_KINDS", "body_figure", "make_creature"]
