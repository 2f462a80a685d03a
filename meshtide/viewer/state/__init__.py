"""What a viewer shows and does, without a window: diffusion support, painting, proposals, and what is on the screen.

Nothing here draws; a drawing layer asks for arrays and calls the operations.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

_HOMES = {
    "Geodesics": "geodesics",
    "Support": "support",
    "Painting": "painting",
    "Proposal": "proposal",
    "propose": "proposal",
    "accept": "proposal",
    "Scene": "scene",
}

__all__ = list(_HOMES)

if TYPE_CHECKING:
    from meshtide.viewer.state.geodesics import Geodesics as Geodesics
    from meshtide.viewer.state.painting import Painting as Painting
    from meshtide.viewer.state.proposal import Proposal as Proposal
    from meshtide.viewer.state.proposal import accept as accept
    from meshtide.viewer.state.proposal import propose as propose
    from meshtide.viewer.state.scene import Scene as Scene
    from meshtide.viewer.state.support import Support as Support


def __getattr__(name: str) -> Any:
    if name in _HOMES:
        return getattr(import_module(f"meshtide.viewer.state.{_HOMES[name]}"), name)
    raise AttributeError(f"meshtide.viewer.state has no '{name}'; it has {', '.join(sorted(_HOMES))}")
