"""The first lines that users write, which mypy --strict and pyright take as they stand. They are not run.

`expect_*` are typed as what a line has to be.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import ml_dtypes
import numpy as np
import numpy.typing as npt

import samesum as ss

X: npt.NDArray[np.float32] = np.ones((3, 4), np.float32)
NAMES: list[str] = ["sum", "mean"]


def expect_array(*_: ss.NDArray) -> None:
    """Arrays of NumPy."""


def expect_float(*_: float) -> None:
    """What is a number where a number is wanted."""


def scalars_are_numbers() -> None:
    """Without an axis the result is a scalar."""
    n: float = ss.sum(X)
    count: int = ss.count_nonzero(X)
    place: int = ss.argmax(X)
    is_any: bool = ss.any(X)
    expect_float(n, count, place, is_any, ss.mean(X), ss.prod([1, 2]), ss.l2_norm(X), ss.logsumexp(X))
    expect_float(ss.min(X), ss.max(X, initial=0), ss.var(X, ddof=1), ss.std(X, correction=1), ss.nanmean(X))
    expect_float(ss.vector_norm(X, ord=3), ss.vecdot([1.0, 2.0], [3.0, 4.0]), float(ss.sum(X)) + 1)


def arrays_are_indexed() -> None:
    """With an axis or `keepdims` it is an array."""
    first: Any = ss.mean(X, axis=0)[0]
    expect_array(ss.sum(X, 0), ss.sum(X, axis=(0, -1)), ss.sum(X, axis=[0]), ss.mean(X, keepdims=True))
    expect_array(ss.max(X, axis=0, where=X > 0, initial=-np.inf), ss.all(X, axis=0), ss.argmin(X, axis=1))
    expect_array(
        ss.std(X, 0, ddof=1),
        ss.nansum(X, 0, dtype=np.float64),
        ss.nanprod(X, 0),
        ss.average(X, 0, X),
        ss.count_nonzero(X, axis=0),
    )
    expect_array(ss.softmax(X), ss.softmax([1, 2, 3]), ss.layer_norm(X, 4), ss.cumulative_sum(X, 0, reverse=True))
    expect_array(ss.vector_norm(X, axis=0), ss.segment_reduce(X, [0, 1, 0], reduce="mean"))
    print(first, ss.sum(X, 0).shape, ss.min(X, axis=0).tolist(), ss.any(X, axis=0)[0], ss.vecdot(X, X)[0])


def dtypes_of_every_kind(flag: bool, axis: int | None) -> None:
    """Names, types and dtypes, those of ml_dtypes too; flags and axes that only a variable holds."""
    ss.sum(X, dtype="float64")
    ss.sum(X, dtype=np.float64)
    ss.sum(X, dtype=np.dtype("f8"))
    ss.sum(X, dtype=ml_dtypes.bfloat16)
    ss.sum(X, axis, keepdims=flag)
    ss.max(X, 0, split_every=8)
    ss.reduce(X, ["sum"], split_every={0: 8, 1: 2})


def outputs_are_given() -> None:
    """`out` is an array or what shares its memory."""
    out = np.empty(4, np.float32)
    expect_array(ss.sum(X, 0, out=out), ss.softmax(X, out=np.empty_like(X)))


def states_take_lists_of_names(names: Sequence[str]) -> None:
    """Names that only a variable holds are texts."""
    state = ss.State(NAMES)
    state.update(X)
    total: float = state.result()["sum"]
    several = ss.reduce(X, names, axis=0)
    print(total, several["mean"][0], ss.State.from_bytes(state.to_bytes()).merge(state).result()["mean"])
    scan = ss.Scan.from_bytes(ss.Scan("sum").copy().to_bytes())
    expect_array(scan.update([1.0, 2.0]))


def models_have_a_type(path: Path) -> ss.Model:
    """What `load` returns can be named."""
    model = ss.load(path)
    outputs: dict[str, ss.NDArray] = model.run({"x": X})
    print(outputs["y"][0], model.inputs[0].name)
    return model


def standards_give_arrays() -> None:
    """The operators of ONNX and OpenVINO."""
    expect_array(ss.onnx.ReduceSum(X, [0], keepdims=0), ss.onnx.Softmax(X), ss.openvino.ReduceMean(X, [0]))
    expect_array(ss.onnx.ArgMax(X), ss.openvino.CumSum(X, 0), ss.onnx.LayerNormalization(X, X[0]))


def errors_are_built_in_too() -> None:
    """An error is caught by its own name and as the built-in that it is."""
    try:
        ss.var(X, ddof=1, correction=1)
    except ss.ArgumentError as error:
        wrong: ValueError = error
        print(wrong)
    except ss.ArgumentTypeError as error:
        other: TypeError = error
        print(other)
