"""Drawn calls on Dask arrays and, for each of them, the one call whose bits it has to have."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial
from typing import Any

import dask
import dask.array as da
import ml_dtypes
import numpy as np

import cases
import samesum as ss
from bits import INTEGERS
from oracle import assert_bits
from samesum.formats.arrays import Dtype, NDArray

Rng = np.random.Generator

FLOAT8 = tuple(np.dtype(getattr(ml_dtypes, f"float8_{name}")) for name in ("e4m3fn", "e5m2", "e4m3fnuz", "e5m2fnuz"))
DTYPES = (*cases.FLOATS, *cases.FLOATS, *INTEGERS, np.dtype(np.bool_), *FLOAT8)
VALUED = (
    "sum", "mean", "l1_norm", "l2_norm", "sum_square", "var", "std", "log_sum", "logsumexp", "prod", "min", "max",
    "all", "any", "count_nonzero", "nansum", "nanprod", "nanmean", "nanmin", "nanmax", "nanvar", "nanstd",
)  # fmt: skip
TYPED = ("sum", "mean", "l1_norm", "l2_norm", "sum_square", "var", "std", "prod", "nansum", "nanprod", "nanmean")
SCANS = (ss.cumulative_sum, ss.cumulative_prod, ss.cumulative_min, ss.cumulative_max)
SEGMENTS = (
    "sum", "mean", "prod", "min", "max", "var", "std", "l1", "l2", "l1_norm", "l2_norm", "sum_square", "log_sum",
    "logsumexp", "all", "any",
)  # fmt: skip
ORDERS = (0, 1, 2, np.inf, -np.inf)


@dataclass(frozen=True)
class Call:
    """`function(*operands, **options)`: `lazy` has the operands as Dask arrays in drawn chunks."""

    function: Callable[..., Any]
    operands: tuple[Any, ...]
    lazy: tuple[Any, ...]
    options: dict[str, Any]

    def now(self) -> NDArray:
        return np.asarray(self.function(*self.operands, **self.options))

    def deferred(self) -> Any:
        return self.function(*self.lazy, **self.options)

    def computed(self) -> NDArray:
        return np.asarray(self.deferred().compute())

    def said(self) -> str:
        chunks = [getattr(each, "chunks", None) for each in self.lazy]
        kinds = [f"{each.dtype} {each.shape}" if isinstance(each, np.ndarray) else repr(each) for each in self.operands]
        return f"{self.function.__name__} of {kinds}, chunks {chunks}, {self.options}"


def chunks_of(n: int, rng: Rng, most: int) -> tuple[int, ...]:
    """Random lengths that add up, cut in `most` places or fewer, empty ones among them."""
    places = np.sort(rng.integers(0, n + 1, rng.integers(0, most + 1)))
    return tuple(np.diff([0, *places.tolist(), n]).tolist())


def cut(x: NDArray, rng: Rng) -> Any:
    most = (0, 4, 2, 1, 1)[x.ndim]
    return da.from_array(x, chunks=tuple(chunks_of(n, rng, most) for n in x.shape))


def drawn_scheduler(rng: Rng) -> Any:
    scheduler = "threads" if rng.integers(6) == 0 else "sync"
    sizes = {"array.chunk-size": ("1B", "100B", "128MiB")[int(rng.integers(3))]}
    return dask.config.set(
        {"split_every": int(rng.integers(2, 6)), "scheduler": scheduler, "num_workers": int(rng.integers(1, 5))} | sizes
    )


def drawn_array(rng: Rng, shape: tuple[int, ...] | None = None, dtype: Dtype | None = None) -> NDArray:
    """Of up to 4 axes, short ones and empty ones among them, of any type and data family."""
    if shape is None:
        shape = tuple(rng.integers(1, (40, 12, 8, 5)[rank], 1)[0] for rank in range(rng.integers(1, 5)))
        shape = tuple(int(n) for n in rng.permutation(shape))
        if rng.integers(25) == 0:
            shape = (*shape[:-1], 0)
    dtype = dtype or DTYPES[rng.integers(len(DTYPES))]
    n, seed = math.prod(shape), int(rng.integers(1000))
    if dtype.kind in "iu":
        return cases.integer_data(dtype, n, seed).reshape(shape)
    if dtype.kind == "b":
        return (rng.random(shape) < rng.random()).astype(np.bool_)
    if dtype.itemsize == 1:
        return rng.integers(0, 256, shape).astype(np.uint8).view(dtype)
    families = tuple(cases.FAMILIES)
    return cases.make(families[rng.integers(len(families))], dtype, max(n, 1), seed)[:n].reshape(shape)


def drawn_calls(rng: Rng) -> Iterator[Call]:
    """Calls of every kind on one array, each in chunks of its own."""
    x = drawn_array(rng)
    for _ in range(3):
        yield from _several(x, rng)
    for _ in range(2):
        yield _reduction(x, rng)
        yield _scan(x, rng)
        yield _segments(x, rng)
    yield _positions(x, rng)
    yield _norm(x, rng)
    yield _products(x, rng)
    yield _average(x, rng)


def check_calls(calls: list[Call], rng: Rng) -> None:
    """All of them are computed together; what one call refuses, the lazy one refuses by the same error."""
    wanted: list[tuple[Call, NDArray]] = []
    lazy: list[Any] = []
    for call in calls:
        expected, error = _outcome(call.now)
        with drawn_scheduler(rng):
            if error is not None:
                found = _outcome(call.computed)[1]
                assert found is error, f"{found} for {error}: {call.said()}"
                continue
            got = call.deferred()
        assert isinstance(got, da.Array), call.said()
        assert got.dtype == expected.dtype, call.said()
        assert all(n == m or math.isnan(n) for n, m in zip(got.shape, expected.shape, strict=True)), call.said()
        wanted.append((call, expected))
        lazy.append(got)
    with drawn_scheduler(rng):
        results = dask.compute(*lazy)
    for (call, expected), got in zip(wanted, results, strict=True):
        assert_bits(np.ascontiguousarray(got), np.ascontiguousarray(expected), call.said())


def _outcome(work: Callable[[], Any]) -> tuple[Any, type[Exception] | None]:
    try:
        return work(), None
    except ss.SamesumError as error:
        return None, type(error)


def drawn_axes(rank: int, rng: Rng) -> Any:
    kind = rng.integers(4)
    if kind == 0:
        return None
    if kind == 1:
        return tuple(rng.permutation(rank)[: rng.integers(0, rank + 1)].tolist())
    return int(rng.integers(-rank, rank))


def _mask(x: NDArray, rng: Rng) -> dict[str, Any]:
    """A mask of few or of most elements, of the array's shape or one that broadcasts to it; often none."""
    if rng.integers(3):
        return {}
    shape = tuple(n if rng.integers(3) else 1 for n in x.shape)[rng.integers(0, x.ndim) :]
    mask = rng.random(shape) < rng.random()
    return {"where": mask if rng.integers(2) else cut(mask, rng)}


