"""The HTML file around the contents: texts that cannot become code, and a policy that allows only the page's own.

Titles and names come from strangers' files. They travel as JSON in blocks that browsers do not run, without a single
"<" that could end such a block, and the script shows them as text only. Should that ever fail, the policy still keeps
the browser from running or fetching anything: it names the page's own script and style by their hashes.
"""

from __future__ import annotations

import base64
import hashlib
import html
import json
from collections.abc import Sequence
from importlib import resources
from typing import Any

import numpy as np

from meshtide.output.pictures.segments import confidence_colours

SCRIPTS = ("shape.js", "camera.js", "scene.js", "legend.js", "page.js")  # in the order in which they need each other


def document(contents: Sequence[dict[str, Any]]) -> bytes:
    """The whole file for one or several shapes (see content)."""
    style, script = _resource("page.css"), _script()
    title = contents[0]["title"] + (f" and {len(contents) - 1:,} more" if len(contents) > 1 else "")
    slots = {
        "POLICY": _policy(style, script),
        "TITLE": html.escape(title),
        "STYLE": style,
        "DATA": "\n".join(_block("shape", each) for each in contents) + "\n" + _block("scale", _scale()),
        "SCRIPT": script,
    }
    # Split once, before anything is filled in: a title that looks like a slot stays a title.
    first, *rest = _resource("page.html").split("{{")
    pieces = [first]
    for piece in rest:
        slot, after = piece.split("}}", 1)
        pieces += [slots[slot], after]
    # Half a surrogate pair, from the name of a file that is not UTF-8, has no bytes of its own.
    return "".join(pieces).encode("utf-8", "replace")


def _script() -> str:
    """All scripts as one, whose names no other script can see."""
    return '"use strict";\n(() => {\n' + "\n".join(map(_resource, SCRIPTS)) + "})();\n"


def _resource(name: str) -> str:
    return (resources.files("meshtide.output.page") / name).read_text(encoding="utf-8").replace("\r\n", "\n")


def _policy(style: str, script: str) -> str:
    return (
        f"default-src 'none'; script-src '{_hash(script)}'; style-src '{_hash(style)}'; "
        "base-uri 'none'; form-action 'none'"
    )


def _hash(text: str) -> str:
    return "sha256-" + base64.b64encode(hashlib.sha256(text.encode()).digest()).decode("ascii")


def _block(kind: str, value: Any) -> str:
    """Data that the browser reads and never runs."""
    text = json.dumps(value, allow_nan=False, separators=(",", ":"))
    for letter in "<>&":
        text = text.replace(letter, f"\\u{ord(letter):04x}")
    return f'<script type="application/json" class="{kind}">{text}</script>'


def _scale() -> str:
    """The colours of 256 steps of confidence: red, green and blue bytes in base64."""
    colours = np.rint(255 * confidence_colours(np.arange(256) / 255)).astype(np.uint8)
    return base64.b64encode(colours.tobytes()).decode("ascii")
