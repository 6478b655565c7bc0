"""Sessions of ONNX Runtime with samesum's operators: which nodes are samesum's."""

from __future__ import annotations

from pathlib import Path
from threading import Thread
from typing import Any

import numpy as np
import pytest
from onnx import TensorProto, helper, load_model

import samesum as ss
from building import onnx_bytes
from samesum import UnsupportedOperator
from samesum.onnx import custom_ops_library, exact_session
from sessions import HUGE, NODE, F, one_node, quiet

onnxruntime = pytest.importorskip("onnxruntime")

H, I64 = TensorProto.FLOAT16, TensorProto.INT64
EXAMPLES = Path(__file__).parents[2] / "examples" / "onnx"
MANY = np.full((1, 2**25), 1, np.float32)
"""Added one after the other, they are 2^24."""
X = np.load(EXAMPLES.parent / "data" / "activations.npy")


def operators_in(path: Path) -> list[str]:
    return [node.op_type for node in load_model(path).graph.node]


def test_the_rest_of_a_model_is_the_runtimes() -> None:
    nodes = [
        NODE("MatMul", ["x", "x"], ["product"]),
        NODE("ReduceL2", ["product", "axes"], ["norm"]),
        NODE("Sigmoid", ["norm"], ["y"]),
    ]
    ends = {"x": (F, [2, 2])}, {"norm": (F, [2, 1]), "y": (F, [2, 1])}
    model = onnx_bytes(nodes, *ends, {"axes": np.int64([1])})
    x = np.float32([[1e15, 0], [0, 2e15]])
    found, y = exact_session(model).run(None, {"x": x})
    assert found.tobytes() == ss.l2_norm(x @ x, axis=1, keepdims=True).tobytes()
    assert np.isfinite(found).all()
    assert y.tolist() == [[1.0], [1.0]]
    plain = onnxruntime.InferenceSession(model, quiet()).run(["norm"], {"x": x})[0]
    assert plain.tolist() == [[np.inf], [np.inf]]


def test_a_path_and_bytes_give_the_same() -> None:
    path = EXAMPLES / "l2_normalize.onnx"
    x = np.full((1, 1, 1024), 3e30, np.float32)
    for source in (path, str(path), path.read_bytes()):
        assert exact_session(source).run(["y"], {"x": x})[0][0, 0, 0] == np.float32(0.03125)


@pytest.mark.parametrize("level", ["ORT_DISABLE_ALL", "ORT_ENABLE_BASIC", "ORT_ENABLE_EXTENDED", "ORT_ENABLE_ALL"])
def test_no_fusion_swallows_the_means_of_a_layer_normalization(level: str, tmp_path: Path) -> None:
    saved = tmp_path / "optimized.onnx"
    options = quiet(
        optimized_model_filepath=str(saved),
        graph_optimization_level=getattr(onnxruntime.GraphOptimizationLevel, level),
    )
    session = exact_session(EXAMPLES / "layer_norm.onnx", options)
    assert operators_in(saved).count("ReduceMean") == 2
    expected = ss.load(EXAMPLES / "layer_norm.onnx").run({"x": X})["y"]
    assert np.abs(session.run(None, {"x": X})[0] - expected).max() < 1e-6  # Sqrt and Div are the runtime's


def attention(opset: int) -> bytes:
    """Softmax of scores to which a mask is added, as exported transformers have it."""
    nodes = [
        NODE("MatMul", ["q", "k"], ["scores"]),
        NODE("Add", ["scores", "mask"], ["masked"]),
        NODE("Softmax", ["masked"], ["weights"], axis=3),
        NODE("MatMul", ["weights", "v"], ["y"]),
    ]
    inputs = {"q": (F, [1, 2, 4, 8]), "k": (F, [1, 2, 8, 4]), "v": (F, [1, 2, 4, 8]), "mask": (F, [1, 1, 1, 4])}
    return onnx_bytes(nodes, inputs, {"weights": (F, [1, 2, 4, 4]), "y": (F, [1, 2, 4, 8])}, opset=opset)


@pytest.mark.parametrize("by_hand", [False, True])
def test_no_fusion_swallows_the_softmax_of_attention(by_hand: bool, tmp_path: Path) -> None:
    saved = tmp_path / "optimized.onnx"
    options = quiet(optimized_model_filepath=str(saved))
    if by_hand:
        options.register_custom_ops_library(custom_ops_library())
        onnxruntime.InferenceSession(attention(13), options)
    else:
        exact_session(attention(13), options)
    assert operators_in(saved).count("Softmax") == 1


def body(name: str, inputs: list[Any], outputs: list[Any], nodes: list[Any]) -> Any:
    return helper.make_graph(nodes, name, inputs, outputs)


def value(name: str, kind: int = F, shape: list[int] | None = None) -> Any:
    return helper.make_tensor_value_info(name, kind, shape)


def norm(x: str, y: str) -> Any:
    return NODE("ReduceL2", [x], [y], axes=[-1], keepdims=0)


