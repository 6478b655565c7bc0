"""Files of tensors that lie are refused in words, quickly and in little memory; what a fuzz run found stays refused."""

from __future__ import annotations

import json
import os
import struct
import subprocess
import sys
import zipfile
from pathlib import Path

import numpy as np
import pytest

from samesum.errors import ModelError, UnsafeModelError
from samesum.files.contents import open_tensors
from samesum.files.opening import json_object
from tensor_files import drawn, gguf_bytes, gguf_of, gguf_text, safetensors_bytes, with_header, write_ir


def entry(dtype: object = "F32", shape: object = (2,), offsets: object = (0, 8)) -> dict[str, object]:
    return {"dtype": dtype, "shape": shape, "data_offsets": offsets}


X = np.float32([1, 2])
SAFETENSORS = {
    "no length": (b"\x01", "its header claims 1 bytes; it has 1 in all"),
    "a header of exabytes": (struct.pack("<Q", 2**62) + b"{}", "its header claims 4611686018427387904 bytes"),
    "no JSON": (struct.pack("<Q", 2) + b"{]", "is no JSON document"),
    "JSON that is no object": (struct.pack("<Q", 2) + b"[]", "an object is needed"),
    "nested without end": (struct.pack("<Q", 100000) + b"[" * 100000, r"no JSON document|values of JSON"),
    "a name twice": (struct.pack("<Q", 17) + b'{"a":{},"a": {} }', "the name 'a' is there twice"),
    "another key": (with_header({"a": {**entry(), "x": 1}}, bytes(8)), "dtype, shape and data_offsets are needed"),
    "an unknown dtype": (with_header({"a": entry("F99")}, bytes(8)), "its dtype is 'F99'; allowed are BOOL"),
    "a dtype that is a list": (with_header({"a": entry([])}, bytes(8)), r"its dtype is '\[\]'"),
    "a negative dim": (with_header({"a": entry(shape=[-2])}, bytes(8)), r"its shape is \[-2\]"),
    "a dim that is a truth": (with_header({"a": entry(shape=[True])}, bytes(8)), r"its shape is \[True\]"),
    "too many elements": (with_header({"a": entry(shape=[2**50])}, bytes(8)), r"more than 2\^40 elements"),
    "another size": (with_header({"a": entry(shape=[3])}, bytes(8)), "takes 12 bytes; its data_offsets hold 8"),
    "offsets the wrong way": (with_header({"a": entry(offsets=[8, 0])}, bytes(8)), "two integers are needed, in their"),
    "tensors that overlap": (with_header({"a": entry(), "b": entry(offsets=[4, 12])}, bytes(12)), "begins at byte 4"),
    "a hole": (with_header({"a": entry(), "b": entry(offsets=[12, 20])}, bytes(20)), "begins at byte 12 of the data"),
    "bytes at the end": (with_header({"a": entry()}, bytes(9)), "its tensors take 8 bytes; 9 follow the header"),
    "cut short": (with_header({"a": entry()}, bytes(7)), "its tensors take 8 bytes; 7 follow the header"),
    "metadata that is no text": (with_header({"__metadata__": {"a": 1}}), "__metadata__ is not a map of texts"),
}  # fmt: skip


@pytest.mark.parametrize("name", SAFETENSORS)
def test_safetensors_that_lie(name: str, tmp_path: Path) -> None:
    content, words = SAFETENSORS[name]
    (tmp_path / "x.safetensors").write_bytes(content)
    with pytest.raises(ModelError, match=words):
        open_tensors(tmp_path / "x.safetensors")


INDEXES = {
    "no map": ({"weight_map": [1]}, "has no weight_map"),
    "a file elsewhere": ({"weight_map": {"a": "../x.safetensors"}}, "names the file '../x.safetensors'; a file beside"),
    "a name that is no name": ({"weight_map": {"a": "a" * 300}}, "a file beside the index is needed"),
    "an absolute path": ({"weight_map": {"a": "/etc/passwd"}}, "names the file '/etc/passwd'"),
    "a tensor that is not there": ({"weight_map": {"b": "x.safetensors"}}, "says that 'b' is in x.safetensors"),
}


