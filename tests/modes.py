"""Floating-point modes of the calling thread on x86-64, set and read through glibc."""

from __future__ import annotations

import ctypes
import ctypes.util
import platform
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache

import pytest

MODES = {"flush": 0x8040, "down": 0x2000, "up": 0x4000, "towards_zero": 0x6000, "flush_and_up": 0xC040}
CONTROL = 0xFFC0
"""The bits of MXCSR that are modes; the others are sticky exception flags."""
MXCSR = slice(28, 32)
"""Where glibc's fenv_t keeps it."""

needs_mxcsr = pytest.mark.skipif(
    sys.platform != "linux" or platform.machine() != "x86_64", reason="sets the x86-64 MXCSR through glibc"
)
each_mode = pytest.mark.parametrize("mode", MODES)


@cache
def _libm() -> ctypes.CDLL:
    return ctypes.CDLL(ctypes.util.find_library("m") or "libm.so.6")


def state() -> int:
    """Modes and exception flags of the calling thread."""
    environment = ctypes.create_string_buffer(32)
    _libm().fegetenv(environment)
    return int.from_bytes(environment.raw[MXCSR], "little")


def control() -> int:
    """The mode bits of the calling thread."""
    return state() & CONTROL


@contextmanager
def in_mode(mode: str) -> Iterator[int]:
    """The calling thread rounds or flushes as `mode` says; gives the control bits then in force."""
    library, before = _libm(), ctypes.create_string_buffer(32)
    library.fegetenv(before)
    changed = bytearray(before.raw)
    changed[MXCSR] = (int.from_bytes(before.raw[MXCSR], "little") | MODES[mode]).to_bytes(4, "little")
    library.fesetenv(bytes(changed))
    try:
        yield control()
    finally:
        library.fesetenv(before)
