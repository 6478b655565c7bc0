"""Loops inside tests take every case and name the one that fails; the shares of a run are all of it."""

from __future__ import annotations

import inspect
from collections.abc import Iterator
from pathlib import Path
from types import SimpleNamespace

import pytest

from naming import looped
from samesum import _core


def test_every_case_is_taken_with_what_the_test_is_given() -> None:
    taken: list[tuple[int, str, str]] = []

    @looped("number, word", [(1, "a"), (2, "b")])
    @looped("more", "xy")
    def test(number: int, word: str, more: str, given: str) -> None:
        assert given == "fixture"
        taken.append((number, word, more))

    assert list(inspect.signature(test).parameters) == ["given"]
    test(given="fixture")
    assert taken == [(1, "a", "x"), (1, "a", "y"), (2, "b", "x"), (2, "b", "y")]


def test_a_failure_names_its_case() -> None:
    @looped("number", [3, 4, 5])
    @looped("word", ["a", "b"])
    def test(number: int, word: str) -> None:
        assert (number, word) != (4, "b")

    with pytest.raises(AssertionError) as caught:
        test()
    assert caught.value.__notes__ == ["case: word=b", "case: number=4"]


def test_a_case_that_is_skipped_leaves_the_others() -> None:
    taken = []

    @looped("number", [1, 2, 3])
    def test(number: int, least: int) -> None:
        if number < least:
            pytest.skip(f"{number}")
        taken.append(number)

    test(least=3)
    assert taken == [3]
    with pytest.raises(pytest.skip.Exception, match="1"):
        test(least=4)


def test_no_cases_and_other_names_are_mistakes() -> None:
    def test(number: int) -> None: ...

    with pytest.raises(AssertionError, match="nothing would be tested"):
        looped("number", [])(test)
    with pytest.raises(AssertionError, match="does not take letter"):
        looped("letter", "a")(test)


def test_each_test_is_in_one_share(request: pytest.FixtureRequest) -> None:
    conftest = request.config.pluginmanager.get_plugin(str(Path(__file__).parent / "conftest.py"))
    names = [f"tests/test_{i}.py::test[{i * i}]" for i in range(300)]
    found, left_out = [], []
    for part in range(1, 11):
        items = [SimpleNamespace(nodeid=name) for name in names]
        hook = SimpleNamespace(pytest_deselected=lambda items: left_out.append(len(items)))
        config = SimpleNamespace(getoption=lambda _, part=part: conftest.share(f"{part}/10"), hook=hook)
        conftest.pytest_collection_modifyitems(config, items)
        assert len(items) == 30
        assert left_out[-1] == len(names) - len(items)
        found += [item.nodeid for item in items]
    assert sorted(found) == sorted(names)
    for text in ("0/10", "11/10"):
        with pytest.raises(ValueError, match="there is no part"):
            conftest.share(text)


@pytest.fixture
def seen() -> Iterator[list[str]]:
    found: list[str] = []
    yield found
    assert found == list(_core.instruction_sets())


def test_a_body_runs_on_each_instruction_set(each_instruction_set: str, seen: list[str]) -> None:
    assert _core.instruction_set() == each_instruction_set
    seen.append(each_instruction_set)
