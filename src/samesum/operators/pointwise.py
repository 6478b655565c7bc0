"""The element-wise operators: T in, T out, each element rounded once, by the core or by NumPy as IEEE 754 says."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from math import prod
from typing import Any

import numpy as np

from samesum.algebra.rows import Reduction
from samesum.engine import elementwise
from samesum.engine.elementwise import Arithmetic, calculated
from samesum.engine.memory import reduce_terms
from samesum.engine.totals import halves, product_error
from samesum.errors import DtypeError, ShapeError
from samesum.formats.arrays import Dtype, NDArray, broadcast
from samesum.formats.axes import from_front
from samesum.formats.conversion import convert
from samesum.operators import facts
from samesum.operators.rows import Attributes, Facts, Infer, Inputs, Part, Parts, Row, row

# Formulas of a few exact numbers, rounded once.
#
# Each function gives float64 numbers rounded to odd: the exact result, or the one of its two neighbours whose last bit
# is
# set. Such a number stands on the same side of every number of up to 51 bits as the exact one, so that what rounds it
# to
# a shorter format rounds the exact one, and so does its sum with, or quotient by, a number of a few bits. Operands are
# float64 numbers of at most 51 bits unless it says otherwise; what is not finite comes out as in IEEE 754.


def total(a: Any, b: Any) -> NDArray:
    """a + b; one of them may have been rounded to odd."""
    s = np.add(a, b)
    back = s - a
    return _odd(s, (a - (s - back)) + (b - back))


def product(a: Any, b: Any) -> NDArray:
    """a b, of which no part is beyond float64's range."""
    p = np.multiply(a, b)
    return _odd(p, product_error(a, b, p))


def quotient(a: Any, b: Any) -> NDArray:
    """a / b of a divisor of up to 26 bits; `a` may have been rounded to odd."""
    q = np.divide(a, b)
    high, low = halves(q)
    rest = (a - high * b) - low * b
    return _odd(q, np.where(np.signbit(b), -rest, rest))


def _odd(near: NDArray, rest: NDArray) -> NDArray:
    """The number `near` + `rest` rounded to odd, where `near` is the nearest one and `rest` what is missing."""
    bits = np.asarray(near, np.float64).view(np.int64)
    inexact = np.isfinite(rest) & (rest != 0) & np.isfinite(near) & (bits & 1 == 0)
    outwards = np.where((rest > 0) == (near > 0), 1, -1)
    return np.where(inexact, bits + outwards, bits).view(np.float64)


WIDE = np.dtype(np.float64)

Binary = Callable[[NDArray, NDArray], Any]
Unary = Callable[[NDArray], Any]


def unary(name: str, function: Unary, since: int = 1, infer: Infer = facts.same, parts: Parts | None = None) -> Row:
    """An operator of one input from a function of one array."""

    def run(_: Attributes, inputs: Inputs) -> NDArray:
        return np.asarray(function(given(inputs, 0)))

    return replace(row(name, run, infer, since), parts=parts)


def binary(name: str, function: Binary, infer: Infer = facts.broadcast, operation: Arithmetic | None = None) -> Row:
    """An operator of two inputs that broadcast both ways, and of floats is an operation of the core.

    In ONNX before opset 7, where `broadcast` is an attribute, they have one shape, or the second one lies at `axis` of
    the first.
    """

    def run(attributes: Attributes, inputs: Inputs) -> NDArray:
        a, b = given(inputs, 0), given(inputs, 1)
        if attributes.get("broadcast"):
            b = _aligned(a, b, attributes["axis"])
        elif "broadcast" in attributes and a.shape != b.shape:
            raise ShapeError(f"broadcast is 0 and the shapes differ: {a.shape} and {b.shape}")
        elif "auto_broadcast" in attributes:
            check_broadcast(attributes, a, b)
        try:
            return np.asarray(function(a, b))
        except ValueError:
            broadcast_shape(a, b)
            raise

    def parts(attributes: Attributes, _: Facts) -> Sequence[Part] | None:
        is_free = "broadcast" not in attributes and attributes.get("auto_broadcast", "numpy") == "numpy"
        return [(operation, None)] if operation is not None and is_free else None

    return replace(row(name, run, infer), parts=None if operation is None else parts)


def _aligned(a: NDArray, b: NDArray, axis: int | None) -> NDArray:
    if b.size == 1:
        return b.reshape(())
    start = a.ndim - b.ndim if axis is None else from_front(axis, a.ndim)
    places = a.shape[max(start, 0) : max(start, 0) + b.ndim]
    if start < 0 or len(places) != b.ndim or any(m not in (n, 1) for n, m in zip(places, b.shape, strict=True)):
        raise ShapeError(f"shape {b.shape} does not lie in {a.shape} at axis {start}")
    return b.reshape(b.shape + (1,) * (a.ndim - start - b.ndim))


