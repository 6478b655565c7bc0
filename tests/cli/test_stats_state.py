"""An interrupted run of `samesum stats --state` keeps the tensor that is being read, too, and goes on from there."""

from __future__ import annotations

import errno
import json
import signal
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from command import Command

from samesum.cli import stats_reading
from samesum.cli.show import Exit
from samesum.stats import measuring, pattern
from tensor_files import drawn, gguf_of, safetensors_bytes

PARTS = 8
X = drawn("float32", (PARTS * 4, 4))
X[:, 0] = 1.5


def of_npy(folder: Path) -> Path:
    np.save(folder / "x.npy", X)
    return folder / "x.npy"


def of_npz(folder: Path) -> Path:
    np.savez_compressed(folder / "x.npz", x=X)
    return folder / "x.npz"


def of_integers(folder: Path) -> Path:
    np.save(folder / "x.npy", np.arange(PARTS * 8) * 2**50)
    return folder / "x.npy"


@pytest.fixture
def small_parts(monkeypatch: pytest.MonkeyPatch) -> None:
    """A part has 64 bytes."""
    monkeypatch.setattr(measuring, "WINDOW", 64)
    monkeypatch.setattr(measuring, "_TALL_WINDOW", 64)
    monkeypatch.setattr(measuring, "STRETCH", 64)
    monkeypatch.setattr(measuring, "_LONGEST", 64)


class Parts:
    """Counts the parts that are taken, and does something after one of them."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch, at: int, then: Callable[[], None]) -> None:
        self.count = 0
        for name in ("add", "add_file"):
            monkeypatch.setattr(pattern.Assembly, name, self._counting(getattr(pattern.Assembly, name), at, then))

    def _counting(self, real: Callable[..., object], at: int, then: Callable[[], None]) -> Callable[..., object]:
        def call(*arguments: object) -> object:
            self.count += 1
            answer = real(*arguments)
            if self.count == at:
                then()
            return answer

        return call


def entries(state: Path) -> list[dict[str, object]]:
    return [json.loads(line) for line in state.read_bytes().splitlines()[1:-1]]


def interrupt() -> None:
    signal.raise_signal(signal.SIGINT)


@pytest.mark.parametrize("make", [of_npy, of_npz, of_integers])
@pytest.mark.parametrize("options", [(), ("--histogram",), ("--per-channel", "0")])
@pytest.mark.usefixtures("small_parts")
def test_ctrl_c_waits_until_a_part_is_whole_and_the_run_goes_on(
    samesum: Command,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    make: Callable[[Path], Path],
    options: tuple[str, ...],
) -> None:
    path, state = make(tmp_path), tmp_path / "x.state"
    parts = Parts(monkeypatch, 3, interrupt)
    stopped = samesum("stats", path, *options, "--state", state)
    assert (stopped.status, stopped.out, parts.count) == (Exit.INTERRUPTED, "", 3)
    assert f"{state} has 0 tensors and 192 bytes of 'x'; the same command again goes on from there" in stopped.err
    (entry,) = entries(state)
    itemsize = 8 if make is of_integers else 4
    states = [str(each).split(" ") for each in entry["states"]]  # type: ignore[attr-defined]
    assert sum(int(each[0]) for each in states) == 192 // itemsize
    refused = samesum("stats", "--merge", state)
    assert (refused.status, "is of a run that was interrupted" in refused.err) == (Exit.USAGE, True)
    again = samesum("stats", path, *options, "--state", state, "--json")
    assert f"{state} has 0 tensors and a part of 'x' of an interrupted run; it goes on from there" in again.err
    assert f"{(PARTS - 3) * 64} bytes in" in again.err
    assert parts.count == PARTS
    assert again.out == samesum("stats", path, *options, "--json").out
    assert json.loads(samesum("stats", "--merge", state, "--json").out)["digest"] == json.loads(again.out)["digest"]


@pytest.mark.usefixtures("small_parts")
def test_the_state_is_written_while_a_tensor_is_read(
    samesum: Command, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path, state = of_npy(tmp_path), tmp_path / "x.state"
    monkeypatch.setattr(stats_reading, "_SAVED_EVERY", -1.0)
    seen: list[int] = []
    real = stats_reading.write_states

    def writing(*arguments: object) -> None:
        real(*arguments)  # type: ignore[arg-type]
        (entry,) = entries(state)
        seen.append(int(str(entry["states"][0]).split(" ")[0]))  # type: ignore[index]

    monkeypatch.setattr(stats_reading, "write_states", writing)
    assert samesum("stats", path, "--state", state).status == Exit.FINE
    assert seen == [*range(16, PARTS * 16 + 1, 16), PARTS * 16]


@pytest.mark.usefixtures("small_parts")
def test_a_disk_that_is_full_for_a_while_takes_no_tensor_away(
    samesum: Command, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path, state = of_npy(tmp_path), tmp_path / "x.state"
    wanted = samesum("stats", path, "--digest").out
    monkeypatch.setattr(stats_reading, "_SAVED_EVERY", -1.0)
    real, calls = stats_reading.write_states, []

    def writing(*arguments: object) -> None:
        calls.append(arguments)
        if len(calls) <= PARTS:
            raise OSError(errno.ENOSPC, "No space left on device", str(state))
        real(*arguments)  # type: ignore[arg-type]

    monkeypatch.setattr(stats_reading, "write_states", writing)
    done = samesum("stats", path, "--state", state, "--digest")
    assert (done.status, done.out) == (Exit.FINE, wanted)
    assert done.err.count("No space left on device; the run goes on") == PARTS
    assert samesum("stats", "--merge", state, "--digest").out == wanted


@pytest.mark.usefixtures("small_parts")
def test_a_part_that_is_half_done_is_not_kept(
    samesum: Command, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail() -> None:
        raise MemoryError

    path, state = of_npy(tmp_path), tmp_path / "x.state"
    with monkeypatch.context() as patch:
        Parts(patch, 3, fail)
        assert samesum("stats", path, "--state", state).status == Exit.LACKING
    assert not state.exists()
    assert samesum("stats", path, "--state", state).status == Exit.FINE


@pytest.mark.usefixtures("small_parts")
def test_another_question_begins_anew(samesum: Command, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path, state = of_npy(tmp_path), tmp_path / "x.state"
    for more, count in ((("--histogram",), PARTS), (("--per-channel", "0"), PARTS), ((), PARTS - 3)):
        with monkeypatch.context() as patch:
            Parts(patch, 3, interrupt)
            assert samesum("stats", path, "--state", state).status == Exit.INTERRUPTED
        with monkeypatch.context() as patch:
            parts = Parts(patch, 0, interrupt)
            again = samesum("stats", path, *more, "--state", state, "--json")
            assert parts.count == count
        assert again.out == samesum("stats", path, *more, "--json").out
        state.unlink()


@pytest.mark.usefixtures("small_parts")
def test_a_shard_that_changed_begins_anew(samesum: Command, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The index is the same file as before."""
    shard, index, state = tmp_path / "a.safetensors", tmp_path / "m.safetensors.index.json", tmp_path / "x.state"
    index.write_text('{"weight_map": {"x": "a.safetensors"}}')
    shard.write_bytes(safetensors_bytes({"x": X}))
    with monkeypatch.context() as patch:
        Parts(patch, 3, interrupt)
        assert samesum("stats", index, "--state", state).status == Exit.INTERRUPTED
    shard.write_bytes(safetensors_bytes({"x": X[:-1]}))
    again = samesum("stats", index, "--state", state, "--digest")
    assert "goes on" not in again.err
    assert again.out == samesum("stats", index, "--digest").out


