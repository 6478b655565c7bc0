"""Products and convolutions of OpenVINO's models by samesum, where they are asked for."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import samesum as ss
from naming import case
from samesum import ArgumentError
from samesum.formats.arrays import NDArray

openvino = pytest.importorskip("openvino")
opset = pytest.importorskip("openvino.opset13")

from samesum.openvino import exact  # noqa: E402 - only where the package is there

pytestmark = pytest.mark.filterwarnings("ignore:OpenVINO's CPU plugin computes in:RuntimeWarning")

CORE = openvino.Core()


def spread(*shape: int, seed: int = 0) -> NDArray:
    """Numbers of many magnitudes, whose sums differ by their order."""
    rng = np.random.default_rng([seed, *shape])
    return (rng.normal(size=shape) * 2.0 ** rng.integers(-8, 8, shape)).astype(np.float32)


def run(model: Any, x: NDArray) -> NDArray:
    return np.asarray(CORE.compile_model(model, "CPU", {"INFERENCE_PRECISION_HINT": "f32"})([x])[0])


X, FLAT = spread(2, 4, 9, 10), spread(3, 2, 40, 50)
WINDOWS: dict[str, Any] = {"strides": [2, 1], "pads_begin": [1, 0], "pads_end": [0, 2], "dilations": [1, 2]}


def models() -> list[tuple[str, Any, NDArray, NDArray]]:
    """By the operator's name: a model of one, its input, and what samesum gives for the node."""
    flat, x = opset.parameter(FLAT.shape, np.float32), opset.parameter(X.shape, np.float32)
    w, g = spread(50, 30, seed=1), spread(2, 3, 2, 3, 2, seed=2)
    back, sizes = spread(4, 3, 3, 2, seed=3), np.array([17, 11])
    return [
        ("MatMul", openvino.Model([opset.matmul(flat, w, False, False)], [flat]), FLAT, ss.openvino.MatMul(FLAT, w)),
        (
            "Einsum",
            openvino.Model([opset.einsum([flat, opset.constant(w)], "abij,jk->kab")], [flat]),
            FLAT,
            ss.einsum("abij,jk->kab", FLAT, w),
        ),
        (
            "Convolution",
            openvino.Model(
                [opset.convolution(x, opset.constant(g[0, :, [0, 1, 0, 1]].swapaxes(0, 1)), **WINDOWS)], [x]
            ),
            X,
            ss.openvino.Convolution(X, g[0, :, [0, 1, 0, 1]].swapaxes(0, 1), **WINDOWS),
        ),
        (
            "GroupConvolution",
            openvino.Model([opset.group_convolution(x, opset.constant(g), **WINDOWS)], [x]),
            X,
            ss.openvino.GroupConvolution(X, g, **WINDOWS),
        ),
        (
            "ConvolutionBackpropData",
            openvino.Model(
                [
                    opset.convolution_backprop_data(
                        x, opset.constant(back), output_shape=opset.constant(sizes), **WINDOWS
                    )
                ],
                [x],
            ),
            X,
            ss.openvino.ConvolutionBackpropData(X, back, sizes, **WINDOWS),
        ),
        (
            "GroupConvolutionBackpropData",
            openvino.Model(
                [opset.group_convolution_backprop_data(x, opset.constant(g.swapaxes(1, 2)), **WINDOWS)], [x]
            ),
            X,
            ss.openvino.GroupConvolutionBackpropData(X, g.swapaxes(1, 2), **WINDOWS),
        ),
    ]


def test_products_are_samesums_by_their_names() -> None:
    for name, model, x, expected in models():
        with case(name):
            usual = [node.get_type_name() for node in exact(model).get_ordered_ops()]
            assert name in usual
            for chosen in ([name], "all"):
                changed = exact(model, chosen)
                assert name not in [node.get_type_name() for node in changed.get_ordered_ops()]
                assert tuple(changed.output(0).shape) == expected.shape
                assert run(changed, x).tobytes() == expected.tobytes()
    with pytest.raises(ArgumentError, match="the text 'MatMul'"):
        exact(model, "MatMul")


def test_open_dims_stay_open() -> None:
    data = opset.parameter([-1, 4, -1, 10], np.float32)
    w = spread(3, 4, 3, 2)
    windows = WINDOWS | {"strides": [1, 1], "dilations": [1, 1]}
    model = openvino.Model([opset.convolution(data, opset.constant(w), **windows)], [data])
    changed = exact(model, ["Convolution"])
    assert changed.output(0).get_partial_shape() == openvino.PartialShape([-1, 3, -1, 11])
    assert run(changed, X).tobytes() == ss.openvino.Convolution(X, w, **windows).tobytes()
