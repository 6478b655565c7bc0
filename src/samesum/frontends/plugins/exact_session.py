"""Sessions of ONNX Runtime whose reductions, scans, and what is made of them are samesum's."""

from __future__ import annotations

import io
import os
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any, Literal

from samesum.engine.machine import core_file
from samesum.errors import ArgumentError, ArgumentTypeError, ModelError, UnsupportedOperator, imported
from samesum.files.opening import opened
from samesum.files.protobuf import Field, fields, text_of
from samesum.frontends.plugins.custom_rows import ON_REQUEST, OPERATORS, declare_once
from samesum.specs.lookup import chosen_names, lookup
from samesum.specs.table import ONNX

if TYPE_CHECKING:
    import onnxruntime

# The opsets that an ONNX file imports, read without the onnx package and without its graph.

_FUNCTION_NAME, _MODEL_OPSETS, _FUNCTION_OPSETS, _FUNCTIONS = 1, 8, 9, 25
"""Fields of ModelProto and FunctionProto. Source: https://github.com/onnx/onnx/blob/main/onnx/onnx.proto."""
_DOMAIN, _VERSION = 1, 2
_ONNX_DOMAINS = ("", "ai.onnx")


@dataclass(frozen=True, slots=True)
class _Opsets:
    """The version of ONNX's own domain that the model imports (None: none), and that of each of its functions."""

    model: int | None
    functions: dict[str, int]


def _opsets_of(path_or_bytes: str | os.PathLike[str] | bytes) -> _Opsets:
    """What the file or its bytes import.

    Raises OSError for a file that cannot be read, ModelError for one that is no ONNX model and for what is no regular
    file, ArgumentTypeError for what is neither a path nor bytes.
    """
    if isinstance(path_or_bytes, bytes):
        return _read(io.BytesIO(path_or_bytes), "the bytes given")
    if not isinstance(path_or_bytes, str | os.PathLike):
        raise ArgumentTypeError(f"a model is a path or bytes; got {type(path_or_bytes).__name__}")
    path = Path(path_or_bytes)
    with opened(path) as file:
        return _read(file, str(path))


def _read(file: IO[bytes], what: str) -> _Opsets:
    size = file.seek(0, os.SEEK_END)
    if size == 0:
        raise ModelError(f"{what} is empty")
    file.seek(4)
    if file.read(4) == b"ORTM":
        raise ModelError(
            f"{what} is in ONNX Runtime's own format, which keeps the kernels it was converted for; "
            "allowed is the .onnx file that it was made of"
        )
    model: int | None = None
    functions: dict[str, int] = {}
    try:
        for each in fields(file, size, what):
            if each.number == _MODEL_OPSETS:
                model = _version(file, each, model, what)
            elif each.number == _FUNCTIONS:
                name, version = _function(file, each, what)
                if version is not None:
                    functions[name] = version
    except ModelError as error:
        raise ModelError(f"{what} is no ONNX model: its fields cannot be read: {error}") from None
    return _Opsets(model, functions)


def _function(file: IO[bytes], message: Field, what: str) -> tuple[str, int | None]:
    name, version = "", None
    for each in _within(file, message, what):
        if each.number == _FUNCTION_NAME:
            name = text_of(file, each, what)
        elif each.number == _FUNCTION_OPSETS:
            version = _version(file, each, version, what)
    return name, version


def _version(file: IO[bytes], message: Field, before: int | None, what: str) -> int | None:
    """The version of an OperatorSetIdProto for ONNX's domain; another domain's changes nothing."""
    domain, version = "", 0
    for each in _within(file, message, what):
        if each.number == _DOMAIN:
            domain = text_of(file, each, what)
        elif each.number == _VERSION and each.begin is None:
            version = each.value
    return version if domain in _ONNX_DOMAINS else before


def _within(file: IO[bytes], message: Field, what: str) -> Iterator[Field]:
    if message.begin is None:
        raise ModelError(f"{what}: field {message.number} is an integer and no message")
    return fields(file, message.begin + message.value, what, message.begin)


_OPSET, _OPERATORS, _REGISTERED = "samesum.opset", "samesum.operators", "samesum.registered"
"""Entries of the session's configuration that the library reads and, the last one, writes."""
_DISABLED = "optimization.disable_specified_optimizers"
_READ_WHOLE = ("FusedMatMul", "MatmulTransposeFusion")
"""An optimizer that fails at a node without all of its attributes, which a custom operator may leave out."""


def custom_ops_library() -> str:
    """The path of a library for `SessionOptions.register_custom_ops_library`: these operators in ONNX's own domain.

    Every reduction, scan, softmax, ArgMax, ArgMin, normalization, global pool and scatter of a model, in the bodies of
    If, Loop and Scan too, then runs in samesum. The library is this package's compiled core and needs a process that
    runs Python. ONNX Runtime does not tell it the opset of a model: Softmax, LogSoftmax and Hardmax are samesum's from
    opset 13 on, GroupNormalization from 21 on, and those of older models stay the runtime's, unless the options say it,
    as `exact_session` does: `options.add_session_config_entry("samesum.opset", "11")`. The entry `samesum.operators`
    chooses operators, with semicolons between their names. ONNX Runtime 1.20 or newer.
    Source: https://onnxruntime.ai/docs/reference/operators/add-custom-op.html.

    >>> import numpy as np, onnxruntime
    >>> options = onnxruntime.SessionOptions()
    >>> options.register_custom_ops_library(custom_ops_library())
    >>> session = onnxruntime.InferenceSession("examples/onnx/l2_normalize.onnx", options)
    >>> session.run(["y"], {"x": np.full((1, 1, 1024), 3e30, np.float32)})[0][0, 0, 0]
    np.float32(0.03125)
    """
    declare_once()
    return core_file()


