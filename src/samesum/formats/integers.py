"""One check of integers: counts, lengths and axes, and the words of a refusal."""

from __future__ import annotations

from operator import index

import numpy as np

from samesum.errors import DtypeError, SamesumError


def integer_of(what: str, value: object, error: type[SamesumError] = DtypeError) -> int:
    """The value as an integer of Python; the error for what is none, booleans among it."""
    try:
        if not isinstance(value, bool | np.bool_):
            return index(value)  # type: ignore[arg-type]
    except TypeError:
        pass
    raise error(f"{what} has to be an integer; got {value!r}")
