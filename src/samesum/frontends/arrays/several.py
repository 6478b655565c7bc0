"""The array door, several reductions of one array: their names and what each of them says of types, on the engine."""

from __future__ import annotations

from typing import Any

from samesum.algebra.pieces import Promotion
from samesum.algebra.rows import L1_NORM, L2_NORM, MAX, MIN, REDUCTIONS, Reduction
from samesum.engine.memory import REAL, REFUSE_EMPTY, WIDEN, Axes, reduce_several
from samesum.errors import UnsupportedOperator
from samesum.formats.arrays import NDArray
from samesum.frontends.arrays.positions import checked_axis

_Row = tuple[Reduction, int]


def _flags(row: Reduction) -> int:
    if row in (MIN, MAX):
        return REFUSE_EMPTY
    return {Promotion.WIDEN: WIDEN, Promotion.REAL: REAL}.get(row.promotion, 0)


_NAMED = {row.name: row for row in REDUCTIONS} | {"l1": L1_NORM, "l2": L2_NORM}
_ROWS = {name: (row, _flags(row)) for name, row in _NAMED.items()}
_POSITIONS = {row.name for row in REDUCTIONS if row.promotion is Promotion.POSITION}


def reduce(
    x: Any, names: list[str] | tuple[str, ...], /, axis: Axes = None, *, keepdims: bool = False
) -> dict[str, NDArray]:
    """Several reductions of `x` over `axis`, by name and in the order asked for; `x` is read once.

    The names are those of the functions here (`sum`, `mean`, `min`, `argmax`, ...), and `l1` and `l2` for `l1_norm`
    and `l2_norm`. Each result has the dtype and the very bits that its function gives. `argmin` and `argmax`
    share the pass where their axes lie in memory in the order in which they are counted; elsewhere each of them
    reads `x` once more.

    Raises UnsupportedOperator for a name that is none of these, and what the functions raise. Source: NUMERICS.md.

    >>> import numpy as np
    >>> x = np.array([[3.0, 4.0], [6.0, 8.0]])
    >>> reduce(x, ["min", "sum", "l2"], axis=1)
    {'min': array([3., 6.]), 'sum': array([ 7., 14.]), 'l2': array([ 5., 10.])}
    """
    wanted = _rows(names)
    if not _POSITIONS.isdisjoint(wanted):
        checked_axis(axis)
    return dict(zip(wanted, reduce_several([*wanted.values()], x, axis, bool(keepdims), scalars=True), strict=True))


def _rows(names: Any) -> dict[str, _Row]:
    if not isinstance(names, list | tuple):
        raise UnsupportedOperator(f"the names are {names!r}; allowed is a list or tuple of them, such as ['min', 'l2']")
    rows: dict[str, _Row] = {}
    for name in names:
        if not isinstance(name, str) or name not in _ROWS:
            raise UnsupportedOperator(f"{name!r} is no reduction; allowed are {', '.join(sorted(_ROWS))}")
        rows[name] = _ROWS[name]
    return rows
