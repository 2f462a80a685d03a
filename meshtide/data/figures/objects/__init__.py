"""Generated man-made objects, divided into parts as a person would divide them."""

from meshtide.data.figures.figure import Figure
from meshtide.data.figures.objects.making import OBJECT_KINDS, make_object

__all__ = ["OBJECT_KINDS", "Figure", "make_object"]
