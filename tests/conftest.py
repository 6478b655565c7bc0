"""What every test may rely on: slow tests wait for `-m slow`, threads are restored, hypothesis has no clock."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from hypothesis import settings

from samesum import _core

settings.register_profile("samesum", deadline=None, derandomize=True, print_blob=True)
settings.load_profile("samesum")


def pytest_configure(config: pytest.Config) -> None:
    config.option.markexpr = config.option.markexpr or "not slow"


@pytest.fixture
def restored_threads() -> Iterator[None]:
    """The number of threads is what it was, whatever the test sets."""
    before = _core.get_num_threads()
    yield
    _core.set_num_threads(before)


@pytest.fixture(params=_core.instruction_sets())
def each_instruction_set(request: pytest.FixtureRequest) -> Iterator[str]:
    """The test runs once for every instruction set of this machine."""
    before = _core.instruction_set()
    _core.set_instruction_set(request.param)
    yield request.param
    _core.set_instruction_set(before)
