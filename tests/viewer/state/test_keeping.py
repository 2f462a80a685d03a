"""What was painted is not lost: not to another mesh's file, not to an earlier one, not to a window that ends."""

from __future__ import annotations

import shutil
from pathlib import Path

import numpy as np
import pytest
from shapes import figure

from meshtide.data.collection import open_collection
from meshtide.errors import InputError
from meshtide.labels.files import read_labels
from meshtide.mesh.files import load_mesh, save_mesh
from meshtide.viewer.state import keeping as module
from meshtide.viewer.state.keeping import Keeping
from meshtide.viewer.state.scene import Scene


@pytest.fixture
def meshes(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Two meshes in a folder that is not the working one."""
    folder = tmp_path / "meshes"
    folder.mkdir()
    (tmp_path / "elsewhere").mkdir()
    monkeypatch.chdir(tmp_path / "elsewhere")
    monkeypatch.setattr(module.platformdirs, "user_data_path", lambda name: tmp_path / "own" / name)
    for name in "ab":
        save_mesh(figure(1)[0], folder / f"{name}.obj")
    return folder


def opened(folder: Path) -> tuple[Scene, Keeping]:
    scene = Scene([folder / "a.obj", folder / "b.obj"])
    return scene, Keeping(scene.entries, scene.paintings)


def paint(scene: Scene, vertex: int, part: str = "tip") -> None:
    if part not in scene.painting.names:
        scene.painting.add_part(part)
    scene.painting.brush(vertex, 0.5, part)


def test_each_mesh_is_saved_beside_itself_under_its_own_name_and_training_finds_it(meshes: Path) -> None:
    scene, keeping = opened(meshes)
    for index, vertex in ((0, 3), (1, 60)):
        scene.go(index)
        paint(scene, vertex)
        assert keeping.is_unsaved(index)
        keeping.save(index)
        assert not keeping.is_unsaved(index)
    collection = open_collection(meshes)
    for index, shape in enumerate(collection.shapes):
        assert shape.label_path == meshes / f"{shape.name}.txt"
        _, labels = collection.load(shape)
        assert labels is not None
        assert np.array_equal(labels.values, scene.paintings[index].values)
    assert not list(Path().iterdir())
    assert sorted(path.name for path in meshes.iterdir()) == ["a.obj", "a.txt", "b.obj", "b.txt"]


@pytest.mark.parametrize("name", ["b.txt", "b_labels.txt", "b.npz"])
def test_labels_of_another_mesh_are_never_replaced(meshes: Path, name: str) -> None:
    (meshes / name).write_text("another's")
    scene, keeping = opened(meshes)
    paint(scene, 3)
    keeping.name(0, name)
    for _ in range(3):
        with pytest.raises(InputError, match=r"holds the labels of b\.obj; type another name"):
            keeping.save(0)
    assert (meshes / name).read_text() == "another's"
    alone = Scene([meshes / "a.obj"])  # the other mesh need not be open
    kept = Keeping(alone.entries, alone.paintings)
    paint(alone, 3)
    kept.name(0, str(meshes / name))
    with pytest.raises(InputError, match=r"holds the labels of b\.obj"):
        kept.save(0)


def test_a_name_that_was_typed_for_one_mesh_is_not_taken_for_another(meshes: Path) -> None:
    scene, keeping = opened(meshes)
    paint(scene, 3)
    keeping.name(0, "first.json")
    assert keeping.save(0) == meshes / "first.json"
    scene.go(1)
    paint(scene, 60)
    assert keeping.path(1) == meshes / "b.txt"
    keeping.name(1, "first.json")
    with pytest.raises(InputError, match=r"holds the labels of a\.obj"):
        keeping.save(1)


def test_a_file_that_was_there_is_replaced_only_when_asked_twice(meshes: Path) -> None:
    (meshes / "a.seg").write_text("0\n" * len(figure(1)[0].faces))
    scene, keeping = opened(meshes)
    paint(scene, 3)
    assert keeping.path(0) == meshes / "a.seg"  # with a second file beside it, training would use neither
    with pytest.raises(InputError, match=r"a\.seg is there already; press 'save' again to replace it"):
        keeping.save(0)
    keeping.save(0)
    paint(scene, 9)
    keeping.save(0)  # its own by now
    faces = scene.painting.to_labels().to_faces(scene.mesh)
    assert np.array_equal(read_labels(meshes / "a.seg", load_mesh(meshes / "a.obj")).values, faces.values)


def test_what_is_not_saved_is_copied_and_offered_again(meshes: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    scene, keeping = opened(meshes)
    clock = [100.0]
    monkeypatch.setattr(module.time, "monotonic", lambda: clock[0])
    paint(scene, 3)
    keeping.keep_copy()
    copy = meshes / ".a.obj.unsaved.npz"
    first = copy.read_bytes()
    paint(scene, 60, "other")
    clock[0] += 1
    keeping.keep_copy()
    assert copy.read_bytes() == first  # so soon nothing is written again
    clock[0] += module.EVERY_SECONDS
    keeping.keep_copy()
    assert copy.read_bytes() != first
    # As if the window had been killed here.
    again, kept = opened(meshes)
    assert kept.found_copy(0) == copy
    assert kept.found_copy(1) is None
    kept.take_copy(0, again.painting)
    assert np.array_equal(again.painting.values, scene.painting.values)
    assert again.painting.names == scene.painting.names
    assert kept.is_unsaved(0)
    kept.save(0)
    assert not copy.exists()
    assert open_collection(meshes).shapes[0].label_path == meshes / "a.txt"


def test_closing_says_what_is_not_saved(meshes: Path) -> None:
    scene, keeping = opened(meshes)
    assert keeping.unsaved() == []
    paint(scene, 3)
    scene.go(1)
    paint(scene, 60)
    keeping.save(1)
    (said,) = keeping.unsaved()
    assert said.startswith("a.obj: what was painted is not saved; a copy is in ")
    assert (meshes / ".a.obj.unsaved.npz").is_file()


def test_a_copy_goes_to_the_users_own_folder_where_the_meshes_cannot_be_written(
    meshes: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    scene, keeping = opened(meshes)
    paint(scene, 3)
    true = module.Painting.save

    def save(painting: module.Painting, path: Path, *, on_faces: bool = False) -> None:
        if path.parent == meshes:
            raise InputError(f"{path}: cannot be written (Read-only file system)")
        true(painting, path, on_faces=on_faces)

    monkeypatch.setattr(module.Painting, "save", save)
    (said,) = keeping.unsaved()
    assert "own/meshtide/unsaved/.a.obj." in said
    assert Keeping(scene.entries, {}).found_copy(0) is not None
    namesake = meshes.parent / "others"
    shutil.copytree(meshes, namesake)
    assert opened(namesake)[1].found_copy(0) is None  # what was painted on one mesh is not offered for another


def test_names_that_differ_in_odd_letters_have_copies_of_their_own(meshes: Path) -> None:
    for name in ("a*.obj", "a?.obj"):
        save_mesh(figure(1)[0], meshes / name)
    scene = Scene([meshes / "a*.obj", meshes / "a?.obj"])
    keeping = Keeping(scene.entries, scene.paintings)
    paint(scene, 3)
    keeping.keep_copy(at_once=True)
    assert keeping.found_copy(1) is None
    assert Keeping(scene.entries, {}).found_copy(0) is not None


def test_nothing_is_written_where_nothing_is_painted(meshes: Path) -> None:
    _, keeping = opened(meshes)
    with pytest.raises(InputError, match="nothing is painted"):
        keeping.save(0)
    assert sorted(path.name for path in meshes.iterdir()) == ["a.obj", "b.obj"]
