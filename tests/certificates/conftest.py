"""The largest quotient of error and bound for each certificate, in a table after the run."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from quotients import Quotients
from samesum import _core

WITHOUT_HOOKS = {"test_polynomials.py", "test_softmax_error.py"}
"""What needs no bound from the core."""
PROPERTY = "largest quotient of error and bound"


@pytest.fixture
def measured(record_property: Callable[[str, object], None]) -> Callable[[str, Quotients], None]:
    """Records what a certificate was measured at, and asserts that no error is as large as its bound."""

    def measure(name: str, found: Quotients) -> None:
        record_property(PROPERTY, [name, found.largest, found.count, found.exact])
        assert found.count, f"{name}: nothing was measured"
        assert found.largest < 1, f"{name}: an error is {found.largest} of its bound\n{found.where}"

    return measure


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    if hasattr(_core, "certified_states"):
        return
    for item in items:
        if item.path.parent == Path(__file__).parent and item.path.name not in WITHOUT_HOOKS:
            item.add_marker(pytest.mark.skip(reason="the core shows its bounds where SAMESUM_TEST_HOOKS is on"))


def pytest_terminal_summary(terminalreporter: Any) -> None:
    rows: dict[str, list[tuple[float, int, int]]] = {}
    for reports in terminalreporter.stats.values():
        for report in (report for report in reports if getattr(report, "when", "") == "call"):
            for key, value in report.user_properties:
                if key == PROPERTY:
                    rows.setdefault(value[0], []).append(tuple(value[1:]))
    if rows:
        terminalreporter.section("largest quotients of error and bound, number of bounds, and how many are zero")
        for name, found in sorted(rows.items()):
            largest, counts, exact = zip(*found, strict=True)
            terminalreporter.write_line(f"{name:45} {max(largest):7.3f} {sum(counts):9} {sum(exact):9}")
