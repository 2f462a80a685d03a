"""Labelled shapes: cards, collections, relatives, and figures that are generated."""
