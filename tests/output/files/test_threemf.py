"""3MF files, read back by the library of the 3MF consortium; capped pieces as files."""

from __future__ import annotations

import builtins
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from segmented_files import guess
from shapes import figure

import meshtide as mt
from meshtide.errors import InputError
from meshtide.inference.segmentation import Segmentation


@pytest.fixture(scope="module")
def answer() -> Segmentation:
    mesh, faces_part = figure(2)
    regions = faces_part if len(faces_part) == len(mesh.faces) else faces_part[mesh.faces[:, 0]]
    return mt.Segmentation.of_regions(mesh, regions)


def test_every_instance_is_a_closed_named_coloured_object(answer: Segmentation, tmp_path: Path) -> None:
    lib3mf = pytest.importorskip("lib3mf", reason="lib3mf reads and writes 3MF files")
    path = tmp_path / "parts.3mf"
    answer.save(path)
    wrapper = lib3mf.get_wrapper()
    model = wrapper.CreateModel()
    model.QueryReader("3mf").ReadFromFile(str(path))
    objects, names = model.GetMeshObjects(), []
    group = model.GetBaseMaterialGroups()
    assert group.MoveNext()
    materials = group.GetCurrentBaseMaterialGroup()
    while objects.MoveNext():
        each = objects.GetCurrentMeshObject()
        names.append(each.GetName())
        assert each.IsManifoldAndOriented()
        colour = materials.GetDisplayColor(each.GetObjectLevelProperty()[1])
        instance = answer.instances[len(names) - 1]
        shown = f"#{colour.Red:02x}{colour.Green:02x}{colour.Blue:02x}"
        assert shown == answer.colours[instance.part_index]
        assert materials.GetName(each.GetObjectLevelProperty()[1]) == instance.part
    assert names == [instance.name for instance in answer.instances]
    assert model.GetUnit() == lib3mf.ModelUnit.MilliMeter


def test_capped_pieces_are_watertight_and_uncapped_ones_are_not(answer: Segmentation, tmp_path: Path) -> None:
    capped = mt.split_parts(answer, tmp_path / "closed", cap=True)
    opened = mt.split_parts(answer, tmp_path / "open")
    assert [path.name for path in capped] == [path.name for path in opened]
    import trimesh

    closed = [trimesh.load(path, process=False) for path in capped]
    assert all(piece.is_watertight for piece in closed)
    assert not any(trimesh.load(path, process=False).is_watertight for path in opened)
    whole = trimesh.Trimesh(answer.mesh.vertices, answer.mesh.faces, process=False)
    assert sum(piece.volume for piece in closed) == pytest.approx(whole.volume, rel=1e-3)


def test_without_the_library_a_sentence_says_what_to_install(
    answer: Segmentation, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    usual = builtins.__import__

    def without(name: str, *rest: Any, **more: Any) -> Any:
        if name == "lib3mf":
            raise ImportError(name)
        return usual(name, *rest, **more)

    monkeypatch.setattr(builtins, "__import__", without)
    with pytest.raises(InputError, match="3MF files need lib3mf; pip install"):
        answer.save(tmp_path / "parts.3mf")
    assert not list(tmp_path.iterdir())


def test_coordinates_beyond_32_bits_are_refused(answer: Segmentation, tmp_path: Path) -> None:
    pytest.importorskip("lib3mf", reason="lib3mf reads and writes 3MF files")
    far = mt.Mesh(answer.mesh.vertices * 1e39, answer.mesh.faces)
    with np.errstate(over="ignore"), pytest.raises(InputError, match="too large for the 32-bit numbers"):
        guess(far).save(tmp_path / "far.3mf")
