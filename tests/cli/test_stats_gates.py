"""No check of `samesum stats` passes where nothing was checked, and what was not looked at is named."""

from __future__ import annotations

import json
from pathlib import Path

import ml_dtypes
import numpy as np
import pytest
from command import Command

from samesum.cli.show import Exit
from tensor_files import drawn, gguf_of, safetensors_bytes, with_header

F = np.float32([[1, 2, np.nan]])


def blocks(path: Path, raw: bytes = bytes(36), kind: int = 20, **more: np.ndarray) -> Path:
    """A tensor q of [2, 32] in blocks that are not decoded, IQ4_NL, beside plain ones."""
    plain = {name: (0, array.shape, array.tobytes()) for name, array in more.items()}
    path.write_bytes(gguf_of({"q": (kind, (2, 32), raw), **plain}))
    return path


def complexes(path: Path, raw: bytes = bytes(8)) -> Path:
    path.write_bytes(with_header({"q": {"dtype": "C64", "shape": [1], "data_offsets": [0, 8]}}, raw))
    return path


def texts(path: Path, raw: bytes = b"a\0\0\0") -> Path:
    np.save(path, np.frombuffer(raw, "<U1"))
    return path


def structured(path: Path, raw: bytes = bytes(8)) -> Path:
    np.savez(path, q=np.frombuffer(raw, [("x", "<f4"), ("y", "<f4")]))
    return path


UNDECODED = (
    (blocks, "q.gguf", bytes(35) + b"\1", "IQ4_NL", "2x32"),
    (complexes, "q.safetensors", bytes(7) + b"\1", "C64", "1"),
    (texts, "q.npy", b"b\0\0\0", "<U1", "1"),
    (structured, "q.npz", bytes(7) + b"\1", "[('x', '<f4'), ('y', '<f4')]", "1"),
)


@pytest.mark.parametrize(("make", "name", "other", "kind", "shape"), UNDECODED)
def test_what_is_not_decoded_is_compared_by_its_bytes(
    samesum: Command, tmp_path: Path, make: object, name: str, other: bytes, kind: str, shape: str
) -> None:
    for folder in "ab":
        (tmp_path / folder).mkdir()
    a, b = make(tmp_path / "a" / name), make(tmp_path / "b" / name, other)  # type: ignore[operator]
    done = samesum("stats", "--diff", a, b, "--json")
    assert done.status == Exit.MISMATCH
    found = json.loads(done.out)
    assert found == {
        "diff": [{"name": "q", "differ": 1, "max_abs": None}], "only_in_a": [], "only_in_b": [], "not_compared": [],
    }  # fmt: skip
    assert "1 byte " in samesum("stats", "--diff", a, b).out
    assert samesum("stats", "--diff", a, a).status == Exit.FINE
    digests = [samesum("stats", path, "--digest") for path in (a, b, a)]
    assert [each.status for each in digests] == [Exit.FINE] * 3
    assert digests[0].out == digests[2].out != digests[1].out
    for option in ((), ("--fail-on", "nan"), ("--fail-on", "nan", "--digest")):
        done = samesum("stats", a, *option)
        assert done.status == Exit.UNSUPPORTED
        assert ["q", *kind.split(), shape] in [line.split() for line in done.out.splitlines()]
    done = samesum("stats", a, "--json")
    document = json.loads(done.out)
    assert (done.status, document["tensors"]) == (Exit.UNSUPPORTED, [])
    (entry,) = document["not_decoded"]
    assert (entry["name"], entry["file"], entry["dtype"]) == ("q", str(a), kind)


def test_other_tensors_are_looked_at_and_the_rest_is_named(samesum: Command, tmp_path: Path) -> None:
    path = blocks(tmp_path / "x.gguf", w=F[:, :2])
    done = samesum("stats", path, "--fail-on", "nan")
    assert (done.status, "q            IQ4_NL  2x32" in done.out) == (Exit.FINE, True)
    bad = blocks(tmp_path / "y.gguf", w=F)
    assert samesum("stats", bad, "--fail-on", "nan").status == Exit.THRESHOLD


