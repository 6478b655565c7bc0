"""OpenVINO's API for arrays, reductions, scans and normalizations: named and called as it does."""

from __future__ import annotations

from samesum.formats.arrays import ArrayLike, NDArray, Out
from samesum.formats.axes import Axes, Axis
from samesum.frontends.standards.calls import normalize, one


def ReduceSum(data: ArrayLike, axes: Axes, *, keep_dims: bool = False, opset: int | None = None) -> NDArray:
    """The sum over `axes`, rounded once, in the type of `data`; integers wrap.

    `axes` are an integer, several, or an array of any integer type and of rank 0 or 1; negative ones
    count from the end, empty ones reduce nothing. `keep_dims` keeps the reduced axes with length 1.
    `opset` is the one to look the operator up in, by default the newest.

    Raises DtypeError for data that are not numeric, AxisError for axes out of range or repeated,
    ShapeError for axes above rank 1, UnsupportedOperator for an opset without the operator, AttributeValueError
    for axes left out and for an attribute's value that is not allowed.
    Source: OpenVINO operation specification, ReduceSum-1.

    >>> ReduceSum(np.array([[1.0, 2.0], [3.0, 4.0]], np.float32), [1], keep_dims=True)
    array([[3.],
           [7.]], dtype=float32)
    """
    return one("openvino", ReduceSum, locals())


def ReduceMean(data: ArrayLike, axes: Axes, *, keep_dims: bool = False, opset: int | None = None) -> NDArray:
    """The mean over `axes`: the exact sum over the count, rounded once; integers truncate toward zero.

    The mean of an empty set is 0. Arguments, types and errors are those of `ReduceSum`.
    Source: OpenVINO operation specification, ReduceMean-1.

    >>> ReduceMean(np.array([[1.0, 2.0], [3.0, 6.0]], np.float32), [0], keep_dims=True)
    array([[2., 4.]], dtype=float32)
    """
    return one("openvino", ReduceMean, locals())


def ReduceProd(data: ArrayLike, axes: Axes, *, keep_dims: bool = False, opset: int | None = None) -> NDArray:
    """The product over `axes`, rounded once, in the type of `data`; integers wrap.

    Nothing overflows or underflows on the way; the product of an empty set is 1. Arguments, types and errors are those
    of `ReduceSum`. Source: OpenVINO operation specification, ReduceProd-1.

    >>> ReduceProd(np.array([[1e30, 1e30, 1e-30]], np.float32), [1])
    array([1.e+30], dtype=float32)
    """
    return one("openvino", ReduceProd, locals())


def ReduceMax(data: ArrayLike, axes: Axes, *, keep_dims: bool = False, opset: int | None = None) -> NDArray:
    """The largest element over `axes`; NaN if there is one.

    The maximum of an empty set is the lowest finite value of the type. Arguments, types and errors are those of
    `ReduceSum`.
    Source: OpenVINO operation specification, ReduceMax-1.

    >>> ReduceMax(np.array([[3, 1], [2, 4]]), -1)
    array([3, 4])
    """
    return one("openvino", ReduceMax, locals())


def ReduceMin(data: ArrayLike, axes: Axes, *, keep_dims: bool = False, opset: int | None = None) -> NDArray:
    """The smallest element over `axes`; NaN if there is one.

    The minimum of an empty set is +inf or the greatest integer. Arguments, types and errors are those of `ReduceSum`.
    Source: OpenVINO operation specification, ReduceMin-1.

    >>> ReduceMin(np.array([[3, 1], [2, 4]]), -1)
    array([1, 2])
    """
    return one("openvino", ReduceMin, locals())


def ReduceLogicalAnd(data: ArrayLike, axes: Axes, *, keep_dims: bool = False, opset: int | None = None) -> NDArray:
    """True where all elements over `axes` are; `data` and the result are boolean.

    The conjunction of an empty set is True. Arguments and errors are those of `ReduceSum`, DtypeError for data that are
    not boolean. Source: OpenVINO operation specification, ReduceLogicalAnd-1.

    >>> ReduceLogicalAnd(np.array([[True, False], [True, True]]), [1])
    array([False,  True])
    """
    return one("openvino", ReduceLogicalAnd, locals())


def ReduceLogicalOr(data: ArrayLike, axes: Axes, *, keep_dims: bool = False, opset: int | None = None) -> NDArray:
    """True where any element over `axes` is; `data` and the result are boolean.

    The disjunction of an empty set is False. Arguments and errors are those of `ReduceSum`, DtypeError for data that
    are not boolean. Source: OpenVINO operation specification, ReduceLogicalOr-1.

    >>> ReduceLogicalOr(np.array([[True, False], [False, False]]), [1])
    array([ True, False])
    """
    return one("openvino", ReduceLogicalOr, locals())


def ReduceL1(data: ArrayLike, axes: Axes, *, keep_dims: bool = False, opset: int | None = None) -> NDArray:
    """The sum of magnitudes over `axes`, rounded once; integers wrap.

    It exists from opset 4 on. Arguments, types and errors are those of `ReduceSum`.
    Source: OpenVINO operation specification, ReduceL1-4.

    >>> ReduceL1(np.array([[1.5, -2.0]], np.float32), [1])
    array([3.5], dtype=float32)
    """
    return one("openvino", ReduceL1, locals())


def ReduceL2(data: ArrayLike, axes: Axes, *, keep_dims: bool = False, opset: int | None = None) -> NDArray:
    """The root of the sum of squares over `axes`, rounded once; integers give its floor.

    It exists from opset 4 on. Nothing overflows or underflows on the way. Arguments, types and errors are
    those of `ReduceSum`.
    Source: OpenVINO operation specification, ReduceL2-4.

    >>> ReduceL2(np.array([[3.0, -4.0]]), [1])
    array([5.])
    """
    return one("openvino", ReduceL2, locals())


