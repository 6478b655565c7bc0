"""What a state keeps of products: floats with many more bits than any format has, integers modulo 2^64."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from samesum.algebra.rows import PROD
from samesum.engine.memory import reduce
from samesum.engine.totals import Products
from samesum.formats.arrays import Dtype, NDArray, Result
from samesum.frontends.arrays.measure import Axes, Measure


class FloatProducts(Measure):
    """Products that become floats: exact up to 1024 bits, and beyond that 1024 bits of them."""

    def __init__(self, dtype: Dtype, kept: Axes) -> None:
        self.dtype = dtype
        self.like = np.empty(kept, np.bool_)
        self.products = Products(dtype, math.prod(kept))

    def add(self, x: NDArray, axes: Axes, where: NDArray | None, start: int) -> None:  # noqa: ARG002
        if where is not None:
            x = np.where(where, x, np.ones((), x.dtype))
        if x.size > 0:
            self.products.add(x, axes)

    def merge(self, other: FloatProducts) -> None:
        self.products.merge(other.products)

    def encoded(self, is_brief: bool) -> bytes:
        return self.products.encoded(is_brief)

    def decode(self, encoded: bytes, is_brief: bool) -> bool:
        return self.products.decode(encoded, is_brief)

    def result(self, dtype: Dtype) -> Result:
        return self.products.rounded(dtype, self.like)  # type: ignore[no-any-return]


class IntegerProducts(Measure):
    """Products modulo 2^64."""

    def __init__(self, kept: Axes) -> None:
        self.values = np.ones(kept, np.uint64)

    def add(self, x: NDArray, axes: Axes, where: NDArray | None, start: int) -> None:  # noqa: ARG002
        if where is not None:
            x = np.where(where, x, np.ones((), x.dtype))
        self._take(np.asarray(reduce(PROD, x, axes, dtype=np.uint64)))

    def merge(self, other: IntegerProducts) -> None:
        self._take(other.values)

    def stack(self, parts: Sequence[IntegerProducts]) -> None:
        self.values = np.stack([part.values for part in parts])

    def _take(self, values: NDArray) -> None:
        self.values = np.asarray(np.multiply(self.values, values, dtype=np.uint64))

    def encoded(self, is_brief: bool) -> bytes:  # noqa: ARG002
        return self.values.astype("<u8").tobytes()

    def decode(self, encoded: bytes, is_brief: bool) -> bool:  # noqa: ARG002
        if len(encoded) != self.values.nbytes:
            return False
        self.values = np.frombuffer(encoded, "<u8").astype(np.uint64).reshape(self.values.shape)
        return True

    def result(self, dtype: Dtype) -> Result:
        return self.values.astype(dtype)[()]
