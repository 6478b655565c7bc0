"""docs/conformance.md tells of every suite, and its result is of these suites."""

from __future__ import annotations

import re
from pathlib import Path

from samesum.conformance.suites.catalogue import SUITES

PAGE = (Path(__file__).resolve().parent.parent / "docs" / "conformance.md").read_text(encoding="utf-8")


def test_every_suite_is_described_with_its_size() -> None:
    described = dict(re.findall(r"^\| `([a-z-]+)` \| (\d+(?: and more)?) \|", PAGE, re.MULTILINE))
    assert list(described) == list(SUITES)
    for name, said in described.items():
        count = len(list(SUITES[name].cases()))
        number = int(said.partition(" ")[0])
        assert count == number or (said.endswith("more") and count > number), (name, said, count)


def test_the_result_has_a_line_for_each_suite() -> None:
    _, _, table = PAGE.partition("| suite | samesum ")
    assert re.findall(r"^\| ([a-z-]+) \| \d", table, re.MULTILINE) == [*SUITES, "all"]
