"""The API for models: a file or bytes in, a model that runs out. What reading needs is imported on first use."""

from __future__ import annotations

import errno
import os
from collections.abc import Callable
from functools import cache, partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from samesum.errors import ArgumentError, ArgumentTypeError, ModelError, during
from samesum.files.opening import read_bytes

if TYPE_CHECKING:
    from samesum.frontends.models.model import Model
    from samesum.graph.model import Graph
from samesum.graph.survey import Survey

Source = str | os.PathLike[str] | bytes | bytearray | memoryview
_SUFFIXES = {".onnx": "onnx", ".xml": "openvino"}


def load(source: Source, weights: Source | None = None) -> Model:
    """The model in `source`: the path of an `.onnx` file or of the `.xml` of an OpenVINO IR, or the bytes of either.

    An IR's weights are the `.bin` beside the `.xml` unless `weights` gives another path or the bytes. Each node is
    rounded once to its own type. Raises OSError (FileNotFoundError and its kin) for a file that cannot be read,
    ModelError for one that is not a valid model, UnsafeModelError for one that reaches beyond itself,
    UnsupportedOperator with every operator that cannot run, MissingPackage for an `.onnx` file without the package
    onnx.

    >>> import numpy as np, samesum as ss
    >>> model = ss.load("examples/onnx/opset13/reduce_sum_axes_2_3.onnx")
    >>> model.run(np.ones((6, 12, 10, 24), np.float32))["reduced"][0, 0]
    np.float32(240.0)
    """
    from samesum.engine.machine import FloatingPointScope
    from samesum.frontends.models.model import Model
    from samesum.graph.program import prepare

    name, path, data = _content(source)
    with during(name), FloatingPointScope():  # numbers are read and constants computed
        return Model(prepare(_graph(name, path, data, weights)))


def survey(source: Source) -> Survey:
    """What the model in `source` is made of, whether samesum can run it or not. No weights are read.

    Raises OSError for a file that cannot be read and ModelError for one that is not a valid model.
    """
    name, path, data = _content(source)
    with during(name):
        if _kind(path, data) == "openvino":
            from samesum.frontends.models.ir_file.reading import survey_ir

            return survey_ir(name, data)
        from samesum.frontends.models.onnx_file.reading import survey_onnx

        return survey_onnx(name, _onnx_model(path, data))


def _content(source: Source) -> tuple[str, Path | None, bytes]:
    if isinstance(source, bytes | bytearray | memoryview):
        return "model", None, bytes(source)
    path = _path(source, "a model")
    return path.name, path, read_bytes(path)


def _path(source: object, what: str) -> Path:
    if not isinstance(source, str | os.PathLike):
        raise ArgumentTypeError(f"{what} is a path or bytes; got {type(source).__name__}")
    return Path(source)


def _graph(name: str, path: Path | None, data: bytes, weights: Source | None) -> Graph:
    if _kind(path, data) == "openvino":
        from samesum.frontends.models.ir_file.reading import net_of, read_ir

        return read_ir(name, net_of(data), _weights(path, weights))
    if weights is not None:
        raise ArgumentError("weights= belongs to an OpenVINO IR; an ONNX model holds its own")
    from samesum.frontends.models.onnx_file.reading import read_onnx

    return read_onnx(name, _onnx_model(path, data), path.parent if path else None)


def _kind(path: Path | None, data: bytes) -> str:
    kind = _SUFFIXES.get(path.suffix.lower()) if path else None
    starts_as_xml = data.lstrip(b"\xef\xbb\xbf \t\r\n").startswith(b"<")
    return kind or ("openvino" if starts_as_xml else "onnx")


def _onnx_model(path: Path | None, data: bytes) -> Any:
    from samesum.frontends.models.onnx_file.reading import parsed

    try:
        return parsed(data)
    except ModelError:
        if path is None or path.suffix.lower() in _SUFFIXES:
            raise
    raise ModelError("neither an .onnx model nor the .xml of an OpenVINO IR")


def _weights(path: Path | None, weights: Source | None) -> Callable[[], bytes]:
    """What reads the .bin, once."""
    if isinstance(weights, bytes | bytearray | memoryview):
        held = bytes(weights)
        return lambda: held
    if weights is not None:
        return cache(partial(read_bytes, _path(weights, "weights")))
    if path is None:
        return _refuse_bytes
    return cache(partial(_beside, path.with_suffix(".bin")))


def _beside(path: Path) -> bytes:
    try:
        return read_bytes(path)
    except FileNotFoundError:
        said = f"{os.strerror(errno.ENOENT)}; it holds the weights of the IR, and weights= names another file"
        raise FileNotFoundError(errno.ENOENT, said, str(path)) from None


def _refuse_bytes() -> bytes:
    raise ArgumentError("the IR has constants, which lie in its .bin; pass weights=")
