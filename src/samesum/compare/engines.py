"""The engines of a comparison, by name or as objects."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from samesum.errors import AttributeValueError
from samesum.runtimes.catalogue import ENGINES, Custom, maker, started
from samesum.runtimes.remote import Remote
from samesum.runtimes.runtime import Runtime

SECONDS = 600.0
"""How long an engine in a process of its own may take for one answer."""


def made(engines: Sequence[Any], isolated: bool) -> list[tuple[str, Runtime]]:
    """Each engine with the name that results call it by.

    A string is one of ENGINES or a class as `module:Class`; anything else is a class or an object with
    `run(model, feeds, wanted)`. `isolated` ones run in processes of their own, which need a name.
    Raises AttributeValueError for another name, BackendError for an engine that does not start, MissingPackage for one
    that is not installed.
    """
    found: list[tuple[str, Runtime]] = []
    try:
        for each in engines:
            name = each if isinstance(each, str) else _name(each)
            if name in [known for known, _ in found]:
                raise AttributeValueError(f"the engine {name!r} is given twice")
            found.append((name, _made(each, name, isolated)))
    except BaseException:
        close([runtime for _, runtime in found])
        raise
    return found


def _made(engine: Any, name: str, isolated: bool) -> Runtime:
    if not isinstance(engine, str):
        return Custom(name, engine)
    if engine not in ENGINES and ":" not in engine:
        known = ", ".join(ENGINES)
        raise AttributeValueError(f"there is no engine {engine!r}; allowed are {known} and a class as module:Class")
    return started(engine, SECONDS) if isolated else maker(engine)()


def _name(engine: Any) -> str:
    said = getattr(engine, "name", None)
    if isinstance(said, str):
        return said
    kind = engine if isinstance(engine, type) else type(engine)
    return kind.__name__


def close(runtimes: Sequence[Runtime]) -> None:
    """Ends the processes of those that have one."""
    for runtime in runtimes:
        if isinstance(runtime, Remote):
            runtime.close()
