"""Calls of the standards' functions: their arguments by name become inputs and attributes of the version asked for."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable
from dataclasses import dataclass, field
from functools import lru_cache
from inspect import Parameter, signature
from operator import itemgetter
from typing import Any

import numpy as np

from samesum.algebra.rows import HARDMAX, Normalization
from samesum.engine.arrays import as_array, as_integers, as_sizes
from samesum.engine.memory import normalize_by_code
from samesum.errors import AttributeValueError, AxisError, SamesumError
from samesum.formats.arrays import ArrayLike, NDArray, Out
from samesum.operators.apply import apply, apply_all, applying
from samesum.specs.bind import Operation, bind
from samesum.specs.lookup import lookup, operation_of
from samesum.specs.table import Spec

Function = Callable[..., Any]
Applied = Callable[..., NDArray]
_READERS: dict[str, Callable[[Any], NDArray]] = {"axes": as_integers, "axis": as_integers, "output_shape": as_sizes}
"""How an input is read that lists of Python stand for; of all others `as_array`."""
_OF_CALLS = ("opset", "outputs")
"""Keywords that are no attributes."""


def one(standard: str, function: Function, given: dict[str, Any]) -> NDArray:
    """The first output of the operator that `function` is called after, with its arguments by name: its `locals()`.

    An argument is an attribute where the version has one of that name or it can be given by keyword alone, else an
    input. What the version does not have is left out where it has its default, and refused elsewhere.
    """
    _, call, inputs = _bound(standard, function, given)
    return call(inputs)


def several(standard: str, function: Function, given: dict[str, Any], count: int) -> tuple[NDArray, ...]:
    """The first `count` outputs; everything else is as in `one`."""
    operation, _, inputs = _bound(standard, function, given)
    return apply_all(operation, count, inputs)


def some(standard: str, function: Function, given: dict[str, Any], *counts: int) -> NDArray | tuple[NDArray, ...]:
    """One output, or as many as the argument `outputs` says, which is one of `counts`."""
    count = given["outputs"]
    if type(count) is not int or count not in counts:
        raise AttributeValueError(f"outputs is {count!r}; allowed are {', '.join(map(str, counts))}")
    return one(standard, function, given) if count == 1 else several(standard, function, given, count)


@dataclass(frozen=True, slots=True)
class _Arguments:
    """What a function's arguments are in one version."""

    spec: Spec
    inputs: tuple[tuple[str, Callable[[Any], NDArray]], ...]
    repeated: str | None
    values: Callable[[dict[str, Any]], tuple[Any, ...]]
    """Picks the attributes."""
    attributes: tuple[tuple[str, Any, bool], ...]
    """Of each the standard's word, its default, and whether the version has it."""
    calls: dict[Any, tuple[Operation, Applied]] = field(default_factory=dict)
    """By values and their types: those before."""


_KNOWN: dict[Any, _Arguments] = {}
_MOST = 256
"""Operations that are remembered of one function and version."""


def _bound(standard: str, function: Function, given: dict[str, Any]) -> tuple[Operation, Applied, list[NDArray | None]]:
    # For small arrays every step counts.
    opset = given["opset"]
    try:
        arguments = _KNOWN[function, opset, type(opset)]
    except KeyError:
        arguments = _KNOWN[function, opset, type(opset)] = _arguments(standard, function, opset)
    except TypeError:  # an opset without a hash
        arguments = _arguments(standard, function, opset)
    inputs = [x if (x := given[name]) is None or type(x) is np.ndarray else read(x) for name, read in arguments.inputs]
    if arguments.repeated is not None:
        inputs += map(as_array, given[arguments.repeated])
    while len(inputs) > len(arguments.spec.inputs) and inputs[-1] is None:
        inputs.pop()  # an input that the version does not have
    values = arguments.values(given)
    kinds = tuple(map(type, values))
    if list in kinds or tuple in kinds:
        values = tuple(map(_hashed, values))
        kinds = tuple(map(type, values))
    try:
        return *arguments.calls[values, kinds], inputs
    except KeyError:
        if len(arguments.calls) >= _MOST:
            arguments.calls.clear()
        found = arguments.calls[values, kinds] = _call(arguments, values)
    except TypeError:  # a value without a hash
        found = _call(arguments, values)
    return *found, inputs


def _arguments(standard: str, function: Function, opset: int | None) -> _Arguments:
    spec = lookup(standard, function.__name__, opset)
    words = {each.name.replace("-", "_"): each.name for each in spec.attributes}
    inputs, names, attributes, repeated = [], [], [], None
    for name, each in signature(function).parameters.items():
        if each.kind is Parameter.VAR_POSITIONAL:
            repeated = name
        elif name in words or (each.kind is Parameter.KEYWORD_ONLY and name not in _OF_CALLS):
            names.append(name)
            attributes.append((words.get(name, name), each.default, name in words))
        elif name not in _OF_CALLS:
            inputs.append((name, _READERS.get(name, as_array)))
    pick: Any = itemgetter(*names) if len(names) > 1 else lambda given: (given[names[0]],) if names else ()
    return _Arguments(spec, tuple(inputs), repeated, pick, tuple(attributes))


def _call(arguments: _Arguments, values: Iterable[Any]) -> tuple[Operation, Applied]:
    said = {}
    for (word, default, is_there), value in zip(arguments.attributes, values, strict=True):
        if (is_there and value is not None) or not _is(value, default):
            said[word] = value
    operation = bind(arguments.spec, said)
    return operation, applying(operation)


def _hashed(value: object) -> Any:
    """A list of integers as a tuple, which is remembered; what is only equal to integers is not."""
    if isinstance(value, list | tuple):
        return tuple(value) if all(type(each) is int for each in value) else list(value)
    return value


def _is(value: object, default: object) -> bool:
    if isinstance(default, int) and not isinstance(value, int | np.integer | np.bool_):
        return False  # 1.0 is no flag and no integer
    return isinstance(value, Hashable) and value == default


_Call = Callable[[Any, Out | None], NDArray]


def normalize(
    standard: str, operator: str, opset: int | None, axis: int | None, x: ArrayLike, out: Out | None = None
) -> NDArray:
    """What `apply` gives for this operator and `x`, and the same errors; `axis` None is the standard's default."""
    try:
        call = _normalizer(standard, operator, opset, axis)
    except TypeError:  # a value without a hash
        call = _normalizer.__wrapped__(standard, operator, opset, axis)
    return call(x, out)


@lru_cache(maxsize=256, typed=True)
def _normalizer(standard: str, operator: str, opset: int | None, axis: int | None) -> _Call:
    """The call as a function of `x` and `out`."""
    operation = operation_of(standard, operator, opset, **({} if axis is None else {"axis": axis}))
    spec = operation.spec
    if isinstance(axis, str):  # an IR file spells an axis so, a call does not
        raise AxisError(f"{spec.identifier}: an axis has to be an integer; got {axis!r}")

    def checked(x: ArrayLike, out: Out | None) -> NDArray:
        return apply(operation, (as_array(x),), out)

    if spec.row is HARDMAX or spec.version.as_matrix:
        return checked
    assert isinstance(spec.row, Normalization)
    code, along = spec.row.code, operation.attributes["axis"]
    dtypes = frozenset(map(np.dtype, spec.types))

    def straight(x: ArrayLike, out: Out | None) -> NDArray:
        # What `apply` would check, in fewer steps; what it refuses is left to it.
        if type(x) is np.ndarray and out is None and x.ndim and x.dtype in dtypes:
            try:
                return normalize_by_code(code, x, along)
            except SamesumError:
                pass
        return checked(x, out)

    return straight
