"""One check of integers (counts, lengths and axes) and one of booleans, and the words of a refusal."""

from __future__ import annotations

from operator import index

import numpy as np

from samesum.errors import ArgumentTypeError, SamesumError


def integer_of(what: str, value: object, error: type[SamesumError] = ArgumentTypeError) -> int:
    """The value as an integer of Python; the error for what is none, booleans among it."""
    try:
        if not isinstance(value, bool | np.bool_):
            return index(value)  # type: ignore[arg-type]
    except TypeError:
        pass
    raise error(f"{what} has to be an integer; got {value!r}")


def boolean_of(what: str, value: object) -> bool:
    """The value as a boolean of Python. Raises ArgumentTypeError for all but booleans and the integers 0 and 1."""
    if value is True or value is False:
        return value is True
    if isinstance(value, (np.bool_, int)) and value in (0, 1):
        return bool(value)
    raise ArgumentTypeError(f"{what} is {value!r}; True or False is needed")
