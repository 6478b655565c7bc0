"""What a state keeps of each output: exact sums, logical results and counts. All of them merge.

A measure sees chunks that the state has checked. `where` has the shape of the chunk or is None.
"""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Sequence
from typing import Any

import numpy as np

from samesum.algebra.rows import ALL, Map, Reduction
from samesum.engine.memory import reduce
from samesum.engine.totals import Totals
from samesum.formats.arrays import Dtype, NDArray

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


class Sums(Measure):
    """The exact sum of the elements, of their magnitudes or of their squares."""

    def __init__(self, kind: Map, dtype: Dtype, kept: Axes) -> None:
        self.summed = np.dtype(np.float32) if is_byte_float(dtype) else dtype
        self.totals = Totals(int(kind), self.summed, math.prod(kept))

    def add(self, x: NDArray, axes: Axes, where: NDArray | None, start: int) -> None:  # noqa: ARG002
        if where is not None:
            x = np.where(where, x, np.zeros((), x.dtype))
        if x.size == 0:
            return
        self.totals.add(x.astype(self.summed, copy=False), axes)

    def merge(self, other: Sums) -> None:
        self.totals.merge(other.totals)

    def encoded(self, is_brief: bool) -> bytes:  # noqa: ARG002
        return self.totals.encoded()

    def decode(self, encoded: bytes, is_brief: bool) -> bool:  # noqa: ARG002
        return self.totals.decode(encoded)


class Truths(Measure):
    """Whether all elements are true, or any of them."""

    def __init__(self, row: Reduction, kept: Axes) -> None:
        self.row = row
        self.values = np.full(kept, row is ALL, np.bool_)

    def add(self, x: NDArray, axes: Axes, where: NDArray | None, start: int) -> None:  # noqa: ARG002
        if where is not None:
            x = np.where(where, x != 0, self.row is ALL)
        self._take(np.asarray(reduce(self.row, x, axes)))

    def merge(self, other: Truths) -> None:
        self._take(other.values)

    def stack(self, parts: Sequence[Truths]) -> None:
        self.values = np.stack([part.values for part in parts])

    def _take(self, values: NDArray) -> None:
        self.values = np.asarray(self.values & values if self.row is ALL else self.values | values)

    def encoded(self, is_brief: bool) -> bytes:  # noqa: ARG002
        return self.values.tobytes()

    def decode(self, encoded: bytes, is_brief: bool) -> bool:  # noqa: ARG002
        if len(encoded) != self.values.size or encoded.count(0) + encoded.count(1) != len(encoded):
            return False
        self.values = np.frombuffer(encoded, np.bool_).reshape(self.values.shape).copy()
        return True


class Counts(Measure):
    """How many elements there are, or how many are not zero; NaN is not."""

    def __init__(self, counts_all: bool, kept: Axes) -> None:
        self.counts_all = counts_all
        self.values = np.zeros(kept, np.int64)

    def add(self, x: NDArray, axes: Axes, where: NDArray | None, start: int) -> None:  # noqa: ARG002
        if self.counts_all and where is None:
            self.values = np.asarray(self.values + math.prod(x.shape[axis] for axis in axes), np.int64)
            return
        marks = np.ones((), np.bool_) if self.counts_all else (x != 0)
        marks = np.broadcast_to(marks if where is None else marks & where, x.shape)
        counted = np.count_nonzero(marks) if len(axes) == x.ndim else np.count_nonzero(marks, axis=axes)
        self.values = np.asarray(self.values + counted, np.int64)

    def merge(self, other: Counts) -> None:
        self.values = np.asarray(self.values + other.values, np.int64)

    def stack(self, parts: Sequence[Counts]) -> None:
        self.values = np.stack([part.values for part in parts])

    def encoded(self, is_brief: bool) -> bytes:  # noqa: ARG002
        return self.values.astype("<i8").tobytes()

    def decode(self, encoded: bytes, is_brief: bool) -> bool:  # noqa: ARG002
        if len(encoded) != self.values.nbytes:
            return False
        self.values = np.frombuffer(encoded, "<i8").astype(np.int64).reshape(self.values.shape)
        return not bool((self.values < 0).any())


def is_byte_float(dtype: Dtype) -> bool:
    """Whether it is one of the floats of eight bits."""
    return dtype.itemsize == 1 and dtype.kind not in "iub"
