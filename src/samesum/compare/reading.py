"""A model from a file, its bytes or an object, for comparing."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from os import PathLike
from pathlib import Path
from typing import Any

import numpy as np

from samesum.compare.graph import STRINGS, Graph, Input
from samesum.compare.ir_graph import IrGraph
from samesum.compare.onnx_graph import OnnxGraph
from samesum.errors import (
    ArgumentTypeError,
    AttributeValueError,
    DtypeError,
    ModelError,
    ShapeError,
    UnsafeModelError,
    during,
)
from samesum.files.opening import read_bytes
from samesum.formats.arrays import NDArray, Shape, native, type_text
from samesum.formats.rounding import FORMATS
from samesum.frontends.models.onnx_file.nodes import texts
from samesum.runtimes.runtime import require


def read(model: str | PathLike[str] | bytes | Any, weights: str | PathLike[str] | bytes | None = None) -> Graph:
    """The model in an .onnx or .xml file, in the bytes of one, or in an `onnx.ModelProto`.

    The weights of an IR are the .bin beside it unless they are given. External data of an .onnx file are read too.
    Raises ModelError for a file that is neither, ArgumentTypeError for what is no model, OSError for a file that cannot
    be read, MissingPackage without onnx.
    """
    if isinstance(model, str | PathLike):
        path = Path(model)
        content = read_bytes(path)
        with during(path.name):
            if _is_xml(content):
                return IrGraph(content, _weights(path, weights))
            _check_no_weights(weights)
            return _onnx(content, path.parent)
    if isinstance(model, bytes) and _is_xml(model):
        return IrGraph(model, _bytes(weights))
    _check_no_weights(weights)
    return _onnx(model, None)


def _check_no_weights(weights: object) -> None:
    if weights is not None:
        raise AttributeValueError("weights belong to an OpenVINO IR; an ONNX model holds its own")


def _is_xml(content: bytes) -> bool:
    return content.lstrip(b"\xef\xbb\xbf \t\r\n").startswith(b"<")


def _weights(path: Path, given: str | PathLike[str] | bytes | None) -> bytes:
    beside = path.with_suffix(".bin")
    if given is None and beside.exists():
        return read_bytes(beside)
    return _bytes(given)


def _bytes(given: str | PathLike[str] | bytes | None) -> bytes:
    if given is None or isinstance(given, bytes):
        return given or b""
    return read_bytes(Path(given))


def _onnx(model: bytes | Any, folder: Path | None) -> OnnxGraph:
    """The graph of a ModelProto or of the bytes of one, with external data from `folder` and functions spelt out."""
    require("onnx", "an ONNX model")
    import onnx
    from google.protobuf.message import DecodeError  # type: ignore[import-untyped]
    from onnx.external_data_helper import load_external_data_for_model
    from onnx.inliner import inline_local_functions

    try:
        proto = onnx.load_model_from_string(model) if isinstance(model, bytes) else model
    except DecodeError as error:
        raise ModelError("neither an .onnx model nor the .xml of an OpenVINO IR") from error
    if not isinstance(proto, onnx.ModelProto):
        raise ArgumentTypeError(f"a model is a path, bytes or an onnx.ModelProto; got {type(proto).__name__}")
    if not proto.graph.node and not proto.graph.output:
        raise ModelError("the model holds no graph")
    _check_functions(proto)
    texts(*(name for node in proto.graph.node for name in (node.op_type, *node.input, *node.output)))
    try:
        if folder is not None:
            load_external_data_for_model(proto, str(folder))
    except (onnx.checker.ValidationError, ValueError, OSError) as error:
        raise UnsafeModelError(f"external data: {' '.join(str(error).split())}") from error
    try:
        return OnnxGraph(inline_local_functions(proto) if proto.functions else proto)
    except (onnx.checker.ValidationError, ValueError, OSError) as error:
        raise ModelError(f"not a valid ONNX model: {error}") from error


def _check_functions(proto: Any) -> None:
    """Refuses functions that call themselves, over others too; some releases of onnx crash when they spell them out."""
    calls = {
        (each.domain, each.name, each.overload): {(n.domain, n.op_type, n.overload) for n in _nodes(each.node)}
        for each in proto.functions
    }
    while plain := [name for name, called in calls.items() if not called & calls.keys()]:
        for name in plain:
            del calls[name]
    if calls:
        names = ", ".join(sorted({name for _, name, _ in calls}))
        raise ModelError(f"not a valid ONNX model: functions that call themselves: {names}")


def _nodes(nodes: Iterable[Any]) -> Iterator[Any]:
    """The nodes and those of the graphs among their attributes."""
    for node in nodes:
        yield node
        for attribute in node.attribute:
            for inner in [attribute.g] if attribute.HasField("g") else attribute.graphs:
                yield from _nodes(inner.node)


# Inputs for a model that come from its own signature.


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