def test_what_cannot_be_compared_is_no_success(samesum: Command, tmp_path: Path) -> None:
    a, b = blocks(tmp_path / "a.gguf", w=F), blocks(tmp_path / "b.gguf", bytes(34), 39, w=F)
    (tmp_path / "c.safetensors").write_bytes(safetensors_bytes({"q": drawn("float32", (2, 32)), "w": F}))
    for other, words in ((b, "it is IQ4_NL in A and MXFP4 in B"), (tmp_path / "c.safetensors", "float32 in B")):
        done = samesum("stats", "--diff", a, other)
        assert done.status == Exit.UNSUPPORTED
        assert "0 of 2 tensors differ, 1 are not compared." in done.out
        assert f"Not compared: q: {words}" in done.out or words in done.out
        done = samesum("stats", "--diff", a, other, "--json")
        document = json.loads(done.out)
        assert (done.status, document["not_compared"], document["diff"]) == (Exit.UNSUPPORTED, ["q"], [])
    moved = blocks(tmp_path / "d.gguf", bytes(34), 39, w=F + 1)
    assert samesum("stats", "--diff", a, moved).status == Exit.MISMATCH


def test_bytes_that_nobody_knows(samesum: Command, tmp_path: Path) -> None:
    onnx = pytest.importorskip("onnx")
    far = onnx.TensorProto(name="far", data_type=99, dims=[2], data_location=onnx.TensorProto.EXTERNAL)
    far.external_data.add(key="location", value="w.bin")
    near = onnx.numpy_helper.from_array(F, "w")
    for name, tensors in (("far.onnx", [far]), ("both.onnx", [far, near])):
        model = onnx.helper.make_model(onnx.helper.make_graph([], "g", [], [], tensors))
        (tmp_path / name).write_bytes(model.SerializeToString())
        done = samesum("stats", tmp_path / name, "--digest")
        assert done.status == Exit.UNSUPPORTED
        assert "far          number 99  2" in done.out
        done = samesum("stats", "--diff", tmp_path / name, tmp_path / name)
        assert (done.status, "Not compared: far: its data type is number 99" in done.out) == (Exit.UNSUPPORTED, True)
        state = tmp_path / "x.state"
        samesum("stats", tmp_path / name, "--state", state)
        assert samesum("stats", "--merge", state, "--digest").status == Exit.UNSUPPORTED
    assert samesum("stats", tmp_path / "far.onnx").status == Exit.UNSUPPORTED
    assert samesum("stats", tmp_path / "both.onnx").status == Exit.FINE


def test_a_gate_does_not_pass_on_nothing(samesum: Command, tmp_path: Path) -> None:
    empty = tmp_path / "x.safetensors"
    empty.write_bytes(safetensors_bytes({}))
    none = tmp_path / "none.safetensors"
    none.write_bytes(safetensors_bytes({"w": np.empty((0, 3), np.float32)}))
    samesum("stats", empty, "--state", tmp_path / "x.state")
    for arguments in (
        (empty, "--fail-on", "nan"),
        (empty, "--digest"),
        (none, "--fail-on", "nan"),
        ("--merge", tmp_path / "x.state", "--digest"),
        ("--merge", tmp_path / "x.state", "--fail-on", "nan"),
    ):
        done = samesum("stats", *arguments)
        assert (done.status, "nothing was checked" in done.err) == (Exit.USAGE, True)
    done = samesum("stats", "--diff", empty, empty)
    assert (done.status, "there is no tensor to compare" in done.err) == (Exit.USAGE, True)
    assert samesum("stats", empty).out == "No tensor has figures.\n"
    for condition in ("", ","):
        done = samesum("stats", none, "--fail-on", condition)
        assert (done.status, "names nothing" in done.err) == (Exit.USAGE, True)


def test_numbers_in_constants_and_bodies_are_looked_at(samesum: Command, tmp_path: Path) -> None:
    onnx = pytest.importorskip("onnx")
    helper, nan = onnx.helper, float("nan")
    out = helper.make_tensor_value_info("y", onnx.TensorProto.FLOAT, None)
    body = helper.make_graph([], "b", [], [out], [onnx.numpy_helper.from_array(F, "w")])
    function = helper.make_function(
        "mine",
        "F",
        [],
        ["y"],
        [helper.make_node("Constant", [], ["y"], value_float=nan)],
        [helper.make_opsetid("", 18)],
    )
    for name, nodes, functions in (
        ("c", [helper.make_node("Constant", [], ["c"], value=onnx.numpy_helper.from_array(F))], []),
        ("c", [helper.make_node("Constant", [], ["c"], value_float=nan)], []),
        ("c", [helper.make_node("Constant", [], ["c"], value_floats=[1.0, nan])], []),
        ("if/then_branch/w", [helper.make_node("If", ["k"], ["y"], "if", then_branch=body, else_branch=body)], []),
        ("loop/body/w", [helper.make_node("Loop", ["", ""], ["y"], "loop", body=body)], []),
        ("F/y", [helper.make_node("F", [], ["y"], domain="mine")], [function]),
    ):
        model = helper.make_model(helper.make_graph(nodes, "g", [], [out]), functions=functions)
        (tmp_path / "m.onnx").write_bytes(model.SerializeToString())
        done = samesum("stats", tmp_path / "m.onnx", "--fail-on", "nan")
        assert (done.status, f"{name}: nan: 1 NaN" in done.err) == (Exit.THRESHOLD, True)


