"""OpenVINO's API for arrays, windowed pools, updates of places, sums of embeddings: named and called as it does."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal, Required, TypedDict, Unpack, overload

from samesum.formats.arrays import ArrayLike, NDArray
from samesum.frontends.standards.calls import one, some


def AvgPool(
    data: ArrayLike,
    *,
    kernel: Sequence[int],
    strides: Sequence[int],
    pads_begin: Sequence[int],
    pads_end: Sequence[int],
    exclude_pad: bool,
    rounding_type: str = "floor",
    auto_pad: str = "explicit",
    dilations: Sequence[int] | None = None,
    opset: int | None = None,
) -> NDArray:
    """The mean of each window of `data` along the axes after the channels: the exact sum, divided and rounded once.

    The lists have one number for each of these axes. `auto_pad` is explicit, same_upper, same_lower or valid, and all
    but the first ignore the pads. `rounding_type` is floor, ceil, which counts a last window that is not whole, or
    ceil_torch, which does so unless it begins behind the data. The divisor is the number of elements, and that of
    padding too unless `exclude_pad`; a mean of padding alone is NaN. Means of integers are truncated toward zero.

    Raises DtypeError for types that the version does not allow, ShapeError for windows that do not fit,
    AttributeValueError for numbers out of range, UnsupportedOperator for an attribute that the version does not have.
    Source: OpenVINO operation specification, AvgPool-1, -14, -16.

    >>> AvgPool(np.float32([[[6, 2, 4]]]), kernel=[2], strides=[1], pads_begin=[1], pads_end=[0], exclude_pad=False)
    array([[[3., 4., 3.]]], dtype=float32)
    """
    return one("openvino", AvgPool, locals())


class _Shares(TypedDict, total=False):
    """What AdaptiveMaxPool takes besides `outputs`."""

    index_element_type: str
    opset: int | None


class _Windows(TypedDict, total=False):
    """What MaxPool takes besides `outputs`."""

    kernel: Required[Sequence[int]]
    strides: Required[Sequence[int]]
    pads_begin: Required[Sequence[int]]
    pads_end: Required[Sequence[int]]
    rounding_type: str
    auto_pad: str
    dilations: Sequence[int] | None
    index_element_type: str | None
    axis: int | None
    opset: int | None


@overload
def MaxPool(data: ArrayLike, *, outputs: Literal[1] = 1, **windows: Unpack[_Windows]) -> NDArray: ...
@overload
def MaxPool(data: ArrayLike, *, outputs: Literal[2], **windows: Unpack[_Windows]) -> tuple[NDArray, ...]: ...
def MaxPool(
    data: ArrayLike,
    *,
    kernel: Sequence[int],
    strides: Sequence[int],
    pads_begin: Sequence[int],
    pads_end: Sequence[int],
    rounding_type: str = "floor",
    auto_pad: str = "explicit",
    dilations: Sequence[int] | None = None,
    index_element_type: str | None = None,
    axis: int | None = None,
    outputs: int = 1,
    opset: int | None = None,
) -> NDArray | tuple[NDArray, ...]:
    """The greatest element of each window of `data` along the axes after the channels; NaN if it has one.

    Windows and errors are those of `AvgPool`; padding is never chosen. With `outputs` 2, from opset 8 on, the result
    is a pair: the index of each element too, that of the first one of equals, counted over the axes from `axis` on, in
    int64 or, for the `index_element_type` "i32", int32.
    Source: OpenVINO operation specification, MaxPool-1, -8, -14.

    >>> MaxPool(np.float32([[[1, 5, 2, 4]]]), kernel=[2], strides=[2], pads_begin=[0], pads_end=[0], outputs=2)
    (array([[[5., 4.]]], dtype=float32), array([[[1, 3]]]))
    """
    return some("openvino", MaxPool, locals(), 1, 2)


def AdaptiveAvgPool(data: ArrayLike, output_shape: ArrayLike, *, opset: int | None = None) -> NDArray:
    """The mean of each of `output_shape` windows that share the axes after the channels evenly, rounded once.

    Window i of n along an axis of size s begins at floor(i * s / n) and ends before ceil((i + 1) * s / n).
    Raises DtypeError for data that are not floats, ShapeError for an output shape that does not fit.
    Source: OpenVINO operation specification, AdaptiveAvgPool-8.

    >>> AdaptiveAvgPool(np.float32([[[1, 2, 3, 4, 6]]]), [3])
    array([[[1.5, 3. , 5. ]]], dtype=float32)
    """
    return one("openvino", AdaptiveAvgPool, locals())


@overload
def AdaptiveMaxPool(
    data: ArrayLike, output_shape: ArrayLike, *, outputs: Literal[1] = 1, **windows: Unpack[_Shares]
) -> NDArray: ...
@overload
def AdaptiveMaxPool(
    data: ArrayLike, output_shape: ArrayLike, *, outputs: Literal[2], **windows: Unpack[_Shares]
) -> tuple[NDArray, ...]: ...
def AdaptiveMaxPool(
    data: ArrayLike,
    output_shape: ArrayLike,
    *,
    index_element_type: str = "i64",
    outputs: int = 1,
    opset: int | None = None,
) -> NDArray | tuple[NDArray, ...]:
    """The greatest element of each of the windows of `AdaptiveAvgPool`; NaN if it has one.

    With `outputs` 2 the result is a pair: the index of each element among all those after the channels too.
    Source: OpenVINO operation specification, AdaptiveMaxPool-8.

    >>> AdaptiveMaxPool(np.float32([[[1, 2, 3, 4, 6]]]), [3])
    array([[[2., 4., 6.]]], dtype=float32)
    """
    return some("openvino", AdaptiveMaxPool, locals(), 1, 2)


def ScatterElementsUpdate(
    data: ArrayLike,
    indices: ArrayLike,
    updates: ArrayLike,
    axis: int,
    *,
    reduction: str = "none",
    use_init_val: bool = True,
    opset: int | None = None,
) -> NDArray:
    """A copy of `data` in which `updates[i, j]` goes to `[indices[i, j], j]`, for axis 0, by `reduction`.

    "sum", "prod", "min", "max" or "mean" of all that go there and, with `use_init_val`, of the element of `data`; exact
    and rounded once: no update is lost, and their order changes no bit. With "none" the last one in order stays, which
    the standard leaves open. Negative indices count from the end. Integers wrap, and their mean is rounded down; of
    booleans "sum" is the or, "prod" the and. Reductions exist from opset 12 on.

    Raises DtypeError for types that the version does not allow, AxisError for an axis out of range, ShapeError for
    shapes that do not fit, AttributeValueError for an index out of range and another reduction.
    Source: OpenVINO operation specification, ScatterElementsUpdate-3 and -12.

    >>> ScatterElementsUpdate(np.float32([7, 0]), [1, 1, 1], np.float32([1e8, 1, -1e8]), 0, reduction="sum")
    array([7., 1.], dtype=float32)
    """
    return one("openvino", ScatterElementsUpdate, locals())


def ScatterNDUpdate(
    data: ArrayLike, indices: ArrayLike, updates: ArrayLike, *, reduction: str = "none", opset: int | None = None
) -> NDArray:
    """A copy of `data` in which each element or slice of `updates` goes to where the last axis of `indices` says.

    `reduction` "sum", "sub", "prod", "min" or "max" exists from opset 15 on; "sub" takes the exact sum of the updates
    away. The rest is as in `ScatterElementsUpdate`.
    Source: OpenVINO operation specification, ScatterNDUpdate-4 and -15.

    >>> ScatterNDUpdate(np.float32([1, 2]), [[0], [0]], np.float32([3, 4]), reduction="sub")
    array([-6.,  2.], dtype=float32)
    """
    return one("openvino", ScatterNDUpdate, locals())


def EmbeddingBagOffsetsSum(
    emb_table: ArrayLike,
    indices: ArrayLike,
    offsets: ArrayLike,
    default_index: ArrayLike | None = None,
    per_sample_weights: ArrayLike | None = None,
    *,
    opset: int | None = None,
) -> NDArray:
    """The sum of the rows of `emb_table` that each bag of `indices` names, times their weights: exact, rounded once.

    A bag begins at each of `offsets`. An empty one is row `default_index` of the table, or zero. The products with
    `per_sample_weights` are exact too.

    Raises DtypeError for types that the version does not allow, ShapeError for shapes that do not fit,
    AttributeValueError for an index or an offset out of range.
    Source: OpenVINO operation specification, EmbeddingBagOffsetsSum-3.

    >>> EmbeddingBagOffsetsSum(np.float32([[1e8], [1], [-1e8]]), [0, 1, 2, 1], [0, 3])
    array([[1.],
           [1.]], dtype=float32)
    """
    return one("openvino", EmbeddingBagOffsetsSum, locals())


def EmbeddingBagOffsets(
    emb_table: ArrayLike,
    indices: ArrayLike,
    offsets: ArrayLike,
    default_index: ArrayLike | None = None,
    per_sample_weights: ArrayLike | None = None,
    *,
    reduction: str = "sum",
    opset: int | None = None,
) -> NDArray:
    """`EmbeddingBagOffsetsSum`, or with `reduction` "mean" the mean of each bag, which takes no weights.

    Source: OpenVINO operation specification, EmbeddingBagOffsets-15.

    >>> EmbeddingBagOffsets(np.float32([[1e8], [1], [-1e8]]), [0, 1, 2, 1], [0, 4], reduction="mean")
    array([[0.5],
           [0. ]], dtype=float32)
    """
    return one("openvino", EmbeddingBagOffsets, locals())


def EmbeddingBagPackedSum(
    emb_table: ArrayLike, indices: ArrayLike, per_sample_weights: ArrayLike | None = None, *, opset: int | None = None
) -> NDArray:
    """`EmbeddingBagOffsetsSum` where each row of `indices` is a bag.

    Source: OpenVINO operation specification, EmbeddingBagPackedSum-3.

    >>> EmbeddingBagPackedSum(np.float32([[1], [2], [4]]), [[0, 1], [2, 2]], np.float32([[1, 1], [0.5, 1]]))
    array([[3.],
           [6.]], dtype=float32)
    """
    return one("openvino", EmbeddingBagPackedSum, locals())


def EmbeddingBagPacked(
    emb_table: ArrayLike,
    indices: ArrayLike,
    per_sample_weights: ArrayLike | None = None,
    *,
    reduction: str = "sum",
    opset: int | None = None,
) -> NDArray:
    """`EmbeddingBagPackedSum`, or with `reduction` "mean" the mean of each bag, which takes no weights.

    Source: OpenVINO operation specification, EmbeddingBagPacked-15.

    >>> EmbeddingBagPacked(np.float32([[1], [2], [4]]), [[0, 1], [2, 2]], reduction="mean")
    array([[1.5],
           [4. ]], dtype=float32)
    """
    return one("openvino", EmbeddingBagPacked, locals())


def EmbeddingSegmentsSum(
    emb_table: ArrayLike,
    indices: ArrayLike,
    segment_ids: ArrayLike,
    num_segments: int,
    default_index: ArrayLike | None = None,
    per_sample_weights: ArrayLike | None = None,
    *,
    opset: int | None = None,
) -> NDArray:
    """`EmbeddingBagOffsetsSum` where each of `indices` has the number of its segment, in any order.

    Source: OpenVINO operation specification, EmbeddingSegmentsSum-3.

    >>> EmbeddingSegmentsSum(np.float32([[1], [2], [4]]), [0, 1, 2], [0, 0, 2], 3)
    array([[3.],
           [0.],
           [4.]], dtype=float32)
    """
    return one("openvino", EmbeddingSegmentsSum, locals())


def SegmentMax(
    data: ArrayLike,
    segment_ids: ArrayLike,
    num_segments: int | None = None,
    *,
    fill_mode: str,
    opset: int | None = None,
) -> NDArray:
    """The maximum of the slices of `data` along axis 0 with one number; NaN if there is one, and +0 above -0.

    The numbers may come in any order. Segments without slices are zero (`fill_mode` "ZERO") or the lowest finite value
    of the type ("LOWEST"); those from `num_segments` on are left out, as OpenVINO does.
    Raises AttributeValueError for a number below zero and another mode; the rest is as in `EmbeddingBagOffsetsSum`.
    Source: OpenVINO operation specification, SegmentMax-16.

    >>> SegmentMax(np.float32([1, 5, 3]), [0, 0, 2], fill_mode="ZERO")
    array([5., 0., 3.], dtype=float32)
    """
    return one("openvino", SegmentMax, locals())
