"""Functions on arrays, normalizations: PyTorch's argument order after the array, on the engine."""

from __future__ import annotations

import math
from collections.abc import Sequence
from math import prod
from typing import Any

import ml_dtypes
import numpy as np

from samesum.algebra.rows import LAYER_NORM, LOG_SOFTMAX, MAX, RMS_NORM, SOFTMAX, Normalization
from samesum.engine.memory import Epsilon, normalize, normalize_lines, reduce
from samesum.errors import ArgumentError, DtypeError, ShapeError
from samesum.formats.arrays import ArrayLike, NDArray, Out, checked, integer_of
from samesum.formats.axes import axis_number
from samesum.formats.elements import FLOAT_DTYPES
from samesum.frontends.arrays.calls import as_floats, exact_numbers, real_number

_EPSILONS = {each: float(ml_dtypes.finfo(each).eps) for each in FLOAT_DTYPES}  # type: ignore[no-untyped-call]


def layer_norm(
    x: ArrayLike,
    /,
    normalized_shape: int | Sequence[int],
    weight: ArrayLike | None = None,
    bias: ArrayLike | None = None,
    eps: float = 1e-5,
    *,
    out: Out | None = None,
) -> NDArray:
    """`(x - mean) / sqrt(variance + eps) * weight + bias` over the last axes, exact until it is rounded once.

    `normalized_shape` is the shape of these axes, or the length of the last one; `weight` and `bias` have it too, or
    broadcast to it. The result has the shape and dtype of `x`: float16, bfloat16, float32 or float64. Nothing cancels,
    overflows or underflows on the way; a line of equal elements gives the bias, and a NaN or an infinity makes its
    whole line NaN. Raises ShapeError for a `normalized_shape` that `x` does not end with and for a weight or bias that
    does not fit, DtypeError for other dtypes, ArgumentError for an `eps` that is negative or not finite.
    Source: PyTorch, `torch.nn.functional.layer_norm`; ONNX LayerNormalization.

    >>> layer_norm(np.float32([[1, 2, 3, 4]]) * np.float32(1e30), 4, eps=0)
    array([[-1.3416408 , -0.44721362,  0.44721368,  1.3416407 ]],
          dtype=float32)
    """
    array, axes = _last_axes(x, normalized_shape)
    scale = None if weight is None else _fitting("weight", weight, array.shape[axes[0] :])
    shift = None if bias is None else _fitting("bias", bias, array.shape[axes[0] :])
    return normalize_lines(LAYER_NORM, array, axes, Epsilon(_checked(eps)), scale, shift, out=out)


def rms_norm(
    x: ArrayLike,
    /,
    normalized_shape: int | Sequence[int],
    weight: ArrayLike | None = None,
    eps: float | None = None,
    *,
    out: Out | None = None,
) -> NDArray:
    """`x / sqrt(mean of squares + eps) * weight` over the last axes, exact until it is rounded once.

    `eps` None is the machine epsilon of the dtype, as PyTorch's documentation says; its own CPU kernels take float32's
    for float16 and bfloat16. The rest is as in `layer_norm`; a line of zeros gives zeros.
    Source: PyTorch, `torch.nn.functional.rms_norm`; ONNX RMSNormalization.

    >>> rms_norm(np.float32([3e20, 4e20]), 2, eps=0)
    array([0.84852815, 1.1313709 ], dtype=float32)
    """
    array, axes = _last_axes(x, normalized_shape)
    number = _EPSILONS[array.dtype.newbyteorder("=")] if eps is None else _checked(eps)
    scale = None if weight is None else _fitting("weight", weight, array.shape[axes[0] :])
    return normalize_lines(RMS_NORM, array, axes, Epsilon(number), scale, out=out)


