"""Files of a segmentation: coloured meshes, label lists, arrays and a summary."""
