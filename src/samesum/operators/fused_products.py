"""Products as ONNX Runtime fuses them: a general product or a convolution, then a function of each element.

The product is rounded once, and what the function gives of it is again.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np

from samesum.engine import elementwise
from samesum.errors import AttributeValueError
from samesum.formats.arrays import NDArray
from samesum.operators import curves, pointwise
from samesum.operators.convolutions import ONNX_CONV, convolution_shape, convolved
from samesum.operators.pointwise import given, optional
from samesum.operators.products import gemm, product_shape, scaled_product
from samesum.operators.rows import Attributes, Inputs, Row, row

_Numbers = Sequence[float]


def leaky_relu(x: NDArray, alpha: float) -> NDArray:
    """The elements from 0 on as they are, the others times the float32 `alpha`, rounded once."""
    wide = np.multiply(x, alpha, dtype=np.float64) if x.dtype != np.float64 else x * alpha
    return np.asarray(np.where(x < 0, wide.astype(x.dtype), x))


_ACTIVATIONS: dict[str, tuple[Callable[[NDArray, _Numbers], object], tuple[float, ...]]] = {
    "relu": (lambda x, _: pointwise.relu(x), ()),
    "tanh": (lambda x, _: elementwise.tanh(x), ()),
    "sigmoid": (lambda x, _: elementwise.sigmoid(x), ()),
    "leakyrelu": (lambda x, numbers: leaky_relu(x, numbers[0]), (0.009999999776482582,)),
    "clip": (
        lambda x, numbers: pointwise.clip_attributes({"min": numbers[0], "max": numbers[1]}, [x]),
        (-3.4028234663852886e38, 3.4028234663852886e38),
    ),
    "hardsigmoid": (
        lambda x, numbers: curves.hard_sigmoid({"alpha": numbers[0], "beta": numbers[1]}, [x]),
        (0.20000000298023224, 0.5),
    ),
}
"""By the word of the attribute: the function, and what its parameters are where they are left out."""


def _activated(word: str | None, numbers: Sequence[float | None], x: NDArray) -> NDArray:
    if not word:
        return x
    if word not in _ACTIVATIONS:
        raise AttributeValueError(f"activation is {word!r}; allowed are {', '.join(_ACTIVATIONS)}")
    function, defaults = _ACTIVATIONS[word]
    given = [*numbers, *[None] * len(defaults)]
    return np.asarray(function(x, [d if n is None else n for n, d in zip(given, defaults, strict=False)]))


def fused_gemm(attributes: Attributes, inputs: Inputs) -> NDArray:
    """FusedGemm: Gemm and the activation."""
    numbers = [attributes[f"activation_{name}"] for name in ("alpha", "beta", "gamma")]
    return _activated(attributes["activation"], numbers, gemm(attributes, inputs))


def fused_conv(attributes: Attributes, inputs: Inputs) -> NDArray:
    """FusedConv: Conv, Z added, and the activation. With a bias and Z, the latter is added to what was rounded."""
    x, w, bias, z = given(inputs, 0), given(inputs, 1), optional(inputs, 2), optional(inputs, 3)
    total = convolved(ONNX_CONV, attributes, x, w, z if bias is None else bias, x.dtype)
    if bias is not None and z is not None:
        pointwise.broadcast_shape(total, z)
        total = np.asarray(np.add(total, z))
    return _activated(attributes["activation"], attributes["activation_params"] or (), total)


MICROSOFT_PRODUCT_ROWS: tuple[Row, ...] = (
    row("FusedMatMul", scaled_product, product_shape),
    row("FusedGemm", fused_gemm, product_shape),
    row("FusedConv", fused_conv, convolution_shape(ONNX_CONV)),
)
