"""If of an IR: port maps, bodies, and what OpenVINO saves of ONNX's own."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from building import Ir, same
from samesum.errors import DtypeError, ModelError
from samesum.frontends.models.load import load
from samesum.frontends.models.model import Model

X = np.float32([[1, 2, 3], [4, 5, 6]])


class Body:
    """A body's layers, with port 9 as the output of each."""

    def __init__(self) -> None:
        self.ir = Ir()

    def __getattr__(self, name: str) -> Any:
        return getattr(self.ir, name)

    def result(self, source: int) -> int:
        """The id of a Result."""
        return int(self.ir.layer("Result", [source]))

    def text(self, tag: str, weights: bytearray) -> str:
        """The element, its constants moved behind the others in `weights`."""
        layers = "".join(self.ir.layers)
        weights += self.ir.weights
        edges = "".join(self.ir.edges)
        return f"<{tag}><layers>{layers}</layers><edges>{edges}</edges></{tag}>"


def links(tag: str, inputs: list[str], outputs: list[str]) -> str:
    entries = [f"<input {each}/>" for each in inputs] + [f"<output {each}/>" for each in outputs]
    return f"<{tag}>{''.join(entries)}</{tag}>"


def link(port: int, layer: int, more: str = "") -> str:
    return f'external_port_id="{port}" internal_layer_id="{layer}" {more}'


def outputs_of(ir: Ir, layer: int, count: int) -> Model:
    ports = "".join(f'<port id="{9 + i}"/>' for i in range(count))
    before, _, after = ir.layers[layer].rpartition('<output><port id="9" precision=""></port></output>')
    ir.layers[layer] = f"{before}<output>{ports}</output>{after}"
    for i in range(count):
        ir.result(layer, f"y{i}")
        ir.edges[-1] = ir.edges[-1].replace('from-port="9"', f'from-port="{9 + i}"')
    return ir.load()


def choice(then_output: int = 9, kind: str = "f32") -> Model:
    ir = Ir()
    condition = ir.parameter("c", "boolean", "")
    x, y = ir.parameter("x", kind, "?,?"), ir.parameter("y", "f32", "?,?")
    then, other = Body(), Body()
    a = then.parameter("a", "f32", "?,?")
    axis = then.layer(
        "CumSum", [a, then.layer("ShapeOf", [then.layer("ShapeOf", [then.layer("ShapeOf", [a])])])], "", "opset3"
    )
    b, c = other.parameter("b", "f32", "?,?"), other.parameter("c", "f32", "?,?")
    end, far = then.result(axis), other.result(other.layer("Subtract", [c, b]))
    text = links("then_port_map", [link(1, a)], [link(then_output, end)])
    text += links("else_port_map", [link(2, c), link(1, b)], [link(9, far)])
    text += then.text("then_body", ir.weights) + other.text("else_body", ir.weights)
    return outputs_of(ir, ir.layer("If", [condition, x, y], text, "opset8"), 1)


def test_a_condition_chooses_a_body() -> None:
    y = X * 3
    assert same(choice().run({"c": np.array(False), "x": X, "y": y})["y0"], y - X)
    assert same(choice().run({"c": np.array(True), "x": X, "y": y})["y0"], np.cumsum(X, 1, dtype=np.float32))
    assert "else_body:" in choice().plan()


def test_a_body_takes_its_declared_types_alone() -> None:
    with pytest.raises(DtypeError, match="the body's input 'a' is float32; it is given float64"):
        choice(kind="f64").run({"c": np.array(True), "x": X.astype(np.float64), "y": X})


def test_port_maps_that_do_not_fit_are_refused() -> None:
    with pytest.raises(ModelError, match=r"layer 3 \(If .*external_port_id is 8, which is not among its 1 ports there"):
        choice(8)


