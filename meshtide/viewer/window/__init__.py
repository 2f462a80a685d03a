"""The polyscope viewer: a thin layer that draws what `meshtide.viewer.state` holds, in a window or without one."""

from meshtide.viewer.window.backend import start
from meshtide.viewer.window.shots import screenshot, turntable
from meshtide.viewer.window.window import Window

__all__ = ["Window", "screenshot", "start", "turntable"]