@pytest.mark.parametrize("name", INDEXES)
def test_indexes_that_lie(name: str, tmp_path: Path) -> None:
    document, words = INDEXES[name]
    (tmp_path / "x.safetensors").write_bytes(safetensors_bytes({"a": X}))
    path = tmp_path / "m.safetensors.index.json"
    path.write_text(json.dumps(document))
    with pytest.raises(ModelError, match=words):
        open_tensors(path)


def test_json_has_limits() -> None:
    with pytest.raises(UnsafeModelError, match="has 600001 values of JSON; at most 524288 are allowed"):
        json_object(b'{"a":[' + b"," * 599999 + b"]}", "x")
    with pytest.raises(UnsafeModelError, match="has 21 bytes of JSON; at most 20 are allowed"):
        json_object(b'{"a":"' + b"x" * 13 + b'"}', "x", 20)


def test_irs_that_lie(tmp_path: Path) -> None:
    path = write_ir(tmp_path / "m.xml", {"a": X})
    text = path.read_text()
    for old, new, words in (
        ('size="8"', 'size="9"', r"offset 0 and size 9; .*m\.bin has 8 bytes"),
        ('offset="0"', 'offset="999999999999"', "offset 999999999999 and size 8"),
        ('shape="2"', 'shape="3"', r"\[3\] of f32 takes 12 bytes; size is 8"),
        ('shape="2"', 'shape="-2"', "a dim is '-2'; an unsigned integer is needed"),
        ('shape="2"', 'shape="99999999,99999999"', r"more than 2\^40 elements"),
        ("<net ", "<!DOCTYPE x><net ", r"has a DOCTYPE \('x'\); none is allowed"),
        ("<layers>", "<layers>" * 70, "has 65 elements, 65 deep; at most"),
        ("</net>", "", "is not well-formed XML"),
        ("net", "web", "its root is <web>; <net> is needed"),
    ):
        path.write_text(text.replace(old, new))
        with pytest.raises(ModelError, match=words):
            open_tensors(path)


def test_ggufs_that_lie(tmp_path: Path) -> None:
    path, whole = tmp_path / "x.gguf", gguf_bytes({"weight": X})
    name = whole.index(b"weight")

    def at(place: int, value: int, width: int = 8) -> bytes:
        return whole[:place] + value.to_bytes(width, "little") + whole[place + width :]

    for content, words in (
        (at(4, 1, 4), "is a GGUF file of version 1; allowed are 2 and 3"),
        (at(8, 2**60), "claims 1152921504606846976 tensors; at most"),
        (at(16, 2**40), "entries of metadata; at most"),
        (at(24, 2**50), "bytes of a name; at most"),
        (at(name + 10, 2**45), r"more than 2\^40 elements"),
        (at(name + 10, 3), "12 bytes at 0 of the data, which has 8 bytes"),
        (at(name + 22, 2**63), "bytes at 9223372036854775808 of the data"),
        (at(name + 6, 9, 4), "claims 9 dims; at most 4"),
        (whole[:60], "truncated|claims"),
    ):
        path.write_bytes(content)
        with pytest.raises(ModelError, match=words):
            open_tensors(path)


