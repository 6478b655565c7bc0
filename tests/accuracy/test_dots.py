"""`vecdot` against exact integers: every dtype and family, ties, cancellation, overflow and underflow on the way."""

from __future__ import annotations

from typing import Any

import ml_dtypes
import numpy as np
import pytest

import cases
import samesum as ss
from bits import below
from dot_oracle import dot
from naming import looped
from oracle import assert_bits
from samesum.formats.arrays import NDArray

pytestmark = pytest.mark.usefixtures("each_instruction_set")

LENGTHS = (1, 2, 3, 7, 8, 9, 16, 31, 33, 64, 130, 257)
FLOAT8 = tuple(
    np.dtype(getattr(ml_dtypes, f"float8_{name}"))
    for name in ("e3m4", "e4m3", "e4m3b11fnuz", "e4m3fn", "e4m3fnuz", "e5m2", "e5m2fnuz")
)
each_float = pytest.mark.parametrize("dtype", cases.FLOATS, ids=str)


def check(a: NDArray, b: NDArray, text: str, dtype: Any = None) -> None:
    """As lanes and as columns."""
    expected = dot(a, b, dtype)
    assert_bits(np.asarray(ss.vecdot(a, b, dtype=dtype)), expected, f"{text}, lanes")
    columns = np.ascontiguousarray(a.T), np.ascontiguousarray(b.T)
    assert_bits(np.asarray(ss.vecdot(*columns, axis=0, dtype=dtype)), expected, f"{text}, columns")


@each_float
@looped("n", LENGTHS)
def test_every_family(dtype: np.dtype[Any], n: int) -> None:
    names = sorted(cases.FAMILIES)
    a = np.stack([cases.make(name, dtype, n, i) for i, name in enumerate(names)])
    b = np.stack([cases.make(name, dtype, n, 100 + i) for i, name in enumerate(names)])
    check(a, b, f"families, {n} elements")
    check(a, np.roll(b, 1, 0), f"mixed families, {n} elements")


@each_float
def test_halves_that_cancel_and_halfway_results(dtype: np.dtype[Any]) -> None:
    """Two equal halves of opposite signs and one product more, or two that make a tie."""
    for n in (1, 5, 40):
        a, b = cases.make("normal", dtype, n, 1), cases.make("normal", dtype, n, 2)
        precision = {2: 8 if dtype.name == "bfloat16" else 11, 4: 24, 8: 53}[dtype.itemsize]
        tie = np.array([2.0 ** (precision - 1), 0.5]).astype(dtype)
        one = np.array([1.0, 1.0]).astype(dtype)
        tails = [(tie, one), (-tie, one), (tie[:1], one[:1]), (tie[:0], one[:0])]
        for x, y in tails:
            line = np.concatenate([a, x, -a]), np.concatenate([b, y, b])
            check(line[0][None], line[1][None], f"{n} pairs and {x}")


@pytest.mark.parametrize("n", [2, 9, 20, 40])
def test_float64_results_next_to_the_middle_of_two(n: int) -> None:
    """Pairs that nearly cancel, what is left of them in float64 taken away, and a tie: the sign of the rest decides."""
    rng = np.random.default_rng(n)
    a, b = (rng.normal(size=(300, n)) * 2.0 ** rng.integers(-20, 20, (300, n)) for _ in range(2))
    half = n // 2
    a[:, half : 2 * half] = -a[:, :half]
    b[:, half : 2 * half] = b[:, :half] * (1 + 2.0 ** -rng.integers(30, 53, (300, half)))
    left, power = dot(a, b), 2.0 ** rng.integers(0, 40, 300)
    a = np.concatenate([a, np.ones((300, 2)), -np.ones((300, 1))], 1)
    b = np.concatenate([b, np.stack([power, power * 2.0**-53, left], 1)], 1)
    check(a, b, f"{n} elements")


