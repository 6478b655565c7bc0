"""The expectations of ONNX Runtime's own tests as cases; the README in the folder data names the source."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache
from typing import Any

from samesum.conformance.case import Case, Tolerance
from samesum.conformance.suites.literals import array_of, dtype_named, read_data
from samesum.errors import SamesumError
from samesum.formats.arrays import NDArray

_RELATIVE = {"float16": 2.0**-9, "bfloat16": 2.0**-7, "float32": 1e-5, "float64": 1e-5}
"""How far literals of a type may be off: they were rounded, or computed without care."""


def vectors() -> Iterator[Case]:
    """Those in which ONNX Runtime follows the standard."""
    for said in _document()["vectors"]:
        yield _case("onnxruntime", said)


def own_choices() -> Iterator[Case]:
    """Those in which it follows a choice of its own; where samesum decides otherwise, that is expected."""
    for said in _document()["ort_specific"]:
        yield _case("onnxruntime-own", said)


@cache
def _document() -> dict[str, Any]:
    document: dict[str, Any] = read_data("onnxruntime.json.xz")
    return document


def _case(suite: str, said: dict[str, Any]) -> Case:
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
