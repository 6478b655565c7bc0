"""What says how an operator runs: the function that computes it, and the one that foretells dtype and shape."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
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
RunAll = Callable[[Attributes, Inputs, int], tuple[NDArray, ...]]
"""Of attributes, inputs and how many of its outputs a node names."""
InferAll = Callable[[Attributes, Facts, int], tuple[Fact, ...]]


@dataclass(frozen=True, slots=True)
class Row:
    """How one operator runs, from the version `since` on and up to the next row of that operator."""

    operator: str
    run: Callable[..., NDArray]
    """Of an operation and its inputs; of a normalization, of `out` too."""
    infer: Callable[[Operation, Facts], Fact]
    since: int = 1
    all: All | None = None
    """How it gives more than one output, where it does."""


@dataclass(frozen=True, slots=True)
class All:
    """How an operator gives all outputs that a node names, at most `most` of them (None: any number)."""

    run: Callable[[Operation, Inputs, int], tuple[NDArray, ...]]
    infer: Callable[[Operation, Facts, int], tuple[Fact, ...]]
    most: int | None = None


def row(operator: str, run: Run, infer: Infer, since: int = 1) -> Row:
    """The row of an operator whose functions need no more of it than its attributes."""
    return Row(
        operator,
        lambda operation, inputs: run(operation.attributes, inputs),
        lambda operation, facts: infer(operation.attributes, facts),
        since,
    )


def several(operator: str, run: RunAll, infer: InferAll, since: int = 1, most: int | None = None) -> Row:
    """The row of an operator with several outputs; a node may name the first one alone."""
    outputs = All(
        lambda operation, inputs, count: run(operation.attributes, inputs, count),
        lambda operation, facts, count: infer(operation.attributes, facts, count),
        most,
    )
    return Row(
        operator,
        lambda operation, inputs: outputs.run(operation, inputs, 1)[0],
        lambda operation, facts: outputs.infer(operation, facts, 1)[0],
        since,
        all=outputs,
    )
