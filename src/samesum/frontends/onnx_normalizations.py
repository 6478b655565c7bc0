"""ONNX's door for arrays, the normalizations: named and called as the standard does."""

from __future__ import annotations

from typing import Any

from samesum.engine.arrays import NDArray, as_array
from samesum.engine.operators import apply
from samesum.specs.call import operation_of


def Hardmax(input: Any, *, axis: int | None = None, opset: int | None = None) -> NDArray:
    """One at the first maximum along `axis` (NaN, if there is one), zero elsewhere, in the type of `input`.

    `axis` is -1 by default; a negative one counts from the end. Before opset 13 it is 1 by default and splits the axes
    of `input` in two: what comes before it are the rows of a matrix, and a maximum is that of a whole row.
    `opset` chooses the version of the operator.

    Raises DtypeError for a type that the version does not allow (bfloat16 from 13 on), AxisError for an axis out of
    range, ShapeError for `input` of rank 0.
    Source: https://onnx.ai/onnx/operators/onnx__Hardmax.html (1, 11, 13).

    >>> import numpy as np
    >>> Hardmax(np.array([[3.0, 7.0, 7.0], [1.0, 0.0, 0.0]]))
    array([[0., 1., 0.],
           [1., 0., 0.]])
    """
    return _normalize("Hardmax", input, axis, opset)


def _normalize(operator: str, data: Any, axis: int | None, opset: int | None) -> NDArray:
    attributes = {} if axis is None else {"axis": axis}
    return apply(operation_of("onnx", operator, opset, **attributes), (as_array(data),))
