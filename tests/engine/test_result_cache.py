"""Memory of large results that is kept for the next ones: bounded, given back, safe after fork and across threads."""

from __future__ import annotations

import os
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

import samesum as ss
from samesum import _core
from samesum.engine import environment

MIB = 1 << 20
ELEMENTS = 2 * MIB
"""Of float32 whose prefix sums take 8 MiB."""


@pytest.fixture
def limit() -> Iterator[int]:
    before = ss.get_cache_limit()
    ss.set_cache_limit(0)
    ss.set_cache_limit(64 * MIB)
    yield 64 * MIB
    ss.set_cache_limit(0)
    ss.set_cache_limit(before)


def prefixes(n: int = ELEMENTS) -> np.ndarray:
    return ss.cumulative_sum(np.ones(n, np.float32))


def handler(array: np.ndarray) -> str | None:
    return np._core.multiarray.get_handler_name(array)  # type: ignore[attr-defined]


def is_used_again() -> bool:
    first = prefixes()
    assert first.flags.owndata
    assert handler(first) == "samesum"
    place = first.ctypes.data
    del first
    is_kept = _core.cached_bytes() >= 4 * ELEMENTS
    again = prefixes()
    np.testing.assert_array_equal(again, np.arange(1, ELEMENTS + 1, dtype=np.float32))
    return is_kept and again.ctypes.data == place


@pytest.mark.usefixtures("limit")
def test_a_result_lies_where_one_of_its_size_lay() -> None:
    """On a machine that is busy a second may pass in between, but not every time."""
    assert any(is_used_again() for _ in range(100))


@pytest.mark.usefixtures("limit")
def test_results_that_are_held_never_share_memory() -> None:
    held = [prefixes() for _ in range(5)]
    del held[1::2]
    held += [prefixes() for _ in range(5)]
    for i, one in enumerate(held):
        assert not any(np.shares_memory(one, other) for other in held[i + 1 :])


def test_no_more_than_the_limit_is_kept(limit: int) -> None:
    held = [prefixes() for _ in range(12)]
    while held:
        held.pop()
        assert _core.cached_bytes() <= limit
    ss.set_cache_limit(20 * MIB)
    assert _core.cached_bytes() <= 20 * MIB
    ss.set_cache_limit(0)
    assert _core.cached_bytes() == 0
    small = prefixes()
    assert handler(small) == "default_allocator"
    del small
    assert _core.cached_bytes() == 0


@pytest.mark.usefixtures("limit")
def test_what_nobody_asks_for_is_given_back() -> None:
    prefixes()
    until = time.monotonic() + 60
    while _core.cached_bytes():
        assert time.monotonic() < until
        time.sleep(0.05)


@pytest.mark.usefixtures("limit")
def test_small_results_and_results_of_other_sizes_take_memory_of_their_own() -> None:
    assert handler(prefixes(1000)) == "default_allocator"
    small, large = prefixes(), prefixes(8 * ELEMENTS)
    place = small.ctypes.data
    del small
    other = prefixes(4 * ELEMENTS)
    assert other.ctypes.data != place
    assert (other[-1], large[-1]) == (4 * ELEMENTS, 8 * ELEMENTS)


@pytest.mark.usefixtures("limit")
def test_results_can_be_resized() -> None:
    array = prefixes()
    array.resize(2 * ELEMENTS, refcheck=False)
    np.testing.assert_array_equal(array[:ELEMENTS], np.arange(1, ELEMENTS + 1, dtype=np.float32))
    assert not array[ELEMENTS:].any()
    array.resize(3, refcheck=False)
    assert array.tolist() == [1, 2, 3]


@pytest.mark.usefixtures("limit")
def test_threads_take_and_give_at_once() -> None:
    wrong: list[int] = []

    def work(n: int) -> None:
        for _ in range(10):
            if prefixes(n)[-1] != n:
                wrong.append(n)

    threads = [threading.Thread(target=work, args=(ELEMENTS + 1000 * i,)) for i in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert wrong == []


FORKED = """
import os, sys
import numpy as np
import samesum as ss
from samesum import _core
ss.set_cache_limit(64 << 20)
x = np.ones(2 << 20, np.float32)
held = ss.cumulative_sum(x)


def keep():
    for _ in range(100):  # a second may pass on a busy machine
        ss.cumulative_sum(x)
        if _core.cached_bytes() > 0:
            return True
    return False


assert keep()
child = os.fork()
if child == 0:
    ok = _core.cached_bytes() == 0 and held[-1] == x.size
    again = ss.cumulative_sum(x)
    ok = ok and again[-1] == x.size
    del again, held
    ok = ok and keep()
    os._exit(0 if ok else 1)
assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0
assert _core.cached_bytes() >= 0 and ss.cumulative_sum(x)[-1] == x.size
"""


@pytest.mark.skipif(not hasattr(os, "fork"), reason="there is no fork here")
def test_a_child_begins_with_an_empty_cache_of_its_own() -> None:
    subprocess.run([sys.executable, "-W", "ignore", "-c", FORKED], check=True, timeout=120)


def test_limits_that_make_no_sense_are_refused() -> None:
    before = ss.get_cache_limit()
    for wrong in (-1, 2**48 + 1):
        with pytest.raises(ss.ArgumentError, match=f"{wrong} bytes; allowed are 0 to 2\\^48"):
            ss.set_cache_limit(wrong)
    with pytest.raises(TypeError):
        ss.set_cache_limit(1.5)  # type: ignore[arg-type]
    assert ss.get_cache_limit() == before


@pytest.mark.parametrize(("asked", "expected"), [("0", 0), ("12345678", 12345678), ("-3", None), ("much", None)])
def test_the_environment_sets_the_limit(asked: str, expected: int | None) -> None:
    code = "import samesum as ss; print(ss.get_cache_limit())"
    variables = os.environ | {"SAMESUM_CACHE_LIMIT": asked}
    run = subprocess.run([sys.executable, "-c", code], env=variables, capture_output=True, text=True, check=True)
    assert int(run.stdout) == (environment.default_limit() if expected is None else expected)
    assert ("SAMESUM_CACHE_LIMIT is" in run.stderr) == (expected is None)


@pytest.mark.parametrize(
    ("group", "expected"),
    [
        ({"memory.max": "max\n"}, 512 * MIB),
        ({"memory.max": f"{1024 * MIB}\n"}, 64 * MIB),
        ({"memory.limit_in_bytes": f"{160 * MIB}\n"}, 10 * MIB),
    ],
)
def test_a_limit_of_the_control_group_counts(
    group: dict[str, str], expected: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name, text in group.items():
        (tmp_path / name).write_text(text, encoding="ascii")
    (tmp_path / "membership").write_text("0::/\n", encoding="ascii")
    least = environment.least
    monkeypatch.setattr(environment, "_installed", lambda: 2**40)
    monkeypatch.setattr(environment, "least", lambda name, limit: least(name, limit, tmp_path / "membership", tmp_path))
    assert environment.default_limit() == expected
