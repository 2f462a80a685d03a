"""What the library says of its arguments, in the words of the command line."""

from __future__ import annotations

import re

# The argument that a library error names in backquotes, and the option that a user of the command line knows it by.
_OPTIONS = {
    "augmentation": "--augment",
    "blocks": "--blocks",
    "cache": "--cache",
    "count": "--count",
    "data": "--data",
    "detail": "--detail",
    "device": "--device",
    "dropout": "--dropout",
    "eigenpairs": "--eigenpairs",
    "epochs": "--epochs",
    "features": "--features",
    "gradients": "--gradients",
    "jobs": "--jobs",
    "k": "--eigenpairs",
    "kind": "--kind",
    "max_vertices": "--max-vertices",
    "model": "--model",
    "network": "--network",
    "networks": "--networks",
    "operator": "--operator",
    "output": "--output",
    "patience": "--patience",
    "precision": "--precision",
    "relatives": "--relatives",
    "report": "--json",
    "resume": "--resume",
    "sample": "--sample",
    "screenshot": "--screenshot",
    "html": "--html",
    "seed": "--seed",
    "seeds": "--seeds",
    "setting": "--setting",
    "shape": "--shape",
    "split": "--split",
    "start": "--start",
    "strength": "--strength",
    "test_source": "--test",
    "validate": "--validate",
    "labels": "--labels",
    "size": "--size",
    "up": "--up",
    "unnamed": "--unnamed",
    "vocabulary": "--parts",
    "width": "--width",
}
_ARGUMENT = re.compile(r"`(\w+)(=[^`]*)?`")


def in_options(sentence: str) -> str:
    """A sentence of the library with every argument that it names as the option of that meaning.

    >>> in_options("sources differ; choose a `vocabulary`, or set `operator=surface`")
    'sources differ; choose a --parts, or set --operator surface'
    """
    return _ARGUMENT.sub(_option, sentence)


def _option(found: re.Match[str]) -> str:
    name, value = found.group(1), found.group(2)
    if name not in _OPTIONS:
        return found.group(0)
    return _OPTIONS[name] + (f" {value[1:]}" if value else "")
