"""Normalizations of lines whose sum on the way cancels to nothing, though their mean is not zero."""

from __future__ import annotations

from functools import cache
from typing import Any

import numpy as np
import pytest

import cases
import samesum as ss
from building import ir_run
from norm_oracle import integer_line
from oracle import assert_bits
from samesum.formats.arrays import NDArray

pytestmark = pytest.mark.usefixtures("each_instruction_set")

NEAR_BLOCKS = (255, 256, 257, 1023, 1024, 1025, 4095, 4096, 4097)
Scale = NDArray | None


@cache
def lines(name: str, n: int, count: int) -> NDArray:
    return np.stack([cases.make("hidden_rests", name, n, n + seed) for seed in range(count)])


@cache
def calls(name: str, n: int, count: int, most: int) -> list[tuple[Scale, Scale, float, NDArray]]:
    """Weights, biases and epsilons for some lines, and what these give.

    The weights are none, all equal, all equal but one, normal; the biases none, zeros, others.
    """
    normal, equal, zeros = cases.make("normal", np.float64, n, 1), np.full(n, 1.5), np.zeros(n)
    one_other = np.where(np.arange(n) == n // 2, 2.0, equal)
    found = []
    all_scales = (None, None), (one_other, zeros), (equal, None), (normal, None), (one_other, normal)
    for i, pair in enumerate(all_scales[:most]):
        weight, bias = (None if each is None else each.astype(lines(name, n, count).dtype) for each in pair)
        eps = 1e-5 if i % 2 else 0.0
        wanted = np.stack([integer_line(line, eps, weight, bias) for line in lines(name, n, count)])
        found.append((weight, bias, eps, wanted))
    return found


def check(dtype: Any, n: int, count: int = 2, most: int = 5) -> None:
    """Rows alone, among others and with steps between their elements; columns; groups of channels in both orders."""
    name = np.dtype(dtype).name
    x = lines(name, n, count)
    views = {"alone": x[:1], "in a batch": np.resize(x, (100, n)), "columns": np.ascontiguousarray(x.T).T}
    views["steps"] = np.repeat(x, 2, 1)[:, ::2]
    groups = {"NCHW": x[:, :, None], "NHWC": x[:, None].copy().transpose(0, 2, 1)}
    for weight, bias, eps, wanted in calls(name, n, count, most):
        where = f"{x!r}\n{weight!r} {bias!r} {eps}"
        for how, view in views.items():
            found = ss.layer_norm(view, n, weight, bias, eps=eps)
            assert_bits(found, np.resize(wanted, view.shape), f"{how}: {where}")
        for how, view in groups.items():
            found = ss.group_norm(view, 1, weight, bias, eps=eps)
            assert_bits(found, wanted[:, :, None], f"{how}: {where}")


@pytest.mark.parametrize("first", range(2, 71, 10))
def test_float32_of_every_length(first: int) -> None:
    for n in range(first, min(first + 10, 71)):
        check(np.float32, n)


@pytest.mark.parametrize("n", NEAR_BLOCKS)
def test_float32_near_blocks(n: int) -> None:
    check(np.float32, n, 1, 2 if n > 1000 else 5)


@pytest.mark.parametrize("dtype", [each for each in cases.FLOATS if each != np.float32], ids=str)
def test_other_formats(dtype: np.dtype[Any]) -> None:
    for n in (2, 7, 33, 64, 70, 257):
        check(dtype, n)


@pytest.mark.parametrize("spatial", [1, 5, 64])
def test_channels_whose_elements_share_a_scale(spatial: int) -> None:
    """Groups of several channels, as lines of their elements: the scale is repeated, or one for all."""
    for channels in (1, 2, 12):
        x = lines("float32", channels * spatial, 4)
        for weight in (np.linspace(0.5, 2, channels, dtype=np.float32), np.full(channels, 1.5, np.float32)):
            wanted = np.stack([integer_line(line, 1e-5, np.repeat(weight, spatial)) for line in x])
            for zeros in (None, np.zeros(channels, np.float32)):
                found = ss.group_norm(x.reshape(4, channels, spatial), 1, weight, zeros)
                assert_bits(found.reshape(x.shape), wanted, f"{channels} channels of {spatial}")


def alone(n: int, places: tuple[int, int, int]) -> NDArray:
    """2^30, 2^-26 and -2^30 at these places, which one lane adds up."""
    x = np.zeros(n, np.float32)
    x[list(places)] = 2.0**30, 2.0**-26, -(2.0**30)
    return x


def test_a_rest_that_a_lane_loses() -> None:
    """An element that is zero is below the mean, by as much as the result tells."""
    x, y = alone(32, (0, 4, 8)), alone(256, (0, 64, 128))
    weight = np.full(256, 1.5, np.float32)
    weight[7] = 2
    wanted = integer_line(y, 1e-5, weight)
    for count in (1, 100):
        batch = np.tile(x, (count, 1))
        for found in (
            ss.layer_norm(batch, 32),
            ss.group_norm(batch[:, None], 1)[:, 0],
            ss.onnx.InstanceNormalization(batch[:, None], np.ones(1, np.float32), np.zeros(1, np.float32))[:, 0],
            ss.onnx.LayerNormalization(batch, np.ones(32, np.float32)),
            ss.onnx.MeanVarianceNormalization(batch[:, None, None], axes=[3])[:, 0, 0],
            ir_run(
                "MVN", [batch, np.array([1])], 'eps="1e-5" eps_mode="inside_sqrt" normalize_variance="true"', "opset6"
            ),
        ):
            assert (found[:, 3] == np.float32(-(2.0**-59))).all()
        assert_bits(ss.layer_norm(np.tile(y, (count, 1)), 256, weight), np.tile(wanted, (count, 1)))
    assert wanted[3] == np.float32(-9.19976e-19)
