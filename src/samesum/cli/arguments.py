"""Types of arguments, so that a wrong one is refused with the name of its option before anything is done."""

from __future__ import annotations

import sys
from argparse import ArgumentTypeError, Namespace
from collections.abc import Callable, Iterable, Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar

from samesum.cli.show import UsageError

if TYPE_CHECKING:
    from rich.progress import Progress, ProgressColumn

# A bar on standard error, if that is a terminal.

# Names a step while it lasts; the bar goes on when it has ended.
_Step = Callable[[str], AbstractContextManager[None]]

# Is told how many bytes more have been read.
_Bytes = Callable[[int], None]


@contextmanager
def transfer(total: int, name: str) -> Iterator[_Bytes]:
    """A bar for so many bytes, with the speed. Without a terminal rich is not even imported."""
    if not sys.stderr.isatty():
        yield lambda _: None
        return
    from rich.progress import BarColumn, DownloadColumn, TextColumn, TimeRemainingColumn, TransferSpeedColumn

    columns = (
        TextColumn("{task.description}"),
        BarColumn(),
        DownloadColumn(),
        TransferSpeedColumn(),
        TimeRemainingColumn(),
    )
    with progress(*columns) as shown:
        bar = shown.add_task(name, total=total)
        yield lambda count: shown.advance(bar, count)


@contextmanager
def progress(*columns: str | ProgressColumn) -> Iterator[Progress]:
    """rich's own bar on standard error, if that is a terminal.

    It is not even started elsewhere: before 14.3 rich ended a disabled one with an empty line.
    """
    from rich.console import Console
    from rich.progress import Progress

    console = Console(stderr=True)
    bar = Progress(*columns, console=console, transient=True, disable=not console.is_terminal)
    with bar if console.is_terminal else nullcontext():
        yield bar


@contextmanager
def steps(total: int) -> Iterator[_Step]:
    """A bar for so many steps."""
    from rich.progress import BarColumn, MofNCompleteColumn, TextColumn, TimeRemainingColumn

    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeRemainingColumn())
    with progress(*columns) as shown:
        bar = shown.add_task("", total=total)

        @contextmanager
        def step(name: str) -> Iterator[None]:
            shown.update(bar, description=name)
            yield
            shown.advance(bar)

        yield step


Number = TypeVar("Number", int, float)


def above_zero(kind: Callable[[str], Number]) -> Callable[[str], Number]:
    """A number above 0; NaN is none."""

    def read(text: str) -> Number:
        number = _number(kind, text)
        if not number > 0:
            raise ArgumentTypeError(f"{text} is not allowed; allowed are numbers above 0")
        return number

    return read


def from_zero(kind: Callable[[str], Number]) -> Callable[[str], Number]:
    """A number from 0 on; NaN is none."""

    def read(text: str) -> Number:
        number = _number(kind, text)
        if not number >= 0:
            raise ArgumentTypeError(f"{text} is not allowed; allowed are numbers from 0 on")
        return number

    return read


def words(text: str) -> list[str]:
    """Words between commas."""
    return [part for part in text.split(",") if part]


def some_words(text: str) -> list[str]:
    """Words between commas, one at least."""
    found = words(text)
    if not found:
        raise ArgumentTypeError(f"{text!r} names nothing")
    return found


def whole_numbers(text: str) -> list[int]:
    """Whole numbers between commas or the letter x, as in 8x8."""
    return [_number(int, part) for part in text.replace("x", ",").split(",")]


def counts(text: str) -> list[int]:
    """Whole numbers above 0 between commas or the letter x."""
    numbers = whole_numbers(text)
    if min(numbers) < 1:
        raise ArgumentTypeError(f"{min(numbers)} is less than 1")
    return numbers


def new_file(text: str) -> Path:
    """A file in a folder that exists, so that it can be written at the end."""
    path = Path(text)
    if path.is_dir():
        raise ArgumentTypeError(f"{path} is a folder; a file is needed")
    if not path.parent.is_dir():
        raise ArgumentTypeError(f"{path}: there is no folder {path.parent}")
    return path


def check_new(reads: Iterable[Path | None], **writes: Path | None) -> None:
    """UsageError if the file of an option would take the place of one that the command reads."""
    there = [path for path in reads if path is not None and path.exists()]
    for option, path in writes.items():
        if path is not None and path.exists() and any(map(path.samefile, there)):
            raise UsageError(f"--{option} {path} is a file that the command reads; a new file is needed")


def goes_with(arguments: Namespace, what: str, *allowed: str) -> None:
    """UsageError for an option beside `what` that is not one of those allowed."""
    given = [
        name for name, value in vars(arguments).items() if value is not None and value is not False and value != []
    ]
    if others := [_shown(name) for name in given if name not in ("call", what.strip("-"), *allowed)]:
        raise UsageError(f"beside {what} allowed are {', '.join(map(_shown, allowed))}; got {', '.join(others)}")


def _shown(name: str) -> str:
    return _POSITIONAL.get(name) or f"--{name.replace('_', '-')}"


_POSITIONAL = {"files": "FILE", "model": "MODEL", "other": "RECORD"}

Item = TypeVar("Item")


def joined(lists: Iterable[Iterable[Item]]) -> list[Item]:
    """What several arguments list, one list after the other."""
    return [item for items in lists for item in items]


def _number(kind: Callable[[str], Number], text: str) -> Number:
    try:
        return kind(text)
    except ValueError:
        raise ArgumentTypeError(f"{text!r} is not a {'whole ' if kind is int else ''}number") from None
