"""What a state keeps of each output: exact sums and products, logical results and counts. All merge.

A measure sees chunks that the state has checked. `where` has the shape of the chunk or is None.
"""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Sequence
from typing import Any

import numpy as np

from samesum.algebra.rows import ALL, PROD, Map, Reduction
from samesum.engine import totals
from samesum.engine.memory import reduce
from samesum.engine.totals import Totals
from samesum.formats.arrays import Dtype, NDArray, Result

Axes = tuple[int, ...]


class Measure(ABC):
    """What is kept of the elements of some outputs, of shape `kept`."""

    @abstractmethod
    def add(self, x: NDArray, axes: Axes, where: NDArray | None, start: int) -> None:
        """Takes the elements of a chunk, the first of which has the position `start` along the reduced axis."""

    @abstractmethod
    def merge(self, other: Any) -> None:
        """Takes what another measure of the same kind has seen."""

    def stack(self, parts: Sequence[Any]) -> None:
        """Takes what measures of the outputs along the first axis have seen, one for each, having seen nothing.

        Here of measures whose bytes come output by output.
        """
        encoded = {id(part): part.encoded(is_brief=False) for part in {id(part): part for part in parts}.values()}
        is_taken = self.decode(b"".join(encoded[id(part)] for part in parts), is_brief=False)
        assert is_taken

    @abstractmethod
    def encoded(self, is_brief: bool) -> bytes:
        """The bytes of what is kept, the same for the same elements if they are brief; else nothing is lost."""

    @abstractmethod
    def decode(self, encoded: bytes, is_brief: bool) -> bool:
        """Takes what `encoded` gave into a measure that has seen nothing; False if the bytes are not of that form."""


class _OfCore(Measure):
    """What an object of the core keeps."""

    totals: Any

    def merge(self, other: _OfCore) -> None:
        self.totals.merge(other.totals)

    def encoded(self, is_brief: bool) -> bytes:  # noqa: ARG002
        return self.totals.encoded()  # type: ignore[no-any-return]

    def decode(self, encoded: bytes, is_brief: bool) -> bool:  # noqa: ARG002
        return self.totals.decode(encoded)  # type: ignore[no-any-return]


class Sums(_OfCore):
    """The exact sum of the elements, of their magnitudes or of their squares."""

    def __init__(self, kind: Map, dtype: Dtype, kept: Axes) -> None:
        self.summed = np.dtype(np.float32) if is_byte_float(dtype) else dtype
        self.totals = Totals(int(kind), self.summed, math.prod(kept))

    def add(self, x: NDArray, axes: Axes, where: NDArray | None, start: int) -> None:  # noqa: ARG002
        if where is not None:
            x = np.where(where, x, np.zeros((), x.dtype))
        if x.size > 0:
            self.totals.add(x.astype(self.summed, copy=False), axes)


class Exponentials(_OfCore):
    """The 32 greatest different elements with their numbers, and 238 leading bits of the exponentials of all others."""

    def __init__(self, dtype: Dtype, kept: Axes) -> None:
        self.like = np.empty(kept, np.bool_)
        self.totals = totals.Exponentials(dtype, math.prod(kept))

    def add(self, x: NDArray, axes: Axes, where: NDArray | None, start: int) -> None:  # noqa: ARG002
        if x.size > 0:
            self.totals.add(x, axes, where)

    def result(self, dtype: Dtype) -> Result:
        return self.totals.rounded(dtype, self.like)  # type: ignore[no-any-return]


class FloatProducts(Exponentials):
    """Products that become floats: exact up to 1024 bits, and beyond that 1024 bits of them."""

    def __init__(self, dtype: Dtype, kept: Axes) -> None:
        self.like = np.empty(kept, np.bool_)
        self.totals = totals.Products(dtype, math.prod(kept))

    def add(self, x: NDArray, axes: Axes, where: NDArray | None, start: int) -> None:  # noqa: ARG002
        if where is not None:
            x = np.where(where, x, np.ones((), x.dtype))
        if x.size > 0:
            self.totals.add(x, axes)

    def encoded(self, is_brief: bool) -> bytes:
        return self.totals.encoded(is_brief)  # type: ignore[no-any-return]

    def decode(self, encoded: bytes, is_brief: bool) -> bool:
        return self.totals.decode(encoded, is_brief)  # type: ignore[no-any-return]