def test_only_what_was_asked_for_is_kept(samesum: Command, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path, state = tmp_path / "x.safetensors", tmp_path / "x.state"
    path.write_bytes(safetensors_bytes({"a": X, "b": X + 1, "c": X}))
    with monkeypatch.context() as patch:
        Parts(patch, 2, interrupt)
        assert samesum("stats", path, "--state", state).status == Exit.INTERRUPTED
    again = samesum("stats", path, "--state", state, "--only", "[bc]", "--digest")
    assert [entry["name"] for entry in entries(state)] == ["b", "c"]
    assert again.out == samesum("stats", path, "--only", "[bc]", "--digest").out


def test_hashes_of_bytes_are_states_too(samesum: Command, tmp_path: Path) -> None:
    raw = bytes(range(68))
    (tmp_path / "a.gguf").write_bytes(gguf_of({"q": (8, (2, 32), raw)}))
    (tmp_path / "b.gguf").write_bytes(gguf_of({"f": (0, (4, 4), X[:4].tobytes())}))
    both = gguf_of({"q": (8, (2, 32), raw), "f": (0, (4, 4), X[:4].tobytes())})
    (tmp_path / "c.gguf").write_bytes(both)
    for name in "ab":
        samesum("stats", tmp_path / f"{name}.gguf", "--state", tmp_path / f"{name}.state")
    merged = samesum("stats", "--merge", tmp_path / "b.state", tmp_path / "a.state", "--digest")
    assert (merged.status, merged.out) == (Exit.FINE, samesum("stats", tmp_path / "c.gguf", "--digest").out)
    (tmp_path / "c.gguf").write_bytes(both.replace(raw, raw[::-1]))
    assert samesum("stats", tmp_path / "c.gguf", "--digest").out != merged.out