def variadic(name: str, reduction: Reduction) -> Row:
    """An operator of one or more inputs that broadcast together: the reduction of each place, rounded once."""

    def run(_: Attributes, inputs: Inputs) -> NDArray:
        arrays = [given(inputs, i) for i in range(len(inputs))]
        broadcast_shape(*arrays)
        return reduce_terms(reduction, arrays)

    return row(name, run, facts.broadcast)


def given(inputs: Inputs, position: int) -> NDArray:
    """The input at `position`, which the row's check has found to be there."""
    array = inputs[position]
    assert array is not None
    return array


def optional(inputs: Inputs, position: int) -> NDArray | None:
    """The input at `position`, None if it is left out."""
    return inputs[position] if position < len(inputs) else None


def widened(array: NDArray) -> NDArray:
    """The elements in float64."""
    return np.asarray(convert(array, WIDE))


def lines_along(x: NDArray, axis: int) -> NDArray:
    """The elements with the axes before `axis` as one and those behind it as one."""
    return x.reshape(prod(x.shape[:axis]), x.shape[axis], prod(x.shape[axis + 1 :]))


def integers(array: NDArray) -> tuple[int, ...]:
    """The elements of an input of integers; DtypeError where a file holds others, which only its dtype can tell."""
    if array.dtype.kind not in "iu":
        raise DtypeError(f"{array.dtype.name} holds no integers")
    return tuple(array.ravel().tolist())


def one_integer(array: NDArray, name: str) -> int:
    """The one element of an input of integers; ShapeError for another number of elements."""
    values = integers(array)
    if len(values) != 1:
        raise ShapeError(f"{name} has {len(values)} elements; exactly one is allowed")
    return values[0]


def broadcast_shape(*arrays: NDArray) -> tuple[int, ...]:
    """The shape to which the arrays broadcast, or ShapeError."""
    try:
        return np.broadcast(*arrays).shape
    except (RuntimeError, ValueError):  # also beyond 32 arrays or dims
        return broadcast(*(array.shape for array in arrays))


def check_broadcast(attributes: Attributes, *arrays: NDArray) -> None:
    """ShapeError unless the arrays broadcast together or, where `auto_broadcast` is none, have one shape."""
    if attributes.get("auto_broadcast") == "none" and any(array.shape != arrays[0].shape for array in arrays):
        shapes = " and ".join(str(array.shape) for array in arrays)
        raise ShapeError(f"auto_broadcast is none and the shapes differ: {shapes}")
    broadcast_shape(*arrays)


def arithmetic(name: str, operation: Arithmetic, function: Binary) -> Row:
    """The operator of this function, which the core has of floats of 16 bits."""

    def calculate(a: NDArray, b: NDArray) -> Any:
        return calculated(operation, a, b) if _is_short(a) else function(a, b)

    return binary(name, calculate, operation=operation)


def _is_short(x: NDArray) -> bool:
    return x.dtype.itemsize == 2 and x.dtype.kind not in "iu"


def quotient_of(a: NDArray, b: NDArray) -> Any:
    """a / b; of integers, truncated toward zero (OpenVINO's CPU does so whatever m_pythondiv says)."""
    return np.floor_divide(a - np.fmod(a, b), b) if a.dtype.kind in "iu" else np.divide(a, b)


def power(a: NDArray, b: NDArray) -> NDArray:
    """`a` to the power `b` in the type of `a`; an integer result is the real one truncated toward zero."""
    if a.dtype.kind not in "iu":
        return elementwise.power(a, b)
    if b.dtype.kind in "iu":
        return _integer_power(a, b)
    return convert(elementwise.power(widened(a), b), a.dtype)


def _integer_power(a: NDArray, b: NDArray) -> NDArray:
    """Modulo 2^k by repeated squaring; a negative exponent leaves only 1, -1 and (for 0) what infinity converts to."""
    a, b = np.broadcast_arrays(a, b)
    result, base, left = np.ones(a.shape, a.dtype), a.copy(), np.where(b < 0, b % 2, b)
    while left.any():
        result = np.where(left & 1, result * base, result)
        base = base * base
        left = left >> 1
    if b.dtype.kind == "u" or not (b < 0).any():
        return result
    infinity = convert(np.asarray(np.inf), a.dtype)
    inverse = np.where(a == 0, infinity, np.where(np.abs(a) == 1, result, 0))
    return np.asarray(np.where(b < 0, inverse, result), a.dtype)


Bounds = tuple[Any, Any]
"""The least and the greatest number that are left, of the elements' type; None where there is none."""


