"""What exact reductions do to a model's outputs, and whether they bring them nearer to a float64 run."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import numpy as np

from samesum.compare.observing import Values
from samesum.compare.onnx_graph import OnnxGraph
from samesum.compare.results import Effect
from samesum.errors import SamesumError
from samesum.formats.arrays import NDArray
from samesum.formats.rounding import is_float
from samesum.runtimes.onnxruntime_engine import SILENT
from samesum.runtimes.runtime import EngineError, Feeds, of_python, one_line

# An ONNX model in float64: every float in it, and in the bodies of its nodes, is a double.

_FLOATS = frozenset({1, 10, 16})
"""FLOAT, FLOAT16 and BFLOAT16 among the numbers of TensorProto.DataType."""
_DOUBLE = 11

_TYPED = {"Cast": "to", "EyeLike": "dtype", "RandomNormal": "dtype", "RandomUniform": "dtype", "Bernoulli": "dtype"}
"""Operators whose attribute names the type of their result."""
_STAY_FLOAT = {"Resize": (1, 2), "Upsample": (1,)}
"""Inputs that the standard wants in float32 whatever the data are."""


def doubled(proto: Any) -> Any:
    """A copy of the model whose floats are doubles; its inputs and outputs too."""
    import onnx

    copy = onnx.ModelProto()
    copy.CopyFrom(proto)
    _double_graph(copy.graph)
    return copy


def _double_graph(graph: Any) -> None:
    kept = {
        node.input[i]
        for node in graph.node
        for i in _STAY_FLOAT.get(node.op_type, ())
        if i < len(node.input) and node.input[i]
    }
    del graph.value_info[:]
    for info in (*graph.input, *graph.output):
        if info.type.tensor_type.elem_type in _FLOATS and info.name not in kept:
            info.type.tensor_type.elem_type = _DOUBLE
    for tensor in graph.initializer:
        if tensor.name not in kept:
            _double_tensor(tensor)
    for node in graph.node:
        if not set(node.output) & kept:
            _double_node(node)


def _double_node(node: Any) -> None:
    for attribute in node.attribute:
        if attribute.name == _TYPED.get(node.op_type) and attribute.i in _FLOATS:
            attribute.i = _DOUBLE
        elif attribute.HasField("t"):
            _double_tensor(attribute.t)
        elif node.op_type == "Constant" and attribute.name in ("value_float", "value_floats"):
            _as_tensor(attribute)
        for body in _bodies(attribute):
            _double_graph(body)


def _bodies(attribute: Any) -> Iterator[Any]:
    yield from [attribute.g] if attribute.HasField("g") else attribute.graphs


def _as_tensor(attribute: Any) -> None:
    """A Constant's number or list of numbers as a tensor."""
    from onnx import AttributeProto, numpy_helper

    values = attribute.f if attribute.name == "value_float" else list(attribute.floats)
    tensor = numpy_helper.from_array(np.asarray(values, np.float64))
    attribute.Clear()
    attribute.name, attribute.type = "value", AttributeProto.TENSOR
    attribute.t.CopyFrom(tensor)


def _double_tensor(tensor: Any) -> None:
    from onnx import numpy_helper

    if tensor.data_type in _FLOATS:
        name = tensor.name
        tensor.CopyFrom(numpy_helper.from_array(np.asarray(numpy_helper.to_array(tensor)).astype(np.float64), name))


def effects(graph: OnnxGraph, feeds: Feeds, plain: Values) -> tuple[list[Effect], str]:
    """For each output of ONNX Runtime how far exact reductions move it and how much nearer it comes, and why not.

    `nearer` is the error of ONNX Runtime's own output over that of the one with exact reductions, both against a run of
    the whole model in float64; NaN where there is none or where neither errs.
    """
    try:
        exact = _with_exact_reductions(graph, feeds)
    except (SamesumError, EngineError) as error:
        return [], f"the effect of exact reductions is not known: {one_line(error)}"
    try:
        reference, words = in_float64(graph, feeds), ""
    except EngineError as error:
        reference, words = {}, f"there is no run in float64 to compare with: {one_line(error)}"
    return list(_effects(plain, exact, reference)), words


def _effects(plain: Values, exact: Values, reference: Mapping[str, NDArray]) -> Iterator[Effect]:
    for name, before in plain.items():
        after = exact[name]
        if is_float(before):
            nearer = float("nan")
            if name in reference:
                errors = _furthest(before, reference[name]), _furthest(after, reference[name])
                nearer = errors[0] / errors[1] if errors[1] else float("inf") if errors[0] else float("nan")
            yield Effect(name, _furthest(before, after), nearer)


def _furthest(a: NDArray, b: NDArray) -> float:
    with np.errstate(all="ignore"):
        off = np.abs(a.astype(np.float64) - b.astype(np.float64))
    return float(np.nanmax(off, initial=0.0))


def _with_exact_reductions(graph: OnnxGraph, feeds: Feeds) -> Values:
    from samesum.onnx import exact_session

    with of_python():
        import onnxruntime

        options = onnxruntime.SessionOptions()
        options.log_severity_level = SILENT
        session = exact_session(graph.model.content, options, providers=["CPUExecutionProvider"])
        return _named(graph.outputs, session.run(list(graph.outputs), dict(feeds)))


def in_float64(graph: OnnxGraph, feeds: Feeds) -> Values:
    """The outputs of the whole model in float64, by ONNX's evaluator; raises EngineError where it has none."""
    from onnx.reference import ReferenceEvaluator

    from samesum.onnx import reference_ops

    wide = {name: array.astype(np.float64) if is_float(array) else array for name, array in feeds.items()}
    with of_python(), np.errstate(all="ignore"):
        evaluator = ReferenceEvaluator(doubled(graph.proto), new_ops=[*reference_ops(), *_mended()])
        return _named(graph.outputs, list(evaluator.run(list(graph.outputs), wide)))


def _named(names: Sequence[str], arrays: Sequence[Any]) -> Values:
    return {name: np.asarray(array) for name, array in zip(names, arrays, strict=True)}


def _mended() -> list[type]:
    """Operators that the evaluator of onnx 1.23 computes in another way than the standard.

    BatchNormalization before opset 14 runs there in training mode, and GlobalMaxPool is right for rank 4 alone.
    """
    from onnx.reference.op_run import OpRun

    class BatchNormalization(OpRun):
        op_domain = ""

        def _run(self, x: NDArray, scale: NDArray, bias: NDArray, mean: NDArray, var: NDArray, **said: Any) -> Any:
            shape = (1, -1, *(1,) * (x.ndim - 2))
            epsilon = said.get("epsilon") or 1e-5
            centred = (x - mean.reshape(shape)) / np.sqrt(var.reshape(shape) + epsilon)
            return (centred * scale.reshape(shape) + bias.reshape(shape),)

    class GlobalMaxPool(OpRun):
        op_domain = ""

        def _run(self, x: NDArray) -> Any:
            return (x.max(axis=tuple(range(2, x.ndim)), keepdims=True),)

    return [BatchNormalization, GlobalMaxPool]
