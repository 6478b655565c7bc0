"""Elementary functions of each element: correctly rounded, float64 within its bound; special values as IEEE."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import mpmath
import numpy as np
import pytest

import cases
from elementary import FUNCTIONS, around_one, correctly_rounded, every, exactly, specials, ulps_off
from naming import looped
from oracle import assert_bits, bits_of, form_of
from samesum.engine import elementwise
from samesum.engine.elementwise import exponential, logarithm
from samesum.formats.arrays import NDArray

Function = Callable[[NDArray], NDArray]

OURS: dict[str, Function] = {
    "exp": exponential,
    "log": logarithm,
    "sigmoid": elementwise.sigmoid,
    "tanh": elementwise.tanh,
    "erf": elementwise.erf,
    "gelu": elementwise.gelu,
    "gelu_tanh": elementwise.gelu_tanh,
    "softplus": elementwise.softplus,
    "sin": elementwise.sine,
    "cos": elementwise.cosine,
}
HALVES = cases.FLOATS[:2]

each_function = pytest.mark.parametrize("name", OURS)
each_float = pytest.mark.parametrize("dtype", cases.FLOATS, ids=str)


@looped("name", OURS)
@pytest.mark.parametrize("dtype", HALVES, ids=str)
def test_every_number_of_16_bits(name: str, dtype: np.dtype[Any]) -> None:
    """By the table that as many numbers have, in another order, too; and by the loops that fewer take."""
    x = every(dtype)
    expected = correctly_rounded(*FUNCTIONS[name], dtype, x)
    assert_bits(OURS[name](x), expected, name)
    assert_bits(OURS[name](x.reshape(256, 256).T), expected.reshape(256, 256).T, name)
    for part in (slice(None, x.size // 2), slice(x.size // 2, None)):
        assert_bits(OURS[name](x[part]), expected[part], name)


@each_function
def test_float32(name: str) -> None:
    dtype = np.dtype(np.float32)
    bits = np.concatenate([cases.mix(200_000, 5) >> np.uint64(32), np.arange(0, 1 << 32, 65537, np.uint64)])
    mild = (cases.make("normal", np.float64, 50_000, 9) * 4).astype(dtype)
    x = np.concatenate([bits.astype(np.uint32).view(dtype), around_one(dtype, 2000), specials(dtype), mild])
    assert_bits(OURS[name](x), correctly_rounded(*FUNCTIONS[name], dtype, x), name)


@pytest.mark.usefixtures("each_instruction_set")
@each_function
def test_float32_results_next_to_the_middle_of_two(name: str) -> None:
    """Within 2^-41 of it, relatively: as near as the bounds with which results in float64 are accepted."""
    quick, exact = FUNCTIONS[name]
    rng = np.random.default_rng(11)
    x = (rng.normal(size=1_000_000) * 2.0 ** rng.uniform(-6, 4, 1_000_000)).astype(np.float32)
    x = np.abs(x) if name == "log" else x
    with np.errstate(all="ignore"):
        y = quick(x.astype(np.float64))
    places = bits_of(y) & np.uint64((1 << 29) - 1)
    near = np.abs(places.astype(np.int64) - (1 << 28)) < 1 << 12
    hard = x[near & (np.abs(y) > 1e-37) & (np.abs(y) < 1e38)]
    assert len(hard) >= 5
    expected = np.array([exactly(exact, hard.dtype, each) for each in hard], np.uint32)
    assert_bits(OURS[name](hard), expected.view(np.float32), name)


@pytest.mark.slow
@pytest.mark.parametrize("tenth", range(10))
@each_function
def test_every_float32(name: str, tenth: int) -> None:
    """Tests of their own, so that each share of the slow tests has a tenth of the numbers of every function."""
    dtype, step = np.dtype(np.float32), 1 << 22
    for first in range(tenth, 1 << 32, 10 * step):
        codes = np.arange(first, min(first + 10 * step, 1 << 32), 10, dtype=np.uint64)
        x = codes.astype(np.uint32).view(dtype)
        assert_bits(OURS[name](x), correctly_rounded(*FUNCTIONS[name], dtype, x), f"{name} from {first:#x}")


SPECIAL = {
    "exp": [(0.0, 1.0), (-0.0, 1.0), (np.inf, np.inf), (-np.inf, 0.0), (np.nan, np.nan), (1e4, np.inf), (-1e4, 0.0)],
    "log": [(0.0, -np.inf), (-0.0, -np.inf), (np.inf, np.inf), (-np.inf, np.nan), (np.nan, np.nan), (1.0, 0.0)]
    + [(-1.0, np.nan), (-1e-4, np.nan)],
    "sigmoid": [(0.0, 0.5), (-0.0, 0.5), (np.inf, 1.0), (-np.inf, 0.0), (np.nan, np.nan), (1e4, 1.0), (-1e4, 0.0)],
    "tanh": [(0.0, 0.0), (-0.0, -0.0), (np.inf, 1.0), (-np.inf, -1.0), (np.nan, np.nan), (1e4, 1.0), (-1e4, -1.0)],
    "erf": [(0.0, 0.0), (-0.0, -0.0), (np.inf, 1.0), (-np.inf, -1.0), (np.nan, np.nan), (1e4, 1.0), (-1e4, -1.0)],
    "gelu": [(0.0, 0.0), (-0.0, -0.0), (np.inf, np.inf), (-np.inf, -0.0), (np.nan, np.nan), (-1e4, -0.0), (64.0, 64.0)],
    "softplus": [(0.0, np.log(2)), (np.inf, np.inf), (-np.inf, 0.0), (np.nan, np.nan), (-1e4, 0.0), (64.0, 64.0)],
    "sin": [(0.0, 0.0), (-0.0, -0.0), (np.inf, np.nan), (-np.inf, np.nan), (np.nan, np.nan)],
    "cos": [(0.0, 1.0), (-0.0, 1.0), (np.inf, np.nan), (-np.inf, np.nan), (np.nan, np.nan)],
}
SPECIAL["gelu_tanh"] = SPECIAL["gelu"]


@each_float
@looped("name", OURS)
def test_special_values(name: str, dtype: np.dtype[Any]) -> None:
    x, expected = (np.array(column, np.float64).astype(dtype) for column in zip(*SPECIAL[name], strict=True))
    for place in range(len(x)):
        got = OURS[name](np.repeat(x[place], 19))
        assert_bits(
            got, np.repeat(np.abs(expected[place]) if expected[place] != expected[place] else expected[place], 19)
        )


@each_float
@looped("name", OURS)
def test_any_nan_gives_the_canonical_one(name: str, dtype: np.dtype[Any]) -> None:
    form = form_of(dtype)
    codes = [form.infinity + 1, form.infinity | form.sign | 3, form.nan | form.sign, form.nan | 1]
    x = np.concatenate([cases.from_bits(form, code, 5) for code in codes])
    assert set(bits_of(OURS[name](x)).tolist()) == {form.nan}


def hard_doubles() -> dict[str, NDArray]:
    """Where rounding, range reduction, tables and ends of the range are hardest."""
    rng = np.random.default_rng(7)
    tiny = rng.uniform(-1, 1, 800) * 2.0 ** rng.integers(-70, 0, 800)
    steps = np.arange(-1070, 1024, 0.37) * np.log(2) / 16
    ends = np.concatenate([rng.uniform(-745.2, -680, 2000), rng.uniform(709, 709.78, 400), [-708.0, 708.0, 709.78]])
    exps = np.concatenate([rng.uniform(-745, 709.7, 3000), tiny, steps, np.nextafter(steps, 0), ends])
    powers = 2.0 ** np.arange(-1074, 1024)
    near = 1 + rng.uniform(-1, 1, 2000) * 2.0 ** rng.integers(-52, -3, 2000)
    edges = np.repeat(np.arange(23, 50) / 32, 8) * (1 + rng.uniform(-1, 1, 216) * 2.0**-40)
    logs = np.concatenate([2.0 ** rng.uniform(-1074, 1023, 3000), powers, powers * 0.75, near, edges, [1.7e308]])
    mild = np.concatenate([rng.normal(size=1000) * 4, rng.uniform(-40, -10, 500), tiny[:300]])
    ends_of_curves = rng.uniform(-750, -590, 200)
    small = rng.normal(size=200) * 2.0 ** rng.integers(-1070, -20, 200)
    least = rng.uniform(-4, 4, 300) * 2.0**-1022
    turns = [rng.integers(1, 1 << 20, 300) * (np.pi / 2), rng.normal(size=400) * 2.0 ** rng.integers(0, 1020, 400)]
    return {
        "exp": exps,
        "log": logs[(logs > 0) & (logs != 1)],
        **dict.fromkeys(("sigmoid", "softplus"), np.concatenate([mild, ends_of_curves, small])),
        **dict.fromkeys(("tanh", "erf"), np.concatenate([mild, small, least])),
        "gelu": np.concatenate([mild, small, least, rng.uniform(-38.8, -37.2, 300), rng.uniform(-37.63, -37.58, 800)]),
        "gelu_tanh": np.concatenate(
            [mild, small, least, rng.uniform(-22.5, -21.0, 300), rng.uniform(-21.19, -21.15, 800)]
        ),
        **dict.fromkeys(("sin", "cos"), np.concatenate([mild, small, *turns, NEAREST_TO_A_TURN])),
    }


# The double nearest to a multiple of pi / 2, relatively, and one that a short reduction gets wrong (Muller et al.,
# "Handbook of Floating-Point Arithmetic", section 11.2).
NEAREST_TO_A_TURN = np.array([6381956970095103.0 * 2.0**797, 5.9885e16 * np.pi])


@each_function
def test_float64_is_within_its_bound(name: str) -> None:
    x = hard_doubles()[name]
    assert ulps_off(FUNCTIONS[name][1], OURS[name](x), x) < (0.51 if name in ("exp", "log") else 1)


# Results within 2^-58 of an ulp from a double or from the middle of two (Lefevre and Muller, "Worst cases for correct
# rounding of the elementary functions in double precision", 2001).
NEAR_TIES = ("0x1.9E9CBBFD6080Bp-31", "0x1.83D4BCDEBB3F4p+2", "-0x1.A2FEFEFD580DFp-13")


def test_float64_exponentials_where_rounding_is_hard() -> None:
    x = np.array([float.fromhex(text) for text in NEAR_TIES])
    assert ulps_off(mpmath.exp, exponential(x), x) < 0.501


def test_subnormal_results_are_rounded_once() -> None:
    """The least exponents, in units of the least subnormal, whose results are decided by mpmath."""
    x = np.float64([-745.13, -744.5, -744.44, -740.1, -720.25, -708.4])
    with mpmath.workprec(200):
        expected = [int(mpmath.nint(mpmath.exp(mpmath.mpf(float(v))) * mpmath.mpf(2) ** 1074)) for v in x]
    assert bits_of(exponential(x)).tolist() == expected
