"""Edges of windowed pools and of sums, means and extremes of several inputs.

Padding on either side, windows that are not whole, dilations, the ends of the range, ties, NaN and signed zeros.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import ml_dtypes
import numpy as np

from samesum.conformance.case import Case
from samesum.conformance.suites.edges.row import INF, NAN, bf16, f16, f32, f64, i8, i32, i64, onnx, openvino, u8
from samesum.errors import AttributeValueError, DtypeError, ShapeError, UnsupportedOperator
from samesum.formats.arrays import Dtype, NDArray

_Attributes = dict[str, Any]

_LARGEST: dict[Dtype, float] = {
    np.dtype(name): float(ml_dtypes.finfo(name).max)  # type: ignore[no-untyped-call]
    for name in (np.float16, ml_dtypes.bfloat16, np.float32, np.float64)
}
_AVERAGES, _EXTREMES, _NORMS = (1, 7, 10, 11, 19, 22), (1, 8, 10, 11, 12, 22), (1, 2, 11, 18, 22)
_FAR: _Attributes = {"kernel_shape": [2], "dilations": [2], "pads": [1, 1]}
"""Windows that lie in the padding alone where the data is one element long."""
_IR = {
    "strides": "1",
    "pads_begin": "0",
    "pads_end": "0",
    "kernel": "2",
    "rounding_type": "floor",
    "auto_pad": "explicit",
}


def _line(make: Any, *values: float) -> NDArray:
    return np.reshape(make(values), (1, 1, -1))


def _ir(**changed: str) -> _Attributes:
    return {**_IR, **changed}


def _versions() -> Iterator[Case]:
    for opset in _AVERAGES:
        x, wanted = _line(f32, 1e30, 3, -1e30, 5), _line(f32, 1, -(1e30 - 8) / 3)
        yield onnx("cancelling", "AveragePool", opset, (x,), wanted, kernel_shape=[3])
        yield onnx(
            "padded", "AveragePool", opset, (_line(f32, 3, 5),), _line(f32, 3, 4, 5), kernel_shape=[2], pads=[1, 1]
        )
    for opset in _EXTREMES:
        x = _line(f32, -1, -5, -2, -4)
        yield onnx("negative", "MaxPool", opset, (x,), _line(f32, -1, -2), kernel_shape=[2], strides=[2])
        yield onnx("padded", "MaxPool", opset, (x,), _line(f32, -1, -2, -4), kernel_shape=[2], strides=[2], pads=[1, 1])
    for opset in _NORMS:
        p: _Attributes = {"p": 1.0 if opset == 1 else 1}
        yield onnx("root", "LpPool", opset, (_line(f32, 3e30, -4e30),), _line(f32, 5e30), kernel_shape=[2])
        yield onnx("p-1", "LpPool", opset, (_line(f32, 3, -4, 1),), _line(f32, 7, 5), kernel_shape=[2], **p)


def _range_ends() -> Iterator[Case]:
    for make in (f16, bf16, f32, f64):
        dtype = make([0]).dtype
        most = _LARGEST[dtype]
        tiny = float(ml_dtypes.finfo(dtype).smallest_subnormal)  # type: ignore[no-untyped-call]
        x = _line(make, most, most, most, -most)
        yield onnx("largest", "AveragePool", 22, (x,), _line(make, most, most, 0), kernel_shape=[2])
        three = _line(make, tiny, 2 * tiny, 3 * tiny, 0)
        yield onnx(
            "subnormal-ties", "AveragePool", 22, (three,), _line(make, 2 * tiny, 2 * tiny, 2 * tiny), kernel_shape=[2]
        )
        yield onnx("largest", "LpPool", 22, (_line(make, most, 0, 0),), _line(make, most, 0), kernel_shape=[2])
        yield onnx("overflow", "LpPool", 22, (_line(make, most, most),), _line(make, INF), kernel_shape=[2])
        yield onnx(
            "subnormal", "LpPool", 22, (_line(make, 3 * tiny, 4 * tiny),), _line(make, 5 * tiny), kernel_shape=[2]
        )
        yield onnx("p-3", "LpPool", 22, (_line(make, 3, 4, 5),), _line(make, 6), kernel_shape=[3], p=3)
        yield onnx("p-4-largest", "LpPool", 22, (_line(make, most, 0),), _line(make, most), kernel_shape=[2], p=4)
        yield onnx("p-1-infinite", "LpPool", 22, (_line(make, -2, 3, INF),), _line(make, 5, INF), kernel_shape=[2], p=1)
        infinite = _line(make, INF, -INF, 1, NAN)
        yield onnx("infinities", "AveragePool", 22, (infinite,), _line(make, NAN, -INF, NAN), kernel_shape=[2])
        yield onnx("infinities", "MaxPool", 22, (infinite,), _line(make, INF, 1, NAN), kernel_shape=[2])
        yield onnx("infinities", "LpPool", 22, (infinite,), _line(make, INF, INF, NAN), kernel_shape=[2])
        yield onnx("p-3-infinities", "LpPool", 22, (infinite,), _line(make, INF, INF, NAN), kernel_shape=[2], p=3)
        zeros = _line(make, -0.0, -0.0, 0.0, -0.0)
        yield onnx("zeros", "AveragePool", 22, (zeros,), _line(make, 0, 0, 0), kernel_shape=[2])
        yield onnx("zeros", "MaxPool", 22, (zeros,), _line(make, -0.0, 0, 0), kernel_shape=[2])
        yield from _terms_at_range_ends(make, most, tiny)


def _terms_at_range_ends(make: Any, most: float, tiny: float) -> Iterator[Case]:
    for name, terms, total, mean in (
        ("cancelling", (most, 1, -most), 1, 1 / 3),
        ("largest", (most, most, -most), most, most / 3),
        ("overflow", (most, most, most), INF, most),
        ("zeros", (-0.0, -0.0, -0.0), 0, 0),
        ("infinities", (INF, 1, -INF), NAN, NAN),
        ("subnormal", (tiny, tiny, tiny), 3 * tiny, tiny),
    ):
        arrays = [make([each]) for each in terms]
        opset = 13 if make is bf16 else 8
        yield onnx(name, "Sum", opset, arrays, make([total]))
        yield onnx(name, "Mean", opset, arrays, make([np.float64(mean) if make is not f64 else mean]))
    yield onnx("zeros", "Max", 13, [make([-0.0]), make([0]), make([-0.0])], make([0]))
    yield onnx("zeros", "Min", 13, [make([0]), make([-0.0]), make([0])], make([-0.0]))
    yield onnx("nan", "Max", 13, [make([1]), make([NAN]), make([INF])], make([NAN]))
    yield onnx("nan", "Min", 13, [make([1]), make([NAN]), make([-INF])], make([NAN]))


def _padding() -> Iterator[Case]:
    x = _line(f32, 6, 2, 4)
    pads: _Attributes = {"kernel_shape": [3], "pads": [1, 1]}
    yield onnx("counted", "AveragePool", 22, (x,), _line(f32, 8 / 3, 4, 2), count_include_pad=1, **pads)
    yield onnx("left-out", "AveragePool", 22, (x,), _line(f32, 4, 4, 3), **pads)
    whole: _Attributes = {"kernel_shape": [2], "strides": [2], "ceil_mode": 1}
    yield onnx("part-of-a-window", "AveragePool", 22, (x,), _line(f32, 4, 4), **whole)
    yield onnx("part-counted", "AveragePool", 22, (x,), _line(f32, 4, 4), count_include_pad=1, **whole)
    clipped: _Attributes = {"kernel_shape": [3], "strides": [2], "pads": [0, 1], "ceil_mode": 1, "count_include_pad": 1}
    yield onnx("clipped-divisor", "AveragePool", 22, (_line(f32, 6, 2, 4, 5),), _line(f32, 4, 3), **clipped)
    yield onnx(
        "clipped-more",
        "AveragePool",
        22,
        (_line(f32, 6, 2, 4, 5, 8),),
        _line(f32, 4, 17 / 3, 8 / 3),
        **{**clipped, "pads": [0, 2]},
    )
    late: _Attributes = {"kernel_shape": [1], "strides": [3], "pads": [0, 2], "ceil_mode": 1}
    yield onnx("no-window-in-the-padding", "MaxPool", 22, (_line(f32, 6, 2, 4, 5),), _line(f32, 6, 5), **late)
    yield from _padding_by_word(x)
    yield onnx("dilated", "AveragePool", 19, (x,), _line(f32, 2, 5, 2), **_FAR)
    yield onnx("dilated", "MaxPool", 10, (x,), _line(f32, 2, 6, 2), **_FAR)
    yield onnx("dilated", "LpPool", 18, (_line(f32, 3, 9, 4),), _line(f32, 9, 5, 9), **_FAR)
    yield from _padding_alone()
    none = np.zeros((0, 2, 4), np.float32)
    yield onnx("no-batch", "MaxPool", 22, (none,), none[..., :3], kernel_shape=[2])


def _padding_by_word(x: NDArray) -> Iterator[Case]:
    for name, wanted in (("SAME_UPPER", (4, 3, 4)), ("SAME_LOWER", (6, 4, 3)), ("VALID", (4, 3))):
        yield onnx(name, "AveragePool", 22, (x,), _line(f32, *wanted), kernel_shape=[2], auto_pad=name)
    for name, wanted in (("SAME_UPPER", (6, 4, 4)), ("SAME_LOWER", (6, 6, 4)), ("VALID", (6, 4))):
        yield onnx(name, "MaxPool", 22, (x,), _line(f32, *wanted), kernel_shape=[2], auto_pad=name)
        yield openvino(name, "MaxPool", 14, (x,), _line(f32, *wanted), **_ir(auto_pad=name.lower()))


def _padding_alone() -> Iterator[Case]:
    yield onnx("padding-alone", "MaxPool", 22, (_line(f32, 7),), _line(f32, -INF), **_FAR)
    yield onnx("padding-alone", "MaxPool", 22, (_line(u8, 7),), _line(u8, 0), **_FAR)
    yield onnx("padding-alone", "AveragePool", 22, (_line(f32, 7),), _line(f32, NAN), **_FAR)
    yield onnx("padding-alone-counted", "AveragePool", 22, (_line(f32, 7),), _line(f32, 0), count_include_pad=1, **_FAR)
    yield onnx("padding-alone", "LpPool", 22, (_line(f32, 7),), _line(f32, 0), **_FAR)


def _in_openvino() -> Iterator[Case]:
    x = _line(f32, 6, 2, 4)
    for opset in (1, 14, 16):
        padded = _ir(pads_begin="1", pads_end="1")
        yield openvino("left-out", "AvgPool", opset, (x,), _line(f32, 6, 4, 3, 4), **padded, **{"exclude-pad": "true"})
        yield openvino("counted", "AvgPool", opset, (x,), _line(f32, 3, 4, 3, 2), **padded, **{"exclude-pad": "false"})
        part = _ir(strides="2", rounding_type="ceil")
        yield openvino("part", "AvgPool", opset, (x,), _line(f32, 4, 4), **part, **{"exclude-pad": "false"})
        whole = _line(i32, 7, -8, -9)
        yield openvino("truncated", "AvgPool", opset, (whole,), _line(i32, 0, -8), **_ir(), **{"exclude-pad": "true"})
    for opset in (1, 8, 14):
        yield openvino("greatest", "MaxPool", opset, (x,), _line(f32, 6, 4), **_ir())
        yield openvino("greatest", "MaxPool", opset, (_line(i8, -128, -3, -5),), _line(i8, -3, -3), **_ir())
        yield openvino("nan", "MaxPool", opset, (_line(f32, 1, NAN, 2),), _line(f32, NAN, NAN), **_ir())
    late = _ir(kernel="1", strides="2", pads_end="2")
    yield openvino("ceil", "MaxPool", 14, (x,), _line(f32, 6, 4, -INF), **{**late, "rounding_type": "ceil"})
    yield openvino("ceil_torch", "MaxPool", 14, (x,), _line(f32, 6, 4), **{**late, "rounding_type": "ceil_torch"})
    yield openvino("dilated", "MaxPool", 8, (x,), _line(f32, 6), **_ir(dilations="2"))
    yield openvino("dilated", "AvgPool", 16, (x,), _line(f32, 5), **_ir(dilations="2"), **{"exclude-pad": "true"})
    yield openvino("thirds", "AdaptiveAvgPool", 8, (_line(f32, 1, 2, 3, 4, 6), i64([3])), _line(f32, 1.5, 3, 5))
    yield openvino("thirds", "AdaptiveMaxPool", 8, (_line(f32, 1, 2, 3, 4, 6), i64([3])), _line(f32, 2, 4, 6))
    yield openvino("more-than-there-are", "AdaptiveAvgPool", 8, (_line(f32, 1, 5), i64([3])), _line(f32, 1, 3, 5))


def _several() -> Iterator[Case]:
    for opset in (8, 13):
        column, row = f32([[1e30], [1]]), f32([2, 3])
        last = f32([[-1e30, -1e30], [0, 0]])
        yield onnx("broadcast", "Sum", opset, (column, row, last), f32([[2, 3], [3, 4]]))
        yield onnx("broadcast", "Mean", opset, (column, row, last), f32([[2 / 3, 1], [1, 4 / 3]]))
        yield onnx("broadcast", "Max", opset, (column, row, last), f32([[1e30, 1e30], [2, 3]]))
        yield onnx("broadcast", "Min", opset, (column, row, last), f32([[-1e30, -1e30], [0, 0]]))
        yield onnx("one", "Sum", opset, (f32([3, -0.0]),), f32([3, 0]))
        yield onnx("one", "Mean", opset, (f32([3]),), f32([3]))
        many = [f32([0.1])] * 200
        yield onnx("two-hundred", "Sum", opset, many, f32([200 * float(np.float32(0.1))]))
        yield onnx("two-hundred", "Mean", opset, many, f32([0.1]))
        yield onnx("shapes", "Sum", opset, (f32([1, 2]), f32([1, 2, 3])), ShapeError, "broadcast")
        yield onnx("none", "Sum", opset, (np.zeros((0, 2), np.float32), row), np.zeros((0, 2), np.float32))
    for make in (i8, u8, i32, i64):
        arrays = [make([1, 9]), make([5]), make([[3, 3]])]
        yield onnx("integers", "Max", 12, arrays, make([[5, 9]]))
        yield onnx("integers", "Min", 12, arrays, make([[1, 3]]))
        yield onnx("integers", "Sum", 13, arrays, DtypeError, "float")
        yield onnx("integers", "Max", 8, arrays, DtypeError, "version 12")
    before: _Attributes = {"consumed_inputs": [0, 0]}
    yield onnx("consumed", "Sum", 1, (f32([1]), f32([2])), f32([3]), **before)


def _refused() -> Iterator[Case]:
    x = _line(f32, 1, 2, 3)
    for operator in ("AveragePool", "MaxPool", "LpPool"):
        yield onnx("kernel-of-two", operator, 22, (x,), ShapeError, "kernel_shape has 2", kernel_shape=[1, 1])
        yield onnx("kernel-of-zero", operator, 22, (x,), AttributeValueError, "kernel_shape", kernel_shape=[0])
        yield onnx("no-stride", operator, 22, (x,), AttributeValueError, "strides", kernel_shape=[1], strides=[0])
        yield onnx("negative-pads", operator, 22, (x,), AttributeValueError, "pads", kernel_shape=[1], pads=[-1, 0])
        yield onnx("one-pad", operator, 22, (x,), ShapeError, "pads has 1", kernel_shape=[1], pads=[1])
        yield onnx("too-wide", operator, 22, (x,), ShapeError, "does not fit", kernel_shape=[4])
        yield onnx("matrix", operator, 22, (f32([[1, 2]]),), ShapeError, "rank 2", kernel_shape=[])
        yield onnx("auto-pad", operator, 22, (x,), AttributeValueError, "auto_pad", kernel_shape=[1], auto_pad="SAME")
        yield onnx("too-early", operator, 1, (_line(bf16, 1, 2),), DtypeError, "bfloat16", kernel_shape=[1])
    yield onnx(
        "dilations-too-early",
        "AveragePool",
        11,
        (x,),
        UnsupportedOperator,
        "dilations",
        kernel_shape=[1],
        dilations=[1],
    )
    yield onnx("bytes-too-early", "MaxPool", 11, (_line(u8, 1, 2),), DtypeError, "version 12", kernel_shape=[1])
    for p in (0, -1, 2000):
        yield onnx(f"p-{p}", "LpPool", 22, (x,), AttributeValueError, "p is", kernel_shape=[1], p=p)
    yield onnx("p-and-a-half", "LpPool", 1, (x,), AttributeValueError, "p is 1.5", kernel_shape=[1], p=1.5)
    yield openvino("sizes", "AdaptiveAvgPool", 8, (x, i64([2, 2])), ShapeError, "spatial")
    yield openvino("no-size", "AdaptiveMaxPool", 8, (x, i64([0])), ShapeError, "0 windows")


POOLS = (*_versions(), *_range_ends(), *_padding(), *_in_openvino(), *_several(), *_refused())
"""All edges."""
