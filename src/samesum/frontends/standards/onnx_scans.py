"""ONNX's API for arrays, the scans: named and called as the standard does."""

from __future__ import annotations

from samesum.engine.arrays import as_array, as_integers
from samesum.formats.arrays import ArrayLike, NDArray
from samesum.formats.axes import Axis
from samesum.operators.apply import apply
from samesum.specs.call import operation_of


def CumSum(x: ArrayLike, axis: Axis, *, exclusive: int = 0, reverse: int = 0, opset: int | None = None) -> NDArray:
    """Every prefix sum of `x` along `axis`, each the exact one rounded once, in the type of `x`.

    `axis` is an integer or an int32 or int64 array of one element. `exclusive` 1 leaves each element out
    of its own prefix, `reverse` 1 sums from the end. `opset` chooses the version of the operator.

    Raises DtypeError for a type that the version does not allow, AxisError for an axis out of range,
    ShapeError for `x` of rank 0, UnsupportedOperator for an opset below 11, AttributeValueError for an
    attribute's value that is not allowed.
    Source: https://onnx.ai/onnx/operators/onnx__CumSum.html (11, 14).

    >>> import numpy as np
    >>> CumSum(np.array([1.0, 2.0, 3.0]), 0, exclusive=1)
    array([0., 1., 3.])
    """
    return _scan("CumSum", x, axis, exclusive, reverse, opset)


def CumProd(x: ArrayLike, axis: Axis, *, exclusive: int = 0, reverse: int = 0, opset: int | None = None) -> NDArray:
    """Every prefix product of `x` along `axis`, each the exact one rounded once, in the type of `x`; integers wrap.

    It exists from opset 26 on. No prefix suffers from an overflow or underflow of an earlier one. Arguments, types and
    errors are those of `CumSum`. Source: https://onnx.ai/onnx/operators/onnx__CumProd.html (26).

    >>> import numpy as np
    >>> CumProd(np.array([1.0, 2.0, 3.0]), 0, reverse=1)
    array([6., 6., 3.])
    """
    return _scan("CumProd", x, axis, exclusive, reverse, opset)


def _scan(operator: str, x: ArrayLike, axis: Axis, exclusive: int, reverse: int, opset: int | None) -> NDArray:
    operation = operation_of("onnx", operator, opset, exclusive=exclusive, reverse=reverse)
    return apply(operation, (as_array(x), None if axis is None else as_integers(axis)))
