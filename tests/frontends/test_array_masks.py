"""`where=`: the elements that a mask chooses give the bits of an array of those alone, in every layout of both."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from math import prod
from typing import Any

import ml_dtypes
import numpy as np
import pytest

import samesum as ss
from bits import below, mix
from naming import looped
from oracle import assert_bits
from samesum.algebra.rows import REDUCTIONS
from samesum.errors import DtypeError, ShapeError
from samesum.formats.arrays import NDArray

NAMES = [row.name for row in REDUCTIONS]
POSITIONS = ("argmin", "argmax")
DTYPES = [
    np.dtype(each)
    for each in (
        "bool", "int8", "uint16", "int32", "uint64", "float16", ml_dtypes.bfloat16, "float32", "float64",
        ml_dtypes.float8_e4m3fn, ml_dtypes.float8_e5m2fnuz,
    )
]  # fmt: skip
SHAPES = [
    ((9,), None), ((5, 8), 1), ((90, 8), 1), ((90, 8), 0), ((3, 700), 1), ((700, 3), 0), ((20, 15, 12), 1),
    ((20, 15, 12), (0, 2)), ((20, 15, 12), None), ((900, 33), 0), ((2, 90, 100), 1), ((20000,), None), ((8, 5), ()),
    ((0, 3), 1), ((40, 3, 6), 1),
]  # fmt: skip


def data(dtype: np.dtype[Any], shape: tuple[int, ...], seed: int) -> NDArray:
    """Small numbers of both signs, infinities and -0 among the floats."""
    x = below(201, prod(shape), seed) - (0 if dtype.kind in "bu" else 100)
    if dtype.kind in "iub":
        return np.asarray(x % 100 - (0 if dtype.kind != "i" else 50)).astype(dtype).reshape(shape)
    x = x / 64
    x[::7] = -0.0
    return np.asarray(x.astype(dtype).reshape(shape))


def mask_of(shape: tuple[int, ...], seed: int) -> NDArray:
    return np.asarray((mix(prod(shape), seed) % 5 < 3).reshape(shape))


def masks(shape: tuple[int, ...], seed: int) -> Iterator[NDArray]:
    yield mask_of(shape, seed)
    yield np.asfortranarray(mask_of(shape, seed + 1))[::-1]
    yield mask_of(shape[-1:], seed + 2)
    yield mask_of((*shape[:1], *(1,) * (len(shape) - 1)), seed + 3)
    yield np.ones((), np.bool_)


def layouts(x: NDArray) -> Iterator[NDArray]:
    yield x
    yield x[::-1, ...]
    yield np.asfortranarray(x)
    wide = np.zeros((*x.shape[:-1], 2 * x.shape[-1] + 1), x.dtype)
    wide[..., 1::2] = x
    yield wide[..., 1::2]
    if x.dtype.kind in "iuf" and x.dtype.itemsize > 1:
        yield x.astype(x.dtype.newbyteorder())


def sets_of(x: NDArray, axis: Any) -> NDArray:
    """The kept axes and, last, the elements of each set in row-major order."""
    axes = range(x.ndim) if axis is None else axis if isinstance(axis, tuple) else (axis,)
    kept = [i for i in range(x.ndim) if i not in axes]
    moved = np.transpose(x, [*kept, *axes])
    return moved.reshape(*(x.shape[i] for i in kept), -1 if x.size else prod(x.shape[i] for i in axes))


def takes(name: str, dtype: np.dtype[Any], axis: Any) -> bool:
    if name in POSITIONS and isinstance(axis, tuple):
        return False
    try:
        getattr(ss, name)(np.ones(1, dtype))
    except DtypeError:
        return False
    return True


def check(name: str, x: NDArray, axis: Any, mask: NDArray, most: int = 12) -> None:
    function: Any = getattr(ss, name)
    sets, chosen = sets_of(x, axis), sets_of(np.broadcast_to(mask, x.shape), axis)
    places = [*np.ndindex(sets.shape[:-1])]
    call = f"ss.{name}: {x.dtype} {x.shape} {x.strides} axis {axis}, where {mask.shape} {mask.strides}"
    if name in ("min", "max", *POSITIONS) and not chosen.any(-1).all():
        with pytest.raises(ShapeError, match="of an empty set"):
            function(x, axis, where=mask)
        return
    got = np.asarray(function(x, axis, where=mask))
    for place in places[:: max(1, len(places) // most)]:
        expected = function(np.ascontiguousarray(sets[place][chosen[place]]))
        if name in POSITIONS:
            expected = np.flatnonzero(chosen[place])[expected]
        assert_bits(got[place], expected, f"{call}, output {place}")


@looped("dtype", DTYPES)
@looped("name", NAMES)
def test_the_bits_are_those_of_the_chosen_elements_alone(name: str, dtype: np.dtype[Any]) -> None:
    for seed, (shape, axis) in enumerate(SHAPES):
        if not takes(name, dtype, axis):
            continue
        x = data(dtype, shape, seed)
        for mask in masks(shape, seed):
            check(name, x, axis, mask)


@looped("name", NAMES)
@pytest.mark.parametrize("axis", [None, 0, 1, 2])
def test_every_layout_of_the_array(name: str, axis: Any) -> None:
    for dtype in (np.dtype(np.float32), np.dtype(np.int16)):
        x = data(dtype, (24, 18, 9), 5)
        for other in layouts(x):
            check(name, other, axis, mask_of(x.shape, 6), 6)


@looped("name", NAMES)
@pytest.mark.parametrize(("shape", "axis"), [((600_000,), None), ((300, 2000), 0), ((300, 2000), 1), ((9, 60_000), 0)])
def test_on_several_threads(name: str, shape: tuple[int, ...], axis: Any) -> None:
    x = data(np.dtype(np.float32), shape, 1) + np.float32(1e-3)
    check(name, x, axis, mask_of(shape, 2), 5)
    check(name, x, axis, np.ones(shape, np.bool_), 5)


@pytest.mark.parametrize("name", ["sum", "mean", "var", "std", "l2_norm", "prod"])
def test_fractions_are_the_oracle(name: str) -> None:
    x = np.ldexp(data(np.dtype(np.float64), (6, 50), 3), below(40, 300, 4).reshape(6, 50) - 20) + 1e6
    mask = mask_of(x.shape, 9)
    got: Any = getattr(ss, name)(x, 1, where=mask)
    for row, chosen, result in zip(x, mask, got, strict=True):
        values = [Fraction(float(each)) for each in row[chosen]]
        if name == "prod":
            assert_bits(result, np.float64(float(prod(values))))
            continue
        total = sum(values)
        centred = sum((each - total / len(values)) ** 2 for each in values) / len(values)
        square = {"std": centred, "l2_norm": sum(each * each for each in values)}.get(name)
        if square is None:
            exact = {"sum": total, "mean": total / len(values), "var": centred}[name]
            assert_bits(result, np.float64(float(exact)))
        else:
            below_it, above_it = (Fraction(float(np.nextafter(result, side))) for side in (0, np.inf))
            here = Fraction(float(result))
            assert ((below_it + here) / 2) ** 2 <= square <= ((here + above_it) / 2) ** 2


def test_elements_that_are_not_chosen_do_not_matter() -> None:
    x = np.array([[1.0, np.nan, 2.0], [np.inf, 3.0, -np.inf]])
    mask = np.array([[True, False, True], [False, True, False]])
    assert ss.sum(x, where=mask) == 6
    assert ss.prod(x, where=mask) == 6
    assert (ss.min(x, where=mask), ss.max(x, where=mask)) == (1, 3)
    assert (ss.argmin(x, where=mask), ss.argmax(x, where=mask)) == (0, 4)
    assert ss.var(x, where=mask) == ss.var(np.array([1.0, 2.0, 3.0]))


def test_the_position_among_infinities() -> None:
    x = np.array([[np.inf, np.inf, np.inf], [np.nan, -np.inf, np.inf]])
    mask = np.array([[False, True, True], [False, True, True]])
    assert ss.argmin(x, 1, where=mask).tolist() == [1, 1]
    assert ss.argmin(x, 1, where=mask, select_last_index=True).tolist() == [2, 1]
    assert ss.argmax(-x, 1, where=mask).tolist() == [1, 1]


@looped("name", NAMES)
def test_nothing_chosen_is_an_empty_set(name: str) -> None:
    function: Any = getattr(ss, name)
    for x in (np.ones((2, 3)), np.ones((2, 3), np.int32)):
        try:
            expected = function(x[:, :0], 1)
        except ShapeError:
            with pytest.raises(ShapeError, match=r"of an empty set: where chooses nothing in 2 of 2 sets"):
                function(x, 1, where=False)
        else:
            assert_bits(function(x, 1, where=False), expected)


def test_several_of_one_mask_are_those_of_their_functions() -> None:
    x, mask = data(np.dtype(np.float32), (40, 60), 1), mask_of((40, 60), 2)
    for axis in (None, 0, 1):
        for name, got in ss.reduce(x, NAMES, axis=axis, where=mask).items():  # type: ignore[arg-type]
            function: Any = getattr(ss, name)
            assert_bits(got, function(x, axis, where=mask), name)


def test_out_may_be_what_is_read() -> None:
    x = data(np.dtype(np.float64), (30, 20), 1)
    mask = mask_of(x.shape, 3)
    expected = ss.sum(x, 0, where=mask)
    assert_bits(ss.sum(x, 0, out=x[7], where=mask), expected)
    truths = mask.copy()
    expected_truths = ss.any(x, 0, where=mask)
    assert_bits(ss.any(x, 0, out=truths[4], where=truths), expected_truths)


def test_a_result_of_another_type_and_correction() -> None:
    x, mask = data(np.dtype(np.float32), (50,), 1) + np.float32(0.1), mask_of((50,), 2)
    for name in ("sum", "mean", "var", "l2_norm", "logsumexp"):
        function: Any = getattr(ss, name)
        assert_bits(function(x, where=mask, dtype=np.float64), function(x[mask], dtype=np.float64), name)
    assert ss.var(x, where=mask, correction=1) == ss.var(x[mask], correction=1)
    assert np.isnan(ss.var(x, where=np.arange(50) == 7, correction=1))


@pytest.mark.parametrize("mask", [[1, 0, 1], np.ones(3), np.zeros(3, np.uint8)])
def test_a_mask_is_of_bool(mask: Any) -> None:
    with pytest.raises(DtypeError, match=r"where has dtype \w+; allowed is bool"):
        ss.sum(np.ones(3), where=mask)


@pytest.mark.parametrize("shape", [(2,), (3, 2), (1, 2, 3), (2, 3, 1)])
def test_a_mask_broadcasts_to_the_array(shape: tuple[int, ...]) -> None:
    with pytest.raises(ShapeError, match=r"where has shape \(.*\), which does not broadcast to \(2, 3\)"):
        ss.sum(np.ones((2, 3)), where=np.ones(shape, np.bool_))


def test_a_mask_may_be_a_list() -> None:
    assert ss.sum([1, 2, 3], where=[True, False, True]) == 4


@looped("dtype", ["float16", ml_dtypes.bfloat16, "float32", "float64"])
@pytest.mark.parametrize("given", ["float16", "float32", "float64", "int16", "uint64"])
def test_logarithms_of_another_type(dtype: Any, given: str) -> None:
    x = np.zeros(2, given)
    assert_bits(ss.logsumexp(x, dtype=dtype), np.array(0.6931471805599453, dtype)[()])
    assert_bits(ss.log_sum(x + 5, dtype=dtype), np.array(2.302585092994046, dtype)[()])
    assert_bits(ss.reduce(x, ["logsumexp"], dtype=dtype)["logsumexp"], np.array(0.6931471805599453, dtype)[()])
    with pytest.raises(DtypeError, match="allowed are float dtypes"):
        ss.logsumexp(x, dtype=np.int64)
