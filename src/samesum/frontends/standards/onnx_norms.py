"""ONNX's API for arrays, normalizations and global pools: named and called as the standard does."""

# ruff: noqa: N803 - the inputs have the standard's names

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal, overload

from samesum.engine.arrays import as_array
from samesum.errors import AttributeValueError
from samesum.formats.arrays import ArrayLike, NDArray, Out
from samesum.frontends.standards.attributes import hashed, normalize
from samesum.operators.apply import apply, apply_all
from samesum.specs.lookup import operation_of


def Softmax(input: ArrayLike, *, axis: int | None = None, opset: int | None = None, out: Out | None = None) -> NDArray:
    """exp(x) over the sum of all exp(x) along `axis`, within 0.6 ulp, in the type and shape of `input`.

    Nothing overflows on the way. `axis` is -1 by default; a negative one counts from the end. Before opset 13 it is
    1 by default and splits the axes of `input` in two: those before it number the rows of a matrix, and the sum is that
    of a whole row. `opset` chooses the version of the operator. `out`, of the same type and shape, takes the result.

    Raises DtypeError for a type that the version does not allow (bfloat16 from 13 on) or for `out` of another one,
    AxisError for an axis out of range, ShapeError for `input` of rank 0 or `out` of another shape.
    Source: https://onnx.ai/onnx/operators/onnx__Softmax.html (1, 11, 13).

    >>> import numpy as np
    >>> Softmax(np.array([[1000.0, 1000.0], [0.0, -np.inf]]))
    array([[0.5, 0.5],
           [1. , 0. ]])
    """
    return normalize("onnx", "Softmax", opset, axis, input, out)


def LogSoftmax(
    input: ArrayLike, *, axis: int | None = None, opset: int | None = None, out: Out | None = None
) -> NDArray:
    """The logarithm of what `Softmax` gives, within 0.6 ulp also where that is 0 or 1.

    Arguments, types and errors are those of `Softmax`.
    Source: https://onnx.ai/onnx/operators/onnx__LogSoftmax.html (1, 11, 13).

    >>> import numpy as np
    >>> LogSoftmax(np.array([[0.0, -1000.0], [-np.inf, 5.0]]))
    array([[   -0., -1000.],
           [  -inf,     0.]])
    """
    return normalize("onnx", "LogSoftmax", opset, axis, input, out)


def Hardmax(input: ArrayLike, *, axis: int | None = None, opset: int | None = None) -> NDArray:
    """One at the first maximum along `axis` (NaN, if there is one), zero elsewhere, in the type of `input`.

    Before opset 13 there is one maximum for each row of the matrix. Arguments, types and errors are those of `Softmax`.
    Source: https://onnx.ai/onnx/operators/onnx__Hardmax.html (1, 11, 13).

    >>> import numpy as np
    >>> Hardmax(np.array([[3.0, 7.0, 7.0], [1.0, 0.0, 0.0]]))
    array([[0., 1., 0.],
           [1., 0., 0.]])
    """
    return normalize("onnx", "Hardmax", opset, axis, input)


