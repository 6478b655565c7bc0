"""What says how an operator runs: the functions that compute it, and the one that foretells dtype and shape."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from samesum.engine.elementwise import Arithmetic
from samesum.formats.arrays import Dtype, NDArray, Shape
from samesum.specs.bind import Operation

Attributes = Mapping[str, Any]
Inputs = Sequence[NDArray | None]


@dataclass(frozen=True, slots=True)
class Fact:
    """What is known of a value before it is computed; `value` only where it is always the same."""

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
Make = Callable[[Attributes, Inputs], Any]
Part = tuple[Arithmetic, NDArray | None]
"""An operation on what was there before and on a constant of one element, or on both inputs of an operator."""
Parts = Callable[[Attributes, Facts], Sequence[Part] | None]


@dataclass(frozen=True, slots=True)
class Row:
    """How one operator runs, from the version `since` on and up to the next row of that operator."""

    operator: str
    run: Callable[..., NDArray]
    """Of what `make` gives and all inputs; of a normalization, of `out` too."""
    infer: Callable[[Operation, Facts], Fact]
    since: int = 1
    all: All | None = None
    """How it gives more than one output, where it does."""
    make: Callable[[Operation, Inputs], Any] = lambda operation, _: operation
    """Of an operation and its inputs at `made_of`: once, before a model runs, where these are always the same."""
    made_of: tuple[int, ...] = ()
    parts: Parts | None = None
    """The operations of which it consists on floats of up to 32 bits, each rounded, so that several operators can run
    in one pass; None where what is known of its inputs does not say them."""


@dataclass(frozen=True, slots=True)
class All:
    """How an operator gives all outputs that a node names, at most `most` of them (None: any number)."""

    run: Callable[[Any, Inputs, int], tuple[NDArray, ...]]
    """Of what the row's `make` gives, all inputs and how many outputs are named."""
    infer: Callable[[Operation, Facts, int], tuple[Fact, ...]]
    most: int | None = None


def row(operator: str, run: Run, infer: Infer, since: int = 1) -> Row:
    """The row of an operator whose functions need no more of it than its attributes."""
    return made(operator, _attributes, (), run, infer, since)


def made(
    operator: str,
    make: Make,
    made_of: tuple[int, ...],
    run: Callable[[Any, Inputs], NDArray],
    infer: Infer,
    since: int = 1,
) -> Row:
    """The row of an operator that makes something of its attributes and of its inputs at `made_of` before it runs."""
    return Row(
        operator,
        run,
        lambda operation, facts: infer(operation.attributes, facts),
        since,
        make=lambda operation, inputs: make(operation.attributes, inputs),
        made_of=made_of,
    )


def _attributes(attributes: Attributes, _: Inputs) -> Attributes:
    return attributes


def several(
    operator: str,
    run: Callable[[Any, Inputs, int], tuple[NDArray, ...]],
    infer: InferAll,
    since: int = 1,
    most: int | None = None,
    make: Make = _attributes,
    made_of: tuple[int, ...] = (),
) -> Row:
    """The row of an operator with several outputs; a node may name the first one alone."""
    outputs = All(run, lambda operation, facts, count: infer(operation.attributes, facts, count), most)
    return Row(
        operator,
        lambda made, inputs: run(made, inputs, 1)[0],
        lambda operation, facts: outputs.infer(operation, facts, 1)[0],
        since,
        outputs,
        lambda operation, inputs: make(operation.attributes, inputs),
        made_of,
    )
