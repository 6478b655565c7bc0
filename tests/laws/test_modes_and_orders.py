"""Every operator and every function on arrays: neither the caller's modes nor the byte order change a bit."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from functools import cache
from types import FunctionType
from typing import Any

import numpy as np
import pytest

import samesum as ss
from building import Ir, onnx_bytes
from catalogue_calls import calls, lazy_calls
from function_calls import Call, Outputs, data
from modes import control, each_mode, in_mode, needs_mxcsr
from oracle import assert_bits
from samesum.formats.arrays import NDArray
from samesum.specs.lookup import CATALOGUE

Made = tuple[tuple[Call, Outputs], ...]


@cache
def known(make: Callable[[], Iterable[Call]], types: tuple[str, ...] = ()) -> Made:
    """The calls with their results in the default modes and byte order."""
    with np.errstate(all="ignore"):
        return tuple((each, each.now()) for each in make() if not types or each.name.rpartition(" of ")[2] in types)


def outcome(call: Call) -> Outputs:
    """What the call gives; nothing where it is refused."""
    try:
        return call.now()
    except ss.SamesumError:
        return ()


def bits(outputs: Outputs) -> list[tuple[object, ...]]:
    return [(x.dtype.str, x.shape, x.tobytes()) for x in outputs]


def changed(made: Made, found: list[Outputs]) -> list[str]:
    """The names of the calls that give other bits."""
    return [call.name for (call, wanted), got in zip(made, found, strict=True) if bits(got) != bits(wanted)]


def test_every_version_of_every_operator_is_called() -> None:
    called = {call.name.partition(" of ")[0] for call, _ in known(calls)}
    assert {spec.identifier for spec in CATALOGUE if not spec.operator.holds_graphs} <= called
    functions = {name for name in ss.__all__ if isinstance(getattr(ss, name), FunctionType)}
    settings = {f"{verb}_{what}" for verb in ("get", "set") for what in ("num_threads", "cache_limit")}
    words = {word for name in called for word in name.split()}
    assert len(functions) > 40
    assert functions - settings - {"load", "__array_namespace_info__"} <= words


def check_in(mode: str, made: Made) -> None:
    with np.errstate(all="ignore"), in_mode(mode) as before:
        found = [outcome(call) for call, _ in made]
        assert control() == before
    assert changed(made, found) == []


@needs_mxcsr
@each_mode
def test_no_mode_changes_a_bit(mode: str) -> None:
    check_in(mode, known(calls))


@needs_mxcsr
def test_no_mode_changes_a_bit_of_lazy_calls() -> None:
    pytest.importorskip("dask")
    check_in("flush_and_up", known(lazy_calls, ("tiny float32",)))


@needs_mxcsr
@each_mode
def test_numbers_of_files_are_read_in_the_default_mode(mode: str) -> None:
    """The text 0.1 is between two doubles, and the attribute 1e-40 is a subnormal float32."""
    from onnx import helper

    x = np.array([0.0, 0.05, 1.0])
    ir = Ir()
    clamp = ir.result(ir.layer("Clamp", [ir.parameter("x", "f64", "3")], '<data min="0.1" max="0.3"/>'))
    node = helper.make_node("LayerNormalization", ["x", "w"], ["y"], epsilon=1e-40)
    model = onnx_bytes([node], {"x": (11, [3]), "w": (11, [3])}, {"y": (11, None)}, opset=17)
    wanted = ss.load(model).run([x * 1e-25, x])["y"]
    with in_mode(mode):
        clamped = ss.load(clamp.text.encode(), weights=b"").run([x])["y"]
        normalized = ss.load(model).run([x * 1e-25, x])["y"]
    assert_bits(clamped, np.array([0.1, 0.1, 0.3]))
    assert_bits(normalized, wanted)


def check_swapped(made: Made) -> None:
    with np.errstate(all="ignore"):
        assert changed(made, [outcome(call.swapped()) for call, _ in made]) == []


def test_no_byte_order_changes_a_bit() -> None:
    check_swapped(known(calls))


def test_no_byte_order_changes_a_bit_of_lazy_calls() -> None:
    pytest.importorskip("dask")
    check_swapped(known(lazy_calls, ("float64", "int32")))


def test_weights_of_bags_in_the_other_byte_order() -> None:
    """The sum of products is 2^-104; products that were rounded give 0."""
    table = np.array([[1 + 2.0**-52], [-1]], ">f8")
    weights = np.array([1 + 2.0**-52, 1 + 2.0**-51], ">f8")
    wanted, indices = np.array([[2.0**-104]]), np.array([0, 1])
    assert_bits(ss.openvino.EmbeddingBagPackedSum(table, indices[None], weights[None]), wanted)
    assert_bits(ss.openvino.EmbeddingBagOffsetsSum(table, indices, [0], per_sample_weights=weights), wanted)
    segments = ss.openvino.EmbeddingSegmentsSum(table, indices, [0, 0], 1, per_sample_weights=weights)
    assert_bits(segments, wanted)


@pytest.mark.parametrize("name", ["sum", "mean", "prod", "var", "logsumexp", "cumulative_sum", "vecdot", "vector_norm"])
def test_a_dtype_of_the_other_byte_order_asks_for_the_type(name: str) -> None:
    x = data("float32", (3, 4))
    function: Any = getattr(ss, name)
    arrays, options = ((x, x), {}) if name == "vecdot" else ((x,), {"axis": 1})
    for dtype in ("f2", "f4", "f8"):
        wanted = function(*arrays, **options, dtype=dtype)
        assert_bits(function(*arrays, **options, dtype=f">{dtype}"), wanted)


def test_states_of_both_byte_orders_are_merged() -> None:
    x = data("float32", (3, 4))
    one, other = ss.State(["sum"], 0, "f8"), ss.State(["sum"], 0, ">f8")
    one.update(x)
    other.update(x.astype(">f4"))
    assert_bits(one.merge(other).result()["sum"], ss.sum(np.concatenate([x, x]), 0, dtype="f8"))


def test_distances_and_inputs_of_comparisons_in_the_other_byte_order() -> None:
    a, b = np.float32([1, 2]), np.float32([1, 3])
    for got, expected in ((a.astype(">f4"), b.astype(">f4")), (a.astype(">f4"), b), (a, b.astype(">f4"))):
        assert ss.compare.ulp_distance(got, expected).tolist() == [0, 2**22]


def test_models_take_either_byte_order() -> None:
    from onnx import helper

    nodes = [helper.make_node("ReduceL2", ["x"], ["y"], keepdims=0), helper.make_node("Mul", ["x", "x"], ["z"])]
    for kind, dtype in ((1, "f4"), (10, "f2"), (11, "f8"), (6, "i4"), (7, "i8")):
        x: NDArray = data(dtype, (3, 4))
        model = ss.load(onnx_bytes(nodes, {"x": (kind, [3, 4])}, {"y": (kind, None), "z": (kind, None)}))
        wanted, found = model.run([x]), model.run([x.astype(f">{dtype}")])
        for name in wanted:
            assert_bits(found[name], wanted[name])
