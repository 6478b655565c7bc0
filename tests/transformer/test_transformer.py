"""A model that PyTorch exported runs in ONNX's evaluator with these reductions and gives what PyTorch gives."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import onnx
import pytest
from onnx import TensorProto, numpy_helper
from onnx.reference import ReferenceEvaluator
from onnx.utils import Extractor

import samesum
from machines import same_everywhere
from samesum.frontends.plugins import onnx_tools
from samesum.specs.lookup import FAMILY
from samesum.specs.table import ONNX

FOLDER = Path(__file__).resolve().parent
MODEL = onnx.load(FOLDER / "transformer.onnx")
DATA = dict(np.load(FOLDER / "transformer.npz"))
FEEDS = {name: DATA[name] for name in ("tokens", "mask")}
OUTPUTS = ("states", "embedding")
FAMILY = {spec.operator.name for spec in FAMILY if spec.standard is ONNX}

Values = dict[str, np.ndarray]

HALF_UNIT = 2.0**-24
"""Of float32: what one rounding changes at most, relative to the result."""
RUNS, DEVIATIONS = 64, 8


def evaluated(model: Any, feeds: Mapping[str, np.ndarray], *operators: type) -> Values:
    session = ReferenceEvaluator(model, new_ops=list(operators))
    return dict(zip(session.output_names, session.run(None, dict(feeds)), strict=True))


def in_float64() -> Any:
    """The model with float64 in the place of float32."""
    model = onnx.ModelProto()
    model.CopyFrom(MODEL)
    held = [each.t for node in model.graph.node for each in node.attribute if each.name == "value"]
    for tensor in (*model.graph.initializer, *held):
        if tensor.data_type == TensorProto.FLOAT:
            values = numpy_helper.to_array(tensor).astype(np.float64)
            tensor.CopyFrom(numpy_helper.from_array(values, tensor.name))
    for node in model.graph.node:
        for each in node.attribute:
            if node.op_type == "Cast" and each.i == TensorProto.FLOAT:
                each.i = TensorProto.DOUBLE
    return model


def rounding(operator: str, inputs: list[Any], y: np.ndarray) -> Any:
    """How far one rounding takes a node's float32 result from the exact one; sqrt(n) times that for a sum of n terms.

    Such a sum rounds n times, by at most half a unit of the sum of the magnitudes, whatever its order: n independent
    roundings have the variance of one that is sqrt(n) times as large.
    """
    match operator:
        case "MatMul":
            return np.sqrt(inputs[0].shape[-1]) * HALF_UNIT * (np.abs(inputs[0]) @ np.abs(inputs[1]))
        case "ReduceMean":
            return np.sqrt(inputs[0].shape[-1] + 1) * HALF_UNIT * np.abs(inputs[0]).mean(-1, keepdims=True)
        case "ReduceSum":
            return np.sqrt(inputs[0].shape[1]) * HALF_UNIT * np.abs(inputs[0]).sum(1)
        case "Softmax" | "ReduceL2":
            return (np.sqrt(inputs[0].shape[-1]) + 4) * HALF_UNIT * np.abs(y)
        case "Add" | "Sub" | "Mul" | "Div" | "Sqrt":
            return HALF_UNIT * np.abs(y)
        case "Pow" | "Erf":
            return 4 * HALF_UNIT * np.abs(y)
    return 0.0  # the others move values and change none


def disturbed(session: Any, seed: int) -> Values:
    """The outputs if each element of each node is off by the whole of its rounding, up or down by chance."""
    sign = np.random.default_rng(seed)
    values: dict[str, Any] = {"": None, **session.rt_inits_, **FEEDS}
    for node in session.rt_nodes_:
        inputs = [values[name] for name in node.input]
        for name, y in zip(node.output, node.run(*inputs), strict=True):
            change = rounding(node.op_type, inputs, y) if y.dtype == np.float64 else 0
            values[name] = y + change * sign.choice([-1.0, 1.0], y.shape) if np.any(change) else y
    return {name: values[name] for name in OUTPUTS}


@cache
def exact() -> Values:
    return evaluated(in_float64(), FEEDS)


@cache
def bounds() -> Values:
    """How far a float32 evaluation of the model may be from the exact one, for each output element.

    To first order an output is off by a sum over all nodes' roundings, each times the output's slope in it. Roundings
    are as often up as down and each is within its own bound: by Hoeffding's inequality the sum stays within t standard
    deviations of the one in which each is the whole bound with a random sign, but for a chance of 2 exp(-t^2 / 2);
    for t = 8 and all 1600 outputs that is one in 10^10. The standard deviation is that of 64 evaluations.
    """
    session = ReferenceEvaluator(in_float64())
    runs = [disturbed(session, seed) for seed in range(RUNS)]
    return {
        name: DEVIATIONS * np.sqrt(np.mean([(run[name] - exact()[name]) ** 2 for run in runs], axis=0))
        for name in OUTPUTS
    }


def beyond(found: Mapping[str, np.ndarray]) -> list[str]:
    """The outputs that are farther from the exact ones than roundings explain."""
    gaps = {name: np.abs(found[name] - exact()[name]) / bounds()[name] for name in OUTPUTS}
    return [f"{name}: {gap.max():.2f} times the bound" for name, gap in gaps.items() if not (gap <= 1).all()]


@pytest.fixture
def calls(monkeypatch: pytest.MonkeyPatch) -> Counter[str]:
    """How often samesum was asked for which operator."""
    counted: Counter[str] = Counter()
    apply = onnx_tools.apply

    def counting(operation: Any, inputs: Any) -> np.ndarray:
        counted[operation.spec.operator.name] += 1
        return apply(operation, inputs)

    monkeypatch.setattr(onnx_tools, "apply", counting)
    return counted


def test_every_reduction_of_the_model_is_samesum_s(calls: Counter[str]) -> None:
    evaluated(MODEL, FEEDS, *samesum.onnx.reference_ops())
    held = Counter(node.op_type for node in MODEL.graph.node if node.op_type in FAMILY)
    assert held == {"ReduceMean": 10, "Softmax": 2, "ReduceSum": 2, "CumSum": 1, "ReduceL2": 1}
    assert calls == held + Counter(MatMul=12)
    calls.clear()
    evaluated(MODEL, FEEDS)
    assert not calls


def test_the_bounds_are_of_the_size_of_float32_s_roundings() -> None:
    for name, bound in bounds().items():
        assert 0 < (bound / np.abs(exact()[name]).max()).max() < 1e-5, name


@pytest.mark.parametrize("who", ["PyTorch", "the evaluator alone", "the evaluator with samesum"])
def test_all_agree_within_the_rounding_of_the_model(who: str) -> None:
    found = {
        "PyTorch": lambda: DATA,
        "the evaluator alone": lambda: evaluated(MODEL, FEEDS),
        "the evaluator with samesum": lambda: evaluated(MODEL, FEEDS, *samesum.onnx.reference_ops()),
    }[who]()
    assert beyond(found) == []
    assert {found[name].dtype for name in OUTPUTS} == {np.dtype(np.float32)}


def test_reductions_in_half_precision_would_be_seen() -> None:
    class ReduceMean(next(each for each in samesum.onnx.reference_ops() if each.__name__ == "ReduceMean")):  # type: ignore[misc]
        def _run(self, *inputs: np.ndarray, **attributes: Any) -> tuple[np.ndarray, ...]:
            (mean,) = super()._run(*inputs, **attributes)
            return (mean.astype(np.float16).astype(np.float32),)

    assert len(beyond(evaluated(MODEL, FEEDS, ReduceMean))) == 2


def test_loaded_whole_a_sentence_has_the_bits_that_it_has_alone_whatever_surrounds_it() -> None:
    lengths = FEEDS["mask"].sum(1)
    assert list(lengths) == [16, 11, 5]

    def ways() -> Iterator[np.ndarray]:
        model = samesum.load(FOLDER / "transformer.onnx")
        alone = [model.run({name: each[i : i + 1, :n] for name, each in FEEDS.items()}) for i, n in enumerate(lengths)]
        for further in (0, 1, 19):
            whole = model.run({name: np.pad(each, ((0, 0), (0, further))) for name, each in FEEDS.items()})
            for i, n in enumerate(lengths):
                np.testing.assert_array_equal(whole["states"][i, :n], alone[i]["states"][0], strict=True)
                np.testing.assert_array_equal(whole["embedding"][i], alone[i]["embedding"][0], strict=True)
            yield from whole.values()

    same_everywhere(ways)


PARTS = {
    "layer norm": (["/Add_output_0"], ["/first/Add_1_output_0"]),
    "pooling and normalisation": (["states", "mask"], ["embedding"]),
}


@pytest.mark.parametrize("part", PARTS)
def test_a_part_that_is_supported_gives_the_same_bits_when_it_is_loaded(part: str) -> None:
    ends = PARTS[part]
    model = Extractor(onnx.shape_inference.infer_shapes(MODEL)).extract_model(*ends)
    session = ReferenceEvaluator(MODEL)
    feeds = {name: session.run([name], FEEDS)[0] for name in ends[0]}
    (expected,) = evaluated(model, feeds, *samesum.onnx.reference_ops()).values()
    (found,) = samesum.load(model.SerializeToString()).run(feeds).values()
    np.testing.assert_array_equal(found, expected, strict=True)


def test_the_files_stay_small() -> None:
    assert sum(path.stat().st_size for path in FOLDER.glob("transformer.*")) < 200_000
