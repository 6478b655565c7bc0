"""Products and convolutions in sessions of ONNX Runtime by samesum, where they are asked for."""

from __future__ import annotations

import gc
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import numpy as np
import pytest

import samesum as ss
from building import onnx_bytes
from naming import case, looped
from samesum.formats.arrays import NDArray
from samesum.onnx import exact_session
from samesum.operators.apply import apply
from samesum.specs.lookup import operation_of

pytest.importorskip("onnxruntime")
onnx = pytest.importorskip("onnx")
NODE, TYPE = onnx.helper.make_node, onnx.helper.np_dtype_to_tensor_dtype


def spread(*shape: int, seed: int = 0, dtype: Any = np.float32) -> NDArray:
    """Numbers of many magnitudes, whose sums differ by their order."""
    rng = np.random.default_rng([seed, *shape])
    return (rng.normal(size=shape) * 2.0 ** rng.integers(-8, 8, shape)).astype(dtype)


A, B, X, W = spread(20, 300), spread(300, 30, seed=1), spread(2, 4, 9, 10), spread(6, 2, 3, 2, seed=2)
CALLS: list[tuple[str, int, tuple[NDArray | None, ...], dict[str, Any]]] = [
    ("MatMul", 13, (A, B), {}),
    ("MatMul", 9, (A[0], B), {}),
    ("MatMul", 13, (A[:0], B), {}),
    ("Gemm", 13, (A, B, B[0]), {"alpha": 0.3, "beta": -2.0}),
    ("Gemm", 11, (A.T.copy(), B), {"transA": 1}),
    ("Gemm", 7, (A, B.T.copy(), B[0]), {"transB": 1}),
    ("Gemm", 6, (A, B, B[0]), {"broadcast": 1}),
    ("Conv", 22, (X, W), {"group": 2, "pads": [1, 0, 2, 1], "strides": [2, 1]}),
    ("Conv", 11, (X, W, W[:, 0, 0, 0]), {"group": 2, "auto_pad": "SAME_UPPER", "dilations": [1, 2]}),
    ("ConvTranspose", 11, (X, W[:4], None), {"group": 2, "strides": [2, 3], "output_padding": [1, 0]}),
    ("ConvTranspose", 22, (X, W[:4], W[:4, 0, 0, 0]), {"group": 2, "output_shape": [12, 13], "strides": [1, 1]}),
    ("AveragePool", 11, (X,), {"kernel_shape": [3, 2], "pads": [1, 0, 1, 1], "ceil_mode": 1}),
    ("LpPool", 18, (X,), {"kernel_shape": [3, 2], "p": 1}),
    ("FusedMatMul", 13, (A, B.T.copy()), {"alpha": 0.3, "transB": 1}),
    ("FusedGemm", 13, (A, B, B[0]), {"activation": "LeakyRelu", "activation_alpha": 0.3, "beta": -2.0}),
    ("FusedConv", 13, (X, W, W[:, 0, 0, 0]), {"group": 2, "activation": "Clip", "activation_params": [-3.0, 5.0]}),
]


def model(
    name: str, opset: int, inputs: tuple[NDArray | None, ...], **attributes: Any
) -> tuple[bytes, dict[str, NDArray]]:
    """The node between two others, so that it might be fused."""
    feeds = {f"x{i}": each for i, each in enumerate(inputs) if each is not None}
    names = [f"x{i}" if each is not None else "" for i, each in enumerate(inputs)]
    kind = TYPE(next(iter(feeds.values())).dtype)
    domain = "com.microsoft" if name.startswith("Fused") else ""
    nodes = [NODE(name, names, ["p"], domain=domain, **attributes), NODE("Abs", ["p"], ["y"])]
    ends = {key: (TYPE(each.dtype), each.shape) for key, each in feeds.items()}
    opsets = [onnx.helper.make_opsetid("", opset), onnx.helper.make_opsetid("com.microsoft", 1)]
    return onnx_bytes(nodes, ends, {"p": (kind, None), "y": (kind, None)}, opset_imports=opsets), feeds


@looped("name, opset, inputs, attributes", CALLS)
def test_products_are_samesums_by_their_names(
    name: str, opset: int, inputs: tuple[NDArray | None, ...], attributes: dict[str, Any]
) -> None:
    content, feeds = model(name, opset, inputs, **attributes)
    if name.startswith("Fused"):
        wanted = apply(operation_of("com.microsoft", name, None, **attributes), inputs)
    else:
        wanted = getattr(ss.onnx, name)(*inputs, opset=opset, **attributes)
    for operators in ([name], "all"):
        product, after = exact_session(content, operators=operators).run(None, feeds)
        assert (product.dtype, product.shape, product.tobytes()) == (wanted.dtype, wanted.shape, wanted.tobytes())
        assert after.tobytes() == np.abs(wanted).tobytes()


def test_unless_they_are_named_products_are_the_runtimes() -> None:
    content, feeds = model("MatMul", 13, (spread(64, 2000), spread(2000, 64, seed=1)))
    usual = exact_session(content).run(["p"], feeds)[0]
    named = exact_session(content, operators=["MatMul", "ReduceSum"]).run(["p"], feeds)[0]
    assert usual.tobytes() != named.tobytes()
    assert named.tobytes() == ss.matmul(*feeds.values()).tobytes()


@looped("dtype", [np.float16, np.float64, np.int32, np.int64, np.uint32, np.uint64])
def test_all_types_of_the_standard(dtype: Any) -> None:
    a, b = (np.abs(spread(*shape) * 100).astype(dtype) for shape in ((3, 40), (40, 2)))
    content, feeds = model("MatMul", 13, (a, b))
    found = exact_session(content, operators="all").run(["p"], feeds)[0]
    assert found.tobytes() == ss.matmul(*feeds.values()).tobytes()


def test_what_does_not_fit_is_refused_in_words() -> None:
    for name, inputs, attributes, says in (
        ("Conv", (X, W), {"group": 2, "strides": [0, 1]}, "strides"),
        ("Conv", (X, W), {"group": 3}, "onnx.Conv-22: the data of shape"),
        ("Gemm", (A, B, A[0]), {}, "onnx.Gemm-13: C has shape"),
        ("Gemm", (A, B), {"transA": 2}, "transA"),
    ):
        content, feeds = model(name, 22 if name == "Conv" else 13, inputs, **attributes)
        with case(name, says), pytest.raises(Exception, match=says):
            exact_session(content, operators="all").run(None, feeds)


def test_sessions_run_in_threads_and_go() -> None:
    content, feeds = model("Conv", 22, (X, W), group=2)
    wanted = ss.onnx.Conv(X, W, group=2)
    with ThreadPoolExecutor(4) as pool:
        for _ in range(3):
            session = exact_session(content, operators="all")
            for found in [pool.submit(session.run, ["p"], feeds) for _ in range(20)]:
                assert found.result()[0].tobytes() == wanted.tobytes()
            del session
            gc.collect()
