"""Who is right, for one operator: `judge` an answer beside the exact one, `assert_fair` in tests."""

from samesum._public import publish
from samesum.testing.judging import Judgement, assert_fair, judge

__all__ = ["Judgement", "assert_fair", "judge"]

publish(globals())
