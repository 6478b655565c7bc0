"""External data of ONNX models: read inside the model's folder and from a cache's blobs, refused elsewhere."""

from __future__ import annotations

import os
from pathlib import Path

import numpy as np
import pytest
from onnx import TensorProto, helper

from samesum.errors import ModelError, UnsafeModelError
from samesum.frontends.models.load import load

F = TensorProto.FLOAT


def external(folder: Path, location: str, **entries: str) -> Path:
    """A model whose one tensor (two float32) lies at `location`."""
    tensor = TensorProto(name="w", data_type=F, dims=[2], data_location=TensorProto.EXTERNAL)
    for key, value in {"location": location, **entries}.items():
        tensor.external_data.add(key=key, value=value)
    graph = helper.make_graph([], "g", [], [helper.make_tensor_value_info("w", F, None)], [tensor])
    path = folder / "model.onnx"
    path.write_bytes(helper.make_model(graph, opset_imports=[helper.make_opsetid("", 13)]).SerializeToString())
    return path


@pytest.fixture
def home(tmp_path: Path) -> Path:
    """A model's folder with data inside, and a secret beside it."""
    folder = tmp_path / "home"
    (folder / "deep").mkdir(parents=True)
    data = np.float32([1, 2, 3]).tobytes()
    for name in ("home/data.bin", "home/deep/data.bin", "secret.bin"):
        (tmp_path / name).write_bytes(data)
    return folder


def test_external_data_inside_the_folder_are_read(home: Path) -> None:
    assert load(external(home, "data.bin")).run()["w"].tolist() == [1, 2]
    found = load(external(home, "deep/../deep/data.bin", offset="4", length="8", checksum="x")).run()["w"]
    assert found.tolist() == [2, 3]
    (home / "link.bin").symlink_to("deep/data.bin")
    assert load(external(home, "link.bin")).run()["w"].tolist() == [1, 2]


@pytest.mark.parametrize(
    ("location", "entries", "message"),
    [
        ("../secret.bin", {}, "outside the model's folder"),
        ("deep/../../secret.bin", {}, "outside the model's folder"),
        ("/etc/hostname", {}, "outside the model's folder|No such file"),
        ("out.bin", {}, "outside the model's folder"),
        ("outside/secret.bin", {}, "outside the model's folder"),
        ("hard.bin", {}, "a hard link or not a regular file"),
        ("pipe", {}, "a hard link or not a regular file"),
        ("data.bin", {"basepath": "/"}, "key 'basepath'; allowed: location, offset, length, checksum"),
        ("data.bin", {"offset": "8"}, "from 8 to 16; the file has 12 bytes"),
    ],
)
def test_external_data_outside_are_not(home: Path, location: str, entries: dict[str, str], message: str) -> None:
    (home / "out.bin").symlink_to(home.parent / "secret.bin")
    (home / "outside").symlink_to(home.parent)
    os.link(home.parent / "secret.bin", home / "hard.bin")
    os.mkfifo(home / "pipe")
    with pytest.raises(UnsafeModelError, match=f"model.onnx: initializer 'w': .*({message})"):
        load(external(home, location, **entries))


@pytest.fixture
def snapshot(tmp_path: Path) -> Path:
    """A revision's folder in a Hugging Face cache, of links to blobs; beside it a blob of another cache."""
    data = np.float32([1, 2, 3]).tobytes()
    for name in ("models--a--b", "models--c--d"):
        (tmp_path / name / "blobs").mkdir(parents=True)
        (tmp_path / name / "blobs" / "0123abcd").write_bytes(data)
    (tmp_path / "models--a--b" / "refs").mkdir()
    (tmp_path / "models--a--b" / "refs" / "main").write_bytes(data)
    folder = tmp_path / "models--a--b" / "snapshots" / "rev" / "onnx"
    folder.mkdir(parents=True)
    return folder


def test_links_of_a_hugging_face_cache_are_followed_to_its_blobs(snapshot: Path) -> None:
    (snapshot / "model.onnx_data").symlink_to("../../../blobs/0123abcd")
    path = external(snapshot, "model.onnx_data")
    assert load(path).run()["w"].tolist() == [1, 2]
    blob = snapshot.parents[2] / "blobs" / "model"
    path.rename(blob)
    path.symlink_to("../../../blobs/model")
    assert load(path).run()["w"].tolist() == [1, 2]


@pytest.mark.parametrize(
    ("location", "target"),
    [
        ("link", "../../../../models--c--d/blobs/0123abcd"),
        ("link", "../../../refs/main"),
        ("../../../blobs/0123abcd", None),
        ("../link", "../../blobs/0123abcd"),
        ("out/blobs/0123abcd", None),
    ],
)
def test_other_links_of_a_cache_are_not_followed(snapshot: Path, location: str, target: str | None) -> None:
    (snapshot / "out").symlink_to("../../..")
    if target is not None:
        (snapshot / location).symlink_to(target)
    with pytest.raises(UnsafeModelError, match="lies outside the model's folder"):
        load(external(snapshot, location))


def test_a_folder_named_blobs_beside_the_model_is_no_cache(home: Path) -> None:
    (home.parent / "blobs").mkdir()
    (home.parent / "blobs" / "x").write_bytes(bytes(12))
    (home / "link").symlink_to("../blobs/x")
    with pytest.raises(UnsafeModelError, match="lies outside the model's folder"):
        load(external(home, "link"))


@pytest.mark.parametrize(
    ("location", "entries", "message"),
    [
        ("a\0b", {}, "null"),
        ("", {}, "without a location"),
        ("deep", {}, "directory|hard link or not a regular file"),
        ("data.bin", {"offset": "-1"}, "offset is '-1'"),
        ("data.bin", {"length": "4"}, "length is 4; dims and type need 8"),
    ],
)
def test_external_data_that_are_none(home: Path, location: str, entries: dict[str, str], message: str) -> None:
    with pytest.raises(ModelError, match=f"initializer 'w': .*({message})"):
        load(external(home, location, **entries))


def test_external_data_that_are_not_there(home: Path) -> None:
    with pytest.raises(FileNotFoundError, match="initializer 'w' is external data and lies there") as caught:
        load(external(home, "gone.bin"))
    assert caught.value.filename == str(home / "gone.bin")
    with pytest.raises(UnsafeModelError, match="outside the model's folder"):
        load(external(home, "../gone.bin"))


def test_a_model_given_as_bytes_has_no_external_data(home: Path) -> None:
    data = external(home, "data.bin").read_bytes()
    with pytest.raises(UnsafeModelError, match=r"'data.bin'; a model given as bytes may have none"):
        load(data)