def test_bodies_of_if_loop_and_scan_are_exact_too() -> None:
    branches = {f"{way}_branch": body(way, [], [value(way)], [norm("x", way)]) for way in ("then", "else")}
    loop = body(
        "loop",
        [value("i", I64, []), value("go", TensorProto.BOOL, []), value("before", F, [2, 2])],
        [value("on", TensorProto.BOOL, []), value("after", F, [2, 2]), value("norms")],
        [NODE("Identity", ["go"], ["on"]), NODE("Identity", ["before"], ["after"]), norm("before", "norms")],
    )
    scan = body("scan", [value("row", F, [2])], [value("length")], [norm("row", "length")])
    nodes = [
        NODE("If", ["yes"], ["branch"], **branches),
        NODE("Loop", ["once", "", "x"], ["last", "rows"], body=loop),
        NODE("Scan", ["x"], ["each"], num_scan_inputs=1, body=scan),
    ]
    ends = {"x": (F, [2, 2])}, {"branch": (F, None), "rows": (F, None), "each": (F, None)}
    model = onnx_bytes(nodes, *ends, {"yes": np.array(True), "once": np.array(1, np.int64)}, opset=17)
    branch, rows, each = exact_session(model).run(None, {"x": HUGE})
    expected = [np.float32(5e30), np.sqrt(np.float32(2))]
    assert branch.tolist() == expected
    assert rows.tolist() == [expected]
    assert each.tolist() == expected
    assert onnxruntime.InferenceSession(model, quiet()).run(["each"], {"x": HUGE})[0][0] == np.inf


def model_with_function(nodes: list[Any], opset: int) -> bytes:
    function = helper.make_function("mine", "Mine", ["a"], ["b"], nodes, [helper.make_opsetid("", opset)])
    return onnx_bytes(
        [NODE("Mine", ["x"], ["y"], domain="mine")],
        {"x": (F, [2, 2])},
        {"y": (F, None)},
        functions=[function],
        opset_imports=[helper.make_opsetid("", 18), helper.make_opsetid("mine", 1)],
    )


def test_model_local_functions_are_exact_too() -> None:
    nodes = [NODE("Constant", [], ["c"], value_ints=[1]), NODE("ReduceL2", ["a", "c"], ["b"], keepdims=0)]
    assert exact_session(model_with_function(nodes, 18)).run(None, {"x": HUGE})[0][0] == np.float32(5e30)


def test_a_function_of_an_opset_with_other_versions_is_refused_unless_they_are_left_out() -> None:
    model = model_with_function([NODE("Abs", ["a"], ["b"])], 13)
    with pytest.raises(UnsupportedOperator, match=r"the function 'Mine' has opset 13 and the model 18, .* ReduceL2"):
        exact_session(model)
    assert exact_session(model, operators=["ReduceSum", "Softmax"]).run(None, {"x": -HUGE})[0].tolist() == HUGE.tolist()


@pytest.mark.parametrize("operator", ["Softmax", "LogSoftmax", "Hardmax"])
@pytest.mark.parametrize("opset", [11, 12, 13, 17])
def test_softmax_has_the_meaning_of_the_models_opset(operator: str, opset: int) -> None:
    x = np.float32(np.arange(24).reshape(2, 3, 4) % 5)
    model = one_node(operator, opset, rank=3, axis=1)
    expected = getattr(ss.onnx, operator)(x, axis=1, opset=opset)
    assert exact_session(model).run(None, {"x": x})[0].tobytes() == expected.tobytes()


def test_without_the_opset_softmax_is_samesums_from_13_on_and_never_misread() -> None:
    x = np.float32(np.arange(24).reshape(2, 3, 4) % 5)
    options = quiet()
    options.register_custom_ops_library(custom_ops_library())
    new, old = (onnxruntime.InferenceSession(one_node("Softmax", o, rank=3, axis=1), options) for o in (13, 11))
    assert new.run(None, {"x": x})[0].tobytes() == ss.onnx.Softmax(x, axis=1).tobytes()
    assert np.allclose(old.run(None, {"x": x})[0], ss.onnx.Softmax(x, axis=1, opset=11), rtol=1e-6)


def test_without_the_opset_axes_are_an_input_or_an_attribute() -> None:
    options = quiet()
    options.register_custom_ops_library(custom_ops_library())
    for model in (
        "opset11/reduce_l2_axes_2_3.onnx",
        "opset13/reduce_l2_axes_2_3.onnx",
        "opset13/reduce_sum_axes_2_3.onnx",
    ):
        y = onnxruntime.InferenceSession(EXAMPLES / model, options).run(None, {"data": X})[0]
        (expected,) = ss.load(EXAMPLES / model).run({"data": X}).values()
        assert y.tobytes() == expected.tobytes()


