"""Who is right: a model on several engines beside the exact answers, and the distances to measure by."""

from samesum._public import publish
from samesum.compare.comparing import compare
from samesum.compare.records import compare_records, read_record
from samesum.compare.results import Comparison
from samesum.formats.rounding import scaled_error
from samesum.testing.figures import ulp_distance
from samesum.testing.truths import Verdict

__all__ = ["Comparison", "Verdict", "compare", "compare_records", "read_record", "scaled_error", "ulp_distance"]

publish(globals())
