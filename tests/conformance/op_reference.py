"""The rows of OpenVINO's op_reference tests as instances: one for each type and each keep_dims of a row."""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import Any

import ml_dtypes
import numpy as np
from running import Question
from twister import twister

from samesum.graph.types import IR_ELEMENTS

NDArray = np.ndarray[Any, np.dtype[Any]]

ROWS: list[dict[str, Any]] = json.loads((Path(__file__).parent / "data" / "openvino_op_reference.json").read_text())
FIRST_OPSETS = {"CumSum": 3, "ReduceL1": 4, "ReduceL2": 4}
"""The opset that brought the operator, where it is not the first one."""


@dataclass(frozen=True)
class Instance:
    """One row for one type; `keep_dims` is None for a scan."""

    row: dict[str, Any] = field(repr=False)
    type: str
    keep_dims: bool | None

    @property
    def name(self) -> str:
        """The row's id, the type and, for reductions, what becomes of the dims."""
        ends = {None: "", True: "-kept", False: "-dropped"}
        return f"{self.row['id']}-{self.type}{ends[self.keep_dims]}"

    @property
    def question(self) -> Question:
        """The operator on its inputs; axes are an i64 vector, as in the source."""
        row = self.row
        data, opset = _data(row["id"], self.type), FIRST_OPSETS.get(row["op"], 1)
        if self.keep_dims is not None:
            axes = np.array(row["axes"], np.int64)
            return Question("openvino", row["op"], opset, (data, axes), {"keep_dims": self.keep_dims})
        if row["axis"] is None:
            return Question("openvino", row["op"], opset, (data,))
        axis = np.array(row["axis"], IR_ELEMENTS[row["axis_type"]].dtype)
        attributes = {"exclusive": row["exclusive"], "reverse": row["reverse"]}
        return Question("openvino", row["op"], opset, (data, axis), attributes)

    @property
    def literal(self) -> NDArray:
        """The expected values as they are written, in float64 for floats; those of a defective row corrected."""
        expected = self.row["expected"] | self.row.get("corrected", {})
        dtype = IR_ELEMENTS[self.type].dtype
        limits = np.iinfo(dtype) if dtype.kind in "iu" else ml_dtypes.finfo(dtype)
        words = {"lowest": limits.min, "infinity_or_max": limits.max if dtype.kind in "iu" else np.inf}
        values = [words.get(value, value) for value in expected["values"]]
        shape = expected["shape_keep_dims" if self.keep_dims else "shape"]
        return np.array(values, dtype if dtype.kind in "iu" else np.float64).reshape(shape)

    @property
    def allowed(self) -> NDArray:
        """The literals are right to 1e-5; a result in f16 or bf16 is then half a unit of the type away at most."""
        literal, dtype = self.literal, IR_ELEMENTS[self.type].dtype
        if dtype.kind in "iu":
            return np.zeros(literal.shape)
        size = np.where(np.isfinite(literal), np.abs(literal), 0)
        half = np.ldexp(np.sign(size), np.frexp(size)[1] - ml_dtypes.finfo(dtype).nmant - 2)
        return size * 1e-5 + (half if dtype.itemsize == 2 else 0)


@cache
def _data(identifier: str, kind: str) -> NDArray:
    said = next(row["data"] for row in ROWS if row["id"] == identifier)
    values, dtype = said["values"], IR_ELEMENTS[kind].dtype
    if isinstance(values, dict):
        values = twister(values["seed"], values["count"]) % np.uint64(values["modulo"])
    return np.asarray(values).astype(dtype).reshape(said["shape"])


INSTANCES = tuple(
    Instance(row, kind, keep_dims)
    for row in ROWS
    for kind in row["types"]
    for keep_dims in row.get("keep_dims", [None])
)
