"""ONNX's API for arrays, the positions of extremes: named and called as the standard does."""

from __future__ import annotations

from samesum.engine.arrays import as_array
from samesum.formats.arrays import ArrayLike, NDArray
from samesum.operators.apply import apply
from samesum.specs.call import operation_of


def ArgMax(
    data: ArrayLike, *, axis: int = 0, keepdims: int = 1, select_last_index: int = 0, opset: int | None = None
) -> NDArray:
    """Where along `axis` the largest element is, as int64; the first NaN, if there is one.

    Of equal elements (-0 and +0 are, and all NaNs) it is the first one, or the last one if `select_last_index` is 1,
    which exists from opset 12 on. A negative `axis` counts from the end; `keepdims` 1 keeps it with length 1.
    `opset` chooses the version of the operator.

    Raises DtypeError for a type that the version does not allow (bfloat16 from 13 on), AxisError for an axis out of
    range, which every axis is for rank 0, ShapeError where `axis` has no elements, UnsupportedOperator for an
    attribute that the version does not have, AttributeValueError for an attribute's value that is not allowed.
    Source: https://onnx.ai/onnx/operators/onnx__ArgMax.html (1, 11, 12, 13).

    >>> import numpy as np
    >>> x = np.array([[3.0, 7.0, 7.0], [1.0, 0.0, 1.0]])
    >>> ArgMax(x, axis=1)
    array([[1],
           [0]])
    >>> ArgMax(x, axis=-1, keepdims=0, select_last_index=1)
    array([2, 2])
    """
    return _position("ArgMax", data, axis, keepdims, select_last_index, opset)


def ArgMin(
    data: ArrayLike, *, axis: int = 0, keepdims: int = 1, select_last_index: int = 0, opset: int | None = None
) -> NDArray:
    """Where along `axis` the smallest element is, as int64; the first NaN, if there is one.

    Arguments, types and errors are those of `ArgMax`.
    Source: https://onnx.ai/onnx/operators/onnx__ArgMin.html (1, 11, 12, 13).

    >>> import numpy as np
    >>> ArgMin(np.array([[3, 1, 2], [0, 5, 0]]), axis=1, keepdims=0)
    array([1, 0])
    """
    return _position("ArgMin", data, axis, keepdims, select_last_index, opset)


def _position(
    operator: str, data: ArrayLike, axis: int, keepdims: int, select_last_index: int, opset: int | None
) -> NDArray:
    attributes: dict[str, object] = {"axis": axis, "keepdims": keepdims}
    if select_last_index != 0:
        attributes["select_last_index"] = select_last_index
    return apply(operation_of("onnx", operator, opset, **attributes), (as_array(data),))
