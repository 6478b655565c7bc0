"""`samesum run` on ONNX's test data and on single members of archives."""

from __future__ import annotations

import json
import zipfile
from pathlib import Path

import numpy as np
from command import Command
from onnx import numpy_helper

from samesum.conformance.running import save_case
from samesum.conformance.suites.node_tests import node_tests


def tensor(array: np.ndarray, name: str, path: Path) -> Path:
    path.parent.mkdir(exist_ok=True)
    path.write_bytes(numpy_helper.from_array(array, name).SerializeToString())
    return path


def test_inputs_from_onnx_s_test_data(samesum: Command, two_inputs: Path, tmp_path: Path) -> None:
    data = tmp_path / "test_data_set_0"
    first = tensor(np.float32([1, 2]), "b", data / "input_0.pb")
    second = tensor(np.float32([10, 20]), "", data / "input_1.pb")
    tensor(np.float32([0]), "y", data / "output_0.pb")
    expected = "y  float32  [2]\n[11., 22.]\ns  float32  []\n33.\n"
    assert samesum("run", two_inputs, "--input", first, "--input", f"a={second}").out == expected
    done = samesum("run", two_inputs, "--input", second, "--input", first)
    assert (done.status, done.out) == (2, "")
    assert f"{second} needs a name" in done.err
    done = samesum("run", two_inputs, "--input", data)
    assert "the model has 2 inputs: a float32 [?]; b float32 [?]" in done.err  # input_1.pb has no name; b is taken
    tensor(np.float32([1, 2]), "", first)
    assert samesum("run", two_inputs, "--input", data).out == expected
    tensor(np.float32([10, 20]), "a", second)
    tensor(np.float32([1, 2]), "b", first)
    assert samesum("run", two_inputs, "--input", data).out == expected
    assert samesum("run", two_inputs, "--input", f"a={data}").status == 2
    second.unlink()
    (data / "input_2.pb").touch()
    done = samesum("run", two_inputs, "--input", data)
    assert (done.status, done.out) == (4, "")
    assert "holds input_0.pb, input_2.pb; needed are input_0.pb, input_1.pb and so on" in done.err


def test_what_conformance_saves_is_read(samesum: Command, tmp_path: Path) -> None:
    case = next(case for case in node_tests() if case.name == "test_reduce_sum_keepdims_random")
    folder = save_case(tmp_path, case, [])
    done = samesum("run", folder / "model.onnx", "--input", folder / "test_data_set_0", "--json")
    assert done.status == 0, done.err
    (output,) = json.loads(done.out)["outputs"]
    np.testing.assert_array_equal(np.float32(output["values"]), case.expected)


def test_only_the_members_that_are_wanted_are_read(samesum: Command, two_inputs: Path, tmp_path: Path) -> None:
    with zipfile.ZipFile(tmp_path / "in.npz", "w") as archive:
        for name in ("a", "b"):
            with archive.open(f"{name}.npy", "w") as member:
                np.save(member, np.float32([1, 2]))
        archive.writestr("notes.txt", "no array")
        archive.writestr("broken.npy", b"\x93NUMPY\x01\x00\xff")
    path = tmp_path / "in.npz"
    done = samesum("run", two_inputs, "--input", f"a={path}", "--input", f"b={path}")
    assert done.status == 0, done.err
    done = samesum("run", two_inputs, "--input", path)
    assert done.status == 4
    assert "notes.txt in " in done.err
