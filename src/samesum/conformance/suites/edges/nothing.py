"""Edges of no elements: what each operator gives for an empty set, by type and standard."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import ml_dtypes
import numpy as np

from samesum.conformance.case import Case
from samesum.conformance.suites.edges.row import (
    INF,
    NAN,
    bf16,
    boolean,
    f16,
    f32,
    f64,
    i8,
    i32,
    i64,
    onnx,
    openvino,
    u8,
    u32,
    u64,
)
from samesum.errors import ShapeError
from samesum.formats.arrays import NDArray

AXIS_1 = i64([1])
FLOATS = (f16, bf16, f32, f64)
ONNX_INTEGERS = (i32, i64, u32, u64)

Maker = Callable[[object], NDArray]


def _sums() -> Iterator[Case]:
    for make in (*FLOATS, *ONNX_INTEGERS):
        nothing = _nothing(make)
        for operator in ("ReduceSum", "ReduceL1", "ReduceL2", "ReduceSumSquare"):
            yield onnx("nothing", operator, 18, (nothing, AXIS_1), make([[0], [0]]))
            if operator != "ReduceSumSquare":
                yield openvino("nothing", operator, 4, (nothing, AXIS_1), make([0, 0]))


def _means() -> Iterator[Case]:
    for make in FLOATS:
        yield onnx("nothing", "ReduceMean", 18, (_nothing(make), AXIS_1), make([[NAN], [NAN]]))
    for make in ONNX_INTEGERS:
        yield onnx("nothing", "ReduceMean", 18, (_nothing(make), AXIS_1), ShapeError, "empty set")
    for make in (*FLOATS, *ONNX_INTEGERS, i8):
        yield openvino("nothing", "ReduceMean", 1, (_nothing(make), AXIS_1), make([0, 0]))
    yield onnx("attribute", "ReduceMean", 13, (_nothing(f32),), f32([[NAN], [NAN]]), axes=[1])


def _extremes() -> Iterator[Case]:
    for make in FLOATS:
        nothing = _nothing(make)
        lowest = float(ml_dtypes.finfo(nothing.dtype).min)  # type: ignore[no-untyped-call]
        yield onnx("nothing", "ReduceMax", 20, (nothing, AXIS_1), make([[-INF], [-INF]]))
        yield onnx("nothing", "ReduceMin", 20, (nothing, AXIS_1), make([[INF], [INF]]))
        yield openvino("nothing", "ReduceMax", 1, (nothing, AXIS_1), make([lowest, lowest]))
        yield openvino("nothing", "ReduceMin", 1, (nothing, AXIS_1), make([INF, INF]))
    for make in (*ONNX_INTEGERS, i8, u8):
        nothing = _nothing(make)
        ends = np.iinfo(nothing.dtype)
        for operator, end in (("ReduceMax", int(ends.min)), ("ReduceMin", int(ends.max))):
            yield onnx("nothing", operator, 20, (nothing, AXIS_1), make([[end], [end]]))
            yield openvino("nothing", operator, 1, (nothing, AXIS_1), make([end, end]))
    yield onnx("nothing", "ReduceMax", 20, (_nothing(boolean), AXIS_1), boolean([[False], [False]]))
    yield onnx("nothing", "ReduceMin", 20, (_nothing(boolean), AXIS_1), boolean([[True], [True]]))


def _no_results() -> Iterator[Case]:
    x, none = f32(np.ones((0, 3))), i32(np.ones((0, 3)))
    yield onnx("no-results", "ReduceSum", 13, (x, AXIS_1), f32(np.ones((0, 1))))
    yield onnx("no-results", "ReduceMean", 18, (none, AXIS_1), i32(np.ones((0, 1))))
    yield openvino("no-results", "ReduceMax", 1, (x, AXIS_1), f32([]))
    yield onnx("everything-of-nothing", "ReduceSum", 13, (x,), f32([[0]]))
    yield onnx("everything-of-nothing", "ReduceMean", 18, (x,), f32(NAN), keepdims=0)
    yield onnx("noop-no-elements", "ReduceMax", 18, (x, i64([])), x, noop_with_empty_axes=1)
    yield openvino("no-axes", "ReduceMean", 1, (none, i64([])), none)
    yield onnx("nothing", "CumSum", 14, (x, i64(0)), x)
    yield openvino("nothing", "CumSum", 3, (none, i64(1)), none, exclusive=True)


def _nothing(make: Maker) -> NDArray:
    return make(np.ones((2, 0)))


NOTHING = (*_sums(), *_means(), *_extremes(), *_no_results())
