"""Sources know dtype and shape before anything is read; files that lie or are cut short are refused in words."""

from __future__ import annotations

import os
import zipfile
from pathlib import Path

import numpy as np
import pytest

from samesum.errors import ModelError, UnsafeModelError
from samesum.files.contents import open_arrays
from samesum.files.source import Source


def header(text: bytes) -> bytes:
    return b"\x93NUMPY\x01\x00" + len(text).to_bytes(2, "little") + text


HEADERS = {
    "a version of its own": (b"\x93NUMPY\x09\x00", "format version is \\[9, 0\\]; allowed are 1 to 3"),
    "no length": (b"\x93NUMPY\x01", "not a NumPy array"),
    "a header beyond the file": (b"\x93NUMPY\x01\x00\xff\x00{}", "truncated: its header has 255 bytes, and 2 are"),
    "a header of a gigabyte": (b"\x93NUMPY\x02\x00\xff\xff\xff\x3f", "the header has 1073741823 bytes; at most 65536"),
    "nested brackets": (header(b"(" * 2000), "not a NumPy array: its header is"),
    "another key": (header(b"{'descr': '<f4', 'fortran_order': False, 'shape': (), 'x': 1}"), "its header is"),
    "a negative dim": (header(b"{'descr': '<f4', 'fortran_order': False, 'shape': (-1,)}"), r"its shape is \(-1,\)"),
    "a dim that is no integer": (header(b"{'descr': '<f4', 'fortran_order': False, 'shape': (True,)}"), "its shape is"),
    "an order that is none": (header(b"{'descr': '<f4', 'fortran_order': 2, 'shape': ()}"), "fortran_order is 2"),
    "a dtype that is none": (header(b"{'descr': 'f99', 'fortran_order': False, 'shape': ()}"), "its dtype is 'f99'"),
    "a dtype without bytes": (header(b"{'descr': '<U0', 'fortran_order': False, 'shape': (9,)}"), "its dtype is '<U0'"),
    "dims without elements": (
        header(b"{'descr': '<f4', 'fortran_order': False, 'shape': (0, 4294967296, 4294967296)}"), "more than 2.40 el"
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", HEADERS)
def test_headers_that_lie_are_refused(name: str, tmp_path: Path) -> None:
    content, words = HEADERS[name]
    (tmp_path / "x.npy").write_bytes(content)
    with pytest.raises(ModelError, match=words):
        open_arrays(tmp_path / "x.npy")


def written(path: Path, array: np.ndarray, compressed: bool = False) -> Path:
    if path.suffix == ".npy":
        np.save(path, array)
    else:
        (np.savez_compressed if compressed else np.savez)(path, a=array)
    return path


def only(path: Path, **limits: int) -> Source:
    (source,) = open_arrays(path, **limits).values()
    return source


@pytest.mark.parametrize("form", ["x.npy", "stored.npz", "compressed.npz"])
@pytest.mark.parametrize("order", ["C", "F"])
def test_a_source_knows_dtype_and_shape_and_gives_pieces(form: str, order: str, tmp_path: Path) -> None:
    array = np.asarray(np.arange(60, dtype=">i4").reshape(3, 4, 5), order=order)
    source = only(written(tmp_path / form, array, form.startswith("compressed")))
    assert (source.dtype, source.shape, source.size, source.nbytes) == (np.dtype(">i4"), (3, 4, 5), 60, 240)
    np.testing.assert_array_equal(source.read(), array, strict=True)
    assert source.read().flags.writeable
    for max_bytes, lengths in ((100, [25, 25, 10]), (1, [1] * 60), (10**9, [60])):
        pieces = list(source.pieces(max_bytes))
        assert [len(piece) for piece in pieces] == lengths
        np.testing.assert_array_equal(np.concatenate(pieces), array.ravel(order=order))


def test_an_array_without_elements_has_no_pieces(tmp_path: Path) -> None:
    source = only(written(tmp_path / "x.npy", np.empty((3, 0), np.float16)))
    assert list(source.pieces(100)) == []
    assert source.read().shape == (3, 0)


@pytest.mark.parametrize("form", ["x.npy", "x.npz"])
def test_limits_are_checked_before_anything_is_read(form: str, tmp_path: Path) -> None:
    path = written(tmp_path / form, np.zeros(100, np.float32))
    assert only(path, max_bytes=400, max_elements=100).read().size == 100
    with pytest.raises(UnsafeModelError, match="takes 400 bytes; at most 399 are allowed"):
        only(path, max_bytes=399)
    with pytest.raises(UnsafeModelError, match="has 100 elements; at most 99 are allowed"):
        only(path, max_elements=99)


def test_a_file_that_shrinks_after_it_was_opened_is_told_so(tmp_path: Path) -> None:
    source = only(written(tmp_path / "x.npy", np.zeros(100, np.float32)))
    os.truncate(tmp_path / "x.npy", 300)
    with pytest.raises(ModelError, match=r"x\.npy ends after 172 of 400 bytes: the file is truncated"):
        source.read()


def archive_with(path: Path, old: bytes, new: bytes) -> Path:
    """A compressed archive with one array of zeros, a field of whose directory is changed."""
    np.savez_compressed(path, a=np.zeros(1000, np.float32))
    content = path.read_bytes()
    begin = content.index(b"PK\x01\x02")
    assert old in content[begin:]
    path.write_bytes(content[:begin] + content[begin:].replace(old, new))
    return path


def test_archives_that_lie_are_refused(tmp_path: Path) -> None:
    size = (4000 + 128).to_bytes(4, "little")
    path = archive_with(tmp_path / "bomb.npz", size, (2**31 - 1).to_bytes(4, "little"))
    with pytest.raises(UnsafeModelError, match=r"a.npy in .* claims 2147483647 bytes; its \d+ compressed bytes cannot"):
        only(path)
    path = archive_with(tmp_path / "short.npz", size, (200).to_bytes(4, "little"))
    with pytest.raises(ModelError, match=r"truncated|not a valid \.npz"):
        only(path).read()
    path = archive_with(tmp_path / "method.npz", b"PK\x01\x02", b"PK\x01\x02")
    content = bytearray(path.read_bytes())
    content[content.index(b"PK\x01\x02") + 10] = 12  # bzip2
    path.write_bytes(content)
    with pytest.raises(ModelError, match="compressed by a method that NumPy does not use"):
        only(path)


def test_a_name_that_is_there_twice_is_refused(tmp_path: Path) -> None:
    with zipfile.ZipFile(tmp_path / "x.npz", "w") as archive:
        archive.writestr("a.npy", b"")
        with pytest.warns(UserWarning, match="Duplicate name"):
            archive.writestr("a.npy", b"")
    with pytest.raises(ModelError, match="a member's name is there twice"):
        open_arrays(tmp_path / "x.npz")


def outcome(path: Path) -> str:
    try:
        for source in open_arrays(path).values():
            source.read()
    except ModelError as error:
        return str(error)
    return path.name


def test_damaged_files_give_arrays_or_errors_in_words(tmp_path: Path) -> None:
    rng = np.random.default_rng(5)
    for form in ("x.npy", "stored.npz", "compressed.npz"):
        whole = written(tmp_path / form, np.arange(50.0), form.startswith("compressed")).read_bytes()
        for _ in range(300):
            copy = bytearray(whole[: rng.integers(len(whole)) if rng.integers(4) == 0 else None])
            for _ in range(rng.integers(1, 4)):
                if copy:
                    copy[rng.integers(len(copy))] = rng.integers(256)
            (tmp_path / form).write_bytes(copy)
            assert form in outcome(tmp_path / form)
