"""What every test may rely on: slow tests wait for `-m slow`, threads are restored, hypothesis has no clock.

`--most-skipped N` fails a run that skips more than N tests; `--hypothesis-profile drawn` draws new examples."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from hypothesis import settings

from samesum import _core

settings.register_profile("samesum", deadline=None, derandomize=True, print_blob=True)
settings.register_profile("drawn", deadline=None, derandomize=False, print_blob=True, max_examples=1000)
settings.load_profile("samesum")


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--most-skipped", type=int, metavar="N", help="fail if more than N tests are skipped")


def pytest_sessionfinish(session: pytest.Session) -> None:
    """Only the process that collects the reports of all workers has a terminal that counts them."""
    most, terminal = (
        session.config.getoption("--most-skipped"),
        session.config.pluginmanager.getplugin("terminalreporter"),
    )
    if most is None or terminal is None or hasattr(session.config, "workerinput"):
        return
    skipped = len(terminal.stats.get("skipped", ()))
    if skipped > most:
        terminal.write_line(f"{skipped} tests were skipped; --most-skipped allows {most}", red=True)
        session.exitstatus = pytest.ExitCode.TESTS_FAILED


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
