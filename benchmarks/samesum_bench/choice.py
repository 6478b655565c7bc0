"""Which questions a wish comes to: those of a grid, or of one array."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass, replace

from samesum_bench.cells import DTYPES, Cell, Question
from samesum_bench.data import DATA
from samesum_bench.grid import CONTIGUOUS, GRIDS, GROUPS, LABELS, LAYOUTS, WINDOWS, array, questions
from samesum_bench.operators import LAYERS, OPERATORS, Kind, Operator

QUICK = "quick"


class ChoiceError(ValueError):
    """A wish names what is not known, or what does not go together; the message says what is allowed."""


@dataclass(frozen=True, slots=True)
class Wish:
    """What is wished for: of a grid, or with `shape` of one array; empty means what is usual."""

    threads: Sequence[int]
    data: str
    operators: Sequence[str] = ()
    dtypes: Sequence[str] = ()
    grid: str | None = None
    arrays: Sequence[str] = ()
    scale: int = 1
    shape: tuple[int, ...] = ()
    axes: tuple[int, ...] = ()
    layout: str | None = None
    window: tuple[int, ...] = ()
    parts: int | None = None

    @property
    def is_quick(self) -> bool:
        """True for the grid that is taken where nothing else is wished for."""
        return not self.shape and self.grid in (None, QUICK)


def chosen_questions(wish: Wish) -> list[Question]:
    """The questions in the order in which they are put, at least one; raises ChoiceError."""
    known("operator", wish.operators, OPERATORS)
    known("dtype", wish.dtypes, DTYPES)
    known("data", [wish.data], DATA)
    if wish.shape:
        if wish.grid or wish.arrays:
            raise ChoiceError("--shape is one array instead of a grid; --grid and --array do not go with it")
        return _of_one_array(wish)
    if wish.axes or wish.layout or wish.window or wish.parts:
        options = "--axis, --layout, --window and --parts"
        raise ChoiceError(f"{options} say how the array of --shape is reduced; there is no --shape")
    return _of_a_grid(wish)


def known(what: str, names: Iterable[str], allowed: Collection[str]) -> None:
    """Raises ChoiceError unless all names are allowed."""
    for name in names:
        if name not in allowed:
            raise ChoiceError(f"there is no {what} {name!r}; allowed are {', '.join(allowed)}")


def _of_a_grid(wish: Wish) -> list[Question]:
    grid = wish.grid or QUICK
    known("grid", [grid], GRIDS)
    found = questions(grid, wish.operators or list(OPERATORS), wish.dtypes, wish.threads, wish.data, wish.scale)
    known("array", wish.arrays, {question.cell.name: None for question in found})
    left = [question for question in found if not wish.arrays or question.cell.name in wish.arrays]
    if not left:
        raise ChoiceError("nothing is left to measure by --grid, --op, --dtype and --array together")
    return left


def _of_one_array(wish: Wish) -> list[Question]:
    known("layout", [wish.layout or CONTIGUOUS], LAYOUTS)
    axes = _checked_axes(wish.axes, len(wish.shape))
    cell = array(wish.shape, axes or tuple(range(len(wish.shape))), wish.layout or CONTIGUOUS)
    found = []
    for name in wish.operators or ["sum"]:
        suiting = _suiting(cell, OPERATORS[name], wish, bool(axes))
        for dtype in wish.dtypes or ["float32"]:
            if not OPERATORS[name].takes(dtype):
                raise ChoiceError(f"{name} is not measured on {dtype}")
            found += [Question(name, dtype, suiting, count, wish.data) for count in wish.threads]
    return found


def _suiting(cell: Cell, operator: Operator, wish: Wish, is_fixed: bool) -> Cell:
    """The cell, over the axes that the operator needs if none is fixed, in the windows or parts that it needs."""
    rank = len(cell.shape)
    if not operator.takes_rank(rank):
        needed = (
            "images, whose shape has four numbers" if operator.own_axes(4) == (2, 3) else "channels, the second axis"
        )
        raise ChoiceError(f"{operator.name} needs {needed}; --shape has {rank}")
    own = operator.own_axes(rank) or (cell.axes if cell.suits(operator) else (rank - 1,))
    if is_fixed and own != cell.axes:
        wanted = "one axis" if operator.kind not in LAYERS else f"axis {', '.join(map(str, own))}"
        raise ChoiceError(f"{operator.name} works along {wanted}; --axis names {', '.join(map(str, cell.axes))}")
    usual = GROUPS if operator.kind is Kind.GROUPS else LABELS
    parts = (wish.parts or usual) if operator.has_parts else 0
    if operator.kind is Kind.GROUPS and cell.shape[1] % parts:
        raise ChoiceError(
            f"{operator.name} needs equal groups; --shape has {cell.shape[1]} channels for {parts} groups"
        )
    window = _window(wish, cell.shape) if operator.kind is Kind.WINDOWS else ()
    return replace(cell, axes=own, parts=parts, window=window)


def _window(wish: Wish, shape: tuple[int, ...]) -> tuple[int, ...]:
    """Length, stride and padding; without a stride the windows lie side by side."""
    given = wish.window or WINDOWS["halves"]
    window = (*given, *(given[0], 0)[len(given) - 1 :])
    length, stride, padding, *more = window
    if more or stride < 1 or not 0 <= padding < length <= min(shape[2:]) + 2 * padding:
        found = ",".join(map(str, given))
        raise ChoiceError(
            f"--window is {found} for images of {shape[2]} x {shape[3]}; allowed are a length, a stride above 0 and a "
            "padding below the length, so that a window fits into the images"
        )
    return window


def _checked_axes(axes: Sequence[int], rank: int) -> tuple[int, ...]:
    for axis in axes:
        if not -rank <= axis < rank:
            raise ChoiceError(f"--axis {axis} is out of range for an array of {rank} dimensions")
    if len({axis % rank for axis in axes}) != len(axes):
        raise ChoiceError(f"--axis names an axis twice: {', '.join(map(str, axes))}")
    return tuple(sorted(axis % rank for axis in axes))
