"""A bar on standard error, if that is a terminal."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager

Step = Callable[[str], AbstractContextManager[None]]
"""Names a step while it lasts; the bar goes on when it has ended."""


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
