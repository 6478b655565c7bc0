"""One case: an operator on inputs, what has to come out, and how near."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import ml_dtypes
import numpy as np

from samesum.formats.arrays import NDArray


@dataclass(frozen=True, slots=True)
class Tolerance:
    """How far an element may be from the one expected: `absolute + relative * |expected|`.

    `half_unit` allows half a unit of a 16-bit type on top, for values that were written down before they were
    rounded to it. All zero: the same bits, where every NaN is the same.
    """

    relative: float = 0.0
    absolute: float = 0.0
    half_unit: bool = False

    @property
    def is_exact(self) -> bool:
        """True if the bits have to be equal."""
        return not (self.relative or self.absolute or self.half_unit)

    def allowed(self, expected: NDArray, dtype: np.dtype[Any]) -> NDArray:
        """The distance allowed at each element of `expected`, whose values are those of an answer of type `dtype`."""
        size = np.abs(np.where(np.isfinite(expected), expected, 0).astype(np.float64))
        room = self.absolute + self.relative * size
        if self.half_unit and dtype.itemsize == 2:
            room += np.ldexp(np.sign(size), np.frexp(size)[1] - ml_dtypes.finfo(dtype).nmant - 2)  # type: ignore[no-untyped-call]
        return np.asarray(room)


EXACT = Tolerance()


@dataclass(frozen=True, slots=True)
class OnnxModel:
    """A model that a suite brings along: its bytes, and its inputs by name."""

    content: bytes = field(repr=False)
    feeds: Mapping[str, NDArray] = field(repr=False)


@dataclass(frozen=True, slots=True, eq=False)
class Case:
    """`expected` is an array, or the class of the error that samesum raises; other engines may raise any.

    The values of `expected` may stand there in a wider type than `dtype`, that of the answer, so that they are
    those of the source. `model` is set where the suite has a model of its own.
    """

    suite: str
    name: str
    standard: str
    operator: str
    opset: int
    inputs: tuple[NDArray | None, ...] = field(repr=False)
    attributes: Mapping[str, Any]
    expected: NDArray | type[Exception] = field(repr=False)
    dtype: np.dtype[Any] | None = None
    tolerance: Tolerance = EXACT
    says: str = ""
    """A pattern of samesum's error message."""
    held: frozenset[int] = frozenset()
    """The positions of the inputs that a model holds as constants."""
    model: OnnxModel | None = None
    is_one_call: bool = True
    """False where the model spells the operator out in others, so that there is nothing to call."""
    correction: str = ""
    """Why `expected` is not what the source says."""

    @property
    def title(self) -> str:
        """The name that is unique among all suites."""
        return f"{self.suite}/{self.name}"

    @property
    def answer(self) -> NDArray | None:
        """`expected` in the type of the answer, None where an error is expected."""
        return self.expected.astype(self.dtype) if isinstance(self.expected, np.ndarray) else None

    @property
    def axes_positions(self) -> frozenset[int]:
        """The positions of the inputs that say where: all given but the data."""
        return frozenset(i for i, array in enumerate(self.inputs) if i and array is not None)