def test_an_ir_and_its_compressed_form(samesum: Command, tmp_path: Path) -> None:
    ov = pytest.importorskip("openvino")
    from openvino import opset13

    x = opset13.parameter([2, 3], np.float32)
    w = opset13.constant(np.float32([1, 2, 1 + 2.0**-12]), name="w")
    model = ov.Model([opset13.result(opset13.add(x, w))], [x], "m")
    for name, compresses in (("a.xml", False), ("b.xml", True)):
        ov.save_model(model, tmp_path / name, compress_to_fp16=compresses)
    done = samesum("stats", "--diff", tmp_path / "a.xml", tmp_path / "b.xml", "--json")
    assert done.status == Exit.MISMATCH
    found = json.loads(done.out)
    assert found["diff"] == [{"name": "w", "differ": 1, "max_abs": 2.0**-12}]
    assert found["only_in_a"] == found["only_in_b"] == []


def test_integers_that_no_float_holds_are_not_equal_to_one(samesum: Command, tmp_path: Path) -> None:
    whole = np.array([2**53 + 1, -(2**63), 7, 2**62, 5])
    other = np.array([2.0**53, -(2.0**63), 7.5, np.inf, np.nan])
    for dtype in ("float64", "float32", "bfloat16"):
        np.savez(tmp_path / "a.npz", x=whole[:4])
        held = other[:4].astype(getattr(ml_dtypes, dtype, dtype))
        (tmp_path / "b.safetensors").write_bytes(safetensors_bytes({"x": held}))
        for pair in (("a.npz", "b.safetensors"), ("b.safetensors", "a.npz")):
            found = json.loads(samesum("stats", "--diff", *(tmp_path / name for name in pair), "--json").out)
            assert found["diff"] == [{"name": "x", "differ": 3, "max_abs": "inf"}]
    np.savez(tmp_path / "a.npz", x=whole[:1], y=whole[4:], z=whole[2:3])
    np.savez(tmp_path / "b.npz", x=other[:1], y=other[4:], z=other[2:3])
    found = json.loads(samesum("stats", "--diff", tmp_path / "a.npz", tmp_path / "b.npz", "--json").out)
    assert [(each["name"], each["differ"], each["max_abs"]) for each in found["diff"]] == [
        ("x", 1, 1.0), ("y", 1, "nan"), ("z", 1, 0.5),
    ]  # fmt: skip


def test_arrays_that_are_named_by_their_files(samesum: Command, tmp_path: Path) -> None:
    np.save(tmp_path / "a.npy", F)
    np.save(tmp_path / "b.npy", F)
    np.save(tmp_path / "c.npy", F + 1)
    assert samesum("stats", "--diff", tmp_path / "a.npy", tmp_path / "b.npy").status == Exit.FINE
    done = samesum("stats", "--diff", tmp_path / "a.npy", tmp_path / "c.npy", "--json")
    assert json.loads(done.out)["diff"] == [{"name": "a", "differ": 2, "max_abs": 1.0}]


def test_one_bad_file_among_several_does_not_end_the_run(samesum: Command, tmp_path: Path) -> None:
    good, bad, cut = tmp_path / "good.npy", tmp_path / "bad.npy", tmp_path / "cut.npz"
    np.save(good, F[:, :2])
    bad.write_bytes(b"\x93NUMPY")
    np.savez_compressed(cut, w=drawn("float32", (4000,)), v=np.ones(3, np.float32))
    content = cut.read_bytes()
    cut.write_bytes(content[:4000] + bytes(100) + content[4100:])
    absent, state = tmp_path / "absent.npy", tmp_path / "x.state"
    for other, status, words in (
        (bad, Exit.INVALID, "bad.npy is not a NumPy array"),
        (absent, Exit.USAGE, "absent.npy: No such file"),
        (cut, Exit.INVALID, "cut.npz is not a valid .npz file"),
    ):
        for files in ((other, good), (good, other)):
            done = samesum("stats", *files, "--json", "--state", state)
            assert (done.status, words in done.err) == (status, True)
            document = json.loads(done.out)
            assert "good" in [each["name"] for each in document["tensors"]]
            (error,) = document["errors"]
            assert words in error
            assert f"{state} is not complete" in done.err
            assert samesum("stats", "--merge", state).status == Exit.USAGE
        assert samesum("stats", good, other, "--digest").out == ""
    document = json.loads(samesum("stats", cut, "--json").out)
    assert [each["name"] for each in document["tensors"]] == ["v"]


