"""Models on the hub: from its own cache without a network, and put there with a card."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import pytest
from command_line import run

import meshtide as mt
from meshtide.errors import InputError
from meshtide.inference.hub import model_card

pytest.importorskip("huggingface_hub", reason="huggingface-hub is not installed")
NAME = "someone/parts"


@pytest.fixture
def cached(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A cache as the hub leaves it behind after a download, and no network."""
    place = tmp_path / "hub"
    repository = place / "models--someone--parts"
    snapshot = repository / "snapshots" / ("a" * 40)
    snapshot.mkdir(parents=True)
    (repository / "refs").mkdir()
    (repository / "refs" / "main").write_text("a" * 40)
    mt.load_model("default").save(snapshot / "model.safetensors")
    from huggingface_hub import constants

    monkeypatch.setattr(constants, "HF_HUB_CACHE", str(place))
    monkeypatch.setattr(constants, "HF_HUB_OFFLINE", True)
    monkeypatch.setenv("HF_HUB_CACHE", str(place))
    monkeypatch.setenv("HF_HUB_OFFLINE", "1")
    return snapshot / "model.safetensors"


def test_a_model_comes_from_the_hubs_cache(cached: Path) -> None:
    model = mt.load_model(f"hf:{NAME}")
    assert model.about == mt.load_model(cached).about


def test_the_command_line_takes_it_too(cached: Path, tmp_path: Path) -> None:
    mt.save_mesh(mt.make_figure("ant", 4, "held-out", defects=False)[0], tmp_path / "ant.ply")
    done = run("segment", "ant.ply", "--model", f"hf:{NAME}", "-o", "parts.npz", cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    assert (tmp_path / "parts.npz").is_file()


@pytest.mark.parametrize(
    ("path", "said"),
    [
        ("hf:someone/else", "cannot be had from the hub"),
        ("hf:nobody", "wanted hf:OWNER/NAME"),
        ("hf:../../etc/passwd", "wanted hf:OWNER/NAME"),
    ],
)
def test_what_is_not_there_is_a_sentence(cached: Path, path: str, said: str) -> None:
    with pytest.raises(InputError, match=said) as told:
        mt.load_model(path)
    assert "\n" not in str(told.value)


def test_a_strangers_file_is_checked_like_any_other(cached: Path) -> None:
    cached.write_bytes(b"\x80\x04 a pickle")
    with pytest.raises(InputError, match="pickled"):
        mt.load_model(f"hf:{NAME}")


def test_saving_puts_model_and_card_there(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    seen: dict[str, Any] = {}

    def upload(repo_id: str, folder_path: str, revision: str | None) -> None:
        seen.update({path.name: path.read_bytes() for path in Path(folder_path).iterdir()}, name=repo_id)

    monkeypatch.setattr("huggingface_hub.create_repo", lambda name, exist_ok: seen.update(made=name))
    monkeypatch.setattr("huggingface_hub.upload_folder", upload)
    model = mt.load_model("default")
    model.save(f"hf:{NAME}")
    assert seen["made"] == seen["name"] == NAME
    (tmp_path / "again.safetensors").write_bytes(seen["model.safetensors"])
    assert mt.load_model(tmp_path / "again.safetensors").about == model.about
    assert seen["README.md"].decode() == model_card(model.about, NAME)
    monkeypatch.setattr("huggingface_hub.upload_folder", lambda **_: (_ for _ in ()).throw(OSError("403 Forbidden")))
    with pytest.raises(InputError, match="are you logged in"):
        model.save(f"hf:{NAME}")


def test_a_card_says_what_a_reader_needs() -> None:
    card = model_card(mt.load_model("default").about, NAME)
    assert card.startswith("---\nlibrary_name: meshtide\n")
    assert "- hand: palm, finger" in card
    assert f"meshtide segment mesh.obj --model hf:{NAME} -o parts.glb" in card
    assert "| vertex accuracy | " in card


def test_without_the_package_a_sentence_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "huggingface_hub", None)
    with pytest.raises(InputError, match="huggingface-hub"):
        mt.load_model(f"hf:{NAME}")
