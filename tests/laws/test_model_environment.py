"""A model runs in IEEE arithmetic whatever modes the caller has, and leaves them and the flags as they were."""

from __future__ import annotations

import numpy as np
import pytest

from building import onnx_bytes, onnx_run
from modes import MODES, control, each_mode, in_mode, needs_mxcsr, state
from oracle import assert_bits
from samesum import _core
from samesum.errors import SamesumError
from samesum.frontends.models.load import load
from samesum.frontends.models.model import Model

pytestmark = needs_mxcsr

TINY = np.float32([1e-40, 2e-40, -5e-41])


def halved_sum() -> Model:
    """Mul(x, 0.5) -> ReduceSum."""
    from onnx import helper

    nodes = [helper.make_node("Mul", ["x", "half"], ["h"]), helper.make_node("ReduceSum", ["h"], ["y"], keepdims=0)]
    half = {"half": np.array(0.5, np.float32)}
    return load(onnx_bytes(nodes, {"x": (1, None)}, {"y": (0, None)}, half))


@each_mode
def test_subnormals_reach_the_nodes_of_a_model(mode: str) -> None:
    model = halved_sum()
    with in_mode(mode) as bits:
        (got,) = model.run(TINY).values()
        after = control()
    assert_bits(got, np.array(np.float32(1.25e-40)), f"in mode {mode}")
    assert after == bits


@each_mode
def test_arithmetic_of_nodes(mode: str) -> None:
    a, b = np.float32([1, 1e-38, 3]), np.float32([3, 7, 1e-38])
    names = ("Div", "Mul", "Add", "Pow")
    expected = [onnx_run(name, [a, b]) for name in names]
    with in_mode(mode):
        got = [onnx_run(name, [a, b]) for name in names]
    for name, found, right in zip(names, got, expected, strict=True):
        assert_bits(found, right, f"{name} in mode {mode}")


def test_flags_and_modes_after_a_run_and_after_an_error() -> None:
    model = halved_sum()
    with in_mode("flush_and_up"):
        before = state()
        model.run(np.float32([3e38, 3e38, 1e-45]))
        assert state() == before
        with pytest.raises(SamesumError):
            model.run({"nothing": TINY})
        assert state() == before


def test_the_scope_itself() -> None:
    with in_mode("flush"):
        before = state()
        with _core.FloatingPointScope():
            assert control() & MODES["flush_and_up"] == 0
            with _core.FloatingPointScope():
                pass
            assert control() & MODES["flush_and_up"] == 0
        assert state() == before
        with pytest.raises(ZeroDivisionError), _core.FloatingPointScope():
            _ = 1 / int("0")
        assert state() == before


def test_a_scope_is_entered_once_at_a_time() -> None:
    scope = _core.FloatingPointScope()
    with scope, pytest.raises(RuntimeError, match="entered already"):
        scope.__enter__()
    with scope:
        pass
