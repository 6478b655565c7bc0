"""A short run of damaged files; `nox -s fuzz` is the long one."""

from __future__ import annotations

import fuzzing


def test_damaged_files_give_tensors_or_errors_in_words() -> None:
    outcome = fuzzing.run(1500, 0)
    assert outcome.findings == []
    assert sum(outcome.cases.values()) == 1500
    assert sum(outcome.refused.values()) > 700
