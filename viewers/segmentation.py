"""See a mesh in its parts: python viewers/segmentation.py MESH [PICTURE.png]"""

import sys

from meshtide.viewer.state.item import model_tools
from meshtide.viewer.state.scene import Scene
from meshtide.viewer.window import Window, screenshot

mesh, *picture = sys.argv[1:]
scene = Scene(mesh, model_tools())  # model_tools(mt.load_model("mine.safetensors")) for a model of your own

result = scene.item.prediction
print(f"taken for {result.kind}, mean confidence {result.confidence.mean():.0%}")
for entry in scene.legend():
    print(f"  {entry.name:12} {entry.share:6.1%} of the surface")

if picture:
    screenshot(scene, picture[0], views=("front", "side"))
else:
    Window(scene).open()