def test_metadata_of_gguf_that_lies(tmp_path: Path) -> None:
    """An alignment of another type than uint32 would move the data if it were left out."""
    path, tensors = tmp_path / "x.gguf", {"a": (0, (2,), X.tobytes())}
    key = gguf_text("general.alignment")
    for kind, width in ((0, 1), (2, 2), (5, 4), (6, 4), (10, 8), (11, 8)):
        entry = key + struct.pack("<I", kind) + (64).to_bytes(width, "little")
        path.write_bytes(gguf_of(tensors, 64, [entry]))
        with pytest.raises(ModelError, match=rf"alignment has metadata of type {kind}; uint32, number 4, is needed"):
            open_tensors(path)
    right = key + struct.pack("<II", 4, 64)
    path.write_bytes(gguf_of(tensors, 64, [right]))
    (found,) = open_tensors(path).tensors
    assert next(found.boxes(True)).array.tolist() == [1, 2]
    for entries, words in (
        ([right, right], "has the key 'general.alignment' twice"),
        ([gguf_text("a") + struct.pack("<IB", 0, 1)] * 2, "has the key 'a' twice"),
        ([key + struct.pack("<II", 4, 12)], "is 12; a multiple of 8 is needed"),
    ):
        path.write_bytes(gguf_of(tensors, 64, entries))
        with pytest.raises(ModelError, match=words):
            open_tensors(path)


def test_quantized_tensors_of_gguf_that_lie(tmp_path: Path) -> None:
    path = tmp_path / "x.gguf"
    for kind, shape, raw, words in (
        (8, (2, 32), bytes(67), "68 bytes at 0 of the data, which has 67 bytes"),
        (8, (2, 33), bytes(99), "rows of 33 elements; Q8_0 has blocks of 32"),
        (12, (255,), bytes(144), "rows of 255 elements; Q4_K has blocks of 256"),
    ):
        path.write_bytes(gguf_of({"q": (kind, shape, raw)}))
        with pytest.raises(ModelError, match=words):
            open_tensors(path)
    whole = gguf_of({"a": (0, (2,), X.tobytes()), "b": (0, (2,), X.tobytes())})
    path.write_bytes(whole.replace(struct.pack("<IQ", 0, 32), struct.pack("<IQ", 0, 28)))
    with pytest.raises(ModelError, match=r"'b' in .* begins at 28, no multiple of 32"):
        open_tensors(path)


def test_shards_that_lie_elsewhere(tmp_path: Path) -> None:
    folder = tmp_path / "model"
    folder.mkdir()
    (tmp_path / "x.safetensors").write_bytes(safetensors_bytes({"a": X}))
    (folder / "x.safetensors").symlink_to(tmp_path / "x.safetensors")
    with pytest.raises(UnsafeModelError, match=r"the file 'x.safetensors' lies outside the model's folder"):
        open_tensors(folder)
    (folder / "m.safetensors.index.json").write_text(json.dumps({"weight_map": {"a": "x.safetensors"}}))
    for path in (folder, folder / "m.safetensors.index.json"):
        with pytest.raises(UnsafeModelError, match=r"the file 'x.safetensors' lies outside the model's folder"):
            open_tensors(path)
    blobs, snapshot = tmp_path / "blobs", tmp_path / "snapshots" / "1"
    blobs.mkdir()
    snapshot.mkdir(parents=True)
    (tmp_path / "x.safetensors").rename(blobs / "0a1b")
    (snapshot / "x.safetensors").symlink_to("../../blobs/0a1b")
    assert [each.name for each in open_tensors(snapshot).tensors] == ["a"]


def test_folders_that_say_two_things(tmp_path: Path) -> None:
    for name in "ab":
        (tmp_path / f"{name}.safetensors").write_bytes(safetensors_bytes({"x": X}))
    with pytest.raises(ModelError, match=r"has 'x' in two files, .*b\.safetensors is the second; name the files"):
        open_tensors(tmp_path)
    for name in "ab":
        (tmp_path / f"{name}.safetensors.index.json").write_text(json.dumps({"weight_map": {"x": "b.safetensors"}}))
    with pytest.raises(ModelError, match=r"has 2 indexes: a.safetensors.index.json, b.safetensors.index.json; name"):
        open_tensors(tmp_path)


