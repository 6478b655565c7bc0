"""A model's own functions run as the nodes that they are made of, and calls have limits."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from onnx import AttributeProto, TensorProto, helper

from building import onnx_bytes, same
from samesum.errors import DtypeError, ModelError, UnsafeModelError, UnsupportedOperator
from samesum.frontends.models.load import load
from samesum.frontends.models.onnx_file import graphs as reader

F, B = TensorProto.FLOAT, TensorProto.BOOL
NODE = helper.make_node
X = np.float32([[1, 2, 3], [4, 5, 6]])
OPSETS = [helper.make_opsetid("", 18), helper.make_opsetid("local", 1)]


def function(name: str, inputs: list[str], outputs: list[str], nodes: list[Any], opset: int = 18, **more: Any) -> Any:
    opsets = [helper.make_opsetid("", opset), helper.make_opsetid("local", 1)]
    return helper.make_function(more.pop("domain", "local"), name, inputs, outputs, nodes, opsets, **more)


def call(function: str, inputs: list[str], outputs: list[str], **attributes: Any) -> Any:
    return NODE(function, inputs, outputs, domain="local", **attributes)


def run(nodes: list[Any], functions: list[Any], outputs: tuple[str, ...] = ("y",), **feeds: Any) -> list[np.ndarray]:
    return list(loaded(nodes, functions, outputs, **feeds).run(feeds).values())


def loaded(nodes: list[Any], functions: list[Any], outputs: tuple[str, ...] = ("y",), **feeds: Any) -> Any:
    kinds = {name: (helper.np_dtype_to_tensor_dtype(array.dtype), None) for name, array in feeds.items()}
    ends = dict.fromkeys(outputs, (0, None))
    return load(onnx_bytes(nodes, kinds, ends, opset_imports=OPSETS, functions=functions))


CENTRED = function(
    "Centred",
    ["v"],
    ["w"],
    [NODE("ReduceMean", ["v"], ["mean"], name="m"), NODE("Sub", ["v", "mean"], ["w"])],
)


def test_calls_have_values_of_their_own() -> None:
    nodes = [
        call("Centred", ["x"], ["mean"]),
        call("Centred", ["mean"], ["b"], name="again"),
        NODE("Add", ["mean", "b"], ["y"]),
    ]
    assert same(run(nodes, [CENTRED], x=X)[0], 2 * (X - X.mean()))
    once = ("onnx.ReduceMean-18", "onnx.Sub-14")
    assert loaded(nodes, [CENTRED], x=X).operators == (*once, *once, "onnx.Add-14")
    with pytest.raises(DtypeError, match=r"node 'again/m': onnx.ReduceMean-18: data is bool"):
        run([call("Centred", ["x"], ["y"], name="again")], [CENTRED], x=X == 1)


def test_attributes_of_the_call_their_defaults_and_none() -> None:
    node = NODE("ReduceSum", ["v", "axes"], ["w"])
    for name, referred in (("keepdims", "keep"), ("noop_with_empty_axes", "noop")):
        attribute = AttributeProto(name=name, ref_attr_name=referred, type=AttributeProto.INT)
        node.attribute.append(attribute)
    constant = NODE("Constant", [], ["axes"])
    constant.attribute.append(AttributeProto(name="value_ints", ref_attr_name="along", type=AttributeProto.INTS))
    summed = function(
        "Summed",
        ["v"],
        ["w"],
        [constant, node],
        attributes=["noop", "along"],
        attribute_protos=[helper.make_attribute("keep", 0)],
    )
    assert same(run([call("Summed", ["x"], ["y"], along=[1])], [summed], x=X)[0], X.sum(1))
    assert same(run([call("Summed", ["x"], ["y"], along=[1], keep=1)], [summed], x=X)[0], X.sum(1, keepdims=True))


def test_functions_call_functions_and_stand_in_graphs() -> None:
    branch = helper.make_graph([call("Centred", ["v"], ["z"])], "b", [], [helper.make_tensor_value_info("z", F, None)])
    other = helper.make_graph([NODE("Neg", ["k"], ["z"])], "b", [], [helper.make_tensor_value_info("z", F, None)])
    chosen = function(
        "Chosen",
        ["v", "flag"],
        ["w"],
        [NODE("Abs", ["v"], ["k"]), NODE("If", ["flag"], ["w"], then_branch=branch, else_branch=other)],
    )
    for flag, expected in ((True, X - X.mean()), (False, -X)):
        assert same(run([call("Chosen", ["x", "c"], ["y"])], [CENTRED, chosen], x=X, c=np.array(flag))[0], expected)


def test_names_inside_a_graph_of_a_function_stay_apart_from_those_around_the_call() -> None:
    """The branch names its own value x, as the caller does; the formal input v is the caller's x."""
    branch = helper.make_graph(
        [NODE("Neg", ["v"], ["x"]), NODE("Add", ["x", "v"], ["z"])],
        "b",
        [],
        [helper.make_tensor_value_info("z", F, None)],
    )
    made = function("Zero", ["v", "f"], ["w"], [NODE("If", ["f"], ["w"], then_branch=branch, else_branch=branch)])
    assert not run([call("Zero", ["x", "c"], ["y"])], [made], x=X, c=np.array(True))[0].any()


