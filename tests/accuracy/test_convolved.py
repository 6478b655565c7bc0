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
@looped("kind", ("normal", "spread", "whole", "many zeros", "tiny", "special"))
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