@overload
def LayerNormalization(
    X: ArrayLike,
    Scale: ArrayLike,
    B: ArrayLike | None = None,
    *,
    axis: int = -1,
    epsilon: float = 1e-5,
    stash_type: int = 1,
    outputs: Literal[1] = 1,
    opset: int | None = None,
) -> NDArray: ...
@overload
def LayerNormalization(
    X: ArrayLike,
    Scale: ArrayLike,
    B: ArrayLike | None = None,
    *,
    axis: int = -1,
    epsilon: float = 1e-5,
    stash_type: int = 1,
    outputs: Literal[3],
    opset: int | None = None,
) -> tuple[NDArray, ...]: ...
def LayerNormalization(
    X: ArrayLike,
    Scale: ArrayLike,
    B: ArrayLike | None = None,
    *,
    axis: int = -1,
    epsilon: float = 1e-5,
    stash_type: int = 1,
    outputs: int = 1,
    opset: int | None = None,
) -> NDArray | tuple[NDArray, ...]:
    """`(X - mean) / sqrt(variance + epsilon) * Scale + B` over the axes from `axis` on.

    The whole formula is exact until it is rounded once to the type of `X`, whatever `stash_type` says; `epsilon` is its
    float32 value. `Scale` and `B` broadcast to `X`. Nothing cancels, overflows or underflows on the way; a line of
    equal elements gives B, one NaN or infinity makes its whole line NaN. `opset` chooses the version. With `outputs` 3
    the result is that of three: the mean and the inverse of the deviation too, each rounded once to the type that
    `stash_type` names (1: float32, 11: float64, 16: bfloat16), the axes of a line having length 1.

    Raises DtypeError for types that the version does not allow, AxisError for an axis out of range, ShapeError for a
    scale or bias that does not broadcast, AttributeValueError for an epsilon that is negative or not finite and for
    three outputs with another `stash_type`.
    Source: https://onnx.ai/onnx/operators/onnx__LayerNormalization.html (17).

    >>> import numpy as np
    >>> LayerNormalization(np.float32([[1e30, 3e30]]), np.float32([1, 1]))
    array([[-1.,  1.]], dtype=float32)
    """
    if not isinstance(outputs, int) or outputs not in (1, 3):
        raise AttributeValueError(f"outputs is {outputs!r}; allowed are 1 and 3")
    inputs = (X, Scale) if B is None else (X, Scale, B)
    if outputs == 3:
        attributes = {"axis": axis, "epsilon": epsilon, "stash_type": stash_type}
        return apply_all(operation_of("onnx", "LayerNormalization", opset, **attributes), 3, _arrays(inputs))
    return _applied("LayerNormalization", opset, inputs, axis=axis, epsilon=epsilon, stash_type=stash_type)


def RMSNormalization(
    X: ArrayLike,
    scale: ArrayLike,
    *,
    axis: int = -1,
    epsilon: float = 1e-5,
    stash_type: int = 1,
    opset: int | None = None,
) -> NDArray:
    """`X / sqrt(mean of squares + epsilon) * scale` over the axes from `axis` on, rounded once to the type of `scale`.

    The rest is as in `LayerNormalization`.
    Source: https://onnx.ai/onnx/operators/onnx__RMSNormalization.html (23).

    >>> import numpy as np
    >>> RMSNormalization(np.float32([[3e20, 3e20]]), np.float32([1, 2]))
    array([[1., 2.]], dtype=float32)
    """
    return _applied("RMSNormalization", opset, (X, scale), axis=axis, epsilon=epsilon, stash_type=stash_type)


def GroupNormalization(
    X: ArrayLike,
    scale: ArrayLike,
    bias: ArrayLike,
    *,
    num_groups: int,
    epsilon: float = 1e-5,
    stash_type: int | None = None,
    opset: int | None = None,
) -> NDArray:
    """`LayerNormalization` over each group of channels (axis 1) and all axes after it.

    `scale` and `bias` have one number for each channel, before opset 21 for each group; `stash_type`, which opset 21
    brought, changes nothing. Raises ShapeError for channels
    that the groups do not share evenly; the rest is as in `LayerNormalization`.
    Source: https://onnx.ai/onnx/operators/onnx__GroupNormalization.html (18, 21).

    >>> import numpy as np
    >>> GroupNormalization(np.float32([[1000, 1002, 5, 9]]), np.ones(4, "f"), np.zeros(4, "f"), num_groups=2, epsilon=0)
    array([[-1.,  1., -1.,  1.]], dtype=float32)
    """
    newer = {} if stash_type is None else {"stash_type": stash_type}
    inputs = (X, scale, bias)
    return _applied("GroupNormalization", opset, inputs, num_groups=num_groups, epsilon=epsilon, **newer)


