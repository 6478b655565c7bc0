"""Sums of products: how many make one result, and inputs that lost bits before they were multiplied."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence

import ml_dtypes
import numpy as np

from samesum.engine.contractions import parsed
from samesum.formats.arrays import NDArray
from samesum.formats.axes import all_from_front
from samesum.testing.families import Node
from samesum.testing.lines import lines

Arrays = Sequence[NDArray | None]


def terms_of(node: Node, arrays: Arrays) -> int | None:
    """How many products make one result; None for an operator that has none."""
    count = _TERMS.get(node.operator.casefold())
    given = [array for array in arrays if array is not None]
    return None if count is None or len(given) < 2 else count(node, given)


def _of_vectors(node: Node, arrays: Sequence[NDArray]) -> int:
    return int(arrays[0].shape[int(node.attributes["axis"])])


def _of_matrices(node: Node, arrays: Sequence[NDArray]) -> int:
    """The columns of the first, or its rows where it is transposed."""
    is_transposed = any(str(node.attributes.get(name, 0)).lower() in ("1", "true") for name in _TRANSPOSED)
    shape = arrays[0].shape
    place = -2 if is_transposed and len(shape) > 1 else -1
    return int(shape[place]) if shape else 1


_TRANSPOSED = ("transA", "transpose_a")


def _of_windows(node: Node, arrays: Sequence[NDArray]) -> int:
    """The weights that go into one result: all of them by the number of results at one place."""
    shape, operator = arrays[1].shape, node.operator.casefold()
    results = {
        "convtranspose": (shape[1], int(node.attributes.get("group", 1))),
        "convolutionbackpropdata": shape[1:2],
        "groupconvolution": shape[:2],
        "groupconvolutionbackpropdata": shape[:3:2],
    }.get(operator, shape[:1])
    return int(arrays[1].size // max(1, math.prod(results)))


def _of_letters(node: Node, arrays: Sequence[NDArray]) -> int:
    """The sizes of the axes that the result of an Einstein sum lacks."""
    said = node.attributes["equation"]
    inputs, result = parsed(said.decode() if isinstance(said, bytes) else str(said), [each.ndim for each in arrays])
    pairs = [
        pair for labels, array in zip(inputs, arrays, strict=True) for pair in zip(labels, array.shape, strict=True)
    ]
    sizes = {label: max(size for each, size in pairs if each == label) for label, _ in pairs}
    return math.prod(size for label, size in sizes.items() if label not in result)


def _of_pairs(node: Node, arrays: Sequence[NDArray]) -> int:
    """The sizes of the axes of a tensordot."""
    axes = node.attributes["axes"]
    shape = arrays[0].shape
    first = range(len(shape) - axes, len(shape)) if isinstance(axes, int) else axes[0]
    return math.prod(shape[int(axis)] for axis in np.atleast_1d(first))


def _of_weights(node: Node, arrays: Sequence[NDArray]) -> int:
    """The sizes of the axes of a weighted mean."""
    return math.prod(arrays[0].shape[axis] for axis in all_from_front(node.attributes["axis"], arrays[0].ndim))


def _of_attention(_: Node, arrays: Sequence[NDArray]) -> int:
    """The keys and the length of each."""
    return int(arrays[1].shape[-2] + arrays[1].shape[-1])


def _of_steps(_: Node, arrays: Sequence[NDArray]) -> int:
    """Each step of a recurrence multiplies with all its weights."""
    return int(max(arrays[0].shape[:2]) * sum(each.shape[-1] for each in arrays[1:3]))


_WINDOWS = ("conv", "convolution", "groupconvolution", "convtranspose", "convolutionbackpropdata", "fusedconv")
_STEPS = ("lstm", "gru", "rnn", "lstmsequence", "grusequence", "rnnsequence", "lstmcell", "grucell", "rnncell")
_TERMS: dict[str, Callable[[Node, Sequence[NDArray]], int]] = {
    "average": _of_weights,
    "vecdot": _of_vectors,
    "einsum": _of_letters,
    "tensordot": _of_pairs,
    **dict.fromkeys(("matmul", "gemm", "fusedmatmul", "fusedgemm"), _of_matrices),
    **dict.fromkeys((*_WINDOWS, "groupconvolutionbackpropdata"), _of_windows),
    **dict.fromkeys(
        ("attention", "multiheadattention", "scaleddotproductattention", "scaled_dot_product_attention"), _of_attention
    ),
    **dict.fromkeys(_STEPS, _of_steps),
}


def terms(node: Node, arrays: Arrays) -> NDArray | None:
    """The products of some results as lines, in the type of the data; None for what is no product of two arrays' rows
    and columns."""
    a, b = (*arrays, None)[:2]
    if a is None or b is None or a.dtype != b.dtype or not a.ndim or not b.ndim:
        return None
    if node.operator == "vecdot":
        axis = int(node.attributes["axis"])
        a, b = (np.moveaxis(each, axis, -1).reshape(-1, each.shape[axis]) for each in (a, b))
    elif node.operator.casefold() == "matmul":
        a = a.reshape(-1, a.shape[-1])
        b = b.reshape(1, -1) if b.ndim == 1 else np.swapaxes(b, -1, -2).reshape(-1, b.shape[-2])
    else:
        return None
    if a.shape[-1] != b.shape[-1]:
        return None
    count = min(SOME, max(len(a), len(b)))
    return np.asarray(a[np.arange(count) % len(a)] * b[np.arange(count) % len(b)])


def weights_of(node: Node, arrays: Arrays) -> NDArray:
    """The weights of a mean in the shape of the data."""
    x, weights = arrays
    assert x is not None
    assert weights is not None
    if weights.shape == x.shape:
        return weights
    axes = all_from_front(node.attributes["axis"], x.ndim)
    others = [axis for axis in range(x.ndim) if axis not in axes]
    return np.broadcast_to(np.expand_dims(weights.transpose(np.argsort(axes)), others), x.shape)


def weighted(node: Node, arrays: Arrays) -> Sequence[NDArray]:
    """The products and the weights of a mean as lines: what is added, with the roundings of its own type."""
    weights = weights_of(node, arrays)
    assert arrays[0] is not None
    axes = all_from_front(node.attributes["axis"], weights.ndim)
    return [lines(each, axes).data for each in (arrays[0] * weights, weights)]


def conspires(arrays: Arrays) -> bool:
    """True if two operands have so few values that roundings of their products repeat."""
    return all(each is not None and np.unique(each.reshape(-1)[:4096]).size <= SOME for each in arrays[:2])


SOME = 16
"""Results whose products are added once more."""


def shortened(array: NDArray) -> Iterator[tuple[str, NDArray]]:
    """Each shorter type that processors multiply float32 in, and the array with its bits alone."""
    if array.dtype != np.float32:
        return
    with np.errstate(all="ignore"):
        yield "TF32", _without_bits(array, 13)
        for short in (np.float16, ml_dtypes.bfloat16):
            yield np.dtype(short).name, array.astype(short).astype(np.float32)
        yield "TF32 (cut off)", (array.view(np.uint32) & np.uint32(0xFFFFE000)).view(np.float32)


def _without_bits(array: NDArray, count: int) -> NDArray:
    """Rounded to nearest, ties to even, so that the last `count` bits are zero; NaNs stay."""
    bits = np.ascontiguousarray(array).view(np.uint32)
    last = (bits >> np.uint32(count)) & np.uint32(1)
    rounded = (bits + np.uint32((1 << (count - 1)) - 1) + last) & np.uint32(0xFFFFFFFF ^ ((1 << count) - 1))
    return np.where(np.isnan(array), array, rounded.view(np.float32).reshape(array.shape))
