"""Files are replaced whole or not at all, and what is no file stays what it is."""

from __future__ import annotations

import os
import stat
import subprocess
import sys
import threading
from pathlib import Path

import pytest

from meshtide.errors import InputError
from meshtide.files import make_folder, write_atomically


def test_a_link_stays_and_the_file_that_it_leads_to_is_replaced(tmp_path: Path) -> None:
    (tmp_path / "there").mkdir()
    target, link = tmp_path / "there" / "target.txt", tmp_path / "link.txt"
    target.write_text("old")
    target.chmod(0o640)
    link.symlink_to("there/target.txt")
    write_atomically(link, b"new")
    assert link.is_symlink()
    assert target.read_text() == "new"
    assert stat.S_IMODE(target.stat().st_mode) == 0o640


def test_a_link_to_nothing_makes_the_file_that_it_names(tmp_path: Path) -> None:
    link = tmp_path / "link.txt"
    link.symlink_to(tmp_path / "made.txt")
    write_atomically(link, b"new")
    assert link.is_symlink()
    assert (tmp_path / "made.txt").read_bytes() == b"new"


def test_a_pipe_is_written_to(tmp_path: Path) -> None:
    pipe, data = tmp_path / "pipe", os.urandom(300_000)  # more than a pipe holds at once
    os.mkfifo(pipe)
    found: list[bytes] = []
    reader = threading.Thread(target=lambda: found.append(pipe.read_bytes()))
    reader.start()
    write_atomically(pipe, data)
    reader.join()
    assert found == [data]
    assert stat.S_ISFIFO(pipe.stat().st_mode)


def test_a_device_is_written_to(tmp_path: Path) -> None:
    link = tmp_path / "null"
    link.symlink_to("/dev/null")
    write_atomically(link, b"gone")
    assert link.is_symlink()
    assert stat.S_ISCHR(Path("/dev/null").stat().st_mode)
    with pytest.raises(InputError, match=r"/dev/full: cannot be written \(No space left on device\)"):
        write_atomically(Path("/dev/full"), b"too much")


def test_dev_stdout_of_a_redirected_command_follows_what_was_printed(tmp_path: Path) -> None:
    code = (
        "from pathlib import Path; from meshtide.files import write_atomically; print('first'); "
        "write_atomically(Path('/dev/stdout'), b'second\\n'); print('third')"
    )
    with (tmp_path / "out.txt").open("wb") as out:
        subprocess.run([sys.executable, "-c", code], stdout=out, check=True, timeout=300)
    assert (tmp_path / "out.txt").read_text() == "first\nsecond\nthird\n"


def test_a_name_as_long_as_names_can_be_is_written(tmp_path: Path) -> None:
    write_atomically(tmp_path / ("x" * 255), b"1")
    with pytest.raises(InputError, match="File name too long"):
        write_atomically(tmp_path / ("x" * 256), b"1")
    assert [len(path.name) for path in tmp_path.iterdir()] == [255]


def test_a_folder_that_cannot_be_made_is_a_sentence(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(InputError, match="the folder cannot be created"):
        make_folder(tmp_path / "file" / "below")
    with pytest.raises(InputError, match="is a file"):
        make_folder(tmp_path / "file")


def test_an_error_shows_what_cannot_be_printed() -> None:
    error = InputError("a\x1b[2Jb\rc\n\udcff.ply: is odd")
    assert str(error) == "a\\x1b[2Jb\\rc\\n\\udcff.ply: is odd"
    assert error.without("a\x1b[2Jb\rc\n\udcff.ply") == "is odd"
