"""Fresh random data for each cell, easy or hard."""

from __future__ import annotations

import math
import zlib
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import ml_dtypes
import numpy as np

from samesum.formats.arrays import NDArray
from samesum_bench.cells import DTYPES, NORMAL, Cell, Question
from samesum_bench.operators import OPERATORS, Numbers

BLOCK = 1 << 20
LARGEST_INTEGER = 1000
# How far the logarithm of a product wanders, in bits.
SPREAD = 8.0

Generator = np.random.Generator


def draw(question: Question, seed: int) -> NDArray:
    """The array of the question's cell, as the view that the cell describes; the same for the same seed.

    Floats are standard normal, or what `data` says; integers go up to 1000 or to what the type holds. Some operators
    have data of their own: `all` no zeros, `any` nothing else, products what stays in range, logarithms of sums
    what is positive.
    """
    dtype, numbers = DTYPES[question.dtype], OPERATORS[question.operator].numbers
    key = [seed, zlib.crc32(question.key.encode())]
    if "float" in question.dtype and numbers is Numbers.ANY and question.data in HARD:
        return _hard(question.cell, dtype, HARD[question.data], np.random.default_rng(key))
    base, view = _array(question.cell, dtype)
    flat = base.reshape(-1)

    def fill(block: int) -> None:
        part = flat[block * BLOCK : (block + 1) * BLOCK]
        generator = np.random.Generator(np.random.SFC64([*key, block]))
        part[...] = _numbers(generator, part.size, dtype, numbers, question)

    with ThreadPoolExecutor() as pool:
        list(pool.map(fill, range(-(-flat.size // BLOCK))))
    return view


def _array(cell: Cell, dtype: np.dtype[Any]) -> tuple[NDArray, NDArray]:
    """The memory of the cell, and the array as a view of it."""
    order = cell.order or tuple(range(len(cell.shape)))
    base = np.empty([cell.shape[axis] for axis in order[:-1]] + [cell.shape[order[-1]] * cell.step], dtype)
    return base, base[..., :: cell.step].transpose(np.argsort(order))


def _numbers(generator: Generator, n: int, dtype: np.dtype[Any], numbers: Numbers, question: Question) -> NDArray:
    if numbers is Numbers.ZERO:
        return np.zeros(n, dtype)
    if dtype.kind == "b":
        return np.ones(n, dtype)
    if dtype.kind in "iu":
        return _integers(generator, n, dtype, numbers, question.data)
    wide = np.float64 if dtype == np.float64 else np.float32
    if numbers is Numbers.NEAR_ONE:
        spread = min(1.0, SPREAD / math.sqrt(question.cell.count))
        near: NDArray = np.exp2((generator.random(n, wide) - 0.5) * spread)
        return np.where(generator.integers(0, 2, n, np.int8) == 1, near, -near)
    if numbers is Numbers.POSITIVE or question.data == UNIFORM:
        return generator.random(n, wide)
    x = generator.standard_normal(n, wide)
    return np.where(x == 0, wide(1), x) if numbers is Numbers.NONZERO else x


def _integers(generator: Generator, n: int, dtype: np.dtype[Any], numbers: Numbers, data: str) -> NDArray:
    most = min(LARGEST_INTEGER, int(np.iinfo(dtype).max))
    least = -most if dtype.kind == "i" and data == NORMAL and numbers is not Numbers.POSITIVE else 0
    x = generator.integers(least, most, n, dtype=dtype, endpoint=True)
    return x | dtype.type(1) if numbers in (Numbers.NONZERO, Numbers.NEAR_ONE) else x


def _hard(cell: Cell, dtype: np.dtype[Any], lines: Callable[..., None], generator: Generator) -> NDArray:
    """Every set that is reduced is a line of `lines`."""
    _, view = _array(cell, dtype)
    kept = [axis for axis in range(len(cell.shape)) if axis not in cell.axes]
    drawn = np.zeros((cell.size // cell.count, cell.count), np.float64 if dtype == np.float64 else np.float32)
    lines(drawn, ml_dtypes.finfo(dtype), generator)  # type: ignore[no-untyped-call]
    shaped = drawn.reshape([cell.shape[axis] for axis in (*kept, *cell.axes)])
    view[...] = shaped.transpose(np.argsort([*kept, *cell.axes]))
    return view


def _cancelling(lines: NDArray, limits: Any, generator: Generator) -> None:
    """Every number stands against its negative, but for a middle one; the sum is far below the magnitudes."""
    half = lines.shape[1] // 2
    lines[...] = 2.0 ** -(limits.nmant + 20)
    lines[:, :half] = generator.standard_normal((len(lines), half))
    lines[:, lines.shape[1] - half :] = -generator.permuted(lines[:, :half], axis=1)


def _wide(lines: NDArray, limits: Any, generator: Generator) -> None:  # noqa: ARG001 - has the same shape as the others
    """Exponents all over the range of float32, a small part of it for the shorter types."""
    lines[...] = generator.standard_normal(lines.shape)
    lines *= np.exp2(generator.integers(-12, 12, lines.shape).astype(lines.dtype))


def _ties(lines: NDArray, limits: Any, generator: Generator) -> None:
    """Every sum lies halfway between two neighbours: 1, half a step, and pairs that cancel."""
    half = max(0, lines.shape[1] - 2) // 2
    lines[:, 0] = 1.0
    lines[:, 1:2] = 2.0 ** -(limits.nmant + 1)
    lines[:, 2 : 2 + half] = generator.integers(-8, 8, (len(lines), half)) / 4
    lines[:, 2 + half : 2 + 2 * half] = -lines[:, 2 : 2 + half]


def _spread(lines: NDArray, limits: Any, generator: Generator) -> None:  # noqa: ARG001
    """So far apart that powers of most elements vanish beside that of the greatest, and some are subnormal."""
    lines[...] = 50 * generator.standard_normal(lines.shape)


def _masked(lines: NDArray, limits: Any, generator: Generator) -> None:  # noqa: ARG001
    """Two of three elements are -inf."""
    lines[...] = np.where(generator.integers(0, 3, lines.shape) == 0, generator.standard_normal(lines.shape), -np.inf)


def _special(lines: NDArray, limits: Any, generator: Generator) -> None:  # noqa: ARG001
    """One element of a hundred is an infinity of either sign or NaN."""
    values = generator.choice([np.inf, -np.inf, np.nan], lines.shape)
    lines[...] = np.where(generator.integers(0, 100, lines.shape) == 0, values, generator.standard_normal(lines.shape))


def _zeros(lines: NDArray, limits: Any, generator: Generator) -> None:  # noqa: ARG001
    lines[...] = 0


def _large(lines: NDArray, limits: Any, generator: Generator) -> None:
    """Sums of a few are beyond the range of the type."""
    lines[...] = np.clip(generator.standard_normal(lines.shape), -3, 3) / 4 * float(limits.max)


def _subnormal(lines: NDArray, limits: Any, generator: Generator) -> None:
    units = generator.integers(1 - 2**limits.nmant, 2**limits.nmant, lines.shape)
    lines[...] = units * float(limits.smallest_subnormal)


def _exponents(lines: NDArray, limits: Any, generator: Generator) -> None:
    """Over the whole range of the type, subnormal numbers among them."""
    exponents = generator.integers(limits.minexp - limits.nmant, limits.maxexp, lines.shape)
    size = np.ldexp(1 + generator.random(lines.shape) / 2, exponents)
    lines[...] = np.where(generator.integers(0, 2, lines.shape) == 0, size, -size)


UNIFORM = "uniform"
HARD: dict[str, Callable[..., None]] = {
    "cancelling": _cancelling,
    "wide": _wide,
    "ties": _ties,
    "spread": _spread,
    "masked": _masked,
    "special": _special,
    "zeros": _zeros,
    "large": _large,
    "subnormal": _subnormal,
    "exponents": _exponents,
}
# How well the data behave; all but the first two concern the floats of sums, means, norms, extremes and so on.
DATA = (NORMAL, UNIFORM, *HARD)
