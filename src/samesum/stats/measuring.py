"""Tensors of files as records, one pass over each."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

from samesum.errors import ArgumentError
from samesum.files.contents import open_tensors
from samesum.files.tensor import Contents, Tensor
from samesum.files.windows import WINDOW
from samesum.formats.limits import MAX_ELEMENTS
from samesum.stats.direct import from_file, reads_files
from samesum.stats.exact import Exact
from samesum.stats.histogram import Histogram
from samesum.stats.pattern import Assembly, Pattern
from samesum.stats.record import Record

_TALL_WINDOW = 1 << 24
"""Bytes of a box whose first axis is reduced: the elements of each set in it should be many."""

Seen = Callable[[int], None]
"""Is told how many bytes were read."""


def contents_of(
    paths: list[Path], *, max_bytes: int | None = None, max_elements: int = MAX_ELEMENTS
) -> dict[Path, Contents]:
    """What each file holds; the errors are those of `open_tensors`."""
    return {path: open_tensors(path, max_bytes=max_bytes, max_elements=max_elements) for path in paths}


def measured(tensor: Tensor, pattern: Pattern, *, has_histogram: bool, seen: Seen = lambda _: None) -> Record:
    """The record of a tensor, read box by box. A tensor that lacks an axis of the pattern is reduced whole.

    Raises ModelError for a file that is not what its header said, UnsafeModelError for more results than are allowed.
    """
    kept = pattern.kept(len(tensor.shape))
    axes = kept or ()
    if not axes and not has_histogram and reads_files(tensor):
        return _record(tensor, None, from_file(tensor, seen), None)
    assembly = Assembly(tensor.element.dtype, tensor.shape, axes)
    histogram = Histogram() if has_histogram else None
    for box in tensor.boxes(not axes, _TALL_WINDOW if axes and 0 not in axes else WINDOW):
        assembly.add(box)
        if histogram is not None:
            histogram.add(box.array)
        seen(box.array.nbytes * tensor.element.bits // (8 * tensor.element.dtype.itemsize))
    return _record(tensor, assembly.shape if axes else None, assembly.states(), histogram)


def _record(
    tensor: Tensor, kept: tuple[int, ...] | None, states: Sequence[Exact], histogram: Histogram | None
) -> Record:
    return Record(tensor.name, tensor.file, type_of(tensor), tensor.shape, kept, tuple(states), histogram)


def type_of(tensor: Tensor) -> str:
    """The name of the type as NumPy and ml_dtypes have it, with the bits that it has in the file."""
    element = tensor.element
    if element.bits >= 8:
        return element.dtype.name
    return f"{'int' if element.dtype.kind == 'i' else 'uint'}{element.bits}"


def check_axes(pattern: Pattern, tensors: Iterator[Tensor]) -> tuple[int, int]:
    """How many tensors have the axes of the pattern, and how many do not; ArgumentError if not one has them."""
    has = [pattern.kept(len(tensor.shape)) is not None for tensor in tensors]
    if has and not any(has):
        named = pattern.axis if pattern.channel is None else (pattern.channel,)
        raise ArgumentError(f"no tensor has the axes {list(named or ())}; {len(has)} were found")
    return sum(has), len(has) - sum(has)
