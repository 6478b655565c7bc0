"""OpenVINO's API for arrays, windowed pools: named and called as the standard does."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal, Required, TypedDict, Unpack, overload

from samesum.engine.arrays import as_array, as_sizes
from samesum.errors import AttributeValueError
from samesum.formats.arrays import ArrayLike, NDArray
from samesum.frontends.standards.attributes import operation_given
from samesum.operators.apply import apply, apply_all
from samesum.specs.bind import Operation
from samesum.specs.lookup import operation_of


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

    >>> import numpy as np
    >>> AvgPool(np.float32([[[6, 2, 4]]]), kernel=[2], strides=[1], pads_begin=[1], pads_end=[0], exclude_pad=False)
    array([[[3., 4., 3.]]], dtype=float32)
    """
    operation = _operation(
        "AvgPool",
        opset,
        kernel=kernel,
        strides=strides,
        pads_begin=pads_begin,
        pads_end=pads_end,
        rounding_type=rounding_type,
        auto_pad=auto_pad,
        dilations=dilations,
        **{"exclude-pad": exclude_pad},
    )
    return apply(operation, [as_array(data)])


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

    >>> import numpy as np
    >>> MaxPool(np.float32([[[1, 5, 2, 4]]]), kernel=[2], strides=[2], pads_begin=[0], pads_end=[0], outputs=2)
    (array([[[5., 4.]]], dtype=float32), array([[[1, 3]]]))
    """
    operation = _operation(
        "MaxPool",
        opset,
        kernel=kernel,
        strides=strides,
        pads_begin=pads_begin,
        pads_end=pads_end,
        rounding_type=rounding_type,
        auto_pad=auto_pad,
        dilations=dilations,
        index_element_type=index_element_type,
        axis=axis,
    )
    return _first_or_both(operation, [as_array(data)], outputs)


def AdaptiveAvgPool(data: ArrayLike, output_shape: ArrayLike, *, opset: int | None = None) -> NDArray:
    """The mean of each of `output_shape` windows that share the axes after the channels evenly, rounded once.

    Window i of n along an axis of size s begins at floor(i * s / n) and ends before ceil((i + 1) * s / n).
    Raises DtypeError for data that are not floats, ShapeError for an output shape that does not fit.
    Source: OpenVINO operation specification, AdaptiveAvgPool-8.

    >>> import numpy as np
    >>> AdaptiveAvgPool(np.float32([[[1, 2, 3, 4, 6]]]), [3])
    array([[[1.5, 3. , 5. ]]], dtype=float32)
    """
    return apply(operation_of("openvino", "AdaptiveAvgPool", opset), [as_array(data), as_sizes(output_shape)])


@overload
def AdaptiveMaxPool(
    data: ArrayLike,
    output_shape: ArrayLike,
    *,
    index_element_type: str = "i64",
    outputs: Literal[1] = 1,
    opset: int | None = None,
) -> NDArray: ...
@overload
def AdaptiveMaxPool(
    data: ArrayLike,
    output_shape: ArrayLike,
    *,
    index_element_type: str = "i64",
    outputs: Literal[2],
    opset: int | None = None,
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

    >>> import numpy as np
    >>> AdaptiveMaxPool(np.float32([[[1, 2, 3, 4, 6]]]), [3])
    array([[[2., 4., 6.]]], dtype=float32)
    """
    operation = operation_of("openvino", "AdaptiveMaxPool", opset, index_element_type=index_element_type)
    return _first_or_both(operation, [as_array(data), as_sizes(output_shape)], outputs)


def _operation(name: str, opset: int | None, **attributes: object) -> Operation:
    return operation_given("openvino", name, opset, {}, attributes)


def _first_or_both(operation: Operation, inputs: list[NDArray], outputs: int) -> NDArray | tuple[NDArray, ...]:
    most = 2 if operation.spec.version.since >= 8 else 1
    if not isinstance(outputs, int) or not 1 <= outputs <= most:
        raise AttributeValueError(
            f"{operation.spec.identifier}: outputs is {outputs!r}; allowed are numbers from 1 to {most}"
        )
    return apply(operation, inputs) if outputs == 1 else apply_all(operation, 2, inputs)
