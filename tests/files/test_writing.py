"""A file or a folder is written whole or not at all."""

from __future__ import annotations

import errno
import os
import stat
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from samesum.files.opening import replacing, replacing_folder


def test_a_file_takes_the_place_of_what_was_there(tmp_path: Path) -> None:
    path = tmp_path / "x"
    path.write_bytes(b"old")
    with replacing(path) as file:
        file.write(b"new")
        assert path.read_bytes() == b"old"
    assert path.read_bytes() == b"new"
    with pytest.raises(TypeError), replacing(path) as file:
        file.write("half")  # type: ignore[arg-type]
    assert path.read_bytes() == b"new"
    with pytest.raises(OSError, match=f"No space left on device: '{path}'"), replacing(path) as file:
        raise OSError(errno.ENOSPC, "No space left on device")
    assert path.read_bytes() == b"new"
    assert [each.name for each in tmp_path.iterdir()] == ["x"]


def test_a_pipe_is_written_to_and_stays_one(tmp_path: Path) -> None:
    path = tmp_path / "pipe"
    os.mkfifo(path)
    with ThreadPoolExecutor(1) as beside:
        read = beside.submit(path.read_bytes)
        with replacing(path) as file:
            file.write(b"all of it")
        assert path.is_fifo()
        assert read.result(10) == b"all of it"
    assert [each.name for each in tmp_path.iterdir()] == ["pipe"]
    ends = os.pipe()
    with replacing(Path(f"/dev/fd/{ends[1]}")) as file:
        file.write(b"some")
    os.close(ends[1])
    assert os.read(ends[0], 100) == b"some"
    os.close(ends[0])


def test_a_folder_takes_the_place_of_what_was_there(tmp_path: Path) -> None:
    path = tmp_path / "deep" / "x"
    for name in ("first", "second"):
        with replacing_folder(path) as work:
            (work / name).touch()
        assert [each.name for each in path.iterdir()] == [name]
    (tmp_path / "plain").mkdir()
    assert stat.S_IMODE(path.stat().st_mode) == stat.S_IMODE((tmp_path / "plain").stat().st_mode)
    with pytest.raises(FileExistsError), replacing_folder(path) as work:
        work.mkdir()
    assert [each.name for each in path.iterdir()] == ["second"]
    assert [each.name for each in path.parent.iterdir()] == ["x"]