def _call(function: Callable[..., Any], x: NDArray, rng: Rng, *operands: Any, **options: Any) -> Call:
    return Call(function, (x, *operands), (cut(x, rng), *operands), options)


def _reduction(x: NDArray, rng: Rng) -> Call:
    name = VALUED[rng.integers(len(VALUED))]
    options: dict[str, Any] = {"axis": drawn_axes(x.ndim, rng), "keepdims": bool(rng.integers(2)), **_mask(x, rng)}
    if name in ("var", "std", "nanvar", "nanstd"):
        options["correction"] = float(rng.choice([0, 1, 0.5, 30]))
    if name in TYPED and rng.integers(4) == 0:
        options["dtype"] = cases.FLOATS[rng.integers(4)]
    return _masked(getattr(ss, name), x, rng, options)


def _several(x: NDArray, rng: Rng) -> Iterator[Call]:
    """Results that share one pass: those that have this type and set."""
    axis = drawn_axes(x.ndim, rng)
    names: list[Any] = [*VALUED[:14], *([] if isinstance(axis, tuple) else ["argmin", "argmax"])]
    options: dict[str, Any] = {"axis": axis, "keepdims": bool(rng.integers(2))}
    wanted = [name for name in names if _outcome(partial(getattr(ss, name), x, **options))[1] is None]
    lazy = cut(x, rng)
    results = ss.reduce(lazy, wanted, **options)
    for name in wanted:

        def one(array: Any, name: str = name, **given: Any) -> Any:
            return results[name] if array is lazy else getattr(ss, name)(array, **given)

        one.__name__ = f"{name} of several"
        yield Call(one, (x,), (lazy,), options)


def _positions(x: NDArray, rng: Rng) -> Call:
    axis = None if rng.integers(2) else int(rng.integers(-x.ndim, x.ndim))
    options = {"axis": axis, "keepdims": bool(rng.integers(2)), "select_last_index": bool(rng.integers(2))}
    return _masked((ss.argmin, ss.argmax)[rng.integers(2)], x, rng, options | _mask(x, rng))


