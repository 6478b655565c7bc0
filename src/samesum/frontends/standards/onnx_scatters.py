"""ONNX's API for arrays, elements and slices that go to places of the data: named and called as the standard does."""

from __future__ import annotations

from samesum.engine.arrays import as_array
from samesum.formats.arrays import ArrayLike, NDArray
from samesum.frontends.standards.attributes import operation_given
from samesum.operators.apply import apply

_DEFAULTS = {"reduction": "none"}


def ScatterElements(
    data: ArrayLike,
    indices: ArrayLike,
    updates: ArrayLike,
    *,
    axis: int = 0,
    reduction: str = "none",
    opset: int | None = None,
) -> NDArray:
    """A copy of `data` in which `updates[i, j]` goes to `[indices[i, j], j]`, for axis 0, by `reduction`.

    "add", "mul", "max" or "min" of the element of `data` and all that go there, exact and rounded once: no update is
    lost, and their order changes no bit. With "none" the last one in order stays, which the standard leaves open.
    `indices` and `updates` have one shape; negative indices count from the end. `opset` chooses the version: there is
    no reduction before 16, and "max" and "min" came with 18. Integers wrap; of booleans "add" is the or, "mul" the and.

    Raises DtypeError for types that the version does not allow, AxisError for an axis out of range, ShapeError for
    shapes that do not fit, AttributeValueError for an index out of range and another reduction.
    Source: https://onnx.ai/onnx/operators/onnx__ScatterElements.html (11, 13, 16, 18).

    >>> import numpy as np
    >>> ScatterElements(np.zeros(2, "f"), [1, 1, 1], np.float32([1e8, 1, -1e8]), reduction="add")
    array([0., 1.], dtype=float32)
    """
    return _applied("ScatterElements", opset, data, indices, updates, reduction, axis=axis)


def ScatterND(
    data: ArrayLike, indices: ArrayLike, updates: ArrayLike, *, reduction: str = "none", opset: int | None = None
) -> NDArray:
    """A copy of `data` in which each element or slice of `updates` goes to where the last axis of `indices` says.

    `indices` has the shape `[..., k]` and names elements or slices `data[i_1, ..., i_k]`; the shape of `updates` is
    `indices.shape[:-1] + data.shape[k:]`. The rest is as in `ScatterElements`.
    Source: https://onnx.ai/onnx/operators/onnx__ScatterND.html (11, 13, 16, 18).

    >>> import numpy as np
    >>> ScatterND(np.zeros((2, 2), "f"), [[1], [1]], np.float32([[1, 2], [10, 20]]), reduction="add")
    array([[ 0.,  0.],
           [11., 22.]], dtype=float32)
    """
    return _applied("ScatterND", opset, data, indices, updates, reduction)


def _applied(
    name: str,
    opset: int | None,
    data: ArrayLike,
    indices: ArrayLike,
    updates: ArrayLike,
    reduction: str,
    **attributes: object,
) -> NDArray:
    operation = operation_given("onnx", name, opset, _DEFAULTS, {**attributes, "reduction": reduction})
    return apply(operation, [as_array(x) for x in (data, indices, updates)])
