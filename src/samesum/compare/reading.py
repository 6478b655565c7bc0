"""A model from a file, its bytes or an object, for comparing."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from os import PathLike
from pathlib import Path
from typing import Any

from samesum.compare.graph import Graph
from samesum.compare.ir_graph import IrGraph
from samesum.compare.onnx_graph import OnnxGraph
from samesum.errors import ArgumentTypeError, AttributeValueError, ModelError, UnsafeModelError, during
from samesum.files.opening import read_bytes
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
