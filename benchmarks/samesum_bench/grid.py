"""The grids: which cells there are for elements of so many bytes."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import product

from samesum_bench.cells import DTYPES, Cell, Question
from samesum_bench.operators import LAYERS, OPERATORS, Kind, Operator

# Length, stride and padding along both axes.
WINDOWS = {"halves": (2, 2, 0), "same": (3, 1, 1), "strided": (3, 2, 1)}
# How many there are where nothing else is said.
GROUPS, LABELS = 32, 1000

_LINES = ((16, 197, 768), (8192, 1024), (64, 4096))
_GROUPED = ((8, 64, 56, 56), (1, 320, 64, 64))
_MAPS, _FEATURES = (32, 64, 112, 112), (8, 64, 56, 56)
_TABLE = (2**20, 64)
_LABELLED = ((_TABLE, 1000), (_TABLE, 1), ((2**24,), 1000), ((2**24,), 1), ((2**24,), 10**6), ((2**22,), 64))

_CELLS = (
    *(Cell("lines", shape, (len(shape) - 1,)) for shape in _LINES),
    *(Cell("groups", shape, (1, 2, 3), parts=GROUPS) for shape in _GROUPED),
    *(Cell("batches", shape, (0, 2, 3)) for shape in (_MAPS, _FEATURES)),
    Cell("whole_images", _MAPS, (2, 3)),
    *(
        Cell(f"windows_{name}", shape, (2, 3), window=window)
        for shape, (name, window) in product((_MAPS, _FEATURES), WINDOWS.items())
    ),
    *(Cell(f"{len(shape)}_axes_into_{count}", shape, (0,), parts=count) for shape, count in _LABELLED),
)


def layers(_: int) -> tuple[Cell, ...]:
    """Lines, groups, batches and windows as networks have them; rows and single elements with few and many labels."""
    return _CELLS


CONTIGUOUS, TRANSPOSED, STRIDED = "contiguous", "transposed", "strided"
# The cells that are one array in many sizes.
WARM, COLD, ROWS = "warm", "cold", "rows"
LAYOUTS = (CONTIGUOUS, TRANSPOSED, STRIDED)

QUICK_BYTES = 1 << 26
ODD_ELEMENTS = 1 << 20
ROW_ELEMENTS = 1 << 24
INNER_LENGTHS = (*range(1, 18), 31, 33, 127)
ROW_LENGTHS = tuple(1 << k for k in range(0, 25, 2))
# Bytes, from 1 KB to 1 GB.
SIZES = tuple(1 << k for k in range(10, 31, 2))

_SMALL = (
    Cell("rows_64_1000", (64, 1000), (1,)),
    Cell("page", (6, 12, 10, 24), (2, 3)),
    Cell("elements_32", (32,), (0,)),
)

_SHAPES = (
    Cell("flat", (2**26,), (0,)),
    Cell("square_axis_0", (8192, 8192), (0,)),
    Cell("square_axis_1", (8192, 8192), (1,)),
    Cell("middle", (64, 512, 2048), (1,)),
    Cell("rows_of_8", (2**22, 8), (1,)),
    Cell("rows_of_3", (2**22, 3), (1,)),
    Cell("columns_of_8", (8, 2**22), (0,)),
    Cell("tall_3", (10**6, 3), (0,)),
    Cell("tall_2", (2**25, 2), (0,)),
    Cell("images_2_3", (32, 64, 112, 112), (2, 3)),
    Cell("images_0_2_3", (32, 64, 112, 112), (0, 2, 3)),
    Cell("images_1", (32, 64, 112, 112), (1,)),
    Cell("transposed_axis_0", (8192, 8192), (0,), order=(1, 0)),
    Cell("transposed_axis_1", (8192, 8192), (1,), order=(1, 0)),
    Cell("transposed_middle", (64, 512, 2048), (1,), order=(2, 1, 0)),
    Cell("transposed_rows_of_8", (2**22, 8), (1,), order=(1, 0)),
    Cell("transposed_rows_of_3", (2**22, 3), (1,), order=(1, 0)),
    Cell("transposed_columns_of_8", (8, 2**22), (0,), order=(1, 0)),
    Cell("transposed_tall_3", (10**6, 3), (0,), order=(1, 0)),
    Cell("transposed_tall_2", (2**25, 2), (0,), order=(1, 0)),
    Cell("channels_last_2_3", (32, 64, 112, 112), (2, 3), order=(0, 2, 3, 1)),
    Cell("channels_last_0_2_3", (32, 64, 112, 112), (0, 2, 3), order=(0, 2, 3, 1)),
    Cell("channels_last_1", (32, 64, 112, 112), (1,), order=(0, 2, 3, 1)),
    Cell("strided_flat", (2**25,), (0,), step=2),
    Cell("strided_axis_0", (8192, 4096), (0,), step=2),
    Cell("strided_axis_1", (8192, 4096), (1,), step=2),
    *_SMALL,
)

_PRIMES = (
    Cell("prime_flat", (1048583,), (0,)),
    Cell("prime_axis_0", (1021, 1031), (0,)),
    Cell("prime_axis_1", (1021, 1031), (1,)),
    Cell("prime_middle", (101, 97, 107), (1,)),
)


_IMAGES, _COLOURS, _HEADS = (32, 256, 7, 7), (8, 3, 209, 209), (8, 8, 256, 64)

_VIEWS = (
    Cell("batch_statistics", _IMAGES, (0, 2, 3)),
    Cell("features_last_statistics", _IMAGES, (0, 2, 3), order=(0, 2, 3, 1)),
    Cell("colours_last_batch", _COLOURS, (0,), order=(0, 2, 3, 1)),
    Cell("colours_last_statistics", _COLOURS, (0, 2, 3), order=(0, 2, 3, 1)),
    Cell("heads_3", _HEADS, (3,), order=(0, 2, 1, 3)),
    Cell("heads_2", _HEADS, (2,), order=(0, 2, 1, 3)),
    Cell("permuted_lone", (1024, 1, 1024), (1,), order=(2, 1, 0)),
    Cell("permuted_1", (32, 32, 32, 32), (1,), order=(3, 1, 0, 2)),
    Cell("permuted_0_2", (32, 32, 32, 32), (0, 2), order=(3, 1, 0, 2)),
    Cell("one_channel_0", (1024, 1024), (0,), step=3),
    Cell("one_channel_1", (1024, 1024), (1,), step=3),
    Cell("every_second_of_5", (512, 409, 5), (2,), step=2),
    Cell("every_second_all", (128, 8192), (0, 1), step=2),
)


def shapes(_: int) -> tuple[Cell, ...]:
    """Flat, square, thin and short arrays, images, the same transposed, strided views, small ones."""
    return _SHAPES


def odd(_: int) -> tuple[Cell, ...]:
    """Primes, short lengths inside, as rows that are reduced and as rows that are kept, and groups of such rows."""
    reduced = [Cell(f"rows_of_{n}_inside", (ODD_ELEMENTS // n, n), (1,)) for n in INNER_LENGTHS]
    kept = [Cell(f"columns_of_{n}_inside", (ODD_ELEMENTS // n, n), (0,)) for n in INNER_LENGTHS]
    groups = [
        Cell(f"groups_of_{length}_by_{n}", (ODD_ELEMENTS // (length * n), length, n), (1,))
        for length, n in ((5, 3), (34, 3), (341, 3), (16, 2), (8, 8))
    ]
    return (*_PRIMES, *reduced, *kept, *groups)


def views(_: int) -> tuple[Cell, ...]:
    """Arrays of four axes in other orders, sets in short runs, and views that step over elements."""
    return _VIEWS


def sizes(itemsize: int) -> tuple[Cell, ...]:
    """Flat arrays of 1 KB to 1 GB, what is left of them in the cache and with the cache emptied before."""
    warm = [Cell(WARM, (size // itemsize,), (0,)) for size in SIZES]
    cold = [Cell(COLD, (size // itemsize,), (0,), is_cold=True) for size in SIZES]
    return (*warm, *cold)


def rows(_: int) -> tuple[Cell, ...]:
    """The same number of elements in rows of any length."""
    return tuple(Cell(ROWS, (ROW_ELEMENTS // n, n), (1,)) for n in ROW_LENGTHS)


def quick(itemsize: int) -> tuple[Cell, ...]:
    """The shapes that say most: beyond the cache, short rows within it, small arrays."""
    size = QUICK_BYTES // itemsize
    return (
        Cell("flat", (size,), (0,)),
        Cell("square_axis_0", (size >> 13, 1 << 13), (0,)),
        Cell("square_axis_1", (size >> 13, 1 << 13), (1,)),
        Cell("rows_of_8", (size >> 5, 8), (1,)),
        *_SMALL[1:],
    )


@dataclass(frozen=True, slots=True)
class Part:
    """Cells that belong together, and the types that they are measured with unless others are asked for.

    Cells of layers are for the operators of layers alone.
    """

    cells: Callable[[int], tuple[Cell, ...]]
    dtypes: tuple[str, ...]
    is_of_layers: bool = False

    def suits(self, cell: Cell, operator: Operator) -> bool:
        """True if the operator has a row; functions of each element have one an array, where the axis is the first."""
        is_asked = operator.kind in LAYERS or not self.is_of_layers
        return is_asked and cell.suits(operator) and (operator.kind is not Kind.ELEMENTWISE or cell.axes == (0,))


NUMBERS = tuple(name for name in DTYPES if name != "bool")
_QUICK = Part(quick, ("float32", "float16"))
_SHAPES_PART, _ODD, _VIEWS_PART = Part(shapes, NUMBERS), Part(odd, NUMBERS), Part(views, NUMBERS)
_SIZES, _ROWS = Part(sizes, ("float32",)), Part(rows, ("float32",))
_LAYERS = Part(layers, tuple(name for name in NUMBERS if "float" in name), is_of_layers=True)

# By name; `full` is all but the rows.
GRIDS: dict[str, tuple[Part, ...]] = {
    "quick": (_QUICK,),
    "full": (_SHAPES_PART, _ODD, _VIEWS_PART, _SIZES, _LAYERS),
    "shapes": (_SHAPES_PART,),
    "odd": (_ODD,),
    "views": (_VIEWS_PART,),
    "layers": (_LAYERS,),
    "sizes": (_SIZES,),
    "rows": (_ROWS,),
}


def questions(
    grid: str, operators: Sequence[str], dtypes: Sequence[str], threads: Sequence[int], data: str, scale: int = 1
) -> list[Question]:
    """What a grid asks of these operators, the whole of it for one number of threads after the other.

    Without `dtypes` each part is measured with its own, `all` and `any` with bool too.
    """
    return [
        Question(operator, dtype, cell.scaled(scale), count, data)
        for count in threads
        for part in GRIDS[grid]
        for dtype in dtypes or (*part.dtypes, "bool")
        for cell in part.cells(DTYPES[dtype].itemsize)
        for operator in operators
        if OPERATORS[operator].takes(dtype) and part.suits(cell, OPERATORS[operator])
    ]


def array(shape: tuple[int, ...], axes: tuple[int, ...], layout: str) -> Cell:
    """A cell of one's own: its axes in memory in order or in reverse order, or every second element of the last one."""
    order = tuple(reversed(range(len(shape)))) if layout == TRANSPOSED else ()
    return Cell("array", shape, axes, order, 2 if layout == STRIDED else 1)
