"""Every reader gives the tensors of its format by name, whole, in windows, flat and along axes."""

from __future__ import annotations

import io
import os
from pathlib import Path

import numpy as np
import pytest

from samesum.errors import AttributeValueError, DtypeError, ModelError
from samesum.files.contents import open_tensors
from samesum.files.npy import write_npz
from samesum.files.tensor import Box, Tensor, tuple_of_ranges
from samesum.formats.arrays import NDArray
from tensor_files import GGUF, IR, SAFETENSORS, drawn, gguf_bytes, safetensors_bytes, with_header, write_ir

SHAPES = ((3, 4, 5), (7,), (), (0, 3), (2, 1))


def whole(tensor: Tensor, window: int) -> NDArray:
    """The tensor put together from its boxes, each element exactly once."""
    array = np.empty(tensor.shape, tensor.element.dtype)
    seen = np.zeros(tensor.shape, np.int64)
    for box in tensor.boxes(False, window):
        where = tuple(slice(begin, end) for begin, end in box.ranges)
        assert array[where].shape == box.array.shape
        array[where] = box.array
        seen[where] += 1
    assert (seen == 1).all()
    return array


def check(path: Path, expected: dict[str, NDArray], order: str = "C") -> None:
    tensors = {each.name: each for each in open_tensors(path).tensors}
    assert list(tensors) == list(expected)
    for name, array in expected.items():
        tensor = tensors[name]
        assert (tensor.shape, tensor.element.dtype, tensor.file) == (array.shape, array.dtype, str(path))
        for window in (1, 16, 1 << 22) if array.size < 1000 else (1 << 15,):
            found = whole(tensor, window)
            assert found.tobytes() == array.tobytes()
            flat = [box.array.copy() for box in tensor.boxes(True, window)]
            assert b"".join(each.tobytes() for each in flat) == array.tobytes(order)


def of_types(names: object, nothing: tuple[str, ...] = ()) -> dict[str, NDArray]:
    made = [name for name in names if name not in nothing]  # type: ignore[attr-defined]
    return {f"{name} {i}": drawn(name, SHAPES[i % len(SHAPES)], i) for i, name in enumerate(made)}


@pytest.mark.parametrize("order", ["C", "F"])
@pytest.mark.parametrize("byte_order", ["<", ">"])
def test_npy(tmp_path: Path, order: str, byte_order: str) -> None:
    array = np.asarray(drawn("float32", (3, 4, 5)).astype(byte_order + "f4"), order=order)
    np.save(tmp_path / "some name.npy", array)
    check(tmp_path / "some name.npy", {"some name": array.astype("=f4")}, order)


@pytest.mark.parametrize("compressed", [False, True])
def test_npz(tmp_path: Path, compressed: bool) -> None:
    arrays = of_types(("float32", "float16", "int64", "bool", "uint8"))
    (np.savez_compressed if compressed else np.savez)(tmp_path / "x.npz", **arrays)
    check(tmp_path / "x.npz", arrays)


def test_npz_of_types_that_numpy_has_no_name_for(tmp_path: Path) -> None:
    arrays = of_types(("bfloat16", "float8_e4m3fn", "float8_e8m0fnu"))
    write_npz(tmp_path / "x.npz", arrays)
    check(tmp_path / "x.npz", arrays)


def test_safetensors(tmp_path: Path) -> None:
    arrays = of_types(SAFETENSORS)
    (tmp_path / "x.safetensors").write_bytes(safetensors_bytes(arrays))
    check(tmp_path / "x.safetensors", arrays)


def test_safetensors_are_those_of_the_package(tmp_path: Path) -> None:
    package = pytest.importorskip("safetensors.numpy")
    arrays = of_types(SAFETENSORS, ("bfloat16", "float8_e5m2", "float8_e4m3fn", "float8_e8m0fnu"))
    package.save_file(arrays, tmp_path / "x.safetensors", metadata={"format": "np"})
    found = {each.name: whole(each, 1 << 20) for each in open_tensors(tmp_path / "x.safetensors").tensors}
    again = package.load_file(tmp_path / "x.safetensors")
    assert found.keys() == again.keys() == arrays.keys()
    for name, array in again.items():
        np.testing.assert_array_equal(found[name], array, strict=True)
    written = package.load(safetensors_bytes(arrays))
    assert all(written[name].tobytes() == array.tobytes() for name, array in arrays.items())


