"""Models that nobody honest writes: each is refused by an error of samesum that says where and why."""

from __future__ import annotations

import warnings

import numpy as np
import pytest
from onnx import TensorProto, helper

from building import Ir, onnx_bytes
from naming import looped
from samesum.errors import ModelError, SamesumError, UnsafeModelError
from samesum.frontends.models.ir_file import xml
from samesum.frontends.models.load import load

AXIS = np.int64([1])
F = TensorProto.FLOAT


def summing() -> Ir:
    ir = Ir()
    x = ir.parameter("x", "f32", "2,3")
    return ir.result(ir.layer("ReduceSum", [x, ir.const(AXIS)], '<data keep_dims="true"/>', names="t", dims=[2, 1]))


def refused(text: str, message: str, error: type[Exception] = ModelError, weights: bytes = bytes(8)) -> None:
    with pytest.raises(error, match=message) as caught:
        load(text.encode(), weights=weights)
    assert isinstance(caught.value, UnsafeModelError) is issubclass(error, UnsafeModelError)
    assert str(caught.value).startswith("model: ")


@pytest.mark.parametrize(
    "doctype",
    ["<!DOCTYPE net>", '<!DOCTYPE net SYSTEM "file:///etc/passwd">', '<!DOCTYPE net [<!ENTITY a "b">]>'],
)
def test_every_doctype_is_refused(doctype: str) -> None:
    refused(summing().text.replace("<net", doctype + "<net", 1), r"DOCTYPE \('net'\)", UnsafeModelError)


@pytest.mark.parametrize("encoding", ["zip", "no-such", "utf-16", "utf-7", "latin-1"])
def test_a_declared_encoding_changes_nothing(encoding: str) -> None:
    text = summing().text.replace('<?xml version="1.0"?>', f'<?xml version="1.0" encoding="{encoding}"?>')
    assert load(text.encode(), weights=AXIS.tobytes()).inputs[0].name == "x"


def test_entities_and_broken_xml_are_refused() -> None:
    refused(summing().text.replace('name="x"', 'name="&a;"'), "not well-formed XML: undefined entity")
    refused(summing().text[:-20], "not well-formed XML")
    refused("<", "not well-formed XML")
    refused("<html></html>", "root element is <html>")
    refused(summing().text + "<net/>", "not well-formed XML")


def test_nesting_and_counts_have_limits(monkeypatch: pytest.MonkeyPatch) -> None:
    refused("<net>" + "<a>" * 70 + "</a>" * 70 + "</net>", "<a> is nested 65 deep; at most 64", UnsafeModelError)
    monkeypatch.setattr(xml, "MAX_ELEMENTS", 10)
    refused(summing().text, "more than 10 elements", UnsafeModelError)
    monkeypatch.setattr(xml, "MAX_BYTES", 10)
    refused(summing().text, "at most 10 are allowed", UnsafeModelError)


@looped(
    "old, new, message",
    [
        ('version="11"', 'version="12"', "IR version is '12'; allowed: 10, 11"),
        ('version="11"', 'version="7"', "IR version is '7'"),
        ('layer id="1"', 'layer id="0"', r"layer 0 \(Const 'const_1'\): the layer id 0 is repeated"),
        ('layer id="1"', 'layer id="-1"', "id of layer 'const_1' is '-1'; an unsigned integer is needed"),
        ('type="ReduceSum"', "", "layer 2 .* has no type"),
        ('port id="1"', 'port id="0"', r"layer 2 .*port id 0 is there 2 times"),
        ('port id="1"', 'port id="9"', r"layer 2 .*port id 9 is there 2 times"),
        ('from-layer="1"', 'from-layer="7"', "an edge goes from layer 7, which is not there"),
        ('to-layer="2" to-port="1"', 'to-layer="7" to-port="1"', "an edge goes to layer 7"),
        ('from-layer="1" from-port="9"', 'from-layer="1" from-port="3"', "layer 1 .*from output port 3"),
        ('to-port="1"', 'to-port="5"', "layer 2 .*to input port 5"),
        ('to-port="1"', 'to-port="0"', "layer 2 .*two edges end in input port 0"),
        ('to-port="1"', "", "to-port of an edge is missing"),
        ('type="Result"', 'type="Abs"', "no Result layer"),
        ("<edges>", "<!-- <edges>", "well-formed"),
        ('offset="0"', 'offset="-8"', "layer 1 .*offset is '-8'"),
        ('size="8"', "", "layer 1 .*size is missing"),
        ('shape="1"', 'shape="?"', "layer 1 .*every dim must be known"),
        ('shape="1"', "", "layer 1 .*no shape"),
        ("<dim>2</dim>", "<dim>two</dim>", "layer 2 .*a dim is 'two'"),
        ('keep_dims="true"', 'keep_dims="yes"', "keep_dims is 'yes'"),
        ("</layers>", "</layers><layers/>", "<net> has 2 <layers>"),
    ],
)
def test_what_an_ir_may_not_say(old: str, new: str, message: str) -> None:
    text = summing().text
    assert old in text
    refused(text.replace(old, new, 1), message, weights=AXIS.tobytes())


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ('offset="0"', 'offset="1"', "layer 1 .*offset 1 and size 8 end at 9; the .bin has 8 bytes"),
        ('offset="0"', f'offset="{10**17}"', "the .bin has 8 bytes"),
        ('size="8"', 'size="9"', "end at 9; the .bin has 8 bytes"),
        ('size="8"', 'size="7"', r"layer 1 .*shape \[1\] of i64 needs 8 bytes; size is 7"),
        ('shape="1"', f'shape="{2**32},{2**32}"', r"layer 1 .*more than 2\^40 elements"),
        ('shape="1"', f'shape="0,{2**32},{2**32}"', r"layer 1 .*more than 2\^40 elements"),
        ('shape="2,3"', 'shape="' + ",".join("1" * 65) + '"', "layer 0 .*65 dims; at most 64"),
        ('shape="2,3"', f'shape="{2**41},?"', r"layer 0 .*more than 2\^40 elements"),
        ("<dim>2</dim>", f"<dim>{2**50}</dim>", r"layer 2 .*more than 2\^40 elements"),
    ],
)
def test_what_reaches_beyond_the_file(old: str, new: str, message: str) -> None:
    text = summing().text
    assert old in text
    refused(text.replace(old, new, 1), message, UnsafeModelError, AXIS.tobytes())


