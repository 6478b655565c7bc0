"""The door for models: a file or bytes in, a model that runs out. What reading needs is imported on first use."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING

from samesum.errors import ModelError, SamesumError

if TYPE_CHECKING:
    from samesum.frontends.models.model import Model
    from samesum.graph.model import Graph

Source = str | os.PathLike[str] | bytes | bytearray | memoryview
_SUFFIXES = {".onnx": "onnx", ".xml": "openvino"}


def load(source: Source, weights: Source | None = None) -> Model:
    """The model in `source`: the path of an `.onnx` file or of the `.xml` of an OpenVINO IR, or the bytes of either.

    An IR's weights are the `.bin` beside the `.xml` unless `weights` gives another path or the bytes.
    Raises ModelError for a file that is not a valid model, UnsafeModelError for one that reaches beyond
    itself, UnsupportedOperator with every node that cannot run.

    >>> import numpy as np, samesum as ss
    >>> model = ss.load("examples/onnx/opset13/reduce_sum_axes_2_3.onnx")
    >>> model.run(np.ones((6, 12, 10, 24), np.float32))["reduced"][0, 0]
    np.float32(240.0)
    """
    from samesum.engine.machine import FloatingPointScope
    from samesum.frontends.models.model import Model
    from samesum.graph.program import prepare

    name, path, data = _content(source)
    try:
        with FloatingPointScope():  # numbers are read and constants computed
            return Model(prepare(_graph(name, path, data, weights)))
    except SamesumError as error:
        error.args = (f"{name}: {error}",)
        raise


def _content(source: Source) -> tuple[str, Path | None, bytes]:
    if isinstance(source, bytes | bytearray | memoryview):
        return "model", None, bytes(source)
    if not isinstance(source, str | os.PathLike):
        raise ModelError(f"a model is a path or bytes; got {type(source).__name__}")
    path = Path(source)
    return path.name, path, read(path)


def read(path: Path) -> bytes:
    """The content of a regular file, or ModelError."""
    try:
        if path.exists() and not path.is_file():
            raise ModelError(f"{path} is not a regular file")
        return path.read_bytes()
    except (OSError, ValueError) as error:
        raise ModelError(f"{path} cannot be read: {getattr(error, 'strerror', None) or error}") from None


def _graph(name: str, path: Path | None, data: bytes, weights: Source | None) -> Graph:
    kind = _SUFFIXES.get(path.suffix.lower()) if path else None
    if (kind or _sniffed(data)) == "openvino":
        from samesum.frontends.models.ir_file.reading import read_ir

        return read_ir(name, data, _weights(path, weights))
    if weights is not None:
        raise ModelError("weights= belongs to an OpenVINO IR; an ONNX model holds its own")
    from samesum.frontends.models.onnx_file.reading import read_onnx

    return read_onnx(name, data, path.parent if path else None)


def _sniffed(data: bytes) -> str:
    return "openvino" if data.lstrip(b"\xef\xbb\xbf \t\r\n").startswith(b"<") else "onnx"


def _weights(path: Path | None, weights: Source | None) -> bytes | None:
    if isinstance(weights, bytes | bytearray | memoryview):
        return bytes(weights)
    if weights is not None:
        return read(Path(weights))
    beside = path.with_suffix(".bin") if path else None
    return read(beside) if beside is not None and beside.exists() else None
