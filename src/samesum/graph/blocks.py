"""A shape cut into blocks that stay in the cache."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import product

from samesum.formats.arrays import NDArray

Block = tuple[slice, ...]
"""One slice for each axis."""

_ALL = slice(None)


@dataclass(frozen=True, slots=True)
class Grid:
    """The blocks of a shape: `cuts[axis]` are the pieces of an axis, in order."""

    cuts: tuple[tuple[slice, ...], ...]

    def groups(self, axes: tuple[int, ...]) -> Iterator[Block]:
        """Every place of a block along the other axes; those in `axes` are whole."""
        return product(*((_ALL,) if axis in axes else cuts for axis, cuts in enumerate(self.cuts)))

    def pieces(self, group: Block, axes: tuple[int, ...]) -> Iterator[Block]:
        """The blocks of a group, in the order of their elements along `axes`."""
        return product(*(cuts if axis in axes else (group[axis],) for axis, cuts in enumerate(self.cuts)))


def grid(shape: tuple[int, ...], most: int) -> Grid:
    """Blocks of at most `most` elements: whole along the last axes, pieces of one, single along the first ones."""
    cuts, room = [], most
    for size in reversed(shape):
        pieces = min(size, -(-size // max(room, 1)))
        length = -(-size // pieces)
        cuts.append(tuple(slice(start, min(start + length, size)) for start in range(0, size, length)))
        room = room // size if pieces == 1 else 0
    return Grid(tuple(reversed(cuts)))


def shape_of(block: Block) -> tuple[int, ...]:
    """The shape of a block, every axis of which has a start and a stop."""
    return tuple(place.stop - place.start for place in block)


def part(array: NDArray, block: Block) -> NDArray:
    """The part of an array that broadcasts to the shape of the blocks."""
    places = block[len(block) - array.ndim :]
    return array[tuple(_ALL if size == 1 else place for size, place in zip(array.shape, places, strict=True))]


def kept_part(block: Block, axes: tuple[int, ...]) -> Block:
    """Where the results of a block lie, in the shape that has the reduced axes with one element."""
    return tuple(_ALL if axis in axes else place for axis, place in enumerate(block))
