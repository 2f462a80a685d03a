"""What the library says of its arguments, in the words of the command line."""

from __future__ import annotations

import re

# The argument that a library error names in backquotes, and the option that a user of the command line knows it by.
_OPTIONS = {
    "augmentation": "--augment",
    "average": "--average",
    "batch": "--batch",
    "beginning": "--beginning",
    "blocks": "--blocks",
    "cache": "--cache",
    "count": "--count",
    "course": "--course",
    "data": "--data",
    "detail": "--detail",
    "device": "--device",
    "diffused_dropout": "--diffused-dropout",
    "dropout": "--dropout",
    "eigenpairs": "--eigenpairs",
    "epochs": "--epochs",
    "features": "--features",
    "folds": "--folds",
    "fixed_time": "--fixed-time",
    "gradients": "--gradients",
    "graphs": "--graphs",
    "half": "--half",
    "html": "--html",
    "jobs": "--jobs",
    "k": "--eigenpairs",
    "kind": "--kind",
    "labels": "--labels",
    "learning_rate": "--learning-rate",
    "manifest": "--manifest",
    "max_vertices": "--max-vertices",
    "memory": "--memory",
    "method": "--method",
    "model": "--model",
    "network": "--network",
    "networks": "--networks",
    "operator": "--operator",
    "optimiser": "--optimiser",
    "output": "--output",
    "patience": "--patience",
    "precision": "--precision",
    "refine": "--refine",
    "relatives": "--relatives",
    "report": "--json",
    "residual": "--residual",
    "resume": "--resume",
    "runs": "--runs",
    "sample": "--sample",
    "screenshot": "--screenshot",
    "scheduler": "--scheduler",
    "second_reader": "--second-reader",
    "seed": "--seed",
    "seeds": "--seeds",
    "setting": "--setting",
    "shape": "--shape",
    "component": "--component",
    "shard": "--shard",
    "shards": "--shards",
    "sides": "--sides",
    "size": "--size",
    "split": "--split",
    "splits": "--splits",
    "start": "--start",
    "stream": "--stream",
    "strength": "--strength",
    "test_source": "--test",
    "unnamed": "--unnamed",
    "up": "--up",
    "validate": "--validate",
    "vocabulary": "--parts",
    "weight_decay": "--weight-decay",
    "width": "--width",
}
_ARGUMENT = re.compile(r"`(\w+)(=[^`]*)?`")


def in_options(sentence: str) -> str:
    """A sentence of the library with every argument that it names as the option of that meaning.

    >>> in_options("sources differ; choose a `vocabulary`, or set `operator=surface`")
    'sources differ; choose a --parts, or set --operator surface'
    >>> in_options("`validate=False` learns from all")
    '--no-validate learns from all'
    """
    return _ARGUMENT.sub(_option, sentence)


def _option(found: re.Match[str]) -> str:
    name, value = found.group(1), found.group(2)
    if name not in _OPTIONS:
        return found.group(0)
    if value in ("=True", "=False"):
        return _OPTIONS[name].replace("--", "--" if value == "=True" else "--no-")
    return _OPTIONS[name] + (f" {value[1:]}" if value else "")
