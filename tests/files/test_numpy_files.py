"""Arrays on disk: everything comes back as it was, and what is not an array is refused by name."""

from __future__ import annotations

import io
import os
import pickle
import stat
import zipfile
from pathlib import Path

import ml_dtypes
import numpy as np
import pytest

from samesum.errors import ModelError, UnsafeModelError
from samesum.files.contents import open_arrays
from samesum.files.npy import write_npz
from samesum.formats.arrays import BFLOAT16

TYPES = (*(np.float16, np.float32, np.float64, np.int8, np.uint64, np.bool_), BFLOAT16, ml_dtypes.float8_e4m3fn)


def read_arrays(path: Path) -> dict[str | None, np.ndarray]:
    return {name: source.read() for name, source in open_arrays(path).items()}


def same(a: np.ndarray, b: np.ndarray) -> bool:
    return (a.dtype, a.shape, a.tobytes()) == (b.dtype, b.shape, b.tobytes())


@pytest.mark.parametrize("dtype", TYPES)
@pytest.mark.parametrize("shape", [(), (0, 3), (3,), (2, 3, 4)])
def test_npz_gives_back_what_was_written(dtype: np.dtype, shape: tuple[int, ...], tmp_path: Path) -> None:
    array = (np.arange(np.prod(shape, dtype=int)).reshape(shape) % 2).astype(dtype)
    path = tmp_path / "x.npz"
    write_npz(path, {"y": array, "file": array.T, "a/b": array})
    back = read_arrays(path)
    assert list(back) == ["y", "file", "a/b"]
    assert same(back["y"], array)
    assert same(back["file"], np.array(array.T, order="C"))


def test_bfloat16_is_read_back_with_numpy_alone_and_a_view(tmp_path: Path) -> None:
    array = np.array([[1, -0.0, np.nan], [np.inf, 1e-40, 3.14]], BFLOAT16)
    write_npz(tmp_path / "x.npz", {"y": array})
    with np.load(tmp_path / "x.npz") as file:
        raw = file["y"]
    assert raw.dtype.names == ("bfloat16",)
    assert same(raw.view(ml_dtypes.bfloat16), array)


def test_what_np_save_makes_of_bfloat16_is_bfloat16_again(tmp_path: Path) -> None:
    array = np.array([1, 2.5, -3], BFLOAT16)
    np.save(tmp_path / "x.npy", array)
    assert same(read_arrays(tmp_path / "x.npy")[None], array)


def test_the_same_arrays_give_the_same_file(tmp_path: Path) -> None:
    for name in ("a.npz", "b.npz"):
        write_npz(tmp_path / name, {"y": np.arange(5)})
    assert (tmp_path / "a.npz").read_bytes() == (tmp_path / "b.npz").read_bytes()


class Trap:
    def __reduce__(self) -> tuple[object, tuple[str]]:
        return os.system, ("touch trapped",)


def pickled(path: Path) -> Path:
    path.write_bytes(pickle.dumps(Trap()))
    return path


def objects(path: Path) -> Path:
    np.save(path, np.array([Trap()], dtype=object), allow_pickle=True)
    return path


def archived_objects(path: Path) -> Path:
    np.savez(path.with_suffix(".npz"), x=np.array([Trap()], dtype=object))
    return path.with_suffix(".npz")


def cut(path: Path) -> Path:
    stream = io.BytesIO()
    np.save(stream, np.arange(100))
    path.write_bytes(stream.getvalue()[:-1])
    return path


def header(text: bytes) -> bytes:
    return b"\x93NUMPY\x01\x00" + len(text).to_bytes(2, "little") + text


def too_large(path: Path) -> Path:
    path.write_bytes(header(b"{'descr': '<f8', 'fortran_order': False, 'shape': (9223372036854775807, 99), }\n"))
    return path


def bad_header(path: Path) -> Path:
    path.write_bytes(header(b"__import__('os').system('touch trapped')\n"))
    return path


def bad_zip(path: Path) -> Path:
    path.write_bytes(b"PK\x03\x04" + bytes(50))
    return path


def other_member(path: Path) -> Path:
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("readme.txt", "no array")
    return path


def empty(path: Path) -> Path:
    path.write_bytes(b"")
    return path


