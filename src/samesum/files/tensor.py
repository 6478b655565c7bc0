"""A named tensor in a file: its type and shape are known, its elements come as boxes of bounded size."""

from __future__ import annotations

import io
import itertools
import math
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Protocol

import numpy as np

from samesum.errors import AttributeValueError, DtypeError
from samesum.files.source import WINDOW, Source, windows
from samesum.formats.arrays import NDArray, type_name
from samesum.formats.elements import OF_FILES, Element, decoded, names

Ranges = tuple[tuple[int, int], ...]
Opener = Callable[[], AbstractContextManager[IO[bytes]]]
_BYTE = Element("byte", np.dtype(np.uint8), 8)


@dataclass(frozen=True, slots=True)
class Box:
    """A part of a tensor: from where to where it lies along each axis, and its elements in that shape.

    A box of a tensor that is read flat has one axis. The array holds until the next box is asked for.
    """

    ranges: Ranges
    array: NDArray


class Tensor(Protocol):
    """What every reader yields. `nbytes` are those in the file."""

    @property
    def name(self) -> str: ...
    @property
    def file(self) -> str: ...
    @property
    def element(self) -> Element: ...
    @property
    def shape(self) -> tuple[int, ...]: ...
    @property
    def nbytes(self) -> int: ...

    def boxes(self, is_flat: bool, window: int = WINDOW, read: int = 0) -> Iterator[Box]:
        """The elements behind the first `read` ones, in boxes of about `window` bytes; flat ones are of rank 1.

        Flat boxes follow the file's order. Raises AttributeValueError if no box begins behind so many elements.
        """


@dataclass(frozen=True, slots=True)
class Skipped:
    """A tensor whose elements are not numbers that samesum knows. `kind` is its type, in the words of the format.

    `stored` are its bytes, a tensor of uint8; None where the file does not tell where they lie.
    """

    name: str
    file: str
    reason: str
    kind: str
    shape: tuple[int, ...] | None = None
    stored: StreamTensor | None = None


@dataclass(frozen=True, slots=True)
class Contents:
    """What a file holds, in its order. `beside` are the other files in which elements lie."""

    tensors: tuple[Tensor, ...]
    skipped: tuple[Skipped, ...] = ()
    beside: tuple[Path, ...] = ()


def contents(found: Iterable[Tensor | Skipped], beside: Iterable[Path] = ()) -> Contents:
    """What was found, told apart."""
    tensors: list[Tensor] = []
    skipped: list[Skipped] = []
    for each in found:
        if isinstance(each, Skipped):
            skipped.append(each)
        else:
            tensors.append(each)
    return Contents(tuple(tensors), tuple(skipped), tuple(dict.fromkeys(beside)))


class Names:
    """Names that are there once: one that comes again gets a number."""

    def __init__(self) -> None:
        self._counts: dict[str, int] = {}

    def __contains__(self, name: str) -> bool:
        return name in self._counts

    def unique(self, name: str) -> str:
        """The name itself the first time."""
        found = name
        while found in self._counts:
            self._counts[name] += 1
            found = f"{name}'{self._counts[name]}"
        self._counts[found] = 1
        return found


