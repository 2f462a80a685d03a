"""Label files: read them, write them, find them beside meshes."""

from meshtide.label_files.contents import Contents, IndexLists, PerElement, Sizes
from meshtide.label_files.mesh_files import PLY_PROPERTIES
from meshtide.label_files.placing import detect_part_base, place_on_mesh
from meshtide.label_files.reading import LABEL_SUFFIXES, parse_labels, read_labels
from meshtide.label_files.writing import write_labels

__all__ = [
    "LABEL_SUFFIXES", "PLY_PROPERTIES", "Contents", "IndexLists", "PerElement", "Sizes", "detect_part_base",
    "parse_labels", "place_on_mesh", "read_labels", "write_labels",
]  # fmt: skip
