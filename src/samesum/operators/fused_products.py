"""Products as ONNX Runtime fuses them: a general product or a convolution, then a function of each element.

The product is rounded once, and what the function gives of it is again.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from samesum.errors import AttributeValueError, ShapeError
from samesum.formats.arrays import NDArray
from samesum.operators import pointwise
from samesum.operators.activations import NAMED
from samesum.operators.convolutions import ONNX_CONV, convolution_shape, convolved
from samesum.operators.pointwise import given, optional
from samesum.operators.products import gemm, product_shape, scaled_product
from samesum.operators.rows import Attributes, Inputs, Row, row


def _activated(word: str | None, numbers: Sequence[float | None], x: NDArray) -> NDArray:
    if not word:
        return x
    if word not in NAMED:
        raise AttributeValueError(f"activation is {word!r}; allowed are {', '.join(NAMED)}")
    function, defaults = NAMED[word]
    said = [*numbers, *[None] * len(defaults)]
    parameters = [default if number is None else number for number, default in zip(said, defaults, strict=False)]
    with np.errstate(all="ignore"):
        return np.asarray(function(x, *parameters))


def fused_gemm(attributes: Attributes, inputs: Inputs) -> NDArray:
    """FusedGemm: Gemm and the activation."""
    numbers = [attributes[f"activation_{name}"] for name in ("alpha", "beta", "gamma")]
    return _activated(attributes["activation"], numbers, gemm(attributes, inputs))


def fused_conv(attributes: Attributes, inputs: Inputs) -> NDArray:
    """FusedConv: Conv, Z added, and the activation. With a bias and Z, the latter is added to what was rounded."""
    x, w, bias, z = given(inputs, 0), given(inputs, 1), optional(inputs, 2), optional(inputs, 3)
    total = convolved(ONNX_CONV, attributes, x, w, z if bias is None else bias, x.dtype)
    if bias is not None and z is not None:
        if pointwise.broadcast_shape(total, z) != total.shape:
            raise ShapeError(f"Z has shape {z.shape}; it does not broadcast to that of the result, {total.shape}")
        total = np.asarray(np.add(total, z))
    return _activated(attributes["activation"], attributes["activation_params"] or (), total)


MICROSOFT_PRODUCT_ROWS: tuple[Row, ...] = (
    row("FusedMatMul", scaled_product, product_shape),
    row("FusedGemm", fused_gemm, product_shape),
    row("FusedConv", fused_conv, convolution_shape(ONNX_CONV)),
)