def test_a_checkpoint_in_several_files(tmp_path: Path) -> None:
    arrays = of_types(("float32", "bfloat16", "int8", "float16"))
    names = list(arrays)
    for number, part in enumerate((names[:2], names[2:])):
        part_bytes = safetensors_bytes({name: arrays[name] for name in part})
        (tmp_path / f"model-{number}.safetensors").write_bytes(part_bytes)
    index = {name: f"model-{i // 2}.safetensors" for i, name in enumerate(names)}
    path = tmp_path / "model.safetensors.index.json"
    path.write_text(f'{{"metadata": {{}}, "weight_map": {str(index).replace(chr(39), chr(34))}}}')
    tensors = open_tensors(path).tensors
    assert [each.name for each in tensors] == names
    assert all(whole(each, 8).tobytes() == arrays[each.name].tobytes() for each in tensors)


def test_the_folder_of_a_checkpoint(tmp_path: Path) -> None:
    """An index leaves out what it does not name; without one all files are taken."""
    for name in ("a", "b"):
        (tmp_path / f"{name}.safetensors").write_bytes(safetensors_bytes({name: drawn("float32", (3,))}))
    assert [each.name for each in open_tensors(tmp_path).tensors] == ["a", "b"]
    (tmp_path / "m.safetensors.index.json").write_text('{"weight_map": {"b": "b.safetensors"}}')
    found = open_tensors(tmp_path)
    assert [each.name for each in found.tensors] == ["b"]
    assert found.beside == (tmp_path / "m.safetensors.index.json", tmp_path / "b.safetensors")


def test_tensors_are_read_from_where_a_box_begins(tmp_path: Path) -> None:
    """Seeking in a file, reading on in a compressed member, from field to field of a message."""
    onnx = pytest.importorskip("onnx")
    x = np.arange(60, dtype=np.float32).reshape(5, 4, 3)
    np.save(tmp_path / "f.npy", np.asarray(x, order="F"))
    np.savez_compressed(tmp_path / "z.npz", x=x)
    tensor = onnx.helper.make_tensor("x", onnx.TensorProto.FLOAT, x.shape, x.ravel().tolist())
    onnx.save_model(onnx.helper.make_model(onnx.helper.make_graph([], "g", [], [], [tensor])), tmp_path / "m.onnx")
    for name in ("f.npy", "z.npz", "m.onnx"):
        (found,) = open_tensors(tmp_path / name).tensors
        for is_flat in (True, False):
            boxes = [box.array.copy() for box in found.boxes(is_flat, 48)]
            assert len(boxes) > 3
            ends = np.cumsum([0, *(box.size for box in boxes)]).tolist()
            for number, read in enumerate(ends):
                rest = [box.array.copy() for box in found.boxes(is_flat, 48, read)]
                assert [box.tolist() for box in rest] == [box.tolist() for box in boxes[number:]]
            with pytest.raises(AttributeValueError, match="was read up to element 1 of 60, where no part of it begins"):
                next(found.boxes(is_flat, 48, 1))


def test_types_without_numbers_are_left_out(tmp_path: Path) -> None:
    header = {"c": {"dtype": "C64", "shape": [1], "data_offsets": [0, 8]}}
    (tmp_path / "x.safetensors").write_bytes(with_header(header, bytes(8)))
    np.save(tmp_path / "x.npy", np.array(["a"]))
    for name, reason in (("x.safetensors", "its dtype is C64"), ("x.npy", "its dtype is <U1; allowed are")):
        contents = open_tensors(tmp_path / name)
        assert contents.tensors == ()
        assert reason in contents.skipped[0].reason


def test_ir(tmp_path: Path) -> None:
    arrays = of_types(IR)
    check(write_ir(tmp_path / "m.xml", arrays), arrays)


def test_ir_with_bodies_and_elements_of_four_bits(tmp_path: Path) -> None:
    data = '<data element_type="{}" shape="{}" offset="{}" size="{}"/>'
    inner = f'<layer id="0" name="c" type="Const">{data.format("i4", "3,2", 0, 3)}</layer>'
    outer = f'<layer id="1" name="loop" type="Loop"><data/><body><layers>{inner}</layers></body></layer>'
    odd = f'<layer id="2" name="odd" type="Const">{data.format("u4", "3,3", 3, 5)}</layer>'
    text = f'<layer id="3" name="text" type="Const">{data.format("string", "1", 0, 1)}</layer>'
    (tmp_path / "m.xml").write_text(f'<net name="n"><layers>{outer}{odd}{text}</layers></net>')
    (tmp_path / "m.bin").write_bytes(bytes(range(0x10, 0x18)))
    contents = open_tensors(tmp_path / "m.xml")
    first, second = contents.tensors
    assert (first.name, second.name, contents.skipped[0].name) == ("loop/c", "odd", "text")
    assert whole(first, 1).tolist() == [[0, 1], [1, 1], [2, 1]]
    assert np.concatenate([box.array for box in second.boxes(True, 1)]).tolist() == [3, 1, 4, 1, 5, 1, 6, 1, 7]
    with pytest.raises(DtypeError, match="rows of u4 do not begin at whole bytes"):
        list(second.boxes(False, 1))


