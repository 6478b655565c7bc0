"""Edges of quantized operators: ties, ends of ranges, zero points, odd scales, NaN and infinities, blocks.

NaN becomes the least integer and an infinity an end of the range, as ONNX Runtime has it; quotients are real ones.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import ml_dtypes
import numpy as np

from samesum.conformance.case import Case
from samesum.conformance.suites.edges.row import INF, NAN, bf16, f16, f32, f64, i8, i16, i32, onnx, openvino, u8, u16
from samesum.errors import AttributeValueError, AxisError, DtypeError, ShapeError
from samesum.formats.arrays import NDArray

_LEAST = 2.0**-149
"""The least float32."""
_OPSETS = (10, 13, 19, 21, 23, 25)
_INTEGERS = {"uint8": (0, 255), "int8": (-128, 127), "uint16": (0, 65535), "int16": (-32768, 32767)}
_SHORT = {"uint4": (0, 15), "int4": (-8, 7), "uint2": (0, 3), "int2": (-2, 1)}
_BYTE_FLOATS = {"float8_e4m3fn": 448.0, "float8_e4m3fnuz": 240.0, "float8_e5m2": 57344.0, "float8_e5m2fnuz": 57344.0}


def _typed(name: str, values: Any) -> NDArray:
    return np.array(values).astype(getattr(ml_dtypes, name, name))


def _ties() -> Iterator[Case]:
    halves = [-2.5, -1.5, -0.5, 0.5, 1.5, 2.5, 126.5, 127.5]
    even = [-2, -2, 0, 0, 2, 2, 126, 127]
    for opset in _OPSETS:
        yield onnx("ties", "QuantizeLinear", opset, (f32(halves), f32(1), i8(0)), i8(even))
        yield onnx(
            "ties-then-zero-point", "QuantizeLinear", opset, (f32(halves[:6]), f32(1), u8(7)), u8([5, 5, 7, 7, 9, 9])
        )
        scale = 3 * 2.0**-10
        yield onnx("ties-of-a-scale", "QuantizeLinear", opset, (f32(halves) * f32(scale), f32(scale), i8(0)), i8(even))
        yield onnx("no-zero-point", "QuantizeLinear", opset, (f32([-1, 0.5, 1.5, 300]), f32(1)), u8([0, 0, 2, 255]))
        # The float32 quotients are 25.5 and 1.5, the real ones 25.49999998 and 1.50000004.
        near = f32([0.5]), f32(0.019607843831181526)
        yield onnx("a-tie-of-float32-alone", "QuantizeLinear", opset, near, u8([25]))
        yield onnx("above-a-tie", "QuantizeLinear", opset, (f32([0.3]), f32(0.2)), u8([2]))


def _ends() -> Iterator[Case]:
    for opset, types in ((13, ("uint8", "int8")), (21, tuple(_INTEGERS)), (25, (*_INTEGERS, *_SHORT))):
        for name in types:
            low, high = (_INTEGERS | _SHORT)[name]
            for zero in {low, 0, high}:
                x = f32([NAN, INF, -INF, 3e38, -3e38, 0, -0.0, 1e-40])
                wanted = _typed(name, [low, high, low, high, low, zero, zero, zero])
                yield onnx(f"{name}-{zero}", "QuantizeLinear", opset, (x, f32(1), _typed(name, zero)), wanted)
            zero_point, x = _typed(name, 0), f32([1, -1, 0, INF])
            wanted = _typed(name, [high, low, low, high])
            yield onnx(f"zero-scale-{name}", "QuantizeLinear", opset, (x, f32(0), zero_point), wanted)
            wanted = _typed(name, [0, 0, 0, low])
            yield onnx(f"infinite-scale-{name}", "QuantizeLinear", opset, (x, f32(INF), zero_point), wanted)
    for opset in (13, 25):
        tiny = f32([2.5, 3.5, -2.5, 0.5, 254.5, 400]) * f32(_LEAST)
        yield onnx("least-scale", "QuantizeLinear", opset, (f32([2, 4, -2, 0, 254, 400]) * f32(_LEAST), f32(_LEAST)),
                   u8([2, 4, 0, 0, 254, 255]))  # fmt: skip
        yield onnx(
            "subnormal-scale", "QuantizeLinear", opset, (tiny * f32(8), f32(8 * _LEAST)), u8([2, 4, 0, 0, 254, 255])
        )
        whole = i32([2**31 - 1, -(2**31), 3, -3, 0, 5])
        yield onnx("integers", "QuantizeLinear", opset, (whole, f32(2), i8(1)), i8([127, -128, 3, -1, 1, 3]))
        # 16777217 over 33554432 is above a half; its float32 is not.
        yield onnx(
            "an-integer-that-float32-has-not", "QuantizeLinear", opset, (i32([2**24 + 1]), f32(2.0**25), i8(0)), i8([1])
        )
    for short in (f16, bf16):
        x = short([0.5, 1.5, -2.5, 1000, NAN])
        yield onnx("of-16-bits", "QuantizeLinear", 21, (x, short(1), i8(0)), i8([0, 2, -2, 127, -128]))
        yield onnx("scale-of-float32", "QuantizeLinear", 23, (x, f32(0.5), u16(9)), u16([10, 12, 4, 2009, 0]))


def _to_floats() -> Iterator[Case]:
    for name, largest in _BYTE_FLOATS.items():
        zero = _typed(name, 0)
        x = f32([0, 1, 1.0625, 1.1875, -1.0625, INF, -INF, 1e9, -1e9, NAN])
        wanted = [0, 1, 1, 1.25, -1, largest, -largest, largest, -largest, NAN]
        for opset in (19, 21, 25):
            yield onnx(f"to-{name}", "QuantizeLinear", opset, (x, f32(1), zero), _typed(name, wanted))
            yield onnx(
                f"by-a-scale-to-{name}", "QuantizeLinear", opset, (x * f32(0.25), f32(0.25), zero), _typed(name, wanted)
            )
        beyond = INF if name == "float8_e5m2" else NAN
        loose = [beyond, -beyond, beyond, -beyond]
        yield onnx(f"unsaturated-{name}", "QuantizeLinear", 21, (x[5:9], f32(1), zero), _typed(name, loose), saturate=0)
        # The real quotient is above the tie of 1 and 1.125, or of 1 and 1.25, its float32 is that tie.
        tie = 1.0625 if "e4m3" in name else 1.125
        up = 1.125 if "e4m3" in name else 1.25
        scale = np.float32(1 + 2.0**-23)
        above = np.nextafter(np.float32(tie * float(scale)), np.float32(2))
        yield onnx(
            f"above-a-tie-of-{name}",
            "QuantizeLinear",
            21,
            (above.reshape(1), scale.reshape(()), zero),
            _typed(name, [up]),
        )
        codes = _typed(name, [1, -1, largest, NAN])
        yield onnx(f"from-{name}", "DequantizeLinear", 21, (codes, f32(0.5), zero), f32([0.5, -0.5, largest / 2, NAN]))
    four = _typed("float4_e2m1fn", [0, 0.5, 1, 1.5, 2, 3, 4, 6, -6])
    x = f32([0.25, 0.5, 1.25, 1.75, 2.5, 3, 5, 99, -99])
    even = _typed("float4_e2m1fn", [0, 0.5, 1, 2, 2, 3, 4, 6, -6])
    yield onnx("to-float4", "QuantizeLinear", 23, (x, f32(1), _typed("float4_e2m1fn", 0)), even)
    yield onnx("from-float4", "DequantizeLinear", 23, (four, f32(2)), f32([0, 1, 2, 3, 4, 6, 8, 12, -12]))


def _from_integers() -> Iterator[Case]:
    for opset in _OPSETS:
        yield onnx("zero-point", "DequantizeLinear", opset, (u8([0, 128, 255]), f32(0.5), u8(128)), f32([-64, 0, 63.5]))
        yield onnx("no-zero-point", "DequantizeLinear", opset, (i8([-128, 0, 127]), f32(2)), f32([-256, 0, 254]))
        # The difference is rounded with the product, not before: 2^32 - 1 times 3.
        far = i32([2**31 - 1]), f32(3), i32(-(2**31))
        if opset > 10:
            yield onnx("wide-difference", "DequantizeLinear", opset, far, f32([3 * (2**32 - 1)]))
        yield onnx(
            "an-integer-that-float32-has-not", "DequantizeLinear", opset, (i32([2**24 + 1]), f32(3)), f32([50331652])
        )
        yield onnx("overflow", "DequantizeLinear", opset, (i8([127, -128, 0]), f32(3e38)), f32([INF, -INF, 0]))
        yield onnx("least-scale", "DequantizeLinear", opset, (i8([1, -3]), f32(_LEAST)), f32([_LEAST, -3 * _LEAST]))
        yield onnx("nan-scale", "DequantizeLinear", opset, (i8([1, 0]), f32(NAN)), f32([NAN, NAN]))
        yield onnx("infinite-scale", "DequantizeLinear", opset, (i8([1, -1, 0]), f32(INF)), f32([INF, -INF, NAN]))
        yield onnx("zero", "DequantizeLinear", opset, (i8([-1, 0, 1]), f32(0)), f32([0, 0, 0]))
    for name, (low, high) in _SHORT.items():
        x = _typed(name, [low, high])
        yield onnx(f"from-{name}", "DequantizeLinear", 25, (x, f32(0.5)), f32([low / 2, high / 2]))
    ends = i16([-32768, 32767]), f16(0.001)
    yield onnx("float16", "DequantizeLinear", 21, ends, f16([-32768 * float(f16(0.001)), 32767 * float(f16(0.001))]))
    yield onnx("as-float16", "DequantizeLinear", 23, (i8([100, 1]), f32(1000)), f16([INF, 1000]), output_dtype=10)


def _blocks() -> Iterator[Case]:
    x, scale = f32([[1, 2, 3, 4, 5]]), f32([[1, 0.5, 2]])
    wanted = u8([[1, 2, 6, 8, 2]])
    for opset in (21, 25):
        for axis in (1, -1):
            yield onnx(f"blocks-{axis}", "QuantizeLinear", opset, (x, scale), wanted, axis=axis, block_size=2)
            yield onnx(f"blocks-{axis}", "DequantizeLinear", opset, (wanted, scale), f32([[1, 2, 3, 4, 4]]), axis=axis,
                       block_size=2)  # fmt: skip
        yield onnx(
            "short-scale", "QuantizeLinear", opset, (x, scale[:, :2]), ShapeError, "blocks of 2", axis=1, block_size=2
        )
    rows = f32([[1, 2], [3, 4]])
    for opset in _OPSETS[1:]:
        yield onnx("axis-0", "QuantizeLinear", opset, (rows, f32([1, 2])), u8([[1, 2], [2, 2]]), axis=0)
        yield onnx("axis-1", "QuantizeLinear", opset, (rows, f32([1, 2]), u8([0, 5])), u8([[1, 6], [3, 7]]))
        yield onnx("axis-out-of-range", "QuantizeLinear", opset, (rows, f32([1, 2])), AxisError, axis=2)
        yield onnx("three-scales", "QuantizeLinear", opset, (rows, f32([1, 2, 3])), ShapeError, "3,")
    yield onnx("a-scale-for-each", "QuantizeLinear", 10, (rows, f32([1, 2])), ShapeError, "allows one element")
    yield onnx("double", "QuantizeLinear", 25, (f64([1]), f32(1)), DtypeError, "float64")
    yield onnx(
        "two-types",
        "QuantizeLinear",
        21,
        (f32([1]), f32(1), i8(0)),
        AttributeValueError,
        "output_dtype",
        output_dtype=2,
    )
    yield onnx(
        "no-float", "DequantizeLinear", 23, (i8([1]), f32(1)), AttributeValueError, "output_dtype", output_dtype=3
    )


def _dynamic() -> Iterator[Case]:
    for id, x, wanted in (
        ("range", [0, 2, -3], [153, 255, 0]),
        ("positive", [1, 2, 255], [1, 2, 255]),
        ("negative", [-255, -1, -2], [0, 254, 253]),
        ("zeros", [0, -0.0], [0, 0]),
        ("nothing", [], []),
        ("ties", [0.5, 1.5, 2.5, 255], [0, 2, 2, 255]),
        ("whole-range", [-3e38, 3e38, 0], [0, 255, 128]),
        ("least", [255 * _LEAST, 2 * _LEAST], [255, 2]),
        ("infinite", [1, INF], [0, 0]),
    ):
        yield onnx(id, "DynamicQuantizeLinear", 11, (f32(x),), u8(wanted))


def _fake() -> Iterator[Case]:
    def row(id: str, x: Any, ends: tuple[float, float, float, float], wanted: Any, levels: int) -> Case:
        limits = tuple(f32(end) for end in ends)
        return openvino(id, "FakeQuantize", 1, (f32(x), *limits), f32(wanted), levels=levels)

    yield row("steps", [-9, -1, -0.2, 0, 0.2, 1, 9], (-1, 1, -1, 1), [-1, -1, 0, 0, 0, 1, 1], 3)
    yield row("ties", [0.5, 1.5, 2.5, 3.5], (0, 4, 0, 4), [0, 2, 2, 4], 5)
    yield row("ties-of-another-range", [0.5, 1.5, 2.5, 3.5], (0, 4, 10, 14), [10, 12, 12, 14], 5)
    yield row("two-levels", [-1, 0.5, 0.50001, 2], (0, 1, -8, 8), [-8, -8, 8, 8], 2)
    yield row("turned", [0, 1, 4, 5], (4, 0, 0, 4), [0, 3, 0, 4], 5)
    yield row("one-limit", [0, 1, 2], (1, 1, -1, 1), [-1, -1, 1], 256)
    yield row("nan-and-infinities", [NAN, INF, -INF], (-1, 1, -2, 2), [NAN, 2, -2], 256)
    yield row("far-apart", [-3e38, 0, 3e38], (-3e38, 3e38, -1, 1), [-1, 0, 1], 3)
    yield row("thirds", [1, 2], (0, 3, 0, 1), [1 / 3, 2 / 3], 4)
    yield row("subnormal", [2 * _LEAST, 3 * _LEAST], (0, 4 * _LEAST, 0, 4), [2, 3], 5)
    channels = f32([[0.5], [0.5]]), f32([[0], [0.25]]), f32([[1], [0.75]])
    limits = (*channels, f32([[0], [0]]), f32([[2], [4]]))
    yield openvino("channels", "FakeQuantize", 1, limits, f32([[1], [2]]), levels=3)


QUANTIZED = (*_ties(), *_ends(), *_to_floats(), *_from_integers(), *_blocks(), *_dynamic(), *_fake())
