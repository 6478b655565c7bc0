"""Which of the core's ways a call takes: how elements come to its methods, and which methods decide the results."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from samesum import _core


def routes_taken(call: Callable[[], Any]) -> dict[str, int]:
    """How often each way was taken within `call`, of those that were; the ways called `method.` count results.

    Calls of other threads at the same time are counted, too.

    >>> import samesum as ss
    >>> routes_taken(lambda: ss.sum([1.5, 2.5]))
    {'reduce.direct': 1, 'tile.short_lanes': 1, 'method.double_words_few': 1}
    """
    before = _core.routes()
    call()
    after = _core.routes()
    return {name: count - before[name] for name, count in after.items() if count != before[name]}


def route_meanings() -> dict[str, str]:
    """What each way does, by its name, in the order in which they are tried.

    >>> route_meanings()["reduce.packed"]
    'small sets that are copied side by side'
    """
    return _core.route_meanings()
