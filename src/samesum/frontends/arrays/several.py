"""Functions on arrays, several reductions of one array: their names, on the engine."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Literal

from samesum.algebra.rows import L1_NORM, L2_NORM, LOG_SUM, LOGSUMEXP, MEAN, REDUCTIONS, STD, VAR, Promotion, Reduction
from samesum.engine.memory import SCALAR, count_of_nonzero, flags_of, reduce_several
from samesum.errors import ArgumentError, ArgumentTypeError
from samesum.formats.arrays import ArrayLike, DTypeLike, boolean_of
from samesum.formats.axes import Axes, axis_number
from samesum.frontends.arrays.reductions import real_dtype

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
