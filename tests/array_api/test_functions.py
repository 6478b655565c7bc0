"""The array API standard (2024.12) on its statistical, searching and utility functions: dtypes, shapes, values.

The standard's own suite runs on the same namespace: `nox -s array_api`.
"""

from __future__ import annotations

import inspect
import math
from fractions import Fraction
from itertools import product
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.array_api import make_strategies_namespace

import array_api_namespace as xp
import samesum
from samesum.formats.arrays import NDArray
from samesum.formats.rounding import FORMATS, quotient

NAMESPACE = make_strategies_namespace(np)

SIGNATURES = {
    "sum": ("x", "axis", "dtype", "keepdims"),
    "prod": ("x", "axis", "dtype", "keepdims"),
    "mean": ("x", "axis", "keepdims"),
    "min": ("x", "axis", "keepdims"),
    "max": ("x", "axis", "keepdims"),
    "cumulative_sum": ("x", "axis", "dtype", "include_initial"),
    "cumulative_prod": ("x", "axis", "dtype", "include_initial"),
    "all": ("x", "axis", "keepdims"),
    "any": ("x", "axis", "keepdims"),
    "argmin": ("x", "axis", "keepdims"),
    "argmax": ("x", "axis", "keepdims"),
}

SIGNED = ("int8", "int16", "int32", "int64")
UNSIGNED = ("uint8", "uint16", "uint32", "uint64")
REAL = ("float32", "float64")


def arrays(dtypes: tuple[str, ...], least_rank: int = 0) -> st.SearchStrategy[NDArray]:
    shapes = NAMESPACE.array_shapes(min_dims=least_rank, max_dims=4, min_side=1, max_side=6)
    return st.sampled_from(dtypes).flatmap(
        lambda dtype: NAMESPACE.arrays(
            getattr(np, dtype), shapes, elements={"allow_nan": False} if dtype in REAL else None
        )
    )


def axes(rank: int) -> st.SearchStrategy[Any]:
    one = [st.integers(-rank, rank - 1), NAMESPACE.valid_tuple_axes(rank)] if rank else []
    return st.one_of(st.none(), *one)


def reduced(axis: Any, rank: int) -> tuple[int, ...]:
    return (
        tuple(range(rank)) if axis is None else tuple(a % rank for a in (axis if isinstance(axis, tuple) else (axis,)))
    )


def sets(x: NDArray, over: tuple[int, ...]) -> list[list[Any]]:
    """The elements of each reduced set as Python numbers, in the order of the outputs."""
    kept = [range(n) if axis not in over else [slice(None)] for axis, n in enumerate(x.shape)]
    return [np.asarray(x[where]).reshape(-1).tolist() for where in product(*kept)]


def expected_shape(x: NDArray, over: tuple[int, ...], keepdims: bool) -> tuple[int, ...]:
    return tuple(1 if axis in over else n for axis, n in enumerate(x.shape) if keepdims or axis not in over)


def widened(dtype: np.dtype[Any]) -> np.dtype[Any]:
    return np.dtype({"i": np.int64, "u": np.uint64}.get(dtype.kind, dtype))


def nearest(exact: Fraction, dtype: np.dtype[Any]) -> float:
    """The float of that type nearest to the exact value; of two, the one whose last bit is even."""
    number, exponent = quotient(exact.numerator, 0, exact.denominator)
    form = FORMATS[dtype.name]
    return float(np.array(form.nearest(number, exponent), f"u{dtype.itemsize}").view(dtype))


@pytest.mark.parametrize("name", SIGNATURES)
def test_signatures(name: str) -> None:
    """The standard's arguments: the array positional only, the axis also by position, the others by keyword only."""
    parameters = inspect.signature(getattr(xp, name)).parameters
    assert next(iter(parameters)) == "x"
    assert parameters["x"].kind is inspect.Parameter.POSITIONAL_ONLY
    for argument in SIGNATURES[name][1:]:
        expected = inspect.Parameter.POSITIONAL_OR_KEYWORD if argument == "axis" else inspect.Parameter.KEYWORD_ONLY
        assert parameters[argument].kind is expected, argument


@given(arrays(SIGNED + UNSIGNED + REAL), st.data())
def test_sum_and_prod(x: NDArray, data: st.DataObject) -> None:
    axis, keepdims = data.draw(axes(x.ndim)), data.draw(st.booleans())
    same_kind = SIGNED + UNSIGNED if x.dtype.kind in "iu" else REAL
    dtype = data.draw(st.none() | st.sampled_from([getattr(np, name) for name in same_kind]))
    over = reduced(axis, x.ndim)
    for function, exact in ((xp.sum, sum), (xp.prod, math.prod)):
        got = function(x, axis=axis, dtype=dtype, keepdims=keepdims)
        target = widened(x.dtype) if dtype is None else np.dtype(dtype)
        assert got.dtype == target
        assert got.shape == expected_shape(x, over, keepdims)
        for value, members in zip(got.reshape(-1).tolist(), sets(x, over), strict=True):
            if target.kind in "iu":
                bits = 8 * target.itemsize
                assert value % 2**bits == exact(int(m) for m in members) % 2**bits, (function, members)
            elif all(math.isfinite(m) for m in members):
                assert value == nearest(Fraction(exact(map(Fraction, members))), target), (function, members)


