"""What `samesum stats` says beside its figures, on standard error."""

from __future__ import annotations

import sys

from samesum.cli.show import printable

_UNITS = ("bytes", "kB", "MB", "GB", "TB")


def note(text: str) -> None:
    """One line on standard error."""
    print("samesum:", printable(text), file=sys.stderr)


def throughput(tensors: int, count: int, seconds: float) -> str:
    """How much was read, and how fast."""
    speed = f", {size_text(count / seconds)}/s" if seconds > 0 and count else ""
    return f"{tensors} tensor{'' if tensors == 1 else 's'}, {size_text(count)} in {seconds:.2f} s{speed}"


def size_text(count: float) -> str:
    """Bytes with a decimal unit."""
    place = 0
    while count >= 1000 and place < len(_UNITS) - 1:
        count, place = count / 1000, place + 1
    return f"{count:.0f} {_UNITS[0]}" if place == 0 else f"{count:.3g} {_UNITS[place]}"
