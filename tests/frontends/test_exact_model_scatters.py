"""Models of OpenVINO with samesum's scatters that reduce and sums of embeddings."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import samesum as ss
from samesum.openvino import exact

openvino = pytest.importorskip("openvino")
opset = pytest.importorskip("openvino.opset15")

CORE = openvino.Core()
DATA, PLACES = np.float32([1e8, 0, 3]), np.int64([0, 0, 1, -1])
UPDATES = np.float32([1, -1e8, 2, 0.5])
TABLE = np.float32([[1e8, 1], [1, 2], [-1e8, 3]])
BAG = np.int64([0, 1, 2, 1])

pytestmark = pytest.mark.filterwarnings("ignore:OpenVINO's CPU plugin:RuntimeWarning")

CASES: dict[str, tuple[Callable[..., Any], tuple[np.ndarray, ...], list[Any]]] = {
    "elements": (
        lambda x, u: opset.scatter_elements_update(x, PLACES, u, np.int64(0), "sum", True),
        (DATA, UPDATES),
        [1, 2, 3.5],
    ),
    "the mean of elements": (
        lambda x, u: opset.scatter_elements_update(x, PLACES, u, np.int64(0), "mean", False),
        (DATA, UPDATES),
        [np.float32(-5e7 + 0.5), 2, 0.5],
    ),
    "slices": (lambda x, u: opset.scatter_nd_update(x, PLACES[:, None], u, "sum"), (DATA, UPDATES), [1, 2, 3.5]),
    "bags by offsets": (
        lambda t: opset.embedding_bag_offsets_sum(t, BAG, np.int64([0, 3])),
        (TABLE,),
        [[1, 6], [1, 2]],
    ),
    "packed bags": (
        lambda t: opset.embedding_bag_packed_sum(t, np.int64([[0, 2, 1]])),
        (TABLE,),
        [[1, 6]],
    ),
    "segments": (
        lambda t: opset.embedding_segments_sum(t, BAG, np.int64([0, 0, 0, 2]), np.int64(3)),
        (TABLE,),
        [[1, 6], [0, 0], [1, 2]],
    ),
}


def kinds_in(model: Any) -> list[str]:
    return [each.get_type_name() for each in model.get_ordered_ops()]


@pytest.mark.parametrize("name", CASES)
def test_sums_are_exact_in_any_order(name: str) -> None:
    build, arrays, wanted = CASES[name]
    inputs = [opset.parameter(list(each.shape), each.dtype) for each in arrays]
    model = exact(openvino.Model([build(*inputs)], inputs))
    assert "SamesumOperator" in kinds_in(model)
    found = CORE.compile_model(model, "CPU", {"INFERENCE_PRECISION_HINT": "f32"})(list(arrays))[0]
    assert found.tolist() == wanted


@pytest.mark.parametrize("kind", [np.float32, np.bool_])
def test_what_moves_or_compares_stays_openvinos(kind: Any) -> None:
    data, updates = (opset.parameter([3], kind) for _ in range(2))
    reduction = "none" if kind is np.float32 else "sum"
    node = opset.scatter_elements_update(data, np.int64([0, 0, 1]), updates, np.int64(0), reduction, True)
    assert "SamesumOperator" not in kinds_in(exact(openvino.Model([node], [data, updates])))


def test_the_same_as_samesums_own_function() -> None:
    x = np.random.default_rng(7).standard_normal((50, 4)).astype(np.float16)
    places, updates = np.random.default_rng(8).integers(0, 50, (400, 4)), np.tile(x, (8, 1))
    inputs = [opset.parameter(list(each.shape), each.dtype) for each in (x, updates)]
    node = opset.scatter_elements_update(inputs[0], places, inputs[1], np.int64(0), "sum", True)
    model = CORE.compile_model(exact(openvino.Model([node], inputs)), "CPU", {"INFERENCE_PRECISION_HINT": "f32"})
    wanted = ss.openvino.ScatterElementsUpdate(x, places, updates, 0, reduction="sum")
    assert model([x, updates])[0].tobytes() == wanted.tobytes()
