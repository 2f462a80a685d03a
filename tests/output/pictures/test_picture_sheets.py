"""Sheets of pictures, files of them, and pictures of segmentations hold what they should."""

from __future__ import annotations

import stat
from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray
from PIL import Image as Pillow
from shapes import FIGURE_PARTS, figure

from meshtide.errors import InputError
from meshtide.inference.segmentation import Segmentation
from meshtide.labels.colours import UNLABELLED, part_colours
from meshtide.labels.labels import Labels
from meshtide.labels.shades import instance_colours
from meshtide.output.pictures import (
    confidence_colours,
    paint,
    render,
    save_picture,
    segmentation_picture,
    segmentation_sheet,
    segments,
    sheet,
)
from meshtide.output.pictures.shading import to_linear


def blocks(count: int, side: int = 60) -> list[NDArray[np.uint8]]:
    """Pictures of one colour each."""
    return [np.full((side, side, 3), 20 * number, dtype=np.uint8) for number in range(1, count + 1)]


def test_a_sheet_holds_its_pictures_row_by_row() -> None:
    image = sheet(blocks(5), ["one", "two", "three", "four", ""], 2)
    assert image.shape[1] == 120
    row = 60 + (image.shape[0] - 180) // 3
    for number, picture in enumerate(blocks(5)):
        top, left = number // 2 * row, number % 2 * 60
        assert np.array_equal(image[top : top + 60, left : left + 60], picture)
    caption = image[60:row, :60]
    assert caption.min() < 100  # letters
    assert (image[2 * row + 60 :] == image[-1, -1]).all()  # an empty caption leaves its place free


def test_smaller_pictures_stand_in_the_middle_of_their_place() -> None:
    image = sheet([*blocks(1, 60), *blocks(1, 20)])
    assert np.array_equal(image[20:40, 80:100], blocks(1, 20)[0])
    assert image.shape == (60, 120, 3)


def test_a_legend_shows_every_colour_in_rows_that_fit() -> None:
    names = [f"a part with number {number}" for number in range(20)]
    colours = part_colours(names)
    image = sheet(blocks(2, 200), ["", ""], 2, title="Parts", legend=list(zip(names, colours, strict=True)))
    present = {tuple(colour) for colour in image.reshape(-1, 3).tolist()}
    assert present >= {tuple(paint.rgb(colour).astype(int).tolist()) for colour in colours}
    edges = np.concatenate([image[240:, :3], image[240:, -3:]], axis=1)
    assert (edges == image[-1, -1]).all()  # nothing runs out of the sheet


def test_long_captions_are_cut_at_their_own_place() -> None:
    image = sheet(blocks(2, 100), ["a very long caption that cannot fit under a small picture", ""], 2)
    assert (image[100:, 100:] == image[-1, -1]).all()
    assert image[100:, :100].min() < 100


@pytest.mark.parametrize(("count", "captions", "columns"), [(0, [], 1), (2, ["one"], 2), (1, ["one"], 0)])
def test_a_sheet_that_cannot_be_is_told(count: int, captions: list[str], columns: int) -> None:
    with pytest.raises(InputError, match="a caption for each picture"):
        sheet(blocks(count), captions, columns)


def test_a_file_holds_the_picture_and_replaces_another_whole(tmp_path: Path) -> None:
    path = tmp_path / "picture.PNG"
    path.write_bytes(b"old")
    flat = sheet(blocks(4), None, 2)
    save_picture(flat, path)
    assert path.read_bytes().startswith(b"\x89PNG\r\n\x1a\n")
    assert np.array_equal(np.asarray(Pillow.open(path).convert("RGB")), flat)
    assert [file.name for file in tmp_path.iterdir()] == ["picture.PNG"]


def test_a_palette_makes_files_small_and_keeps_what_is_seen(tmp_path: Path) -> None:
    mesh, parts = figure(2)
    palette = part_colours(FIGURE_PARTS)
    image = render(mesh, np.array(palette)[parts], size=(300, 300))
    image = sheet([image], ["figure"], 1, legend=list(zip(FIGURE_PARTS, palette, strict=True)))
    save_picture(image, tmp_path / "small.png")
    Pillow.fromarray(image).save(tmp_path / "full.png", optimize=True)
    assert (tmp_path / "small.png").stat().st_size < 0.7 * (tmp_path / "full.png").stat().st_size
    read = np.asarray(Pillow.open(tmp_path / "small.png").convert("RGB"))
    change = np.abs(read.astype(int) - image).max(axis=2)
    assert change[(image != image[0, 0]).any(axis=2)].mean() < 3.5
    present = {tuple(colour) for colour in read.reshape(-1, 3).tolist()}
    assert present >= {tuple(paint.rgb(colour).astype(int).tolist()) for colour in palette}


def test_a_picture_that_a_palette_would_spoil_is_kept_as_it_is(tmp_path: Path) -> None:
    noise = np.random.default_rng(0).integers(0, 256, (60, 60, 3), dtype=np.uint8)
    save_picture(noise, tmp_path / "noise.png")
    assert np.array_equal(np.asarray(Pillow.open(tmp_path / "noise.png")), noise)


