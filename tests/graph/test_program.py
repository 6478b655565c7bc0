"""A graph made ready and run: order, what is known beforehand, what is freed, what a caller may give."""

from __future__ import annotations

import gc
import weakref
from dataclasses import replace

import numpy as np
import pytest
from onnx import TensorProto, helper

from building import Ir, onnx_bytes, same
from samesum.errors import AttributeValueError, AxisError, DtypeError, ModelError, SamesumError, ShapeError
from samesum.frontends.models.load import load
from samesum.graph.model import Value
from samesum.graph.steps import Step

F, I64 = TensorProto.FLOAT, TensorProto.INT64
NODE = helper.make_node
X = np.arange(12, dtype=np.float32).reshape(3, 4)


def chain(**options: object) -> bytes:
    nodes = [NODE("Exp", ["x"], ["a"]), NODE("Neg", ["a"], ["b"]), NODE("Add", ["b", "b"], ["c"])]
    return onnx_bytes([*nodes, NODE("Sqrt", ["c"], ["y"])], {"x": (F, ["n", 4])}, {"y": (F, None)}, **options)


def test_each_value_is_freed_after_its_last_use() -> None:
    model = load(chain())
    alive: list[int] = []
    references: list[weakref.ref[np.ndarray]] = []

    def watched(step: Step) -> Step:
        def call(inputs: list[np.ndarray]) -> tuple[np.ndarray, ...]:
            gc.collect()
            alive.append(sum(reference() is not None for reference in references))
            result = step.call(inputs)[0].copy()
            references.append(weakref.ref(result))
            return (result,)

        return replace(step, call=call)

    inner = model._program
    type(model)(replace(inner, steps=tuple(map(watched, inner.steps)))).run(X)
    assert alive == [0, 1, 1, 1]
    assert [step.frees for step in inner.steps] == [("x",), ("a",), ("b",), ("c",)]


@pytest.mark.parametrize("length", [0, 1, 2000])
def test_long_chains_are_no_trouble(length: int) -> None:
    nodes = [NODE("Neg", [f"v{i}"], [f"v{i + 1}"]) for i in range(length)]
    nodes = [NODE("Abs", ["x"], ["v0"]), *nodes, NODE("ReduceMax", [f"v{length}"], ["y"], axes=[-1])]
    model = load(onnx_bytes(nodes, {"x": (F, ["n", 4])}, {"y": (F, None)}, opset=13))
    assert model.run(np.float32([[3, -4, 3, -4]]))["y"].tolist() == [[4.0 if length % 2 == 0 else -3.0]]


def test_nodes_run_in_any_order_and_unreachable_ones_not_at_all() -> None:
    nodes = [NODE("Sqrt", ["b"], ["y"]), NODE("Abs", ["x"], ["b"]), NODE("NoSuch", ["b"], ["z"])]
    model = load(onnx_bytes(nodes, {"x": (F, [1])}, {"y": (F, [1])}))
    assert model.operators == ("onnx.Abs-13", "onnx.Sqrt-13")
    assert model.run(np.float32([-4]))["y"].tolist() == [2]


def test_a_cycle_is_refused() -> None:
    nodes = [NODE("Add", ["x", "b"], ["a"], name="first"), NODE("Abs", ["a"], ["b"], name="second")]
    with pytest.raises(ModelError, match=r"'first', 'second'.*a cycle"):
        load(onnx_bytes(nodes, {"x": (F, [1])}, {"b": (F, [1])}))


@pytest.mark.parametrize(
    ("nodes", "message"),
    [
        ([NODE("Abs", ["gone"], ["y"], name="n")], "value 'gone', an input of node 'n', comes from nowhere"),
        ([NODE("Abs", ["x"], ["z"])], "value 'y', a result of the model, comes from nowhere"),
        ([NODE("Abs", ["x"], ["y"], name="n"), NODE("Exp", ["x"], ["y"])], "'y' is an output of node 'n' and an"),
        ([NODE("Abs", ["x"], ["x"], name="n")], "value 'x' is an input and an output of node 'n'"),
    ],
)
def test_every_value_has_one_source(nodes: list[object], message: str) -> None:
    with pytest.raises(ModelError, match=message):
        load(onnx_bytes(nodes, {"x": (F, [1])}, {"y": (F, [1])}))


