"""The pages of docs/ know every command and every public name."""

from __future__ import annotations

import importlib.util
import re
from pathlib import Path

import pytest
import typer

import meshtide
from meshtide.cli import app

ROOT = Path(__file__).parents[1]
DOCS = ROOT / "docs"
COMMANDS = sorted(typer.main.get_command(app).commands)  # type: ignore[attr-defined]  # a group has it


@pytest.mark.parametrize("command", COMMANDS)
def test_every_command_has_a_page_with_its_options(command: str) -> None:
    text = (DOCS / "commands" / f"{command}.md").read_text(encoding="utf-8")
    assert f"<!-- options of {command} -->" in text
    assert f"]({command}.md)" in (DOCS / "commands" / "index.md").read_text(encoding="utf-8")
    spec = importlib.util.spec_from_file_location("command_options", DOCS / "command_options.py")
    assert spec is not None
    assert spec.loader is not None
    hook = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(hook)
    table = hook.on_page_markdown(text)
    assert "<!--" not in table
    assert "| option | meaning |" in table


def test_every_public_name_is_explained() -> None:
    shown = set(re.findall(r"^::: meshtide\.(\w+)$", (DOCS / "python.md").read_text(encoding="utf-8"), re.MULTILINE))
    assert shown == set(meshtide.__all__) - {"__version__"}


def test_every_page_is_in_the_navigation() -> None:
    listed = set(re.findall(r"[\w/-]+\.md", (ROOT / "mkdocs.yml").read_text(encoding="utf-8")))
    assert {str(page.relative_to(DOCS)) for page in DOCS.rglob("*.md")} == listed
