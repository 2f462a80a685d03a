"""meshtide: surface meshes in, labelled parts out."""

__version__ = "0.1.0"
