"""A model from a file, its bytes or an object, for comparing."""

from __future__ import annotations

from os import PathLike
from pathlib import Path
from typing import Any

from samesum.compare.graph import Graph
from samesum.compare.ir_graph import IrGraph
from samesum.compare.onnx_graph import OnnxGraph
from samesum.errors import DtypeError, ModelError, UnsafeModelError
from samesum.runtimes.packages import require


def read(model: str | PathLike[str] | bytes | Any, weights: str | PathLike[str] | bytes | None = None) -> Graph:
    """The model in an .onnx or .xml file, in the bytes of one, or in an `onnx.ModelProto`.

    The weights of an IR are the .bin beside it unless they are given. External data of an .onnx file are read too.
    Raises ModelError for a file that is neither, DtypeError for what is no model, OSError for a file that cannot be
    read, MissingPackage without onnx.
    """
    if isinstance(model, str | PathLike):
        path = Path(model)
        content = path.read_bytes()
        if _is_xml(content):
            return IrGraph(content, _weights(path, weights))
        return _onnx(path)
    if isinstance(model, bytes) and _is_xml(model):
        return IrGraph(model, _bytes(weights))
    return _onnx(model)


def _is_xml(content: bytes) -> bool:
    return content.lstrip(b"\xef\xbb\xbf \t\r\n").startswith(b"<")


def _weights(path: Path, given: str | PathLike[str] | bytes | None) -> bytes:
    beside = path.with_suffix(".bin")
    if given is None and beside.exists():
        return beside.read_bytes()
    return _bytes(given)


def _bytes(given: str | PathLike[str] | bytes | None) -> bytes:
    if given is None or isinstance(given, bytes):
        return given or b""
    return Path(given).read_bytes()


def _onnx(model: Path | bytes | Any) -> OnnxGraph:
    require("onnx", "an ONNX model")
    import onnx
    from google.protobuf.message import DecodeError  # type: ignore[import-untyped]
    from onnx.checker import ValidationError
    from onnx.inliner import inline_local_functions

    try:
        if isinstance(model, Path):
            proto = onnx.load(model)
        else:
            proto = onnx.load_model_from_string(model) if isinstance(model, bytes) else model
    except ValidationError as error:
        name = model if isinstance(model, Path) else "the model"
        raise UnsafeModelError(f"{name}: external data: {' '.join(str(error).split())}") from error
    except DecodeError as error:
        said = f"{model if isinstance(model, Path) else 'the model'} is"
        raise ModelError(f"{said} neither an .onnx model nor the .xml of an OpenVINO IR") from error
    if not isinstance(proto, onnx.ModelProto):
        raise DtypeError(f"a model is a path, bytes or an onnx.ModelProto; got {type(proto).__name__}")
    if not proto.graph.node and not proto.graph.output:
        raise ModelError(f"{model if isinstance(model, Path) else 'the model'} holds no graph")
    return OnnxGraph(inline_local_functions(proto) if proto.functions else proto)
