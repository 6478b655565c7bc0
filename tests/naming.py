"""The cases of a loop inside a test have names, which a failure says."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from functools import wraps
from typing import Any

import pytest

SHOWN = 100
"""Characters of a value in a name."""


@contextmanager
def case(*names: object) -> Iterator[None]:
    """An error that is raised within says which case of the loop it was."""
    try:
        yield
    except BaseException as error:
        error.add_note("case: " + ", ".join(str(name)[:SHOWN] for name in names))
        raise


def looped(names: str, values: Iterable[Any]) -> Callable[[Callable[..., None]], Callable[..., None]]:
    """As pytest's `parametrize`, but in one test: what all cases share is made once. Skipped cases leave the others."""
    keys, cases = [name.strip() for name in names.split(",")], list(values)
    assert cases, f"no values for {names}: nothing would be tested"

    def decorated(test: Callable[..., None]) -> Callable[..., None]:
        @wraps(test)
        def run(**given: Any) -> None:
            skipped: list[BaseException] = []
            for value in cases:
                chosen = dict(zip(keys, value if len(keys) > 1 else [value], strict=True))
                with case(*(f"{key}={getattr(each, 'name', each)}" for key, each in chosen.items())):
                    try:
                        test(**given, **chosen)
                    except pytest.skip.Exception as reason:
                        skipped.append(reason)
            if len(skipped) == len(cases):
                raise skipped[0]

        signature = inspect.signature(test)
        left = [parameter for name, parameter in signature.parameters.items() if name not in keys]
        assert len(left) == len(signature.parameters) - len(keys), f"{test.__name__} does not take {names}"
        run.__signature__ = signature.replace(parameters=left)  # type: ignore[attr-defined]
        return run

    return decorated