def test_bodies_in_bodies_have_an_end(tmp_path: Path) -> None:
    """Messages as protobuf has them: a graph with a node with an attribute with a graph, and so on."""

    def message(number: int, content: bytes) -> bytes:
        size, count = b"", len(content)
        while count >= 0x80:
            size, count = size + bytes([count & 0x7F | 0x80]), count >> 7
        return bytes([number << 3 | 2]) + size + bytes([count]) + content

    path = tmp_path / "m.onnx"
    for depth in (30, 40):
        graph = message(5, message(8, b"w") + b"\x08\x01\x10\x01" + message(9, X[:1].tobytes()))
        for _ in range(depth):
            graph = message(1, message(5, message(1, b"body") + message(6, graph)))
        path.write_bytes(message(7, graph))
        if depth == 30:
            (found,) = open_tensors(path).tensors
            assert (found.name.count("/body/"), found.name[-2:]) == (30, "/w")
        else:
            with pytest.raises(UnsafeModelError, match="bodies in bodies, more than 32 deep"):
                open_tensors(path)


def test_lists_in_attributes_that_lie(tmp_path: Path) -> None:
    onnx = pytest.importorskip("onnx")
    path = tmp_path / "m.onnx"
    node = onnx.helper.make_node("Constant", [], ["c"], value_floats=[1.0, 2.0])
    whole = onnx.helper.make_model(onnx.helper.make_graph([node], "g", [], [])).SerializeToString()
    one = b"\x3d" + np.float32(2).tobytes()
    assert whole.count(one) == 1
    path.write_bytes(whole.replace(one, b"\x3a\x03" + bytes(3)))  # five bytes too, packed: no number of floats
    with pytest.raises(ModelError, match="the list 'c' has 7 bytes, which is no number of floats"):
        open_tensors(path)
    path.write_bytes(whole.replace(one, b"\x3a\x7f" + bytes(3)))
    with pytest.raises(ModelError, match="is truncated"):
        open_tensors(path)


def test_pickles_are_refused_with_a_word_on_how_to_convert_them(tmp_path: Path) -> None:
    with zipfile.ZipFile(tmp_path / "new.pt", "w") as archive:
        archive.writestr("new/data.pkl", b"\x80\x02}q\x00.")
    (tmp_path / "old.pth").write_bytes(b"\x80\x02}q\x00.")
    for name, result in (("new.pt", "new.safetensors"), ("old.pth", "old.safetensors")):
        with pytest.raises(UnsafeModelError, match=f"is a pickle.*weights_only=True.*'{result}'"):
            open_tensors(tmp_path / name)


def test_members_of_an_archive_that_overlap(tmp_path: Path) -> None:
    path = tmp_path / "x.npz"
    with zipfile.ZipFile(path, "w") as archive:
        for name in "ab":
            archive.writestr(f"{name}.npy", bytes(1000))
    content = path.read_bytes()
    begin = content.index(b"PK\x01\x02")
    directory = content[begin:].replace((1000).to_bytes(4, "little"), (1900).to_bytes(4, "little"))
    path.write_bytes(content[:begin] + directory)
    with pytest.raises(UnsafeModelError, match="its members claim 3800: they overlap"):
        open_tensors(path)


def test_external_data_stays_in_its_folder(tmp_path: Path) -> None:
    onnx = pytest.importorskip("onnx")
    folder = tmp_path / "model"
    folder.mkdir()
    (tmp_path / "outside.bin").write_bytes(bytes(8))
    (folder / "link.bin").symlink_to(tmp_path / "outside.bin")
    os.link(tmp_path / "outside.bin", folder / "hard.bin")
    (folder / "short.bin").write_bytes(bytes(7))
    for location, words in (
        ("../outside.bin", "lies outside the model's folder"),
        (str(tmp_path / "outside.bin"), "lies outside the model's folder"),
        ("link.bin", "lies outside the model's folder"),
        ("hard.bin", "is a hard link or not a regular file"),
        ("short.bin", "external data from 0 to 8; the file has 7 bytes"),
    ):
        tensor = onnx.numpy_helper.from_array(X, "t")
        onnx.external_data_helper.set_external_data(tensor, location)
        tensor.ClearField("raw_data")
        model = onnx.helper.make_model(onnx.helper.make_graph([], "g", [], [], [tensor]))
        (folder / "m.onnx").write_bytes(model.SerializeToString())
        with pytest.raises(ModelError, match=words):
            open_tensors(folder / "m.onnx")
    (folder / "short.bin").unlink()
    with pytest.raises(FileNotFoundError, match="No such file"):
        open_tensors(folder / "m.onnx")


