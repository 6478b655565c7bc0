"""The results of a state: of which type they are, and from which measures they come."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from fractions import Fraction
from typing import Any, Literal

import numpy as np

from samesum.algebra.rows import L1_NORM, L2_NORM, LOG_SUM, LOGSUMEXP, MEAN, REDUCTIONS, STD, VAR, Promotion, Reduction
from samesum.engine.memory import SCALAR, count_of_nonzero, flags_of, reduce_several
from samesum.engine.totals import decoded_with_flags
from samesum.errors import ArgumentError, ArgumentTypeError, ShapeError
from samesum.formats.arrays import ArrayLike, Dtype, DTypeLike, NDArray, Result, boolean_of
from samesum.formats.axes import Axes, axis_number
from samesum.formats.rounding import BYTES, FORMATS, quotient, root
from samesum.frontends.arrays.calls import real_dtype
from samesum.frontends.arrays.measure import Measure, is_byte_float
from samesum.frontends.arrays.state_names import MEASURES, MOMENTS, SUMS, WITH_POSITION, WITHOUT_EMPTY, Moment

# Functions on arrays, several reductions of one array: their names, on the engine.

Name = Literal[
    "sum", "mean", "min", "max", "l1_norm", "l2_norm", "sum_square", "prod", "log_sum", "logsumexp", "all", "any",
    "argmin", "argmax", "l1", "l2", "var", "std", "count_nonzero",
]  # fmt: skip
_Row = tuple[Reduction, int]

_NAMED = {row.name: row for row in REDUCTIONS} | {"l1": L1_NORM, "l2": L2_NORM}
_ROWS = {name: (row, flags_of(row)) for name, row in _NAMED.items()}
_REAL = (MEAN, L2_NORM, VAR, STD, LOG_SUM, LOGSUMEXP)
_COUNT = "count_nonzero"
_POSITIONS = {row.name for row in REDUCTIONS if row.promotion is Promotion.POSITION}


def reduce(
    x: ArrayLike,
    names: Sequence[Name] | Sequence[str],
    /,
    axis: Axes = None,
    *,
    dtype: DTypeLike | None = None,
    keepdims: bool = False,
    where: ArrayLike | None = None,
) -> dict[str, Any]:
    """Several reductions of `x` over `axis`, by name and in the order asked for; `x` is read once.

    The names, in a list or tuple, are those of the functions here (`sum`, `mean`, `min`, `argmax`, ...), and `l1` and
    `l2` for `l1_norm` and `l2_norm`. Each result has the dtype and the very bits that its function gives. `dtype`, a
    float type, asks for another type of those that have a `dtype` there; the others keep theirs. `argmin` and `argmax`
    share the pass where their axes lie in memory in the order in which they are counted; elsewhere each of them
    reads `x` once more, as `count_nonzero` does. `where` chooses the elements as in the functions; positions then read
    `x` once more, too.

    Raises ArgumentError for a name that is none of these, ArgumentTypeError for names that are no list or tuple, and
    what the functions raise.

    >>> import numpy as np
    >>> x = np.array([[3.0, 4.0], [6.0, 8.0]])
    >>> reduce(x, ["min", "sum", "l2"], axis=1)
    {'min': array([3., 6.]), 'sum': array([ 7., 14.]), 'l2': array([ 5., 10.])}
    """
    wanted = _rows(names)
    if axis is not None and not _POSITIONS.isdisjoint(wanted):
        axis_number(axis)
    if dtype is not None and any(row in _REAL for row, _ in wanted.values()):
        dtype = real_dtype(dtype)
    keeps = boolean_of("keepdims", keepdims)
    results: dict[str, Any] = {}
    if wanted or _COUNT not in names:
        several = reduce_several([*wanted.values()], x, axis, keeps, scalars=True, dtype=dtype, where=where)
        results = dict(zip(wanted, several, strict=True))
    if _COUNT in names:
        results[_COUNT] = count_of_nonzero(x, axis, SCALAR | keeps, where)
    return {name: results[name] for name in dict.fromkeys(names)}


def _rows(names: Any) -> dict[str, _Row]:
    """The rows by name, of all but the count."""
    if not isinstance(names, list | tuple):
        raise ArgumentTypeError(f"the names are {names!r}; a list or tuple of them is needed, such as ['min', 'l2']")
    rows: dict[str, _Row] = {}
    for name in names:
        if not isinstance(name, str) or name not in _ROWS | {_COUNT: None}:
            raise ArgumentError(f"{name!r} is no reduction; allowed are {', '.join(sorted({*_ROWS, _COUNT}))}")
        if name != _COUNT:
            rows[name] = _ROWS[name]
    return rows


# Variances, deviations and root mean squares in floats of eight bits, which the core rounds no moments to.

_LOWEST_BIT, _UNIT = -2176, FORMATS["float32"].unit
_NAN = 2


def _byte_moments(kind: Moment, sums: Any, squares: Any, correction: float, dtype: Dtype, counts: NDArray) -> Result:
    """The moments from exact sums of elements and of their squares, each rounded once."""
    totals = [decoded_with_flags(each.encoded()) for each in (sums, squares)]
    given = zip(counts.reshape(-1).tolist(), *totals, strict=True)
    bits = [_bits(kind, correction, dtype, *each) for each in given]
    moments = np.array(bits, np.uint8).view(dtype).reshape(counts.shape)
    found: Result = moments[()]
    return found


def _bits(
    kind: Moment, correction: float, dtype: Dtype, count: int, total: tuple[int, int, int], square: tuple[int, int, int]
) -> int:
    form = BYTES[dtype.name]
    special = total[2] | square[2]
    if kind is Moment.ROOT_MEAN_SQUARE:  # the deviation from zero
        if square[2] and not square[2] & _NAN:
            return form.infinity if form.has_infinity else form.nan
        total, correction = (0, 0, 0), 0.0
    divisor = count - Fraction(correction)
    if special or not count or divisor <= 0:
        return form.nan
    spread = count * _units(square, 2 * _UNIT) - _units(total, _UNIT) ** 2
    value, exponent = Fraction(spread) / (count * divisor), 2 * _UNIT
    if not value:
        return 0
    if kind is Moment.VARIANCE:
        return form.nearest(*quotient(value.numerator, exponent, value.denominator))
    # The root of p / q is that of p q over q.
    number, exponent = root(value.numerator * value.denominator << 256, exponent - 256)
    return form.nearest(*quotient(number, exponent, value.denominator))


def _units(total: tuple[int, int, int], unit: int) -> int:
    number, shift, _ = total
    return number << shift >> unit - _LOWEST_BIT


def result_types(names: Sequence[str], dtype: Dtype, asked: Dtype | None) -> dict[str, Dtype]:
    """The dtype of each result for elements of `dtype`. Raises as `reduce` does for those that it refuses."""
    twins: dict[str, Any] = {name: "mean" if name in MOMENTS else name for name in names if name != "count_nonzero"}
    found = reduce(np.zeros(1, dtype), [*twins.values()], dtype=asked)
    types = {name: np.asarray(found[twin]).dtype for name, twin in twins.items()}
    return {name: types.get(name, np.dtype(np.int64)) for name in names}


def result_of(name: str, dtype: Dtype, measures: Mapping[str, Measure], correction: float, described: str) -> Result:
    """One result, of this dtype. Raises ShapeError for the extreme of a set without an element."""
    key = MEASURES[name][0]
    measure: Any = measures[key]
    counts: Any = measures["count"]
    result: Result
    if name in SUMS:
        result = measure.totals.rounded(int(SUMS[name][1]), dtype, counts.values)
    elif name in MOMENTS:
        squares: Any = measures["square"]
        if is_byte_float(dtype):
            return _byte_moments(MOMENTS[name], measure.totals, squares.totals, correction, dtype, counts.values)
        result = measure.totals.rounded_moments(squares.totals, int(MOMENTS[name]), correction, dtype, counts.values)
    elif key in ("product", "exponential"):
        result = measure.result(dtype)
    else:
        result = _kept_values(name, measure, described)
    return result


def _kept_values(name: str, measure: Any, described: str) -> Result:
    if name in WITHOUT_EMPTY and not measure.seen.all():
        raise ShapeError(f"no {name} of an empty set: {described}, and a set without an element")
    values = measure.positions if name in WITH_POSITION else measure.values
    return values.copy()[()]  # type: ignore[no-any-return]
