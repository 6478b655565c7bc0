from collections.abc import Callable, Sequence
from typing import Any, SupportsIndex

import numpy as np

from samesum.formats.arrays import Out
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
SKIP_NAN: int

def reduce(
    code: int,
    x: Any,
    axes: Axes,
    flags: int,
    dtype: np.dtype[Any] | None,
    out: Out | None,
    where: Any = None,
) -> np.ndarray[Any, np.dtype[Any]]: ...
def count_nonzero(x: Any, axes: Axes, flags: int, where: Any = None) -> np.ndarray[Any, np.dtype[Any]]: ...
def reduce_corrected(
    code: int,
    x: Any,
    axes: Axes,
    flags: int,
    dtype: np.dtype[Any] | None,
    out: Out | None,
    correction: float,
    where: Any = None,
) -> np.ndarray[Any, np.dtype[Any]]: ...
def reduce_several(
    codes: Sequence[int],
    x: Any,
    axes: Axes,
    flags: Sequence[int],
    keepdims: bool,
    scalars: bool = False,
    dtype: np.dtype[Any] | None = None,
    where: Any = None,
) -> list[np.ndarray[Any, np.dtype[Any]]]: ...
def reduce_segments(
    code: int,
    flags: int,
    correction: float,
    x: np.ndarray[Any, np.dtype[Any]],
    labels: np.ndarray[Any, np.dtype[Any]],
    negative: bool,
    initial: np.ndarray[Any, np.dtype[Any]] | None,
    out: np.ndarray[Any, np.dtype[Any]],
) -> tuple[int, int]: ...

class Accumulation:
    def __init__(self, code: int, flags: int, dtype: np.dtype[Any], outputs: int, count: int, tier: int) -> None: ...
    def add(self, x: Any, axes: Sequence[int]) -> None: ...
    def finish(self) -> tuple[np.ndarray[Any, np.dtype[Any]], list[int]]: ...

class ExactTotals:
    def __init__(self, map: int, dtype: np.dtype[Any], outputs: int) -> None: ...
    def add(self, x: Any, axes: Axes) -> None: ...
    def merge(self, other: ExactTotals) -> None: ...
    def rounded(self, finalize: int, dtype: np.dtype[Any], counts: np.ndarray[Any, np.dtype[np.int64]]) -> Any: ...
    def rounded_moments(
        self,
        squares: ExactTotals,
        kind: int,
        correction: float,
        dtype: np.dtype[Any],
        counts: np.ndarray[Any, np.dtype[np.int64]],
    ) -> Any: ...
    def elements(self, most: int) -> np.ndarray[Any, np.dtype[Any]] | None: ...
    def encoded(self) -> bytes: ...
    def decode(self, encoded: bytes) -> bool: ...

class ProductTotals:
    def __init__(self, dtype: np.dtype[Any], outputs: int) -> None: ...
    def add(self, x: Any, axes: Axes) -> None: ...
    def scan(self, x: Any, axis: int, is_exclusive: bool, dtype: np.dtype[Any]) -> Any: ...
    def merge(self, other: ProductTotals) -> None: ...
    def rounded(self, dtype: np.dtype[Any], like: np.ndarray[Any, np.dtype[Any]]) -> Any: ...
    def encoded(self, is_brief: bool) -> bytes: ...
    def decode(self, encoded: bytes, is_brief: bool) -> bool: ...

class ExponentialTotals:
    def __init__(self, dtype: np.dtype[Any], outputs: int) -> None: ...
    def add(self, x: Any, axes: Axes, where: Any) -> None: ...
    def merge(self, other: ExponentialTotals) -> None: ...
    def rounded(self, dtype: np.dtype[Any], like: np.ndarray[Any, np.dtype[Any]]) -> Any: ...
    def encoded(self) -> bytes: ...
    def decode(self, encoded: bytes) -> bool: ...

def defer_with(function: Callable[..., Any], /) -> None: ...

class Statistics:
    def __init__(self, dtype: np.dtype[Any], outputs: int) -> None: ...
    def add(self, x: Any) -> None: ...
    def add_file(self, descriptor: int, offset: int, n: int) -> bool: ...
    def counted(self) -> np.ndarray[Any, np.dtype[np.int64]]: ...
    def encoded(self, map: int) -> bytes: ...

