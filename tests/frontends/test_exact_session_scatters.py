"""Sessions of ONNX Runtime with samesum's scatters: the bits, every type, the order of updates and what is refused."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from onnx import helper

import samesum as ss
from building import onnx_bytes
from naming import looped
from samesum.onnx import exact_session
from sessions import NODE, F, quiet

onnxruntime = pytest.importorskip("onnxruntime")

RANDOM = np.random.default_rng(35)
TYPES = ("float16", "float32", "float64", "int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64")
WORDS = ("none", "add", "mul", "max", "min")


def kind(array: np.ndarray) -> int:
    return int(helper.np_dtype_to_tensor_dtype(array.dtype))


def results(operator: str, arrays: tuple[np.ndarray, ...], opset: int = 18, **attributes: Any) -> tuple[Any, Any]:
    """What a session gives, and what `load` gives."""
    feeds = dict(zip("xiu", arrays, strict=True))
    ends = {name: (kind(array), [None] * array.ndim) for name, array in feeds.items()}
    node = NODE(operator, list(feeds), ["y"], **attributes)
    model = onnx_bytes([node], ends, {"y": (kind(arrays[0]), None)}, opset=opset)
    return exact_session(model, quiet()).run(None, feeds)[0], ss.load(model).run(feeds)["y"]


def assert_same(found: np.ndarray, wanted: np.ndarray) -> None:
    assert (found.dtype, found.shape, found.tobytes()) == (wanted.dtype, wanted.shape, wanted.tobytes())


def numbers(shape: tuple[int, ...], dtype: str) -> np.ndarray:
    values = RANDOM.standard_normal(shape) * 100
    return values.astype(dtype) if "float" in dtype else np.abs(values).astype(dtype)


@pytest.mark.parametrize("word", WORDS)
@looped("dtype", TYPES)
def test_elements(dtype: str, word: str) -> None:
    x, updates = numbers((4, 6, 3), dtype), numbers((4, 50, 2), dtype)
    for index in (np.int64, np.int32):
        places = RANDOM.integers(-6, 6, (4, 50, 2)).astype(index)
        assert_same(*results("ScatterElements", (x, places, updates), axis=-2, reduction=word))


@pytest.mark.parametrize("word", WORDS)
@looped("dtype", TYPES)
@looped("depth", [1, 2, 3])
def test_slices(dtype: str, word: str, depth: int) -> None:
    x = numbers((4, 6, 3), dtype)
    places = np.stack([RANDOM.integers(-n, n, (5, 8)) for n in x.shape[:depth]], axis=-1)
    updates = numbers((5, 8, *x.shape[depth:]), dtype)
    assert_same(*results("ScatterND", (x, places, updates), reduction=word))


@pytest.mark.parametrize("word", ["none", "add", "mul"])
@pytest.mark.parametrize("operator", ["ScatterElements", "ScatterND"])
def test_booleans(operator: str, word: str) -> None:
    x, updates = RANDOM.random((2, 30)) > 0.5
    places = RANDOM.integers(0, 30, 30)
    arrays = (x, places if operator == "ScatterElements" else places[:, None], updates)
    assert_same(*results(operator, arrays, reduction=word))


@pytest.mark.parametrize("opset", [11, 13, 16, 18])
def test_versions(opset: int) -> None:
    x, updates = numbers((2, 5), "float32"), numbers((1, 3), "float32")
    attributes = {"reduction": "add"} if opset >= 16 else {}
    assert_same(*results("ScatterElements", (x, np.int64([[1, 1, -1]]), updates), opset, axis=1, **attributes))
    assert_same(*results("ScatterND", (x, np.int64([[1], [-2]]), x), opset, **attributes))


def test_a_sum_does_not_depend_on_the_order_of_updates() -> None:
    x, places = np.float32([1]), np.zeros(3, np.int64)
    for updates in ([1e8, 1, -1e8], [1, 1e8, -1e8]):
        found, _ = results("ScatterElements", (x, places, np.float32(updates)), reduction="add")
        assert found.tolist() == [2]


def test_a_result_may_lie_in_the_place_of_the_data() -> None:
    """The runtime gives the memory of a value that nothing else reads."""
    nodes = [
        NODE("Neg", ["x"], ["n"]),
        NODE("ScatterElements", ["n", "i", "x"], ["s"], reduction="add"),
        NODE("ScatterND", ["s", "j", "x"], ["y"]),
    ]
    ends = {"x": (F, [4])}, {"y": (F, [4])}
    constants = {"i": np.int64([0, 0, 1, 1]), "j": np.int64([[3], [3], [2], [2]])}
    x = np.float32([1, 2, 3, 4])
    session = exact_session(onnx_bytes(nodes, *ends, constants, opset=18))
    for _ in range(3):
        assert session.run(None, {"x": x})[0].tolist() == [2, 5, 4, 2]


def test_nothing_to_scatter() -> None:
    x = numbers((3, 4), "float32")
    for word in ("none", "add"):
        empty = np.zeros((0, 4), np.int64), np.zeros((0, 4), np.float32)
        assert_same(*results("ScatterElements", (x, *empty), reduction=word))
        nothing = np.zeros((0, 1), np.int64), np.zeros((0, 4), np.float32)
        assert_same(*results("ScatterND", (x, *nothing), reduction=word))


REFUSED: dict[str, tuple[str, tuple[Any, ...], dict[str, Any], str]] = {
    "place": ("ScatterElements", ([1.0, 2], [2], [1.0]), {}, "the indices have 2; allowed are -2 to 1"),
    "place of a slice": ("ScatterND", ([1.0, 2], [[-3]], [1.0]), {}, "the indices have -3; allowed are -2 to 1"),
    "shapes": ("ScatterElements", ([1.0, 2], [0, 1], [1.0]), {}, "the last two need one shape"),
    "shapes of slices": ("ScatterND", ([1.0, 2], [[0]], [1.0, 2.0]), {}, "updates have the others"),
    "too deep": ("ScatterND", ([1.0, 2], [[0, 0]], [1.0]), {}, "updates have the others"),
    "word": ("ScatterND", ([1.0], [[0]], [1.0]), {"reduction": "mean"}, "reduction is 'mean'; allowed are none, add"),
}


@pytest.mark.parametrize("name", REFUSED)
def test_what_is_wrong_is_refused(name: str) -> None:
    operator, given, attributes, says = REFUSED[name]
    arrays = np.float32(given[0]), np.int64(given[1]), np.float32(given[2])
    feeds = dict(zip("xiu", arrays, strict=True))
    ends = {key: (kind(array), [None] * array.ndim) for key, array in feeds.items()}
    node = NODE(operator, list(feeds), ["y"], **attributes)
    model = onnx_bytes([node], ends, {"y": (F, None)}, opset=18)
    with pytest.raises(Exception, match=says):
        exact_session(model, quiet()).run(None, feeds)


def test_an_older_version_has_no_reduction() -> None:
    with pytest.raises(Exception, match="there is no attribute 'reduction' in this version"):
        results("ScatterND", (np.float32([1]), np.int64([[0]]), np.float32([1])), 13, reduction="add")
