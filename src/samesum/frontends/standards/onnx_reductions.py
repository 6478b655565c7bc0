"""ONNX's API for arrays, the reductions over several axes: named and called as the standard does."""

from __future__ import annotations

from samesum.engine.arrays import as_array, as_integers
from samesum.formats.arrays import ArrayLike, NDArray
from samesum.formats.axes import Axes
from samesum.frontends.standards.attributes import hashed
from samesum.operators.apply import apply
from samesum.specs.call import operation_of, spec_of


def ReduceSum(
    data: ArrayLike, axes: Axes = None, *, keepdims: int = 1, noop_with_empty_axes: int = 0, opset: int | None = None
) -> NDArray:
    """The sum over `axes`, rounded once, in the type of `data`; integers wrap.

    `axes` are integers or an int64 array of rank 1, negative ones count from the end. Omitted or empty
    they stand for all axes, or for none if `noop_with_empty_axes` is 1. `keepdims` 1 keeps the reduced
    axes with length 1. `opset` chooses the version of the operator, by default the newest; where it
    has `axes` as an attribute (ReduceSum before 13, the other reductions before 18), they are the same
    argument and `noop_with_empty_axes` has to be 0.

    Raises DtypeError for a type that the version does not allow, AxisError for axes out of range or
    repeated, ShapeError for axes that are not of rank 1, UnsupportedOperator for an opset without the
    operator or the attribute, AttributeValueError for an attribute's value that is not allowed.
    Source: https://onnx.ai/onnx/operators/onnx__ReduceSum.html (1, 11, 13).

    >>> import numpy as np
    >>> ReduceSum(np.array([[1.0, 2.0], [3.0, 4.0]], np.float32), [1], keepdims=0)
    array([3., 7.], dtype=float32)
    """
    return _reduce("ReduceSum", data, axes, keepdims, noop_with_empty_axes, opset)


def ReduceMean(
    data: ArrayLike, axes: Axes = None, *, keepdims: int = 1, noop_with_empty_axes: int = 0, opset: int | None = None
) -> NDArray:
    """The mean over `axes`: the exact sum over the count, rounded once; integers truncate toward zero.

    The mean of an empty set is NaN, for integers a ShapeError. Arguments, types and errors are those of `ReduceSum`.
    Source: https://onnx.ai/onnx/operators/onnx__ReduceMean.html (1, 11, 13, 18).

    >>> import numpy as np
    >>> ReduceMean(np.array([[1.0, 2.0], [3.0, 6.0]], np.float32), [0])
    array([[2., 4.]], dtype=float32)
    """
    return _reduce("ReduceMean", data, axes, keepdims, noop_with_empty_axes, opset)


def ReduceProd(
    data: ArrayLike, axes: Axes = None, *, keepdims: int = 1, noop_with_empty_axes: int = 0, opset: int | None = None
) -> NDArray:
    """The product over `axes`, rounded once; integers wrap.

    Nothing overflows or underflows on the way; the product of an empty set is 1. Arguments, types and errors are those
    of `ReduceSum`. Source: https://onnx.ai/onnx/operators/onnx__ReduceProd.html (1, 11, 13, 18).

    >>> import numpy as np
    >>> ReduceProd(np.array([[1e30, 1e30, 1e-30]], np.float32), [1])
    array([[1.e+30]], dtype=float32)
    """
    return _reduce("ReduceProd", data, axes, keepdims, noop_with_empty_axes, opset)


def ReduceMax(
    data: ArrayLike, axes: Axes = None, *, keepdims: int = 1, noop_with_empty_axes: int = 0, opset: int | None = None
) -> NDArray:
    """The largest element over `axes`; NaN if there is one; booleans from opset 20 on (False < True).

    The maximum of an empty set is -inf, the least integer or False. Arguments, types and errors are those of
    `ReduceSum`.
    Source: https://onnx.ai/onnx/operators/onnx__ReduceMax.html (1, 11, 12, 13, 18, 20).

    >>> import numpy as np
    >>> ReduceMax(np.array([[3, 1], [2, 4]], np.int64), [1])
    array([[3],
           [4]])
    """
    return _reduce("ReduceMax", data, axes, keepdims, noop_with_empty_axes, opset)


def ReduceMin(
    data: ArrayLike, axes: Axes = None, *, keepdims: int = 1, noop_with_empty_axes: int = 0, opset: int | None = None
) -> NDArray:
    """The smallest element over `axes`; NaN if there is one; booleans from opset 20 on (False < True).

    The minimum of an empty set is +inf, the greatest integer or True. Arguments, types and errors are those of
    `ReduceSum`.
    Source: https://onnx.ai/onnx/operators/onnx__ReduceMin.html (1, 11, 12, 13, 18, 20).

    >>> import numpy as np
    >>> ReduceMin(np.array([[3, 1], [2, 4]], np.int64), [1], opset=11)
    array([[1],
           [2]])
    """
    return _reduce("ReduceMin", data, axes, keepdims, noop_with_empty_axes, opset)


