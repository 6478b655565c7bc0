"""`_core.convolve` against exact integers: few rows of few terms, Winograd's products, what each leaves in doubt."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import cases
from contraction_oracle import contracted
from naming import case, looped
from oracle import assert_bits
from samesum import _core
from samesum.formats.arrays import NDArray

pytestmark = pytest.mark.usefixtures("each_instruction_set")

NARROW = tuple(dtype for dtype in cases.FLOATS if dtype.itemsize < 8)
each_narrow = pytest.mark.parametrize("dtype", NARROW, ids=str)
WINOGRAD = "contraction.winograd"


def numbers(shape: tuple[int, ...], dtype: Any, kind: str, seed: int) -> NDArray:
    rng = np.random.default_rng([seed, *shape])
    x = rng.standard_normal(shape)
    spread = 12 if np.dtype(dtype).itemsize == 4 else 3
    if kind == "spread":
        x *= 2.0 ** rng.integers(-spread, spread, shape)
    elif kind == "whole":
        x = rng.integers(-3, 4, shape).astype(float)
    elif kind == "many zeros":
        x = np.maximum(x - 1, 0)
    elif kind == "tiny":
        x *= float(np.finfo(np.float32).tiny) ** 0.5 if spread == 12 else 2.0**-9
    elif kind == "one of them large":
        x.ravel()[rng.integers(0, x.size)] *= 2.0 ** (2 * spread)
    elif kind == "special":
        x.ravel()[rng.integers(0, x.size, 3)] = [np.inf, -np.inf, np.nan]
    return x.astype(dtype)


def check(x: NDArray, weight: NDArray, term: NDArray | None, pads: tuple[int, int], stride: int = 1) -> None:
    """Of data (groups, channels, size) and weights (groups, results, channels, taps): a batch of two, along one axis.

    The second of the batch is the first one mirrored.
    """
    groups, results, _, taps = weight.shape
    both = np.stack([x, x[..., ::-1]])
    padded = np.pad(both, ((0, 0), (0, 0), (0, 0), pads))
    windows = np.lib.stride_tricks.sliding_window_view(padded, taps, axis=3)[..., ::stride, :]
    out = np.empty((2, groups, results, windows.shape[3]), x.dtype)
    _core.convolve(both, weight, term, out, [(-pads[0], stride, 1)])
    for n, g in np.ndindex(2, groups):
        columns = windows[n, g].transpose(1, 0, 2).reshape(windows.shape[3], -1)
        added = None if term is None else np.broadcast_to(term, out.shape)[n, g]
        assert_bits(out[n, g], contracted(weight[g].reshape(results, -1), columns, added), f"image {n}, group {g}")


def times_taken(route: str, call: Any) -> int:
    before = _core.routes()[route]
    call()
    return _core.routes()[route] - before


@each_narrow
@looped("kind", ("normal", "spread", "whole", "many zeros", "tiny", "one of them large", "special"))
def test_few_rows_of_few_terms(dtype: np.dtype[Any], kind: str) -> None:
    for results, channels, taps, size, stride in (
        (1, 1, 3, 29, 1),
        (3, 1, 5, 12, 2),
        (7, 2, 1, 40, 3),
        (2, 43, 3, 9, 1),
    ):
        with case(results, channels, taps, size, stride):
            x, w = (numbers(s, dtype, kind, 1) for s in ((2, channels, size), (2, results, channels, taps)))
            check(x, w, None, (1, 2), stride)
            check(x, w, numbers((2, results, 1), dtype, "normal", 3), (taps - 1, 0), stride)
            check(x, w, numbers((2, results, (size + taps) // stride), dtype, kind, 3)[..., :1], (0, 1), stride)


@each_narrow
def test_few_terms_next_to_ties(dtype: np.dtype[Any]) -> None:
    """Windows of a number, half of its last place and some tiny part of that, which decides."""
    digits, least = {2: (8, -60) if dtype.kind == "V" else (11, -24), 4: (24, -60)}[dtype.itemsize]
    rng = np.random.default_rng(9)
    x = np.empty((2, 1, 3 * 40), dtype)
    x[..., ::3] = 1 + rng.integers(0, 2 ** (digits - 1), (2, 1, 40)) * 2.0 ** (1 - digits)
    x[..., 1::3] = 2.0**-digits
    x[..., 2::3] = rng.choice([-1, 0, 1], (2, 1, 40)) * 2.0**least
    check(x, np.ones((2, 2, 1, 3), dtype) * np.array([1, -1], dtype).reshape(1, 2, 1, 1), None, (0, 0))
    tie = np.array([2.0**-digits, -(2.0**-digits)], dtype).reshape(2, 1, 1)
    check(x[..., ::3], np.ones((2, 1, 1, 1), dtype), np.ascontiguousarray(tie), (0, 0))


@each_narrow
@looped("between", (3.0, 60000.0, np.nan))
def test_few_terms_beside_other_elements(dtype: np.dtype[Any], between: float) -> None:
    """What lies between the lines of the data is no part of them, whole elements or not; nor need all be near."""
    weight = numbers((2, 1, 1, 3, 3), dtype, "normal", 2)
    for height, width, more in ((6, 21, 5), (6, 21, 1 / dtype.itemsize), (4, 1900, 0)):
        pitch = round((width + more) * dtype.itemsize)
        room = np.full(2 * height * (width + 8), between).astype(dtype).view(np.uint8)
        strides = (2 * height * pitch, height * pitch, height * pitch, pitch, dtype.itemsize)
        x: NDArray = np.ndarray((1, 2, 1, height, width), dtype, room, 0, strides)
        x[...] = numbers(x.shape, dtype, "normal", 1)
        out = np.empty((1, 2, 1, height - 2, width - 2), dtype)
        _core.convolve(x, weight, None, out, [(0, 1, 1)] * 2)
        windows = np.lib.stride_tricks.sliding_window_view(x.copy(), (3, 3), axis=(3, 4))
        for g in range(2):
            with case(width, more, g):
                columns = windows[0, g, 0].reshape(-1, 9)
                assert_bits(out[0, g].reshape(1, -1), contracted(weight[g].reshape(1, 9), columns, None))


@each_narrow
@looped("kind", ("normal", "spread", "whole", "many zeros", "tiny", "special"))
def test_winograds_products(dtype: np.dtype[Any], kind: str) -> None:
    channels, taps, size = {"normal": (16, 3, 93), "tiny": (9, 5, 90), "spread": (6, 7, 97)}.get(kind, (5, 10, 99))
    x, w = (numbers(s, dtype, kind, 5) for s in ((1, channels, size), (1, 17, channels, taps)))
    assert times_taken(WINOGRAD, lambda: check(x, w, None, (taps // 2, 1))) == 1
    check(x, w, numbers((1, 17, 1), dtype, "normal", 7), (0, taps))
    if kind == "special":
        check(x, w, numbers((2, 1, 17, size), dtype, kind, 7), (taps - 1, 0))


def test_convolutions_whose_products_cancel_begin_again() -> None:
    x, w = numbers((1, 8, 93), np.float32, "normal", 1), numbers((1, 16, 8, 3), np.float32, "normal", 2)
    x, w = np.concatenate([x, x], 1), np.concatenate([w, -w], 2)
    assert times_taken(WINOGRAD, lambda: check(x, w, None, (1, 1))) == 1
    nearly = np.nextafter(w, np.float32(9))
    nearly[:, :, :8] = w[:, :, :8]
    check(x, nearly, numbers((1, 16, 1), np.float32, "tiny", 3), (1, 1))
    few = numbers((3, 1, 40), np.float32, "whole", 1), np.float32([[[[1, -2, 1]]]] * 3)
    check(*few, None, (1, 1))
