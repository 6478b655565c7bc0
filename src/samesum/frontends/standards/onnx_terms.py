"""ONNX's API for arrays, sums, means and extremes of several arrays: named and called as the standard does."""

from __future__ import annotations

from samesum.engine.arrays import as_array
from samesum.formats.arrays import ArrayLike, NDArray
from samesum.operators.apply import apply
from samesum.specs.call import operation_of


def Sum(*data_0: ArrayLike, opset: int | None = None) -> NDArray:
    """The exact sum of the arrays, which broadcast together, rounded once to their type.

    `opset` chooses the version. Raises DtypeError for types that the version does not allow or that differ, ShapeError
    for shapes that do not broadcast, AttributeValueError for no array at all.
    Source: https://onnx.ai/onnx/operators/onnx__Sum.html (1, 6, 8, 13).

    >>> import numpy as np
    >>> Sum(np.float32([1e30, 1]), np.float32(3), np.float32([-1e30, 0]))
    array([3., 4.], dtype=float32)
    """
    return _applied("Sum", opset, data_0)


def Mean(*data_0: ArrayLike, opset: int | None = None) -> NDArray:
    """The exact sum of the arrays over their number, rounded once; the rest is as in `Sum`.

    Source: https://onnx.ai/onnx/operators/onnx__Mean.html (1, 6, 8, 13).

    >>> import numpy as np
    >>> Mean(np.float32([3e38, 1]), np.float32([3e38, 2]))
    array([3.0e+38, 1.5e+00], dtype=float32)
    """
    return _applied("Mean", opset, data_0)


def Max(*data_0: ArrayLike, opset: int | None = None) -> NDArray:
    """The greatest element at each place of the arrays, which broadcast together; NaN if there is one, and -0 < +0.

    The errors are those of `Sum`; from opset 12 on integers are allowed.
    Source: https://onnx.ai/onnx/operators/onnx__Max.html (1, 6, 8, 12, 13).

    >>> import numpy as np
    >>> Max(np.float32([1, 5]), np.float32([2, 4]), np.float32(3))
    array([3., 5.], dtype=float32)
    """
    return _applied("Max", opset, data_0)


def Min(*data_0: ArrayLike, opset: int | None = None) -> NDArray:
    """The least element at each place of the arrays; the rest is as in `Max`.

    Source: https://onnx.ai/onnx/operators/onnx__Min.html (1, 6, 8, 12, 13).

    >>> import numpy as np
    >>> Min(np.float32([1, 5]), np.float32([2, 4]), np.float32(3))
    array([1., 3.], dtype=float32)
    """
    return _applied("Min", opset, data_0)


def _applied(name: str, opset: int | None, arrays: tuple[ArrayLike, ...]) -> NDArray:
    return apply(operation_of("onnx", name, opset), [as_array(each) for each in arrays])
