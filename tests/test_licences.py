"""Everything that meshtide installs may be used and passed on by whoever may use an MIT package."""

from __future__ import annotations

import re
import tomllib
from importlib.metadata import Distribution, PackageMetadata, PackageNotFoundError, distribution
from pathlib import Path

import pytest
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

PROJECT = tomllib.loads((Path(__file__).parents[1] / "pyproject.toml").read_text(encoding="utf-8"))["project"]
EXTRAS: dict[str, list[str]] = PROJECT["optional-dependencies"]

# SPDX names, and what classifiers and free texts call the same licences, without brackets. MPL binds the files that it
# covers, not those who use them.
PERMISSIVE = {
    "0BSD", "APACHE-2.0", "APACHE-2.0 WITH LLVM-EXCEPTION", "BSD-2-CLAUSE", "BSD-3-CLAUSE", "BSL-1.0", "CC0-1.0",
    "HPND", "ISC", "MIT", "MIT-0", "MIT-CMU", "MPL-2.0", "PSF-2.0", "PYTHON-2.0", "UNLICENSE", "ZLIB",
    "APACHE 2.0", "APACHE SOFTWARE LICENSE", "BSD", "BSD LICENSE", "BSD 2-CLAUSE LICENSE", "3-CLAUSE BSD LICENSE",
    "ISC LICENSE ISCL", "ISC LICENSE", "MIT LICENSE", "MOZILLA PUBLIC LICENSE 2.0 MPL 2.0",
    "PYTHON SOFTWARE FOUNDATION LICENSE", "THE UNLICENSE UNLICENSE",
    "HISTORICAL PERMISSION NOTICE AND DISCLAIMER HPND",
}  # fmt: skip

# Not open source, free to use and to pass on; nobody gets them who did not ask for what needs them.
_MKL = "Intel's MKL and what it loads, for the extra 'fast' alone"
_CUDA = "NVIDIA's libraries, which torch brings along where it is built for their cards"
EXCEPTIONS = {
    **dict.fromkeys(("mkl", "intel-openmp", "intel-cmplr-lib-ur", "tbb", "tcmlib"), _MKL),
    "embreex": "names none, but its text is that of BSD-2-Clause; the Embree that it carries is Apache-2.0",
    "umf": "classified as proprietary beside its text, which is Apache-2.0 with LLVM exceptions",
}
EXCEPTED_PREFIXES = {"nvidia-": _CUDA, "cuda-": _CUDA}


def installed(requirements: list[str]) -> dict[str, Distribution]:
    """What these requirements lead to, as far as it is installed."""
    found: dict[tuple[str, str], Distribution] = {}
    left = [(Requirement(text), "") for text in requirements]
    while left:
        wanted, extra = left.pop()
        name = canonicalize_name(wanted.name)
        if name == "meshtide":
            left += [(Requirement(text), "") for each in wanted.extras for text in EXTRAS[each]]
            continue
        if wanted.marker and not wanted.marker.evaluate({"extra": extra}):
            continue
        for each in ("", *wanted.extras):
            if (name, each) in found:
                continue
            try:
                found[name, each] = distribution(name)
            except PackageNotFoundError:
                continue
            left += [(Requirement(text), each) for text in found[name, each].requires or ()]
    return {name: each for (name, _), each in found.items()}


def licences(metadata: PackageMetadata) -> list[str]:
    """The licences that a package names, all of which must do: its expression, else its classifiers, else its text."""
    expression = metadata.get("License-Expression")
    classifiers = [text for text in metadata.get_all("Classifier") or [] if text.startswith("License :: ")]
    if not expression and classifiers:
        named = [text.rpartition(" :: ")[2] for text in classifiers]
        return [name for name in named if name != "OSI Approved"] or ["OSI Approved"]
    text = expression or (metadata.get("License") or "").strip().partition("\n")[0]
    return [each.strip() for each in re.split(r"\bAND\b", text)]


def is_permissive(licence: str) -> bool:
    """Whether one of the alternatives is in the list."""
    return any(choice.strip() in PERMISSIVE for choice in re.split(r"\bOR\b", re.sub("[()]", "", licence.upper())))


def complaints(packages: dict[str, Distribution]) -> list[str]:
    found = []
    for name, package in sorted(packages.items()):
        if name not in EXCEPTIONS and not name.startswith(tuple(EXCEPTED_PREFIXES)):
            bad = [each or "names no licence" for each in licences(package.metadata) if not is_permissive(each)]
            found += [f"{name}: {each}" for each in bad]
    return found


@pytest.mark.parametrize("extra", ["", *EXTRAS])
def test_every_dependency_has_a_permissive_licence(extra: str) -> None:
    direct = EXTRAS[extra] if extra else PROJECT["dependencies"]
    packages = installed(direct)
    if extra and not packages:
        pytest.skip(f"nothing of the extra '{extra}' is installed")
    assert not complaints(packages)
    if not extra:
        assert {"numpy", "torch", "trimesh", "networkx"} <= set(packages)  # networkx comes with torch
        assert not {name for name in packages if EXCEPTIONS.get(name) == _MKL}


class Pretended(Distribution):
    """A package with nothing but metadata."""

    def __init__(self, text: str) -> None:
        self.text = text

    def read_text(self, filename: str) -> str | None:
        return self.text if filename == "METADATA" else None

    def locate_file(self, path: object) -> Path:
        return Path(str(path))


@pytest.mark.parametrize(
    ("text", "named"),
    [
        ("License-Expression: GPL-3.0-or-later", "GPL-3.0-or-later"),
        ("License-Expression: MIT AND GPL-2.0-only", "GPL-2.0-only"),
        ("License-Expression: MIT OR GPL-2.0-only", None),
        ("License-Expression: (Apache-2.0 WITH LLVM-exception) AND (MIT)", None),
        ("Classifier: License :: OSI Approved :: GNU General Public License v3 or later (GPLv3+)", "GNU General"),
        ("Classifier: License :: OSI Approved :: BSD License\nLicense: BSD with much text", None),
        ("License: GPL v3", "GPL v3"),
        ("License: MIT", None),
        ("Summary: says nothing", "names no licence"),
    ],
)
def test_a_licence_that_binds_others_is_told(text: str, named: str | None) -> None:
    found = complaints({"thing": Pretended(f"Metadata-Version: 2.4\nName: thing\nVersion: 1\n{text}\n")})
    assert len(found) == (named is not None)
    assert all(each.startswith(f"thing: {named}") for each in found)
