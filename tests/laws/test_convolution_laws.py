"""Convolutions have the bits of Einstein's sum of their windows, transposed ones those with zeros between the data."""

from __future__ import annotations

from itertools import product
from typing import Any

import numpy as np

import samesum as ss
from naming import case
from oracle import assert_bits
from samesum.formats.arrays import NDArray
from samesum.operators.apply import apply
from samesum.specs.lookup import operation_of


def data(*shape: int, seed: int) -> NDArray:
    """Of many magnitudes and both signs, some pairs cancelling."""
    rng = np.random.default_rng([seed, *shape])
    x = rng.normal(size=shape) * 2.0 ** rng.integers(-20, 20, shape)
    x[..., 1::3] = -x[..., : x[..., 1::3].shape[-1]]
    return x.astype(np.float32)


def onnx(name: str, inputs: list[NDArray | None], **attributes: Any) -> NDArray:
    return apply(operation_of("onnx", name, 22, **attributes), inputs)


def test_a_convolution_is_the_sum_of_its_windows() -> None:
    for groups, stride, dilation, pads in product((1, 2), (1, 2), (1, 3), ((0, 0), (2, 1))):
        with case(groups, stride, dilation, pads):
            x, w, b = data(2, 4, 11, 12, seed=1), data(6, 4 // groups, 3, 2, seed=2), data(6, seed=3)
            padded = np.pad(x, ((0, 0), (0, 0), pads, pads))
            reach = [dilation * (n - 1) + 1 for n in w.shape[2:]]
            windows = np.lib.stride_tricks.sliding_window_view(padded, reach, axis=(2, 3))
            windows = windows[:, :, ::stride, ::stride, ::dilation, ::dilation]
            parts = [
                ss.einsum("nchwij,ocij->nohw", windows[:, k], w[o])
                for k, o in (
                    (slice(i * 4 // groups, (i + 1) * 4 // groups), slice(i * 6 // groups, (i + 1) * 6 // groups))
                    for i in range(groups)
                )
            ]
            options: dict[str, Any] = {
                "group": groups,
                "strides": (stride,) * 2,
                "dilations": (dilation,) * 2,
                "pads": (pads[0],) * 2 + (pads[1],) * 2,
            }
            found = onnx("Conv", [x, w, None], **options)
            assert_bits(found, np.concatenate(parts, 1), "the windows of each group")
            channels_last = np.ascontiguousarray(x.transpose(0, 2, 3, 1)).transpose(0, 3, 1, 2)
            assert_bits(onnx("Conv", [channels_last, w, None], **options), found, "channels last")
            assert_bits(onnx("Conv", [x[:1], w, None], **options), found[:1], "alone")
            with_ones = np.concatenate([np.ones_like(x[:, :1]), x], 1)
            if groups == 1 and pads == (0, 0):
                more = np.concatenate([np.zeros_like(w[:, :1]), w], 1)
                more[:, 0, 0, 0] = b
                with_bias = onnx("Conv", [x, w, b], **options)
                assert_bits(with_bias, onnx("Conv", [with_ones, more, None], **options), "the bias as a channel")


def test_a_transposed_convolution_is_one_of_data_with_zeros_between() -> None:
    for stride, dilation, kernel, pad, extra in product((1, 2, 3), (1, 2, 3, 4), (1, 3, 4), (0, 1), (0, 1)):
        if extra >= max(stride, dilation):
            continue
        with case(stride, dilation, kernel, pad, extra):
            x, w = data(2, 4, 5, seed=1), data(4, 3, kernel, seed=2)
            reach = dilation * (kernel - 1)
            size = stride * 4 + 1
            spread = np.zeros((2, 4, size + 2 * reach + extra), np.float32)
            spread[..., reach : reach + size : stride] = x
            turned = w[..., ::-1].swapaxes(0, 1)
            expected = ss.conv(spread, turned, dilation=dilation)[..., pad : size + reach + extra - pad]
            options: dict[str, Any] = {"strides": (stride,), "dilations": (dilation,), "output_padding": (extra,)}
            found = onnx("ConvTranspose", [x, w, None], pads=(pad, pad), **options)
            assert_bits(found, expected, "zeros between the data")


def test_a_transposed_kernel_as_long_as_its_stride_is_a_product_at_each_place() -> None:
    """In groups and with a bias, which is one more channel of ones."""
    for (rows, columns), groups in product(((2, 3), (2, 2), (1, 4), (5, 1)), (1, 2)):
        with case(rows, columns, groups):
            x, b = data(2, 4, 5, 6, seed=1), data(6, seed=3)
            w = data(4, 6 // groups, rows, columns, seed=2)
            found = onnx("ConvTranspose", [x, w, b], strides=(rows, columns), group=groups)
            with_ones = np.concatenate([x.reshape(2, groups, -1, 5, 6), np.ones((2, groups, 1, 5, 6), np.float32)], 2)
            last = np.broadcast_to(b.reshape(groups, 1, -1, 1, 1), (groups, 1, 6 // groups, rows, columns))
            more = np.concatenate([w.reshape(groups, -1, *w.shape[1:]), last], 1)
            expected = ss.einsum("ngcij,gcdab->ngdiajb", with_ones, more)
            assert_bits(found, expected.reshape(found.shape), "a product at each place")


def test_a_transposed_convolution_adds_the_bias_where_nothing_is_met() -> None:
    x, w, b = data(1, 2, 3, seed=1), data(2, 3, 1, seed=2), data(3, seed=3)
    found = onnx("ConvTranspose", [x, w, b], strides=(4,), output_padding=(3,))
    assert_bits(found[0, :, 1::4], np.repeat(b[:, None], 3, 1), "between")
    assert_bits(onnx("ConvTranspose", [x, w, None], strides=(4,))[0, :, 1::4], np.zeros((3, 2), np.float32), "no bias")
    far = onnx("ConvTranspose", [x[..., :2], w, b], strides=(1 << 20,))
    assert_bits(far[0, :, 1:-1], np.broadcast_to(b[:, None], (3, (1 << 20) - 1)), "far apart")
    assert_bits(far[..., [0, -1]], onnx("ConvTranspose", [x[..., :2], w, b]), "the ends")
    x, w = data(1, 2, 3, 3, seed=4), data(2, 3, 2, 1, seed=5)
    found = onnx("ConvTranspose", [x, w, b], strides=(3, 2))
    plain = onnx("ConvTranspose", [x, w, b], strides=(2, 1))
    assert_bits(np.delete(found, [2, 5], 2)[..., ::2], plain, "along two axes")
    assert_bits(found[0, :, 2], np.repeat(b[:, None], 5, 1), "rows between")
    assert_bits(found[0, :, :, 1], np.repeat(b[:, None], 8, 1), "columns between")
