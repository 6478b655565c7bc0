"""ONNX's API for arrays, windowed pools: named and called as the standard does."""

# ruff: noqa: N803 - the inputs have the standard's names

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal, overload

from samesum.engine.arrays import as_array
from samesum.errors import AttributeValueError
from samesum.formats.arrays import ArrayLike, NDArray
from samesum.frontends.standards.attributes import operation_given
from samesum.operators.apply import apply, apply_all
from samesum.specs.bind import Operation

_DEFAULTS = {"auto_pad": "NOTSET", "ceil_mode": 0, "count_include_pad": 0, "storage_order": 0}


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

    >>> import numpy as np
    >>> AveragePool(np.float32([[[1e30, 4, -1e30, 2, 1e30]]]), kernel_shape=[3], strides=[2])
    array([[[1.3333334, 0.6666667]]], dtype=float32)
    """
    operation = _operation(
        "AveragePool",
        opset,
        kernel_shape=kernel_shape,
        strides=strides,
        pads=pads,
        dilations=dilations,
        auto_pad=auto_pad,
        ceil_mode=ceil_mode,
        count_include_pad=count_include_pad,
    )
    return apply(operation, [as_array(X)])


@overload
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
    outputs: Literal[1] = 1,
    opset: int | None = None,
) -> NDArray: ...
@overload
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
    outputs: Literal[2],
    opset: int | None = None,
) -> tuple[NDArray, ...]: ...
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

    >>> import numpy as np
    >>> MaxPool(np.float32([[[1, 5, 2, 4]]]), kernel_shape=[2], strides=[2], outputs=2)
    (array([[[5., 4.]]], dtype=float32), array([[[1, 3]]]))
    """
    if not isinstance(outputs, int) or outputs not in (1, 2):
        raise AttributeValueError(f"outputs is {outputs!r}; allowed are 1 and 2")
    operation = _operation(
        "MaxPool",
        opset,
        kernel_shape=kernel_shape,
        strides=strides,
        pads=pads,
        dilations=dilations,
        auto_pad=auto_pad,
        ceil_mode=ceil_mode,
        storage_order=storage_order,
    )
    return apply(operation, [as_array(X)]) if outputs == 1 else apply_all(operation, 2, [as_array(X)])


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

    >>> import numpy as np
    >>> LpPool(np.float32([[[3e30, 4e30, 0]]]), kernel_shape=[2])
    array([[[5.e+30, 4.e+30]]], dtype=float32)
    """
    operation = _operation(
        "LpPool",
        opset,
        kernel_shape=kernel_shape,
        p=p,
        strides=strides,
        pads=pads,
        dilations=dilations,
        auto_pad=auto_pad,
        ceil_mode=ceil_mode,
    )
    return apply(operation, [as_array(X)])


def _operation(name: str, opset: int | None, **attributes: object) -> Operation:
    return operation_given("onnx", name, opset, _DEFAULTS, attributes)
