"""Label files: read them, write them, find them beside meshes."""

from meshtide.labels.files.contents import Contents, IndexLists, PerElement, Sizes
from meshtide.labels.files.mesh_files import PLY_PROPERTIES
from meshtide.labels.files.placing import detect_part_base, place_on_mesh
from meshtide.labels.files.reading import label_suffixes, parse_labels, read_labels
from meshtide.labels.files.writing import write_labels

__all__ = [
    "PLY_PROPERTIES",
    "Contents",
    "IndexLists",
    "PerElement",
    "Sizes",
    "detect_part_base",
    "label_suffixes",
    "parse_labels",
    "place_on_mesh",
    "read_labels",
    "write_labels",
]
