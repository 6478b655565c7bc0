"""Functions on arrays, products of matrices, Einstein's sums and convolutions: NumPy's and PyTorch's names."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from samesum.engine import contractions
from samesum.engine.arrays import as_array, as_dtype
from samesum.engine.attention import attention
from samesum.engine.convolutions import convolve, plain_taps, windows
from samesum.engine.machine import FloatingPointScope
from samesum.errors import ArgumentError, ArgumentTypeError, AxisError, DtypeError, ShapeError
from samesum.formats.arrays import ArrayLike, Dtype, DTypeLike, NDArray, Out, boolean_of, integer_of
from samesum.formats.elements import FLOAT_DTYPES
from samesum.frontends.arrays.calls import real_number
from samesum.frontends.arrays.dots import DIRECT, common_dtype, converted, promoted


def scaled_dot_product_attention(
    q: ArrayLike,
    k: ArrayLike,
    v: ArrayLike,
    *,
    attn_mask: ArrayLike | None = None,
    is_causal: bool = False,
    scale: float | None = None,
) -> NDArray:
    """`softmax(q k^T * scale + attn_mask) v`: the whole formula over the given numbers, rounded once.

    `q` is (..., L, D) and `k` (..., S, D) of its dtype, `v` (..., S, E) of any of those below; batches broadcast, and
    the result is (..., L, E) in the dtype of `q`. A mask of booleans, (..., L, S), keeps the keys that are true; one
    of floats is added to the scores. With `is_causal` query i sees the keys 0 to i. `scale` is the real 1 / sqrt(D)
    unless it is given. Nothing overflows or underflows on the way. A key that is left out, by False or -inf, has no
    influence, whatever it and its value hold; a query that sees no key has zeros; NaN or +inf among its scores makes a
    query's results NaN.
    The same bits for any batch, other queries, heads and masked keys, order of the keys, number of threads and machine.
    float64 is computed in decimal numbers, as an oracle: some milliseconds for each query.

    Raises DtypeError for dtypes other than float16, bfloat16, float32 and float64, ShapeError for shapes that do not
    fit, ArgumentError for a mask beside `is_causal` and a scale that is not finite, ArgumentTypeError for an
    `is_causal` that is no boolean.
    Source: PyTorch, `torch.nn.functional.scaled_dot_product_attention`.

    >>> k = np.float32([[1e20, 0], [0, 1e20], [1e20, 0]])
    >>> scaled_dot_product_attention(np.float32([[1e20, 0]]), k, np.float32([[1, 2], [5, 6], [2, 4]]))
    array([[1.5, 3. ]], dtype=float32)
    """
    is_causal = boolean_of("is_causal", is_causal)
    if is_causal and attn_mask is not None:
        raise ArgumentError("attn_mask and is_causal are given; one of them at most is allowed")
    number = None if scale is None else real_number("scale", scale)
    query, key, value = as_array(q), as_array(k), as_array(v)
    mask = None if attn_mask is None else as_array(attn_mask)
    ends = np.arange(1, query.shape[-2] + 1) if is_causal and query.ndim > 1 else None
    with FloatingPointScope():
        return attention(query, key, value, mask, ends, number)[0]


_SPATIAL = {1, 2, 3}


def matmul(a: ArrayLike, b: ArrayLike, /, *, dtype: DTypeLike | None = None, out: Out | None = None) -> Any:
    """The product of matrices: each element is the exact sum of the exact products, rounded once.

    The matrices are in the last two axes, and the axes before them broadcast; a vector is one row as `a` and one column
    as `b`, and has no axis in the result, which is a scalar where nothing is left. Types, `dtype` and what is not
    finite are as in `vecdot`: the result has the dtype that NumPy's promotion gives, integers wrap modulo 2^k in it,
    and for floats `dtype` is the float type that the exact sum is rounded to. The same bits come out for every batch,
    layout, order of the terms and number of threads. `out` receives the result and is returned.

    Raises DtypeError for booleans, complex numbers, dtypes that promote to none of these and a `dtype` of another kind,
    ShapeError for scalars, for shapes that do not fit and if `out` has another shape.
    Source: the Python array API standard 2024.12, `matmul`.

    >>> matmul(np.float32([[1e8, 1, -1e8]]), np.float32([[1, 2], [3, 4], [1, 2]]))
    array([[3., 4.]], dtype=float32)
    """
    (first, second), common, result = _operands((a, b), dtype)
    found = contractions.matmul(first, second, result or common, out=out)
    return found if out is not None else found[()]


def tensordot(a: ArrayLike, b: ArrayLike, /, *, axes: int | tuple[Sequence[int], Sequence[int]] = 2) -> Any:
    """The exact sums of the exact products over pairs of axes, rounded once.

    `axes` are the axes of `a` and, in the same order, those of `b`; a number n stands for the last n of `a` and the
    first n of `b`. The result has the other axes of `a` and then those of `b`. The rest is as in `matmul`. Raises
    AxisError for axes that are not there, that repeat or that are not in pairs, ShapeError for pairs of other lengths.
    Source: the Python array API standard 2024.12, `tensordot`.

    >>> tensordot(np.float32([[1e8, 1], [1, -1e8]]), np.float32([[1, 2], [3, 1]]))
    np.float32(5.0)
    """
    (first, second), common, result = _operands((a, b), None)
    if isinstance(axes, Sequence) and not isinstance(axes, str) and len(axes) == 2:
        pair = (axes[0], axes[1])
    else:
        count = integer_of("axes", axes, AxisError)
        if not 0 <= count <= min(first.ndim, second.ndim):
            raise AxisError(
                f"axes is {count} for operands of rank {first.ndim} and {second.ndim}; "
                f"allowed are 0 to {min(first.ndim, second.ndim)}"
            )
        pair = (range(first.ndim - count, first.ndim), range(count))
    return contractions.tensordot(first, second, pair, result or common)[()]


def einsum(subscripts: str, *operands: ArrayLike, dtype: DTypeLike | None = None) -> Any:
    """Einstein's sum: of one operand the exact sum, of two the exact sum of the exact products, rounded once.

    `subscripts` has letters for the axes of each operand, with commas between operands, and those of the result behind
    `->`; without it the result has the letters that stand once, in alphabetical order. A letter that stands twice in
    one operand is its diagonal, `...` are axes that broadcast. Three operands and more are multiplied from the left,
    two at a time, and what comes of each pair is rounded once to the common dtype. The rest is as in `matmul`.

    Raises ArgumentError for subscripts that say nothing sound, ShapeError for shapes that they do not fit, DtypeError
    as `matmul` does. Source: NumPy, `numpy.einsum`.

    >>> einsum("ij,j->i", np.float32([[1e8, 1, -1e8], [1, 2, 3]]), np.float32([1, 1, 1]))
    array([1., 6.], dtype=float32)
    """
    if not isinstance(subscripts, str) or not operands:
        raise ArgumentTypeError(f"subscripts are a text and operands follow; got {subscripts!r} and {len(operands)}")
    arrays, common, result = _operands(operands, dtype)
    return contractions.einsum(subscripts, arrays, common, result or common)[()]


def conv(
    x: ArrayLike,
    weight: ArrayLike,
    bias: ArrayLike | None = None,
    *,
    stride: int | Sequence[int] = 1,
    padding: int | Sequence[int] | str = 0,
    dilation: int | Sequence[int] = 1,
    groups: int = 1,
) -> NDArray:
    """The convolution that networks mean, over one to three spatial axes: products, sum and bias rounded once together.

    `x` is (batch, channels, spatial axes), or has no batch; `weight` (results, channels of a group, kernel); `bias` has
    one number for each result. `stride`, `padding` and `dilation` are one number, or one for each spatial axis;
    `padding` puts so many zeros before and after each of them, "valid" none, and "same", of stride 1, so many that the
    sizes stay. Types and what is not finite are as in `matmul`, whose bits a convolution has, too.

    Raises DtypeError as `matmul` does, ShapeError for shapes that do not fit, ArgumentError for numbers out of range
    and another text, ArgumentTypeError for what is no integer. Source: PyTorch, `torch.nn.functional.conv2d`.

    >>> conv(np.float32([[[1e8, 1, -1e8, 2, 1e8]]]), np.float32([[[1, 1, 1]]]), np.float32([3]), stride=2)
    array([[[4., 5.]]], dtype=float32)
    """
    (data, kernel, *others), common, result = _operands((x, weight) if bias is None else (x, weight, bias), None)
    spatial = kernel.ndim - 2
    if spatial not in _SPATIAL or data.ndim not in (spatial + 1, spatial + 2):
        raise ShapeError(
            f"x has shape {data.shape} and weight {kernel.shape}; weight has 1 to 3 axes behind results and channels, "
            "and x as many behind channels and, where it has one, the batch"
        )
    whole = data[None] if data.ndim == spatial + 1 else data
    count = _groups(groups, whole, kernel, others)
    strides, dilations = (_each(name, v, spatial, 1) for name, v in (("stride", stride), ("dilation", dilation)))
    pads = _pads(padding, kernel.shape[2:], strides, dilations)
    axes = []
    for i, (size, length) in enumerate(zip(whole.shape[2:], kernel.shape[2:], strict=True)):
        room = size + sum(pads[i]) - dilations[i] * (length - 1) - 1
        if room < 0 or not length:
            raise ShapeError(
                f"a kernel of shape {kernel.shape[2:]} does not fit into {whole.shape[2:]} with its padding"
            )
        axes.append(plain_taps(length, room // strides[i] + 1, strides[i], dilations[i], pads[i][0]))
    target = result or common
    added = (
        others[0].astype(target, copy=False).reshape(count, len(kernel) // count, *(1,) * spatial) if others else None
    )
    grouped = whole.reshape(whole.shape[0], count, kernel.shape[1], *whole.shape[2:])
    weights = kernel.reshape(count, kernel.shape[0] // count, *kernel.shape[1:])
    found = convolve(grouped, weights, windows(axes, grouped.shape, weights.shape[1]), added, target)
    found = found.reshape(found.shape[0], kernel.shape[0], *found.shape[3:])
    return found if whole is data else found[0]


def _operands(given: Sequence[ArrayLike], dtype: DTypeLike | None) -> tuple[list[NDArray], Dtype, Dtype | None]:
    """Arrays that can be multiplied, the dtype that they promote to, and that of the result where it is another one.

    Integers whose result is one stay as they are.
    """
    arrays = [as_array(each) for each in given]
    kind = arrays[0].dtype
    if dtype is None and kind.num in DIRECT and kind.isnative and all(x.dtype == kind for x in arrays):
        return arrays, kind, None
    common = arrays[0].dtype.newbyteorder("=")
    for array in arrays[1:]:
        common = common_dtype(common, array.dtype)
    common, result = promoted(common, common, None if dtype is None else as_dtype(dtype))
    for each in (common, result or common):
        if each.kind not in "iu" and each not in FLOAT_DTYPES:
            raise DtypeError(
                f"products of {', '.join(x.dtype.name for x in arrays)} in {each.name} were asked for; allowed are "
                "integers, float16, bfloat16, float32 and float64"
            )
    is_whole = common.kind in "iu"
    return [x if is_whole and x.dtype.kind in "iu" else converted(x, common) for x in arrays], common, result


def _each(name: str, given: int | Sequence[int], spatial: int, least: int) -> list[int]:
    """One number for each spatial axis."""
    values = list(given) if isinstance(given, Sequence) else [given] * spatial
    numbers = [integer_of(name, each) for each in values]
    if len(numbers) == 1:
        numbers *= spatial
    if len(numbers) != spatial or min(numbers) < least:
        raise ArgumentError(f"{name} is {given!r}; one number or {spatial} are needed, each from {least} on")
    return numbers


def _pads(
    padding: int | Sequence[int] | str, kernel: Sequence[int], strides: Sequence[int], dilations: Sequence[int]
) -> list[tuple[int, int]]:
    """How many zeros are before and after each spatial axis."""
    if not isinstance(padding, str):
        return [(each, each) for each in _each("padding", padding, len(kernel), 0)]
    if padding not in ("same", "valid") or (padding == "same" and max(strides) > 1):
        raise ArgumentError(f"padding is {padding!r} with strides {strides}; allowed are numbers, 'valid' and 'same', "
                            "the latter with strides of 1")  # fmt: skip
    if padding == "valid":
        return [(0, 0)] * len(kernel)
    totals = [d * (n - 1) for n, d in zip(kernel, dilations, strict=True)]
    return [(total // 2, total - total // 2) for total in totals]


def _groups(groups: int, x: NDArray, weight: NDArray, bias: Sequence[NDArray]) -> int:
    count, shapes = integer_of("groups", groups), f"x has shape {x.shape} and weight {weight.shape}"
    if count < 1:
        raise ArgumentError(f"groups is {count}; a number from 1 on is needed")
    if weight.shape[1] * count != x.shape[1] or weight.shape[0] % count:
        raise ShapeError(
            f"{shapes} in {count} groups: x has the channels of all groups, weight those of one, and as many results "
            "for each group"
        )
    if bias and bias[0].shape != weight.shape[:1]:
        raise ShapeError(f"{shapes}; bias has shape {bias[0].shape}, one number for each result is needed")
    return count
