"""Convolutions of both standards: padding by numbers and words, sizes that are given, shapes before running, errors."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import product
from typing import Any

import numpy as np
import pytest

import samesum as ss
from naming import case, looped
from samesum import onnx, openvino
from samesum.errors import AttributeValueError, DtypeError, ShapeError
from samesum.formats.arrays import NDArray
from samesum.operators.apply import ROWS, apply
from samesum.operators.rows import Fact
from samesum.specs.lookup import operation_of


def whole(*shape: int, seed: int = 0) -> NDArray:
    """Small whole numbers, whose sums of products every engine has exactly."""
    return np.random.default_rng([seed, *shape]).integers(-9, 10, shape).astype(np.float32)


def spread(x: NDArray, w: NDArray, stride: int, dilation: int) -> NDArray:
    """The transposed convolution along one axis by its definition: every product at its place."""
    y = np.zeros((x.shape[0], w.shape[1], stride * (x.shape[2] - 1) + dilation * (w.shape[2] - 1) + 1 + 99), np.float32)
    for i, k in product(range(x.shape[2]), range(w.shape[2])):
        y[:, :, i * stride + k * dilation] += x[:, :, i] @ w[:, :, k]
    return y


def along(x: NDArray, w: NDArray, stride: int, dilation: int, before: int, after: int) -> NDArray:
    """The convolution along one axis by its definition."""
    padded = np.pad(x, ((0, 0), (0, 0), (before, after)))
    windows = np.lib.stride_tricks.sliding_window_view(padded, dilation * (w.shape[2] - 1) + 1, axis=2)
    return np.einsum("ncok,rck->nro", windows[:, :, ::stride, ::dilation], w)


def test_words_for_padding() -> None:
    for size, kernel, stride, dilation in product((4, 7), (1, 2, 3), (1, 2, 3), (1, 2)):
        x, w = whole(2, 3, size), whole(4, 3, kernel, seed=1)
        reach = dilation * (kernel - 1) + 1
        total = max(0, (-(-size // stride) - 1) * stride + reach - size)
        for word, before, after in (
            ("SAME_UPPER", total // 2, total - total // 2),
            ("SAME_LOWER", total - total // 2, total // 2),
            ("VALID", 0, 0),
        ):
            with case(size, kernel, stride, dilation, word):
                if size + before + after < reach:
                    continue
                expected = along(x, w, stride, dilation, before, after)
                given: dict[str, Any] = {"strides": [stride], "dilations": [dilation]}
                np.testing.assert_array_equal(onnx.Conv(x, w, auto_pad=word, **given), expected)
                given |= {"pads_begin": [9], "pads_end": [9]}
                found = openvino.Convolution(x, w, auto_pad=word.lower(), **given)
                np.testing.assert_array_equal(found, expected)


def test_sizes_that_are_given_decide_the_pads_of_a_transposed_convolution() -> None:
    for stride, kernel, dilation, less, extra in product((1, 2, 3), (1, 2, 3), (1, 2), (0, 1, 2, 3), (0, 1)):
        x, w = whole(2, 3, 4), whole(3, 4, kernel, seed=1)
        everything = spread(x, w, stride, dilation)
        size = stride * 3 + extra + dilation * (kernel - 1) + 1
        wanted = size - less
        given: dict[str, Any] = {"strides": [stride], "dilations": [dilation], "output_padding": [extra]}
        both: dict[str, Any] = {**given, "pads_begin": [1], "pads_end": [0]}
        less_first, more_first = less // 2, less - less // 2
        with case(stride, kernel, dilation, less, extra):
            for word, in_onnx, in_openvino in (
                ("SAME_UPPER", less_first, more_first),
                ("SAME_LOWER", more_first, less_first),
                ("VALID", more_first, 0),
                ("NOTSET", more_first, 1),
            ):
                found = onnx.ConvTranspose(x, w, auto_pad=word, output_shape=[wanted], **given)
                np.testing.assert_array_equal(found, everything[:, :, in_onnx : in_onnx + wanted], word)
                sizes = openvino.ConvolutionBackpropData(x, w, [wanted], auto_pad=word.lower(), **both)
                np.testing.assert_array_equal(sizes, everything[:, :, in_openvino : in_openvino + wanted], word)
            whole_shape = onnx.ConvTranspose(x, w, output_shape=[2, 4, wanted], **given)
            np.testing.assert_array_equal(whole_shape, onnx.ConvTranspose(x, w, output_shape=[wanted], **given))
            same = onnx.ConvTranspose(x, w, auto_pad="SAME_LOWER", **given)
            total = max(0, size - 4 * stride)
            before = total - total // 2
            np.testing.assert_array_equal(same, everything[:, :, before : before + 4 * stride])


def test_padding_longer_than_all_windows_is_not_made() -> None:
    x, w = whole(2, 3, 5), whole(4, 3, 2, seed=1)
    for before, after, stride, dilation in (
        (60, 50, 37, 1),
        (60, 60, 1, 119),
        (57, 9, 30, 30),
        (0, 99, 98, 3),
        (70, 0, 69, 2),
    ):
        expected = along(x, w, stride, dilation, before, after)
        given: dict[str, Any] = {"strides": [stride], "dilations": [dilation], "pads": [before, after]}
        with case(given):
            np.testing.assert_array_equal(onnx.Conv(x, w, **given), expected)
    for far in (2**31, 2**61, 2**62, 2**63, 2**70):
        # Of three taps the middle one meets the data where padding is as long as the dilation.
        found = ss.conv(x, whole(4, 3, 3, seed=3), dilation=far, padding=far)
        np.testing.assert_array_equal(found, along(x, whole(4, 3, 3, seed=3)[:, :, 1:2], 1, 1, 0, 0))
        np.testing.assert_array_equal(ss.conv(x, w, stride=far, padding=far)[:, :, [0, 2]], np.zeros((2, 4, 2)))
    back = whole(3, 4, 2, seed=2)
    for stride, dilation, wanted in product((1, 3, 40), (90, 91, 97), (3, 7)):
        everything = spread(x, back, stride, dilation)
        size = stride * 4 + dilation + 1
        begin = (size - wanted) - (size - wanted) // 2
        found = onnx.ConvTranspose(x, back, strides=[stride], dilations=[dilation], output_shape=[wanted])
        with case(stride, dilation, wanted):
            np.testing.assert_array_equal(found, everything[:, :, begin : begin + wanted])
    most = 2**31 - 1
    far: dict[str, Any] = {"strides": [most] * 2, "dilations": [most] * 2, "pads": [most] * 4}
    square, kernel = whole(1, 2, 4, 4), whole(3, 2, 2, 2)
    # The first window ends at the first element, the second one begins there.
    expected = np.einsum("nc,rcij->nrij", square[:, :, 0, 0], kernel[:, :, ::-1, ::-1])
    np.testing.assert_array_equal(onnx.Conv(square, kernel, **far), expected)


@pytest.fixture
def one_thread() -> Iterator[None]:
    """Of PyTorch's: on a busy machine they wait for each other."""
    torch = pytest.importorskip("torch")
    before = torch.get_num_threads()
    torch.set_num_threads(1)
    yield
    torch.set_num_threads(before)