def test_stores_that_lie(tmp_path: Path) -> None:
    store = tmp_path / "x.zarr"
    store.mkdir()
    whole = {"zarr_format": 2, "shape": [4], "chunks": [2], "dtype": "<f4", "compressor": None, "fill_value": 0,
             "order": "C", "filters": None}  # fmt: skip
    for key, value, words in (
        ("shape", [2**50], r"more than 2\^40 elements"),
        ("shape", [-1], r"its shape is \[-1\]"),
        ("chunks", [2**30], "a chunk .* takes 4294967296 bytes; at most 268435456"),
        ("shape", [2**20], "524288 chunks of 8 bytes each; at most 131072"),
        ("chunks", [0], r"its chunks are \[0\]"),
        ("chunks", [2, 2], r"its chunks are \[2, 2\]"),
    ):
        (store / ".zarray").write_text(json.dumps({**whole, key: value}))
        with pytest.raises(ModelError, match=words):
            open_tensors(store)
    (store / ".zarray").unlink()
    (store / ".zgroup").write_text('{"zarr_format": 2}')
    (store / "link").symlink_to(tmp_path)
    with pytest.raises(UnsafeModelError, match="link is a link; a store has none"):
        open_tensors(store)


def test_limits_are_arguments(tmp_path: Path) -> None:
    (tmp_path / "x.safetensors").write_bytes(safetensors_bytes({"a": drawn("float32", (10,))}))
    assert open_tensors(tmp_path / "x.safetensors", max_bytes=40, max_elements=10).tensors
    with pytest.raises(UnsafeModelError, match="takes 40 bytes; at most 39 are allowed"):
        open_tensors(tmp_path / "x.safetensors", max_bytes=39)
    with pytest.raises(UnsafeModelError, match="has 10 elements; at most 9 are allowed"):
        open_tensors(tmp_path / "x.safetensors", max_elements=9)


BOMBS = """
import resource, sys
from pathlib import Path
from samesum.errors import ModelError
from samesum.files.contents import open_tensors
before = resource.getrusage(resource.RUSAGE_SELF)
for path in sys.argv[1:]:
    try:
        open_tensors(Path(path))
    except ModelError:
        continue
    raise SystemExit(path)
after = resource.getrusage(resource.RUSAGE_SELF)
used = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
print((after.ru_maxrss - before.ru_maxrss) >> 10, used)
"""


@pytest.mark.skipif(sys.platform != "linux", reason="kilobytes of ru_maxrss are Linux's")
def test_bombs_take_little_memory(tmp_path: Path) -> None:
    bombs = {
        "objects.safetensors": b"{" + b",".join(b'"%d":{}' % i for i in range(2_000_000)) + b"}",
        "items.safetensors": b'{"a":[' + b"1," * 8_000_000 + b"1]}",
        "nested.safetensors": b'{"a":' * 3_000_000,
    }
    for name, header in bombs.items():
        (tmp_path / name).write_bytes(struct.pack("<Q", len(header)) + header)
    (tmp_path / "x.npy").write_bytes(b"\x93NUMPY\x02\x00\xff\xff\xff\x7f" + b" " * 1000)
    with zipfile.ZipFile(tmp_path / "x.npz", "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("a.npy", bytes(50_000_000))
    (tmp_path / "x.gguf").write_bytes(b"GGUF" + struct.pack("<IQQ", 3, 2**20, 2**20) + bytes(5_000_000))
    (tmp_path / "x.xml").write_bytes(b"<net>" + b"<a/>" * 3_000_000 + b"</net>")
    paths = [str(path) for path in tmp_path.iterdir()]
    done = subprocess.run([sys.executable, "-c", BOMBS, *paths], capture_output=True, text=True, check=True)
    assert int(done.stdout.split()[0]) < 200