def test_inputs_come_by_name_by_position_or_alone() -> None:
    model = load(chain())
    expected = np.sqrt(-2 * np.exp(X), where=False, out=np.full_like(X, np.nan))
    for given in ({"x": X}, [X], (X,), X, X.astype(">f4"), np.asfortranarray(X)):
        (y,) = model.run(given).values()
        assert y.shape == expected.shape
        assert np.isnan(y).all()


@pytest.mark.parametrize(
    ("given", "error", "message"),
    [
        ({}, AttributeValueError, r"missing input 'x'; the model has 1 input: 'x' float32 \[\?, 4\]"),
        ({"x": X, "q": X}, AttributeValueError, "unknown input 'q'"),
        ([X, X], AttributeValueError, "2 inputs were given; the model has 1"),
        (X.astype(np.float64), DtypeError, "input 'x' is float64; the model takes float32"),
        (X[:, :3], ShapeError, r"input 'x' has shape \[3, 3\]; the model takes \[\?, 4\]"),
        (X[0], ShapeError, r"input 'x' has shape \[4\]"),
    ],
)
def test_inputs_that_do_not_fit(given: object, error: type[Exception], message: str) -> None:
    with pytest.raises(error, match=f"^model: {message}"):
        load(chain()).run(given)


def test_an_error_names_model_node_and_operator_once() -> None:
    node = NODE("ReduceSum", ["x", "axes"], ["y"], name="total")
    model = load(onnx_bytes([node], {"x": (F, [None, 4]), "axes": (I64, [None])}, {"y": (F, None)}))
    with pytest.raises(AxisError, match=r"^model: node 'total': onnx\.ReduceSum-13: ") as caught:
        model.run([X, np.int64([5])])
    assert str(caught.value).count("ReduceSum") == 1


def test_axes_given_when_it_runs() -> None:
    node = NODE("ReduceSum", ["x", "axes"], ["y"], keepdims=0)
    model = load(onnx_bytes([node], {"x": (F, [None, 4]), "axes": (I64, [None])}, {"y": (F, None)}))
    assert model.outputs == (Value("y", np.dtype(np.float32), None),)
    assert "axes known when it runs" in model.plan()
    assert model.run([X, np.int64([1])])["y"].tolist() == [6, 22, 38]
    assert model.run([X, np.int64([])])["y"].tolist() == 66


def test_what_is_known_beforehand_follows_shapes_through_the_graph() -> None:
    nodes = [
        NODE("Shape", ["w"], ["s"]),
        NODE("Gather", ["s", "last"], ["n"]),
        NODE("Concat", ["minus", "n"], ["target"], axis=0),
        NODE("Reshape", ["x", "target"], ["r"]),
        NODE("Transpose", ["r"], ["t"]),
        NODE("Slice", ["t", "zero", "two", "zero"], ["cut"]),
        NODE("Cast", ["cut"], ["c"], to=TensorProto.BFLOAT16),
        NODE("ReduceL2", ["c", "minus"], ["y"], keepdims=0),
    ]
    constants = {
        "w": np.zeros((5, 4), np.float32),
        "last": np.int64([1]),
        "minus": np.int64([-1]),
        "zero": np.int64([0]),
        "two": np.int64([2]),
    }
    model = load(onnx_bytes(nodes, {"x": (F, ["a", "b", 4])}, {"y": (TensorProto.BFLOAT16, None)}, constants))
    facts = {step.node.outputs[0]: step.facts[0] for step in model._program.steps}
    assert facts["target"].value is not None
    assert facts["target"].value.tolist() == [-1, 4]
    assert facts["r"].shape == (None, 4)
    assert facts["cut"].shape == (2, None)
    (output,) = model.outputs
    assert (output.dtype.name if output.dtype else None, output.shape) == ("bfloat16", (2,))
    assert model.run(np.ones((3, 2, 4), np.float32))["y"].astype(float).tolist() == [2.453125] * 2


