"""Ranges of activations are those of ONNX Runtime's calibrator, and quantize_static takes them."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

from samesum.cli.main import main
from samesum.cli.show import Exit
from samesum.errors import AttributeValueError, AxisError
from samesum.stats.activation import Activation, check_channel
from samesum.stats.ranges import range_of

onnx = pytest.importorskip("onnx")


def of(*arrays: np.ndarray, channel: int | None = None) -> Activation:
    activation = Activation("x", channel)
    for array in arrays:
        activation.add(array)
    return activation


def test_percentiles_are_within_a_bin() -> None:
    x = np.random.default_rng(2).standard_normal(40_000).astype(np.float32)
    activation = of(*np.array_split(x, 7))
    for percent in (0.0, 0.01, 1, 25, 50, 99, 99.99, 100):
        found = activation.percentile(percent)
        assert found is not None
        width = activation.histogram.edges()[1] - activation.histogram.edges()[0]
        ordered = np.sort(x.astype(np.float64))
        at = min(len(x) - 1, max(0, int(np.ceil(percent / 100 * len(x))) - 1))
        assert abs(found - ordered[at]) <= width <= (ordered[-1] - ordered[0]) / 512
    assert range_of(activation, None) == (float(x.min()), float(x.max()))
    assert of().percentile(50) is None
    assert of(np.full(3, np.nan, np.float32)).percentile(50) is None


def test_entropy_is_that_of_the_bins() -> None:
    assert of(np.arange(8, dtype=np.float32)).entropy() == 3.0
    assert of(np.zeros(5, np.float32)).entropy() == 0.0
    assert of().entropy() is None


def test_channels_have_ranges_of_their_own() -> None:
    x = np.arange(24, dtype=np.float32).reshape(2, 3, 4)
    activation = of(x, -x[:1], channel=1)
    assert activation.low is not None
    assert activation.high is not None
    assert activation.low.tolist() == [-3.0, -7.0, -11.0]
    assert activation.high.tolist() == [15.0, 19.0, 23.0]
    assert of(x[0, 0], channel=1).low is None
    with pytest.raises(AttributeValueError, match="'x' has 2 channels and had 3 before"):
        activation.add(x[:, :2])


def test_an_axis_that_no_activation_has_is_named() -> None:
    found = [of(np.ones((2, 3), np.float32)), of(np.ones(4, np.float32))]
    for channel in (None, 0, 1, -2):
        check_channel(channel, found)
    for channel in (2, 9, -3):
        with pytest.raises(AxisError, match=f"--per-channel is {channel}, .*: 'x' has the highest rank, 2"):
            check_channel(channel, found)


@pytest.fixture
def model(tmp_path: Path) -> Path:
    """y = (x @ w), z = y + y; float32 [n, 3]."""
    helper, tensor = onnx.helper, onnx.TensorProto
    w = onnx.numpy_helper.from_array(np.float32([[1, -2, 3], [0.5, 0.25, -1], [4, 5, 6]]), "w")
    nodes = [helper.make_node("MatMul", ["x", "w"], ["y"]), helper.make_node("Add", ["y", "y"], ["z"])]
    ends = [helper.make_tensor_value_info(name, tensor.FLOAT, ["n", 3]) for name in "xz"]
    graph = helper.make_graph(nodes, "g", ends[:1], ends[1:], [w])
    made = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8)
    onnx.save(made, tmp_path / "m.onnx")
    (tmp_path / "data").mkdir()
    rng = np.random.default_rng(6)
    for i in range(6):
        np.savez(tmp_path / "data" / f"{i}.npz", x=rng.standard_normal((i + 1, 3)).astype(np.float32))
    return tmp_path / "m.onnx"


def run(*arguments: object) -> int:
    return main(["stats", *map(str, arguments)])


def test_a_model_over_samples(model: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("onnxruntime")
    monkeypatch.delenv("COLUMNS", raising=False)
    data = model.parent / "data"
    assert run("--model", model, "--data", data, "--json", "--per-channel", "1") == Exit.FINE
    document = json.loads(capsys.readouterr().out)
    found = {each["name"]: each for each in document["activations"]}
    assert (document["samples"], list(found)) == (6, ["x", "z", "y"])
    x = np.concatenate([np.load(path)["x"] for path in sorted(data.iterdir())])
    assert (found["x"]["count"], found["x"]["min"], found["x"]["max"]) == (63, float(x.min()), float(x.max()))
    assert found["x"]["max_abs"] == float(np.abs(x).max())
    assert found["x"]["channels"] == {"min": x.min(0).tolist(), "max": x.max(0).tolist()}
    assert found["z"]["max"] == 2 * found["y"]["max"]
    assert sum(found["y"]["histogram"]["counts"]) == 63
    assert list(found["y"]["percentiles"]) == ["0.01", "0.1", "1", "50", "99", "99.9", "99.99"]
    assert run("--model", model, "--data", data) == Exit.FINE
    assert capsys.readouterr().out.splitlines()[0].split()[:3] == ["activation", "count", "nan"]


def test_ranges_are_those_of_onnxruntime(model: Path) -> None:
    pytest.importorskip("onnxruntime", minversion="1.32")
    quantization = pytest.importorskip("onnxruntime.quantization")
    calibrate = pytest.importorskip("onnxruntime.quantization.calibrate")
    data, ranges = model.parent / "data", model.parent / "ranges.json"
    assert run("--model", model, "--data", data, "--ranges", ranges) == Exit.FINE

    class Reader(calibrate.CalibrationDataReader):  # type: ignore[misc, name-defined]
        samples = iter(sorted(data.iterdir()))

        def get_next(self) -> dict[str, np.ndarray] | None:
            path = next(self.samples, None)
            return None if path is None else dict(np.load(path))

    calibrator = calibrate.create_calibrator(model, None, augmented_model_path=str(model.parent / "augmented.onnx"))
    calibrator.collect_data(Reader())
    wanted, found = calibrator.compute_data(), calibrate.load_tensors_data(ranges)
    assert set(wanted.keys()) == set(found.keys()) == {"x", "y", "z"}
    for name in wanted.keys():  # noqa: SIM118
        assert np.ravel(wanted[name].lowest).tolist() == [found[name].lowest.item()]
        assert np.ravel(wanted[name].highest).tolist() == [found[name].highest.item()]
    quantized = model.parent / "q.onnx"
    quantization.quantize_static(model, quantized, None, calibration_cache_path=ranges)
    assert any(node.op_type == "QuantizeLinear" for node in onnx.load(quantized).graph.node)


def test_ranges_that_leave_outliers_out(model: Path) -> None:
    pytest.importorskip("onnxruntime")
    ranges = model.parent / "ranges.json"
    assert run("--model", model, "--data", model.parent / "data", "--ranges", ranges, "--percentile", 90) == Exit.FINE
    document = json.loads(ranges.read_text())
    assert document["calibration_method"]["value"] == "CalibrationMethod.Percentile"
    assert document["data"]["x"]["lowest"]["data"] > -3


def test_what_is_refused(model: Path, capsys: pytest.CaptureFixture[str]) -> None:
    pytest.importorskip("onnxruntime")
    folder = model.parent
    for arguments, status, words in (
        (["--model", model], Exit.USAGE, "--data is None; needed is a folder"),
        (["--model", model, "--data", folder], Exit.USAGE, "needed is a folder with a .npz file for each sample"),
        (["--model", model, "--data", folder / "data", "--percentile", 0], Exit.USAGE, "allowed are numbers above 0"),
        (["--model", model, "--data", folder / "data", model], Exit.USAGE, "beside --model allowed are --data"),
        (["--model", model, "--data", folder / "data", "--only", "y"], Exit.USAGE, "beside --model allowed are --data"),
        (
            ["--model", model, "--data", folder / "data", "--sort", "max"],
            Exit.USAGE,
            "beside --model allowed are --data",
        ),
        (["--data", folder], Exit.USAGE, "go with --model"),
        (["--model", folder / "none.onnx", "--data", folder / "data"], Exit.USAGE, "none.onnx"),
    ):
        assert run(*arguments) == status
        assert words in capsys.readouterr().err
    helper, whole = onnx.helper, onnx.TensorProto.INT64
    ends = [[helper.make_tensor_value_info(name, whole, ["n", 3])] for name in "xz"]
    graph = helper.make_graph([helper.make_node("Abs", ["x"], ["z"])], "g", *ends)
    made = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8)
    onnx.save(made, folder / "whole.onnx")
    (folder / "wholes").mkdir()
    np.savez(folder / "wholes" / "0.npz", x=np.ones((2, 3), np.int64))
    ranges = folder / "ranges.txt"
    assert run("--model", folder / "whole.onnx", "--data", folder / "wholes", "--ranges", ranges) == Exit.USAGE
    assert "has no activation of floats: nothing was measured" in capsys.readouterr().err
    assert not ranges.exists()
    np.savez(folder / "data" / "0.npz", a=np.zeros(3))
    assert run("--model", model, "--data", folder / "data") == Exit.USAGE
    assert "has no 'x'; needed are x; there are a" in capsys.readouterr().err
    np.savez(folder / "data" / "0.npz", x=np.zeros((2, 5), np.float32))
    assert run("--model", model, "--data", folder / "data") == Exit.USAGE
    assert "the model does not run on" in capsys.readouterr().err
    model.write_bytes(b"no model")
    assert run("--model", model, "--data", folder / "data") == Exit.INVALID
