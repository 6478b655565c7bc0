"""Sessions of ONNX Runtime with samesum's normalizations and global pools: the bits, the types and what is refused."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import ml_dtypes
import numpy as np
import pytest
from onnx import TensorProto, helper, load_model

import samesum as ss
from building import onnx_bytes
from naming import looped
from samesum.onnx import custom_ops_library, exact_session
from sessions import NODE, F, quiet

onnxruntime = pytest.importorskip("onnxruntime")

Arrays = tuple[np.ndarray, ...]
TYPES = ("float16", "float32", "float64")
RANDOM = np.random.default_rng(35)
X = RANDOM.standard_normal((2, 6, 4, 5))
SCALE = {n: RANDOM.standard_normal(n) for n in (3, 5, 6)}
PLANE = RANDOM.standard_normal((4, 5))


def kind(array: Any) -> int:
    return int(helper.np_dtype_to_tensor_dtype(np.asarray(array).dtype))


def model_of(
    operator: str, arrays: Arrays, results: Any, opset: int, held: int | None = None, **attributes: Any
) -> tuple[bytes, dict[str, np.ndarray]]:
    """A model of one node, all inputs but the first `held` ones being initializers; and what is fed."""
    names = [f"x{i}" for i in range(len(arrays))]
    results = results if isinstance(results, tuple) else (results,)
    node = NODE(operator, names, [f"y{i}" for i in range(len(results))], **attributes)
    fed = dict(zip(names[:held], arrays[:held], strict=True))
    constants = {} if held is None else dict(zip(names[held:], arrays[held:], strict=True))
    ends = {name: (kind(array), [None] * array.ndim) for name, array in fed.items()}
    outputs = {f"y{i}": (kind(array), None) for i, array in enumerate(results)}
    return onnx_bytes([node], ends, outputs, constants, opset, ir_version=10), fed


def assert_same(found: list[np.ndarray], wanted: Any) -> None:
    wanted = wanted if isinstance(wanted, tuple) else (wanted,)
    assert [(y.dtype, y.shape) for y in found] == [(y.dtype, y.shape) for y in wanted]
    assert [y.tobytes() for y in found] == [y.tobytes() for y in wanted]


CASES: dict[str, tuple[str, int, tuple[Any, ...], dict[str, Any]]] = {
    "layer": ("LayerNormalization", 17, (X, SCALE[5]), {}),
    "layer with a bias": ("LayerNormalization", 17, (X, PLANE, SCALE[5]), {"axis": -2, "epsilon": 0.25}),
    "layer of all": ("LayerNormalization", 23, (X, np.ones(1), np.zeros(())), {"axis": 0}),
    "rms": ("RMSNormalization", 23, (X, SCALE[5]), {"epsilon": 0.0}),
    "rms of planes": ("RMSNormalization", 23, (X, PLANE), {"axis": 2}),
    "group, a scale each": ("GroupNormalization", 18, (X, SCALE[3], SCALE[3]), {"num_groups": 3}),
    "group, a scale for each channel": ("GroupNormalization", 21, (X, SCALE[6], SCALE[6]), {"num_groups": 3}),
    "instance": ("InstanceNormalization", 11, (X, SCALE[6], SCALE[6]), {"epsilon": 0.5}),
    "mean and variance": ("MeanVarianceNormalization", 13, (X,), {}),
    "mean and variance of axes": ("MeanVarianceNormalization", 13, (X,), {"axes": [1, -1]}),
    "l1": ("LpNormalization", 17, (X,), {"p": 1, "axis": 1}),
    "l2": ("LpNormalization", 22, (X,), {"axis": 2}),
    "average": ("GlobalAveragePool", 17, (X,), {}),
    "maximum": ("GlobalMaxPool", 22, (X,), {}),
    "l1 pool": ("GlobalLpPool", 17, (X,), {"p": 1}),
    "l2 pool": ("GlobalLpPool", 13, (X,), {}),
}


@pytest.mark.parametrize("dtype", TYPES)
@looped("name", CASES)
def test_the_bits_are_those_of_samesum(name: str, dtype: str) -> None:
    operator, opset, given, attributes = CASES[name]
    arrays = tuple(each.astype(dtype) for each in given)
    wanted = getattr(ss.onnx, operator)(*arrays, opset=opset, **attributes)
    for held in (None, 1):
        model, feeds = model_of(operator, arrays, wanted, opset, held, **attributes)
        assert_same(exact_session(model, quiet()).run(None, feeds), wanted)
        if operator != "GlobalLpPool":
            assert_same(session_by_hand(model, opset).run(None, feeds), wanted)


def session_by_hand(model: bytes, opset: int) -> Any:
    """With the library alone, which takes the newest meaning of GroupNormalization unless the options say more."""
    options = quiet()
    if opset == 18:
        options.add_session_config_entry("samesum.opset", "18")
    options.register_custom_ops_library(custom_ops_library())
    return onnxruntime.InferenceSession(model, options)


@pytest.mark.parametrize("dtype", TYPES)
@pytest.mark.parametrize("axis", [-1, 1])
def test_a_layer_normalization_gives_the_mean_and_the_inverse_deviation(dtype: str, axis: int) -> None:
    arrays = (X.astype(dtype), SCALE[5].astype(dtype), SCALE[5].astype(dtype))
    wanted = ss.onnx.LayerNormalization(*arrays, axis=axis, outputs=3)
    model, feeds = model_of("LayerNormalization", arrays, wanted, 17, axis=axis)
    assert_same(exact_session(model).run(None, feeds), wanted)
    names = [[f"x{i}" for i in range(3)], ["y", "", "inverse"]]
    ends = {name: (kind(array), None) for name, array in feeds.items()}
    outputs = {"y": (kind(wanted[0]), None), "inverse": (kind(wanted[2]), None)}
    model = onnx_bytes([NODE("LayerNormalization", *names, axis=axis)], ends, outputs, opset=17)
    assert_same(exact_session(model).run(None, feeds), wanted[::2])


@pytest.mark.parametrize("dtype", TYPES)
@pytest.mark.parametrize("operator", ["LayerNormalization", "SimplifiedLayerNormalization"])
def test_inner_outputs_are_float32_of_every_type(operator: str, dtype: str) -> None:
    arrays = (X.astype(dtype), SCALE[5].astype(dtype))
    names = ["y", "m", "i"][: 3 if operator == "LayerNormalization" else 2]
    ends = {f"x{i}": (kind(array), [None] * array.ndim) for i, array in enumerate(arrays)}
    feeds = {f"x{i}": array for i, array in enumerate(arrays)}
    types = {name: (F if name != "y" else kind(arrays[0]), None) for name in names}
    model = onnx_bytes([NODE(operator, list(ends), names)], ends, types, opset=17)
    wanted = tuple(ss.load(model).run(feeds).values())
    assert [each.dtype.name for each in wanted[1:]] == ["float32"] * (len(names) - 1)
    assert_same(exact_session(model, quiet()).run(None, feeds), wanted)


@pytest.mark.parametrize("stash", [11, 16])
def test_another_stash_type_is_refused_where_inner_outputs_are_asked_for(stash: int) -> None:
    """The runtime tells the types of outputs by those of the inputs alone; its own kernel has float32 alone, too."""
    arrays = (X, SCALE[5])
    nodes = [NODE("LayerNormalization", ["x0", "x1"], ["y", "m"], stash_type=stash)]
    nodes.append(NODE("Cast", ["m"], ["wide"], to=TensorProto.DOUBLE))
    ends = {f"x{i}": (kind(array), [None] * array.ndim) for i, array in enumerate(arrays)}
    model = onnx_bytes(nodes, ends, {"wide": (TensorProto.DOUBLE, None)}, opset=17)
    with pytest.raises(Exception, match=rf"stash_type is {stash}; allowed for the outputs after the first one is 1"):
        exact_session(model, quiet())
    model, feeds = model_of("LayerNormalization", arrays, X, 17, stash_type=stash)
    assert_same(exact_session(model, quiet()).run(None, feeds), ss.onnx.LayerNormalization(*arrays))


@pytest.mark.parametrize("dtype", TYPES)
@pytest.mark.parametrize("scale", TYPES)
def test_the_result_of_an_rms_normalization_has_the_type_of_its_scale(dtype: str, scale: str) -> None:
    arrays = (X.astype(dtype), SCALE[5].astype(scale))
    wanted = ss.onnx.RMSNormalization(*arrays)
    assert wanted.dtype == scale
    for operator, opset in (("RMSNormalization", 23), ("SimplifiedLayerNormalization", 17)):
        model, feeds = model_of(operator, arrays, wanted, opset)
        assert_same(exact_session(model, quiet()).run(None, feeds), wanted)


def test_what_overflows_in_the_runtime() -> None:
    x, one = np.float32([[3e30, 5e30]]), np.ones(2, np.float32)
    model, feeds = model_of("LayerNormalization", (x, one), x, 17)
    assert exact_session(model).run(None, feeds)[0].tolist() == [[-1, 1]]
    model, feeds = model_of("LpNormalization", (x,), x, 17)
    assert_same(exact_session(model).run(None, feeds), ss.onnx.LpNormalization(x))
    assert np.isfinite(exact_session(model).run(None, feeds)[0]).all()


@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_what_mean_variance_normalization_adds_is_a_float32(dtype: str) -> None:
    x = np.array([[1, -1]], dtype) * np.array(1e-9, dtype)
    wanted = ss.onnx.MeanVarianceNormalization(x, axes=[1])
    model, feeds = model_of("MeanVarianceNormalization", (x,), wanted, 13, axes=[1])
    assert_same(exact_session(model).run(None, feeds), wanted)


def test_lines_without_elements_and_no_lines() -> None:
    for shape in ((0, 4), (2, 3, 0)):
        x, scale = np.zeros(shape, np.float32), np.ones(shape[-1], np.float32)
        wanted = ss.onnx.LayerNormalization(x, scale, outputs=3)
        model, feeds = model_of("LayerNormalization", (x, scale), wanted, 17)
        assert_same(exact_session(model).run(None, feeds), wanted)
    for operator in ("GlobalAveragePool", "GlobalMaxPool"):
        x = np.zeros((2, 3, 0), np.float32)
        wanted = getattr(ss.onnx, operator)(x)
        model, feeds = model_of(operator, (x,), wanted, 17)
        assert_same(exact_session(model).run(None, feeds), wanted)


@pytest.mark.parametrize("bias", [["w"], ["w", ""]])
def test_a_bias_may_be_left_out(bias: list[str]) -> None:
    x, scale = X.astype(np.float32), SCALE[5].astype(np.float32)
    node = NODE("LayerNormalization", ["x", *bias], ["y"])
    model = onnx_bytes([node], {"x": (F, [2, 6, 4, 5]), "w": (F, [5])}, {"y": (F, None)}, opset=17)
    assert_same(exact_session(model).run(None, {"x": x, "w": scale}), ss.onnx.LayerNormalization(x, scale))


REFUSED = {
    "epsilon": ("LayerNormalization", 17, (X, SCALE[5]), {"epsilon": -1.0}, "epsilon is -1.*; a finite"),
    "axis": ("LayerNormalization", 17, (X, SCALE[5]), {"axis": 4}, "axis 4 is out of range for rank 4"),
    "scale": ("RMSNormalization", 23, (X, SCALE[3]), {}, r"scale: shape \(3,\) does not broadcast to that of the data"),
    "groups": ("GroupNormalization", 21, (X, SCALE[6], SCALE[6]), {"num_groups": 4}, "do not make 4 equal groups"),
    "no groups": ("GroupNormalization", 21, (X, SCALE[6], SCALE[6]), {}, "the attribute 'num_groups' is missing"),
    "another scale": ("InstanceNormalization", 17, (X, SCALE[5], SCALE[6]), {}, r"scale has shape \(5,\); allowed is"),
    "newer": (
        *("GroupNormalization", 18, (X, SCALE[3], SCALE[3]), {"num_groups": 3, "stash_type": 1}),
        "onnx.GroupNormalization-18: there is no attribute 'stash_type' in this version",
    ),
    "p": ("LpNormalization", 17, (X,), {"p": 3}, "p is 3; allowed are 1 and 2"),
    "axes": ("MeanVarianceNormalization", 13, (X,), {"axes": [0, -4]}, "name axis 0 of rank 4 twice"),
    "rank": ("GlobalAveragePool", 17, (SCALE[5],), {}, r"the data have rank 1 \(shape \(5,\)\); allowed is at least 2"),
}  # fmt: skip


@pytest.mark.parametrize("name", REFUSED)
def test_what_is_wrong_is_refused(name: str) -> None:
    operator, opset, given, attributes, says = REFUSED[name]
    arrays = tuple(each.astype(np.float32) for each in given)
    model, feeds = model_of(operator, arrays, arrays[0], opset, **attributes)
    with pytest.raises(Exception, match=says):
        exact_session(model, quiet()).run(None, feeds)


def operators_in(path: Path) -> list[str]:
    return [node.op_type for node in load_model(path).graph.node]


def fused_and_not(tmp_path: Path, model: bytes, **choice: Any) -> tuple[list[str], list[str]]:
    paths = [tmp_path / f"{name}.onnx" for name in ("plain", "exact")]
    onnxruntime.InferenceSession(model, quiet(optimized_model_filepath=str(paths[0])))
    exact_session(model, quiet(optimized_model_filepath=str(paths[1])), **choice)
    return operators_in(paths[0]), operators_in(paths[1])


def test_no_fusion_swallows_a_normalization(tmp_path: Path) -> None:
    nodes = [NODE("Add", ["x", "z"], ["s"]), NODE("LayerNormalization", ["s", "w", "w"], ["y"])]
    ends = {"x": (F, [2, 3, 4]), "z": (F, [2, 3, 4])}, {"y": (F, [2, 3, 4])}
    model = onnx_bytes(nodes, *ends, {"w": np.ones(4, np.float32)}, opset=17)
    plain, exact = fused_and_not(tmp_path, model)
    assert plain == ["SkipLayerNormalization"]
    assert exact == ["Add", "LayerNormalization"]


def test_a_normalization_that_the_runtime_has_fused_is_exact(tmp_path: Path) -> None:
    nodes = [
        NODE("ReduceMean", ["x"], ["mean"], axes=[-1]),
        NODE("Sub", ["x", "mean"], ["centred"]),
        NODE("Pow", ["centred", "two"], ["squares"]),
        NODE("ReduceMean", ["squares"], ["variance"], axes=[-1]),
        NODE("Add", ["variance", "epsilon"], ["inside"]),
        NODE("Sqrt", ["inside"], ["deviation"]),
        NODE("Div", ["centred", "deviation"], ["unit"]),
        NODE("Mul", ["unit", "w"], ["scaled"]),
        NODE("Add", ["scaled", "w"], ["y"]),
    ]
    w = np.arange(1, 5, dtype=np.float32)
    constants = {"two": np.float32(2), "epsilon": np.float32(1e-5), "w": w}
    model = onnx_bytes(nodes, {"x": (F, [2, 3, 4])}, {"y": (F, [2, 3, 4])}, constants, opset=13)
    _, exact = fused_and_not(tmp_path, model, operators=["LayerNormalization"])
    assert exact == ["LayerNormalization"]
    x = X[0, :3, :2].reshape(2, 3, 5)[:, :, :4].astype(np.float32)
    session = exact_session(model, operators=["LayerNormalization"])
    assert_same(session.run(None, {"x": x}), ss.onnx.LayerNormalization(x, w, w))


def test_the_pool_after_a_convolution_is_exact(tmp_path: Path) -> None:
    nodes = [NODE("Conv", ["x", "k"], ["c"], kernel_shape=[1, 1]), NODE("GlobalAveragePool", ["c"], ["y"])]
    kernel = np.eye(16, dtype=np.float32).reshape(16, 16, 1, 1)
    ends = {"x": (F, [1, 16, 3, 1])}, {"y": (F, [1, 16, 1, 1])}
    model = onnx_bytes(nodes, *ends, {"k": kernel}, opset=17)
    _, exact = fused_and_not(tmp_path, model)
    assert "GlobalAveragePool" in exact
    x = np.tile(np.float32([1e8, 1, -1e8]).reshape(1, 1, 3, 1), (1, 16, 1, 1))
    assert exact_session(model).run(None, {"x": x})[0].ravel().tolist() == [float(np.float32(1 / 3))] * 16


@pytest.mark.parametrize("threads", [1, 3])
def test_the_sessions_threads_change_no_bit(threads: int) -> None:
    x, scale = RANDOM.standard_normal((512, 1024)).astype(np.float32), np.ones(1024, np.float32)
    wanted = ss.onnx.LayerNormalization(x, scale, scale)
    model, feeds = model_of("LayerNormalization", (x, scale, scale), wanted, 17)
    assert_same(exact_session(model, quiet(intra_op_num_threads=threads)).run(None, feeds), wanted)


def test_bfloat16() -> None:
    nodes = [
        NODE("Cast", ["x"], ["b"], to=TensorProto.BFLOAT16),
        NODE("Cast", ["w"], ["v"], to=TensorProto.BFLOAT16),
        NODE("LayerNormalization", ["b", "v"], ["n"]),
        NODE("Cast", ["n"], ["y"], to=TensorProto.FLOAT),
    ]
    model = onnx_bytes(nodes, {"x": (F, [None, 5]), "w": (F, [5])}, {"y": (F, None)}, opset=17)
    x, w = X.reshape(-1, 5).astype(np.float32), SCALE[5].astype(np.float32)
    wanted = ss.onnx.LayerNormalization(x.astype(ml_dtypes.bfloat16), w.astype(ml_dtypes.bfloat16))
    found = exact_session(model).run(None, {"x": x, "w": w})[0]
    assert found.tobytes() == wanted.astype(np.float32).tobytes()
