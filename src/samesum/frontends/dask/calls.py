"""A call of the core whose argument is a Dask array becomes a graph instead. Dask is there: the argument is of it."""

from __future__ import annotations

from typing import Any

from samesum.algebra.rows import EXTREME_SCANS, REDUCTIONS, SCANS
from samesum.engine.memory import EXCLUSIVE, INCLUDE_INITIAL, KEEPDIMS, REVERSE, SCALAR, SELECT_LAST, SKIP_NAN
from samesum.errors import ArgumentError
from samesum.frontends.dask.blocks import as_lazy
from samesum.frontends.dask.lines import dotted, scanned, segmented
from samesum.frontends.dask.reductions import normed, reduced, without_nans

_NAMES = {row.code: row.name for row in REDUCTIONS}
_SCANS = {int(row.combine): row.name for row in (*SCANS, *EXTREME_SCANS)}


def deferred(function: str, operands: tuple[Any, ...], *arguments: Any) -> Any:
    """What the array functions give; None if no operand is a Dask array or the call comes from elsewhere."""
    import dask.array as da

    if not any(isinstance(each, da.Array) for each in operands):
        return None
    lazy = [as_lazy(each) if isinstance(each, da.Array) else each for each in operands]
    return _CALLS[function](*lazy, *arguments)


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
    return scanned(
        x,
        _SCANS[combine],
        axis,
        dtype,
        include_initial=bool(flags & INCLUDE_INITIAL),
        exclusive=bool(flags & EXCLUSIVE),
        reverse=bool(flags & REVERSE),
    )


def _vecdot(a: Any, b: Any, axis: Any, dtype: Any, out: Any) -> Any:
    _refuse_out(out)
    return dotted(a, b, axis, dtype)


def _vector_norm(x: Any, axis: Any, keepdims: bool, order: Any, dtype: Any, out: Any) -> Any:
    _refuse_out(out)
    return normed(x, axis, keepdims, order, dtype)


def _refuse_out(out: Any) -> None:
    if out is not None:
        raise ArgumentError("the result of a Dask array is lazy, so that out cannot receive it; allowed is None")


_CALLS: dict[str, Any] = {
    "reduce": _reduce,
    "reduce_corrected": _corrected,
    "reduce_several": _reduce_several,
    "count_nonzero": _count_nonzero,
    "scan": _scan,
    "vecdot": _vecdot,
    "vector_norm": _vector_norm,
    "segment_reduce": segmented,
}
