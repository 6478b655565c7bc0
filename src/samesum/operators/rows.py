"""What says how an operator runs: the function that computes it, and the one that foretells dtype and shape."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from enum import Enum
from typing import Any

from samesum.formats.arrays import Dtype, NDArray, Shape
from samesum.specs.bind import Operation

Attributes = Mapping[str, Any]
Inputs = Sequence[NDArray | None]


@dataclass(frozen=True, slots=True)
class Fact:
    """What is known of a value before it is computed; `value` only where it is small and constant."""

    dtype: Dtype | None = None
    shape: Shape | None = None
    value: NDArray | None = None


UNKNOWN = Fact()
Facts = Sequence[Fact | None]

Run = Callable[[Attributes, Inputs], NDArray]
Infer = Callable[[Attributes, Facts], Fact]


class Cut(Enum):
    """Which parts of its inputs an operator needs for a part of its result."""

    NONE = 0
    """The whole inputs."""
    EACH = 1
    """The same part of every input; they broadcast."""
    FIRST = 2
    """The same part of the first input, and the others as they are: one element each, or only their type."""


@dataclass(frozen=True, slots=True)
class Row:
    """How one operator runs, from the version `since` on and up to the next row of that operator."""

    operator: str
    run: Callable[..., NDArray]
    """Of an operation and its inputs; of a normalization, of `out` too."""
    infer: Callable[[Operation, Facts], Fact]
    since: int = 1
    cut: Cut = Cut.NONE
    is_light: bool = False
    """Computing an element again costs no more than reading it."""


def row(operator: str, run: Run, infer: Infer, since: int = 1, cut: Cut = Cut.NONE, is_light: bool = False) -> Row:
    """The row of an operator whose functions need no more of it than its attributes."""
    return Row(
        operator,
        lambda operation, inputs: run(operation.attributes, inputs),
        lambda operation, facts: infer(operation.attributes, facts),
        since,
        cut,
        is_light,
    )
