"""Who is right: a model on several engines beside the exact answers, and the distances to measure by."""

from samesum._public import publish
from samesum.compare.comparing import compare
from samesum.compare.figures import scaled_error, ulp_distance
from samesum.compare.judging import Verdict
from samesum.compare.results import Comparison

__all__ = ["Comparison", "Verdict", "compare", "scaled_error", "ulp_distance"]

publish(globals())
