"""How many products make one result, as ones that are multiplied and added say."""

from __future__ import annotations

from typing import Any

import numpy as np

from naming import case
from samesum.testing.calls import call_of

Array = np.ndarray[Any, Any]
CALLS: dict[str, tuple[tuple[tuple[int, ...], ...], dict[str, Any]]] = {
    "onnx.Conv": (((1, 6, 5, 5), (4, 6, 3, 3)), {}),
    "onnx.Conv of two groups": (((1, 6, 5, 5), (4, 3, 3, 3)), {"group": 2}),
    "onnx.Conv of many results": (((1, 64, 5), (3, 64, 3)), {}),
    "onnx.ConvTranspose": (((1, 6, 5, 5), (6, 4, 3, 3)), {}),
    "onnx.ConvTranspose of two groups": (((1, 6, 5, 5), (6, 4, 3, 3)), {"group": 2}),
    "openvino.Convolution": (((1, 6, 5, 5), (4, 6, 3, 3)), {}),
    "openvino.GroupConvolution": (((1, 6, 5, 5), (2, 4, 3, 3, 3)), {}),
    "openvino.ConvolutionBackpropData": (((1, 6, 5, 5), (6, 2, 3, 3)), {}),
    "openvino.GroupConvolutionBackpropData": (((1, 6, 5, 5), (2, 3, 4, 3, 3)), {}),
    "onnx.MatMul": (((2, 3, 7), (7, 5)), {}),
    "onnx.Gemm of a transposed": (((7, 3), (7, 5)), {"transA": 1}),
    "openvino.MatMul of a transposed": (((2, 7, 3), (7, 5)), {"transpose_a": True}),
    "onnx.Einsum": (((3, 4), (4, 5)), {"equation": "ij,jk->ik"}),
    "onnx.Einsum without an arrow": (((3, 4), (4, 5)), {"equation": "kj, ja"}),
    "onnx.Einsum of an ellipsis": (((2, 3, 4), (2, 4, 5)), {"equation": "...ij,...jk->...ik"}),
    "onnx.Einsum of an ellipsis in front of a sum": (((2, 3, 4), (4, 2, 3)), {"equation": "...j,j...->..."}),
    "onnx.Einsum of an ellipsis without an arrow": (((2, 3, 4), (4, 6)), {"equation": "...ij,jk"}),
    "onnx.Einsum of a diagonal": (((4, 4), (4,)), {"equation": "ii,i->"}),
    "onnx.Einsum of a stretched axis": (((3, 1), (4, 5)), {"equation": "ij,jk->ik"}),
    "onnx.Einsum of three": (((3, 4), (4, 5), (5, 2)), {"equation": "ij,jk,kl->il"}),
}


def test_the_terms_of_a_result_are_what_ones_come_to() -> None:
    for name, (shapes, attributes) in CALLS.items():
        given = [np.ones(shape, np.float32) for shape in shapes]
        with case(name):
            call = call_of(name.split(" ")[0], given, attributes | strides(name))
            exact = call.compute(call.arrays)
            assert call.length(exact) == exact.max()


def strides(name: str) -> dict[str, Any]:
    """What OpenVINO's convolutions have to be told."""
    if "Conv" not in name or not name.startswith("openvino"):
        return {}
    return {"strides": [1, 1], "dilations": [1, 1], "pads_begin": [0, 0], "pads_end": [0, 0]}
