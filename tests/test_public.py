"""The public names: what they are, that they stay, that each shows how it is used."""

from __future__ import annotations

import doctest
import html
import inspect
import subprocess
import sys
from dataclasses import replace

import numpy as np
import pytest
from segmented_files import guess
from shapes import figure

import meshtide
from meshtide.output.page import page_bytes


def test_dir_shows_public_names_only() -> None:
    assert dir(meshtide) == sorted(meshtide.__all__)
    assert not [name for name in dir(meshtide) if name.startswith("_") and name != "__version__"]
    for name in ("segment", "view", "load_mesh", "save_mesh", "diagnose", "repair", "open_collection", "mesh_graph"):
        assert name in dir(meshtide)
    for name in ("eigenbasis", "hks", "wks", "Mesh", "Labels", "Segmentation", "Instance", "Model", "load_model"):
        assert name in dir(meshtide)
    with pytest.raises(AttributeError, match="its public names are"):
        _ = meshtide.nothing


@pytest.mark.parametrize("name", [name for name in meshtide.__all__ if name != "__version__"])
def test_a_public_name_is_no_module_and_shows_an_example(name: str) -> None:
    thing = getattr(meshtide, name)
    assert not inspect.ismodule(thing)
    assert thing.__name__ == name
    assert doctest.DocTestParser().get_examples(inspect.getdoc(thing) or ""), f"{name} has no example"


def test_a_function_is_not_replaced_by_a_module_of_its_name() -> None:
    """In a process of its own: what was imported before must not decide."""
    program = """
import inspect, pkgutil, importlib, meshtide
assert inspect.isfunction(meshtide.repair)
meshtide.diagnose(meshtide.Mesh([[0, 0, 0], [1, 0, 0], [0, 1, 0]], [[0, 1, 2]]))
import meshtide.mesh.repair, meshtide.inference.segment, meshtide.inference.segmentation, meshtide.viewer.view
for name in meshtide._HOMES:
    importlib.import_module("meshtide." + meshtide._HOMES[name])
    assert not inspect.ismodule(getattr(meshtide, name)), name
assert all(inspect.isfunction(getattr(meshtide, name)) for name in ("repair", "segment", "view"))
below = {module.name for module in pkgutil.iter_modules(meshtide.__path__)}
assert not below & set(meshtide.__all__), below & set(meshtide.__all__)
"""
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr


def test_what_travels_is_shown_in_one_line_of_facts() -> None:
    mesh = figure(1)[0]
    answer = guess(mesh)
    basis = meshtide.eigenbasis(mesh, k=4)
    for thing, facts in (
        (mesh, ("figure-1", "610 vertices", "1,216 faces")),
        (answer.labels, ("610 vertices", "upper arm ", "unlabelled ")),
        (answer, ("figure-1", "animal", "610 vertices", "1,216 faces", "head", "%", "confidence")),
        (basis, ("surface", "4 eigenpairs", "610 vertices", "1 component")),
        (meshtide.laplacian(mesh, "graph"), ("graph", "610 vertices")),
    ):
        shown = repr(thing)
        assert "\n" not in shown
        assert len(shown) < 300
        assert "array(" not in shown
        assert shown.startswith(type(thing).__name__ + "(")
        assert all(fact in shown for fact in facts), shown


def test_a_hundred_parts_are_still_one_line() -> None:
    names = tuple(f"a part with a longer name {number}" for number in range(100))
    answer = guess(figure(2)[0], names)
    for thing in (answer, answer.labels):
        assert "…" in repr(thing)
        assert len(repr(thing)) < 900


def test_a_notebook_shows_the_page() -> None:
    answer = guess(figure(0)[0])
    shown = answer._repr_html_()
    assert shown.startswith('<iframe srcdoc="')
    assert html.unescape(shown.split('"')[1]) == page_bytes(answer).decode()


def test_a_segmentation_that_does_not_fit_is_refused() -> None:
    answer = guess(figure(0)[0])
    with pytest.raises(meshtide.InputError, match="were they made for another mesh"):
        replace(answer, mesh=figure(1)[0])
    with pytest.raises(meshtide.InputError, match="a row for each vertex and a column for each part"):
        replace(answer, mesh_probabilities=answer.mesh_probabilities[:, :2])
    with pytest.raises(meshtide.InputError, match="wanted labels on vertices"):
        replace(answer, mesh_labels=answer.mesh_face_labels)


def test_shares_add_up() -> None:
    answer = guess(figure(1)[0])
    unlabelled = answer.mesh.face_areas[answer.mesh_face_labels.values < 0].sum() / answer.mesh.area
    assert sum(answer.shares.values()) + unlabelled == pytest.approx(1)
    assert np.isclose(sum(instance.share for instance in answer.instances), sum(answer.shares.values()))
