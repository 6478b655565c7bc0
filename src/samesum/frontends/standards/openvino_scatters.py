"""OpenVINO's API for arrays, updates of places and sums of embeddings: named and called as the standard does."""

from __future__ import annotations

from samesum.engine.arrays import as_array, as_integers
from samesum.formats.arrays import ArrayLike, NDArray
from samesum.frontends.standards.attributes import arrays, operation_given
from samesum.operators.apply import apply
from samesum.specs.lookup import operation_of

_DEFAULTS = {"reduction": "none", "use_init_val": True}


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

    >>> import numpy as np
    >>> ScatterElementsUpdate(np.float32([7, 0]), [1, 1, 1], np.float32([1e8, 1, -1e8]), 0, reduction="sum")
    array([7., 1.], dtype=float32)
    """
    attributes = {"reduction": reduction, "use_init_val": use_init_val}
    operation = operation_given("openvino", "ScatterElementsUpdate", opset, _DEFAULTS, attributes)
    return apply(operation, [as_array(data), as_array(indices), as_array(updates), as_integers(axis)])


def ScatterNDUpdate(
    data: ArrayLike, indices: ArrayLike, updates: ArrayLike, *, reduction: str = "none", opset: int | None = None
) -> NDArray:
    """A copy of `data` in which each element or slice of `updates` goes to where the last axis of `indices` says.

    `reduction` "sum", "sub", "prod", "min" or "max" exists from opset 15 on; "sub" takes the exact sum of the updates
    away. The rest is as in `ScatterElementsUpdate`.
    Source: OpenVINO operation specification, ScatterNDUpdate-4 and -15.

    >>> import numpy as np
    >>> ScatterNDUpdate(np.float32([1, 2]), [[0], [0]], np.float32([3, 4]), reduction="sub")
    array([-6.,  2.], dtype=float32)
    """
    operation = operation_given("openvino", "ScatterNDUpdate", opset, _DEFAULTS, {"reduction": reduction})
    return apply(operation, arrays(data, indices, updates))


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

    >>> import numpy as np
    >>> EmbeddingBagOffsetsSum(np.float32([[1e8], [1], [-1e8]]), [0, 1, 2, 1], [0, 3])
    array([[1.],
           [1.]], dtype=float32)
    """
    inputs = arrays(emb_table, indices, offsets, default_index, per_sample_weights)
    return apply(operation_of("openvino", "EmbeddingBagOffsetsSum", opset), inputs)


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

    >>> import numpy as np
    >>> EmbeddingBagOffsets(np.float32([[1e8], [1], [-1e8]]), [0, 1, 2, 1], [0, 4], reduction="mean")
    array([[0.5],
           [0. ]], dtype=float32)
    """
    inputs = arrays(emb_table, indices, offsets, default_index, per_sample_weights)
    return apply(operation_of("openvino", "EmbeddingBagOffsets", opset, reduction=reduction), inputs)


def EmbeddingBagPackedSum(
    emb_table: ArrayLike, indices: ArrayLike, per_sample_weights: ArrayLike | None = None, *, opset: int | None = None
) -> NDArray:
    """`EmbeddingBagOffsetsSum` where each row of `indices` is a bag.

    Source: OpenVINO operation specification, EmbeddingBagPackedSum-3.

    >>> import numpy as np
    >>> EmbeddingBagPackedSum(np.float32([[1], [2], [4]]), [[0, 1], [2, 2]], np.float32([[1, 1], [0.5, 1]]))
    array([[3.],
           [6.]], dtype=float32)
    """
    inputs = arrays(emb_table, indices, per_sample_weights)
    return apply(operation_of("openvino", "EmbeddingBagPackedSum", opset), inputs)


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

    >>> import numpy as np
    >>> EmbeddingBagPacked(np.float32([[1], [2], [4]]), [[0, 1], [2, 2]], reduction="mean")
    array([[1.5],
           [4. ]], dtype=float32)
    """
    inputs = arrays(emb_table, indices, per_sample_weights)
    return apply(operation_of("openvino", "EmbeddingBagPacked", opset, reduction=reduction), inputs)


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

    >>> import numpy as np
    >>> EmbeddingSegmentsSum(np.float32([[1], [2], [4]]), [0, 1, 2], [0, 0, 2], 3)
    array([[3.],
           [0.],
           [4.]], dtype=float32)
    """
    inputs = arrays(emb_table, indices, segment_ids, num_segments, default_index, per_sample_weights)
    return apply(operation_of("openvino", "EmbeddingSegmentsSum", opset), inputs)


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

    >>> import numpy as np
    >>> SegmentMax(np.float32([1, 5, 3]), [0, 0, 2], fill_mode="ZERO")
    array([5., 0., 3.], dtype=float32)
    """
    inputs = arrays(data, segment_ids, num_segments)
    return apply(operation_of("openvino", "SegmentMax", opset, fill_mode=fill_mode), inputs)
