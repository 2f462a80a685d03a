"""Files, plots, pictures and pages that show a segmentation."""
