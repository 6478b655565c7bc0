"""The table of `samesum stats`: a line for each tensor at any width, chosen and sorted columns, chosen tensors."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest
from command import Command

from samesum.cli.show import Exit
from tensor_files import safetensors_bytes

NAMES = [f"model.layers.{i}.self_attn.q_proj.weight" for i in range(10, 14)]


@pytest.fixture
def path(tmp_path: Path) -> Path:
    rng = np.random.default_rng(2)
    tensors = {name: (rng.standard_normal((64, 4096)) / 50).astype(np.float32) for name in NAMES}
    tensors["norm"] = np.float32([3, -2, np.nan])
    (tmp_path / "m.safetensors").write_bytes(safetensors_bytes(tensors))
    return tmp_path / "m.safetensors"


def columns(line: str) -> list[str]:
    return line.split()


@pytest.mark.parametrize("width", [80, 100, 140, 200])
def test_a_tensor_takes_a_line(samesum: Command, path: Path, width: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", str(width))
    lines = samesum("stats", path).out.splitlines()
    assert max(map(len, lines)) <= width
    headings, rows = columns(lines[0]), lines[2:7]
    assert headings[:3] == ["tensor", "type", "shape"]
    assert {"nan", "min", "max"} <= set(headings)
    for name, row in zip([*NAMES, "norm"], rows, strict=True):
        texts = columns(row)
        assert len(texts) == len(headings)
        assert name.endswith(texts[0].removeprefix(".."))
        assert "self_attn.q_proj.weight" in texts[0] or texts[0] == "norm"
    assert len({columns(row)[0] for row in rows}) == 5  # the number of the layer is there
    said = " ".join(lines[7:])
    missing = [name for name in ("count", "mean", "l1", "l2", "rms", "sum", "std") if name not in headings]
    assert all(name in said for name in missing)
    assert (bool(said), missing == []) == (width < 140, width >= 140)


def test_columns_are_chosen_and_rows_sorted(samesum: Command, path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "80")
    found = {each["name"]: each for each in json.loads(samesum("stats", path, "--json").out)["tensors"]}
    lines = samesum("stats", path, "--columns", "max,tensor,l2,sum,file", "--sort", "l2").out.splitlines()
    assert columns(lines[0]) == ["max", "tensor", "l2", "sum", "file"]
    names = [columns(line)[1] for line in lines[2:]]
    assert names[0] == "norm"  # NaN is the greatest
    wanted = sorted(NAMES, key=lambda name: -found[name]["l2"])
    assert all(name.endswith(shown.removeprefix("..")) for name, shown in zip(wanted, names[1:], strict=True))
    assert wanted != NAMES
    lines = samesum("stats", path, "--columns", "tensor", "--sort", "tensor").out.splitlines()
    assert [line.strip() for line in lines[2:]] == sorted(found)
    np.save(path.with_name("i.npy"), np.array([2**62, 7]))
    lines = samesum("stats", path.with_name("i.npy")).out.splitlines()
    assert "4.612e+18" in columns(lines[2])
    lines = samesum("stats", path.with_name("i.npy"), "--columns", "tensor,max").out.splitlines()
    assert columns(lines[2]) == ["i", str(2**62)]
    lines = samesum("stats", path, "--columns", "nan,tensor", "--sort", "nan", "--only", "norm").out.splitlines()
    assert columns(lines[2]) == ["1", "norm"]


def test_tensors_are_chosen_by_name(samesum: Command, path: Path, tmp_path: Path) -> None:
    def names(*options: str) -> list[str]:
        return [each["name"] for each in json.loads(samesum("stats", path, *options, "--json").out)["tensors"]]

    assert names("--only", "*.1[12].*") == NAMES[1:3]
    assert names("--only", "norm", "--only", "*.10.*") == [NAMES[0], "norm"]
    assert samesum("stats", path, "--only", "model*", "--fail-on", "nan").status == Exit.FINE
    assert samesum("stats", path, "--only", "n*", "--fail-on", "nan").status == Exit.THRESHOLD
    done = samesum("stats", path, "--only", "Norm", "--fail-on", "nan")
    assert done.status == Exit.USAGE
    assert f"--only Norm: no tensor has such a name; the first of 5 is '{NAMES[0]}'" in done.err
    other = tmp_path / "o.safetensors"
    other.write_bytes(safetensors_bytes({"norm": np.float32([1, 2, 3])}))
    assert samesum("stats", "--diff", path, other, "--only", "norm").status == Exit.MISMATCH
    assert samesum("stats", "--diff", path, path, "--only", "none").status == Exit.USAGE
    state = tmp_path / "x.state"
    samesum("stats", path, "--state", state)
    wanted = samesum("stats", path, "--only", "norm", "--digest").out
    assert samesum("stats", "--merge", state, "--only", "norm", "--digest").out == wanted


@pytest.mark.parametrize(
    ("options", "says"),
    [
        (("--columns", "max,biggest"), "'biggest' is no column; allowed are tensor, type, shape, file, count"),
        (("--columns", ","), "',' names nothing"),
        (("--sort", "biggest"), "invalid choice: 'biggest'"),
        (("--columns", "max", "--json"), "--columns and --sort are about the table"),
        (("--sort", "max", "--digest"), "--columns and --sort are about the table"),
    ],
)
def test_columns_that_are_none(samesum: Command, path: Path, options: tuple[str, ...], says: str) -> None:
    done = samesum("stats", path, *options)
    assert (done.status, says in done.err) == (Exit.USAGE, True)
