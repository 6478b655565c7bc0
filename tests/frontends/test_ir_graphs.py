"""If, Loop and TensorIterator of an IR: port maps, back edges, slices, and what OpenVINO saves of ONNX's own."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from building import Ir, same
from samesum.errors import DtypeError, ModelError, ShapeError
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


def iterator(part: str = 'axis="1"', out: str = 'axis="0"') -> Model:
    """A running sum of the parts of x: the last sum, and all of them one after the other."""
    ir, body = Ir(), Body()
    x, start = ir.parameter("x", "f32", "?,?"), ir.parameter("s", "f32", "?,?")
    row, state = body.parameter("row", "f32", "?,?"), body.parameter("state", "f32", "?,?")
    total = body.layer("Add", [row, state])
    last, kept = body.result(total), body.result(total)
    ports = links("port_map", [link(0, row, part), link(1, state)], [link(9, last), link(10, kept, out)])
    back = f'<back_edges><edge from-layer="{last}" to-layer="{state}"/></back_edges>'
    layer = ir.layer("TensorIterator", [x, start], ports + back + body.text("body", ir.weights))
    return outputs_of(ir, layer, 2)


def test_a_tensor_iterator_slices_and_gathers() -> None:
    start = np.zeros((2, 1), np.float32)
    last, kept = iterator().run({"x": X, "s": start}).values()
    sums = np.cumsum(X, 1, dtype=np.float32)
    assert same(last, sums[:, -1:])
    assert same(kept, np.concatenate([sums[:, i : i + 1] for i in range(3)], 0))


def test_a_tensor_iterator_backwards_and_by_parts_of_two() -> None:
    back = 'axis="1" start="-1" end="0" stride="-1" part_size="1"'
    last, kept = iterator(back, 'axis="1" start="-1" end="0" stride="-1"').run({"x": X, "s": X[:, :1] * 0}).values()
    sums = np.cumsum(X[:, ::-1], 1, dtype=np.float32)
    assert same(last, sums[:, -1:])
    assert same(kept, np.ascontiguousarray(sums[:, ::-1]))
    x = np.arange(12, dtype=np.float32).reshape(2, 6)
    pairs = 'axis="1" start="0" end="-1" stride="2" part_size="2"'
    last, _ = iterator(pairs).run({"x": x, "s": x[:, :2] * 0}).values()
    assert same(last, x[:, 0:2] + x[:, 2:4] + x[:, 4:6])


@pytest.mark.parametrize("part", ['axis="1" stride="2" part_size="2"', 'axis="1" stride="0"', 'axis="1" start="9"'])
def test_parts_that_are_not_equal_are_refused(part: str) -> None:
    with pytest.raises(ShapeError, match="into equal parts"):
        iterator(part).run({"x": X, "s": X[:, :1]})


def loop(condition: bool = True, counts: str = "i64") -> Model:
    """Adds the number of the pass to x, until the sum of all is above `limit`."""
    ir, body = Ir(), Body()
    trips, go = ir.parameter("trips", counts, ""), ir.parameter("go", "boolean", "")
    x, limit = ir.parameter("x", "f32", "?,?"), ir.parameter("limit", "f32", "")
    number, state, most = (body.parameter(*each) for each in (("i", "i64", ""), ("a", "f32", "?,?"), ("m", "f32", "")))
    as_float = body.layer("Convert", [number], '<data destination_type="f32"/>')
    total = body.layer("Add", [state, as_float])
    axes = body.layer("ShapeOf", [body.layer("ShapeOf", [total], "", "opset1")], "", "opset1")
    zero = body.layer("Subtract", [axes, axes])
    first = body.layer("ReduceSum", [total, zero])
    summed = body.layer("ReduceSum", [first, zero])
    goes_on = body.layer("Less", [summed, most])
    last, kept, more = body.result(total), body.result(first), body.result(goes_on)
    outputs = [link(9, last), link(10, kept, 'axis="0"')]
    if condition:
        outputs.append(f'external_port_id="-1" internal_layer_id="{more}" purpose="execution_condition"')
    inputs = [link(2, state), link(3, most)]
    inputs.append(f'external_port_id="-1" internal_layer_id="{number}" purpose="current_iteration"')
    back = f'<back_edges><edge from-layer="{last}" to-layer="{state}"/></back_edges>'
    text = links("port_map", inputs, outputs) + back + body.text("body", ir.weights)
    return outputs_of(ir, ir.layer("Loop", [trips, go, x, limit], text, "opset5"), 2)


@pytest.mark.parametrize(("trips", "limit"), [(5, 1e9), (-1, 60), (5, 30), (3, -1)])
def test_a_loop_ends_by_its_count_or_its_condition(trips: int, limit: float) -> None:
    feeds = {"trips": np.int64(trips), "go": np.array(True), "x": X, "limit": np.float32(limit)}
    last, kept = loop().run(feeds).values()
    state, rows, i = X, [], 0
    while i != trips:
        state = state + np.float32(i)
        rows.append(state.sum(0))
        i += 1
        if not state.sum() < limit:
            break
    assert same(last, state)
    assert same(kept, np.concatenate(rows))


def test_a_loop_without_a_pass_gives_what_it_was_given() -> None:
    feeds = {"trips": np.int64(4), "go": np.array(False), "x": X, "limit": np.float32(9)}
    last, kept = loop().run(feeds).values()
    assert same(last, X)
    assert kept.size == 0


def test_a_body_takes_its_declared_types_alone() -> None:
    ir, body = Ir(), Body()
    x = ir.parameter("x", "f64", "1")
    state = body.parameter("a", "f32", "1")
    end = body.result(body.layer("Abs", [state]))
    trips, go = ir.const(np.int64(1)), ir.const(np.array(True))
    back = f'<back_edges><edge from-layer="{end}" to-layer="{state}"/></back_edges>'
    text = links("port_map", [link(2, state)], [link(9, end)]) + back + body.text("body", bytearray())
    model = outputs_of(ir, ir.layer("Loop", [trips, go, x], text, "opset5"), 1)
    with pytest.raises(DtypeError, match="the body's input 'a' is float32; it is given float64"):
        model.run([np.float64([1])])


def choice(then_output: int = 9) -> Model:
    ir = Ir()
    condition, x, y = ir.parameter("c", "boolean", ""), ir.parameter("x", "f32", "?,?"), ir.parameter("y", "f32", "?,?")
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


def test_port_maps_that_do_not_fit_are_refused() -> None:
    with pytest.raises(ModelError, match=r"layer 3 \(If .*external_port_id is 8, which is not among its 1 ports there"):
        choice(8)


def test_a_body_holds_constants() -> None:
    """They lie in the same .bin as those of the model."""
    ir, body = Ir(), Body()
    x, first = ir.parameter("x", "f32", "?,?"), ir.const(np.float32([[1]]))
    body.ir.weights = bytearray(ir.weights)
    row = body.parameter("row", "f32", "?,?")
    two = body.const(np.float32(2))
    end = body.result(body.layer("Multiply", [row, two]))
    ir.weights = bytearray()
    ports = links("port_map", [link(0, row, 'axis="0"')], [link(9, end, 'axis="0"')])
    layer = ir.layer("TensorIterator", [x], ports + body.text("body", ir.weights))
    ir.layer("Result", [first])
    assert same(outputs_of(ir, layer, 1).run([X])["y0"], 2 * X)


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


def test_what_openvino_saves_of_loops_and_branches_gives_the_same(tmp_path: Path) -> None:
    pytest.importorskip("openvino")
    from onnx import TensorProto, helper

    from building import onnx_bytes

    info = helper.make_tensor_value_info
    body = helper.make_graph(
        [
            helper.make_node("Add", ["a", "step"], ["b"]),
            helper.make_node("Identity", ["c"], ["on"]),
            helper.make_node("Mul", ["b", "step"], ["k"]),
        ],
        "body",
        [info("i", TensorProto.INT64, []), info("c", TensorProto.BOOL, []), info("a", TensorProto.FLOAT, [2, 3])],
        [info("on", TensorProto.BOOL, []), info("b", TensorProto.FLOAT, [2, 3]), info("k", TensorProto.FLOAT, [2, 3])],
    )
    branches = [
        helper.make_graph([helper.make_node(kind, ["z"], ["w"])], "b", [], [info("w", TensorProto.FLOAT, [2, 3])])
        for kind in ("Neg", "Exp")
    ]
    nodes = [
        helper.make_node("Loop", ["m", "go", "x"], ["z", "rows"], body=body),
        helper.make_node("If", ["flag"], ["y"], then_branch=branches[0], else_branch=branches[1]),
    ]
    constants = {"step": np.float32(0.5), "go": np.array(True), "m": np.int64(4)}
    ends = {"y": (TensorProto.FLOAT, [2, 3]), "rows": (TensorProto.FLOAT, None)}
    kinds = {"x": (TensorProto.FLOAT, [2, 3]), "flag": (TensorProto.BOOL, [])}
    model = onnx_bytes(nodes, kinds, ends, constants, opset=13)
    path, _ = saved(model, tmp_path)
    for flag in (True, False):
        feeds = [X, np.array(flag)]
        expected = list(load(model).run(feeds).values())
        found = list(load(path).run(feeds).values())
        assert all(same(a, b) for a, b in zip(found, expected, strict=True))