def test_a_compressed_constant_has_the_name_of_its_convert(tmp_path: Path) -> None:
    """As OpenVINO compresses weights: w becomes w_compressed, and a Convert that is marked has the name w."""
    data = '<data element_type="f16" shape="2" offset="0" size="4"/>'
    marked = '<rt_info><attribute name="decompression" version="0"/></rt_info>'
    layers = (
        f'<layer id="0" name="w_compressed" type="Const">{data}</layer>'
        f'<layer id="1" name="w" type="Convert"><data destination_type="f32"/>{{}}</layer>'
    )
    edges = '<edges><edge from-layer="0" from-port="0" to-layer="1" to-port="0"/></edges>'
    net = f"<layers>{layers.format(marked)}</layers>{edges}"
    body = f'<layer id="9" name="loop" type="Loop"><body>{net}</body><back_edges>{edges[7:-8]}</back_edges></layer>'
    plain = f"<layers>{layers.format('')}{body}</layers>{edges}"
    (tmp_path / "m.bin").write_bytes(np.float16([1, 2]).tobytes())
    for text, names in ((net, ["w"]), (plain, ["w_compressed", "loop/w"])):
        (tmp_path / "m.xml").write_text(f'<net name="n">{text}</net>')
        assert [each.name for each in open_tensors(tmp_path / "m.xml").tensors] == names


def test_gguf(tmp_path: Path) -> None:
    arrays = {name: array for name, array in of_types(GGUF).items() if array.ndim}
    (tmp_path / "x.gguf").write_bytes(gguf_bytes(arrays))
    check(tmp_path / "x.gguf", arrays)


@pytest.mark.parametrize("kind", ["raw", "typed", "external"])
def test_initializers(tmp_path: Path, kind: str) -> None:
    onnx = pytest.importorskip("onnx")
    names = ("float32", "float64", "int32", "int64", "uint64", "uint32", "float16", "bfloat16", "int8", "bool",
             "float8_e4m3fn", "uint16")  # fmt: skip
    arrays = of_types(names)
    arrays["integers"] = np.array([-(2**63), 2**63 - 1, -1, 0, 127, 128] * 9000)
    arrays["floats"] = np.arange(70000, dtype=np.float32) / 7
    tensors = [onnx.numpy_helper.from_array(array, name) for name, array in arrays.items()]
    for tensor, array in zip(tensors, arrays.values(), strict=True):
        if kind == "typed":
            field, values = _typed(array)
            tensor.ClearField("raw_data")
            getattr(tensor, field).extend(values)
        if kind == "external":
            onnx.external_data_helper.set_external_data(tensor, "weights.bin")
    graph = onnx.helper.make_graph([], "g", [], [], tensors)
    onnx.save_model(onnx.helper.make_model(graph), tmp_path / "m.onnx")
    check(tmp_path / "m.onnx", arrays)


def _typed(array: NDArray) -> tuple[str, list[object]]:
    fields = {"float32": "float_data", "float64": "double_data", "int64": "int64_data", "uint32": "uint64_data"}
    field = fields.get(array.dtype.name, "uint64_data" if array.dtype == np.uint64 else "int32_data")
    if array.dtype.kind not in "iub" and field == "int32_data":
        array = array.reshape(-1).view(f"u{array.dtype.itemsize}")
    return field, (array.astype(np.uint8) if array.dtype == np.bool_ else array).reshape(-1).tolist()


