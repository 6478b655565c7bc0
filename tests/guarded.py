"""Arrays that end where memory does: the page that follows may not be touched."""

from __future__ import annotations

import ctypes
import mmap
import sys

import numpy as np
import pytest

from samesum.formats.arrays import NDArray

needs_guards = pytest.mark.skipif(
    not sys.platform.startswith("linux"), reason="pages are protected by Linux's own call"
)


def at_the_end(x: NDArray) -> NDArray:
    """A copy whose last element ends with its page; the next one is protected."""
    size = -(-x.nbytes // mmap.PAGESIZE) * mmap.PAGESIZE
    pages = mmap.mmap(-1, size + mmap.PAGESIZE)
    address = ctypes.addressof(ctypes.c_char.from_buffer(pages)) + size
    libc = ctypes.CDLL(None, use_errno=True)
    assert libc.mprotect(ctypes.c_void_p(address), ctypes.c_size_t(mmap.PAGESIZE), 0) == 0
    copy = np.frombuffer(pages, x.dtype, x.size, size - x.nbytes).reshape(x.shape)
    copy[...] = x
    return copy
