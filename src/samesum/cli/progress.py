"""A bar on standard error, if that is a terminal."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from rich.progress import Progress, ProgressColumn

# Names a step while it lasts; the bar goes on when it has ended.
Step = Callable[[str], AbstractContextManager[None]]

# Is told how many bytes more have been read.
Bytes = Callable[[int], None]


@contextmanager
def transfer(total: int, name: str) -> Iterator[Bytes]:
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
def steps(total: int) -> Iterator[Step]:
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
