"""Label a mesh from a few strokes: python viewers/labelling.py MESH LABELS.txt [PICTURE.png]

Without a picture the window opens and the mouse paints. With one, two strokes are painted by program: the highest
point and the lowest, to show the calls.
"""

import sys

import numpy as np

from meshtide.viewer.state import accept, propose
from meshtide.viewer.state.item import model_tools
from meshtide.viewer.state.scene import Scene
from meshtide.viewer.window import Window, screenshot

mesh, labels, *picture = sys.argv[1:]
scene = Scene(mesh, model_tools(), mode="painting")

if picture:
    painting, height = scene.painting, scene.mesh.vertices[:, 2]
    for name, vertex in (("top", height.argmax()), ("bottom", height.argmin())):
        painting.brush(int(vertex), 0.2 * np.ptp(height), painting.add_part(name))
    scene.proposals[0] = propose(scene.item.graph, painting, seconds=2.0, start=scene.tools.model)
    print(f"{accept(painting, scene.proposals[0]):,} vertices taken over from the proposal")
    painting.save(labels)
    screenshot(scene, picture[0])
else:
    Window(scene).open()
    scene.painting.save(labels)
