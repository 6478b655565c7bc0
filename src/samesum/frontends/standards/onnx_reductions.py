"""ONNX's API for arrays, the reductions, positions and scans: named and called as the standard does."""

from __future__ import annotations

from samesum.formats.arrays import ArrayLike, NDArray
from samesum.formats.axes import Axes, Axis
from samesum.frontends.standards.calls import one


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

    >>> ReduceSum(np.array([[1.0, 2.0], [3.0, 4.0]], np.float32), [1], keepdims=0)
    array([3., 7.], dtype=float32)
    """
    return one("onnx", ReduceSum, locals())


def ReduceMean(
    data: ArrayLike, axes: Axes = None, *, keepdims: int = 1, noop_with_empty_axes: int = 0, opset: int | None = None
) -> NDArray:
    """The mean over `axes`: the exact sum over the count, rounded once; integers truncate toward zero.

    The mean of an empty set is NaN, for integers a ShapeError. Arguments, types and errors are those of `ReduceSum`.
    Source: https://onnx.ai/onnx/operators/onnx__ReduceMean.html (1, 11, 13, 18).

    >>> ReduceMean(np.array([[1.0, 2.0], [3.0, 6.0]], np.float32), [0])
    array([[2., 4.]], dtype=float32)
    """
    return one("onnx", ReduceMean, locals())


def ReduceProd(
    data: ArrayLike, axes: Axes = None, *, keepdims: int = 1, noop_with_empty_axes: int = 0, opset: int | None = None
) -> NDArray:
    """The product over `axes`, rounded once; integers wrap.

    Nothing overflows or underflows on the way; the product of an empty set is 1. Arguments, types and errors are those
    of `ReduceSum`. Source: https://onnx.ai/onnx/operators/onnx__ReduceProd.html (1, 11, 13, 18).

    >>> ReduceProd(np.array([[1e30, 1e30, 1e-30]], np.float32), [1])
    array([[1.e+30]], dtype=float32)
    """
    return one("onnx", ReduceProd, locals())


def ReduceMax(
    data: ArrayLike, axes: Axes = None, *, keepdims: int = 1, noop_with_empty_axes: int = 0, opset: int | None = None
) -> NDArray:
    """The largest element over `axes`; NaN if there is one; booleans from opset 20 on (False < True).

    The maximum of an empty set is -inf, the least integer or False. Arguments, types and errors are those of
    `ReduceSum`.
    Source: https://onnx.ai/onnx/operators/onnx__ReduceMax.html (1, 11, 12, 13, 18, 20).

    >>> ReduceMax(np.array([[3, 1], [2, 4]], np.int64), [1])
    array([[3],
           [4]])
    """
    return one("onnx", ReduceMax, locals())


def ReduceMin(
    data: ArrayLike, axes: Axes = None, *, keepdims: int = 1, noop_with_empty_axes: int = 0, opset: int | None = None
) -> NDArray:
    """The smallest element over `axes`; NaN if there is one; booleans from opset 20 on (False < True).

    The minimum of an empty set is +inf, the greatest integer or True. Arguments, types and errors are those of
    `ReduceSum`.
    Source: https://onnx.ai/onnx/operators/onnx__ReduceMin.html (1, 11, 12, 13, 18, 20).

    >>> ReduceMin(np.array([[3, 1], [2, 4]], np.int64), [1], opset=11)
    array([[1],
           [2]])
    """
    return one("onnx", ReduceMin, locals())


def ReduceL1(
    data: ArrayLike, axes: Axes = None, *, keepdims: int = 1, noop_with_empty_axes: int = 0, opset: int | None = None
) -> NDArray:
    """The sum of magnitudes over `axes`, rounded once; integers wrap.

    Arguments, types and errors are those of `ReduceSum`.
    Source: https://onnx.ai/onnx/operators/onnx__ReduceL1.html (1, 11, 13, 18).

    >>> ReduceL1(np.array([[1.5, -2.0]], np.float32), [1])
    array([[3.5]], dtype=float32)
    """
    return one("onnx", ReduceL1, locals())


def ReduceL2(
    data: ArrayLike, axes: Axes = None, *, keepdims: int = 1, noop_with_empty_axes: int = 0, opset: int | None = None
) -> NDArray:
    """The root of the sum of squares over `axes`, rounded once; integers give its floor.

    Nothing overflows or underflows on the way. Arguments, types and errors are those of `ReduceSum`.
    Source: https://onnx.ai/onnx/operators/onnx__ReduceL2.html (1, 11, 13, 18).

    >>> ReduceL2(np.array([[3.0, -4.0]]), [1], keepdims=0)
    array([5.])
    """
    return one("onnx", ReduceL2, locals())


def ReduceSumSquare(
    data: ArrayLike, axes: Axes = None, *, keepdims: int = 1, noop_with_empty_axes: int = 0, opset: int | None = None
) -> NDArray:
    """The sum of squares over `axes`, rounded once; integers wrap.

    Arguments, types and errors are those of `ReduceSum`.
    Source: https://onnx.ai/onnx/operators/onnx__ReduceSumSquare.html (1, 11, 13, 18).

    >>> ReduceSumSquare(np.array([[3.0, -4.0]]), [1], keepdims=0)
    array([25.])
    """
    return one("onnx", ReduceSumSquare, locals())


def ReduceLogSum(
    data: ArrayLike, axes: Axes = None, *, keepdims: int = 1, noop_with_empty_axes: int = 0, opset: int | None = None
) -> NDArray:
    """The natural logarithm of the sum over `axes`, within 0.51 ulp; integers, before opset 28, truncate toward zero.

    Where the sum is zero, as that of an empty set is, it is -inf (the least integer), where it is negative NaN (0 in
    integers). Arguments, types and errors are those of `ReduceSum`.
    Source: https://onnx.ai/onnx/operators/onnx__ReduceLogSum.html (1, 11, 13, 18, 28).

    >>> ReduceLogSum(np.array([[0.25, 0.75], [1.0, 0.0]]), [1], keepdims=0)
    array([0., 0.])
    """
    return one("onnx", ReduceLogSum, locals())


def ReduceLogSumExp(
    data: ArrayLike, axes: Axes = None, *, keepdims: int = 1, noop_with_empty_axes: int = 0, opset: int | None = None
) -> NDArray:
    """The natural logarithm of the sum of exponentials over `axes`, within 0.51 ulp; nothing overflows on the way.

    Integers, before opset 28, truncate toward zero. Of nothing it is -inf (the least integer). Arguments, types and
    errors are those of `ReduceSum`.
    Source: https://onnx.ai/onnx/operators/onnx__ReduceLogSumExp.html (1, 11, 13, 18, 28).

    >>> ReduceLogSumExp(np.array([[1000.0, 1000.0]]), [1])
    array([[1000.69314718]])
    """
    return one("onnx", ReduceLogSumExp, locals())


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

    >>> x = np.array([[3.0, 7.0, 7.0], [1.0, 0.0, 1.0]])
    >>> ArgMax(x, axis=1)
    array([[1],
           [0]])
    >>> ArgMax(x, axis=-1, keepdims=0, select_last_index=1)
    array([2, 2])
    """
    return one("onnx", ArgMax, locals())