def bounds_of_inputs(_: Attributes, inputs: Inputs) -> Bounds:
    """Of Clip since opset 11: optional scalars."""
    bounds = optional(inputs, 1), optional(inputs, 2)
    for name, bound in zip(("min", "max"), bounds, strict=True):
        if bound is not None and bound.size != 1:
            raise ShapeError(f"{name} has shape {bound.shape}; a scalar is needed")
    low, high = (None if bound is None else bound.reshape(()) for bound in bounds)
    return low, high


def clip_inputs(bounds: Bounds, inputs: Inputs) -> NDArray:
    """Clip since opset 11: where the bounds cross, the upper one wins."""
    return clipped(given(inputs, 0), *bounds)


def clip_attributes(attributes: Attributes, inputs: Inputs) -> NDArray:
    """Clip before opset 11 and Clamp: the bounds are attributes; of integers, the integers between them."""
    x = given(inputs, 0)
    low, high = attributes["min"], attributes["max"]
    if x.dtype.kind not in "iu":
        return clipped(x, *_attribute_bounds(attributes, x.dtype))
    limits = np.iinfo(x.dtype)
    least = limits.min if not low > limits.min else min(int(np.ceil(min(low, 2.0**64))), limits.max)
    most = limits.max if not high < limits.max else max(int(np.floor(max(high, -(2.0**64)))), limits.min)
    return clipped(x, x.dtype.type(least), x.dtype.type(most))


def _attribute_bounds(attributes: Attributes, dtype: Dtype) -> Bounds:
    low, high = (
        None if bound is None else np.asarray(np.float64(bound).astype(dtype))
        for bound in (attributes["min"], attributes["max"])
    )
    return low, high


def _bounding(bounds: Bounds) -> list[tuple[Arithmetic, Any]] | None:
    operations = (Arithmetic.GREATEST, Arithmetic.LEAST)
    return [(each, bound) for each, bound in zip(operations, bounds, strict=True) if bound is not None] or None


def attribute_parts(attributes: Attributes, of: Facts) -> Sequence[Part] | None:
    """Those of `clip_attributes`."""
    return _bounding(_attribute_bounds(attributes, _dtype(of)))


def input_parts(_: Attributes, of: Facts) -> Sequence[Part] | None:
    """Those of `clip_inputs`."""
    bounds = [None if fact is None else fact.value for fact in of[1:]]
    if any(fact is not None and (bound is None or bound.size != 1) for fact, bound in zip(of[1:], bounds, strict=True)):
        return None
    low, high = (*bounds, None, None)[:2]
    return _bounding((low, high))


def relu_parts(_: Attributes, of: Facts) -> Sequence[Part]:
    """Those of `relu`."""
    return [(Arithmetic.GREATEST, np.zeros((), _dtype(of)))]


def _dtype(of: Facts) -> Dtype:
    dtype = facts.at(of, 0).dtype
    assert dtype is not None
    return dtype


_ENDS: dict[Dtype, tuple[NDArray, NDArray, NDArray]] = {
    np.dtype(kind): (np.array(-np.inf, kind), np.array(0, kind), np.array(np.inf, kind))
    for kind in (np.float32, np.float64)
}
"""The least number of each type, zero and the greatest, as arrays, which NumPy takes sooner than scalars."""


def clipped(x: NDArray, low: Any, high: Any) -> NDArray:
    """Between the bounds. `clip` is seven times as fast as `np.maximum` and `np.minimum` with scalars."""
    if x.dtype in _ENDS:
        least, _, greatest = _ENDS[x.dtype]
        return np.asarray(x.clip(least if low is None else low, greatest if high is None else high))
    if _is_short(x):
        for operation, bound in _bounding((low, high)) or ():
            x = calculated(operation, x, np.asarray(bound))
        return x
    raised = x if low is None else np.maximum(x, low)
    return np.asarray(raised if high is None else np.minimum(raised, high))


def relu(x: NDArray) -> Any:
    """max(x, 0); NaN stays NaN."""
    return clipped(x, _ENDS[x.dtype][1] if x.dtype in _ENDS else x.dtype.type(0), None)


def cast(attributes: Attributes, inputs: Inputs) -> NDArray:
    """The input converted to the type that an attribute names."""
    return convert(given(inputs, 0), attributes["to"], attributes.get("saturate", True))


def convert_ir(attributes: Attributes, inputs: Inputs) -> NDArray:
    """The input converted to `destination_type`."""
    return convert(given(inputs, 0), attributes["destination_type"])


def cast_like(attributes: Attributes, inputs: Inputs) -> NDArray:
    """The first input in the type of the second."""
    return convert(given(inputs, 0), given(inputs, 1).dtype, attributes.get("saturate", True))


def identity(_: Attributes, inputs: Inputs) -> NDArray:
    """The input itself."""
    return given(inputs, 0)
