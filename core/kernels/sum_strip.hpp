// Prefix sums of a vector of columns: the rounding test, and when so few elements need none.
#pragma once

#include "kernels/certify.hpp"
#include "kernels/method.hpp"
#include "kernels/sum1.hpp"
#include "kernels/sums.hpp"
#include "kernels/vectors.hpp"

namespace samesum::SAMESUM_ISA {

// Prefix sums rounded, and which are in doubt.
template <Format format>
SAMESUM_INLINE Verdict<format> verdict(const Sums& s) {
    using Round = Rounding<format>;
    const Doubles none = {}, known = s.bound * bound_slack;
    if constexpr (format == Format::f64) {
        const Doubles some = s.bound > 0 ? none + 0x1p-52 : none;
        const Doubles most = known + samesum::SAMESUM_ISA::magnitude(s.lo) * some;
        const Doubles low = s.hi + (s.lo - most), high = s.hi + (s.lo + most);
        return {reinterpret_cast<Longs>(low), ~narrowed_mask(low == high)};
    } else {
        const Doubles value = s.hi + s.lo, size = samesum::SAMESUM_ISA::magnitude(value);
        const Doubles most = s.lo != 0 ? known + size * 0x1p-51 : known;
        const auto low = Round::of_number(value - most);
        const Words doubtful = Round::different(low, Round::of_number(value + most));
        return {low, doubtful | ~narrowed_mask(known < infinity)};
    }
}

// Whether sums of up to untangled_elements elements of a narrow format are exact in double.
template <class F>
struct ExponentSpread {
    Words least = ~Words{}, greatest = {};  // of twice the bits, without the signs

    SAMESUM_INLINE void take(Floats x) {
        const Words size = reinterpret_cast<Words>(x) << 1;
        greatest = size > greatest ? size : greatest;
        least = size - 1 < least ? size - 1 : least;  // zeros are the greatest
    }
    SAMESUM_INLINE bool is_small() const {
        constexpr std::uint32_t bits = F::format == Format::f32 ? 24 : F::format == Format::f16 ? 11 : 8;
        constexpr std::uint32_t most = (53 - bits - 4) << 24, special = 0xffu << 24;
        const Words spread = greatest - (least & special);
        return !any_bit(reinterpret_cast<Words>((spread >= most) & (least < special)) |
                        reinterpret_cast<Words>(greatest >= special));
    }
};

}  // namespace samesum::SAMESUM_ISA
