"""`samesum stats`: the document, the axes, states that merge, digests, conditions, differences, and what is refused."""

from __future__ import annotations

import errno
import json
from pathlib import Path

import ml_dtypes
import numpy as np
import pytest
from command import Command

from samesum.cli.show import Exit
from tensor_files import drawn, safetensors_bytes

KEYS = ["name", "file", "dtype", "shape", "count", "nan", "inf", "zeros", "subnormals", "min", "max", "mean", "l1",
        "l2", "rms", "sum", "std", "histogram"]  # fmt: skip


def checkpoint(path: Path, **tensors: np.ndarray) -> Path:
    path.write_bytes(safetensors_bytes(tensors))
    return path


def document(samesum: Command, *arguments: object) -> dict[str, object]:
    done = samesum("stats", *arguments, "--json")
    assert done.status == Exit.FINE, done.err
    found: dict[str, object] = json.loads(done.out)
    return found


def test_the_document_has_the_figures_of_each_tensor(samesum: Command, tmp_path: Path) -> None:
    path = checkpoint(
        tmp_path / "x.safetensors",
        w=np.array([[1.5, -2.0], [0.0, 1e-40]], np.float32),
        n=np.array([np.nan, np.inf], np.float16),
        i=np.array([2**62, 2**62, 5]),
        e=np.empty((0, 3), np.float32),
    )
    found = document(samesum, path)
    assert list(found) == ["tensors", "digest", "not_decoded", "errors"]
    assert (found["not_decoded"], found["errors"]) == ([], [])
    w, n, i, e = found["tensors"]  # type: ignore[misc]
    assert list(w) == KEYS
    assert (w["name"], w["file"], w["dtype"], w["shape"]) == ("w", str(path), "float32", [2, 2])
    assert [w[key] for key in KEYS[4:12]] == [4, 0, 0, 1, 1, -2.0, 1.5, -0.125]
    assert (w["l1"], w["l2"], w["rms"], w["sum"], w["histogram"]) == (3.5, 2.5, 1.25, -0.5, None)
    assert w["std"] == 1.2437342963832749
    assert [n[key] for key in KEYS[4:17]] == [2, 1, 1, 0, 0, *["nan"] * 8]
    assert (i["sum"], i["l1"], i["min"], i["mean"]) == (2**63 + 5, 2**63 + 5, 5, (2**63 + 5) / 3)
    assert [e[key] for key in KEYS[4:17]] == [0, 0, 0, 0, 0, None, None, None, 0.0, 0.0, None, 0.0, None]