def ReduceL1(
    data: ArrayLike, axes: Axes = None, *, keepdims: int = 1, noop_with_empty_axes: int = 0, opset: int | None = None
) -> NDArray:
    """The sum of magnitudes over `axes`, rounded once; integers wrap.

    Arguments, types and errors are those of `ReduceSum`.
    Source: https://onnx.ai/onnx/operators/onnx__ReduceL1.html (1, 11, 13, 18).

    >>> import numpy as np
    >>> ReduceL1(np.array([[1.5, -2.0]], np.float32), [1])
    array([[3.5]], dtype=float32)
    """
    return _reduce("ReduceL1", data, axes, keepdims, noop_with_empty_axes, opset)


def ReduceL2(
    data: ArrayLike, axes: Axes = None, *, keepdims: int = 1, noop_with_empty_axes: int = 0, opset: int | None = None
) -> NDArray:
    """The root of the sum of squares over `axes`, rounded once; integers give its floor.

    Nothing overflows or underflows on the way. Arguments, types and errors are those of `ReduceSum`.
    Source: https://onnx.ai/onnx/operators/onnx__ReduceL2.html (1, 11, 13, 18).

    >>> import numpy as np
    >>> ReduceL2(np.array([[3.0, -4.0]]), [1], keepdims=0)
    array([5.])
    """
    return _reduce("ReduceL2", data, axes, keepdims, noop_with_empty_axes, opset)


def ReduceSumSquare(
    data: ArrayLike, axes: Axes = None, *, keepdims: int = 1, noop_with_empty_axes: int = 0, opset: int | None = None
) -> NDArray:
    """The sum of squares over `axes`, rounded once; integers wrap.

    Arguments, types and errors are those of `ReduceSum`.
    Source: https://onnx.ai/onnx/operators/onnx__ReduceSumSquare.html (1, 11, 13, 18).

    >>> import numpy as np
    >>> ReduceSumSquare(np.array([[3.0, -4.0]]), [1], keepdims=0)
    array([25.])
    """
    return _reduce("ReduceSumSquare", data, axes, keepdims, noop_with_empty_axes, opset)


def ReduceLogSum(
    data: ArrayLike, axes: Axes = None, *, keepdims: int = 1, noop_with_empty_axes: int = 0, opset: int | None = None
) -> NDArray:
    """The natural logarithm of the sum over `axes`, within 0.51 ulp; integers, before opset 28, truncate toward zero.

    Where the sum is zero, as that of an empty set is, it is -inf (the least integer), where it is negative NaN (0 in
    integers). Arguments, types and errors are those of `ReduceSum`.
    Source: https://onnx.ai/onnx/operators/onnx__ReduceLogSum.html (1, 11, 13, 18, 28).

    >>> import numpy as np
    >>> ReduceLogSum(np.array([[0.25, 0.75], [1.0, 0.0]]), [1], keepdims=0)
    array([0., 0.])
    """
    return _reduce("ReduceLogSum", data, axes, keepdims, noop_with_empty_axes, opset)


def ReduceLogSumExp(
    data: ArrayLike, axes: Axes = None, *, keepdims: int = 1, noop_with_empty_axes: int = 0, opset: int | None = None
) -> NDArray:
    """The natural logarithm of the sum of exponentials over `axes`, within 0.51 ulp; nothing overflows on the way.

    Integers, before opset 28, truncate toward zero. Of nothing it is -inf (the least integer). Arguments, types and
    errors are those of `ReduceSum`.
    Source: https://onnx.ai/onnx/operators/onnx__ReduceLogSumExp.html (1, 11, 13, 18, 28).

    >>> import numpy as np
    >>> ReduceLogSumExp(np.array([[1000.0, 1000.0]]), [1])
    array([[1000.69314718]])
    """
    return _reduce("ReduceLogSumExp", data, axes, keepdims, noop_with_empty_axes, opset)


def _reduce(operator: str, data: ArrayLike, axes: Axes, keepdims: int, noop: int, opset: int | None) -> NDArray:
    """One reduction; `axes` travel as an attribute or as an input, as the version has it."""
    attributes = {"keepdims": keepdims} if noop == 0 else {"keepdims": keepdims, "noop_with_empty_axes": noop}
    if axes is None:
        return apply(operation_of("onnx", operator, opset, **attributes), (as_array(data),))
    if opset is None or len(spec_of("onnx", operator, opset).inputs) > 1:  # an input in every newest version
        return apply(operation_of("onnx", operator, opset, **attributes), (as_array(data), as_integers(axes)))
    return apply(operation_of("onnx", operator, opset, axes=hashed(axes), **attributes), (as_array(data),))
