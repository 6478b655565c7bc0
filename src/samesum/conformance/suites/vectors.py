"""Cases in files of the package: expectations of ONNX Runtime's own tests, and rows of OpenVINO's op_reference tests.

The README in the folder data names the sources.
"""

from __future__ import annotations

import base64
import json
import lzma
import math
import zlib
from collections.abc import Iterator, Sequence
from functools import cache
from importlib.resources import files
from typing import Any

import ml_dtypes
import numpy as np

from samesum.conformance.case import EXACT, Case, Tolerance
from samesum.errors import SamesumError
from samesum.formats.arrays import BFLOAT16, NDArray
from samesum.formats.elements import IR_ELEMENTS

# Bytes that a document may have, and that reading it may take besides.
_MOST = 1 << 24


def read_data(name: str) -> Any:
    """The JSON document `name` of the folder data, unpacked if it is an .xz file."""
    stored = (files("samesum.conformance.suites") / "data" / name).read_bytes()
    return json.loads(unpacked(stored, name) if name.endswith(".xz") else stored)


def unpacked(stored: bytes, name: str) -> bytes:
    """What the .xz file `name` holds, if that is one whole document of 16 MiB or less."""
    reader = lzma.LZMADecompressor(lzma.FORMAT_XZ, memlimit=_MOST)
    try:
        document = reader.decompress(stored, _MOST)
    except lzma.LZMAError as error:
        raise ValueError(f"{name} is damaged: {error}") from error
    if not reader.eof or reader.unused_data:
        raise ValueError(f"{name} is not one whole .xz stream of {_MOST:,} bytes or less once it is unpacked")
    return document


def dtype_named(name: str) -> np.dtype[Any]:
    """NumPy's dtype, with bfloat16 among the names."""
    return BFLOAT16 if name == BFLOAT16.name else np.dtype(name)


def minstd(count: int) -> NDArray:
    """The first `count` numbers of C++'s std::minstd_rand0, as int64: from 1 to 2^31 - 2."""
    return np.array([pow(16807, i, (1 << 31) - 1) for i in range(1, count + 1)], np.int64)


def array_of(values: Any, dtype: np.dtype[Any], shape: Sequence[int]) -> NDArray:
    """`values` flat in row-major order, in one of the five forms that the ONNX Runtime vectors use."""
    if not isinstance(values, dict):
        whole = dtype.kind in "iub"
        flat = np.array(values if whole else [float(value) for value in values], None if values else dtype)
    elif "fill" in values:
        flat = np.full(math.prod(shape), values["fill"])
    elif "arange" in values:
        flat = np.arange(*values["arange"])
    elif "minstd" in values:
        numbers = (minstd(math.prod(shape)) - 1).astype(np.float32) / np.float32((1 << 31) - 2)
        flat = numbers / np.float32(values["minstd"])
    else:
        # One byte more than there may be is not a whole number of elements, or one element too many.
        packed = base64.b64decode(values["zlib"])
        raw = zlib.decompressobj().decompress(packed, math.prod(shape) * dtype.itemsize + 1)
        flat = np.frombuffer(raw, dtype.newbyteorder("<"))
    return flat.astype(dtype).reshape(shape)


# How far literals of a type may be off: they were rounded, or computed without care.
_RELATIVE = {"float16": 2.0**-9, "bfloat16": 2.0**-7, "float32": 1e-5, "float64": 1e-5}


def vectors() -> Iterator[Case]:
    """Those in which ONNX Runtime follows the standard."""
    for said in _document()["vectors"]:
        yield _vector("onnxruntime", said)


def own_choices() -> Iterator[Case]:
    """Those in which it follows a choice of its own; where samesum decides otherwise, that is expected."""
    for said in _document()["ort_specific"]:
        yield _vector("onnxruntime-own", said)


@cache
def _document() -> dict[str, Any]:
    document: dict[str, Any] = read_data("onnxruntime.json.xz")
    return document