def test_axes_that_are_reduced_and_channels_that_are_kept(samesum: Command, tmp_path: Path) -> None:
    x = np.arange(24, dtype=np.float32).reshape(2, 3, 4)
    np.save(tmp_path / "x.npy", x)
    np.save(tmp_path / "y.npy", np.asarray(x, order="F"))
    for option, value, axes in (
        ("--axis", "0", (0,)),
        ("--axis", "-1", (2,)),
        ("--axis", "0,2", (0, 2)),
        ("--per-channel", "1", (0, 2)),
        ("--per-channel", "-1", (0, 1)),
    ):
        for name in ("x", "y"):
            (found,) = document(samesum, tmp_path / f"{name}.npy", option, value)["tensors"]  # type: ignore[misc]
            assert found["sum"] == x.sum(axes).tolist()
            assert found["max"] == x.max(axes).tolist()
            assert found["count"] == np.full(x.sum(axes).shape, 24 // x.sum(axes).size).tolist()
    done = samesum("stats", tmp_path / "x.npy", "--per-channel", "3")
    assert (done.status, "no tensor has the axes [3]; 1 were found" in done.err) == (Exit.USAGE, True)


def test_tensors_without_the_axis_are_reduced_whole(samesum: Command, tmp_path: Path) -> None:
    path = checkpoint(tmp_path / "x.safetensors", w=np.ones((2, 3), np.float32), b=np.ones(3, np.float32))
    done = samesum("stats", path, "--per-channel", "1", "--json")
    assert [each["sum"] for each in json.loads(done.out)["tensors"]] == [[2.0, 2.0, 2.0], 3.0]
    assert "1 of 2 tensors lack an axis that was named; they are reduced whole" in done.err


@pytest.mark.parametrize("pattern", [(), ("--per-channel", "1"), ("--axis", "0")])
def test_states_of_parts_merge_to_the_state_of_the_whole(
    samesum: Command, tmp_path: Path, pattern: tuple[str, ...]
) -> None:
    x = drawn("bfloat16", (30, 7))
    y = np.arange(40, dtype=np.int32).reshape(20, 2)
    whole = checkpoint(tmp_path / "whole.safetensors", x=x, y=y)
    states = []
    for number, rows in enumerate(np.array_split(np.arange(30), 4)):
        part = checkpoint(tmp_path / f"{number}.safetensors", y=y[rows[rows < 20]], x=x[rows])
        states.append(tmp_path / f"{number}.state")
        assert samesum("stats", part, *pattern, "--state", states[-1], "--histogram").status == Exit.FINE
    wanted = document(samesum, whole, *pattern, "--histogram")
    merged = document(samesum, "--merge", *states[::-1])
    assert merged["digest"] == wanted["digest"]
    by_name = {each["name"]: each for each in merged["tensors"]}  # type: ignore[attr-defined]
    for each in wanted["tensors"]:  # type: ignore[attr-defined]
        joined = by_name[each["name"]]
        assert (joined["shape"], joined["file"]) == (None, None)
        assert {**joined, "shape": each["shape"], "file": each["file"]} == each
    assert samesum("stats", "--merge", *states, "--state", tmp_path / "all.state", "--digest").status == Exit.FINE
    assert document(samesum, "--merge", tmp_path / "all.state")["digest"] == wanted["digest"]
    done = samesum("stats", "--merge", states[0], states[1], *map(str, [*states[2:]]), "--digest")
    assert done.out.strip() == wanted["digest"]


def test_the_digest_is_of_names_and_values_alone(samesum: Command, tmp_path: Path) -> None:
    x, y = drawn("float32", (5, 6)), drawn("float16", (9,))
    one = checkpoint(tmp_path / "one.safetensors", x=x, y=y)
    np.savez(tmp_path / "two.npz", y=y, x=x)
    np.save(tmp_path / "x.npy", np.asarray(x, order="F"))
    np.save(tmp_path / "y.npy", y.astype(">f2"))
    digests = {
        samesum("stats", *files, "--digest").out
        for files in ([one], [tmp_path / "two.npz"], [tmp_path / "y.npy", tmp_path / "x.npy"])
    }
    assert len(digests) == 1
    other = checkpoint(tmp_path / "other.safetensors", x=x, z=y)
    assert samesum("stats", other, "--digest").out not in digests


def test_what_a_run_may_fail_on(samesum: Command, tmp_path: Path) -> None:
    path = checkpoint(
        tmp_path / "x.safetensors",
        big=np.array([65504.0, -65520.0], np.float32),
        small=np.array([1e-39, 0.0], np.float32),
        bad=np.array([np.nan, 1.0], np.float32),
        fine=np.array([1.0, np.inf], ml_dtypes.bfloat16),
    )
    for conditions, words in (
        ("overflow:float16", "big: overflow:float16: 65520 is above 65504"),
        ("subnormal:bfloat16", "small: subnormal:bfloat16: 1e-39 is below 1.17549e-38"),
        ("nan", "bad: nan: 1 NaN"),
        ("inf,overflow:float32", "fine: inf: 1 infinite"),
    ):
        done = samesum("stats", path, "--fail-on", conditions)
        assert done.status == Exit.THRESHOLD
        assert words in done.err
        assert done.err.count(": 1") + done.err.count("above") + done.err.count("below") >= 1
    assert samesum("stats", path, "--fail-on", "overflow:float32,subnormal:float64").status == Exit.FINE
    done = samesum("stats", path, "--fail-on", "overflow:int8")
    assert done.status == Exit.USAGE
    assert "'overflow:int8' is no condition; allowed are nan, inf, overflow:T and subnormal:T" in done.err


def test_differences_of_two_checkpoints(samesum: Command, tmp_path: Path) -> None:
    same, x = np.array([1.0, np.nan, -0.0], np.float32), np.arange(6, dtype=np.float32).reshape(2, 3)
    a = checkpoint(tmp_path / "a.safetensors", same=same, x=x, i=np.array([2**63 - 1]), s=x, only=x)
    moved = x.copy()
    moved[0, 1], moved[1, 2] = 1.5, 4.0
    b = checkpoint(
        tmp_path / "b.safetensors", i=np.array([-(2**63)]), x=moved, same=np.array([1.0, np.nan, 0.0], np.float32),
        s=x.T.copy(), extra=x,
    )  # fmt: skip
    done = samesum("stats", "--diff", a, b, "--json")
    assert done.status == Exit.MISMATCH
    assert json.loads(done.out) == {
        "diff": [
            {"name": "x", "differ": 2, "max_abs": 1.0},
            {"name": "i", "differ": 1, "max_abs": 2**64 - 1},
            {"name": "s", "differ": None, "max_abs": None},
        ],
        "only_in_a": ["only"],
        "only_in_b": ["extra"],
        "not_compared": [],
    }
    done = samesum("stats", "--diff", a, b)
    assert "3 of 4 tensors differ." in done.out
    assert "Only in A: only" in done.out
    assert samesum("stats", "--diff", a, a).status == Exit.FINE


def test_differences_between_formats_types_and_orders(samesum: Command, tmp_path: Path) -> None:
    x = (np.arange(3000, dtype=np.float32) / 7).reshape(50, 60)
    np.savez(tmp_path / "a.npz", x=x, y=x)
    np.savez(tmp_path / "b.npz", x=np.asarray(x, order="F"), y=x.astype(np.float64) + 2.0**-20)
    found = json.loads(samesum("stats", "--diff", tmp_path / "a.npz", tmp_path / "b.npz", "--json").out)
    assert found["diff"] == [{"name": "y", "differ": 3000, "max_abs": 2.0**-20}]


def test_histograms_are_drawn(samesum: Command, tmp_path: Path) -> None:
    np.save(tmp_path / "x.npy", np.float32([-1.0, 0.0, 0.25, 0.25, 3.0, np.nan]))
    (found,) = document(samesum, tmp_path / "x.npy", "--histogram")["tensors"]  # type: ignore[misc]
    edges, counts = found["histogram"]["edges"], found["histogram"]["counts"]
    assert (len(edges), sum(counts), edges[0]) == (len(counts) + 1, 5, -1.0)
    assert np.diff(edges).tolist() == [edges[1] - edges[0]] * len(counts)
    lines = samesum("stats", tmp_path / "x.npy", "--histogram").out.splitlines()
    assert "x: histogram" in lines
    assert sum(int(line.split()[-1]) for line in lines[lines.index("x: histogram") + 1 :] if "to" in line) == 5


def test_a_picture_is_drawn(samesum: Command, tmp_path: Path) -> None:
    pytest.importorskip("matplotlib")
    np.save(tmp_path / "x.npy", np.arange(9.0))
    assert samesum("stats", tmp_path / "x.npy", "--plot", tmp_path / "x.png").status == Exit.FINE
    assert (tmp_path / "x.png").read_bytes().startswith(b"\x89PNG")


def test_wrong_usage(samesum: Command, tmp_path: Path) -> None:
    assert "there is no FILE" in samesum("stats").err
    assert samesum("stats", tmp_path / "none.npy").status == Exit.USAGE
    (tmp_path / "x.npy").write_bytes(b"\x93NUMPY")
    assert samesum("stats", tmp_path / "x.npy").status == Exit.INVALID
    done = samesum("stats", "--merge", tmp_path / "x.npy")
    assert (done.status, "no JSON document" in done.err) == (Exit.INVALID, True)
    assert samesum("stats", "x", "--axis", "0", "--per-channel", "1").status == Exit.USAGE


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (("--percentile", "0"), "--ranges and --percentile go with --model"),
        (("--axis", "0,0"), "--axis names an axis twice: 0, 0"),
        (("--plot", "x.xyz"), "--plot is x.xyz; allowed are files that end with one of"),
        (("--model", "m.onnx", "--histogram"), "beside --model allowed are --data, --per-channel, --ranges,"),
        (("--model", "m.onnx", "--digest"), "got FILE, --digest"),
    ],
)
def test_options_that_do_not_go_together(
    samesum: Command, tmp_path: Path, arguments: tuple[str, ...], says: str
) -> None:
    if "--plot" in arguments:
        pytest.importorskip("matplotlib")
    done = samesum("stats", checkpoint(tmp_path / "x.safetensors", x=drawn("float32", (2, 3))), *arguments)
    assert (done.status, says in done.err) == (Exit.USAGE, True)