def ArgMin(
    data: ArrayLike, *, axis: int = 0, keepdims: int = 1, select_last_index: int = 0, opset: int | None = None
) -> NDArray:
    """Where along `axis` the smallest element is, as int64; the first NaN, if there is one.

    Arguments, types and errors are those of `ArgMax`.
    Source: https://onnx.ai/onnx/operators/onnx__ArgMin.html (1, 11, 12, 13).

    >>> ArgMin(np.array([[3, 1, 2], [0, 5, 0]]), axis=1, keepdims=0)
    array([1, 0])
    """
    return one("onnx", ArgMin, locals())


def CumSum(x: ArrayLike, axis: Axis, *, exclusive: int = 0, reverse: int = 0, opset: int | None = None) -> NDArray:
    """Every prefix sum of `x` along `axis`, each the exact one rounded once, in the type of `x`.

    `axis` is an integer or an int32 or int64 array of one element. `exclusive` 1 leaves each element out
    of its own prefix, `reverse` 1 sums from the end. `opset` chooses the version of the operator.

    Raises DtypeError for a type that the version does not allow, AxisError for an axis out of range,
    ShapeError for `x` of rank 0, UnsupportedOperator for an opset below 11, AttributeValueError for an
    attribute's value that is not allowed.
    Source: https://onnx.ai/onnx/operators/onnx__CumSum.html (11, 14).

    >>> CumSum(np.array([1.0, 2.0, 3.0]), 0, exclusive=1)
    array([0., 1., 3.])
    """
    return one("onnx", CumSum, locals())


def CumProd(x: ArrayLike, axis: Axis, *, exclusive: int = 0, reverse: int = 0, opset: int | None = None) -> NDArray:
    """Every prefix product of `x` along `axis`, each the exact one rounded once, in the type of `x`; integers wrap.

    It exists from opset 26 on. No prefix suffers from an overflow or underflow of an earlier one. Arguments, types and
    errors are those of `CumSum`. Source: https://onnx.ai/onnx/operators/onnx__CumProd.html (26).

    >>> CumProd(np.array([1.0, 2.0, 3.0]), 0, reverse=1)
    array([6., 6., 3.])
    """
    return one("onnx", CumProd, locals())
