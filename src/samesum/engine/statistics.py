"""Exact figures of floats that come in rows, and counts of bytes by value."""

from __future__ import annotations

from samesum import _core

Statistics = _core.Statistics
"""Of each row of C-contiguous arrays of rank 2: classes of elements, extremes, and exact sums of the finite elements,
of their magnitudes and of their squares. `counted()` has the columns NaNs, +inf, -inf, zeros and subnormals, then the
order keys of the least and the greatest finite element and the bits of the least magnitude that is not zero."""

count_bytes = _core.count_bytes
"""Adds to `counts`, int64 [rows, 256], how many of the bytes of each row of `x`, uint8 [rows, n], have each value."""

count_words = _core.count_words
"""Adds to `counts`, int64 [65536], how many elements of `x`, uint16, have each value."""

count_bins = _core.count_bins
"""Adds to `counts`, int64 [bins], how many elements of `x`, float32 or float64, lie in each bin: the first
one begins at `first` times 2^`exponent`, each is 2^`exponent` wide. Returns how many finite elements lie in none."""