def test_what_constants_give_is_computed_once_unless_it_is_larger_than_they_are() -> None:
    w, many = np.arange(6000, dtype=np.float32).reshape(2, 3000), np.int64([3, 2, 3000])
    nodes = [
        NODE("Concat", ["w", "w"], ["both"], axis=0),
        NODE("Expand", ["w", "many"], ["large"]),
        NODE("Add", ["x", "both"], ["y"]),
        NODE("Add", ["x", "large"], ["z"]),
    ]
    ends = {"y": (F, None), "both": (F, None), "z": (F, None)}
    model = load(onnx_bytes(nodes, {"x": (F, [1, 3000])}, ends, {"w": w, "many": many}))
    assert {step.title.split(".")[1]: step.is_known for step in model._program.steps} == {
        "Concat-4": True,
        "Expand-8": False,
        "Add-14": False,
    }
    assert "-> both float32 [4, 3000]; known beforehand" in model.plan()
    for _ in range(2):
        found = model.run(np.ones((1, 3000), np.float32))
        assert same(found["both"], np.concatenate([w, w]))
        assert same(found["y"], np.concatenate([w, w]) + 1)
        assert same(found["z"], np.broadcast_to(w + 1, (3, 2, 3000)))
        found["both"][...] = 7  # it is the caller's own


def test_a_graph_that_a_node_holds_knows_the_constants_around_it() -> None:
    inner = [NODE("Concat", ["w", "w"], ["both"], axis=0), NODE("Add", ["x", "both"], ["t"])]
    then = helper.make_graph(inner, "then", [], [helper.make_tensor_value_info("t", F, None)])
    other = helper.make_graph(
        [NODE("Sub", ["x", "w"], ["e"])], "else", [], [helper.make_tensor_value_info("e", F, None)]
    )
    node = NODE("If", ["c"], ["y"], then_branch=then, else_branch=other)
    w = np.float32([[1], [2]])
    ends = {"c": (TensorProto.BOOL, []), "x": (F, [1, 3])}
    model = load(onnx_bytes([node], ends, {"y": (F, None)}, {"w": w}))
    branches = dict(model._program.steps[0].inner)
    assert [step.is_known for step in branches["then_branch"]] == [True, False]
    assert branches["then_branch"][1].facts[0].shape == (4, 3)
    x = np.ones((1, 3), np.float32)
    assert same(model.run([np.bool_(True), x])["y"], x + np.concatenate([w, w]))
    assert same(model.run([np.bool_(False), x])["y"], x - w)


def test_a_slice_of_an_unknown_dim_is_not_foretold() -> None:
    node = NODE("Slice", ["x", "zero", "two"], ["y"])
    constants = {"zero": np.int64([0]), "two": np.int64([2])}
    model = load(onnx_bytes([node], {"x": (F, ["n", 3])}, {"y": (F, None)}, constants))
    assert model.outputs[0].shape == (None, 3)
    assert model.run(np.ones((1, 3), np.float32))["y"].shape == (1, 3)


def test_of_inputs_that_a_node_will_refuse_nothing_is_foretold() -> None:
    """A file is read whatever types, ranks and numbers its initializers have; running it says what does not fit."""
    one, three = np.ones(3, np.float32), np.ones((2, 4, 3, 4), np.float32)
    attend = {"k": three, "v": three, "m": np.ones((3, 3), np.float32), "p": np.ones((2, 1), np.float32)}
    calls = [
        ("ReduceMax", {"a": np.float32([np.nan])}, 18, {}),
        ("ReduceSum", {"a": np.float32([np.inf])}, 13, {}),
        ("ConvTranspose", {"w": np.float32(1)}, 22, {}),
        ("ConvTranspose", {"w": one}, 22, {}),
        ("Conv", {"w": np.float32(1)}, 22, {}),
        ("Conv", {"w": three[:0]}, 22, {"group": 2**63 - 1}),
        ("Attention", attend | {"q": attend["p"]}, 24, {}),
    ]
    for depth in (np.nan, np.inf, -1):
        calls.append(("OneHot", {"d": np.float32(depth), "v": np.float32([0, 1])}, 11, {}))
    for name, constants, opset, attributes in calls:
        node = NODE(name, ["x", *constants], ["y"], **attributes)
        model = load(onnx_bytes([node], {"x": (F, [2, 4, 3, 4])}, {"y": (0, None)}, constants, opset))
        with pytest.raises(SamesumError, match=rf"node '#0': onnx\.{name}-"):
            model.run(three)