def test_files_that_cannot_be_written_are_told_and_left_alone(tmp_path: Path) -> None:
    image = blocks(1)[0]
    with pytest.raises(InputError, match=r"picture\.jpg: pictures are PNG files; end the name with \.png"):
        save_picture(image, tmp_path / "picture.jpg")
    with pytest.raises(InputError, match="does not exist; create it first"):
        save_picture(image, tmp_path / "nowhere" / "picture.png")
    (tmp_path / "folder.png").mkdir()
    with pytest.raises(InputError, match="is a folder"):
        save_picture(image, tmp_path / "folder.png")
    with pytest.raises(InputError, match=r"wanted uint8 \(height, width, 3\)"):
        save_picture(image.astype(float), tmp_path / "picture.png")
    assert [file.name for file in tmp_path.iterdir()] == ["folder.png"]
    save_picture(image, tmp_path / "picture.png")
    assert stat.S_IMODE((tmp_path / "picture.png").stat().st_mode) & 0o400


def segmented(sure: float = 1.0) -> Segmentation:
    """A figure in its parts, its legs without one."""
    mesh, parts = figure(1)
    labels = Labels(parts, "faces", FIGURE_PARTS).to_vertices(mesh)
    probabilities = np.full((len(labels), 4), (1 - sure) / 3, dtype=np.float32)
    probabilities[np.arange(len(labels)), labels.values] = sure
    values = np.where(labels.values == 3, -1, labels.values)
    return Segmentation(mesh, Labels(values, "vertices", FIGURE_PARTS), probabilities, part_colours(FIGURE_PARTS))


def test_a_segmentation_is_drawn_in_its_parts_and_named() -> None:
    picture = segmented()
    image = segmentation_picture(picture, size=(150, 150), view="front")
    assert image.shape[:2] > (150, 150)
    present = {tuple(colour) for colour in image.reshape(-1, 3).tolist()}
    codes = [*part_colours(FIGURE_PARTS)[:3], UNLABELLED, part_colours(FIGURE_PARTS)[3]]
    in_legend = [tuple(paint.rgb(code).astype(int).tolist()) in present for code in codes]
    assert in_legend == [True, True, True, True, False]  # what does not occur is not named
    plain = segmentation_picture(picture, size=(150, 150), view="front", legend=False)
    assert plain.shape == (150, 150, 3)
    assert np.array_equal(plain, image[:150])
    palette = np.array([*picture.colours, UNLABELLED])
    drawn = picture.outlined
    colours = palette[np.array([*(each.part_index for each in picture.instances), -1])[drawn.face_instances]]
    wanted = render(drawn.mesh, colours, on="faces", size=(150, 150), view="front", cut=drawn.cut)
    assert np.array_equal(plain, wanted)


def codes_in(image: NDArray[np.uint8]) -> set[str]:
    return {"#" + bytes(colour).hex() for colour in np.unique(image.reshape(-1, 3), axis=0).tolist()}


def test_instances_have_shades_where_asked_and_parts_their_colours_otherwise() -> None:
    answer = segmented()
    plain, shaded = (
        segmentation_picture(answer, size=(150, 150), view="front", instances=instances) for instances in (False, True)
    )
    shades = instance_colours(answer.colours, [each.part_index for each in answer.instances])
    assert {each.name for each in answer.instances} >= {"arm 1", "arm 2"}
    assert codes_in(shaded) >= set(shades)  # in the legend, where no light falls on them
    assert codes_in(plain) & set(shades) == set(answer.colours[:3])
    outlined = answer.outlined
    colours = np.array([*shades, UNLABELLED])[outlined.face_instances]
    drawn = render(outlined.mesh, colours, on="faces", size=(150, 150), view="front", cut=outlined.cut)
    assert np.array_equal(shaded[:150], drawn)
    several = segmentation_sheet([answer, answer], ["one", "two"], size=(150, 150), view="front", instances=True)
    assert np.array_equal(several[:150, 150:300], drawn)


def test_a_legend_of_many_parts_names_the_largest_and_counts_the_others(monkeypatch: pytest.MonkeyPatch) -> None:
    mesh, _ = figure(2)
    regions = np.minimum(np.arange(len(mesh.faces)) % 60, 55)  # 56 regions, the last of five times the size
    answer = Segmentation.of_regions(mesh, regions)
    told = list[list[tuple[str, str]]]()
    monkeypatch.setattr(segments, "sheet", lambda *given, legend, **more: told.append(legend))
    segmentation_picture(answer, size=(60, 60))
    segmentation_sheet([answer, segmented()], ["a", "b"], size=(60, 60))
    names = [[name for name, _ in legend] for legend in told]
    assert names[0] == [*(f"part {number}" for number in range(1, 40)), "… and 17 more"]
    assert len(names[1]) == 40
    assert names[1][-1] == "… and 21 more"
    assert {"torso", "unlabelled", "part 1"} <= {*names[1]}  # large ones, wherever they stand
    assert told[0][-1][1] == "#" + bytes(render(mesh, "#123456", size=(40, 40))[0, 0].tolist()).hex()


def test_confidence_stands_beside_and_the_unsure_is_darker() -> None:
    sure, unsure = (
        segmentation_picture(segmented(value), size=(100, 100), confidence=True, legend=False) for value in (0.95, 0.4)
    )
    assert sure.shape[1] == 200
    assert np.array_equal(sure[:100, :100], unsure[:100, :100])
    body = (sure[:100, 100:] != sure[0, 0]).any(axis=2)
    assert sure[:100, 100:][body].mean() > unsure[:100, 100:][body].mean() + 10


def test_equal_steps_of_confidence_look_equally_large() -> None:
    light = to_linear(confidence_colours(np.linspace(0, 1, 11))) @ [0.2126, 0.7152, 0.0722]
    steps = np.diff(116 * np.cbrt(light) - 16)  # CIE lightness
    assert (steps > 0).all()
    assert steps.max() < 1.5 * steps.min()
