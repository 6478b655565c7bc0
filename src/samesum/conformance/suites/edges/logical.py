"""Edges of the logical reductions of OpenVINO: nothing, no axes, rank 0, one element that decides, types."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from samesum.conformance.case import Case
from samesum.conformance.suites.edges.row import boolean, f32, i8, i32, i64, openvino, u8
from samesum.errors import AttributeValueError, AxisError, DtypeError, ShapeError

X = boolean([[True, False], [True, True]])


def _both() -> Iterator[Case]:
    yield openvino("rows", "ReduceLogicalAnd", 1, (X, i64([1])), boolean([False, True]))
    yield openvino("columns-kept", "ReduceLogicalOr", 1, (X, i32([-2])), boolean([[True, True]]), keep_dims=True)
    yield openvino("all-axes", "ReduceLogicalAnd", 1, (X, i64([1, 0])), boolean(False))
    for operator, empty in (("ReduceLogicalAnd", True), ("ReduceLogicalOr", False)):
        yield openvino("empty-is-none", operator, 1, (X, i64([])), X)
        yield openvino("axes-of-rank-0", operator, 1, (boolean([[empty, empty]]), u8(1)), boolean([empty]))
        yield openvino("axes-of-rank-2", operator, 1, (X, i64([[1]])), ShapeError, "rank 2")
        yield openvino("axes-missing", operator, 1, (X, None), AttributeValueError, "axes is missing")
        yield openvino("axes-of-float", operator, 1, (X, f32([1])), DtypeError)
        yield openvino("repeated", operator, 1, (X, i64([0, -2])), AxisError)
        yield openvino("out-of-range", operator, 1, (X, i64([2])), AxisError)
        yield openvino("nothing", operator, 1, (boolean(np.ones((2, 0))), i64([1])), boolean([empty, empty]))
        yield openvino("no-results", operator, 1, (boolean(np.ones((0, 2))), i64([1])), boolean([]))
        for value in (True, False):
            yield openvino(f"rank-0-{value}", operator, 1, (boolean(value), i64([0])), boolean(value))
        for make in (f32, i8, i32):
            yield openvino("refused", operator, 1, (make([1, 0]), i64([0])), DtypeError, "no version allows it")
        for count in (100, 70_001):
            x = np.full(count, empty)
            x[count - 2] = not empty
            yield openvino(f"one-of-{count}", operator, 1, (x, i64([0])), boolean(not empty))
            yield openvino(f"none-of-{count}", operator, 1, (x[: count - 2], i64([0])), boolean(empty))


LOGICAL = tuple(_both())
