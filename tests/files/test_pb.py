"""TensorProto files: dtype, shape and name without the onnx package, values by every way of storing them."""

from __future__ import annotations

import sys
from pathlib import Path

import ml_dtypes
import numpy as np
import pytest
from onnx import TensorProto, helper, numpy_helper

from building import same
from samesum.errors import ModelError, UnsafeModelError
from samesum.files.initializers import numbered, pb_source
from samesum.files.source import Limits

VALUES = {
    "FLOAT": [1.5, -2], "DOUBLE": [1.5, -2], "FLOAT16": [1.5, -2], "BFLOAT16": [1.5, -2], "INT8": [-1, 2],
    "UINT8": [1, 255], "INT16": [-1, 2], "UINT16": [1, 65535], "INT32": [-1, 2], "UINT32": [1, 2**32 - 1],
    "INT64": [-1, 2**62], "UINT64": [2**63, 2**64 - 1], "BOOL": [True, False], "FLOAT8E5M2": [1.5, -2],
}  # fmt: skip


def written(path: Path, tensor: TensorProto) -> Path:
    path.write_bytes(tensor.SerializeToString())
    return path


@pytest.mark.parametrize("raw", [False, True])
@pytest.mark.parametrize("name", VALUES)
def test_every_type_in_both_forms(name: str, raw: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    kind = getattr(TensorProto, name)
    expected = np.array(VALUES[name]).astype(helper.tensor_dtype_to_np_dtype(kind)).reshape(1, 2)
    typed = helper.make_tensor("x", kind, [1, 2], VALUES[name])
    path = written(tmp_path / "x.pb", numpy_helper.from_array(expected, "x") if raw else typed)
    found, source = pb_source(path)
    assert (found, source.dtype, source.shape) == ("x", expected.dtype, (1, 2))
    assert same(source.read(), expected)
    assert same(np.concatenate(list(source.pieces(1))), expected.ravel())
    monkeypatch.setitem(sys.modules, "onnx", None)
    assert same(pb_source(path)[1].read(), expected)


def test_four_bit_integers_scalars_and_no_elements(tmp_path: Path) -> None:
    path = written(tmp_path / "x.pb", TensorProto(data_type=TensorProto.INT4, dims=[3], raw_data=b"\x9f\x07"))
    assert same(pb_source(path)[1].read(), np.int8([-1, -7, 7]))
    path = written(tmp_path / "x.pb", numpy_helper.from_array(np.array(3, ml_dtypes.bfloat16)))
    assert same(pb_source(path)[1].read(), np.array(3, ml_dtypes.bfloat16))
    path = written(tmp_path / "x.pb", TensorProto(data_type=TensorProto.FLOAT, dims=[0, 4]))
    assert same(pb_source(path)[1].read(), np.empty((0, 4), np.float32))


def test_dims_may_be_packed(tmp_path: Path) -> None:
    (tmp_path / "x.pb").write_bytes(b"\x0a\x02\x01\x02\x10\x02\x4a\x02\x07\x08")
    assert same(pb_source(tmp_path / "x.pb")[1].read(), np.uint8([[7, 8]]))


F = TensorProto.FLOAT
REFUSED = {
    "too few bytes": (TensorProto(data_type=F, dims=[3], raw_data=b"12345678"), "takes 12 bytes; raw_data has 8"),
    "strings": (TensorProto(data_type=TensorProto.STRING, dims=[1], string_data=[b"a"]), "its data type is 8; allowed"),
    "a negative dim": (TensorProto(data_type=F, dims=[-1]), "a negative dim"),
    "too many elements": (TensorProto(data_type=F, dims=[2**32, 0, 2**32]), r"more than 2\^40 elements"),
    "data elsewhere": (TensorProto(data_type=F, dims=[1], data_location=1), "lie in another file"),
    "a segment": (
        TensorProto(data_type=F, dims=[1], segment=TensorProto.Segment(begin=0, end=1)),
        "not a whole tensor",
    ),
}


@pytest.mark.parametrize("name", REFUSED)
def test_tensors_that_lie_are_refused(name: str, tmp_path: Path) -> None:
    tensor, message = REFUSED[name]
    with pytest.raises(ModelError, match=f"x.pb.*{message}"):
        pb_source(written(tmp_path / "x.pb", tensor))


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"", "its data type is 0"),
        (b"\x0bhello", "field 1 of wire type 3 at byte 0"),
        (b"\x08", "ends within an integer"),
        (b"\x08" + b"\xff" * 11, "an integer has more than 10 bytes"),
        (b"\x4a\xff\xff\xff\xff\x0fabc", r"truncated: field 9 ends at byte 4294967301; the file has 9 bytes"),
    ],
)
def test_what_is_no_tensor_is_refused(content: bytes, message: str, tmp_path: Path) -> None:
    (tmp_path / "x.pb").write_bytes(content)
    with pytest.raises(ModelError, match=message):
        pb_source(tmp_path / "x.pb")


def test_limits_hold(tmp_path: Path) -> None:
    path = written(tmp_path / "x.pb", numpy_helper.from_array(np.zeros(100, np.float32)))
    with pytest.raises(UnsafeModelError, match="takes 400 bytes; at most 399"):
        pb_source(path, Limits(max_bytes=399))
    assert pb_source(path, Limits(400, 100))[1].size == 100


def test_damaged_files_give_arrays_or_errors_in_words(tmp_path: Path) -> None:
    rng = np.random.default_rng(8)
    tensors = (numpy_helper.from_array(np.arange(5.0), "x"), helper.make_tensor("x", F, [5], [1, 2, 3, 4, 5]))
    outcomes = set()
    for tensor in tensors:
        whole = tensor.SerializeToString()
        for _ in range(400):
            copy = bytearray(whole[: rng.integers(len(whole)) if rng.integers(4) == 0 else None])
            for _ in range(rng.integers(1, 3)):
                if copy:
                    copy[rng.integers(len(copy))] = rng.integers(256)
            (tmp_path / "x.pb").write_bytes(copy)
            outcomes.add(outcome(tmp_path / "x.pb"))
    assert {"ModelError", ""} <= outcomes


def outcome(path: Path) -> str:
    try:
        pb_source(path)[1].read()
    except ModelError as error:
        return type(error).__name__
    return ""


def test_the_files_of_a_folder_in_their_order(tmp_path: Path) -> None:
    for i in range(11):
        (tmp_path / f"input_{i}.pb").touch()
    (tmp_path / "output_0.pb").touch()
    assert [path.name for path in numbered(tmp_path)] == [f"input_{i}.pb" for i in range(11)]
    assert [path.name for path in numbered(tmp_path, "output")] == ["output_0.pb"]
    with pytest.raises(ModelError, match=r"holds none of other_\*\.pb; needed are other_0\.pb, other_1\.pb and so on"):
        numbered(tmp_path, "other")
