"""The algebra in exact plain Python integers: what every engine must give, bit for bit.

A finite float is an integer multiple of its format's smallest subnormal, so a sum of floats is a sum of Python
integers, and a product is one too. Nothing is rounded before the one rounding at the end. Meant for small arrays.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace
from fractions import Fraction

import numpy as np

from samesum.algebra.elements import float_format, states
from samesum.algebra.finalizing import finalize, result_dtype
from samesum.algebra.pieces import Combine
from samesum.algebra.rows import MAX, MIN, PROD, SUM, Reduction, Scan
from samesum.algebra.states import NAN, State, collect, combine, identity, is_position, running
from samesum.formats.arrays import Dtype, NDArray

__all__ = ["NAN", "State", "collect", "combine", "finalize", "float_format", "identity", "reduce"]
__all__ += ["result_dtype", "running", "scan", "states"]

PREFIXES = {Combine.SUM: SUM, Combine.PRODUCT: PROD, Combine.MINIMUM: MIN, Combine.MAXIMUM: MAX}
"""The reduction whose states a scan's prefixes are."""


def reduce(
    row: Reduction,
    x: NDArray,
    axes: int | Sequence[int] | None = None,
    keepdims: bool = False,
    dtype: Dtype | type | str | None = None,
    select_last: bool = False,
    correction: float = 0,
) -> NDArray:
    """`row` over `axes` of `x` (None: all, empty: none), each result rounded once to `dtype` (default: of `x`).

    A variance is over the count less `correction`. A position is that in row-major order of the reduced axes, of the
    first of equal elements or of the last.
    """
    axes = range(x.ndim) if axes is None else (axes,) if isinstance(axes, int) else axes
    reduced = {axis % x.ndim for axis in axes}
    kept = [axis for axis in range(x.ndim) if axis not in reduced]
    target = np.dtype(dtype) if dtype is not None else result_dtype(row, x.dtype)
    size = math.prod(x.shape[axis] for axis in reduced)
    members = states(row, np.transpose(x, [*kept, *sorted(reduced)]).reshape(-1))
    bits = []
    for first in range(0, size * math.prod(x.shape[axis] for axis in kept), max(size, 1)):
        state = collect(row, members[first : first + size], select_last)
        if is_position(row):
            state = replace(state, position=state.position - first)
        bits.append(finalize(row, state, x.dtype, target, Fraction(correction)))
    if not size:
        bits = [finalize(row, identity(row), x.dtype, target)] * math.prod(x.shape[axis] for axis in kept)
    shape = [1 if axis in reduced else x.shape[axis] for axis in range(x.ndim) if keepdims or axis not in reduced]
    return _array(bits, target).reshape(shape)


def scan(
    row: Scan,
    x: NDArray,
    axis: int,
    exclusive: bool = False,
    reverse: bool = False,
    include_initial: bool = False,
    dtype: Dtype | type | str | None = None,
) -> NDArray:
    """Every prefix of `row` along `axis`, each rounded once on its own.

    `reverse` runs from the end; `exclusive` leaves the element itself out; `include_initial` adds the empty prefix.
    """
    if row.combine not in PREFIXES or (exclusive and include_initial):
        raise ValueError(f"no exact scan for {row.name} with {exclusive=}, {include_initial=}")
    prefix = PREFIXES[row.combine]
    target = np.dtype(dtype) if dtype is not None else x.dtype.newbyteorder("=")
    lines = np.moveaxis(x, axis, -1)
    length = lines.shape[-1]
    chosen = slice(0, length) if exclusive else slice(0 if include_initial else 1, length + 1)
    members = states(prefix, lines.reshape(-1))
    bits: list[int] = []
    for start in range(0, len(members), max(length, 1)):
        line = members[start : start + length]
        prefixes = list(running(prefix, line[::-1] if reverse else line))[chosen]
        bits += [finalize(prefix, state, x.dtype, target) for state in (prefixes[::-1] if reverse else prefixes)]
    if not length and include_initial:
        bits = [finalize(prefix, identity(prefix), x.dtype, target)] * math.prod(lines.shape[:-1])
    result = _array(bits, target).reshape((*lines.shape[:-1], length + include_initial))
    return np.ascontiguousarray(np.moveaxis(result, -1, axis))


def _array(bits: list[int], target: Dtype) -> NDArray:
    return np.array(bits, dtype=f"u{target.itemsize}").view(target)
