"""Pictures of coloured meshes, made with numpy alone: no window, no OpenGL, the same bytes every time.

>>> from shapes import torus
>>> render(torus(), "#56b4e9", size=(90, 60), view="front").shape
(60, 90, 3)
"""

from meshtide.output.pictures.camera import best_view
from meshtide.output.pictures.paint import BACKGROUND, Image
from meshtide.output.pictures.rendering import render
from meshtide.output.pictures.saving import save_picture
from meshtide.output.pictures.segments import confidence_colours, segmentation_picture, segmentation_sheet
from meshtide.output.pictures.sheets import sheet

__all__ = [
    "BACKGROUND",
    "Image",
    "best_view",
    "confidence_colours",
    "render",
    "save_picture",
    "segmentation_picture",
    "segmentation_sheet",
    "sheet",
]
