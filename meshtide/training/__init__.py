"""From labelled shapes to a model and its score."""