def test_a_body_holds_constants() -> None:
    """They lie in the same .bin as those of the model."""
    ir, then, other = Ir(), Body(), Body()
    condition, x, first = ir.parameter("c", "boolean", ""), ir.parameter("x", "f32", "?,?"), ir.const(np.float32([[1]]))
    text = ""
    for body, tag, factor in ((then, "then", 2), (other, "else", 3)):
        body.ir.weights = bytearray(ir.weights)
        data = body.parameter("data", "f32", "?,?")
        end = body.result(body.layer("Multiply", [data, body.const(np.float32(factor))]))
        ir.weights = bytearray()
        text += links(f"{tag}_port_map", [link(1, data)], [link(9, end)]) + body.text(f"{tag}_body", ir.weights)
    layer = ir.layer("If", [condition, x], text, "opset8")
    ir.layer("Result", [first])
    model = outputs_of(ir, layer, 1)
    for truth, factor in ((True, 2), (False, 3)):
        assert same(model.run([np.array(truth), X])["y0"], factor * X)


def saved(model: Any, folder: Path, shapes: Any = None) -> tuple[Path, Any]:
    """The IR that OpenVINO writes of an ONNX model, and what it has read."""
    openvino = pytest.importorskip("openvino")
    (folder / "m.onnx").write_bytes(model)
    read = openvino.convert_model(folder / "m.onnx", input=shapes)
    openvino.save_model(read, folder / "m.xml", compress_to_fp16=False)
    return folder / "m.xml", read


@pytest.mark.parametrize(
    ("operator", "attributes", "opset"),
    [
        ("ArgMax", {"axis": 1, "keepdims": 0}, 13),
        ("ArgMax", {"axis": -1, "keepdims": 1, "select_last_index": 1}, 13),
        ("ArgMin", {"axis": 0, "keepdims": 1}, 13),
        ("ArgMin", {"axis": 1, "keepdims": 0, "select_last_index": 1}, 12),
        ("Hardmax", {"axis": 1}, 13),
        ("Hardmax", {"axis": 0}, 13),
        ("Hardmax", {"axis": 1}, 11),
        ("Gelu", {"approximate": "tanh"}, 20),
        ("Softplus", {}, 13),
        ("HardSigmoid", {"alpha": 0.25}, 13),
        ("Trilu", {"upper": 0}, 14),
        ("Mod", {"fmod": 1}, 13),
    ],
)
def test_what_openvino_saves_of_an_operator_gives_the_same(
    operator: str, attributes: dict[str, Any], opset: int, tmp_path: Path
) -> None:
    pytest.importorskip("openvino")
    from onnx import TensorProto, helper

    from building import onnx_bytes

    x = np.float32([[3, 1, 3, 2], [5, 7, 7, 7], [0, 0, 0, 0]])
    names = ["x", "x"] if operator == "Mod" else ["x"]
    node = helper.make_node(operator, names, ["y"], **attributes)
    model = onnx_bytes([node], {"x": (TensorProto.FLOAT, [3, 4])}, {"y": (0, None)}, opset=opset)
    path, _ = saved(model, tmp_path)
    (found,) = load(path).run([x]).values()
    (expected,) = load(model).run([x]).values()
    assert np.array_equal(found, expected, equal_nan=True)


def test_what_openvino_saves_of_branches_gives_the_same(tmp_path: Path) -> None:
    pytest.importorskip("openvino")
    from onnx import TensorProto, helper

    from building import onnx_bytes

    info = helper.make_tensor_value_info
    branches = [
        helper.make_graph([helper.make_node(kind, ["z"], ["w"])], "b", [], [info("w", TensorProto.FLOAT, [2, 3])])
        for kind in ("Neg", "Exp")
    ]
    nodes = [
        helper.make_node("Abs", ["x"], ["z"]),
        helper.make_node("If", ["flag"], ["y"], then_branch=branches[0], else_branch=branches[1]),
    ]
    ends = {"y": (TensorProto.FLOAT, [2, 3])}
    kinds = {"x": (TensorProto.FLOAT, [2, 3]), "flag": (TensorProto.BOOL, [])}
    model = onnx_bytes(nodes, kinds, ends, opset=13)
    path, _ = saved(model, tmp_path)
    for flag in (True, False):
        feeds = [X, np.array(flag)]
        expected = list(load(model).run(feeds).values())
        found = list(load(path).run(feeds).values())
        assert all(same(a, b) for a, b in zip(found, expected, strict=True))