@dataclass(frozen=True, slots=True)
class StreamTensor:
    """A tensor whose elements follow one another in a stream.

    `is_fortran` says that its first axis is the contiguous one, `is_swapped` that its elements are big-endian. `stored`
    are the bytes of elements that a stream makes of them.
    """

    name: str
    file: str
    element: Element
    shape: tuple[int, ...]
    opened: Opener
    is_fortran: bool = False
    is_swapped: bool = False
    stored: StreamTensor | None = None

    @property
    def nbytes(self) -> int:
        """The bytes of all elements."""
        return bytes_of(self.element, math.prod(self.shape))

    def boxes(self, is_flat: bool, window: int = WINDOW, read: int = 0) -> Iterator[Box]:
        """The elements in the file's order. Raises ModelError where the file ends too early."""
        shape = self.shape[::-1] if self.is_fortran else self.shape
        if is_flat:
            shape = (math.prod(shape),)
        with self.opened() as stream:
            places = tuple_of_ranges(shape, max(1, 8 // self.element.bits, window * 8 // self.element.bits // 8 * 8))
            counts = [math.prod(end - begin for begin, end in ranges) for ranges in places]
            self._check_bytes(counts)
            first = boxes_behind(counts, read, self)
            sizes = [bytes_of(self.element, count) for count in counts]
            _skip(stream, sum(sizes[:first]))
            arrays = windows(stream, sizes[first:], f"{self.name!r} in {self.file}")
            for ranges, count, raw in zip(places[first:], counts[first:], arrays, strict=True):
                box = self._decoded(raw, count).reshape([end - begin for begin, end in ranges])
                yield Box(ranges[::-1], box.transpose()) if self.is_fortran and not is_flat else Box(ranges, box)

    @contextmanager
    def in_file(self) -> Iterator[tuple[int, int] | None]:
        """The descriptor of a regular file and where the elements begin; None if they do not lie there as they are."""
        with self.opened() as stream:
            is_file = isinstance(stream, io.BufferedReader) and isinstance(stream.raw, io.FileIO)
            yield (
                (stream.fileno(), stream.tell()) if is_file and not self.is_swapped and self.element.bits >= 8 else None
            )

    def _check_bytes(self, counts: Sequence[int]) -> None:
        if any(count * self.element.bits % 8 for count in counts[:-1]):
            raise DtypeError(
                f"{self.name!r} in {self.file}: rows of {self.element.name} do not begin at whole bytes; "
                "allowed are figures of the whole tensor"
            )

    def _decoded(self, raw: NDArray, count: int) -> NDArray:
        if self.is_swapped and self.element.bits > 8:
            return raw.view(f"u{self.element.bits // 8}").byteswap().view(self.element.dtype)
        return decoded(raw, self.element, (count,))


def from_source(name: str, path: Path, source: Source) -> Tensor | Skipped:
    """The tensor of a NumPy file or of a .pb file."""
    dtype = source.dtype
    if type_name(dtype) not in OF_FILES:
        stored = bytes_at(name, path, source.opened, source.nbytes)
        kind = f"{dtype} in Fortran order" if source.is_fortran else str(dtype)
        return Skipped(
            name, str(path), f"its dtype is {dtype}; allowed are {names(OF_FILES)}", kind, source.shape, stored
        )
    element = Element(dtype.name, dtype.newbyteorder("="), 8 * dtype.itemsize)
    is_swapped = not dtype.isnative
    return StreamTensor(name, str(path), element, source.shape, source.opened, source.is_fortran, is_swapped)


def bytes_at(name: str, path: Path, opened: Opener, count: int) -> StreamTensor:
    """So many bytes of a file as a tensor of uint8."""
    return StreamTensor(name, str(path), _BYTE, (count,), opened)


def boxes_behind(counts: Iterable[int], read: int, tensor: Tensor) -> int:
    """How many boxes of so many elements each hold the first `read` ones; AttributeValueError if none ends there."""
    seen = 0
    for number, count in enumerate(itertools.chain(counts, (0,))):
        if seen == read:
            return number
        seen += count
    raise AttributeValueError(
        f"{tensor.name!r} in {tensor.file} was read up to element {read} of {math.prod(tensor.shape)}, where no part "
        "of it begins; without its state file it is read from the beginning"
    )


def _skip(stream: IO[bytes], count: int) -> None:
    """Goes on by so many bytes, by reading them where the stream has no other way."""
    if stream.seekable():
        stream.seek(count, 1)
        return
    while count and (data := stream.read(min(count, WINDOW))):
        count -= len(data)


def bytes_of(element: Element, count: int) -> int:
    """The bytes that so many elements take in a file."""
    return (count * element.bits + 7) // 8


def tuple_of_ranges(shape: tuple[int, ...], most: int) -> tuple[Ranges, ...]:
    """Boxes of at most `most` elements that follow one another in C order; none if there is no element."""
    if 0 in shape:
        return ()
    inner = [math.prod(shape[axis + 1 :]) for axis in range(len(shape))]
    cut = next((axis for axis, size in enumerate(inner) if size <= most), 0)
    if not shape:
        return ((),)
    step = max(1, most // inner[cut])
    rest = tuple((0, size) for size in shape[cut + 1 :])
    return tuple(
        (*((i, i + 1) for i in outer), (begin, min(begin + step, shape[cut])), *rest)
        for outer in itertools.product(*map(range, shape[:cut]))
        for begin in range(0, shape[cut], step)
    )
