"""The cases of a loop inside a test have names, which a failure says."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager


@contextmanager
def case(*names: object) -> Iterator[None]:
    """An error that is raised within says which case of the loop it was."""
    try:
        yield
    except BaseException as error:
        error.add_note("case: " + ", ".join(map(str, names)))
        raise
