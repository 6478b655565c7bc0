"""The cells of what networks and tables make of reductions: normalizations, pools, scatters, segments."""

from __future__ import annotations

from itertools import product

from samesum.bench.cells import Cell

WINDOWS = {"halves": (2, 2, 0), "same": (3, 1, 1), "strided": (3, 2, 1)}
"""Length, stride and padding along both axes."""
GROUPS, LABELS = 32, 1000
"""How many there are where nothing else is said."""

_LINES = ((16, 197, 768), (8192, 1024), (64, 4096))
_GROUPED = ((8, 64, 56, 56), (1, 320, 64, 64))
_IMAGES, _FEATURES = (32, 64, 112, 112), (8, 64, 56, 56)
_ROWS = (2**20, 64)
_LABELLED = ((_ROWS, 1000), (_ROWS, 1), ((2**24,), 1000), ((2**24,), 1), ((2**24,), 10**6), ((2**22,), 64))

_CELLS = (
    *(Cell("lines", shape, (len(shape) - 1,)) for shape in _LINES),
    *(Cell("groups", shape, (1, 2, 3), parts=GROUPS) for shape in _GROUPED),
    *(Cell("batches", shape, (0, 2, 3)) for shape in (_IMAGES, _FEATURES)),
    Cell("whole_images", _IMAGES, (2, 3)),
    *(
        Cell(f"windows_{name}", shape, (2, 3), window=window)
        for shape, (name, window) in product((_IMAGES, _FEATURES), WINDOWS.items())
    ),
    *(Cell(f"{len(shape)}_axes_into_{count}", shape, (0,), parts=count) for shape, count in _LABELLED),
)


def layers(_: int) -> tuple[Cell, ...]:
    """Lines, groups, batches and windows as networks have them; rows and single elements with few and many labels."""
    return _CELLS