def CumSum(
    data: ArrayLike, axis: Axis | None = 0, *, exclusive: bool = False, reverse: bool = False, opset: int | None = None
) -> NDArray:
    """Every prefix sum of `data` along `axis`, each the exact one rounded once, in the type of `data`.

    `axis` is an integer or an int32 or int64 array of one element, 0 if it is None. `exclusive` leaves
    each element out of its own prefix, `reverse` sums from the end. It exists from opset 3 on.

    Raises DtypeError for data that are not numeric, AxisError for an axis out of range, ShapeError for
    `data` of rank 0, UnsupportedOperator for an opset below 3.
    Source: OpenVINO operation specification, CumSum-3.

    >>> CumSum(np.array([1.0, 2.0, 3.0, 4.0, 5.0]), exclusive=True, reverse=True)
    array([14., 12.,  9.,  5.,  0.])
    """
    return one("openvino", CumSum, locals())


def SoftMax(data: ArrayLike, *, axis: int = 1, opset: int | None = None, out: Out | None = None) -> NDArray:
    """exp(x) over the sum of all exp(x) along `axis`, within 0.6 ulp, in the type and shape of `data`.

    Nothing overflows on the way. A negative `axis` counts from the end, from opset 8 on; a scalar has the axis 0.
    `opset` is the one to look the operator up in. `out`, of the same type and shape, takes the result.

    Raises DtypeError for data that are not floats or another type of `out`, ShapeError for another shape of `out`,
    AxisError for an axis out of range or, below opset 8, negative.
    Source: OpenVINO operation specification, SoftMax-1 and SoftMax-8.

    >>> SoftMax(np.array([[1000.0, 1000.0], [0.0, -np.inf]]))
    array([[0.5, 0.5],
           [1. , 0. ]])
    """
    return normalize("openvino", "SoftMax", opset, axis, data, out)


def LogSoftmax(data: ArrayLike, *, axis: int = 1, opset: int | None = None, out: Out | None = None) -> NDArray:
    """The logarithm of what `SoftMax` gives, within 0.6 ulp also where that is 0 or 1.

    It exists from opset 5 on. Arguments, types and errors are those of `SoftMax`, negative axes at every opset.
    Source: OpenVINO operation specification, LogSoftmax-5.

    >>> LogSoftmax(np.array([[0.0, -1000.0], [-np.inf, 5.0]]), axis=-1)
    array([[   -0., -1000.],
           [  -inf,     0.]])
    """
    return normalize("openvino", "LogSoftmax", opset, axis, data, out)


def MVN(
    data: ArrayLike,
    axes: Axes = None,
    *,
    normalize_variance: bool = True,
    eps: float = 1e-9,
    eps_mode: str = "inside_sqrt",
    across_channels: bool = False,
    opset: int | None = None,
) -> NDArray:
    """`(data - mean)` over the deviation, rounded once; without `normalize_variance` the difference alone.

    From opset 6 on over `axes`, with `eps` under the root or, in the mode "outside_sqrt", beside it. Before (MVN-1)
    `axes` and `eps_mode` are left out: over all axes after the channels, with `across_channels` over them too, with
    `eps` under the root. `eps` is its float32 value. Nothing cancels, overflows or underflows on the way; a
    line of equal elements gives zeros, one NaN or infinity makes its whole line NaN.

    Raises DtypeError for data that are not floats, AxisError for axes out of range or repeated, AttributeValueError
    for axes left out and for a mode that is not allowed, UnsupportedOperator for an attribute of the other version.
    Source: OpenVINO operation specification, MVN-1 and MVN-6.

    >>> MVN(np.float32([[1000, 1002], [5, 5]]), [1])
    array([[-1.,  1.],
           [ 0.,  0.]], dtype=float32)
    """
    return one("openvino", MVN, locals())


def NormalizeL2(data: ArrayLike, axes: Axes, *, eps: float, eps_mode: str = "add", opset: int | None = None) -> NDArray:
    """`data / sqrt(sum of squares + eps)` over `axes`, rounded once; in the mode "max", over the root of the greater.

    `eps` is its float32 value; with 0 a line of zeros stays so. Types and errors are those of `MVN`.
    Source: OpenVINO operation specification, NormalizeL2-1.

    >>> NormalizeL2(np.float32([[3, 4], [0, 0]]) * np.float32(2.0**100), [1], eps=0)
    array([[0.6, 0.8],
           [0. , 0. ]], dtype=float32)
    """
    return one("openvino", NormalizeL2, locals())


def GroupNormalization(
    data: ArrayLike, scale: ArrayLike, bias: ArrayLike, *, num_groups: int, epsilon: float, opset: int | None = None
) -> NDArray:
    """`(data - mean) / sqrt(variance + epsilon) * scale + bias` for each group of channels (axis 1), rounded once.

    `scale` and `bias` have one number for each channel, `epsilon` is its float32 value. Types and errors are those of
    `MVN`; ShapeError for channels that the groups do not share evenly.
    Source: OpenVINO operation specification, GroupNormalization-12.

    >>> GroupNormalization(np.float32([[1000, 1002, 5, 9]]), np.ones(4, "f"), np.zeros(4, "f"), num_groups=2, epsilon=0)
    array([[-1.,  1., -1.,  1.]], dtype=float32)
    """
    return one("openvino", GroupNormalization, locals())
