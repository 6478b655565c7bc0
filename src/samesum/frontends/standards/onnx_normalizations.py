"""ONNX's API for arrays, the normalizations: named and called as the standard does."""

from __future__ import annotations

from samesum.formats.arrays import ArrayLike, NDArray, Out
from samesum.frontends.standards.normalizations import normalize


def Softmax(input: ArrayLike, *, axis: int | None = None, opset: int | None = None, out: Out | None = None) -> NDArray:
    """exp(x) over the sum of all exp(x) along `axis`, within 0.6 ulp, in the type and shape of `input`.

    Nothing overflows on the way. `axis` is -1 by default; a negative one counts from the end. Before opset 13 it is
    1 by default and splits the axes of `input` in two: those before it number the rows of a matrix, and the sum is that
    of a whole row. `opset` chooses the version of the operator. `out`, of the same type and shape, takes the result.

    Raises DtypeError for a type that the version does not allow (bfloat16 from 13 on) or for `out` of another one,
    AxisError for an axis out of range, ShapeError for `input` of rank 0 or `out` of another shape.
    Source: https://onnx.ai/onnx/operators/onnx__Softmax.html (1, 11, 13).

    >>> import numpy as np
    >>> Softmax(np.array([[1000.0, 1000.0], [0.0, -np.inf]]))
    array([[0.5, 0.5],
           [1. , 0. ]])
    """
    return normalize("onnx", "Softmax", opset, axis, input, out)


def LogSoftmax(
    input: ArrayLike, *, axis: int | None = None, opset: int | None = None, out: Out | None = None
) -> NDArray:
    """The logarithm of what `Softmax` gives, within 0.6 ulp also where that is 0 or 1.

    Arguments, types and errors are those of `Softmax`.
    Source: https://onnx.ai/onnx/operators/onnx__LogSoftmax.html (1, 11, 13).

    >>> import numpy as np
    >>> LogSoftmax(np.array([[0.0, -1000.0], [-np.inf, 5.0]]))
    array([[   -0., -1000.],
           [  -inf,     0.]])
    """
    return normalize("onnx", "LogSoftmax", opset, axis, input, out)


def Hardmax(input: ArrayLike, *, axis: int | None = None, opset: int | None = None) -> NDArray:
    """One at the first maximum along `axis` (NaN, if there is one), zero elsewhere, in the type of `input`.

    Before opset 13 there is one maximum for each row of the matrix. Arguments, types and errors are those of `Softmax`.
    Source: https://onnx.ai/onnx/operators/onnx__Hardmax.html (1, 11, 13).

    >>> import numpy as np
    >>> Hardmax(np.array([[3.0, 7.0, 7.0], [1.0, 0.0, 0.0]]))
    array([[0., 1., 0.],
           [1., 0., 0.]])
    """
    return normalize("onnx", "Hardmax", opset, axis, input)
