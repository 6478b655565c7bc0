"""The operators that are measured, a row each."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum


class Kind(Enum):
    """What an operator does with the axes: it drops them, works along one and keeps the shape, or has none."""

    REDUCTION = "reduction"
    INDEX = "index"
    SCAN = "scan"
    NORMALIZATION = "normalization"
    ELEMENTWISE = "element-wise"
    PAIRS = "pairs"
    """It drops an axis of two arrays."""


class Numbers(Enum):
    """What the data of an operator must be, so that the work is all there is and the result is a number."""

    ANY = "any"
    POSITIVE = "positive"
    NEAR_ONE = "near one"
    """Products stay in the range of the type."""
    NONZERO = "nonzero"
    """`all` has to look at every element."""
    ZERO = "zero"
    """`any` has to look at every element."""


@dataclass(frozen=True, slots=True)
class Operator:
    """`node` is the operator of ONNX, empty where it has none.

    Logarithms of sums are within 0.51 ulp, normalizations 0.6, others exact.
    Functions of each element are correctly rounded, but for those of float64: 0.51 ulp, powers 1.
    """

    name: str
    node: str
    kind: Kind = Kind.REDUCTION
    numbers: Numbers = Numbers.ANY
    is_exact: bool = True
    is_masked: bool = False
    """About half of the elements are chosen by a mask of the array's shape."""

    @property
    def function(self) -> str:
        """The function on arrays."""
        return self.name.removeprefix("masked_")

    @property
    def keeps_shape(self) -> bool:
        """True if there is a result for every element, so that the limit is a copy and no reading."""
        return self.kind in (Kind.SCAN, Kind.NORMALIZATION, Kind.ELEMENTWISE)

    @property
    def is_along_one_axis(self) -> bool:
        """True if it cannot work over several axes."""
        return self.kind not in (Kind.REDUCTION, Kind.ELEMENTWISE)

    @property
    def keeps_type(self) -> bool:
        """True if the results have the type of the data, whatever it is."""
        return self.function in ("min", "max", "cumulative_min", "cumulative_max", "vecdot")

    @property
    def is_mean(self) -> bool:
        """True if the results of integers are float64, rounded once."""
        return self.function in ("mean", "var", "std")

    @property
    def is_linear(self) -> bool:
        """True for sums of the elements as they are, whose terms may cancel."""
        return self.name in ("sum", "mean", "cumulative_sum", "vecdot")

    @property
    def promise(self) -> str:
        """How near samesum's results are, in ulps, as tables say it."""
        if self.is_exact:
            return "exact"
        return "0.6" if self.kind is Kind.NORMALIZATION else "1" if self.name == "pow" else "0.51"

    def takes(self, dtype: str) -> bool:
        """True if samesum has the operator for that type."""
        if dtype == "bool":
            return self.name in ("all", "any", "count_nonzero")
        is_real = self.kind in (Kind.NORMALIZATION, Kind.ELEMENTWISE) or self.name == "cumulative_logsumexp"
        return not is_real or "float" in dtype


_ROWS = (
    Operator("sum", "ReduceSum"),
    Operator("mean", "ReduceMean"),
    Operator("prod", "ReduceProd", numbers=Numbers.NEAR_ONE),
    Operator("min", "ReduceMin"),
    Operator("max", "ReduceMax"),
    Operator("l1_norm", "ReduceL1"),
    Operator("l2_norm", "ReduceL2"),
    Operator("sum_square", "ReduceSumSquare"),
    Operator("log_sum", "ReduceLogSum", numbers=Numbers.POSITIVE, is_exact=False),
    Operator("logsumexp", "ReduceLogSumExp", is_exact=False),
    Operator("var", ""),
    Operator("std", ""),
    Operator("all", "ReduceMin", numbers=Numbers.NONZERO),
    Operator("any", "ReduceMax", numbers=Numbers.ZERO),
    Operator("count_nonzero", ""),
    Operator("nansum", ""),
    Operator("masked_sum", "", is_masked=True),
    Operator("masked_mean", "", is_masked=True),
    Operator("masked_max", "", is_masked=True),
    Operator("masked_var", "", is_masked=True),
    Operator("argmin", "ArgMin", Kind.INDEX),
    Operator("argmax", "ArgMax", Kind.INDEX),
    Operator("cumulative_sum", "CumSum", Kind.SCAN),
    Operator("cumulative_prod", "CumProd", Kind.SCAN, Numbers.NEAR_ONE),
    Operator("cumulative_min", "", Kind.SCAN),
    Operator("cumulative_max", "", Kind.SCAN),
    Operator("cumulative_logsumexp", "", Kind.SCAN, is_exact=False),
    Operator("vecdot", "", Kind.PAIRS),
    Operator("softmax", "Softmax", Kind.NORMALIZATION, is_exact=False),
    Operator("log_softmax", "LogSoftmax", Kind.NORMALIZATION, is_exact=False),
    Operator("exp", "Exp", Kind.ELEMENTWISE, is_exact=False),
    Operator("log", "Log", Kind.ELEMENTWISE, Numbers.POSITIVE, is_exact=False),
    Operator("pow", "Pow", Kind.ELEMENTWISE, Numbers.POSITIVE, is_exact=False),
)

EXPONENT = 1.7
"""Of `pow`, rounded to the type of the data."""
OPERATORS = {row.name: row for row in _ROWS}
"""By name, in the order of the tables."""
