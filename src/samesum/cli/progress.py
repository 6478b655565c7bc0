"""A bar on standard error, if that is a terminal."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager

Step = Callable[[str], AbstractContextManager[None]]
"""Names a step while it lasts; the bar goes on when it has ended."""

Bytes = Callable[[int], None]
"""Is told how many bytes more have been read."""


@contextmanager
def transfer(total: int, name: str) -> Iterator[Bytes]:
    """A bar for so many bytes, with the speed."""
    from rich.console import Console
    from rich.progress import BarColumn, DownloadColumn, Progress, TextColumn, TimeRemainingColumn, TransferSpeedColumn

    console = Console(stderr=True)
    columns = (
        TextColumn("{task.description}"),
        BarColumn(),
        DownloadColumn(),
        TransferSpeedColumn(),
        TimeRemainingColumn(),
    )
    with Progress(*columns, console=console, transient=True, disable=not console.is_terminal) as progress:
        bar = progress.add_task(name, total=total)
        yield lambda count: progress.advance(bar, count)


@contextmanager
def steps(total: int) -> Iterator[Step]:
    """A bar for so many steps."""
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

    console = Console(stderr=True)
    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeRemainingColumn())
    with Progress(*columns, console=console, transient=True, disable=not console.is_terminal) as progress:
        bar = progress.add_task("", total=total)

        @contextmanager
        def step(name: str) -> Iterator[None]:
            progress.update(bar, description=name)
            yield
            progress.advance(bar)

        yield step
