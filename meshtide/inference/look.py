"""What a mesh is: looked at without what it wears first, as a body, and then as a whole."""

from __future__ import annotations

from meshtide.inference.known_kinds import together_by_model
from meshtide.inference.model import DEFAULT
from meshtide.inference.recognise import Recognition, recognise
from meshtide.inference.shells import strip
from meshtide.mesh.mesh import Mesh
from meshtide.spectral.cache import Cache

SURE = 0.8  # how likely a body must be without its small shells; a helicopter without rotors is a person at 0.7


def look(mesh: Mesh, cache: Cache | None = None) -> Recognition:
    """Say what kind of thing a mesh is.

    Eyes and clothes hide a body, and wheels are what makes a car: where small shells sit on larger ones, a mesh is the
    body that is under them if it surely is one, and otherwise what it is with all its shells.
    """
    stripped = strip(mesh)
    if stripped is not None:
        bare = recognise(stripped.mesh, cache)
        if together_by_model(bare.shares)[DEFAULT] > SURE:
            return bare
    return recognise(mesh, cache)
