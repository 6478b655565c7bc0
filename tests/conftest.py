"""What every test may rely on: slow tests wait for `-m slow`, threads are restored, hypothesis has no clock.

`--most-skipped N` fails a run that skips more than N tests; `--share K/N` runs one of N parts of the tests, the same
tests in each whatever else is chosen; `--hypothesis-profile drawn` draws new examples."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from hypothesis import settings

from naming import case
from samesum import _core

settings.register_profile("samesum", deadline=None, derandomize=True, print_blob=True)
settings.register_profile("drawn", deadline=None, derandomize=False, print_blob=True, max_examples=1000)
settings.load_profile("samesum")


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--most-skipped", type=int, metavar="N", help="fail if more than N tests are skipped")

    parser.addoption("--share", type=share, metavar="K/N", help="run the Kth of N parts of the tests")


def share(text: str) -> tuple[int, int]:
    """Which part of how many: "3/10" is the third of ten."""
    part, parts = (int(number) for number in text.split("/"))
    if not 1 <= part <= parts:
        raise ValueError(f"there is no part {part} of {parts}")
    return part, parts


@pytest.hookimpl(trylast=True)  # of those that -m leaves
def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """A test's part follows from its place among the names: no part is empty if there are as many tests as parts."""
    if config.getoption("--share") is None:
        return
    part, parts = config.getoption("--share")
    chosen = set(sorted(item.nodeid for item in items)[part - 1 :: parts])
    config.hook.pytest_deselected(items=[item for item in items if item.nodeid not in chosen])
    items[:] = [item for item in items if item.nodeid in chosen]


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
    config.option.markexpr = config.option.markexpr or "not slow and not checks"


@pytest.fixture
def restored_threads() -> Iterator[None]:
    """The number of threads is what it was, whatever the test sets."""
    before = _core.get_num_threads()
    yield
    _core.set_num_threads(before)


@pytest.fixture
def restored_instruction_set() -> Iterator[str]:
    """The instruction set is what it was, whatever the test sets."""
    before = _core.instruction_set()
    yield before
    _core.set_instruction_set(before)


@pytest.fixture
def each_instruction_set(restored_instruction_set: str) -> str:
    """The test's body runs once for every instruction set of this machine; the argument is its name."""
    return restored_instruction_set


@pytest.hookimpl(tryfirst=True)
def pytest_pyfunc_call(pyfuncitem: pytest.Function) -> bool | None:
    """In one test, so that data and expected results are made once; a failure says which set it was."""
    if "each_instruction_set" not in pyfuncitem.fixturenames:
        return None
    names, threads = pyfuncitem._fixtureinfo.argnames, _core.get_num_threads()
    for name in _core.instruction_sets():
        _core.set_num_threads(threads)
        _core.set_instruction_set(name)
        arguments = pyfuncitem.funcargs | {"each_instruction_set": name}
        with case(f"instruction set {name}"):
            pyfuncitem.obj(**{argument: arguments[argument] for argument in names})
    return True
