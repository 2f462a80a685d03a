"""Parts on meshes, vocabularies of parts, and the colours to show them in."""
