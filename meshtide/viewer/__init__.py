"""The polyscope viewer: its state, which needs no window, and its window."""
