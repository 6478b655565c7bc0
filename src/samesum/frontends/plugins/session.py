"""The part of ONNX Runtime's `InferenceSession` that callers use."""

from __future__ import annotations

import warnings
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from samesum.errors import ArgumentTypeError, AttributeValueError, MissingPackage, UnsupportedOperator
from samesum.formats.arrays import Dtype, NDArray, native
from samesum.frontends.models.load import Source, load
from samesum.frontends.models.model import Model
from samesum.graph.model import Value

_SPELLINGS = {"float32": "float", "float64": "double", "float8_e8m0fnu": "float8e8m0"}
"""Of the types that ONNX Runtime does not call as NumPy does, apart from the underscore."""


_PROVIDER = "CPUExecutionProvider"


@dataclass(frozen=True, slots=True)
class NodeArg:
    """An input or output: its name, its type as ONNX Runtime spells it, such as `tensor(float)`, and its shape.

    A dim that the model leaves open is None, whether it has a name there (ONNX Runtime gives the name) or not. A shape
    of None is an unknown rank (ONNX Runtime: an empty list, as for a scalar).
    """

    name: str
    type: str
    shape: list[int | None] | None


class InferenceSession:
    """A model behind the methods of ONNX Runtime's session.

    `path_or_bytes` is the path of an `.onnx` file or its bytes. If the model holds operators that samesum has, every
    answer is samesum's, and the other arguments, those of ONNX Runtime, change nothing: samesum has one provider, the
    CPU's, and no options. A UserWarning says so where another provider is asked for. A model that holds other operators
    runs in ONNX Runtime, if that is installed, and only what `exact_session` takes over is samesum's, as
    `exact_session` has it; a UserWarning says so. Raises OSError for a file that cannot be read, ModelError for one
    that is no model, UnsupportedOperator with every operator that cannot run.
    Source: https://onnxruntime.ai/docs/api/python/api_summary.html.

    >>> session = InferenceSession("examples/onnx/opset13/reduce_sum_axes_2_3.onnx")
    >>> session.get_inputs()[0]
    NodeArg(name='data', type='tensor(float)', shape=[6, 12, 10, 24])
    >>> session.run(["reduced"], {"data": np.ones((6, 12, 10, 24), np.float32)})[0][0, 0]
    np.float32(240.0)
    """

    def __init__(
        self,
        path_or_bytes: Source,
        sess_options: Any = None,
        providers: Sequence[Any] | None = None,
        provider_options: Sequence[Any] | None = None,
        **options: Any,
    ) -> None:
        try:
            self._model, self._session = load(path_or_bytes), None
        except UnsupportedOperator as error:
            options |= {"providers": providers, "provider_options": provider_options}
            self._session = _session_of_onnxruntime(error, path_or_bytes, sess_options, options)
            return
        asked = [each if isinstance(each, str) else each[0] for each in providers or ()]
        if others := [name for name in asked if name != _PROVIDER]:
            warnings.warn(f"{', '.join(others)} was asked for; samesum runs on the CPU alone", stacklevel=2)

    def run(
        self, output_names: Sequence[str] | None, input_feed: Mapping[str, Any], run_options: Any = None
    ) -> list[NDArray]:
        """The outputs named, in that order; all of them for None or an empty sequence.

        Lists become arrays of the input's type, as in ONNX Runtime; so do Python numbers. Raises AttributeValueError
        for names that the model does not have or that are missing, DtypeError and ShapeError for an array that does
        not fit, and what the operators raise.
        """
        if isinstance(input_feed, Mapping):  # ONNX Runtime takes the bytes of the other order for its own
            input_feed = {name: native(x) if isinstance(x, np.ndarray) else x for name, x in input_feed.items()}
        if self._session is not None:
            found: list[NDArray] = self._session.run(output_names, input_feed, run_options)
            return found
        return _answers(self._model, output_names, input_feed)

    def get_inputs(self) -> list[NodeArg]:
        """The inputs that have to be given, in the model's order."""
        if self._session is None:
            return [_described(value) for value in self._model.inputs]
        return [NodeArg(each.name, each.type, each.shape) for each in self._session.get_inputs()]

    def get_outputs(self) -> list[NodeArg]:
        """The outputs in the model's order."""
        if self._session is None:
            return [_described(value) for value in self._model.outputs]
        return [NodeArg(each.name, each.type, each.shape) for each in self._session.get_outputs()]

    def get_providers(self) -> list[str]:
        """The CPU's alone, or those of the session of ONNX Runtime."""
        return [_PROVIDER] if self._session is None else list(self._session.get_providers())


def _answers(model: Model, output_names: Sequence[str] | None, input_feed: object) -> list[NDArray]:
    """Those of a model whose every operator is samesum's."""
    if not isinstance(input_feed, Mapping):
        raise ArgumentTypeError(
            f"input_feed is a {type(input_feed).__name__}; a mapping from names to arrays is needed"
        )
    if isinstance(output_names, str):
        raise ArgumentTypeError(f"output_names is the text {output_names!r}; a sequence of names is needed")
    known = [value.name for value in model.outputs]
    wanted = list(output_names or known)
    if unknown := [name for name in wanted if name not in known]:
        raise AttributeValueError(f"unknown output {', '.join(map(repr, unknown))}; the model has {', '.join(known)}")
    outputs = model.run(input_feed)
    return [outputs[name] for name in wanted]


def _session_of_onnxruntime(error: UnsupportedOperator, source: Source, sess_options: Any, options: Any) -> Any:
    from samesum.frontends.plugins.exact_session import exact_session

    content = bytes(source) if isinstance(source, bytearray | memoryview) else source
    try:
        session = exact_session(content, sess_options, **options)
    except MissingPackage:
        raise error from None
    warnings.warn(
        f"{', '.join(error.operators)} of this model run in ONNX Runtime; samesum computes the reductions, scans, "
        "softmaxes, normalizations, global pools and scatters",
        stacklevel=3,
    )
    return session


def _described(value: Value) -> NodeArg:
    return NodeArg(value.name, _type(value.dtype), None if value.shape is None else list(value.shape))


def _type(dtype: Dtype | None) -> str:
    if dtype is None:
        return "tensor(undefined)"
    return f"tensor({_SPELLINGS.get(dtype.name, dtype.name.replace('_', ''))})"