def test_a_folder_is_a_file(samesum: Command, tmp_path: Path) -> None:
    whole = tmp_path / "whole.safetensors"
    x, y = drawn("float32", (4,)), drawn("int8", (3,))
    whole.write_bytes(safetensors_bytes({"x": x, "y": y}))
    folder = tmp_path / "model"
    folder.mkdir()
    for name, array in (("x", x), ("y", y)):
        (folder / f"{name}.safetensors").write_bytes(safetensors_bytes({name: array}))
    wanted = samesum("stats", whole, "--digest").out
    assert samesum("stats", folder, "--digest").out == wanted
    (folder / "m.safetensors.index.json").write_text('{"weight_map": {"x": "x.safetensors", "y": "y.safetensors"}}')
    assert samesum("stats", folder, "--digest").out == wanted
    assert samesum("stats", "--diff", folder, whole).status == Exit.FINE


def test_overflow_is_what_rounding_makes_infinite(samesum: Command, tmp_path: Path) -> None:
    path = tmp_path / "x.npy"
    edge = 2**128 - 2**103
    for dtype, value, overflows in (
        ("float16", 65519.996, False),
        ("float16", 65520.0, True),
        ("float16", -65520.0, True),
        ("bfloat16", 2.0**128 - 2.0**119, True),
        ("bfloat16", float(np.nextafter(2.0**128 - 2.0**119, 0)), False),
        ("float32", float(edge), True),
        ("float32", float(np.nextafter(float(edge), 0)), False),
        ("float8_e4m3fn", 464.0, False),  # a tie, to 448, whose last bit is even
        ("float8_e4m3fn", 464.001, True),
        ("float8_e5m2", 61440.0, True),
        ("float8_e4m3fnuz", 247.99, False),
    ):
        np.save(path, np.array([value, 1.0]))
        done = samesum("stats", path, "--fail-on", f"overflow:{dtype}")
        assert done.status == (Exit.THRESHOLD if overflows else Exit.FINE), (dtype, value)
    np.save(path, np.array([65519, 65520]))
    assert "65520 is above 65504" in samesum("stats", path, "--fail-on", "overflow:float16").err


def test_figures_differences_and_manifests_of_blocks(samesum: Command, tmp_path: Path) -> None:
    one = np.array([1.0], "<f2").tobytes()
    raw = {
        "a": one + bytes(range(32)) + one + bytes(32),
        "b": one + bytes(range(31)) + b"\7" + one + bytes(32),
        "c": bytes(34) + one + bytes(32),
        "d": bytes(33) + b"\1" + one + bytes(32),  # a byte that no value depends on
    }
    a, b, c, d = (blocks(tmp_path / f"{name}.gguf", data, 8) for name, data in raw.items())
    done = samesum("stats", a, "--columns", "tensor,type,count,max,sum")
    assert done.status == Exit.FINE
    assert ["q", "Q8_0", "64", "31", "496"] in [line.split() for line in done.out.splitlines()]
    np.savez(tmp_path / "plain.npz", q=np.array([range(32), [0] * 32], np.float32))
    assert samesum("stats", "--diff", a, tmp_path / "plain.npz").status == Exit.FINE
    for first, second, max_abs in ((a, b, 24), (c, d, None)):
        done = samesum("stats", "--diff", first, second, "--json")
        assert (done.status, json.loads(done.out)["diff"][0]["max_abs"]) == (Exit.MISMATCH, max_abs)
        manifest = first.with_suffix(".json")
        assert samesum("stats", first, "--manifest", manifest).status == Exit.FINE
        assert samesum("stats", first, "--verify", manifest).status == Exit.FINE
        done = samesum("stats", second, "--verify", manifest)
        assert (done.status, done.out.strip()) == (Exit.MISMATCH, "changed: q: bytes")
