"""Every operator and every function on arrays: neither the caller's modes nor the byte order change a bit."""

from __future__ import annotations

from functools import cache

import numpy as np
import pytest

import samesum as ss
from catalogue_calls import Call, Outputs, calls
from modes import control, each_mode, in_mode, needs_mxcsr
from samesum.specs import call as remembered


@cache
def expected() -> list[tuple[Call, Outputs]]:
    with np.errstate(all="ignore"):
        return [(call, call.now()) for call in calls()]


def outcome(call: Call) -> Outputs:
    """What the call gives; nothing where it fails."""
    try:
        return call.now()
    except ss.SamesumError:
        return ()


def differences(found: list[Outputs]) -> list[str]:
    """The names of the calls whose results have other bits than in the default mode and byte order."""
    return [
        call.name
        for (call, wanted), got in zip(expected(), found, strict=True)
        if [(x.dtype.str, x.shape, x.tobytes()) for x in got] != [(x.dtype.str, x.shape, x.tobytes()) for x in wanted]
    ]


@needs_mxcsr
@each_mode
def test_no_mode_changes_a_bit(mode: str) -> None:
    wanted = expected()
    remembered._remembered.cache_clear()  # attributes are read in this mode
    found = []
    with np.errstate(all="ignore"), in_mode(mode) as bits:
        for call, _ in wanted:
            found.append(outcome(call))
        assert control() == bits
    remembered._remembered.cache_clear()
    assert differences(found) == []