def _vector(suite: str, said: dict[str, Any]) -> Case:
    (output,) = said["outputs"]
    if "corrected" in said:
        output = output | {"values": said["corrected"]}
    dtype = dtype_named(output["type"])
    relative = said.get("rtol", _RELATIVE.get(dtype.name, 0.0))
    return Case(
        suite=suite,
        name=said["id"],
        standard="onnx",
        operator=said["op"],
        opset=said["opset"],
        inputs=tuple(None if each is None else _array(each) for each in said["inputs"]),
        attributes=said["attributes"],
        expected=SamesumError if said["expect_error"] else _array(output),
        dtype=None if said["expect_error"] else dtype,
        tolerance=Tolerance(relative, said.get("atol", 0.0)),
        held=frozenset(i for i, each in enumerate(said["inputs"]) if each and each.get("initializer")),
        correction=said["reason"] if "corrected" in said else "",
    )


def _array(said: dict[str, Any]) -> NDArray:
    return array_of(said["values"], dtype_named(said["type"]), said["shape"])


# The opset that brought the operator, where it is not the first one.
FIRST_OPSETS = {"CumSum": 3, "ReduceL1": 4, "ReduceL2": 4}

# The literals are right to 1e-5; a result in f16 or bf16 is then half a unit of the type away at most.
_AS_WRITTEN = Tolerance(relative=1e-5, half_unit=True)

_ENDINGS = {None: "", True: "-kept", False: "-dropped"}


def instances() -> Iterator[Case]:
    """Every row, type and keep_dims; those of a defective row with the values that are right."""
    for row in read_data("openvino_op_reference.json"):
        numbers = np.reshape(row["data"]["values"], row["data"]["shape"])
        for kind in row["types"]:
            data = numbers.astype(IR_ELEMENTS[kind].dtype)
            for kept in row.get("keep_dims", [None]):
                yield _instance(row, kind, kept, data)


def _instance(row: dict[str, Any], kind: str, kept: bool | None, data: NDArray) -> Case:
    dtype = IR_ELEMENTS[kind].dtype
    where, attributes = _where(row, kept)
    return Case(
        suite="openvino-op-reference",
        name=f"{row['id']}-{kind}{_ENDINGS[kept]}",
        standard="openvino",
        operator=row["op"],
        opset=FIRST_OPSETS.get(row["op"], 1),
        inputs=(data, *where),
        attributes=attributes,
        expected=_literal(row, dtype, kept),
        dtype=dtype,
        tolerance=EXACT if dtype.kind in "iu" else _AS_WRITTEN,
        correction=row.get("deviation", "") if "corrected" in row else "",
    )


def _where(row: dict[str, Any], kept: bool | None) -> tuple[tuple[NDArray, ...], dict[str, bool]]:
    """The input that says where, and the attributes; axes are an i64 vector, as in the source."""
    if kept is not None:
        return (np.array(row["axes"], np.int64),), {"keep_dims": kept}
    if row["axis"] is None:
        return (), {}
    axis = np.array(row["axis"], IR_ELEMENTS[row["axis_type"]].dtype)
    return (axis,), {"exclusive": row["exclusive"], "reverse": row["reverse"]}


def _literal(row: dict[str, Any], dtype: np.dtype[Any], kept: bool | None) -> NDArray:
    """The expected values as they are written, in float64 for floats."""
    expected = row["expected"] | row.get("corrected", {})
    whole = dtype.kind in "iu"
    limits = np.iinfo(dtype) if whole else ml_dtypes.finfo(dtype)  # type: ignore[no-untyped-call]
    words = {"lowest": limits.min, "infinity_or_max": limits.max if whole else np.inf}
    values = [words.get(value, value) for value in expected["values"]]
    return np.array(values, dtype if whole else np.float64).reshape(expected["shape_keep_dims" if kept else "shape"])
