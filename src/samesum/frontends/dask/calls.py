"""A call of the core whose argument is a Dask array becomes a graph instead. Dask is there: the argument is of it."""

from __future__ import annotations

from typing import Any

from samesum.algebra.rows import REDUCTIONS, SCANS
from samesum.engine.arrays import as_array
from samesum.engine.memory import EXCLUSIVE, INCLUDE_INITIAL, KEEPDIMS, REVERSE, SCALAR, SELECT_LAST, SKIP_NAN
from samesum.errors import AttributeValueError, UnsupportedOperator
from samesum.frontends.dask.reductions import reduced, without_nans
from samesum.frontends.dask.scans import scanned

_NAMES = {row.code: row.name for row in REDUCTIONS}
_SCANS = {int(row.combine): row.name for row in SCANS}


def deferred(function: str, x: Any, *arguments: Any) -> Any:
    """What the array functions give for `x`; None if it is no Dask array or the call comes from elsewhere."""
    import dask.array as da

    if not isinstance(x, da.Array):
        return None
    as_array(x._meta)  # raises for arrays of masked ones
    return _CALLS[function](x, *arguments)


def _reduce(x: Any, code: int, axis: Any, flags: int, dtype: Any, out: Any, where: Any) -> Any:
    return _corrected(x, code, axis, flags, dtype, out, 0.0, where)


def _corrected(x: Any, code: int, axis: Any, flags: int, dtype: Any, out: Any, correction: float, where: Any) -> Any:
    name = _NAMES.get(code)
    if name is None or not flags & SCALAR:
        return None  # of the standards' operators
    _refuse_out(out)
    if flags & SKIP_NAN:
        return without_nans(
            x, name, axis, dtype=dtype, keepdims=bool(flags & KEEPDIMS), correction=correction, where=where
        )
    select_last = bool(flags & SELECT_LAST)
    keepdims = bool(flags & KEEPDIMS)
    results = reduced(
        x, [name], axis, dtype=dtype, keepdims=keepdims, correction=correction, where=where, select_last=select_last
    )
    return results[name]


def _reduce_several(
    x: Any, codes: list[int], axis: Any, flags: list[int], keepdims: bool, dtype: Any, where: Any
) -> Any:
    if not all(each & SCALAR for each in flags):
        return None
    names = [_NAMES[code] for code in codes]
    results = reduced(x, names, axis, dtype=dtype, keepdims=keepdims, where=where)
    return [results[name] for name in names]


def _count_nonzero(x: Any, axis: Any, flags: int, where: Any) -> Any:
    keepdims = bool(flags & KEEPDIMS)
    return reduced(x, ["count_nonzero"], axis, keepdims=keepdims, where=where)["count_nonzero"]


def _scan(x: Any, combine: int, axis: Any, flags: int, dtype: Any, out: Any) -> Any:
    _refuse_out(out)
    if combine not in _SCANS:
        allowed = " and ".join(_SCANS.values())
        raise UnsupportedOperator(
            f"of a Dask array there are {allowed}, no cumulative minimum or maximum; pass x.compute() if it fits"
        )
    return scanned(
        x,
        _SCANS[combine],
        axis,
        dtype,
        include_initial=bool(flags & INCLUDE_INITIAL),
        exclusive=bool(flags & EXCLUSIVE),
        reverse=bool(flags & REVERSE),
    )


def _refuse_out(out: Any) -> None:
    if out is not None:
        raise AttributeValueError("the result of a Dask array is lazy, so that out cannot receive it; allowed is None")


_CALLS: dict[str, Any] = {
    "reduce": _reduce,
    "reduce_corrected": _corrected,
    "reduce_several": _reduce_several,
    "count_nonzero": _count_nonzero,
    "scan": _scan,
}
