from collections.abc import Callable, Sequence
from typing import Any, SupportsIndex

import numpy as np

from samesum.formats.axes import Axes

KEEPDIMS: int
WIDEN: int
REAL: int
REFUSE_EMPTY: int
EXCLUSIVE: int
REVERSE: int
INCLUDE_INITIAL: int
SELECT_LAST: int
SCALAR: int

def reduce(
    code: int,
    x: Any,
    axes: Axes,
    flags: int,
    dtype: np.dtype[Any] | None,
    out: np.ndarray[Any, np.dtype[Any]] | None,
) -> np.ndarray[Any, np.dtype[Any]]: ...
def reduce_corrected(
    code: int,
    x: Any,
    axes: Axes,
    flags: int,
    dtype: np.dtype[Any] | None,
    out: np.ndarray[Any, np.dtype[Any]] | None,
    correction: float,
) -> np.ndarray[Any, np.dtype[Any]]: ...
def reduce_several(
    codes: Sequence[int],
    x: Any,
    axes: Axes,
    flags: Sequence[int],
    keepdims: bool,
    scalars: bool = False,
    dtype: np.dtype[Any] | None = None,
) -> list[np.ndarray[Any, np.dtype[Any]]]: ...

class Accumulation:
    def __init__(self, code: int, flags: int, dtype: np.dtype[Any], outputs: int, count: int, tier: int) -> None: ...
    def add(self, x: Any, axes: Sequence[int]) -> None: ...
    def finish(self) -> tuple[np.ndarray[Any, np.dtype[Any]], list[int]]: ...

class ExactTotals:
    def __init__(self, map: int, dtype: np.dtype[Any], outputs: int) -> None: ...
    def add(self, x: Any, axes: Axes) -> None: ...
    def merge(self, other: ExactTotals) -> None: ...
    def rounded(self, finalize: int, dtype: np.dtype[Any], counts: np.ndarray[Any, np.dtype[np.int64]]) -> Any: ...
    def encoded(self) -> bytes: ...
    def decode(self, encoded: bytes) -> bool: ...

def convert_with(function: Callable[[Any], np.ndarray[Any, np.dtype[Any]]], /) -> None: ...
def scan(
    combine: int,
    x: Any,
    axis: SupportsIndex | None,
    flags: int,
    dtype: np.dtype[Any] | None,
    out: np.ndarray[Any, np.dtype[Any]] | None,
) -> np.ndarray[Any, np.dtype[Any]]: ...
def normalize(
    code: int, x: Any, axis: int, out: np.ndarray[Any, np.dtype[Any]] | None = None
) -> np.ndarray[Any, np.dtype[Any]]: ...
def normalize_lines(
    x: Any,
    axes: Axes,
    divisor: int,
    centred: bool,
    over_count: bool,
    at_least: bool,
    inside: float,
    outside: float,
    scale: np.ndarray[Any, np.dtype[np.float64]] | None = None,
    bias: np.ndarray[Any, np.dtype[np.float64]] | None = None,
    dtype: np.dtype[Any] | None = None,
    out: np.ndarray[Any, np.dtype[Any]] | None = None,
    inverse_dtype: np.dtype[Any] | None = None,
) -> Any: ...
def declare_operators(
    rows: list[
        tuple[
            str,
            int,
            int,
            str,
            int,
            list[str],
            str | None,
            int,
            bool,
            tuple[list[str], int, int, bool] | None,
            list[tuple[str, str, int]],
        ]
    ],
) -> None: ...
def elementwise(
    code: int, x: Any, out: np.ndarray[Any, np.dtype[Any]] | None = None
) -> np.ndarray[Any, np.dtype[Any]]: ...
def power(x: Any, y: Any, out: np.ndarray[Any, np.dtype[Any]] | None = None) -> np.ndarray[Any, np.dtype[Any]]: ...

class FloatingPointScope:
    def __init__(self) -> None: ...
    def __enter__(self) -> None: ...
    def __exit__(self, *error: object) -> None: ...

def set_num_threads(n: int) -> None: ...
def get_num_threads() -> int: ...
def set_instruction_set(name: str) -> None: ...
def instruction_set() -> str: ...
def instruction_sets() -> list[str]: ...
def counters() -> dict[str, int]: ...
def reset_counters() -> None: ...
def read_seconds(x: np.ndarray[Any, np.dtype[Any]]) -> float: ...
def copy_seconds(x: np.ndarray[Any, np.dtype[Any]], out: np.ndarray[Any, np.dtype[Any]], streams: bool) -> float: ...

# What is known before the rounding test, for the tests of its bounds (core/python/certificates.hpp).
def certified_states(
    method: str, code: int, x: np.ndarray[Any, np.dtype[Any]], axes: int | Sequence[int] | None
) -> np.ndarray[Any, np.dtype[np.float64]]: ...
def certified_results(
    totals: np.ndarray[Any, np.dtype[np.float64]], finalize: int, count: int, interval: bool
) -> np.ndarray[Any, np.dtype[np.float64]]: ...
def tested_results(
    totals: np.ndarray[Any, np.dtype[np.float64]], finalize: int, count: int, dtype: np.dtype[Any], interval: bool
) -> tuple[np.ndarray[Any, np.dtype[Any]], np.ndarray[Any, np.dtype[np.bool_]]]: ...
def certified_short_sets(kind: int, x: np.ndarray[Any, np.dtype[Any]]) -> np.ndarray[Any, np.dtype[np.float64]]: ...
def certified_prefixes(
    way: int, x: np.ndarray[Any, np.dtype[Any]], hi: float, lo: float, bound: float
) -> np.ndarray[Any, np.dtype[np.float64]] | None: ...
def certified_columns(x: np.ndarray[Any, np.dtype[Any]], batch: int) -> np.ndarray[Any, np.dtype[np.float64]]: ...
def elementary(function: int, x: np.ndarray[Any, np.dtype[np.float64]]) -> np.ndarray[Any, np.dtype[np.float64]]: ...
