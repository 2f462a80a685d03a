"""The Laplacian of a mesh, its eigenbasis, and what is computed from them and kept."""
