"""Every node that computes numbers is judged: faults are named at their node, honest engines are not accused."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from models import FLOAT, INT64, model
from onnx import ModelProto, NodeProto, TensorProto, helper, numpy_helper

from naming import case
from samesum.compare import Comparison, Verdict, compare
from samesum.compare.words import block
from samesum.formats.arrays import NDArray

onnxruntime = pytest.importorskip("onnxruntime")
RANDOM = np.random.default_rng(11)
node = helper.make_node
Change = Callable[[NodeProto], list[NodeProto]]


def some(*shape: int, scale: float = 1.0) -> NDArray:
    return (RANDOM.standard_normal(shape) * scale).astype(np.float32)


def pictures() -> tuple[ModelProto, dict[str, NDArray]]:
    """A small convolutional network with a head whose weights are square."""
    nodes = [
        node("Conv", ["x", "w1", "b1"], ["c1"], name="conv", pads=[1, 1, 1, 1]),
        node("BatchNormalization", ["c1", "s", "b", "m", "v"], ["n"], name="batch"),
        node("Relu", ["n"], ["r"], name="relu"),
        node("Conv", ["r", "w2"], ["c2"], name="strided", strides=[2, 2]),
        node("HardSigmoid", ["c2"], ["h"], name="gate"),
        node("Mul", ["c2", "h"], ["g"], name="gated"),
        node("GlobalAveragePool", ["g"], ["p"], name="pool"),
        node("Flatten", ["p"], ["f"], name="flat"),
        node("Gemm", ["f", "w3", "b3"], ["y"], name="gemm"),
    ]
    held = {"w1": some(16, 3, 3, 3), "b1": some(16), "w2": some(24, 16, 3, 3, scale=0.1)}
    held |= {"s": some(16) ** 2, "b": some(16), "m": some(16), "v": some(16) ** 2 + 1}
    held |= {"w3": some(24, 24), "b3": some(24)}
    return model(nodes, {"x": (FLOAT, [2, 3, 17, 15])}, {"y": (FLOAT, [2, 24])}, held, 17), {"x": some(2, 3, 17, 15)}


def sequences() -> tuple[ModelProto, dict[str, NDArray]]:
    """Products, activations, a recurrence and a resized result."""
    nodes = [
        node("MatMul", ["x", "w1"], ["a"], name="first"),
        node("Add", ["a", "b1"], ["b"], name="bias"),
        node("Gelu", ["b"], ["c"], name="gelu"),
        node("MatMul", ["c", "w2"], ["d"], name="second"),
        node("Sub", ["d", "x"], ["e"], name="residual"),
        node("Softmax", ["e"], ["f"], name="softmax", axis=-1),
        node("LSTM", ["e", "W", "R"], ["", "h"], name="lstm", hidden_size=8),
        node("Einsum", ["f", "f"], ["s"], name="einsum", equation="tbi,sbi->tsb"),
        node("ArgMax", ["e"], ["i"], name="top", axis=-1, keepdims=0),
    ]
    held = {"w1": some(16, 300, scale=0.3), "b1": some(300), "w2": some(300, 16, scale=0.1)}
    held |= {"W": some(1, 32, 16, scale=0.3), "R": some(1, 32, 8, scale=0.3)}
    outputs = {"h": (FLOAT, None), "s": (FLOAT, None), "i": (INT64, None)}
    return model(nodes, {"x": (FLOAT, [5, 2, 16])}, outputs, held, 20), {"x": some(5, 2, 16)}


def quantized() -> tuple[ModelProto, dict[str, NDArray]]:
    """An int8 model; the first scale is a power of two, so that quotients are ties."""
    nodes = [
        node("QuantizeLinear", ["x", "xs", "xz"], ["q"], name="quantize"),
        node("QLinearConv", ["q", "xs", "xz", "w", "ws", "wz", "ys", "yz", "b"], ["c"], name="conv", pads=[1] * 4),
        node("DequantizeLinear", ["c", "ys", "yz"], ["d"], name="dequantize"),
        node("MatMul", ["d", "m"], ["y"], name="product"),
    ]
    held: dict[str, Any] = {"xs": np.float32(0.125), "xz": np.uint8(120), "ws": np.float32(0.013), "wz": np.int8(0)}
    held |= {"w": RANDOM.integers(-127, 128, (8, 4, 3, 3)).astype(np.int8), "ys": np.float32(0.37), "yz": np.uint8(97)}
    held |= {"b": RANDOM.integers(-3000, 3000, 8).astype(np.int32), "m": some(9, 9)}
    x = RANDOM.integers(-200, 200, (1, 4, 9, 9)).astype(np.float32) / 16
    return model(nodes, {"x": (FLOAT, [1, 4, 9, 9])}, {"y": (FLOAT, [1, 8, 9, 9])}, held, 17), {"x": x}


MODELS = {"pictures": pictures(), "sequences": sequences(), "quantized": quantized()}


def said(**attributes: Any) -> Change:
    """The node with other attributes."""

    def change(each: NodeProto) -> list[NodeProto]:
        kept = [one for one in each.attribute if one.name not in attributes]
        made = node(each.op_type, each.input, each.output, name=each.name, **attributes)
        made.attribute.extend(kept)
        return [made]

    return change


def given(place: int, name: str) -> Change:
    """The node with another input at that place, which "" leaves out."""

    def change(each: NodeProto) -> list[NodeProto]:
        inputs = [*each.input[:place], name, *each.input[place + 1 :]] if name else list(each.input)[:place]
        made = node(each.op_type, inputs, each.output, name=each.name)
        made.attribute.extend(each.attribute)
        return [made]

    return change


def other(operator: str, **attributes: Any) -> Change:
    return lambda each: [node(operator, each.input, each.output, **attributes)]


def through(kind: int) -> Change:
    """The node's inputs and results in a shorter type."""

    def change(each: NodeProto) -> list[NodeProto]:
        casts = [node("Cast", [name], [f"{name}/short"], to=kind) for name in each.input]
        made = node(each.op_type, [f"{name}/short" for name in each.input], ["made/short"])
        return [*casts, made, node("Cast", ["made/short"], each.output, to=FLOAT)]

    return change