class _Values(Measure):
    """One number for each output, stored in a type, up to the greatest that there can be."""

    values: NDArray
    stored: Dtype = np.dtype("<u8")
    most = 2**64 - 1

    @abstractmethod
    def _take(self, values: NDArray) -> None: ...

    def merge(self, other: _Values) -> None:
        self._take(other.values)

    def stack(self, parts: Sequence[_Values]) -> None:
        self.values = np.stack([part.values for part in parts])

    def encoded(self, is_brief: bool) -> bytes:  # noqa: ARG002
        return self.values.astype(self.stored).tobytes()

    def decode(self, encoded: bytes, is_brief: bool) -> bool:  # noqa: ARG002
        if len(encoded) != self.values.nbytes:
            return False
        found = np.frombuffer(encoded, self.stored)
        self.values = found.astype(self.values.dtype).reshape(self.values.shape)
        return bool((found <= self.most).all())


class IntegerProducts(_Values):
    """Products modulo 2^64."""

    def __init__(self, kept: Axes) -> None:
        self.values = np.ones(kept, np.uint64)

    def add(self, x: NDArray, axes: Axes, where: NDArray | None, start: int) -> None:  # noqa: ARG002
        if where is not None:
            x = np.where(where, x, np.ones((), x.dtype))
        self._take(np.asarray(reduce(PROD, x, axes, dtype=np.uint64)))

    def _take(self, values: NDArray) -> None:
        self.values = np.asarray(np.multiply(self.values, values, dtype=np.uint64))

    def result(self, dtype: Dtype) -> Result:
        return self.values.astype(dtype)[()]


class Truths(_Values):
    """Whether all elements are true, or any of them."""

    stored, most = np.dtype(np.uint8), 1

    def __init__(self, row: Reduction, kept: Axes) -> None:
        self.row = row
        self.values = np.full(kept, row is ALL, np.bool_)

    def add(self, x: NDArray, axes: Axes, where: NDArray | None, start: int) -> None:  # noqa: ARG002
        if where is not None:
            x = np.where(where, x != 0, self.row is ALL)
        self._take(np.asarray(reduce(self.row, x, axes)))

    def _take(self, values: NDArray) -> None:
        self.values = np.asarray(self.values & values if self.row is ALL else self.values | values)


class Counts(_Values):
    """How many elements there are, or how many are not zero; NaN is not."""

    most = 2**63 - 1

    def __init__(self, counts_all: bool, kept: Axes) -> None:
        self.counts_all, self.kept = counts_all, kept
        self.found = np.zeros((), np.int64)
        """A number of rank 0 as long as all outputs have it."""

    @property
    def values(self) -> NDArray:
        return np.array(np.broadcast_to(self.found, self.kept))

    @values.setter
    def values(self, values: NDArray) -> None:
        self.found = values

    def add(self, x: NDArray, axes: Axes, where: NDArray | None, start: int) -> None:  # noqa: ARG002
        if self.counts_all and where is None:
            self._take(np.array(math.prod(x.shape[axis] for axis in axes)))
            return
        marks = np.ones((), np.bool_) if self.counts_all else (x != 0)
        marks = np.broadcast_to(marks if where is None else marks & where, x.shape)
        self._take(np.asarray(np.count_nonzero(marks) if len(axes) == x.ndim else np.count_nonzero(marks, axis=axes)))

    def merge(self, other: Any) -> None:
        self._take(other.found)

    def _take(self, values: NDArray) -> None:
        self.found = np.asarray(self.found + values, np.int64)


def is_byte_float(dtype: Dtype) -> bool:
    """Whether it is one of the floats of eight bits."""
    return dtype.itemsize == 1 and dtype.kind not in "iub"
