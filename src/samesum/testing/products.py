"""Sums of products: how many make one result, and inputs that lost bits before they were multiplied."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

import ml_dtypes
import numpy as np

from samesum.formats.arrays import NDArray
from samesum.testing.node import Node

Arrays = Sequence[NDArray | None]


def terms_of(node: Node, arrays: Arrays) -> int | None:
    """How many products make one result; None for an operator that has none."""
    count = _TERMS.get(node.operator.casefold())
    given = [array for array in arrays if array is not None]
    return None if count is None or len(given) < 2 else count(node, given)


def _of_vectors(node: Node, arrays: Sequence[NDArray]) -> int:
    return int(arrays[0].shape[int(node.attributes["axis"])])


def _of_matrices(_: Node, arrays: Sequence[NDArray]) -> int:
    return arrays[0].shape[-1] if arrays[0].ndim else 1


_TERMS: dict[str, Callable[[Node, Sequence[NDArray]], int]] = {
    "vecdot": _of_vectors,
    "matmul": _of_matrices,
}


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