def half_up(each: NodeProto) -> list[NodeProto]:
    x, scale, zero = each.input
    nodes = [
        node("Div", [x, scale], ["up/q"]),
        node("Add", ["up/q", "up/half"], ["up/h"]),
        node("Floor", ["up/h"], ["up/f"]),
    ]
    nodes += [node("Cast", [zero], ["up/z"], to=FLOAT), node("Add", ["up/f", "up/z"], ["up/s"])]
    nodes += [
        node("Clip", ["up/s", "up/least", "up/most"], ["up/c"]),
        node("Cast", ["up/c"], each.output, to=TensorProto.UINT8),
    ]
    return nodes


HELD = {
    "up/half": np.float32(0.5),
    "up/least": np.float32(0),
    "up/most": np.float32(255),
    "none8": np.uint8(0),
    "other scale": np.float32(0.0131),
}

FAULTS: list[tuple[str, str, str, Change]] = [
    ("pictures", "conv", "a bias that is dropped", given(2, "")),
    ("pictures", "conv", "padding off by one", said(pads=[0, 0, 2, 2])),
    ("pictures", "batch", "another epsilon", said(epsilon=1e-2)),
    ("pictures", "batch", "scale and bias exchanged", lambda n: given(1, n.input[2])(given(2, n.input[1])(n)[0])),
    ("pictures", "relu", "a leak", other("LeakyRelu")),
    ("pictures", "gate", "another slope", said(alpha=1 / 6)),
    ("pictures", "gemm", "a transposed matrix", said(transB=1)),
    ("pictures", "gemm", "a bias that is dropped", given(2, "")),
    ("sequences", "first", "a product in float16", through(TensorProto.FLOAT16)),
    ("sequences", "gelu", "the approximation by tanh", said(approximate="tanh")),
    ("sequences", "residual", "operands exchanged", lambda n: [node("Sub", [n.input[1], n.input[0]], n.output)]),
    ("sequences", "softmax", "another axis", said(axis=0)),
    ("sequences", "lstm", "another activation", said(activations=["Sigmoid", "Relu", "Tanh"])),
    ("sequences", "einsum", "another operand", given(1, "x")),
    ("quantized", "quantize", "a zero point that is ignored", given(2, "none8")),
    ("quantized", "quantize", "ties rounded up", half_up),
    ("quantized", "conv", "a zero point that is ignored", given(2, "none8")),
    ("quantized", "conv", "another scale", given(4, "other scale")),
    ("quantized", "dequantize", "a zero point that is ignored", given(2, "none8")),
]


class Faulty:
    """ONNX Runtime with a fault at one node."""

    name = "faulty"

    def __init__(self, target: str, change: Change) -> None:
        self.target, self.change = target, change

    def run(self, proto: ModelProto, feeds: dict[str, NDArray], wanted: list[str]) -> dict[str, NDArray]:
        made = ModelProto()
        made.CopyFrom(proto)
        nodes = [one for each in made.graph.node for one in (self.change(each) if each.name == self.target else [each])]
        del made.graph.node[:]
        made.graph.node.extend(nodes)
        used = {name for each in nodes for name in each.input}
        made.graph.initializer.extend(numpy_helper.from_array(np.asarray(a), n) for n, a in HELD.items() if n in used)
        options = onnxruntime.SessionOptions()
        options.log_severity_level = 4
        session = onnxruntime.InferenceSession(made.SerializeToString(), options, providers=["CPUExecutionProvider"])
        return dict(zip(wanted, session.run(wanted, feeds), strict=True))


