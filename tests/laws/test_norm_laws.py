"""The bits of a line that layer_norm, rms_norm or group_norm normalizes depend on its values and scales alone."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import cases
import samesum as ss
from drawing import offset
from guarded import at_the_end, needs_guards
from machines import same_everywhere
from modes import control, each_mode, in_mode, needs_mxcsr
from naming import looped
from oracle import assert_bits
from samesum.formats.arrays import NDArray

Function = Callable[..., NDArray]
FAMILIES = ("normal", "uniform", "anything_finite", "wide", "subnormals", "specials", "hidden_rests")
LENGTHS = (1, 7, 33, 130)


def grouped(
    x: NDArray, shape: int, weight: NDArray, bias: NDArray | None = None, out: NDArray | None = None
) -> NDArray:
    """Lines as samples of one group, in which each element is a channel."""
    assert x.shape[-1] == shape
    return ss.group_norm(x, 1, weight, bias, out=out)


def layered(x: NDArray, shape: int, weight: NDArray, bias: NDArray, out: NDArray | None = None) -> NDArray:
    return ss.layer_norm(x, shape, weight, bias, out=out)


def root_mean_square(x: NDArray, shape: int, weight: NDArray, _: NDArray, out: NDArray | None = None) -> NDArray:
    return ss.rms_norm(x, shape, weight, out=out)


each_function = pytest.mark.parametrize("function", [layered, root_mean_square, grouped], ids=lambda f: f.__name__)
each_float = pytest.mark.parametrize("dtype", cases.FLOATS, ids=str)


def drawn(dtype: np.dtype[Any], count: int, n: int) -> tuple[NDArray, NDArray, NDArray]:
    """Lines of all families, and a weight and a bias for them."""
    x = np.stack([cases.make(FAMILIES[i % len(FAMILIES)], dtype, n, i) for i in range(count)])
    return x, cases.make("normal", dtype, n, 100), cases.make("uniform", dtype, n, 101)


@looped("function", [layered, root_mean_square, grouped])
@looped("dtype", cases.FLOATS)
@pytest.mark.parametrize("n", LENGTHS)
def test_layout_and_batch(function: Function, dtype: np.dtype[Any], n: int) -> None:
    x, weight, bias = drawn(dtype, 12, n)
    expected = np.concatenate([function(line[None].copy(), n, weight, bias) for line in x])
    views = {
        "a batch": x,
        "columns as a transposed view": np.ascontiguousarray(x.T).T,
        "every second element": np.repeat(x, 2, 1)[:, ::2],
        "negative strides": x[:, ::-1].copy()[:, ::-1],
        "an odd address": offset(x, 3),
        "lines of a wider array": np.concatenate([x, x], 1)[:, :n],
    }
    if dtype.isbuiltin == 1:
        views["the other byte order"] = x.astype(dtype.newbyteorder())
    for name, view in views.items():
        assert_bits(function(view, n, weight, bias), expected, name)
    assert_bits(function(x[::-1], n, weight, bias)[::-1].copy(), expected, "lines in reverse")
    scales = np.repeat(weight, 2)[::2], offset(bias, 1)
    assert_bits(function(x, n, *scales), expected, "scales as views")


@each_function
@each_float
def test_into_an_array_that_is_there(function: Function, dtype: np.dtype[Any]) -> None:
    for n in LENGTHS:
        x, weight, bias = drawn(dtype, 12, n)
        expected = function(x, n, weight, bias)
        wide = np.zeros((12, 2 * n + 1), dtype)
        for name, out in {"columns": np.zeros((n, 12), dtype).T, "steps": wide[:, 1::2], "in place": x}.items():
            assert function(x.copy() if name != "in place" else x, n, weight, bias, out=out) is out
            assert_bits(out.copy(), expected, f"{name}, {n} elements")
        assert not wide[:, ::2].any()


@each_float
def test_a_weight_or_bias_may_lie_in_the_results(dtype: np.dtype[Any]) -> None:
    x = cases.make("normal", dtype, 24 * 8 * 10, 1).reshape(24, 8, 10)
    for place in (0, 5, 23):
        for name in ("weight", "bias"):
            out = cases.make("uniform", dtype, x.size, 2).reshape(x.shape)
            inside = out[place, :, 3]
            expected = ss.group_norm(x, 4, **{name: inside.copy()})
            assert ss.group_norm(x, 4, **{name: inside}, out=out) is out
            assert_bits(out, expected, f"{name} in sample {place} of the results")


@each_function
@each_float
def test_threads_and_instruction_sets(function: Function, dtype: np.dtype[Any]) -> None:
    arrays = [drawn(dtype, count, n) for count, n in ((24, 130), (140, 17), (2, 20001))]
    same_everywhere(lambda: [function(x, x.shape[1], weight, bias) for x, weight, bias in arrays])


@each_function
@each_float
def test_the_order_of_the_elements_moves_the_results_alone(function: Function, dtype: np.dtype[Any]) -> None:
    for n in LENGTHS:
        x, weight, bias = drawn(dtype, 12, n)
        order = np.random.default_rng(n).permutation(n)
        got = function(x[:, order], n, weight[order], bias[order])
        assert_bits(got, function(x, n, weight, bias)[:, order], f"{n} elements")


@needs_mxcsr
@each_mode
@looped("function", [layered, root_mean_square, grouped])
@looped("dtype", cases.FLOATS)
def test_modes_left_behind_change_nothing(function: Function, dtype: np.dtype[Any], mode: str) -> None:
    for n in (7, 130):
        x, weight, bias = drawn(dtype, 12, n)
        expected = function(x, n, weight, bias)
        with in_mode(mode) as bits:
            got, after = function(x, n, weight, bias), control()
        assert_bits(got, expected, f"{n} elements in mode {mode}")
        assert after == bits


@needs_guards
@pytest.mark.usefixtures("each_instruction_set")
@each_function
@each_float
def test_nothing_is_read_beyond_the_arrays(function: Function, dtype: np.dtype[Any]) -> None:
    for n in (1, 2, 3, 5, 8, 9, 15, 17, 31, 65):
        for count in (1, 9):
            x, weight, bias = drawn(dtype, count, n)
            expected = function(x, n, weight, bias)
            scales, out = (at_the_end(weight), at_the_end(bias)), at_the_end(np.zeros_like(x))
            turned = at_the_end(np.ascontiguousarray(x.T)).T
            assert_bits(function(at_the_end(x), n, *scales, out=out), expected, f"{count} lines of {n}")
            assert_bits(function(turned, n, *scales), expected, f"{count} columns of {n}")


@each_float
def test_groups_are_lines_of_their_own(dtype: np.dtype[Any]) -> None:
    """In NCHW and in NHWC."""
    x = np.stack([cases.make(FAMILIES[i % len(FAMILIES)], dtype, 90, i) for i in range(8)]).reshape(2, 12, 5, 6)
    weight, bias = cases.make("normal", dtype, 12, 1), cases.make("uniform", dtype, 12, 2)
    scales = [np.repeat(each, 30).reshape(4, 90) for each in (weight, bias)]
    lines = x.reshape(8, 90)
    expected = np.stack([ss.layer_norm(line, 90, *(s[i % 4] for s in scales)) for i, line in enumerate(lines)])
    channels_last = np.ascontiguousarray(x.transpose(0, 2, 3, 1)).transpose(0, 3, 1, 2)
    for view in (x, channels_last):
        assert_bits(ss.group_norm(view, 4, weight, bias), expected.reshape(x.shape), "four groups")
