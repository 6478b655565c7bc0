"""ONNX's API for arrays, numbers and their quantized form: named and called as the standard does."""

from __future__ import annotations

from samesum.engine.arrays import as_array
from samesum.formats.arrays import ArrayLike, NDArray
from samesum.frontends.standards.attributes import operation_given
from samesum.operators.apply import apply, apply_all
from samesum.specs.lookup import operation_of

_DEFAULTS = {"axis": 1, "block_size": 0, "output_dtype": 0, "saturate": 1, "precision": 0}


def QuantizeLinear(
    x: ArrayLike,
    y_scale: ArrayLike,
    y_zero_point: ArrayLike | None = None,
    *,
    axis: int = 1,
    block_size: int = 0,
    output_dtype: int = 0,
    precision: int = 0,
    saturate: int = 1,
    opset: int | None = None,
) -> NDArray:
    """`x / y_scale` rounded to the nearest integer, the even one of two, plus `y_zero_point`, saturated.

    The quotient is the real one, whatever `precision` says. The result has the type of the zero point or the one that
    `output_dtype` numbers (TensorProto.DataType), uint8 by default; to floats of 8 or 4 bits the real quotient plus the
    zero point is rounded once. Scale and zero point have one element, one for each place along `axis`, or, with
    `block_size`, one for each block along it. NaN gives the least integer. `opset` chooses the version.

    Raises DtypeError for types that the version does not allow, ShapeError for a scale or zero point of another shape,
    AxisError for an axis out of range, AttributeValueError for another output type.
    Source: https://onnx.ai/onnx/operators/onnx__QuantizeLinear.html (10, 13, 19, 21, 23, 24, 25).

    >>> import numpy as np
    >>> QuantizeLinear(np.float32([-1, 0, 0.3, 0.5, 99]), np.float32(0.2), np.uint8(10))
    array([  5,  10,  12,  12, 255], dtype=uint8)
    """
    attributes = {
        "axis": axis,
        "block_size": block_size,
        "output_dtype": output_dtype,
        "precision": precision,
        "saturate": saturate,
    }
    operation = operation_given("onnx", "QuantizeLinear", opset, _DEFAULTS, attributes)
    return apply(operation, _arrays(x, y_scale, y_zero_point))


def DequantizeLinear(
    x: ArrayLike,
    x_scale: ArrayLike,
    x_zero_point: ArrayLike | None = None,
    *,
    axis: int = 1,
    block_size: int = 0,
    output_dtype: int = 0,
    opset: int | None = None,
) -> NDArray:
    """The exact `(x - x_zero_point) * x_scale`, rounded once to the type of the scale or to `output_dtype`.

    Scale and zero point, `axis` and `block_size` and the errors are as in `QuantizeLinear`.
    Source: https://onnx.ai/onnx/operators/onnx__DequantizeLinear.html (10, 13, 19, 21, 23, 24, 25).

    >>> import numpy as np
    >>> DequantizeLinear(np.int32([2**31 - 1, -3]), np.float32(0.1))
    array([ 2.1474837e+08, -3.0000001e-01], dtype=float32)
    """
    attributes = {"axis": axis, "block_size": block_size, "output_dtype": output_dtype}
    operation = operation_given("onnx", "DequantizeLinear", opset, _DEFAULTS, attributes)
    return apply(operation, _arrays(x, x_scale, x_zero_point))


def DynamicQuantizeLinear(x: ArrayLike, *, opset: int | None = None) -> tuple[NDArray, NDArray, NDArray]:
    """Bytes, and the scale and zero point that their range asks for: `(y, y_scale, y_zero_point)`.

    The scale is the real range of `x` and 0, over 255, rounded once; the zero point and the bytes are rounded from the
    real quotients by that scale. Where the range is 0 the scale is 1, as ONNX Runtime has it, and also where the scale
    would be rounded to 0.

    Raises DtypeError for data that are not float32.
    Source: https://onnx.ai/onnx/operators/onnx__DynamicQuantizeLinear.html (11).

    >>> import numpy as np
    >>> DynamicQuantizeLinear(np.float32([0, 2, -3]))
    (array([153, 255,   0], dtype=uint8), array(0.01960784, dtype=float32), array(153, dtype=uint8))
    """
    y, scale, zero = apply_all(operation_of("onnx", "DynamicQuantizeLinear", opset), 3, [as_array(x)])
    return y, scale, zero


def _arrays(*given: ArrayLike | None) -> list[NDArray | None]:
    return [None if each is None else as_array(each) for each in given]