def compared(name: str, engines: list[Any]) -> Comparison:
    proto, feeds = MODELS[name]
    return compare(proto, feeds, engines)


@pytest.mark.parametrize("name", MODELS)
def test_honest_engines_are_not_accused(name: str) -> None:
    pytest.importorskip("openvino")
    found = compared(name, ["onnxruntime", "openvino"])
    assert found.wrong == ()
    moved = {"Flatten"}
    operators = {each.op_type for each in MODELS[name][0].graph.node} - moved
    assert {each.operator for each in found.nodes} == operators
    judged = {each.verdict for node in found.nodes for each in node.engines.values()}
    assert judged <= {Verdict.RIGHT, Verdict.INEXACT}


def test_faults_are_named_at_their_node_and_nowhere_else() -> None:
    for name, target, what, change in FAULTS:
        with case(name, target, what):
            found = compared(name, ["onnxruntime", Faulty(target, change)])
            assert [each.name for each in found.wrong] == [target]
            assert found.wrong[0].engines["onnxruntime"].verdict is not Verdict.WRONG
            if found.parting is not None:
                assert (found.parting.name, found.parting.engines) == (target, ("onnxruntime", "faulty"))
            else:
                assert not any(each.max_rel > 1e-3 for each in found.outputs)


def test_where_engines_part_is_said_of_operators_without_an_exact_answer() -> None:
    """A node that only moves values is judged by nobody; the engines part there all the same."""
    nodes = [node("Add", ["x", "x"], ["a"], name="sum"), node("Transpose", ["a"], ["y"], name="turned", perm=[1, 0])]
    proto = model(nodes, {"x": (FLOAT, [4, 4])}, {"y": (FLOAT, [4, 4])}, {}, 17)
    found = compare(proto, {"x": some(4, 4)}, ["onnxruntime", Faulty("turned", said(perm=[0, 1]))])
    assert found.wrong == ()
    assert len(found.unexplained) == 1
    assert found.parting is not None
    assert found.to_dict()["parting"] == {
        "name": "turned",
        "operator": "Transpose",
        "output": "y",
        "engines": ["onnxruntime", "faulty"],
        "inputs_differ": 0,
        "output_differs": pytest.approx(found.outputs[0].max_rel),
    }
    text = " ".join(block(found).split())
    assert "The engines part at Transpose 'turned', output 'y': onnxruntime and faulty differ by" in text
    assert "and nothing that was judged explains it" in text


def test_positions_of_nearly_equal_elements_are_no_mismatch() -> None:
    """Roundings before an ArgMax exchange elements that are nearly equal; each engine is right for its own."""
    nodes = [
        node("MatMul", ["x", "w"], ["a"], name="product"),
        node("ArgMax", ["a"], ["i"], name="top", axis=1, keepdims=0),
    ]
    proto = model(nodes, {"x": (FLOAT, [64, 400])}, {"a": (FLOAT, None), "i": (INT64, None)}, {"w": some(400, 2)}, 17)
    proto.graph.initializer[0].CopyFrom(numpy_helper.from_array(np.repeat(some(400, 1), 2, axis=1), "w"))

    class Later:
        name = "later"

        def run(self, made: ModelProto, feeds: dict[str, NDArray], wanted: list[str]) -> dict[str, NDArray]:
            honest = Faulty("", half_up).run(made, feeds, list(dict.fromkeys([*wanted])))
            if "a" in honest:
                honest["a"] = honest["a"].copy()
                honest["a"][:, 1] = np.nextafter(honest["a"][:, 0], np.float32(np.inf))
            if "i" in honest and "a" in {each.name for each in made.graph.output}:
                honest["i"] = np.ones(64, np.int64)
            return honest

    found = compare(proto, {"x": some(64, 400)}, ["onnxruntime", Later()])
    assert found.wrong == ()
    assert [each.differ for each in found.outputs if each.name == "i"] == [64]
    assert found.unexplained == ()


def test_of_large_results_some_are_judged(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("samesum.compare.nodes.MOST_JUDGED", 100)
    found = compared("pictures", ["onnxruntime", Faulty("conv", given(2, ""))])
    assert [each.name for each in found.wrong] == ["conv"]
    document = {each["name"]: each["sampled"] for each in found.to_dict()["nodes"]}
    assert (document["conv"], document["gemm"], document["pool"]) == (100, None, None)
    worst = found.wrong[0].engines["faulty"].shown
    assert worst is not None
    assert worst.worst is not None
    assert len(worst.worst.index) == 4
