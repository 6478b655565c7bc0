"""The rows of OpenVINO's op_reference tests as cases: one for each type and each keep_dims of a row."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import ml_dtypes
import numpy as np

from samesum.conformance.case import EXACT, Case, Tolerance
from samesum.conformance.suites.literals import read_data
from samesum.formats.arrays import NDArray
from samesum.formats.elements import IR_ELEMENTS

FIRST_OPSETS = {"CumSum": 3, "ReduceL1": 4, "ReduceL2": 4}
"""The opset that brought the operator, where it is not the first one."""

_AS_WRITTEN = Tolerance(relative=1e-5, half_unit=True)
"""The literals are right to 1e-5; a result in f16 or bf16 is then half a unit of the type away at most."""

_ENDINGS = {None: "", True: "-kept", False: "-dropped"}


def instances() -> Iterator[Case]:
    """Every row, type and keep_dims; those of a defective row with the values that are right."""
    for row in read_data("openvino_op_reference.json"):
        numbers = np.reshape(row["data"]["values"], row["data"]["shape"])
        for kind in row["types"]:
            data = numbers.astype(IR_ELEMENTS[kind].dtype)
            for kept in row.get("keep_dims", [None]):
                yield _case(row, kind, kept, data)


def _case(row: dict[str, Any], kind: str, kept: bool | None, data: NDArray) -> Case:
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
