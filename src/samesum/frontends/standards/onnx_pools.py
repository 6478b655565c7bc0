"""ONNX's API for arrays, pools, scatters and functions of several arrays: named and called as the standard does."""

# ruff: noqa: N803 - the inputs have the standard's names

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal, Required, TypedDict, Unpack, overload

from samesum.formats.arrays import ArrayLike, NDArray
from samesum.frontends.standards.calls import one, some


def AveragePool(
    X: ArrayLike,
    *,
    kernel_shape: Sequence[int],
    strides: Sequence[int] | None = None,
    pads: Sequence[int] | None = None,
    dilations: Sequence[int] | None = None,
    auto_pad: str = "NOTSET",
    ceil_mode: int = 0,
    count_include_pad: int = 0,
    opset: int | None = None,
) -> NDArray:
    """The mean of each window of `X` along the axes after the channels: the exact sum, divided and rounded once.

    `kernel_shape`, `strides`, `dilations` have one number for each of these axes, `pads` the padding before each of
    them and then the padding behind each; what is left out is 1 and no padding. `auto_pad` is NOTSET, SAME_UPPER,
    SAME_LOWER or VALID; `ceil_mode` counts a last window that is not whole, if it begins in the data or before it.
    The divisor is the number of elements, with `count_include_pad` that of padding too, which ends where `pads` say. A
    mean of padding alone is NaN without it. `opset` chooses the version.

    Raises DtypeError for types that the version does not allow, ShapeError for windows that do not fit,
    AttributeValueError for numbers out of range, UnsupportedOperator for an attribute that the version does not have.
    Source: https://onnx.ai/onnx/operators/onnx__AveragePool.html (1, 7, 10, 11, 19, 22).

    >>> AveragePool(np.float32([[[1e30, 4, -1e30, 2, 1e30]]]), kernel_shape=[3], strides=[2])
    array([[[1.3333334, 0.6666667]]], dtype=float32)
    """
    return one("onnx", AveragePool, locals())


class _Windows(TypedDict, total=False):
    """What MaxPool takes besides `outputs`."""

    kernel_shape: Required[Sequence[int]]
    strides: Sequence[int] | None
    pads: Sequence[int] | None
    dilations: Sequence[int] | None
    auto_pad: str
    ceil_mode: int
    storage_order: int
    opset: int | None


@overload
def MaxPool(X: ArrayLike, *, outputs: Literal[1] = 1, **windows: Unpack[_Windows]) -> NDArray: ...
@overload
def MaxPool(X: ArrayLike, *, outputs: Literal[2], **windows: Unpack[_Windows]) -> tuple[NDArray, ...]: ...
def MaxPool(
    X: ArrayLike,
    *,
    kernel_shape: Sequence[int],
    strides: Sequence[int] | None = None,
    pads: Sequence[int] | None = None,
    dilations: Sequence[int] | None = None,
    auto_pad: str = "NOTSET",
    ceil_mode: int = 0,
    storage_order: int = 0,
    outputs: int = 1,
    opset: int | None = None,
) -> NDArray | tuple[NDArray, ...]:
    """The greatest element of each window of `X` along the axes after the channels; NaN if it has one.

    Windows and errors are those of `AveragePool`; padding is never chosen. With `outputs` 2 the result is a pair: the
    index of each element in the flattened `X` too, that of the first one of equals; `storage_order` 1 counts the axes
    after the channels from the first to the last.
    Source: https://onnx.ai/onnx/operators/onnx__MaxPool.html (1, 8, 10, 11, 12, 22).

    >>> MaxPool(np.float32([[[1, 5, 2, 4]]]), kernel_shape=[2], strides=[2], outputs=2)
    (array([[[5., 4.]]], dtype=float32), array([[[1, 3]]]))
    """
    return some("onnx", MaxPool, locals(), 1, 2)


