"""Small models drawn at random: element-wise operators and reductions on inputs that broadcast, mostly."""

from __future__ import annotations

from typing import Any

import ml_dtypes
import numpy as np
from hypothesis import strategies as st
from onnx import TensorProto, helper

from building import onnx_bytes
from samesum.formats.arrays import NDArray
from samesum.frontends.models.load import load
from samesum.frontends.models.model import Model

KINDS = {
    TensorProto.FLOAT: np.dtype(np.float32),
    TensorProto.DOUBLE: np.dtype(np.float64),
    TensorProto.FLOAT16: np.dtype(np.float16),
    TensorProto.BFLOAT16: np.dtype(ml_dtypes.bfloat16),
    TensorProto.INT32: np.dtype(np.int32),
    TensorProto.INT64: np.dtype(np.int64),
}
FLOATS = (TensorProto.FLOAT, TensorProto.DOUBLE, TensorProto.FLOAT16, TensorProto.BFLOAT16)
UNARY = {"Abs": KINDS, "Neg": KINDS, "Relu": KINDS, "Identity": KINDS, "Exp": FLOATS, "Sqrt": FLOATS, "Log": FLOATS}
UNARY |= {"Sign": KINDS, "Floor": FLOATS, "Reciprocal": FLOATS}
BINARY = ("Add", "Sub", "Mul", "Max", "Min")
REDUCTIONS = ("ReduceMax", "ReduceMin", "ReduceL1", "ReduceL2", "ReduceSumSquare", "ReduceProd")
AXES = {"first": [0], "last": [-1], "both": [0, -1], "two_last": [-1, -2]}
SPECIAL = (0.0, -0.0, np.inf, -np.inf, np.nan)


@st.composite
def models(draw: st.DrawFn) -> tuple[Model, dict[str, NDArray]]:
    """A few element-wise operators and reductions on inputs that broadcast, mostly, and what to feed them."""
    kind = draw(st.sampled_from(list(KINDS)))
    shape = draw(st.lists(st.sampled_from((5, 8, 3, 11, 2, 1)), min_size=1, max_size=3))
    if draw(st.integers(0, 9)) == 0:
        shape = draw(st.sampled_from(([], [0], [3, 0])))
    small = [draw(st.sampled_from((1, size))) for size in shape][draw(st.integers(0, len(shape))) :]
    inputs = {"x": shape, "a": small, "z": draw(st.sampled_from((shape, shape, small)))}
    constants = {"two": np.array(draw(st.sampled_from((2, 3, 1))), KINDS[kind])}
    values, nodes = [*inputs, *constants], []
    for i in range(draw(st.integers(2, 9))):
        nodes.append(node(draw, kind, values, f"v{i}", len(shape)))
        values.append(f"v{i}")
    outputs = {values[-1], *draw(st.sets(st.sampled_from(values[4:]), max_size=2))}
    declared = {name: (kind, [None] * len(dims)) for name, dims in inputs.items()}
    constants |= {name: np.int64(axes) for name, axes in AXES.items()}
    model = load(onnx_bytes(nodes, declared, dict.fromkeys(sorted(outputs), (0, None)), constants, opset=15))
    return model, {name: numbers(draw, tuple(dims), KINDS[kind]) for name, dims in inputs.items()}


def node(draw: st.DrawFn, kind: int, values: list[str], result: str, rank: int) -> Any:
    """A node on the values so far, the newest ones above all."""
    one = draw(st.sampled_from([*values, *values[-2:], *values[-2:], *values[-1:] * 3]))
    other = draw(st.sampled_from(values))
    family = draw(st.sampled_from(("unary", "binary", "binary", "binary", "reduce", "sum", "power", "other")))
    keepdims = draw(st.sampled_from((1, 1, 1, 0)))
    fitting = [name for name, axes in AXES.items() if len(axes) <= rank] or list(AXES)
    if family == "unary":
        names = [name for name, kinds in UNARY.items() if kind in kinds]
        return helper.make_node(draw(st.sampled_from(names)), [one], [result])
    if family == "binary":
        return helper.make_node(draw(st.sampled_from(BINARY)), draw(st.permutations([one, other])), [result])
    if family == "power":
        return helper.make_node("Pow", [one, draw(st.sampled_from(("two", "two", "two", other)))], [result])
    if family == "sum":
        axes = draw(st.sampled_from(("", *fitting)))
        return helper.make_node("ReduceSum", [one, axes], [result], keepdims=keepdims)
    if family == "reduce":
        operator = draw(st.sampled_from((*REDUCTIONS, *(("ReduceMean",) if kind in FLOATS else ()))))
        return helper.make_node(operator, [one], [result], axes=AXES[draw(st.sampled_from(fitting))], keepdims=keepdims)
    return draw(
        st.sampled_from(
            (
                helper.make_node("Cast", [one], [result], to=kind),
                helper.make_node("Clip", [one, "", "two"], [result]),
                helper.make_node("Clip", [one, other, ""], [result]),
                helper.make_node("ArgMax", [one], [result], axis=-1, keepdims=keepdims),
                helper.make_node("CastLike", [one, other], [result]),
            )
        )
    )


def numbers(draw: st.DrawFn, shape: tuple[int, ...], dtype: np.dtype[Any]) -> NDArray:
    seed = draw(st.integers(0, 5))
    x = np.asarray(np.random.default_rng(seed).standard_normal(shape) * 4)
    if dtype.kind != "i":
        spoilt = np.random.default_rng(seed + 9).integers(0, 8 if seed % 2 else 200, shape)
        for i, value in enumerate(SPECIAL):
            x[spoilt == i] = value
    return x.astype(dtype)
