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
    LINES = "lines"
    """It normalizes along the last axis, with a weight and a bias for each element of a line where it has them."""
    GROUPS = "groups"
    """It normalizes groups of channels, which are axis 1, with a weight and a bias for each channel."""
    CHANNELS = "channels"
    """It normalizes each channel by a mean and a variance that are given."""
    IMAGES = "images"
    """It reduces images to one element, which keeps their axes."""
    WINDOWS = "windows"
    """It reduces windows of images."""
    LABELS = "labels"
    """It reduces the rows that have the same label."""


NORMS = (Kind.LINES, Kind.GROUPS, Kind.CHANNELS)
# What is made of reductions, as the layers of a network are.
LAYERS = (*NORMS, Kind.IMAGES, Kind.WINDOWS, Kind.LABELS)


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
    """`node` is the operator of ONNX, empty where it has none. Windows are two-dimensional.

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
        return self.kind in (Kind.SCAN, Kind.NORMALIZATION, Kind.ELEMENTWISE, *NORMS)

    @property
    def writes_much(self) -> bool:
        """True if the results are so many that their bytes count."""
        return self.keeps_shape or self.kind is Kind.WINDOWS

    @property
    def has_parts(self) -> bool:
        """True if it works on groups of channels, or by labels."""
        return self.kind in (Kind.GROUPS, Kind.LABELS)

    @property
    def is_along_one_axis(self) -> bool:
        """True if it works over one axis, whichever it is."""
        return self.kind in (Kind.INDEX, Kind.SCAN, Kind.NORMALIZATION, Kind.PAIRS)

    def own_axes(self, rank: int) -> tuple[int, ...] | None:
        """The only axes of an array of that rank that it works over; None if others will do. Pools take rank 4."""
        if self.kind not in LAYERS:
            return None
        return {
            Kind.LINES: (rank - 1,),
            Kind.GROUPS: tuple(range(1, rank)),
            Kind.CHANNELS: (0, *range(2, rank)),
            Kind.LABELS: (0,),
        }.get(self.kind, (2, 3))

    def takes_rank(self, rank: int) -> bool:
        """True for arrays of that rank: images have four axes, channels are the second one."""
        if self.kind in (Kind.IMAGES, Kind.WINDOWS):
            return rank == 4
        return rank >= 2 or self.kind not in (Kind.GROUPS, Kind.CHANNELS)

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
        """True for sums of the elements as they are, whose terms may cancel, and for what is made of these."""
        return self.name in _LINEAR

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
        has_real = (Kind.NORMALIZATION, Kind.ELEMENTWISE, *LAYERS)
        is_real = self.kind in has_real or self.name == "cumulative_logsumexp"
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
    Operator("layer_norm", "LayerNormalization", Kind.LINES),
    Operator("rms_norm", "RMSNormalization", Kind.LINES),
    Operator("l2_normalization", "LpNormalization", Kind.LINES),
    Operator("group_norm", "GroupNormalization", Kind.GROUPS),
    Operator("batch_norm", "BatchNormalization", Kind.CHANNELS),
    Operator("global_average_pool", "GlobalAveragePool", Kind.IMAGES),
    Operator("average_pool", "AveragePool", Kind.WINDOWS),
    Operator("max_pool", "MaxPool", Kind.WINDOWS),
    Operator("l2_pool", "LpPool", Kind.WINDOWS),
    Operator("scatter_sum", "ScatterND", Kind.LABELS),
    Operator("scatter_max", "ScatterND", Kind.LABELS),
    Operator("segment_sum", "ScatterND", Kind.LABELS),
    Operator("segment_mean", "", Kind.LABELS),
)
_CENTRED = ("layer_norm", "group_norm", "batch_norm")
_LINEAR = frozenset(
    ("sum", "mean", "cumulative_sum", "vecdot", *_CENTRED, "global_average_pool", "average_pool")
    + ("scatter_sum", "segment_sum", "segment_mean")
)

# Of `pow`, rounded to the type of the data.
EXPONENT = 1.7
# Of normalizations.
EPSILON = 1e-5
# By name, in the order of the tables.
OPERATORS = {row.name: row for row in _ROWS}