def test_what_older_and_fused_operators_give_is_foretold() -> None:
    for name in ("Greater", "Equal", "Less"):
        x, b = (np.ones(shape, np.int32 if name == "Equal" else np.float32) for shape in ((2, 4, 3, 1), 4))
        node = NODE(name, ["x", "b"], ["y"], broadcast=1, axis=1)
        kinds = {"x": (helper.np_dtype_to_tensor_dtype(x.dtype), x.shape)}
        model = load(onnx_bytes([node], kinds, {"y": (0, None)}, {"b": b}, 6))
        found = model.run(x)["y"]
        assert model.outputs == (Value("y", np.dtype(np.bool_), found.shape),), name
    for batch in (1, -1, 0):
        ir = Ir()
        data, indices, axis = ir.parameter("x", "f32", "2,4,3"), ir.const(np.int64([[1], [0]])), ir.const(np.int64(1))
        model = ir.result(ir.layer("Gather", [data, indices, axis], f'<data batch_dims="{batch}"/>', "opset8")).load()
        assert model.run(np.ones((2, 4, 3), np.float32)).popitem()[1].shape == model.outputs[0].shape


def test_a_file_that_contradicts_itself_is_warned_of_and_still_runs() -> None:
    node = NODE("ReduceSum", ["x"], ["y"], keepdims=0)
    data = onnx_bytes([node], {"x": (F, [2, 3])}, {"y": (I64, [7])})
    with pytest.warns(UserWarning, match=r"model: 'y' is declared int64 \[7\] and is float32 \[\]"):
        model = load(data)
    assert model.outputs == (Value("y", np.dtype(np.float32), ()),)
    assert same(model.run(np.ones((2, 3), np.float32))["y"], np.float32(6))


def test_outputs_share_no_memory() -> None:
    nodes = [NODE("Identity", ["x"], ["a"]), NODE("Identity", ["x"], ["b"]), NODE("Expand", ["w", "s"], ["c"])]
    outputs = dict.fromkeys(("a", "b", "c", "w"), (F, None))
    constants = {"w": np.float32([1]), "s": np.int64([3])}
    model = load(onnx_bytes(nodes, {"x": (F, [2])}, outputs, constants))
    x = np.float32([1, 2])
    found = model.run(x)
    assert list(found) == ["a", "b", "c", "w"]
    for array in found.values():
        array[...] = 9
    assert x.tolist() == [1, 2]
    assert model.run(x)["w"].tolist() == [1]
    assert model.run(x)["c"].tolist() == [1, 1, 1]


def test_the_plan_reads_as_what_runs() -> None:
    ir = Ir()
    x = ir.parameter("x", "f32", "?,4")
    total = ir.layer("ReduceSum", [x, ir.const(np.int64([1]))], '<data keep_dims="true"/>', name="total")
    model = ir.result(ir.layer("Divide", [x, total], name="share"), "y").load()
    assert model.plan().splitlines() == [
        "model: openvino, 2 steps",
        "  input   x float32 [?, 4]",
        "  1. openvino.ReduceSum-1(x, const_1) -> total float32 [?, 1]; axes [1], keepdims",
        "  2. openvino.Divide-1(x, total) -> share float32 [?, 4]; frees x, total",
        "  output  y float32 [?, 4], which is share",
    ]
    assert repr(model) == "<Model model: x float32 [?, 4] -> y float32 [?, 4]>"


def test_too_little_memory_is_an_error_of_the_node() -> None:
    nodes = [NODE("Expand", ["x", "s"], ["a"]), NODE("Exp", ["a"], ["y"])]
    model = load(onnx_bytes(nodes, {"x": (F, [1]), "s": (I64, [None])}, {"y": (F, None)}))
    with pytest.raises(MemoryError, match=r"^model: node '#1': onnx.Exp-13: not enough memory: Unable") as caught:
        model.run([np.float32([1]), np.int64([2**20, 2**20])])
    assert str(caught.value).count("memory") == 1