def exact_session(
    path_or_bytes: str | os.PathLike[str] | bytes,
    sess_options: onnxruntime.SessionOptions | None = None,
    operators: Iterable[str] | Literal["all"] | None = None,
    **kwargs: Any,
) -> onnxruntime.InferenceSession:
    """An `onnxruntime.InferenceSession` whose reductions, scans, softmaxes, norms and global pools are samesum's.

    The model stays as it is, and whatever else it contains runs as ever. ArgMax, ArgMin, scatters and the
    SimplifiedLayerNormalization of ONNX Runtime are samesum's too. `operators` chooses some of them by name,
    such as `["ReduceSum", "Softmax"]`; None means all. By their names, or by "all", MatMul, Gemm, Conv,
    ConvTranspose, AveragePool, LpPool and com.microsoft's FusedMatMul, FusedGemm and FusedConv are samesum's, too,
    which takes time. `sess_options` receives the operators, for models of this
    opset; the other arguments are those of the session. Raises MissingPackage without onnxruntime,
    UnsupportedOperator for names that samesum does not have and for opsets that it does not know,
    ArgumentError for options that hold samesum's operators for other models, ModelError for a file that is no
    ONNX model, and what ONNX Runtime raises.

    >>> session = exact_session("examples/onnx/l2_normalize.onnx")
    >>> session.run(["y"], {"x": np.full((1, 1, 1024), 3e30, np.float32)})[0][0, 0, 0]
    np.float32(0.03125)
    """
    onnxruntime = imported("onnxruntime", "exact_session")
    if sess_options is not None and not isinstance(sess_options, onnxruntime.SessionOptions):
        raise ArgumentTypeError(
            f"sess_options is an onnxruntime.SessionOptions or None; got {type(sess_options).__name__}"
        )
    names = chosen_names(ONNX, operators, OPERATORS, ON_REQUEST)
    opset = _opset(_opsets_of(path_or_bytes), names)
    options = onnxruntime.SessionOptions() if sess_options is None else sess_options
    if opset is not None:
        _register(options, opset, names)
    source = path_or_bytes if isinstance(path_or_bytes, bytes) else os.fspath(path_or_bytes)
    return onnxruntime.InferenceSession(source, options, **kwargs)


def _opset(opsets: _Opsets, names: Sequence[str]) -> int | None:
    """The model's opset; None if it uses no operator of ONNX."""
    if opsets.model is None:
        return None
    if not 1 <= opsets.model <= ONNX.newest_opset:
        raise UnsupportedOperator(f"the model has opset {opsets.model}; known are 1 to {ONNX.newest_opset}")
    for function, opset in opsets.functions.items():
        changed = [name for name in names if _since(name, opset) != _since(name, opsets.model)]
        if changed:
            raise UnsupportedOperator(
                f"the function {function!r} has opset {opset} and the model {opsets.model}, between which "
                f"{', '.join(changed)} changed; samesum can serve one of them in a session: leave out what changed, "
                "by `operators`, or convert the model to one opset"
            )
    return opsets.model


def _since(name: str, opset: int) -> int | None:
    try:
        return lookup(ONNX.name, name, opset).version.since
    except UnsupportedOperator:
        return None


def _is_there(name: str, opset: int) -> bool:
    return any(each.versions[0].since <= opset for each in (*OPERATORS, *ON_REQUEST) if each.name == name)


def _register(options: onnxruntime.SessionOptions, opset: int, names: Sequence[str]) -> None:
    chosen = "" if names == tuple(each.name for each in OPERATORS) else ";".join(names)
    asked = f"opset {opset}, operators {chosen or 'all'}"
    before = _entry(options, _REGISTERED)
    if before == asked:
        return
    if before is not None:
        raise ArgumentError(
            f"the session options hold samesum's operators for {before}; this model needs {asked} in others"
        )
    if not any(_is_there(name, opset) for name in names):
        return
    options.add_session_config_entry(_OPSET, str(opset))
    if _READ_WHOLE[0] in names:
        others = _entry(options, _DISABLED)
        options.add_session_config_entry(_DISABLED, ";".join([*([others] if others else []), _READ_WHOLE[1]]))
    if chosen:
        options.add_session_config_entry(_OPERATORS, chosen)
    options.register_custom_ops_library(custom_ops_library())


def _entry(options: onnxruntime.SessionOptions, key: str) -> str | None:
    try:
        value: str = options.get_session_config_entry(key)
    except RuntimeError:  # there is none
        return None
    return value