@given(arrays(SIGNED + UNSIGNED + REAL), st.data())
def test_min_and_max(x: NDArray, data: st.DataObject) -> None:
    axis, keepdims = data.draw(axes(x.ndim)), data.draw(st.booleans())
    over = reduced(axis, x.ndim)
    for function, exact in ((xp.min, min), (xp.max, max)):
        got = function(x, axis=axis, keepdims=keepdims)
        assert got.dtype == x.dtype
        assert got.shape == expected_shape(x, over, keepdims)
        assert got.reshape(-1).tolist() == [exact(members) for members in sets(x, over)]


@given(arrays(REAL), st.data())
def test_mean(x: NDArray, data: st.DataObject) -> None:
    axis, keepdims = data.draw(axes(x.ndim)), data.draw(st.booleans())
    over = reduced(axis, x.ndim)
    got = xp.mean(x, axis=axis, keepdims=keepdims)
    assert got.dtype == x.dtype
    assert got.shape == expected_shape(x, over, keepdims)
    for value, members in zip(got.reshape(-1).tolist(), sets(x, over), strict=True):
        if all(math.isfinite(m) for m in members):
            assert value == nearest(sum(map(Fraction, members), Fraction()) / len(members), x.dtype), members


@given(arrays(SIGNED + UNSIGNED + REAL, least_rank=1), st.data())
def test_cumulative_functions(x: NDArray, data: st.DataObject) -> None:
    axis = data.draw(st.integers(-x.ndim, x.ndim - 1)) if x.ndim > 1 else data.draw(st.none() | st.just(0))
    include_initial = data.draw(st.booleans())
    along = 0 if axis is None else axis % x.ndim
    for function, reduction, initial in ((xp.cumulative_sum, xp.sum, 0), (xp.cumulative_prod, xp.prod, 1)):
        got = function(x, axis=axis, include_initial=include_initial)
        assert got.dtype == widened(x.dtype)
        shape = list(x.shape)
        shape[along] += include_initial
        assert got.shape == tuple(shape)
        lines, prefixes = np.moveaxis(x, along, -1), np.moveaxis(got, along, -1)
        for n in range(prefixes.shape[-1]):
            members = lines[..., : n + (not include_initial)]
            wanted = reduction(members, axis=-1) if members.shape[-1] else np.full(lines.shape[:-1], initial, got.dtype)
            np.testing.assert_array_equal(prefixes[..., n], wanted)


@given(arrays(SIGNED + UNSIGNED + REAL), st.data())
def test_argmin_and_argmax(x: NDArray, data: st.DataObject) -> None:
    axis = data.draw(st.none() | (st.integers(-x.ndim, x.ndim - 1) if x.ndim else st.none()))
    keepdims = data.draw(st.booleans())
    over = reduced(axis, x.ndim)
    for function, exact in ((xp.argmin, min), (xp.argmax, max)):
        got = function(x, axis=axis, keepdims=keepdims)
        assert got.dtype == np.int64
        assert got.shape == expected_shape(x, over, keepdims)
        assert got.reshape(-1).tolist() == [members.index(exact(members)) for members in sets(x, over)]


@given(arrays(("bool", *SIGNED, *UNSIGNED, *REAL)), st.data())
def test_all_and_any(x: NDArray, data: st.DataObject) -> None:
    axis, keepdims = data.draw(axes(x.ndim)), data.draw(st.booleans())
    over = reduced(axis, x.ndim)
    for function, exact in ((xp.all, all), (xp.any, any)):
        got = function(x, axis=axis, keepdims=keepdims)
        assert got.dtype == np.bool_
        assert got.shape == expected_shape(x, over, keepdims)
        assert got.reshape(-1).tolist() == [exact(members) for members in sets(x, over)]


@pytest.mark.parametrize(("name", "identity"), [("sum", 0), ("prod", 1), ("all", True), ("any", False)])
def test_the_empty_set_has_an_identity(name: str, identity: int) -> None:
    for shape, axis in (((0,), None), ((0, 3), 0), ((2, 0), 1)):
        got = getattr(xp, name)(np.empty(shape, np.float32), axis=axis)
        assert (got == identity).all(), (shape, axis, got)


@pytest.mark.parametrize("name", ["min", "max", "argmin", "argmax"])
def test_the_empty_set_has_no_extreme(name: str) -> None:
    with pytest.raises(ValueError, match="empty set"):
        getattr(xp, name)(np.empty((0, 3), np.float32), axis=0)


def test_the_inspection_says_what_numpys_says_but_for_complex_numbers() -> None:
    ours, numpys = samesum.__array_namespace_info__(), np.__array_namespace_info__()
    assert ours.capabilities() == numpys.capabilities()
    assert (ours.devices(), ours.default_device()) == (numpys.devices(), numpys.default_device())
    defaults = {name: dtype for name, dtype in numpys.default_dtypes().items() if dtype.kind != "c"}
    assert ours.default_dtypes(device="cpu") == defaults
    kinds = ("bool", "signed integer", "unsigned integer", "integral", "real floating", "complex floating", "numeric")
    for kind in (None, *kinds, ("bool", "real floating")):
        known = {name: np.dtype(each) for name, each in numpys.dtypes(kind=kind).items()}
        known = {name: dtype for name, dtype in known.items() if dtype.kind != "c"}
        assert ours.dtypes(kind=kind) == known
        assert all(samesum.max(np.ones(2, dtype)).dtype == dtype for dtype in known.values())
    with pytest.raises(samesum.ArgumentError, match="there is no kind 'float' of dtypes; allowed are bool"):
        ours.dtypes(kind="float")
    with pytest.raises(samesum.ArgumentError, match="there is no device 'cuda'; allowed is 'cpu'"):
        ours.default_dtypes(device="cuda")