@pytest.mark.usefixtures("one_thread")
@looped("spatial", [1, 2, 3])
def test_transposed_convolutions_are_pytorch_s(spatial: int) -> None:
    torch = pytest.importorskip("torch")
    function = getattr(torch.nn.functional, f"conv_transpose{spatial}d")
    x, b = whole(2, 4, *(5, 4, 3)[:spatial]), whole(6)
    for stride, dilation, pad, groups, extra in product((1, 2, 3), (1, 2, 4), (0, 1), (1, 2), (0, 1)):
        if extra < max(stride, dilation) and (groups == extra + 1) and (spatial < 3 or stride * dilation < 3):
            w = whole(4, 6 // groups, *(3, 2, 2)[:spatial], seed=groups)
            every = {"stride": stride, "padding": pad, "output_padding": extra, "dilation": dilation, "groups": groups}
            with case(every):
                expected = function(*map(torch.tensor, (x, w, b)), **every).numpy()
                found = onnx.ConvTranspose(
                    x, w, b, group=groups, strides=[stride] * spatial, dilations=[dilation] * spatial,
                    pads=[pad] * 2 * spatial, output_padding=[extra] * spatial,
                )  # fmt: skip
                np.testing.assert_array_equal(found, expected, strict=True)


def in_openvino(node: Any, x: NDArray, parameter: Any) -> NDArray:
    import openvino as engine

    compiled = engine.Core().compile_model(
        engine.Model([node], [parameter]), "CPU", {"INFERENCE_PRECISION_HINT": "f32"}
    )
    return np.asarray(compiled([x])[0])


def test_openvino_s_four_are_openvino_s() -> None:
    """A kernel of 1 is left out: there its CPU plugin forgets the pads of a transposed convolution."""
    pytest.importorskip("openvino")
    from openvino import opset13 as ov

    x = whole(2, 4, 5, 6)
    for word, stride, dilation in (("explicit", 2, 1), ("same_upper", 2, 1), ("same_lower", 3, 2), ("valid", 1, 2)):
        explicit = word == "explicit"
        said: dict[str, Any] = {
            "strides": [stride] * 2, "pads_begin": [1, 0] if explicit else [0, 0],
            "pads_end": [0, 2] if explicit else [0, 0], "dilations": [dilation] * 2, "auto_pad": word,
        }  # fmt: skip
        for name, make, shape, sizes in (
            ("Convolution", ov.convolution, (3, 4, 3, 2), None),
            ("GroupConvolution", ov.group_convolution, (2, 3, 2, 3, 2), None),
            ("ConvolutionBackpropData", ov.convolution_backprop_data, (4, 3, 3, 2), None),
            ("ConvolutionBackpropData", ov.convolution_backprop_data, (4, 3, 3, 2), [7, 8]),
            ("GroupConvolutionBackpropData", ov.group_convolution_backprop_data, (2, 2, 3, 3, 2), None),
        ):
            with case(word, name, sizes):
                w, parameter = whole(*shape), ov.parameter(x.shape, np.float32)
                inputs = [parameter, ov.constant(w)]
                arrays = [x, w] if sizes is None else [x, w, np.array(sizes)]
                more = {} if sizes is None else {"output_shape": ov.constant(np.array(sizes, np.int64))}
                expected = in_openvino(make(*inputs, **more, **said), x, parameter)
                found = getattr(openvino, name)(*arrays, **said)
                np.testing.assert_array_equal(found, expected, strict=True)


FORETOLD: list[tuple[str, str, dict[str, Any], list[tuple[int, ...]]]] = [
    ("onnx", "Conv", {"strides": [2, 1], "pads": [1, 0, 2, 1], "group": 2}, [(2, 4, 7, 6), (6, 2, 3, 2), (6,)]),
    ("onnx", "Conv", {"auto_pad": "SAME_UPPER", "strides": [2]}, [(2, 4, 7), (6, 4, 3)]),
    ("onnx", "ConvTranspose", {"strides": [2, 3], "group": 2}, [(2, 4, 5, 6), (4, 3, 3, 2), (6,)]),
    ("onnx", "ConvTranspose", {"output_shape": [9]}, [(2, 4, 7), (4, 3, 3)]),
    ("com.microsoft", "FusedConv", {"activation": "Relu"}, [(2, 4, 7), (6, 4, 3), (6,), (2, 6, 5)]),
]


@looped("standard, name, attributes, shapes", FORETOLD)
def test_shapes_are_known_before_anything_runs(
    standard: str, name: str, attributes: dict[str, Any], shapes: list[tuple[int, ...]]
) -> None:
    operation = operation_of(standard, name, None, **attributes)
    arrays = [whole(*shape, seed=i) for i, shape in enumerate(shapes)]
    found = apply(operation, arrays)
    infer = ROWS[operation.spec.identifier].infer
    facts = [Fact(each.dtype, each.shape) for each in arrays]
    assert infer(operation, facts, 1)[0].shape == found.shape
    facts[0] = Fact(arrays[0].dtype, (None, 4, *[None] * (arrays[0].ndim - 2)))
    partly = infer(operation, facts, 1)[0].shape
    assert partly is not None
    assert partly[:2] == (None, found.shape[1])
    facts[1] = Fact(arrays[1].dtype)
    assert infer(operation, facts, 1)[0].shape == (None,) * found.ndim


def fused(name: str, inputs: list[NDArray | None], **attributes: Any) -> NDArray:
    return apply(operation_of("com.microsoft", name, None, **attributes), inputs)


def test_what_onnxruntime_fuses_is_rounded_before_the_activation() -> None:
    x, w, b, z = whole(2, 4, 7), whole(6, 4, 3, seed=1), whole(6, seed=2), whole(2, 6, 5, seed=3)
    plain = onnx.Conv(x, w, b)
    for word, numbers, expected in (
        ("Relu", None, np.maximum(plain, 0)),
        ("LeakyRelu", [0.5], np.where(plain < 0, plain / 2, plain)),
        ("Clip", [-3.0, 5.0], np.clip(plain, -3, 5)),
        ("HardSigmoid", [0.125, 0.5], np.clip(plain / 8 + np.float32(0.5), 0, 1)),
        ("Tanh", None, None),
        ("Sigmoid", None, None),
    ):
        given = {} if numbers is None else {"activation_params": numbers}
        found = fused("FusedConv", [x, w, b, None], activation=word, **given)
        with case(word):
            if expected is None:
                assert np.abs(found).max() <= 1
            else:
                np.testing.assert_array_equal(found, expected)
    np.testing.assert_array_equal(fused("FusedConv", [x, w, None, z]), onnx.Conv(x, w) + z)
    np.testing.assert_array_equal(fused("FusedConv", [x, w, b, z], activation="Relu"), np.maximum(plain + z, 0))
    with pytest.raises(ShapeError, match=r"Z has shape .* does not broadcast to that of the result"):
        fused("FusedConv", [x, w, b, np.stack([z, z])])
    with pytest.raises(AttributeValueError, match="activation is 'selu'; allowed are relu"):
        fused("FusedConv", [x, w], activation="Selu")
    a, c = whole(2, 3), whole(3, 4, seed=1)
    found = fused("FusedGemm", [a, c, None], activation="LeakyRelu", activation_alpha=0.25)
    np.testing.assert_array_equal(found, np.where(a @ c < 0, a @ c / 4, a @ c))
    np.testing.assert_array_equal(fused("FusedMatMul", [a, c.T.copy()], alpha=0.5, transB=1), a @ c / 2)
    batch = whole(3, 5, 4)
    expected = np.moveaxis(batch, 0, -2).swapaxes(-1, -2) @ whole(5, 3, 2)
    np.testing.assert_array_equal(fused("FusedMatMul", [batch, whole(5, 3, 2)], transBatchA=1, transA=1), expected)


X, W = whole(1, 2, 5), whole(3, 2, 2)
_OV: dict[str, Any] = {"strides": [1], "pads_begin": [0], "pads_end": [0], "dilations": [1]}
REFUSED: list[tuple[Callable[[], Any], type[Exception], str]] = [
    (lambda: onnx.Conv(X, whole(3, 1, 2)), ShapeError, "have 2 channels"),
    (lambda: onnx.Conv(X, W, group=2), ShapeError, "group is 2"),
    (lambda: onnx.Conv(X, W, group=0), ShapeError, "group is 0"),
    (lambda: onnx.Conv(X, W, whole(2)), ShapeError, "the bias has shape"),
    (lambda: onnx.Conv(X, W, kernel_shape=[3]), ShapeError, r"kernel_shape is \[3\]"),
    (lambda: onnx.Conv(X, W, pads=[1]), ShapeError, "pads has 1"),
    (lambda: onnx.Conv(X, W, pads=[-1, 0]), AttributeValueError, "pads"),
    (lambda: onnx.Conv(X, W, strides=[0]), AttributeValueError, "strides"),
    (lambda: onnx.Conv(X, W, strides=[1, 1]), ShapeError, "strides has 2"),
    (lambda: onnx.Conv(X, whole(3, 2, 6)), ShapeError, "does not fit"),
    (lambda: onnx.Conv(X, whole(3, 2, 2, 2)), ShapeError, "ranks differ"),
    (lambda: onnx.Conv(X, whole(3, 2, 0)), AttributeValueError, "kernel"),
    (lambda: onnx.Conv(whole(2, 5), whole(3, 2)), ShapeError, "rank 2"),
    (lambda: onnx.Conv(X, W, auto_pad="SAME"), AttributeValueError, "auto_pad"),
    (lambda: onnx.Conv(X, W.astype("f8")), DtypeError, "one type"),
    (lambda: onnx.Conv(np.int32(X), np.int32(W)), DtypeError, "int32"),
    (lambda: onnx.ConvTranspose(X, W), ShapeError, "have 2 channels"),
    (lambda: onnx.ConvTranspose(X, whole(2, 3, 2), output_shape=[3, 3]), ShapeError, "output_shape"),
    (lambda: onnx.ConvTranspose(X, whole(2, 3, 2), output_padding=[-1]), ShapeError, "output_padding"),
    (lambda: onnx.ConvTranspose(X, whole(2, 3, 2), pads=[4, 4]), ShapeError, "pads leave -2"),
    (lambda: openvino.GroupConvolution(X, W, **_OV), ShapeError, "groups first"),
    (lambda: openvino.Convolution(X, whole(1, 3, 2, 2), **_OV), ShapeError, "rank 4"),
    (lambda: openvino.ConvolutionBackpropData(X, whole(2, 3, 2), [1, 2], **_OV), ShapeError, "output_shape"),
    (
        lambda: openvino.ConvolutionBackpropData(X, whole(2, 3, 2), [6.0], **_OV),
        DtypeError,
        "a size of output_shape has",
    ),
    (lambda: openvino.ConvolutionBackpropData(X, whole(2, 3, 2), [2**63], **_OV), DtypeError, "integer of 64 bits"),
    (lambda: openvino.AdaptiveAvgPool(X, [2.5]), DtypeError, "a size of output_shape has to be an integer; got 2.5"),
    (lambda: openvino.Convolution(X, W, **{**_OV, "dilations": [0]}), AttributeValueError, "dilations"),
]


@looped("call, error, says", REFUSED)
def test_what_does_not_fit_is_refused_in_words(call: Callable[[], Any], error: type[Exception], says: str) -> None:
    with pytest.raises(error, match=says):
        call()
