"""The polyscope viewer: a thin layer that draws what `meshtide.viewing` holds, in a window or without one."""

from meshtide.viewer.backend import start
from meshtide.viewer.shots import screenshot, turntable
from meshtide.viewer.window import Window

__all__ = ["Window", "screenshot", "start", "turntable"]
