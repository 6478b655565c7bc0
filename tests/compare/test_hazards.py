"""What shorter types would do at a node is told once for each type and kind, however long the lines are."""

from __future__ import annotations

import faulty
import numpy as np
import pytest
from models import FLOAT, HALF, model, one
from onnx import helper

from samesum.compare import compare
from samesum.compare.observing import same_array
from samesum.compare.results import OWN_OVERFLOW


def found(operator: str, x: np.ndarray, **said: object) -> dict[tuple[str, str], float]:
    result = compare(one(operator, x.shape, **said), {"x": x}, [faulty.Right])  # type: ignore[arg-type]
    return {(each.type, each.kind): each.value for each in result.hazards}


@pytest.mark.parametrize("length", [5000, 1 << 20])
def test_a_running_sum_stagnates(length: int) -> None:
    hazards = found("ReduceMean", np.full((1, length), 0.25, np.float32))
    assert [kind for name, kind in hazards if name == "bfloat16"] == ["a running sum stagnates"]
    assert hazards["bfloat16", "a running sum stagnates"] > 0.9
    expected = ["a running sum stagnates"] if length == 5000 else ["a partial sum overflows"]
    assert [kind for name, kind in hazards if name == "float16"] == expected


@pytest.mark.parametrize(("operator", "x", "kind", "value"), [
    ("ReduceSum", [7e4, 1], "the data overflow", 7e4),
    ("ReduceSum", [4e4, 4e4], "the result overflows", 8e4),
    ("ReduceSum", [4e4, 4e4, -4e4], "a partial sum overflows", 8e4),
    ("ReduceSumSquare", [300, 1], "a square overflows", 9e4),
    ("ReduceL2", [250, 250], "the sum of squares overflows", 125000),
])  # fmt: skip
def test_overflows_of_float16(operator: str, x: list[float], kind: str, value: float) -> None:
    assert found(operator, np.float32([x]))["float16", kind] == value


def test_results_of_other_nodes_that_overflow() -> None:
    """The first node alone, in a wider type and in the model's own."""
    nodes = [
        helper.make_node("Mul", ["x", "x"], ["a"], name="first"),
        helper.make_node("Add", ["a", "a"], ["y"], name="n"),
    ]
    for kind, dtype, said in ((FLOAT, np.float32, "the result overflows"), (HALF, np.float16, OWN_OVERFLOW)):
        proto = model(nodes, {"x": (kind, [2])}, {"y": (kind, [2])})
        result = compare(proto, {"x": np.array([300, 2], dtype)}, [faulty.Right])
        assert [(h.name, h.type, h.kind, h.value) for h in result.hazards] == [("first", "float16", said, 9e4)]
    proto = model(nodes, {"x": (HALF, [2])}, {"y": (HALF, [2])})
    assert compare(proto, {"x": np.float16([np.inf, 2])}, [faulty.Right]).hazards == ()
    assert compare(proto, {"x": np.float16([np.nan, 200])}, [faulty.Right]).hazards == ()


def test_the_same_array_has_the_same_bits_but_for_zeros_and_nans() -> None:
    x = np.float32([[0.0, np.nan], [1, 2]])
    y = np.float32([[-0.0, np.copysign(np.nan, -1)], [1, 2]])
    assert same_array(x, x.copy())
    assert same_array(x, y)
    assert same_array(x.T, y.T)
    assert not same_array(x, x.T)
    assert not same_array(x, x.astype(np.float64))
    assert same_array(np.float32(3), np.array(3, np.float32))
    assert not same_array(np.array(["a"], object), np.array(["b"], object))
