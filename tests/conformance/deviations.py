"""What other suites expect and samesum gives otherwise, each with the reason and with what it gives instead."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Deviation:
    """`gives` are the values that hold here, flat; they differ from those that the vector expects."""

    reason: str
    gives: tuple[int, ...]


_WRAPS = (
    "ONNX Runtime saturates integers; the standard is silent, and here they wrap modulo 2^k (NUMERICS.md, section 1)"
)

DEVIATIONS = {
    "reduction_ops_test/ReduceL1_int32_INT_MIN": Deviation(_WRAPS, (-(2**31),)),
    "reduction_ops_test/ReduceL1_int32_summation_overflow": Deviation(_WRAPS, (3 * 10**9 - 2**32,)),
    "reduction_ops_test/ReduceL2_int32_INT_MIN": Deviation(_WRAPS, (-(2**31),)),
    "reduction_ops_test/ReduceSum_int32_Overflow_Saturates": Deviation(_WRAPS, (33 * 10**8 - 2**32,)),
    "reduction_ops_test/ReduceSum_int32_NegativeOverflow_Saturates": Deviation(_WRAPS, (2**32 - 33 * 10**8,)),
    "reduction_ops_test/ReduceSum_int64_Overflow_Saturates": Deviation(_WRAPS, (12 * 10**18 - 2**64,)),
    "reduction_ops_test/ReduceProd_int32_Overflow_Saturates": Deviation(_WRAPS, (10**15 % 2**32 - 2**32,)),
    "reduction_ops_test/ReduceProd_int32_NegativeOverflow_Saturates": Deviation(_WRAPS, (-(10**15) % 2**32,)),
    "reduction_ops_test/ReduceSumSquare_int32_Overflow_Saturates": Deviation(_WRAPS, (5 * 10**9 - 2**32,)),
    "reduction_ops_test/ReduceLogSumExp_int32_Saturation": Deviation(
        "2^31 + 0.1 truncated toward zero does not fit in int32: ONNX Runtime saturates, here it wraps", (-(2**31),)
    ),
}
"""By the id of the vector. Each of them is tried; one that no longer deviates fails the run."""
