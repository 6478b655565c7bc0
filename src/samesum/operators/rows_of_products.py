"""How the products of matrices and the convolutions of both standards run."""

from __future__ import annotations

import numpy as np

from samesum.operators import convolutions, products, quantized_products
from samesum.operators.convolutions import Layer
from samesum.operators.rows import Row, row

_INT32 = np.dtype(np.int32)


def _convolution(name: str, layer: Layer) -> Row:
    return row(name, convolutions.convolution(layer), convolutions.convolution_shape(layer))


ONNX_PRODUCT_ROWS = (
    row("MatMul", products.product, products.product_shape),
    row("Gemm", products.gemm, products.product_shape),
    row("Einsum", products.einsum, products.einsum_shape),
    _convolution("Conv", convolutions.ONNX_CONV),
    _convolution("ConvTranspose", convolutions.ONNX_CONV_TRANSPOSE),
    row("MatMulInteger", quantized_products.matmul_integer, products.whole_product_shape),
    row(
        "ConvInteger",
        quantized_products.conv_integer,
        convolutions.convolution_shape(convolutions.ONNX_CONV, dtype=_INT32),
    ),
    row("QLinearMatMul", quantized_products.quantized_matmul, products.quantized_product_shape),
    row(
        "QLinearConv",
        quantized_products.quantized_conv,
        convolutions.convolution_shape(convolutions.ONNX_CONV, weights=3, like=7),
    ),
)

OPENVINO_PRODUCT_ROWS = (
    row("MatMul", products.product, products.product_shape),
    row("Einsum", products.einsum, products.einsum_shape),
    _convolution("Convolution", convolutions.CONVOLUTION),
    _convolution("GroupConvolution", convolutions.GROUP_CONVOLUTION),
    _convolution("ConvolutionBackpropData", convolutions.BACKPROP),
    _convolution("GroupConvolutionBackpropData", convolutions.GROUP_BACKPROP),
)