def LpPool(
    X: ArrayLike,
    *,
    kernel_shape: Sequence[int],
    p: int = 2,
    strides: Sequence[int] | None = None,
    pads: Sequence[int] | None = None,
    dilations: Sequence[int] | None = None,
    auto_pad: str = "NOTSET",
    ceil_mode: int = 0,
    opset: int | None = None,
) -> NDArray:
    """The p-norm of each window of `X` along the axes after the channels, rounded once; p is whole, from 1 to 1024.

    Windows and errors are those of `AveragePool`. Other p than 1 and 2 take longer, above all of float64.
    Source: https://onnx.ai/onnx/operators/onnx__LpPool.html (1, 2, 11, 18, 22).

    >>> LpPool(np.float32([[[3e30, 4e30, 0]]]), kernel_shape=[2])
    array([[[5.e+30, 4.e+30]]], dtype=float32)
    """
    return one("onnx", LpPool, locals())


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

    >>> ScatterElements(np.zeros(2, "f"), [1, 1, 1], np.float32([1e8, 1, -1e8]), reduction="add")
    array([0., 1.], dtype=float32)
    """
    return one("onnx", ScatterElements, locals())


def ScatterND(
    data: ArrayLike, indices: ArrayLike, updates: ArrayLike, *, reduction: str = "none", opset: int | None = None
) -> NDArray:
    """A copy of `data` in which each element or slice of `updates` goes to where the last axis of `indices` says.

    `indices` has the shape `[..., k]` and names elements or slices `data[i_1, ..., i_k]`; the shape of `updates` is
    `indices.shape[:-1] + data.shape[k:]`. The rest is as in `ScatterElements`.
    Source: https://onnx.ai/onnx/operators/onnx__ScatterND.html (11, 13, 16, 18).

    >>> ScatterND(np.zeros((2, 2), "f"), [[1], [1]], np.float32([[1, 2], [10, 20]]), reduction="add")
    array([[ 0.,  0.],
           [11., 22.]], dtype=float32)
    """
    return one("onnx", ScatterND, locals())


def Sum(*data_0: ArrayLike, opset: int | None = None) -> NDArray:
    """The exact sum of the arrays, which broadcast together, rounded once to their type.

    `opset` chooses the version. Raises DtypeError for types that the version does not allow or that differ, ShapeError
    for shapes that do not broadcast, AttributeValueError for no array at all.
    Source: https://onnx.ai/onnx/operators/onnx__Sum.html (1, 6, 8, 13).

    >>> Sum(np.float32([1e30, 1]), np.float32(3), np.float32([-1e30, 0]))
    array([3., 4.], dtype=float32)
    """
    return one("onnx", Sum, locals())


def Mean(*data_0: ArrayLike, opset: int | None = None) -> NDArray:
    """The exact sum of the arrays over their number, rounded once; the rest is as in `Sum`.

    Source: https://onnx.ai/onnx/operators/onnx__Mean.html (1, 6, 8, 13).

    >>> Mean(np.float32([3e38, 1]), np.float32([3e38, 2]))
    array([3.0e+38, 1.5e+00], dtype=float32)
    """
    return one("onnx", Mean, locals())


def Max(*data_0: ArrayLike, opset: int | None = None) -> NDArray:
    """The greatest element at each place of the arrays, which broadcast together; NaN if there is one, and -0 < +0.

    The errors are those of `Sum`; from opset 12 on integers are allowed.
    Source: https://onnx.ai/onnx/operators/onnx__Max.html (1, 6, 8, 12, 13).

    >>> Max(np.float32([1, 5]), np.float32([2, 4]), np.float32(3))
    array([3., 5.], dtype=float32)
    """
    return one("onnx", Max, locals())


def Min(*data_0: ArrayLike, opset: int | None = None) -> NDArray:
    """The least element at each place of the arrays; the rest is as in `Max`.

    Source: https://onnx.ai/onnx/operators/onnx__Min.html (1, 6, 8, 12, 13).

    >>> Min(np.float32([1, 5]), np.float32([2, 4]), np.float32(3))
    array([1., 3.], dtype=float32)
    """
    return one("onnx", Min, locals())
