"""Prefix products in float64: near one, far from it, beside the ends of the range and beyond them."""

from __future__ import annotations

from functools import partial

import numpy as np
import pytest

import scan_lines
from naming import looped
from samesum import _core
from samesum.algebra.rows import CUMULATIVE_PROD, PROD
from samesum.engine import memory
from samesum.formats.arrays import NDArray

F64 = np.dtype(np.float64)

check_lines = partial(scan_lines.check, CUMULATIVE_PROD)


def powers(shape: tuple[int, ...], low: float, high: float, seed: int) -> NDArray:
    """Values of either sign whose logarithms are uniform."""
    generator = np.random.default_rng(seed)
    return np.asarray(np.exp2(generator.uniform(low, high, shape)) * generator.choice([-1.0, 1.0], shape))


def with_one(x: NDArray, value: float, column: int) -> NDArray:
    changed = x.copy()
    changed[::2, column] = value
    return changed


KINDS: dict[str, NDArray] = {
    "near one": 1 + 1e-4 * np.random.default_rng(1).standard_normal((18, 77)),
    "decay to zero": powers((17, 160), -20, 2, 2),
    "decay below 2^-300": powers((17, 40), -40, 2, 3),
    "subnormals": np.concatenate([powers((40, 4), -255.6, -255.0, 4), powers((40, 60), -1.2, 0.2, 5)], axis=1),
    "at the least normal": np.concatenate([powers((40, 2), -511.2, -510.9, 6), powers((40, 30), -0.3, 0.3, 7)], axis=1),
    "growth to infinity": powers((17, 80), 0, 40, 8),
    "at the greatest": np.concatenate([powers((40, 2), 511.7, 512.0, 9), powers((40, 30), -0.3, 0.3, 10)], axis=1),
    "out and back": np.concatenate([powers((17, 60), -60, -20, 11), powers((17, 60), 20, 60, 12)], axis=1),
    "elements beyond 2^64": powers((17, 64), -150, 150, 13),
    "elements of every size": powers((17, 64), -1074, 1023, 14),
    "few bits": np.random.default_rng(15).choice([1.0, 3.0, -5.0, 7.0, 0.5, 6.0], (25, 64)),
    "powers of two": np.exp2(np.random.default_rng(16).integers(-30, 25, (17, 64)).astype(F64)),
}

each_kind = pytest.mark.parametrize("kind", KINDS)


@each_kind
def test_lines_columns_and_short_lines(kind: str) -> None:
    x = KINDS[kind]
    check_lines(x)
    check_lines(x[:, :8].copy())
    check_lines(x[:, :16].copy())
    check_lines(x[:, :3].copy())
    check_lines(x[:5].copy())


@looped("kind", KINDS)
@pytest.mark.parametrize("value", [0.0, -0.0, np.inf, -np.inf, np.nan, 5e-324], ids=str)
def test_special_elements_in_the_middle(kind: str, value: float) -> None:
    x = KINDS[kind][:12]
    check_lines(with_one(x, value, 13))
    check_lines(with_one(with_one(x[:, :30].copy(), 0.0, 9), value, 21))
    check_lines(with_one(with_one(x[:, :30].copy(), -np.inf, 9), value, 21))


@pytest.mark.usefixtures("each_instruction_set")
@each_kind
def test_each_instruction_set(kind: str) -> None:
    x = KINDS[kind]
    check_lines(x[:11])
    check_lines(with_one(x[:11, :24].copy(), -0.0, 5))


def test_subnormal_ties() -> None:
    """Odd numbers of half the least subnormal, and what is next to them."""
    odd = 2.0 * np.arange(1, 42) + 1
    around = np.array([1.0, 1 + 2**-52, 1 - 2**-53])
    lines = [[2.0**-537, sign * count * 2.0**-538, near, 1.0] for count in odd for near in around for sign in (1, -1)]
    check_lines(np.array(lines))
    check_lines(np.concatenate([np.array(lines), np.ones((len(lines), 28))], axis=1))


@pytest.mark.parametrize("name", ["float16", "float32"])
def test_narrower_elements(name: str) -> None:
    generator = np.random.default_rng(17)
    for scale in (1e-3, 1.0, 30.0):
        x = (1 + scale * generator.standard_normal((18, 200))).astype(name)
        check_lines(x, dtype=F64)
        check_lines(x[:, :8].copy(), dtype=F64)
    x[:, 20] = 0
    x[::3, 30] = np.inf
    check_lines(x, dtype=F64)


def test_float32_that_underflows_a_double_and_comes_back() -> None:
    """Eight of the least float32 are less than the least double; sixteen of the greatest make it infinite."""
    x = np.ones((9, 64), np.float32)
    x[:, :8] = np.float32(1e-45)
    x[:, 8:32] = np.float32(3e38)
    check_lines(x)
    check_lines(x, dtype=F64)
    x[:, 6:8] = np.float32(3e38)
    check_lines(x)


@pytest.mark.usefixtures("restored_threads")
@pytest.mark.parametrize("spread", [1e-5, 0.05, 1.0], ids=str)
def test_long_lines_in_parts(spread: float) -> None:
    generator = np.random.default_rng(18)
    x = 1 + spread * generator.standard_normal(80_003)
    _core.set_num_threads(1)
    got = memory.scan(CUMULATIVE_PROD, x, 0)
    columns = memory.scan(CUMULATIVE_PROD, np.stack([x, x], axis=1).copy(), 0)
    assert got.tobytes() == columns[:, 1].tobytes()
    for n in (999, 5_000, 28_672, 40_001, 80_003):
        total = memory.reduce(PROD, x[:n])
        assert got[n - 1 : n].tobytes() == total.tobytes(), n


def test_hardly_any_prefix_is_made_exactly() -> None:
    """Not of what decays through the subnormals, nor of what meets a zero before."""
    for kind in ("near one", "decay to zero", "decay below 2^-300", "subnormals", "out and back"):
        whole = KINDS[kind]
        for x in (whole,) if kind == "subnormals" else (whole, with_one(whole, 0.0, 7)):
            for data, axis in ((x, 1), (np.ascontiguousarray(x.T), 0)):
                _core.reset_counters()
                memory.scan(CUMULATIVE_PROD, data, axis)
                assert _core.counters()["scan_superaccumulator"] == 0, (kind, axis)