def _masked(function: Callable[..., Any], x: NDArray, rng: Rng, options: dict[str, Any]) -> Call:
    """One call takes the mask that the lazy one has in chunks."""
    where = options.pop("where", None)
    if where is None:
        return _call(function, x, rng, **options)

    def masked(array: Any, mask: Any, **others: Any) -> Any:
        return function(array, where=mask, **others)

    masked.__name__ = f"masked {function.__name__}"
    return Call(masked, (x, np.asarray(where)), (cut(x, rng), where), options)


def _scan(x: NDArray, rng: Rng) -> Call:
    function = SCANS[rng.integers(len(SCANS))]
    options: dict[str, Any] = {"axis": int(rng.integers(-x.ndim, x.ndim)), "reverse": bool(rng.integers(2))}
    if function in SCANS[:2]:
        options[("include_initial", "exclusive")[rng.integers(2)]] = bool(rng.integers(2))
        if rng.integers(4) == 0:
            options["dtype"] = cases.FLOATS[rng.integers(4)]
    return _call(function, x, rng, **options)


def _norm(x: NDArray, rng: Rng) -> Call:
    options: dict[str, Any] = {"axis": drawn_axes(x.ndim, rng), "ord": ORDERS[rng.integers(len(ORDERS))]}
    if rng.integers(4) == 0:
        options["dtype"] = cases.FLOATS[rng.integers(4)]
    return _call(ss.vector_norm, x, rng, keepdims=bool(rng.integers(2)), **options)


def _segments(x: NDArray, rng: Rng) -> Call:
    """Labels in any order, of equal or very unequal numbers, in memory or lazy."""
    axis = int(rng.integers(-x.ndim, x.ndim))
    count = int(rng.integers(1, 12))
    labels = rng.integers(0, count, x.shape[axis])
    if rng.integers(2):
        labels = labels * (rng.random(x.shape[axis]) < 0.2)
    labels = labels.astype(("int64", "int32", "uint8")[rng.integers(3)])
    options: dict[str, Any] = {"reduce": SEGMENTS[rng.integers(len(SEGMENTS))]}
    if rng.integers(2):
        options["num_segments"] = int(rng.integers(max(1, count - 1), count + 3))
    if options["reduce"] in ("var", "std"):
        options["correction"] = float(rng.integers(2))
    lazy = cut(labels, rng) if rng.integers(2) else labels
    is_lazy = isinstance(lazy, np.ndarray) or rng.integers(4)
    return Call(ss.segment_reduce, (x, labels, axis), (cut(x, rng) if is_lazy else x, lazy, axis), options)


def _products(x: NDArray, rng: Rng) -> Call:
    axis = int(rng.integers(-x.ndim, 0))
    lengths = [n if i == x.ndim + axis or rng.integers(3) else 1 for i, n in enumerate(x.shape)]
    shape = tuple(lengths[rng.integers(0, x.ndim + axis + 1) :])
    other = drawn_array(rng, shape, x.dtype if rng.integers(3) else None)
    options = {"dtype": cases.FLOATS[rng.integers(4)]} if rng.integers(4) == 0 else {}
    kind = rng.integers(3)
    lazy = (x if kind == 1 else cut(x, rng), other if kind == 2 else cut(other, rng))
    pairs = [(x, lazy[0]), (other, lazy[1])]
    if rng.integers(2):
        pairs.reverse()
    return Call(ss.vecdot, tuple(p[0] for p in pairs), tuple(p[1] for p in pairs), {"axis": axis, **options})


def _average(x: NDArray, rng: Rng) -> Call:
    """Weights of the array's shape or along the axes, in their order; sums of weights that are zero among them."""
    axes = drawn_axes(x.ndim, rng)
    named = range(x.ndim) if axes is None else [each % x.ndim for each in np.atleast_1d(np.array(axes, int))]
    shape = x.shape if rng.integers(2) else tuple(x.shape[each] for each in named)
    weights = drawn_array(rng, shape, x.dtype if rng.integers(2) else None)
    if rng.integers(8) == 0:
        weights = np.zeros_like(weights)
    kind = rng.integers(3)
    lazy = (x if kind == 1 else cut(x, rng), axes, weights if kind == 2 else cut(weights, rng))
    return Call(ss.average, (x, axes, weights), lazy, {"keepdims": bool(rng.integers(2))})
