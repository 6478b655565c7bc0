"""The examples are what their script makes, and every one of them gives the exact result, rounded once."""

from __future__ import annotations

import math
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import numpy as np
import onnx
import pytest

import samesum
from naming import looped

EXAMPLES = Path(__file__).resolve().parent.parent / "examples"


@pytest.fixture(scope="module")
def script() -> Iterator[object]:
    """The regenerating script as a module."""
    sys.path.insert(0, str(EXAMPLES))
    import make_examples

    yield make_examples
    sys.path.remove(str(EXAMPLES))


def array(name: str) -> np.ndarray:
    return np.load(EXAMPLES / "data" / name)


def exact_l2(values: np.ndarray) -> float:
    """Correct to the last bit of float32 unless a tie is nearer than float64 can tell, which these data exclude."""
    return math.sqrt(math.fsum(float(value) ** 2 for value in values))


EXACT: dict[str, Callable[[np.ndarray], float]] = {"sum": math.fsum, "l2": exact_l2, "min": min}
AXES = {"axes_2_3_keep": ((2, 3), True), "axes_2_3": ((2, 3), False), "axes_1": (1, False), "axes_minus_2": (-2, False)}
SCANS = {
    "cum_sum": [1, 3, 6, 10, 15],
    "cum_sum_exclusive": [0, 1, 3, 6, 10],
    "cum_sum_reverse": [15, 14, 12, 9, 5],
    "cum_sum_exclusive_reverse": [14, 12, 9, 5, 0],
}
FORMS = ("openvino/{}.xml", "onnx/opset11/{}.onnx", "onnx/opset13/{}.onnx")


def expected(kind: str, axes: int | tuple[int, ...], keep: bool) -> np.ndarray:
    x = array("activations.npy")
    reduced = {axis % x.ndim for axis in np.atleast_1d(axes)}
    order = [i for i in range(x.ndim) if i not in reduced] + sorted(reduced)
    rows = x.transpose(order).reshape(-1, math.prod(x.shape[i] for i in reduced))
    shape = [1 if i in reduced else size for i, size in enumerate(x.shape) if keep or i not in reduced]
    return np.array([EXACT[kind](row) for row in rows], np.float32).reshape(shape)


@looped("form", FORMS)
@looped("kind", EXACT)
@pytest.mark.parametrize("suffix", AXES)
def test_a_reduction_of_the_pages_is_exact(form: str, kind: str, suffix: str) -> None:
    model = samesum.load(EXAMPLES / form.format(f"reduce_{kind}_{suffix}"))
    result = model.run(array("activations.npy"))["reduced"]
    want = expected(kind, *AXES[suffix])
    assert result.dtype == np.float32
    np.testing.assert_array_equal(result, want, strict=True)
    assert model.outputs[0].shape == want.shape


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("name", SCANS)
def test_a_scan_of_the_page_gives_what_the_page_says(form: str, name: str) -> None:
    result = samesum.load(EXAMPLES / form.format(name)).run(array("cum_sum_x.npy"))["y"]
    np.testing.assert_array_equal(result, np.array(SCANS[name], np.float32), strict=True)


@pytest.mark.parametrize("name", ["layer_norm", "l2_normalize"])
@pytest.mark.parametrize("batch", [0, 1, 3])
def test_both_formats_of_a_normalisation_give_the_same_bits_for_any_batch(name: str, batch: int) -> None:
    x = array("activations_large.npy" if name == "l2_normalize" else "activations.npy")[:batch]
    first, second = (samesum.load(EXAMPLES / file) for file in (f"openvino/{name}.xml", f"onnx/{name}.onnx"))
    a, b = first.run(x)["y"], second.run(x)["y"]
    assert a.shape == x.shape
    assert a.tobytes() == b.tobytes()


def test_layer_norm_is_what_its_definition_says() -> None:
    x = array("activations.npy").astype(np.float64)
    y = samesum.load(EXAMPLES / "onnx/layer_norm.onnx").run(array("activations.npy"))["y"]
    centred = x - x.mean(-1, keepdims=True)
    steps = np.arange(24)
    want = centred / np.sqrt((centred**2).mean(-1, keepdims=True) + 1e-5) * (1 + steps / 64) + (steps - 12) / 32
    # Nine float32 roundings on values below 8: far below 1e-5, and a wrong axis or epsilon is far above.
    assert np.abs(y - want).max() < 1e-5


def test_the_files_are_what_the_script_makes(script: object) -> None:
    made = dict(script.model_files())
    for name, contents in made.items():
        here = (EXAMPLES / name).read_bytes()
        if name.endswith(".onnx"):
            assert onnx.load_from_string(contents) == onnx.load_from_string(here), name
        else:
            assert contents == here, name
    present = {
        str(path.relative_to(EXAMPLES)) for path in EXAMPLES.rglob("*.*") if path.suffix in (".xml", ".bin", ".onnx")
    }
    by_openvino = {f"openvino/{name}{suffix}" for name in ("layer_norm", "l2_normalize") for suffix in (".xml", ".bin")}
    assert present == set(made) | by_openvino


def test_the_check_is_a_table_of_ulps_for_each_output_and_engine(
    script: object, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    from making import checking

    def near(model: Path, x: np.ndarray) -> list[np.ndarray]:
        return [np.nextafter(each, np.float32(np.inf)) for each in samesum.load(model).run(x).values()]

    monkeypatch.setattr(checking, "RUN", dict.fromkeys(checking.ENGINES, near))
    monkeypatch.setattr(checking, "version", lambda _: "1.2")
    assert script.check()
    lines = capsys.readouterr().out.splitlines()
    assert lines[0].endswith("onnxruntime 1.2, openvino 1.2")
    assert [line for line in lines if line and not line.startswith(" ")][1:5] == [
        "onnx",
        "onnx/opset11",
        "onnx/opset13",
        "openvino",
    ]
    assert lines.count("  example                    output   ONNX Runtime, ulps  OpenVINO, ulps") == 4
    assert [line.split() for line in lines if "layer_norm" in line][:2] == [
        ["layer_norm", "y", "1", "(1)", "1", "(1)"],
        ["layer_norm", "y", "-", "1", "(1)"],
    ]
    assert max(map(len, lines)) <= 80
    far = {engine: lambda model, x: [2 * each for each in near(model, x)] for engine in checking.ENGINES}
    monkeypatch.setattr(checking, "RUN", far)
    assert not script.check()


def test_a_missing_package_is_named(
    script: object, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sys, "argv", ["make_examples.py", "--check"])
    monkeypatch.setattr("samesum.runtimes.runtime.find_spec", lambda name: None if name == "openvino" else object())
    assert script.main() == 6
    assert capsys.readouterr().err == (
        "make_examples.py: error: make_examples.py needs the package openvino, which is not installed; "
        'pip install "samesum[compare]"\n'
    )


def test_the_data_look_like_activations() -> None:
    for name, shape in (("activations.npy", (6, 12, 10, 24)), ("activations_large.npy", (2, 8, 1024))):
        x = array(name)
        assert (x.shape, x.dtype) == (shape, np.float32)
        assert np.isfinite(x).all()
        assert x.min() < 0
        assert x.max() > 50 * np.abs(x).mean(), "there are outliers"


def test_the_folder_stays_small() -> None:
    size = sum(path.stat().st_size for path in EXAMPLES.rglob("*") if path.is_file())
    assert size < 6e6, f"{size} bytes"
