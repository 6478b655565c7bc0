"""Models of OpenVINO with samesum's windowed means: the bits, and shapes as far as they are known beforehand."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import samesum as ss
from naming import looped
from samesum.openvino import exact

openvino = pytest.importorskip("openvino")
opset = pytest.importorskip("openvino.opset14")

CORE = openvino.Core()
X = np.random.default_rng(35).standard_normal((2, 3, 7, 8)).astype(np.float32)
WINDOWS: dict[str, Any] = {"strides": [2, 2], "pads_begin": [0, 1], "pads_end": [1, 0], "kernel": [3, 3]}

pytestmark = pytest.mark.filterwarnings("ignore:OpenVINO's CPU plugin:RuntimeWarning")

CASES = {
    "AvgPool": (
        lambda p: opset.avg_pool(p, *WINDOWS.values(), True, "floor", "explicit"),
        lambda x: ss.openvino.AvgPool(x, **WINDOWS, exclude_pad=True),
        (3, 4),
    ),
    "with the padding, rounded up": (
        lambda p: opset.avg_pool(p, *WINDOWS.values(), False, "ceil", "explicit"),
        lambda x: ss.openvino.AvgPool(x, **WINDOWS, exclude_pad=False, rounding_type="ceil"),
        (4, 4),
    ),
    "AdaptiveAvgPool": (
        lambda p: opset.adaptive_avg_pool(p, np.int64([3, 2])),
        lambda x: ss.openvino.AdaptiveAvgPool(x, [3, 2]),
        (3, 2),
    ),
}


@pytest.mark.parametrize("kind", [np.float32, np.float16], ids=["f32", "f16"])
@looped("open_axes", [(), (0,), (0, 1, 2, 3)])
@pytest.mark.parametrize("name", CASES)
def test_the_bits_are_those_of_samesum(name: str, open_axes: tuple[int, ...], kind: Any) -> None:
    build, own, sizes = CASES[name]
    shape = [-1 if i in open_axes else n for i, n in enumerate(X.shape)]
    data = opset.parameter(shape, kind, name="x")
    model = exact(openvino.Model([build(data)], [data]))
    assert "SamesumOperator" in [each.get_type_name() for each in model.get_ops()]
    if 2 not in open_axes or name == "AdaptiveAvgPool":
        assert model.output(0).partial_shape == openvino.PartialShape([*shape[:2], *sizes])
    x = X.astype(kind)
    found = CORE.compile_model(model, "CPU", {"INFERENCE_PRECISION_HINT": "f32"})([x])[0]
    wanted = own(x)
    assert (found.dtype, found.shape) == (wanted.dtype, wanted.shape)
    assert found.tobytes() == wanted.tobytes()


def test_greatest_elements_stay_openvinos() -> None:
    data = opset.parameter([1, 1, 4, 4], np.float32, name="x")
    pools = opset.max_pool(data, [2, 2], [1, 1], [0, 0], [0, 0], [2, 2], "floor", "explicit")
    model = exact(openvino.Model([pools.output(0)], [data]))
    assert "SamesumOperator" not in [each.get_type_name() for each in model.get_ops()]