def test_products_beyond_the_range_of_float64_count_in_full() -> None:
    big, small = (
        np.array([1e300, 1e-300, 5e-324, 1e200, -1e300, 3.0]),
        np.array([1e300, 1e-300, 5e-324, 1e-290, 1e300, 0.5]),
    )
    for order in (np.arange(6), np.array([5, 4, 3, 2, 1, 0]), np.array([1, 2, 3, 1, 2, 3])):
        check(big[order][None], small[order][None], f"order {order}")
    half = np.array([[2.0**-537, 2.0**-600]])
    check(half, half[:, ::-1].copy(), "half of the least subnormal and less")
    check(np.array([[2.0**-537, 1.0]]), np.array([[2.0**-538, 2.0**-1074]]), "a tie among subnormals")
    check(
        np.array([[2.0**512, -(2.0**512)]]),
        np.array([[2.0**511, 2.0**511 * (1 + 2.0**-52)]]),
        "differences of large ones",
    )


@each_float
def test_what_is_not_finite(dtype: np.dtype[Any]) -> None:
    inf, nan = np.inf, np.nan
    pairs = [(inf, 1), (-inf, 2), (inf, 0), (nan, 0), (inf, inf), (-inf, inf), (0, nan), (3, -inf)]
    for length in (1, 3, 20, 2000):
        a, b = (np.ones((len(pairs), length), dtype) for _ in range(2))
        for i, (x, y) in enumerate(pairs):
            a[i, -1], b[i, -1] = x, y
        check(a, b, f"{length} elements")
        a[:, 0], b[:, 0] = inf, 1
        check(a, b, f"{length} elements after an infinity")


@pytest.mark.parametrize("dtype", FLOAT8, ids=str)
def test_floats_of_eight_bits(dtype: np.dtype[Any]) -> None:
    for n in (1, 2, 9, 100):
        codes = below(256, 24 * n, n).astype(np.uint8).view(dtype).reshape(2, 12, n)
        check(codes[0], codes[1], f"{n} codes")
        check(codes[0], codes[1], f"{n} codes as float32", np.float32)
        finite = np.where(np.isfinite(codes.astype(np.float32)), codes, dtype.type(0.75))
        check(finite[0], finite[1], f"{n} finite codes")


@pytest.mark.parametrize("dtype", FLOAT8, ids=str)
def test_products_that_vanish_in_float64_decide_ties_in_eight_bits(dtype: np.dtype[Any]) -> None:
    step = float(ml_dtypes.finfo(dtype).eps)  # type: ignore[no-untyped-call]
    for ties in ([1 + step / 2, -1 - step / 2], [1 + step * 3 / 2, -1 - step * 3 / 2]):
        for vanishing in (2.0**-600, -(2.0**-600), 2.0**-1074):
            a = np.array([[tie, vanishing] for tie in ties])
            check(a, np.array([[1.0, 2.0**-600]] * 2), f"{ties} and {vanishing}", dtype)


@pytest.mark.parametrize("dtype", cases.INTEGERS, ids=str)
def test_integers_wrap(dtype: np.dtype[Any]) -> None:
    for n in (1, 3, 17, 64, 200, 1000):
        a, b = (below(1 << 62, 6 * n, seed).astype(dtype).reshape(6, n) for seed in (n, n + 1))
        check(a, b, f"{n} integers")
        check(a, b, f"{n} integers as int64", np.int64)
        if dtype.itemsize < 8:
            check(a.astype(np.float64), b.astype(np.float64), f"{n} integers as floats", np.float32)
            assert_bits(
                ss.vecdot(a, b, dtype=np.float32), dot(a.astype(np.float64), b.astype(np.float64), np.float32), ""
            )


@each_float
def test_results_in_another_float_type(dtype: np.dtype[Any]) -> None:
    a, b = (cases.make("normal", dtype, 4000, seed).reshape(40, 100) for seed in (1, 2))
    for target in (*cases.FLOATS, *FLOAT8):
        check(a, b, f"in {target}", target)


@each_float
@pytest.mark.parametrize("family", ["normal", "ill_conditioned", "hidden_rests", "integers"])
def test_long_vectors(dtype: np.dtype[Any], family: str) -> None:
    a, b = (cases.make(family, dtype, 20000, seed) for seed in (1, 2))
    check(a[None], b[None], family)
    check(a.reshape(2, 10000), b.reshape(2, 10000), f"two of {family}")
