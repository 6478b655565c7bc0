"""What exact reductions do to a model's outputs, and whether they bring them nearer to a float64 run."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import numpy as np

from samesum.compare.doubled import doubled
from samesum.compare.observing import Values
from samesum.compare.onnx_graph import OnnxGraph
from samesum.compare.results import Effect
from samesum.errors import SamesumError
from samesum.formats.arrays import NDArray
from samesum.formats.ulps import is_float
from samesum.runtimes.onnxruntime_engine import SILENT
from samesum.runtimes.runtime import EngineError, Feeds, of_python, one_line


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