@pytest.mark.parametrize("option", [("--histogram",), ("--digest",), ("--axis", "0"), ("--fail-on", "nan")])
def test_differences_go_with_json_alone(samesum: Command, tmp_path: Path, option: tuple[str, ...]) -> None:
    path = checkpoint(tmp_path / "x.safetensors", x=drawn("float32", (2, 3)))
    done = samesum("stats", "--diff", path, path, *option)
    assert (done.status, f"beside --diff allowed are --json, --only; got {option[0]}" in done.err) == (Exit.USAGE, True)


def test_an_interrupted_run_keeps_what_it_has_and_goes_on(
    samesum: Command, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from samesum.cli import stats_reading

    x = {f"t{i}": drawn("float32", (4, 5), i) for i in range(4)}
    path, state = checkpoint(tmp_path / "x.safetensors", **x), tmp_path / "x.state"
    real, done = stats_reading.measured, []

    def interrupted(tensor: object, *arguments: object, **named: object) -> object:
        done.append(tensor)
        if len(done) == 3:
            raise KeyboardInterrupt
        return real(tensor, *arguments, **named)  # type: ignore[arg-type]

    monkeypatch.setattr(stats_reading, "measured", interrupted)
    stopped = samesum("stats", path, "--state", state)
    assert stopped.status == Exit.INTERRUPTED
    assert f"{state} has 2 tensors; the same command again goes on from there" in stopped.err
    refused = samesum("stats", "--merge", state)
    assert (refused.status, "is of a run that was interrupted" in refused.err) == (Exit.USAGE, True)
    again = samesum("stats", path, "--state", state, "--digest")
    assert "has 2 tensors of an interrupted run; it goes on from there" in again.err
    assert len(done) == 5
    assert again.out == samesum("stats", path, "--digest").out
    assert samesum("stats", "--merge", state, "--digest").out == again.out


def test_a_full_disk_is_named_and_takes_no_figures_away(
    samesum: Command, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path, state = checkpoint(tmp_path / "x.safetensors", x=drawn("float32", (4, 5))), tmp_path / "x.state"
    wanted = samesum("stats", path, "--digest").out

    def full(*_: object) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr("samesum.stats.store.hashlib.sha256", full)
    done = samesum("stats", path, "--state", state)
    monkeypatch.undo()
    assert (done.status, f"{state}: No space left on device" in done.err) == (Exit.USAGE, True)
    assert "float32" in done.out
    assert samesum("stats", path, "--digest").out == wanted
    assert not state.exists()
