"""All and any: zeros of either sign are false, everything else is true, wherever it stands."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from bits import FLOATS
from samesum import _core
from samesum.algebra.rows import ALL, ANY
from samesum.engine import memory
from samesum.engine.memory import KEEPDIMS
from searching import DTYPES, any_bits, check_truth, few_values

each_dtype = pytest.mark.parametrize("dtype", DTYPES, ids=str)
LENGTHS = (1, 2, 3, 15, 16, 17, 31, 32, 33, 63, 64, 65, 127, 129, 255, 257, 1025, 2047, 2048, 2049, 8191, 8192, 8193)


@each_dtype
def test_one_element_decides_at_every_position(dtype: np.dtype[Any]) -> None:
    for n in LENGTHS:
        for at in {0, 1 % n, n // 2, n - 2 if n > 1 else 0, n - 1}:
            for rest in (0, 1):
                x = np.full((3, n), rest, dtype)
                x[1, at] = 1 - rest
                check_truth(x, (1,), f"{n}, {at}")
                check_truth(np.ascontiguousarray(x.T), (0,), f"{n}, {at}, columns")
                check_truth(x[1], (0,), f"{n}, {at}, flat")


@each_dtype
def test_every_layout(dtype: np.dtype[Any]) -> None:
    for x in (few_values(dtype, 5 * 7 * 9, 3, 2), any_bits(dtype, 5 * 7 * 9, 4), np.ones(5 * 7 * 9, dtype)):
        x = x.reshape(5, 7, 9)
        views = [x, np.asfortranarray(x), x[::-1, ::2, ::-3], np.broadcast_to(x[:, :1], x.shape), x.transpose(1, 2, 0)]
        views += [] if dtype.name == "bfloat16" else [x.astype(dtype.newbyteorder())]
        for view in views:
            for axes in ((), (0,), (1,), (2,), (0, 2), (1, 2), (0, 1, 2)):
                check_truth(view, axes)


@each_dtype
def test_each_bit_makes_a_value_true_but_the_sign_of_a_zero(dtype: np.dtype[Any]) -> None:
    if dtype.kind == "b":
        x = np.array([0, 1, 2, 4, 128, 255], np.uint8).view(np.bool_)
        assert memory.reduce(ANY, x[:, None], (1,)).tolist() == [False, *[True] * 5]
        return
    bits = 8 * dtype.itemsize
    x = np.array([1 << bit for bit in range(bits)], f"u{dtype.itemsize}").view(dtype)
    want = [True] * (bits - 1) + [dtype not in FLOATS]
    for row in (ALL, ANY):
        assert memory.reduce(row, x[:, None], (1,)).tolist() == want
        assert memory.reduce(row, np.tile(x, (40, 1)), (0,)).tolist() == want


@pytest.mark.parametrize("dtype", FLOATS, ids=str)
def test_nan_is_true(dtype: np.dtype[Any]) -> None:
    x = np.array([np.nan, -np.nan, np.inf, -np.inf], dtype)
    check_truth(x, (0,))
    assert bool(memory.reduce(ALL, x))
    assert not bool(memory.reduce(ALL, np.append(x, np.array(-0.0, dtype))))


@pytest.mark.usefixtures("restored_threads")
def test_threads() -> None:
    size = 3 << 19
    for shape in ((size,), (768, 2048), (1 << 19, 3), (3, 1 << 19)):
        for at in (None, 0, size // 2, size - 1):
            for rest in (0, 1):
                x = np.full(size, rest, np.float32)
                if at is not None:
                    x[at] = 1 - rest
                for threads in (1, 2, 3, 7):
                    _core.set_num_threads(threads)
                    for axes in {(0,), (len(shape) - 1,), tuple(range(len(shape)))}:
                        check_truth(x.reshape(shape), axes, f"{at}, {threads} threads")


@each_dtype
def test_each_instruction_set(each_instruction_set: str, dtype: np.dtype[Any]) -> None:
    for n in (1, 7, 33, 64, 100, 333, 2100):
        for x in (few_values(dtype, 3 * n, n, 2), any_bits(dtype, 3 * n, n), np.ones(3 * n, dtype)):
            check_truth(x.reshape(3, n), (1,), each_instruction_set)
            check_truth(x.reshape(n, 3), (0,), each_instruction_set)
            check_truth(x, (0,), each_instruction_set)


def test_all_of_nothing_is_true_and_any_of_nothing_false() -> None:
    for dtype in DTYPES:
        x = np.zeros((2, 0), dtype)
        assert memory.reduce(ALL, x, (1,)).tolist() == [True, True]
        assert memory.reduce(ANY, x, (1,), KEEPDIMS).tolist() == [[False], [False]]
        assert memory.reduce(ALL, x, (0,)).shape == (0,)