def test_a_cycle_is_refused() -> None:
    ir = Ir()
    ir.layer("Abs", [1], name="first")
    ir.result(ir.layer("Exp", [0], name="second"))
    refused(ir.text, "the nodes 'first', 'second'.*a cycle")


def test_an_unconnected_input_is_refused() -> None:
    ir = summing()
    ir.edges.pop(1)
    refused(ir.text, r"layer 2 \(ReduceSum 'reducesum_2'\): no edge ends in input port 1")


def tried(data: bytes, weights: bytes | None, x: np.ndarray) -> str:
    """What becomes of it; anything but a result, an error of samesum or a lack of memory raises."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", UserWarning)
            load(data, weights=weights).run(x)
    except (SamesumError, MemoryError) as error:
        return type(error).__name__
    return "runs"


def damaged(data: bytes, seed: int, count: int) -> list[bytes]:
    """Copies with one to three bytes changed, and some cut short."""
    rng = np.random.default_rng(seed)
    copies = []
    for i in range(count):
        copy = bytearray(data)
        for _ in range(rng.integers(1, 4)):
            copy[rng.integers(len(copy))] = rng.integers(256)
        copies.append(bytes(copy[: rng.integers(len(copy))] if i % 5 == 0 else copy))
    return copies


def network() -> Ir:
    ir = summing()
    x, two = 0, ir.const(np.int64([3, -1]))
    shaped = ir.layer("Reshape", [x, two], '<data special_zero="true"/>')
    cut = ir.layer("Slice", [shaped, ir.const(np.int64([0])), ir.const(np.int64([2])), ir.const(AXIS)], "", "opset8")
    wide = ir.layer("Broadcast", [cut, ir.const(np.int64([2, 2, 2]))])
    return ir.result(ir.layer("Power", [wide, ir.const(np.float32(2))]), "z")


def test_damaged_ir_gives_results_or_errors_of_samesum() -> None:
    ir, x = network(), np.ones((2, 3), np.float32)
    text, weights = ir.text.encode(), bytes(ir.weights)
    assert tried(text, weights, x) == "runs"
    found = {tried(copy, weights, x) for copy in damaged(text, 1, 600)}
    assert {"runs", "ModelError", "UnsupportedOperator"} <= found, found
    found = {tried(text, copy, x) for copy in damaged(weights, 2, 200)}
    assert {"ShapeError", "UnsafeModelError"} <= found, found


def test_damaged_onnx_gives_results_or_errors_of_samesum() -> None:
    node = helper.make_node
    nodes = [
        node("Constant", [], ["two"], value_float=2.0),
        node("Pow", ["x", "two"], ["p"]),
        node("Reshape", ["p", "shape"], ["r"]),
        node("Expand", ["r", "wide"], ["e"]),
        node("Cast", ["e"], ["c"], to=TensorProto.FLOAT16),
        node("ReduceSum", ["c", "axes"], ["y"], keepdims=0),
    ]
    constants = {"shape": np.int64([3, -1]), "wide": np.int64([2, 1, 1]), "axes": AXIS}
    data = onnx_bytes(nodes, {"x": (F, [2, 3])}, {"y": (TensorProto.FLOAT16, None)}, constants)
    x = np.ones((2, 3), np.float32)
    assert tried(data, None, x) == "runs"
    found = {tried(copy, None, x) for copy in damaged(data, 3, 800)}
    assert {"runs", "ModelError", "UnsupportedOperator"} <= found, found
