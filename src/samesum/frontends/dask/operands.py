"""Arguments of the lazy functions, checked before anything is computed."""

from __future__ import annotations

from math import isnan
from typing import Any

from samesum.engine.arrays import as_array
from samesum.formats.arrays import native


def as_lazy(x: Any) -> Any:
    """The Dask array `x`, or one of a single chunk of what is in memory, in native byte order.

    Raises ArgumentTypeError for masked elements.
    """
    import dask.array as da

    if not isinstance(x, da.Array):
        return da.from_array(native(as_array(x)), chunks=-1)
    as_array(x._meta)
    return x if x.dtype.isnative else x.astype(x.dtype.newbyteorder("="))


def joined_short(x: Any) -> Any:
    """`x` with each length of 0 or 1 in one chunk: in several, some of them empty, Dask does not broadcast it."""
    import dask.array as da

    chunks = tuple((n,) if n in (0, 1) else each for n, each in zip(x.shape, x.chunks, strict=True))
    if 0 in x.shape and not any(isnan(n) for n in x.shape):
        return da.zeros(x.shape, dtype=x.dtype, chunks=chunks)  # `rechunk` leaves the chunks of nothing as they are
    return x.rechunk(dict(enumerate(chunks)))
