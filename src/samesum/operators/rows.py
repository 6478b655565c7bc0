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
RunAll = Callable[[Any, Inputs, int], tuple[NDArray, ...]]
"""Of what a row makes, inputs and how many of its outputs a node names."""
InferAll = Callable[[Attributes, Facts, int], tuple[Fact, ...]]
Make = Callable[[Attributes, Inputs], Any]
Part = tuple[Arithmetic, NDArray | None]
"""An operation on what was there before and on a constant of one element, or on both inputs of an operator."""
Parts = Callable[[Attributes, Facts], Sequence[Part] | None]


@dataclass(frozen=True, slots=True)
class Row:
    """How one operator runs, from the version `since` on and up to the next row of that operator."""

    operator: str
    run: Callable[..., Any]
    """Of what `make` gives and all inputs: the output. With several at most, of how many are named too: a tuple."""
    infer: Callable[[Operation, Facts, int], tuple[Fact, ...]]
    since: int = 1
    most: int | None = 1
    """How many outputs a node may name; None: any number."""
    make: Callable[[Operation, Inputs], Any] = lambda operation, _: operation
    """Of an operation and its inputs at `made_of`: once, before a model runs, where these are always the same."""
    made_of: tuple[int, ...] = ()
    parts: Parts | None = None
    """The operations of which it consists on floats of up to 32 bits, each rounded, so that several operators can run
    in one pass; None where what is known of its inputs does not say them."""


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
        lambda operation, facts, _: (infer(operation.attributes, facts),),
        since,
        make=lambda operation, inputs: make(operation.attributes, inputs),
        made_of=made_of,
    )


def _attributes(attributes: Attributes, _: Inputs) -> Attributes:
    return attributes


def several(
    operator: str,
    run: RunAll,
    infer: InferAll,
    since: int = 1,
    most: int | None = None,
    make: Make = _attributes,
    made_of: tuple[int, ...] = (),
) -> Row:
    """The row of an operator with several outputs, of which a node may name the first ones alone."""
    return Row(
        operator,
        run if most != 1 else lambda of, inputs: run(of, inputs, 1)[0],
        lambda operation, facts, count: infer(operation.attributes, facts, count),
        since,
        most,
        lambda operation, inputs: make(operation.attributes, inputs),
        made_of,
    )
