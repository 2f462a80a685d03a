"""Training on graphs that are no meshes: one graph, some of whose nodes are learned from and others scored."""
