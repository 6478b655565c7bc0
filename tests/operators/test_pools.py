"""Windowed pools of both standards against windows that are looked at one by one, bit for bit."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import ml_dtypes
import numpy as np
import pytest

import cases
import samesum as ss
from machines import same_everywhere
from naming import looped
from oracle import assert_bits, bits_of, form_of
from pool_oracle import Windows, drawn, pooled
from samesum.algebra.rows import L1_NORM, L2_NORM, MAX, MEAN
from samesum.formats.arrays import NDArray
from samesum.formats.rounding import Format

each_float = pytest.mark.parametrize("dtype", cases.FLOATS, ids=str)
FAMILIES = ("normal", "integers", "small_integers", "wide", "subnormals", "cancelling", "hidden_rests", "huge")
FAMILIES += ("specials", "zeros")
SEEDS = range(9)


def data(dtype: Any, shape: tuple[int, ...], seed: int) -> NDArray:
    family = FAMILIES[seed % len(FAMILIES)]
    return cases.make(family, dtype, int(np.prod(shape)), seed).reshape(shape)


def said(windows: Windows) -> dict[str, Any]:
    return {
        "kernel_shape": windows.kernel,
        "strides": windows.strides,
        "dilations": windows.dilations,
        "pads": (*windows.begins, *windows.ends),
        "ceil_mode": int(windows.ceil_mode),
    }


def test_padding_alone() -> None:
    x, call = np.float32([[[7]]]), {"kernel_shape": [2], "dilations": [2], "pads": [1, 1]}
    greatest, index = ss.onnx.MaxPool(x, **call, outputs=2)
    assert (greatest.item(), index.item()) == (-np.inf, -1)
    with pytest.raises(ss.ShapeError, match="a window of padding alone has no mean in int32"):
        ss.openvino.AvgPool(np.int32([[[7]]]), kernel=[1], strides=[2], pads_begin=[2], pads_end=[0], exclude_pad=True)


@each_float
@looped("seed", SEEDS)
def test_windows_of_any_kind(dtype: Any, seed: int) -> None:
    shape, windows = drawn(seed)
    x, call = data(dtype, shape, seed), said(windows)
    counts = {"count_include_pad": int(windows.counts)}
    assert_bits(ss.onnx.AveragePool(x, **call, **counts), pooled(MEAN, x, windows)[0], f"{shape} {windows}")
    greatest, index = pooled(MAX, x, windows)
    for got, expected in zip(ss.onnx.MaxPool(x, **call, outputs=2), (greatest, index), strict=True):
        assert_bits(got, expected, f"{shape} {windows}")
    for p, row in ((1, L1_NORM), (2, L2_NORM)):
        assert_bits(ss.onnx.LpPool(x, **call, p=p), pooled(row, x, windows)[0], f"{shape} {windows} p = {p}")


@looped("dtype", cases.FLOATS)
@pytest.mark.parametrize("stride", [1, 2, 3, 4, 5])
def test_long_runs_of_windows(dtype: Any, stride: int) -> None:
    """Rows of elements are read as they lie, or every so many of them; ties and wide ranges are decided apart."""
    for kernel, dilation, family in ((2, 1, "ties"), (3, 1, "normal"), (3, 2, "wide"), (4, 3, "small_integers")):
        windows = Windows((2, kernel), (1, stride), (1, dilation), (1, 1), (0, 1), counts=kernel == 3)
        x = cases.make(family, dtype, 3 * 90, stride).reshape(1, 1, 3, 90)
        call, said_of = said(windows), f"{stride} {kernel} {dilation} {family}"
        got = ss.onnx.AveragePool(x, **call, count_include_pad=int(windows.counts))
        assert_bits(got, pooled(MEAN, x, windows)[0], said_of)
        assert_bits(ss.onnx.MaxPool(x, **call), pooled(MAX, x, windows)[0], said_of)
        for p, row in ((1, L1_NORM), (2, L2_NORM)):
            assert_bits(ss.onnx.LpPool(x, **call, p=p), pooled(row, x, windows)[0], said_of)


@each_float
@pytest.mark.parametrize("stride", [1, 2, 5])
@pytest.mark.usefixtures("each_instruction_set")
def test_padded_columns_of_many_rows(dtype: Any, stride: int) -> None:
    """Windows at an edge are runs down the rows."""
    for kernel, dilation, family in ((2, 1, "ties"), (3, 1, "normal"), (3, 2, "wide"), (3, 1, "specials")):
        windows = Windows((kernel, 3), (stride, 2), (dilation, 1), (1, 1), (1, 1), counts=kernel == 2)
        x = cases.make(family, dtype, 2 * 60 * 4, stride).reshape(1, 2, 60, 4)
        call, said_of = said(windows), f"{stride} {kernel} {dilation} {family}"
        got = ss.onnx.AveragePool(x, **call, count_include_pad=int(windows.counts))
        assert_bits(got, pooled(MEAN, x, windows)[0], said_of)
        assert_bits(ss.onnx.MaxPool(x, **call), pooled(MAX, x, windows)[0], said_of)
        assert_bits(ss.onnx.LpPool(x, **call, p=1), pooled(L1_NORM, x, windows)[0], said_of)


@each_float
@pytest.mark.parametrize("stride", [1, 2, 3])
def test_rows_of_several_images_together(dtype: Any, stride: int) -> None:
    """Short runs are made together, with what lies between them; a NaN of either sign is that of its windows."""
    shape, windows = (2, 2, 9, 19), Windows((3, 3), (stride, stride), (1, 1), (1, 1), (1, 1))
    call = said(windows)
    for family in ("normal", "zeros", "integers"):
        x = cases.make(family, dtype, int(np.prod(shape)), stride).reshape(shape)
        if family == "normal":
            x = -abs(x)
            x[0, 1, 3, 5], x[1, 0, 0, 18], x[1, 1, 8, 0] = np.nan, -np.inf, np.inf
            bits = x.view(f"u{x.itemsize}")
            bits[1, 1, 5, 9] = bits[0, 1, 3, 5] | form_of(dtype).sign
        cut = np.pad(x, ((0, 0), (0, 0), (0, 1), (0, 2)))[:, :, :-1, :-2]
        wanted = [pooled(row, x, windows)[0] for row in (MEAN, MAX)]
        for view in (x, cut):
            got = same_everywhere(lambda view=view: [f(view, **call) for f in (ss.onnx.AveragePool, ss.onnx.MaxPool)])
            for one, other in zip(got, wanted, strict=True):
                assert_bits(one, other, f"{stride} {family} {view.strides}")


@each_float
def test_sums_at_the_ends_of_the_range_in_which_they_are_exact(dtype: Any) -> None:
    """Elements whose magnitudes lie just so far apart that float64 holds all sums, or one octave further."""
    form = form_of(dtype)
    for octaves in range(min(28, -form.unit - form.precision)):
        step, rest = 2.0**-octaves, float(ml_dtypes.finfo(dtype).eps)
        x = np.resize(np.array([1 + rest, step * (1 + rest), -step, 1, step], dtype), (1, 1, 3, 70))
        windows = Windows((3, 3), (1, 1), (1, 1), (0, 0), (0, 0))
        assert_bits(ss.onnx.AveragePool(x, **said(windows)), pooled(MEAN, x, windows)[0], f"{octaves} octaves")


@pytest.mark.parametrize("dtype", [np.int8, np.uint8], ids=str)
@pytest.mark.parametrize("stride", [1, 2, 3])
def test_long_runs_of_bytes(dtype: Any, stride: int) -> None:
    x = cases.integer_data(dtype, 3 * 150, 7).reshape(1, 1, 3, 150)
    windows = Windows((2, 3), (1, stride), (1, 1), (1, 1), (0, 1))
    assert_bits(ss.onnx.MaxPool(x, **said(windows)), pooled(MAX, x, windows)[0])


@pytest.mark.parametrize("dtype", [np.int8, np.uint8], ids=str)
@pytest.mark.parametrize("seed", SEEDS[:6])
def test_greatest_of_bytes(dtype: Any, seed: int) -> None:
    shape, windows = drawn(seed)
    x = cases.integer_data(dtype, int(np.prod(shape)), seed).reshape(shape)
    assert_bits(ss.onnx.MaxPool(x, **said(windows)), pooled(MAX, x, windows)[0])


@pytest.mark.parametrize("dtype", cases.INTEGERS, ids=str)
def test_integers_in_openvino(dtype: Any) -> None:
    x = cases.integer_data(dtype, 60, 3).reshape(1, 2, 30)
    call: dict[str, Any] = {"kernel": [3], "strides": [2], "pads_begin": [1], "pads_end": [1]}
    windows = Windows((3,), (2,), (1,), (1,), (1,))
    assert_bits(ss.openvino.MaxPool(x, **call), pooled(MAX, x, windows)[0])
    assert_bits(ss.openvino.AvgPool(x, **call, exclude_pad=True), pooled(MEAN, x, windows)[0])


@each_float
def test_windows_of_many_elements(dtype: Any) -> None:
    for kernel, pads in ((9, 4), (23, 11), (40, 20)):
        windows = Windows((kernel,) * 2, (31, 37), (1, 1), (pads,) * 2, (pads,) * 2, counts=True)
        x = data(dtype, (1, 1, 40, 41), kernel)
        got = ss.onnx.AveragePool(x, **said(windows), count_include_pad=1)
        assert_bits(got, pooled(MEAN, x, windows)[0], f"{kernel}")
        assert_bits(ss.onnx.MaxPool(x, **said(windows), outputs=2)[1], pooled(MAX, x, windows)[1], f"{kernel}")


@each_float
def test_adaptive_pools(dtype: Any) -> None:
    for seed, (shape, sizes) in enumerate((((2, 3, 7), (3,)), ((1, 2, 6, 9), (4, 9)), ((2, 1, 5, 2, 4), (2, 3, 1)))):
        x = data(dtype, shape, seed)
        means = ss.openvino.AdaptiveAvgPool(x, sizes)
        greatest, index = ss.openvino.AdaptiveMaxPool(x, sizes, outputs=2)
        order = np.arange(int(np.prod(shape[2:]))).reshape(shape[2:])
        for place in np.ndindex(*sizes):
            parts = [
                slice(i * n // size, -(-(i + 1) * n // size))
                for i, n, size in zip(place, shape[2:], sizes, strict=True)
            ]
            window = x[(slice(None), slice(None), *parts)]
            axes = tuple(range(2, x.ndim))
            at = (slice(None), slice(None), *place)
            assert_bits(means[at].copy(), ss.mean(window, axis=axes))
            assert_bits(greatest[at].copy(), ss.max(window, axis=axes))
            chosen = order[tuple(parts)].ravel()[ss.argmax(window.reshape(*shape[:2], -1), axis=2)]
            assert_bits(index[at].copy(), chosen)
    assert ss.openvino.AdaptiveMaxPool(x, sizes, index_element_type="i32", outputs=2)[1].dtype == np.int32


@pytest.mark.parametrize("order", [(0, 1, 2, 3, 4), (0, 1, 4, 3, 2), (0, 1, 3, 2, 4), (4, 3, 2, 1, 0), (2, 3, 4, 1, 0)])
def test_of_equals_the_first_is_named_in_every_layout(order: tuple[int, ...]) -> None:
    x = np.random.default_rng(0).integers(0, 3, (2, 3, 4, 5, 6)).astype(np.float32)
    view = x.transpose(order).copy().transpose(np.argsort(order))
    for each in (view, view[..., ::-1].copy("K")[..., ::-1], np.broadcast_to(x[:1], x.shape)):
        for call in ({"kernel_shape": [2, 3, 2]}, {"kernel_shape": [3, 2, 3], "dilations": [1, 2, 2]}):
            got = ss.onnx.MaxPool(each, **call, outputs=2)[1]  # type: ignore[arg-type]
            assert_bits(got, ss.onnx.MaxPool(each.copy(), **call, outputs=2)[1], f"{each.strides}")  # type: ignore[arg-type]
        got = ss.openvino.AdaptiveMaxPool(each, [2, 3, 2], outputs=2)[1]
        assert_bits(got, ss.openvino.AdaptiveMaxPool(each.copy("C"), [2, 3, 2], outputs=2)[1])


def test_indices_are_counted_as_asked() -> None:
    x = cases.make("normal", np.float32, 2 * 3 * 4 * 5, 1).reshape(2, 3, 4, 5)
    call: dict[str, Any] = {"kernel_shape": [2, 2]}
    values, index = ss.onnx.MaxPool(x, **call, outputs=2)
    assert_bits(x.ravel()[index], values)
    by_columns = ss.onnx.MaxPool(x, **call, storage_order=1, outputs=2)[1]
    assert_bits(x.transpose(0, 1, 3, 2).ravel()[by_columns], values)
    ir: dict[str, Any] = {"kernel": [2, 2], "strides": [1, 1], "pads_begin": [0, 0], "pads_end": [0, 0]}
    assert_bits(ss.openvino.MaxPool(x, **ir, outputs=2)[1], index)
    assert_bits(ss.openvino.MaxPool(x, **ir, axis=2, outputs=2)[1], index % 20)
    assert_bits(ss.openvino.MaxPool(x, **ir, axis=-1, index_element_type="i32", outputs=2)[1], (index % 5).astype("i4"))


def magnitude(form: Format, code: int) -> Fraction:
    """What the bits of a positive number say, with infinity as if it were the next one."""
    field, fraction = divmod(code, 1 << (form.precision - 1))
    significand = fraction + (1 << (form.precision - 1) if field else 0)
    return Fraction(significand) * Fraction(2) ** (form.unit + max(0, field - 1))


@each_float
@pytest.mark.parametrize("p", [3, 4, 7])
def test_norms_of_any_whole_p_are_the_nearest(dtype: Any, p: int) -> None:
    x = np.concatenate([cases.make(family, dtype, 6, p) for family in ("normal", "wide", "subnormals", "integers")])
    got = ss.onnx.LpPool(x.reshape(1, 1, -1), kernel_shape=[3], strides=[3], p=p).ravel()
    form = form_of(dtype)
    for code, window in zip(bits_of(got).tolist(), x.reshape(-1, 3), strict=True):
        total = sum(abs(Fraction(float(each))) ** p for each in window)
        below, value, above = (magnitude(form, max(0, code + step)) for step in (-1, 0, 1))
        assert ((below + value) / 2) ** p <= total, (code, window)
        assert code == form.infinity or total <= ((above + value) / 2) ** p, (code, window)
    whole = ss.onnx.GlobalLpPool(x[:9].reshape(1, 1, 3, 3), p=p)
    assert_bits(whole.ravel(), ss.onnx.LpPool(x[:9].reshape(1, 1, 9), kernel_shape=[9], p=p).ravel())


@each_float
def test_layout_changes_no_bit(dtype: Any) -> None:
    shape, windows = (2, 3, 9, 11), Windows((3, 2), (2, 1), (1, 2), (1, 1), (1, 0), True, True)
    x, call = data(dtype, shape, 3), said(windows)
    padded = np.zeros((2, 3, 9, 23), dtype)
    padded[..., ::2][..., :11] = x
    views = {
        "channels last": np.ascontiguousarray(x.transpose(0, 2, 3, 1)).transpose(0, 3, 1, 2),
        "every second element": padded[..., ::2][..., :11],
        "negative strides": x[:, :, ::-1, ::-1].copy()[:, :, ::-1, ::-1],
        "a reversed order of axes": np.ascontiguousarray(x.T).T,
        "Fortran order": np.asfortranarray(x),
    }
    if dtype != ml_dtypes.bfloat16:
        views["the other byte order"] = x.astype(x.dtype.newbyteorder())
    for name, view in views.items():
        assert_bits(
            np.ascontiguousarray(ss.onnx.AveragePool(view, **call, count_include_pad=1)),
            ss.onnx.AveragePool(x, **call, count_include_pad=1),
            name,
        )
        for got, expected in zip(*(ss.onnx.MaxPool(each, **call, outputs=2) for each in (view, x)), strict=True):
            assert_bits(np.ascontiguousarray(got), expected, name)
        for p in (1, 2, 3):
            got, expected = (ss.onnx.LpPool(each, **call, p=p) for each in (view, x))
            assert_bits(np.ascontiguousarray(got), expected, name)


@each_float
def test_threads_and_instruction_sets_change_no_bit(dtype: Any) -> None:
    x = data(dtype, (2, 40, 40, 41), 0)
    call = said(Windows((3, 3), (1, 2), (1, 1), (1, 1), (1, 1)))
    same_everywhere(
        lambda: [ss.onnx.AveragePool(x, **call), *ss.onnx.MaxPool(x, **call, outputs=2), ss.onnx.LpPool(x, **call)]
    )
