"""Graphs that are no meshes: nodes with features and classes, their splits, cards and files."""
