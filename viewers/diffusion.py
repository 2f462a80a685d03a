"""See how far information travels from a vertex: python viewers/diffusion.py MESH VERTEX [PICTURE.png]"""

import sys

from meshtide.viewer.state.item import model_tools
from meshtide.viewer.state.scene import Scene
from meshtide.viewer.window import Window, screenshot

mesh, vertex, *picture = sys.argv[1:]
scene = Scene(mesh, model_tools())
scene.select(int(vertex))
scene.show("support")

support = scene.item.support
for block, times in enumerate(support.spread()):
    # Every channel diffuses for a time of its own; how far is that, on this mesh?
    reaches = [support.radius(int(vertex), support.values(int(vertex), time=time)) for time in sorted(times)[::16]]
    print(
        f"block {block}: t from {times.min():.2g} to {times.max():.2g}, 90 % within "
        + ", ".join(f"{reach:.3g}" for reach in reaches)
    )

if picture:
    screenshot(scene, picture[0])
else:
    Window(scene).open()
