"""Standard output of this process, also for what is written in C."""

from __future__ import annotations

import io
import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager, redirect_stdout


@contextmanager
def stdout_to_stderr() -> Iterator[None]:
    """What Python code or a C library prints meanwhile goes to standard error."""
    sys.stdout.flush()
    try:
        number = sys.stdout.fileno()
    except (io.UnsupportedOperation, AttributeError):
        with redirect_stdout(sys.stderr):
            yield
        return
    kept = os.dup(number)
    try:
        os.dup2(2, number)
        with redirect_stdout(sys.stderr):
            yield
    finally:
        os.dup2(kept, number)
        os.close(kept)
