"""Living shapes of many kinds, made from bones on the spot: every face knows its part and its piece."""

from meshtide.data.figures.creatures.catalogue import CREATURE_KINDS, body_figure, make_creature
from meshtide.data.figures.creatures.people import divided_by_someone

__all__ = ["CREATURE_KINDS", "body_figure", "divided_by_someone", "make_creature"]
