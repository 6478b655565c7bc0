"""How the functions that reduce are made: one signature for each kind of rows, as it is called and as it is checked.

`@summing(SUM)` makes the function whose name and documentation follow, and so do the others here.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Literal, Protocol, SupportsIndex, TypedDict, Unpack, overload

import numpy as np

from samesum.algebra.rows import L2_NORM, LOG_SUM, LOGSUMEXP, MEAN, Reduction
from samesum.engine.arrays import as_dtype, deferred
from samesum.engine.memory import SELECT_LAST, reduce_by_code, reduce_corrected_by_code
from samesum.errors import ArgumentError
from samesum.formats.arrays import ArrayLike, DTypeLike, NDArray, Out, Result, boolean_of
from samesum.formats.axes import Axes, axis_number
from samesum.frontends.arrays.calls import NumberedRow, checked_correction, real_dtype, reduce_from

_REAL = (MEAN, L2_NORM, LOG_SUM, LOGSUMEXP)

No = Literal[False]


SplitEvery = int | Mapping[int, int]


class Counted(TypedDict, total=False):
    """Which elements count, and how the tree of a Dask array is built."""

    where: ArrayLike | None
    split_every: SplitEvery | None


class Placed(Counted, total=False):
    """Which of equal elements is found."""

    select_last_index: bool


class Chosen(Counted, total=False):
    """Where the result goes."""

    out: Out | None


class Started(Chosen, total=False):
    """What joins the elements."""

    initial: float | None


class Converted(Chosen, total=False):
    """Which dtype the result has."""

    dtype: DTypeLike | None


class Summed(Converted, Started, total=False):
    """All of a sum or a product."""


class Corrected(Converted, total=False):
    """What the number of elements is corrected by, under one of its names."""

    correction: float
    ddof: float | None


class Normed(TypedDict, total=False):
    """All of a norm."""

    ord: float
    dtype: DTypeLike | None
    out: Out | None


class Summing(Protocol):
    """Of `sum`: with a dtype and a start value."""

    @overload
    def __call__(self, x: ArrayLike, /, axis: None = None, *, keepdims: No = False, **more: Unpack[Summed]) -> Any: ...
    @overload
    def __call__(
        self, x: ArrayLike, /, axis: Axes = None, *, keepdims: bool = False, **more: Unpack[Summed]
    ) -> NDArray: ...


class Converting(Protocol):
    """Of `mean`: with a dtype."""

    @overload
    def __call__(
        self, x: ArrayLike, /, axis: None = None, *, keepdims: No = False, **more: Unpack[Converted]
    ) -> Any: ...
    @overload
    def __call__(
        self, x: ArrayLike, /, axis: Axes = None, *, keepdims: bool = False, **more: Unpack[Converted]
    ) -> NDArray: ...


class Starting(Protocol):
    """Of `max`: with a start value."""

    @overload
    def __call__(self, x: ArrayLike, /, axis: None = None, *, keepdims: No = False, **more: Unpack[Started]) -> Any: ...
    @overload
    def __call__(
        self, x: ArrayLike, /, axis: Axes = None, *, keepdims: bool = False, **more: Unpack[Started]
    ) -> NDArray: ...


class Choosing(Protocol):
    """Of `all`."""

    @overload
    def __call__(self, x: ArrayLike, /, axis: None = None, *, keepdims: No = False, **more: Unpack[Chosen]) -> Any: ...
    @overload
    def __call__(
        self, x: ArrayLike, /, axis: Axes = None, *, keepdims: bool = False, **more: Unpack[Chosen]
    ) -> NDArray: ...


class Correcting(Protocol):
    """Of `var`."""

    @overload
    def __call__(
        self, x: ArrayLike, /, axis: None = None, *, keepdims: No = False, **more: Unpack[Corrected]
    ) -> Any: ...
    @overload
    def __call__(
        self, x: ArrayLike, /, axis: Axes = None, *, keepdims: bool = False, **more: Unpack[Corrected]
    ) -> NDArray: ...


class Placing(Protocol):
    """Of `argmax`: along one axis."""

    @overload
    def __call__(self, x: ArrayLike, /, axis: None = None, *, keepdims: No = False, **more: Unpack[Placed]) -> Any: ...
    @overload
    def __call__(
        self, x: ArrayLike, /, axis: SupportsIndex | None = None, *, keepdims: bool = False, **more: Unpack[Placed]
    ) -> NDArray: ...


def in_tree(x: Any, split_every: SplitEvery) -> Any:
    """The Dask array `x`, of which a reduction merges so many chunks at a time.

    Raises ArgumentError for what is no Dask array and for a number that is no integer from 2 on, AxisError for an axis
    that it does not have.
    """
    found = deferred("split", (x,), split_every)
    if found is None:
        raise ArgumentError(
            f"split_every is {split_every!r} and x {type(x).__name__}: it says how the chunks of a Dask array are "
            "merged; allowed is None for others"
        )
    return found


Documented = Callable[[], None]
"""A function of the name and with the documentation of the one that is made, which is all that it has."""


def _named(made: Callable[..., Any]) -> Callable[[Documented], Any]:
    def named(documented: Documented) -> Any:
        made.__name__ = made.__qualname__ = documented.__name__
        made.__module__, made.__doc__ = documented.__module__, documented.__doc__
        return made

    return named


def summing(row: Reduction, flags: int = 0) -> Callable[[Documented], Summing]:
    numbered = NumberedRow(row, flags)
    code, plain = numbered.code, numbered.flags

    def reduced(
        x: ArrayLike,
        /,
        axis: Axes = None,
        *,
        dtype: DTypeLike | None = None,
        keepdims: bool = False,
        out: Out | None = None,
        where: ArrayLike | None = None,
        initial: float | None = None,
        split_every: SplitEvery | None = None,
    ) -> Result:
        if split_every is not None:
            x = in_tree(x, split_every)
        target = None if dtype is None else as_dtype(dtype)
        if initial is not None:
            return reduce_from(numbered, initial, x, axis, target, keepdims, out, where)
        all_flags = plain if keepdims is False else numbered.keeping(keepdims)
        return reduce_by_code(code, x, axis, all_flags, target, out, where)

    return _named(reduced)


def converting(row: Reduction, flags: int = 0) -> Callable[[Documented], Converting]:
    numbered = NumberedRow(row, flags)
    code, plain, read = numbered.code, numbered.flags, real_dtype if row in _REAL else as_dtype

    def reduced(
        x: ArrayLike,
        /,
        axis: Axes = None,
        *,
        dtype: DTypeLike | None = None,
        keepdims: bool = False,
        out: Out | None = None,
        where: ArrayLike | None = None,
        split_every: SplitEvery | None = None,
    ) -> Result:
        if split_every is not None:
            x = in_tree(x, split_every)
        all_flags = plain if keepdims is False else numbered.keeping(keepdims)
        return reduce_by_code(code, x, axis, all_flags, None if dtype is None else read(dtype), out, where)

    return _named(reduced)


def starting(row: Reduction, flags: int = 0) -> Callable[[Documented], Starting]:
    numbered = NumberedRow(row, flags)
    code, plain = numbered.code, numbered.flags

    def reduced(
        x: ArrayLike,
        /,
        axis: Axes = None,
        *,
        keepdims: bool = False,
        out: Out | None = None,
        where: ArrayLike | None = None,
        initial: float | None = None,
        split_every: SplitEvery | None = None,
    ) -> Result:
        if split_every is not None:
            x = in_tree(x, split_every)
        if initial is not None:
            return reduce_from(numbered, initial, x, axis, None, keepdims, out, where)
        return reduce_by_code(
            code, x, axis, plain if keepdims is False else numbered.keeping(keepdims), None, out, where
        )

    return _named(reduced)


def choosing(row: Reduction) -> Callable[[Documented], Choosing]:
    numbered = NumberedRow(row)
    code, plain = numbered.code, numbered.flags

    def reduced(
        x: ArrayLike, /, axis: Axes = None, *, keepdims: bool = False, out: Out | None = None,
        where: ArrayLike | None = None, split_every: SplitEvery | None = None,
    ) -> NDArray | np.bool:  # fmt: skip
        if split_every is not None:
            x = in_tree(x, split_every)
        return reduce_by_code(
            code, x, axis, plain if keepdims is False else numbered.keeping(keepdims), None, out, where
        )

    return _named(reduced)


def placing(row: Reduction) -> Callable[[Documented], Placing]:
    numbered = NumberedRow(row)

    def reduced(
        x: ArrayLike,
        /,
        axis: SupportsIndex | None = None,
        *,
        keepdims: bool = False,
        select_last_index: bool = False,
        where: ArrayLike | None = None,
        split_every: SplitEvery | None = None,
    ) -> NDArray | np.int64:
        if split_every is not None:
            x = in_tree(x, split_every)
        if axis is not None:
            axis_number(axis)  # positions are counted along one axis or through all elements
        flags = numbered.flags if keepdims is False else numbered.keeping(keepdims)
        if select_last_index is not False and boolean_of("select_last_index", select_last_index):
            flags |= SELECT_LAST
        return reduce_by_code(numbered.code, x, axis, flags, None, None, where)

    return _named(reduced)


_UNCORRECTED = float("0")
"""The default of `correction`: this very object, so that any that is given beside `ddof` is noticed."""


def correcting(row: Reduction, flags: int = 0) -> Callable[[Documented], Correcting]:
    numbered = NumberedRow(row, flags)

    def reduced(
        x: ArrayLike,
        /,
        axis: Axes = None,
        *,
        correction: float = _UNCORRECTED,
        ddof: float | None = None,
        dtype: DTypeLike | None = None,
        keepdims: bool = False,
        out: Out | None = None,
        where: ArrayLike | None = None,
        split_every: SplitEvery | None = None,
    ) -> Result:
        if split_every is not None:
            x = in_tree(x, split_every)
        if ddof is None:
            number = checked_correction(correction)
        elif correction is _UNCORRECTED:
            number = checked_correction(ddof, "ddof")
        else:
            raise ArgumentError(
                f"correction is {correction!r} and ddof {ddof!r}: two names of one number; give one of them"
            )
        target = None if dtype is None else real_dtype(dtype)
        all_flags = numbered.flags if keepdims is False else numbered.keeping(keepdims)
        return reduce_corrected_by_code(numbered.code, x, axis, all_flags, target, out, number, where)

    return _named(reduced)