def test_shapes_are_known_before_the_model_runs() -> None:
    nodes = [
        NODE("ReduceMax", ["x"], ["max"], axes=[-1]),
        NODE("ReduceMin", ["x"], ["min"], axes=[0, 2], keepdims=0),
        NODE("ArgMax", ["x"], ["place"], axis=1, keepdims=0),
        NODE("Softmax", ["x"], ["softmax"]),
        NODE("ReduceSum", ["x"], ["sum"]),
    ]
    names = ("max", "min", "place", "softmax", "sum")
    outputs = {name: (I64 if name == "place" else F, None) for name in names}
    session = exact_session(onnx_bytes(nodes, {"x": (F, ["n", 3, 4])}, outputs, opset=13))
    shapes = {output.name: output.shape for output in session.get_outputs()}
    assert shapes == {"max": ["n", 3, 1], "min": [3], "place": ["n", 4], "softmax": ["n", 3, 4], "sum": []}


def test_operators_choose_which_are_exact() -> None:
    nodes = [NODE("ReduceL2", ["x"], ["l2"], axes=[1]), NODE("ReduceSumSquare", ["x"], ["square"], axes=[1])]
    model = onnx_bytes(nodes, {"x": (F, [1, 3])}, {"l2": (F, [1, 1]), "square": (F, [1, 1])}, opset=13)
    x = np.float32([[2**12, 1, 1]])
    both = exact_session(model).run(None, {"x": x})
    one = exact_session(model, operators=["ReduceL2"]).run(None, {"x": x})
    assert both[1].tolist() == [[2**24 + 2]]
    assert one[0].tolist() == both[0].tolist()
    huge = np.float32([[1e30, 1e30, 0]])
    assert np.isinf(exact_session(model, operators={"ReduceSumSquare"}).run(["l2"], {"x": huge})[0]).all()
    assert np.isfinite(exact_session(model, operators=("ReduceL2",)).run(["l2"], {"x": huge})[0]).all()


def test_float16_stays_float16() -> None:
    nodes = [
        NODE("Add", ["x", "x"], ["twice"]),
        NODE("ReduceSum", ["twice"], ["sum"], keepdims=1),
        NODE("Sub", ["sum", "sum"], ["y"]),
    ]
    model = onnx_bytes(nodes, {"x": (H, [1, 40000])}, {"sum": (H, None), "y": (H, None)}, opset=13)
    x = np.full((1, 40000), 0.5, np.float16)
    assert exact_session(model).run(["sum"], {"x": x})[0].tolist() == [[40000.0]]
    # The rounding of each node to float16: 40001 lies between 40000 and 40032.
    x[0, 0] = 1
    assert exact_session(model).run(["sum"], {"x": x})[0].tolist() == [[40000.0]]


def test_axes_that_are_computed() -> None:
    nodes = [NODE("Add", ["k", "k"], ["axes"]), NODE("ReduceL2", ["x", "axes"], ["y"], noop_with_empty_axes=1)]
    model = onnx_bytes(nodes, {"x": (F, [2, 2, 2]), "k": (I64, [None])}, {"y": (F, None)})
    session = exact_session(model)
    x = np.float32(np.arange(8).reshape(2, 2, 2))
    for k in ([], [1], [0, -1]):
        found = session.run(None, {"x": x, "k": np.int64(k)})[0]
        assert found.tobytes() == ss.onnx.ReduceL2(x, np.int64([2 * i for i in k]), noop_with_empty_axes=1).tobytes()


@pytest.mark.parametrize("threads", [1, 2, 3])
def test_the_sessions_threads_change_no_bit(threads: int) -> None:
    session = exact_session(one_node("ReduceSum", 11, axes=[1]), quiet(intra_op_num_threads=threads))
    assert session.run(None, {"x": MANY})[0].tolist() == [[2**25]]
    softmax = exact_session(one_node("Softmax", 13), quiet(intra_op_num_threads=threads))
    x = np.float32(np.arange(2**19).reshape(512, 1024) % 1013) / np.float32(64)
    assert softmax.run(None, {"x": x})[0].tobytes() == ss.onnx.Softmax(x).tobytes()


def test_nodes_may_run_at_the_same_time() -> None:
    nodes = [NODE("ReduceSum", ["x"], [f"y{i}"], axes=[i % 2]) for i in range(8)]
    model = onnx_bytes(nodes, {"x": (F, [512, 512])}, {f"y{i}": (F, None) for i in range(8)}, opset=11)
    x = np.float32(np.arange(2**18).reshape(512, 512) % 1013) / np.float32(64)
    expected = [ss.sum(x, axis=i, keepdims=True).tobytes() for i in range(2)]
    options = quiet(execution_mode=onnxruntime.ExecutionMode.ORT_PARALLEL, inter_op_num_threads=3)
    session = exact_session(model, options)
    found: list[list[bytes]] = []
    threads = [
        Thread(target=lambda: found.append([y.tobytes() for y in session.run(None, {"x": x})])) for _ in range(4)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert found == [[expected[i % 2] for i in range(8)]] * 4
