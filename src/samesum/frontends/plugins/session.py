"""The part of ONNX Runtime's `InferenceSession` that callers use."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from samesum.errors import ModelError
from samesum.formats.arrays import Dtype, NDArray, Shape
from samesum.frontends.models.load import Source, load
from samesum.graph.model import Value

_SPELLINGS = {"float32": "float", "float64": "double", "float8_e8m0fnu": "float8e8m0"}
"""Of the types that ONNX Runtime does not call as NumPy does, apart from the underscore."""


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
    """A model behind the methods of ONNX Runtime's session; every answer is samesum's.

    `path_or_bytes` is the path of an `.onnx` file or its bytes. The other arguments are those of ONNX
    Runtime; samesum has one provider, the CPU's, and no options, so they change nothing.
    Raises ModelError for a file that is no model, UnsupportedOperator with every node that cannot run; `run` raises
    ModelError for names that the model does not have or that are missing, DtypeError and ShapeError for an array that
    does not fit, and what the operators raise.
    Source: https://onnxruntime.ai/docs/api/python/api_summary.html.

    >>> import numpy as np
    >>> session = InferenceSession("examples/onnx/opset13/reduce_sum_axes_2_3.onnx")
    >>> session.get_inputs()[0]
    NodeArg(name='data', type='tensor(float)', shape=[6, 12, 10, 24])
    >>> session.run(["reduced"], {"data": np.ones((6, 12, 10, 24), np.float32)})[0][0, 0]
    np.float32(240.0)
    """

    def __init__(
        self,
        path_or_bytes: Source,
        sess_options: object = None,  # noqa: ARG002 - the signature is ONNX Runtime's
        providers: object = None,  # noqa: ARG002
        provider_options: object = None,  # noqa: ARG002
        **_: object,
    ) -> None:
        self._model = load(path_or_bytes)

    def run(
        self,
        output_names: Sequence[str] | None,
        input_feed: Mapping[str, Any],
        run_options: object = None,  # noqa: ARG002
    ) -> list[NDArray]:
        """The outputs named, in that order; all of them for None or an empty sequence."""
        if not isinstance(input_feed, Mapping):
            raise ModelError(f"input_feed is a {type(input_feed).__name__}; a mapping from names to arrays is needed")
        if isinstance(output_names, str):
            raise ModelError(f"output_names is the text {output_names!r}; a sequence of names is needed")
        known = [value.name for value in self._model.outputs]
        wanted = list(output_names or known)
        if unknown := [name for name in wanted if name not in known]:
            raise ModelError(f"unknown output {', '.join(map(repr, unknown))}; the model has {', '.join(known)}")
        outputs = self._model.run(input_feed)
        return [outputs[name] for name in wanted]

    def get_inputs(self) -> list[NodeArg]:
        """The inputs that have to be given, in the model's order."""
        return [_described(value) for value in self._model.inputs]

    def get_outputs(self) -> list[NodeArg]:
        """The outputs in the model's order."""
        return [_described(value) for value in self._model.outputs]

    def get_providers(self) -> list[str]:
        """The CPU's alone."""
        return ["CPUExecutionProvider"]


def _described(value: Value) -> NodeArg:
    return NodeArg(value.name, _type(value.dtype), _shape(value.shape))


def _type(dtype: Dtype | None) -> str:
    if dtype is None:
        return "tensor(undefined)"
    return f"tensor({_SPELLINGS.get(dtype.name, dtype.name.replace('_', ''))})"


def _shape(shape: Shape | None) -> list[int | None] | None:
    return None if shape is None else list(shape)
