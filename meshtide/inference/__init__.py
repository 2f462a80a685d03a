"""From a mesh and a model to parts."""
