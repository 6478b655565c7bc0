"""What a command of `samesum` leaves behind, as the tests of the command line see it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent.parent


@dataclass(frozen=True)
class Done:
    """The exit status and what was printed."""

    status: int
    out: str
    err: str


Command = Callable[..., Done]