def count_bytes(x: Any, counts: np.ndarray[Any, np.dtype[np.int64]]) -> None: ...
def count_words(x: Any, counts: np.ndarray[Any, np.dtype[np.int64]]) -> None: ...
def count_bins(x: Any, exponent: int, first: int, counts: np.ndarray[Any, np.dtype[np.int64]]) -> int: ...
def convert_with(function: Callable[[Any], np.ndarray[Any, np.dtype[Any]]], /) -> None: ...
def scan(
    combine: int,
    x: Any,
    axis: SupportsIndex | None,
    flags: int,
    dtype: np.dtype[Any] | None,
    out: Out | None,
) -> np.ndarray[Any, np.dtype[Any]]: ...
def normalize(code: int, x: Any, axis: int, out: Out | None = None) -> np.ndarray[Any, np.dtype[Any]]: ...
def normalize_lines(
    x: Any,
    axes: Axes,
    divisor: int,
    centred: bool,
    over_count: bool,
    at_least: bool,
    inside: float,
    outside: float,
    scale: np.ndarray[Any, np.dtype[Any]] | None = None,
    bias: np.ndarray[Any, np.dtype[Any]] | None = None,
    dtype: np.dtype[Any] | None = None,
    out: Out | None = None,
    inverse_dtype: np.dtype[Any] | None = None,
) -> Any: ...
def normalize_batch(
    x: Any,
    first: int,
    last: int,
    scale: np.ndarray[Any, np.dtype[Any]],
    bias: np.ndarray[Any, np.dtype[Any]],
    mean: np.ndarray[Any, np.dtype[Any]],
    variance: np.ndarray[Any, np.dtype[Any]],
    epsilon: float,
    out: Out | None = None,
) -> np.ndarray[Any, np.dtype[Any]]: ...
def scan_exponentials(x: Any, axis: Any, reverse: bool, out: Out | None = None) -> np.ndarray[Any, np.dtype[Any]]: ...
def vecdot(
    a: np.ndarray[Any, np.dtype[Any]],
    b: np.ndarray[Any, np.dtype[Any]],
    axis: int,
    dtype: np.dtype[Any] | None = None,
    out: Out | None = None,
) -> Any: ...
def attention(
    query: np.ndarray[Any, np.dtype[Any]],
    key: np.ndarray[Any, np.dtype[Any]],
    value: np.ndarray[Any, np.dtype[Any]],
    mask: np.ndarray[Any, np.dtype[Any]] | None,
    ends: np.ndarray[Any, np.dtype[Any]] | None,
    scale: float,
    scale_rest: float,
    cap: float,
    shown: int,
) -> tuple[
    np.ndarray[Any, np.dtype[Any]],
    np.ndarray[Any, np.dtype[Any]] | None,
    np.ndarray[Any, np.dtype[np.int64]],
    np.ndarray[Any, np.dtype[np.int64]],
]: ...
def convolve(
    x: np.ndarray[Any, np.dtype[Any]],
    weight: np.ndarray[Any, np.dtype[Any]],
    term: np.ndarray[Any, np.dtype[Any]] | None,
    out: np.ndarray[Any, np.dtype[Any]],
    axes: Sequence[tuple[int, int, int]],
) -> None: ...
def contract(
    a: np.ndarray[Any, np.dtype[Any]],
    b: np.ndarray[Any, np.dtype[Any]],
    c: np.ndarray[Any, np.dtype[Any]] | None,
    out: np.ndarray[Any, np.dtype[Any]],
    batch: int,
    rows: int,
    columns: int,
    terms: int,
    alpha: float,
    beta: float,
) -> None: ...
def evaluate_with(
    function: Callable[
        [str, str, int, dict[str, Any]],
        Callable[[list[np.ndarray[Any, np.dtype[Any]] | None]], np.ndarray[Any, np.dtype[Any]]],
    ],
) -> None: ...
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
            list[tuple[str, str, list[float]]],
            list[tuple[str, list[str], bool]],
            list[str],
        ]
    ],
) -> None: ...
def reduce_windows(
    code: int,
    x: Any,
    flags: int,
    axes: list[tuple[int, int, np.ndarray[Any, np.dtype[Any]]]],
    steps: Sequence[int] | None = None,
) -> np.ndarray[Any, np.dtype[Any]]: ...
def reduce_terms(code: int, arrays: list[Any], flags: int) -> np.ndarray[Any, np.dtype[Any]]: ...
def elementwise(code: int, x: Any, out: Out | None = None) -> np.ndarray[Any, np.dtype[Any]]: ...
def power(x: Any, y: Any, out: Out | None = None) -> np.ndarray[Any, np.dtype[Any]]: ...
def arithmetic(code: int, x: Any, y: Any) -> np.ndarray[Any, np.dtype[Any]]: ...

class FloatingPointScope:
    def __init__(self) -> None: ...
    def __enter__(self) -> None: ...
    def __exit__(self, *error: object) -> None: ...

class ThreadLimit:
    def __init__(self, most: int) -> None: ...
    def __enter__(self) -> None: ...
    def __exit__(self, *error: object) -> None: ...

def set_cache_limit(n: int) -> None: ...
def cache_limit() -> int: ...
def cached_bytes() -> int: ...
def set_num_threads(n: int) -> None: ...
def get_num_threads() -> int: ...
def set_instruction_set(name: str) -> None: ...
def instruction_set() -> str: ...
def instruction_sets() -> list[str]: ...
def counters() -> dict[str, int]: ...
def routes() -> dict[str, int]: ...
def route_meanings() -> dict[str, str]: ...
def reset_counters() -> None: ...
def read_seconds(x: np.ndarray[Any, np.dtype[Any]]) -> float: ...
def copy_seconds(x: np.ndarray[Any, np.dtype[Any]], out: np.ndarray[Any, np.dtype[Any]], streams: bool) -> float: ...

# What is known before the rounding test, for the tests of its bounds (core/python/certificates.hpp): in builds with
# SAMESUM_TEST_HOOKS.
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
def smooth_function(
    function: int, step: int, x: np.ndarray[Any, np.dtype[np.float64]]
) -> np.ndarray[Any, np.dtype[np.float64]]: ...
def certified_dots(
    a: np.ndarray[Any, np.dtype[Any]], b: np.ndarray[Any, np.dtype[Any]], columns: bool
) -> np.ndarray[Any, np.dtype[np.float64]]: ...
def certified_lines(
    x: np.ndarray[Any, np.dtype[Any]], centred: bool, words: bool, inside: float
) -> np.ndarray[Any, np.dtype[np.float64]]: ...
def certified_attention(
    query: np.ndarray[Any, np.dtype[Any]],
    keys: np.ndarray[Any, np.dtype[Any]],
    values: np.ndarray[Any, np.dtype[Any]],
    mask: np.ndarray[Any, np.dtype[Any]],
    scale: float,
    scale_rest: float,
    cap: float,
) -> np.ndarray[Any, np.dtype[np.float64]]: ...