def InstanceNormalization(
    input: ArrayLike, scale: ArrayLike, B: ArrayLike, *, epsilon: float = 1e-5, opset: int | None = None
) -> NDArray:
    """`LayerNormalization` over all axes after the channels, with a scale and a bias for each channel.

    Source: https://onnx.ai/onnx/operators/onnx__InstanceNormalization.html (1, 6, 22).

    >>> import numpy as np
    >>> InstanceNormalization(np.float32([[[1, 3], [5, 9]]]), np.float32([1, 2]), np.float32([0, 1]), epsilon=0)
    array([[[-1.,  1.],
            [-1.,  3.]]], dtype=float32)
    """
    return _applied("InstanceNormalization", opset, (input, scale, B), epsilon=epsilon)


def MeanVarianceNormalization(X: ArrayLike, *, axes: Sequence[int] = (0, 2, 3), opset: int | None = None) -> NDArray:
    """`(X - mean) / (deviation + e)` over `axes`, rounded once; e is the float32 next to 1e-9.

    Source: https://onnx.ai/onnx/operators/onnx__MeanVarianceNormalization.html (9, 13).

    >>> import numpy as np
    >>> MeanVarianceNormalization(np.float32([[1, 3], [100, 102]]), axes=[1])
    array([[-1.,  1.],
           [-1.,  1.]], dtype=float32)
    """
    return _applied("MeanVarianceNormalization", opset, (X,), axes=hashed(axes))


def LpNormalization(input: ArrayLike, *, axis: int = -1, p: int = 2, opset: int | None = None) -> NDArray:
    """`input` over its norm along `axis`, rounded once: the sum of the magnitudes (p = 1) or the root of that of the
    squares (p = 2). A zero line stays zero.

    Source: https://onnx.ai/onnx/operators/onnx__LpNormalization.html (1, 22).

    >>> import numpy as np
    >>> LpNormalization(np.float32([3, 4]) * np.float32(2.0**100))
    array([0.6, 0.8], dtype=float32)
    """
    return _applied("LpNormalization", opset, (input,), axis=axis, p=p)


def GlobalAveragePool(X: ArrayLike, *, opset: int | None = None) -> NDArray:
    """The mean over all axes after the channels, which stay with length 1: the exact sum over the count, rounded once.

    Source: https://onnx.ai/onnx/operators/onnx__GlobalAveragePool.html (1, 22).

    >>> import numpy as np
    >>> GlobalAveragePool(np.float32([[[1, 2, 6]]]))
    array([[[3.]]], dtype=float32)
    """
    return _applied("GlobalAveragePool", opset, (X,))


def GlobalMaxPool(X: ArrayLike, *, opset: int | None = None) -> NDArray:
    """The maximum over all axes after the channels, which stay with length 1; NaN if there is one.

    Source: https://onnx.ai/onnx/operators/onnx__GlobalMaxPool.html (1, 22).

    >>> import numpy as np
    >>> GlobalMaxPool(np.float32([[[1, 2, 6]]]))
    array([[[6.]]], dtype=float32)
    """
    return _applied("GlobalMaxPool", opset, (X,))


def GlobalLpPool(X: ArrayLike, *, p: int = 2, opset: int | None = None) -> NDArray:
    """The p-norm over all axes after the channels, which stay with length 1, rounded once; p is whole, 1 to 1024.

    Source: https://onnx.ai/onnx/operators/onnx__GlobalLpPool.html (1, 2, 22).

    >>> import numpy as np
    >>> GlobalLpPool(np.float32([[[3e30, 4e30]]]))
    array([[[5.e+30]]], dtype=float32)
    """
    return _applied("GlobalLpPool", opset, (X,), p=p)


def _applied(name: str, opset: int | None, inputs: Sequence[ArrayLike], **attributes: object) -> NDArray:
    return apply(operation_of("onnx", name, opset, **attributes), _arrays(inputs))


def _arrays(inputs: Sequence[ArrayLike]) -> list[NDArray]:
    return [as_array(each) for each in inputs]