def group_norm(
    x: ArrayLike,
    /,
    num_groups: int,
    weight: ArrayLike | None = None,
    bias: ArrayLike | None = None,
    eps: float = 1e-5,
    *,
    out: Out | None = None,
) -> NDArray:
    """`layer_norm` over each of `num_groups` groups of channels, which are axis 1, and all axes after it.

    `weight` and `bias` have one number for each channel. Raises ShapeError for an `x` of rank 1 or less, for channels
    that the groups do not share evenly, and for a weight or bias of another length; the rest is as in `layer_norm`.
    Source: PyTorch, `torch.nn.functional.group_norm`; ONNX GroupNormalization-21.

    >>> group_norm(np.float32([[1, 3, 10, 30]]), 2, eps=0)
    array([[-1.,  1., -1.,  1.]], dtype=float32)
    """
    array, groups = _floats(x), integer_of("num_groups", num_groups)
    if array.ndim < 2 or groups < 1 or array.shape[1] % groups:
        raise ShapeError(f"x of shape {array.shape} has no {groups} equal groups of channels along axis 1")
    channels = array.shape[1]
    shape = checked((array.shape[0], groups, channels // groups, *array.shape[2:]))
    scales = []
    for name, each in (("weight", weight), ("bias", bias)):
        found = None if each is None else exact_numbers(name, each)
        if found is not None and found.shape != (channels,):
            raise ShapeError(f"{name} has shape {found.shape}; one number for each of {channels} channels is needed")
        scales.append(None if found is None else found.reshape(shape[1:3] + (1,) * (array.ndim - 2)))
    axes = tuple(range(2, array.ndim + 1))
    lines, epsilon = array.reshape(shape), Epsilon(_checked(eps))
    if isinstance(out, np.ndarray) and out.shape == array.shape and out.flags.c_contiguous:
        normalize_lines(LAYER_NORM, lines, axes, epsilon, scales[0], scales[1], out=out.reshape(shape))
        return out
    result = normalize_lines(LAYER_NORM, lines, axes, epsilon, scales[0], scales[1])
    # The maximum over no axis is each element itself, and the core checks `out`.
    return result.reshape(array.shape) if out is None else reduce(MAX, result.reshape(array.shape), (), out=out)


def softmax(x: ArrayLike, /, axis: int = -1, *, out: Out | None = None) -> NDArray:
    """`exp(x)` over its sum along `axis`, within 0.6 ulp (0.51 of float16 and bfloat16); the same bits always.

    The result has the shape and dtype of `x`: float16, bfloat16, float32 or float64. Raises AxisError for an axis out
    of range, DtypeError for other dtypes. Source: PyTorch, `torch.nn.functional.softmax`; ONNX Softmax.

    >>> softmax(np.array([1000.0, 1000.0]))
    array([0.5, 0.5])
    """
    return _normalized(SOFTMAX, x, axis, out)


def log_softmax(x: ArrayLike, /, axis: int = -1, *, out: Out | None = None) -> NDArray:
    """The natural logarithm of `softmax`, with its accuracy, types and errors; nothing under- or overflows on the way.

    Source: PyTorch, `torch.nn.functional.log_softmax`; ONNX LogSoftmax.

    >>> log_softmax(np.array([0.0, -1000.0]))
    array([   -0., -1000.])
    """
    return _normalized(LOG_SOFTMAX, x, axis, out)


def _normalized(row: Normalization, x: ArrayLike, axis: int, out: Out | None) -> NDArray:
    return normalize(row, as_floats(x), axis_number(axis), out)


def _floats(x: ArrayLike) -> NDArray:
    array = as_floats(x)
    if array.dtype not in FLOAT_DTYPES and array.dtype.newbyteorder("=") not in FLOAT_DTYPES:
        raise DtypeError(
            f"a normalization of {array.dtype.name} does not exist; allowed are float16, bfloat16, float32, float64, "
            "and integers and booleans as float64"
        )
    return array


def _last_axes(x: ArrayLike, normalized_shape: Any) -> tuple[NDArray, tuple[int, ...]]:
    array = _floats(x)
    if isinstance(normalized_shape, list | tuple) or getattr(normalized_shape, "ndim", 0) == 1:
        shape = tuple([integer_of("a length of normalized_shape", each) for each in normalized_shape])
    else:
        shape = (integer_of("a length of normalized_shape", normalized_shape),)
    if not shape or array.shape[-len(shape) :] != shape:
        raise ShapeError(f"normalized_shape is {normalized_shape!r}; x of shape {array.shape} does not end with it")
    if not prod(shape):
        raise ShapeError(f"x of shape {array.shape} has lines without elements; there is nothing to normalize")
    return array, tuple(range(array.ndim - len(shape), array.ndim))


def _fitting(name: str, given: ArrayLike, shape: tuple[int, ...]) -> NDArray:
    array = exact_numbers(name, given)
    if array.shape == shape:
        return array
    lengths = zip(reversed(array.shape), reversed(shape), strict=False)
    if array.ndim > len(shape) or any(found not in (1, needed) for found, needed in lengths):
        raise ShapeError(f"{name} has shape {array.shape}; it does not broadcast to the normalized shape, {shape}")
    return array


def _checked(eps: Any) -> float:
    number = real_number("eps", eps)
    if not 0 <= number < math.inf:
        raise ArgumentError(f"eps is {eps!r}; a finite number from 0 on is needed")
    return number