def test_inputs_and_outputs_that_are_left_out_or_passed_through() -> None:
    clipped = function("Clipped", ["v", "low", "high"], ["w", "v"], [NODE("Clip", ["v", "low", "high"], ["w"])])
    nodes = [call("Clipped", ["x", "", "k"], ["a", "b"]), call("Clipped", ["x"], ["c"]), NODE("Add", ["a", "c"], ["y"])]
    found = run(nodes, [clipped], ("y", "b"), x=X, k=np.float32(2))
    assert same(found[0], np.minimum(X, 2) + X)
    assert same(found[1], X)


def test_a_function_has_opsets_of_its_own() -> None:
    old = function("Old", ["v"], ["w"], [NODE("ReduceSum", ["v"], ["w"], axes=[1], keepdims=0)], opset=11)
    assert same(run([call("Old", ["x"], ["y"])], [old], x=X)[0], X.sum(1))


def test_a_function_takes_the_place_of_an_operator() -> None:
    twice = function("Exp", ["v"], ["w"], [NODE("Add", ["v", "v"], ["w"])], domain="")
    assert same(run([NODE("Exp", ["x"], ["y"])], [twice], x=X)[0], X + X)


def test_what_a_function_needs_is_refused_where_it_is_called() -> None:
    odd = function("Odd", ["v"], ["w"], [NODE("STFT", ["v"], ["w"], name="deep")])
    with pytest.raises(UnsupportedOperator, match=r"STFT \(ai.onnx 18, node 'Odd 0/deep'\)"):
        run([call("Odd", ["x"], ["y"])], [odd], x=X)
    with pytest.raises(ModelError, match="has 1 inputs and 1 outputs; the node has 2 and 1"):
        run([call("Odd", ["x", "x"], ["y"])], [odd], x=X)


def test_functions_that_call_themselves_are_refused() -> None:
    one = function("One", ["v"], ["w"], [call("Two", ["v"], ["w"], name="a")])
    two = function("Two", ["v"], ["w"], [call("One", ["v"], ["w"], name="b")])
    with pytest.raises(ModelError, match="node 'start/a/b': the function 'One' calls itself"):
        run([call("One", ["x"], ["y"], name="start")], [one, two], x=X)


def test_calls_that_double_again_and_again_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    """2^31 nodes out of 31 functions of two."""
    functions = [function("F0", ["v"], ["w"], [NODE("Neg", ["v"], ["w"])])]
    for i in range(1, 31):
        functions.append(
            function(f"F{i}", ["v"], ["w"], [call(f"F{i - 1}", ["v"], ["t"]), call(f"F{i - 1}", ["t"], ["w"])])
        )
    monkeypatch.setattr(reader, "MOST_NODES", 5000)
    with pytest.raises(UnsafeModelError, match="come to more than 5000 nodes"):
        run([call("F30", ["x"], ["y"])], functions, x=X)


def test_calls_that_copy_large_constants_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    constant = NODE("Constant", [], ["k"], value=helper.make_tensor("", F, [1000], np.zeros(1000, np.float32)))
    large = function("Large", ["v"], ["w"], [constant, NODE("Add", ["v", "k"], ["w"])])
    nodes = [call("Large", [f"v{i}"], [f"v{i + 1}"]) for i in range(40)]
    monkeypatch.setattr(reader, "MOST_BYTES", 100_000)
    with pytest.raises(UnsafeModelError, match="or more than 100000 bytes"):
        run(nodes, [large], ("v40",), v0=np.zeros(1000, np.float32))


def test_a_long_chain_of_functions_is_refused() -> None:
    functions = [function("F0", ["v"], ["w"], [NODE("Neg", ["v"], ["w"])])]
    functions += [function(f"F{i}", ["v"], ["w"], [call(f"F{i - 1}", ["v"], ["w"])]) for i in range(1, 60)]
    with pytest.raises(UnsafeModelError, match="called by 32 functions one inside the other"):
        run([call("F59", ["x"], ["y"])], functions, x=X)
    assert same(run([call("F20", ["x"], ["y"])], functions, x=X)[0], -X)