@pytest.mark.parametrize(
    ("make", "words"),
    [
        (pickled, "neither a .npy, a .npz nor a .pb"),
        (objects, "pickled Python objects"),
        (archived_objects, "x.npy in .*pickled Python objects"),
        (cut, r"is truncated: \[100\] of int64 takes 800 bytes; the file has 799 after"),
        (too_large, r"more than 2\^40 elements"),
        (bad_header, "not a NumPy array: its header is"),
        (bad_zip, "not a valid .npz"),
        (other_member, "readme.txt in .*not a NumPy array"),
        (empty, "neither a .npy, a .npz nor a .pb"),
    ],
)
def test_what_is_no_array_is_refused(make: object, words: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    path = make(tmp_path / "x.npy")
    with pytest.raises(UnsafeModelError if "pickled Python" in words else ModelError, match=words):
        read_arrays(path)
    assert not (tmp_path / "trapped").exists()


LONG = b"{'descr': '<f8', 'fortran_order': False, 'shape': (2L, 3L), }"
HEADERS = {
    "of Python 2 on Windows": LONG,
    "a rank of one": LONG.replace(b"(2L, 3L)", b"(6L,)"),
    "spaces at the end": b"{'descr': '<f8', 'fortran_order': False, 'shape': (2, 3), }" + b" " * 99,
    "no comma": b"{'descr': '<f8', 'fortran_order': False, 'shape': (2, 3)}",
    "another order": b'{"shape": (2, 3), "fortran_order": True, "descr": ">f8"}',
    "a name that looks like a long integer": b"{'descr': [('1L', '<f8')], 'fortran_order': False, 'shape': (6L,), }",
    "a rank of none": b"{'descr': '<f8', 'fortran_order': False, 'shape': (), }",
}


@pytest.mark.filterwarnings("ignore:Reading `.npy` or `.npz` file required additional header parsing:UserWarning")
@pytest.mark.parametrize("version", [1, 2, 3])
def test_headers_that_numpy_reads(version: int, tmp_path: Path) -> None:
    for name, text in HEADERS.items():
        if version == 3 and b"L" in text:
            continue  # Python 2 did not write that version
        start = b"\x93NUMPY" + bytes([version, 0])
        content = start + len(text).to_bytes(2 if version == 1 else 4, "little") + text + np.arange(6.0).tobytes()
        path = tmp_path / "x.npy"
        path.write_bytes(content)
        with zipfile.ZipFile(tmp_path / "x.npz", "w") as archive:
            archive.writestr("x.npy", content)
        wanted = np.load(path)
        for found in (read_arrays(path)[None], read_arrays(tmp_path / "x.npz")["x"]):
            assert (found.dtype, found.shape) == (wanted.dtype, wanted.shape), name
            assert found.tobytes() == wanted.tobytes(), name


def test_the_files_that_numpy_itself_is_tested_with() -> None:
    folder = Path(np.__file__).parent / "lib" / "tests" / "data"
    paths = [path for path in (folder / "win64python2.npy", folder / "python3.npy") if path.exists()]
    if not paths:
        pytest.skip("this NumPy is without its tests")
    for path in paths:
        assert read_arrays(path)[None].tolist() == [1.0, 1.0]


def test_long_integers_are_no_way_to_run_code(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    for text in (
        LONG.replace(b"2L", b"__import__('os').mkdir('trapped')"),
        LONG.replace(b"2L", b"2LL"),
        LONG.replace(b"2L", b"-2L"),
        LONG.replace(b"2L", b"2.5L"),
    ):
        (tmp_path / "x.npy").write_bytes(header(text))
        with pytest.raises(ModelError, match="is not a NumPy array"):
            read_arrays(tmp_path / "x.npy")
    assert not (tmp_path / "trapped").exists()


def test_a_file_that_is_not_there_is_the_system_s_error(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError):
        read_arrays(tmp_path / "nothing.npy")
    with pytest.raises(IsADirectoryError):
        read_arrays(tmp_path)
    os.mkfifo(tmp_path / "pipe.npy")
    with pytest.raises(ModelError, match="not a regular file"):
        read_arrays(tmp_path / "pipe.npy")


def test_a_failed_write_leaves_what_was_there(tmp_path: Path) -> None:
    path = tmp_path / "x.npz"
    write_npz(path, {"y": np.arange(3)})
    before = path.read_bytes()
    with pytest.raises(ValueError, match="allow_pickle"):
        write_npz(path, {"a": np.arange(9), "y": np.array([None])})
    assert path.read_bytes() == before
    assert [file.name for file in tmp_path.iterdir()] == ["x.npz"]


def test_a_written_file_has_the_usual_permissions_and_follows_a_link(tmp_path: Path) -> None:
    (tmp_path / "link.npz").symlink_to(tmp_path / "real.npz")
    write_npz(tmp_path / "link.npz", {"y": np.arange(3)})
    (tmp_path / "plain").touch()
    assert (tmp_path / "link.npz").is_symlink()
    assert stat.S_IMODE((tmp_path / "real.npz").stat().st_mode) == stat.S_IMODE((tmp_path / "plain").stat().st_mode)
