"""Exact figures of floats that come in rows, and counts of bytes by value."""

from __future__ import annotations

from samesum import _core

Statistics = _core.Statistics
"""Of each row of C-contiguous arrays of rank 2: classes of elements, extremes, and exact sums of the finite elements,
of their magnitudes and of their squares. `counted()` has the columns NaNs, +inf, -inf, zeros and subnormals, then the
order keys of the least and the greatest finite element and the bits of the least magnitude that is not zero."""

count_bytes = _core.count_bytes
"""Adds to `counts`, int64 [rows, 256], how many of the bytes of each row of `x`, uint8 [rows, n], have each value."""
