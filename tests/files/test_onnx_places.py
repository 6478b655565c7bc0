"""Numbers of an .onnx file, wherever it has them: those of constants, bodies and functions are not left out."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from samesum.errors import ModelError
from samesum.files.contents import open_tensors

pytest.importorskip("onnx")

from onnx import ModelProto, NodeProto, TensorProto, helper, numpy_helper, save_model
from onnx.external_data_helper import set_external_data

OUT = helper.make_tensor_value_info("y", TensorProto.FLOAT, None)


def values(path: Path) -> dict[str, object]:
    return {
        each.name: np.concatenate([box.array for box in each.boxes(True)]).reshape(each.shape).tolist()
        for each in open_tensors(path).tensors
    }


def constant(name: str, **value: object) -> NodeProto:
    return helper.make_node("Constant", [], [name], **value)


def saved(path: Path, nodes: list[NodeProto], tensors: list[TensorProto], **more: object) -> Path:
    graph = helper.make_graph(nodes, "g", [], [OUT], tensors)
    save_model(helper.make_model(graph, **more), path)
    return path


def test_every_form_of_a_constant(tmp_path: Path) -> None:
    nodes = [
        constant("t", value=numpy_helper.from_array(np.float16([[1, 2]]))),
        constant("f", value_float=2.5),
        constant("fs", value_floats=[1.5, -2.0, 3.0]),
        constant("i", value_int=-7),
        constant("is", value_ints=[2**62, -(2**63), 5]),
    ]
    assert values(saved(tmp_path / "m.onnx", nodes, [])) == {
        "t": [[1.0, 2.0]],
        "f": 2.5,
        "fs": [1.5, -2.0, 3.0],
        "i": -7,
        "is": [2**62, -(2**63), 5],
    }


def test_lists_that_are_packed(tmp_path: Path) -> None:
    """Proto3 packs the numbers of an attribute, which the onnx package does not."""
    floats, ints = np.float32([1.5, -2.0]), b"\x05" + b"\xff" * 9 + b"\x01" + b"\x80\x01"
    message = constant("c").SerializeToString()
    assert message.endswith(b"Constant")
    data = b""
    for name, field in (("value_floats", b"\x3a\x08" + floats.tobytes()), ("value_ints", b"\x42\x0d" + ints)):
        attribute = b"\x0a" + bytes([len(name)]) + name.encode() + field
        node = message.replace(b"\x01c", b"\x01" + name[6:7].encode()) + b"\x2a" + bytes([len(attribute)]) + attribute
        data += b"\x0a" + bytes([len(node)]) + node
    (tmp_path / "m.onnx").write_bytes(b"\x3a" + bytes([len(data) | 0x80, len(data) >> 7]) + data)
    assert len(data) < 256
    assert values(tmp_path / "m.onnx") == {"f": [1.5, -2.0], "i": [5, -1, 128]}


def test_bodies_functions_and_other_attributes(tmp_path: Path) -> None:
    w = numpy_helper.from_array(np.float32([1, 2]), "w")
    inner = helper.make_graph([constant("c", value_float=4.0)], "b", [], [OUT], [w])
    outer = helper.make_graph(
        [helper.make_node("If", ["k"], ["z"], then_branch=inner, else_branch=inner)], "o", [], [OUT]
    )
    opsets = [helper.make_opsetid("", 18), helper.make_opsetid("mine", 1), helper.make_opsetid("ai.onnx.ml", 1)]
    function = helper.make_function("mine", "F", ["a"], ["b"], [constant("w", value_float=8.0)], opsets[:1])
    nodes = [
        helper.make_node("Loop", ["m", "k"], ["y"], name="loop", body=outer),
        helper.make_node("ConstantOfShape", ["s"], ["filled"], value=numpy_helper.from_array(np.float32([3]))),
        helper.make_node("LinearRegressor", ["x"], ["r"], name="lr", domain="ai.onnx.ml", coefficients=[1.0, 2.0]),
        helper.make_node("Softmax", ["x"], ["q"], axis=1),
    ]
    assert values(saved(tmp_path / "m.onnx", nodes, [w], functions=[function], opset_imports=opsets)) == {
        "loop/body/z/then_branch/w": [1.0, 2.0],
        "loop/body/z/then_branch/c": 4.0,
        "loop/body/z/else_branch/w": [1.0, 2.0],
        "loop/body/z/else_branch/c": 4.0,
        "filled/value": [3.0],
        "lr/coefficients": [1.0, 2.0],
        "w": [1.0, 2.0],
        "F/w": 8.0,
    }


def test_names_that_come_again_get_a_number(tmp_path: Path) -> None:
    body = helper.make_graph([constant("c", value_float=4.0)], "b", [], [OUT])
    loops = [helper.make_node("Loop", ["m", "k"], [f"y{i}"], name="same", body=body) for i in range(3)]
    assert list(values(saved(tmp_path / "m.onnx", loops, []))) == ["same/body/c", "same/body/c'2", "same/body/c'3"]
    w = numpy_helper.from_array(np.float32([1]), "w")
    with pytest.raises(ModelError, match="initializer 'w' is repeated"):
        open_tensors(saved(tmp_path / "m.onnx", [], [w, w]))


def test_a_constant_in_another_file(tmp_path: Path) -> None:
    w = numpy_helper.from_array(np.float32([1, 2]), "w")
    set_external_data(w, "w.bin", 0, 8)
    w.ClearField("raw_data")
    (tmp_path / "w.bin").write_bytes(np.float32([5, 6]).tobytes())
    path = tmp_path / "m.onnx"
    graph = helper.make_graph([constant("c", value=w)], "g", [], [OUT])
    path.write_bytes(helper.make_model(graph).SerializeToString())
    assert values(path) == {"c": [5.0, 6.0]}
    assert open_tensors(path).beside == (tmp_path / "w.bin",)


def undecoded() -> ModelProto:
    sparse = helper.make_sparse_tensor(
        numpy_helper.from_array(np.float32([1]), "sparse"), numpy_helper.from_array(np.array([1]), "at"), [4]
    )
    far = TensorProto(name="far", data_type=99, dims=[2], data_location=TensorProto.EXTERNAL)
    far.external_data.add(key="location", value="w.bin")
    tensors = [
        helper.make_tensor("text", TensorProto.STRING, [2], [b"ab", b"c"]),
        helper.make_tensor("complex", TensorProto.COMPLEX64, [1], [1 + 2j]),
        TensorProto(name="nibbles", data_type=TensorProto.FLOAT4E2M1, dims=[3], raw_data=b"\x21\x03"),
        TensorProto(name="later", data_type=99, dims=[2], raw_data=b"abc"),
        TensorProto(name="typed", data_type=99, dims=[2], float_data=[1.0], int32_data=[7, 300]),
        far,
    ]
    graph = helper.make_graph([constant("words", value_strings=["x", "y"])], "g", [], [OUT], tensors)
    graph.sparse_initializer.append(sparse)
    return helper.make_model(graph)


def test_what_is_not_decoded_has_a_type_a_shape_and_bytes(tmp_path: Path) -> None:
    (tmp_path / "m.onnx").write_bytes(undecoded().SerializeToString())
    contents = open_tensors(tmp_path / "m.onnx")
    assert contents.tensors == ()
    found = {
        each.name: (each.kind, each.shape, each.stored and b"".join(x.array.tobytes() for x in each.stored.boxes(True)))
        for each in contents.skipped
    }
    words, sparse = (found.pop(name) for name in ("words", "sparse"))
    assert found == {
        "text": ("STRING", (2,), b"2\x02ab2\x01c"),  # with the lengths: "a" and "bc" are others
        "complex": ("COMPLEX64", (1,), np.complex64([1 + 2j]).tobytes()),
        "nibbles": ("FLOAT4E2M1", (3,), b"\x21\x03"),
        "later": ("number 99", (2,), b"abc"),
        "typed": ("number 99", (2,), np.float32(1).tobytes() + b"\x07\xac\x02"),
        "far": ("number 99", (2,), None),
    }
    assert (words[:2], sparse[:2]) == (("STRING", None), ("sparse FLOAT", (4,)))
    assert sparse[2] == undecoded().graph.sparse_initializer[0].SerializeToString()
    assert words[2] == undecoded().graph.node[0].attribute[0].SerializeToString()


def test_a_sparse_tensor_that_is_partly_elsewhere_has_no_bytes(tmp_path: Path) -> None:
    for which in ("values", "indices"):
        model = undecoded()
        getattr(model.graph.sparse_initializer[0], which).data_location = TensorProto.EXTERNAL
        (tmp_path / "m.onnx").write_bytes(model.SerializeToString())
        (found,) = (each for each in open_tensors(tmp_path / "m.onnx").skipped if each.name == "sparse")
        assert found.stored is None
