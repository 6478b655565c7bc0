// Numbers beside the least normal one, rounded once to the float64 that may be subnormal.
#pragma once

#include "kernels/accumulators/factors.hpp"

namespace samesum::SAMESUM_ISA {

// (hi + lo) * 2^exponent, of words from 2^-1 to 2^9 that are not zero and exponents from -1100 to -1000.
// (Lemma 12)
SAMESUM_INLINE Doubles rounded_gradually(Doubles hi, Doubles lo, Longs exponent) {
    constexpr std::int64_t least_subnormal = -1074, half_way = 540;
    Doubles s, t;
    two_sum(hi, lo, s, t);
    const Longs unit_field = least_subnormal - exponent + field_bias;
    const Doubles unit = reinterpret_cast<Doubles>(unit_field << fraction_bits), normal = unit * 0x1p52;
    const Doubles shift = with_sign_of(s, normal), near = (s + shift) - shift;
    // Only what is a tie without its low word can be moved by it.
    const Longs is_tie = (samesum::SAMESUM_ISA::magnitude(s - near) == unit * 0.5) & (t != 0);
    const Doubles subnormal = is_tie ? s + with_sign_of(t, unit * 0.5) : near;
    const Doubles rounded = with_sign_of(s, samesum::SAMESUM_ISA::magnitude(s) < normal ? subnormal : s);
    // Both steps are exact.
    return rounded * 0x1p-540 *
           reinterpret_cast<Doubles>((exponent + (half_way + field_bias)) << fraction_bits);
}

}  // namespace samesum::SAMESUM_ISA