@pytest.mark.parametrize("version", [2, 3])
def test_zarr(tmp_path: Path, version: int) -> None:
    zarr = pytest.importorskip("zarr", minversion="3")
    array, other = drawn("float32", (7, 5)), np.arange(24, dtype=np.int16).reshape(2, 3, 4)
    group = zarr.open_group(tmp_path / "g.zarr", mode="w", zarr_format=version)
    group.create_array("a", shape=(7, 5), chunks=(3, 2), dtype="float32")[:] = array
    group.create_group("inner").create_array("b", shape=(2, 3, 4), chunks=(1, 2, 4), dtype=">i2")[:] = other
    group.create_array("missing", shape=(4,), chunks=(2,), dtype="float64", fill_value=2.5)
    if version == 3:
        group.create_array("s", shape=(8, 4), chunks=(2, 2), shards=(4, 4), dtype="float32")[:] = array[:, :4][[0] * 8]
    found = {each.name: each for each in open_tensors(tmp_path / "g.zarr").tensors}
    assert list(found) == ["a", "inner/b", "missing", *(["s"] if version == 3 else [])]
    assert whole(found["a"], 1).tobytes() == array.tobytes()
    np.testing.assert_array_equal(whole(found["inner/b"], 1), other, strict=True)
    assert whole(found["missing"], 1).tolist() == [2.5] * 4
    flat = np.concatenate([box.array for box in found["a"].boxes(True)])
    assert sorted(flat.tobytes()) == sorted(array.tobytes())
    boxes = [box.array.copy() for box in found["a"].boxes(False)]
    for number, read in enumerate(np.cumsum([0, *(box.size for box in boxes)]).tolist()):
        rest = [box.array.tobytes() for box in found["a"].boxes(False, read=read)]
        assert rest == [box.tobytes() for box in boxes[number:]]
    with pytest.raises(AttributeValueError, match="was read up to element 5 of 35"):
        next(found["a"].boxes(True, read=5))
    (alone,) = open_tensors(tmp_path / "g.zarr" / "a").tensors
    assert (alone.name, alone.shape) == ("a", (7, 5))


def test_ranges_cover_a_shape_once() -> None:
    for shape in ((), (5,), (2, 3, 4), (4, 1, 6), (1, 7)):
        for most in (1, 2, 3, 5, 8, 100):
            seen = np.zeros(shape, int)
            places = []
            for ranges in tuple_of_ranges(shape, most):
                where = tuple(slice(*each) for each in ranges)
                places += np.arange(seen.size).reshape(shape)[where].reshape(-1).tolist()
                seen[where] += 1
                assert seen[where].size <= most
            assert (seen == 1).all()
            assert places == list(range(seen.size))
    assert tuple_of_ranges((3, 0), 5) == ()


def test_what_has_no_known_format_is_refused(tmp_path: Path) -> None:
    (tmp_path / "x.bin").write_bytes(b"hello")
    with pytest.raises(ModelError, match=r"starts with b'hello'; allowed are \.npy, \.npz"):
        open_tensors(tmp_path / "x.bin")
    with pytest.raises(ModelError, match=r"is a folder without zarr.json, .zarray, .zgroup"):
        open_tensors(tmp_path)


def test_a_stream_may_give_fewer_bytes_than_asked_for() -> None:
    from samesum.files.source import windows

    class Slow(io.RawIOBase):
        def __init__(self, data: bytes) -> None:
            self.data = data

        def readinto(self, buffer: memoryview) -> int:  # type: ignore[override]
            count = min(3, len(self.data), len(buffer))
            buffer[:count], self.data = self.data[:count], self.data[count:]
            return count

    data = bytes(range(40))
    assert [each.tobytes() for each in windows(Slow(data), [10, 10, 20], "x")] == [data[:10], data[10:20], data[20:]]  # type: ignore[arg-type]
    with pytest.raises(ModelError, match="x ends after 10 of 20 bytes: the file is truncated"):
        list(windows(Slow(data[:30]), [10, 10, 20], "x"))  # type: ignore[arg-type]


@pytest.mark.parametrize("name", ["float16", "float64"])
def test_figures_read_from_the_file_are_those_of_the_boxes(tmp_path: Path, name: str) -> None:
    from samesum.stats.measuring import from_file, reads_files
    from samesum.stats.pattern import Assembly

    x = {"odd": np.zeros(3, np.int8), "x": drawn(name, (700, 300))}
    path = tmp_path / "x.safetensors"
    path.write_bytes(safetensors_bytes(x))
    odd, tensor = open_tensors(path).tensors
    assert not reads_files(odd)
    assert reads_files(tensor)
    assembly = Assembly(tensor.element.dtype, tensor.shape, ())
    for box in tensor.boxes(True, 1 << 12):
        assembly.add(box)
    for read in (0, 700 * 300 - 1):
        begun = Assembly(tensor.element.dtype, tensor.shape, ())
        begun.add(Box(((0, read),), x["x"].reshape(-1)[:read]))
        direct = Assembly(tensor.element.dtype, tensor.shape, (), begun.states())
        assert sum(from_file(tensor, direct.add_file, read)) == 700 * 300 - read
        assert direct.states() == assembly.states()
    os.truncate(path, path.stat().st_size - 1)
    with pytest.raises(
        ModelError, match=rf"ends after {tensor.nbytes - 1} of {tensor.nbytes} bytes: the file is trunc"
    ):
        list(from_file(tensor, Assembly(tensor.element.dtype, tensor.shape, ()).add_file))
