"""The matrix of `samesum compare --matrix FILE`: every operator in every situation on every installed engine."""

from __future__ import annotations

from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING

from samesum.errors import MissingPackage
from samesum.runtimes.catalogue import OTHERS

if TYPE_CHECKING:
    from collections.abc import Callable

    from samesum.runtimes.runtime import Runtime

PATIENCE = 60.0
"""Seconds for one answer."""


def installed() -> dict[str, Callable[[], Runtime]]:
    """What makes the engines whose packages are here, by name."""
    made: dict[str, Callable[[], Runtime]] = {}
    for name, make in OTHERS.items():
        with suppress(MissingPackage):
            make()
            made[name] = make
    return made


def write_matrix(path: Path) -> str:
    """Writes the file and gives one line on what it holds."""
    from samesum.conformance import matrix
    from samesum.conformance.explaining import contestants
    from samesum.conformance.explaining import matrix as explained

    matrix.checked(path)
    engines = contestants(installed(), PATIENCE)
    try:
        if len(engines) == 1:
            raise MissingPackage('there is no engine to put beside samesum; pip install "samesum[compare]"')
        found = list(explained(engines))
        versions = {each.name: each.version for each in engines}
    finally:
        for engine in engines:
            engine.close()
    matrix.write(found, versions, path)
    agreed = ", ".join(f"{name} {'{} of {}'.format(*matrix.counts(found, name))}" for name in versions)
    return f"wrote {path}: {len(found)} cases; the same answer as samesum: {agreed}"
