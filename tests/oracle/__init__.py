"""The engine against the exact algebra, bit for bit; a failure prints a line that reproduces it."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable
from hashlib import blake2b
from typing import Any

import numpy as np

from oracle import exact
from samesum.algebra.rows import Combine, Promotion, Reduction, Scan
from samesum.engine import memory
from samesum.engine.memory import EXCLUSIVE, INCLUDE_INITIAL, KEEPDIMS, REAL, REVERSE, SELECT_LAST, WIDEN, flags_of
from samesum.formats.arrays import NDArray
from samesum.formats.rounding import FORMATS, Format

SHOWN = 80
"""Longest input that a failure prints in full."""


class Known:
    """Results that other instruction sets and layouts will be asked for, too: the latest 64 MiB of them."""

    def __init__(self, most: int = 64 << 20) -> None:
        self.results: OrderedDict[bytes, NDArray] = OrderedDict()
        self.room = most

    def get(self, compute: Callable[..., NDArray], row: Reduction | Scan, x: NDArray, *arguments: Any) -> NDArray:
        """`compute(row, x, *arguments)`, once for the same elements in the same order."""
        native = x.astype(x.dtype.newbyteorder("="), copy=False)
        call = repr((compute.__name__, row.name, native.dtype.name, x.shape, arguments))
        key = blake2b(native.tobytes(), key=blake2b(call.encode()).digest()).digest()
        if key not in self.results:
            self.results[key] = compute(row, x, *arguments)
            self.room -= self.results[key].nbytes + len(key)
        self.results.move_to_end(key)
        result = self.results[key]
        while self.room < 0:
            self.room += self.results.popitem(last=False)[1].nbytes + len(key)
        return result


KNOWN = Known()


def form_of(dtype: Any) -> Format:
    return FORMATS[np.dtype(dtype).name]


def api_flags(row: Reduction | Scan) -> int:
    """What the array API asks of the core for integers and booleans."""
    return flags_of(row) & (WIDEN | REAL)


def result_dtype(row: Reduction | Scan, dtype: Any, flags: int) -> np.dtype[Any]:
    """The type of the result for an input type and the flags of the call."""
    dtype = np.dtype(dtype)
    if row.promotion in (Promotion.BOOLEAN, Promotion.POSITION):
        return np.dtype(np.bool_ if row.promotion is Promotion.BOOLEAN else np.int64)
    if dtype.kind in "iub" and flags & WIDEN:
        return np.dtype(np.uint64 if dtype.kind == "u" else np.int64)
    if dtype.kind in "iub" and (flags & REAL or (isinstance(row, Reduction) and row.combine is Combine.SPREAD)):
        return np.dtype(np.float64)
    return dtype.newbyteorder("=")


def check_reduce(row: Reduction, x: NDArray, axes: Any = None, *, flags: int = 0, dtype: Any = None) -> NDArray:
    """`memory.reduce` gives the exact result rounded once; returns it."""
    target = np.dtype(dtype) if dtype is not None else result_dtype(row, x.dtype, flags)
    expected = KNOWN.get(exact.reduce, row, x, axes, bool(flags & KEEPDIMS), target, bool(flags & SELECT_LAST))
    got = memory.reduce(row, x, axes, flags, dtype)
    assert_bits(got, expected, _call("reduce", row, x, axes, flags, dtype))
    return got


def check_scan(row: Scan, x: NDArray, axis: int = 0, *, flags: int = 0, dtype: Any = None) -> NDArray:
    """`memory.scan` gives every exact prefix, each rounded once; returns them."""
    target = np.dtype(dtype) if dtype is not None else result_dtype(row, x.dtype, flags)
    expected = KNOWN.get(
        exact.scan, row, x, axis, bool(flags & EXCLUSIVE), bool(flags & REVERSE), bool(flags & INCLUDE_INITIAL), target
    )
    got = memory.scan(row, x, axis, flags, dtype)
    assert_bits(got, expected, _call("scan", row, x, axis, flags, dtype))
    return got


def assert_bits(got: NDArray, expected: NDArray, call: str = "") -> None:
    """Both arrays, or both scalars, have the same dtype, shape and bits; NaNs and zero signs count."""
    kinds = [np.generic if isinstance(each, np.generic) else type(each) for each in (got, expected)]
    assert kinds[0] is kinds[1], f"got {type(got).__name__}, expected {type(expected).__name__}\n{call}"
    assert got.dtype == expected.dtype, f"got {got.dtype}, expected {expected.dtype}\n{call}"
    assert got.shape == expected.shape, f"got shape {got.shape}, expected {expected.shape}\n{call}"
    if got.tobytes() != expected.tobytes():
        raise AssertionError(f"{difference(got, expected)}\n{call}")


def difference(got: NDArray, expected: NDArray) -> str:
    """How many outputs differ, and the first that does: index, values and bits."""
    wrong = np.argwhere(bits_of(got) != bits_of(expected))
    first = tuple(int(i) for i in wrong[0])
    return (
        f"{len(wrong)} of {got.size} outputs differ, first at {list(first)}: "
        f"got {got[first]} ({_hex(got[first])}), expected {expected[first]} ({_hex(expected[first])})"
    )


def bits_of(x: NDArray) -> NDArray:
    """The bits of native floats, integers or booleans as unsigned integers of the same size."""
    return np.ascontiguousarray(x).view(f"u{x.dtype.itemsize}").reshape(x.shape)


def literal(x: NDArray) -> str:
    """Python that builds the same values, as bits."""
    native = x.astype(x.dtype.newbyteorder("="))
    name = "ml_dtypes.bfloat16" if x.dtype.name == "bfloat16" else f"np.{x.dtype.name}"
    values = ", ".join(_hex(value) for value in native.reshape(-1))
    return f"np.array([{values}], np.uint{8 * x.dtype.itemsize}).view({name}).reshape({x.shape})"


def _hex(value: Any) -> str:
    scalar = np.asarray(value)
    return f"0x{int(scalar.view(f'u{scalar.dtype.itemsize}')):0{2 * scalar.dtype.itemsize}x}"


def _call(name: str, row: Reduction | Scan, x: NDArray, axes: Any, flags: int, dtype: Any) -> str:
    shape = f"x: {x.dtype.str} shape {x.shape} strides {x.strides} aligned {x.flags.aligned}"
    values = f"\nx = {literal(x)}" if x.size <= SHOWN else ""
    target = None if dtype is None else np.dtype(dtype).name
    return f"{shape}{values}\nmemory.{name}(rows.{row.name.upper()}, x, {axes}, {flags}, {target!r})"
