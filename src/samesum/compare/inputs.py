"""Inputs for a model that come from its own signature."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

import numpy as np

from samesum.compare.graph import STRINGS, Graph, Input
from samesum.errors import AttributeValueError, DtypeError, ShapeError
from samesum.formats.arrays import NDArray, Shape, native, type_text
from samesum.formats.rounding import FORMATS

SIZES = (16, 256, 512, 64, 48, 32, 128, 576, 1)
"""What is tried for dims that the file leaves open, one after the other."""

PICTURES = ((224, 224), (48, 320), (32, 320), (640, 640))
"""The same for the two last dims of an input of rank 4."""

INTEGERS = (10, 2, 16000, 1)
"""Integers are drawn below one of these; a scalar is the number itself."""

Runs = Callable[[Mapping[str, NDArray]], Sequence[str]]
"""Says of each engine why it does not run on some inputs, "" where it does."""


def checked(inputs: Sequence[Input], given: Mapping[str, Any]) -> dict[str, NDArray]:
    """The arrays for a model's inputs. Raises AttributeValueError for a name that is missing or unknown, DtypeError
    and ShapeError for an array that the input's type or the dims that it names do not allow."""
    names = ", ".join(each.name for each in inputs)
    if unknown := [name for name in given if name not in {each.name for each in inputs}]:
        raise AttributeValueError(f"the model has no input {unknown[0]!r}; its inputs are {names}")
    if missing := [each.name for each in inputs if each.name not in given]:
        raise AttributeValueError(f"the input {missing[0]!r} is not given; the inputs are {names}")
    feeds = {each.name: _array(each, given[each.name]) for each in inputs}
    for each in inputs:
        found = feeds[each.name]
        said = (
            f"the input {each.name!r} is {type_text(each.dtype, each.shape)}; got {type_text(found.dtype, found.shape)}"
        )
        if each.dtype is not None and found.dtype != each.dtype:
            raise DtypeError(said)
        if each.shape is not None and not _fits(each.shape, found.shape):
            raise ShapeError(said)
    return feeds


def _array(each: Input, given: Any) -> NDArray:
    """Texts are objects, whatever NumPy made of them."""
    found = native(np.asarray(given))
    return found.astype(STRINGS) if each.dtype == STRINGS and found.dtype.kind in "SU" else found


def _fits(declared: Shape, found: tuple[int, ...]) -> bool:
    pairs = zip(declared, found, strict=False)
    return len(declared) == len(found) and all(dim is None or dim == size for dim, size in pairs)


def made_up(graph: Graph, seed: int, runs: Runs) -> tuple[dict[str, NDArray], str]:
    """Inputs that fit the model's signature and that the engines accept, and how they came about in words.

    Floats are drawn from the normal distribution with deviation 1, integers below 10 (or 2, 16000, 1), and for dims
    that are left open some sizes are tried: until all engines run, or else those with which the first one did.
    Raises AttributeValueError where no engine runs with anything that is tried.
    """
    some: tuple[dict[str, NDArray], str] | None = None
    failures: Sequence[str] = ()
    for bound in INTEGERS if any(_is_integer(each) for each in graph.inputs) else INTEGERS[:1]:
        for inner, last in _sizes(graph.inputs):
            feeds = dict(_drawn(graph.inputs, seed, (inner, last), bound))
            failures = runs(feeds)
            if not any(failures):
                return feeds, _words(graph.inputs, feeds, seed, bound)
            if some is None and not all(failures):
                some = feeds, _words(graph.inputs, feeds, seed, bound)
    if some is None:
        raise AttributeValueError(f"no inputs that are made up fit the model, so give some; {failures[0]}")
    return some


def _is_integer(each: Input) -> bool:
    return each.dtype is not None and each.dtype.kind in "iu"


def _sizes(inputs: Sequence[Input]) -> Sequence[tuple[int, int]]:
    """What to try for open dims that are not the last and for those that are."""
    open_ones = [each for each in inputs if each.shape is None or None in each.shape]
    if not open_ones:
        return [(1, 1)]
    plain = [pair for size in SIZES for pair in ((size, size), (1, size))]
    is_picture = any(each.shape is not None and len(each.shape) == 4 for each in open_ones)
    return [*PICTURES, *plain] if is_picture else plain


def _drawn(inputs: Sequence[Input], seed: int, sizes: tuple[int, int], bound: int) -> Iterator[tuple[str, NDArray]]:
    random = np.random.default_rng(seed)
    batch = _batch_names(inputs)
    for each in inputs:
        if each.dtype is None:
            raise AttributeValueError(f"the input {each.name!r} is no tensor that can be made up; give it")
        shape = _shape(each, sizes, batch)
        if each.dtype.name in FORMATS:
            yield each.name, random.standard_normal(shape).astype(each.dtype)
        elif each.dtype.kind == "b":
            yield each.name, random.integers(0, 2, shape).astype(np.bool_)
        elif each.dtype == STRINGS:
            yield each.name, np.array([f"word {i}" for i in range(math.prod(shape))], STRINGS).reshape(shape)
        elif shape:
            yield each.name, random.integers(0, bound, shape).astype(each.dtype)
        else:
            yield each.name, np.array(bound, each.dtype)


def _batch_names(inputs: Sequence[Input]) -> frozenset[str]:
    """The names of dims that stand first in some input."""
    return frozenset(each.dim_names[0] for each in inputs if each.dim_names and each.dim_names[0])


def _shape(each: Input, sizes: tuple[int, int], batch: frozenset[str]) -> tuple[int, ...]:
    """A first dim left open is a batch of one, wherever its name stands."""
    if each.shape is None:
        return (1, sizes[1])
    names = each.dim_names or ("",) * len(each.shape)
    last = len(each.shape) - 1
    return tuple(
        dim if dim is not None else 1 if i == 0 or names[i] in batch else sizes[i == last]
        for i, dim in enumerate(each.shape)
    )


def _words(inputs: Sequence[Input], feeds: Mapping[str, NDArray], seed: int, bound: int) -> str:
    shapes = ", ".join(f"{each.name} {feeds[each.name].dtype.name} {list(feeds[each.name].shape)}" for each in inputs)
    floats = any(array.dtype.name in FORMATS for array in feeds.values())
    kinds = ["floats normal with deviation 1"] if floats else []
    kinds += [f"integers below {bound}"] if any(map(_is_integer, inputs)) else []
    return "; ".join([f"made up with seed {seed}: {shapes}", ", ".join(kinds)]).removesuffix("; ")
