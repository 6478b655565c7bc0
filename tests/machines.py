"""Results that neither an instruction set nor a number of threads may change."""

from __future__ import annotations

from collections.abc import Callable, Iterable

from oracle import assert_bits
from samesum import _core
from samesum.formats.arrays import NDArray


def same_everywhere(call: Callable[[], Iterable[NDArray]]) -> list[NDArray]:
    """What `call` gives, with the same bits for every instruction set and for 1, 2 and 7 threads; both are restored."""
    before, first = (_core.instruction_set(), _core.get_num_threads()), None
    try:
        for name in _core.instruction_sets():
            for threads in (1, 2, 7):
                _core.set_instruction_set(name)
                _core.set_num_threads(threads)
                got = list(call())
                first = got if first is None else first
                for i, (a, b) in enumerate(zip(got, first, strict=True)):
                    assert_bits(a, b, f"result {i} of shape {b.shape}, {name}, {threads} threads")
    finally:
        _core.set_instruction_set(before[0])
        _core.set_num_threads(before[1])
    assert first
    return first
