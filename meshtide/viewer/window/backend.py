"""Polyscope, started with or without a window, and a sentence where that cannot be."""

from __future__ import annotations

import os
import sys
from functools import lru_cache
from typing import Any

from meshtide.errors import InputError
from meshtide.viewer.state.framing import OPENING
from meshtide.viewer.window.material import load_material

LIBRARIES = "apt install libegl1 libgl1 libx11-6"
WITHOUT = "use `screenshot=FILE.png`, which needs no screen, or `html=FILE.html`, which needs no OpenGL"


def start(*, window: bool) -> Any:
    """Polyscope, ready to draw; InputError says what is missing where it cannot be started."""
    polyscope = _module()
    has_screen = any(map(os.environ.get, ("DISPLAY", "WAYLAND_DISPLAY"))) or not sys.platform.startswith("linux")
    if window and not has_screen and not _is_mocked():
        raise InputError(f"there is no screen to open a window on (DISPLAY is not set); {WITHOUT}")
    _initialise(window)
    return polyscope


@lru_cache(maxsize=1)
def _initialise(window: bool) -> None:
    """Once for a process: polyscope cannot be started twice."""
    polyscope = _module()
    polyscope.set_allow_headless_backends(not window)
    polyscope.set_verbosity(0)
    polyscope.set_program_name("meshtide")
    polyscope.set_use_prefs_file(False)  # it would be written into whatever folder one works in
    try:
        polyscope.init("openGL_mock" if _is_mocked() else "openGL3_glfw" if window else "openGL3_egl")
    except RuntimeError as error:
        reason = " ".join(str(error).split())
        raise InputError(f"the window cannot be drawn ({reason}); on Debian: {LIBRARIES}; or {WITHOUT}") from error
    load_material(polyscope)
    polyscope.set_ground_plane_mode("none")
    polyscope.set_vertical_fov_degrees(OPENING)
    polyscope.set_SSAA_factor(2)
    polyscope.set_build_default_gui_panels(False)
    polyscope.set_open_imgui_window_for_user_callback(False)
    polyscope.set_background_color((1.0, 1.0, 1.0))


def _is_mocked() -> bool:
    """Whether a test asked for polyscope's backend that draws nothing."""
    return os.environ.get("MESHTIDE_POLYSCOPE") == "mock"


def _module() -> Any:
    try:
        import polyscope
    except ImportError as error:
        if "polyscope" in str(getattr(error, "name", "") or ""):
            hint = "pip install -c constraints.txt polyscope"
        else:
            hint = f"a library of the system is missing; on Debian: {LIBRARIES}"
        raise InputError(f"the viewer cannot be loaded ({error}); {hint}") from error
    return polyscope
