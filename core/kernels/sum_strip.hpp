// Prefix sums of a vector of columns in double-words, and when so few elements need none.
#pragma once

#include "kernels/certify.hpp"
#include "kernels/method.hpp"
#include "kernels/sum1.hpp"
#include "kernels/vectors.hpp"

namespace samesum::SAMESUM_ISA {

struct SumStrip {
    // Of what was rounded off `sum` the sum, and of what was rounded off that the magnitudes.
    Doubles sum, rest, lost;

    SAMESUM_INLINE void take(Doubles v) {
        Doubles error, residual;
        two_sum(sum, v, sum, error);
        two_sum(rest, error, rest, residual);
        lost += samesum::SAMESUM_ISA::magnitude(residual);
    }

    // The prefix rounded, and whether it is in doubt.
    template <Format format>
    SAMESUM_INLINE Verdict<format> verdict() const {
        using Round = Rounding<format>;
        const Doubles none = {}, known = lost * bound_slack;
        if constexpr (format == Format::f64) {
            const Doubles some = lost > 0 ? none + 0x1p-52 : none;
            const Doubles bound = known + samesum::SAMESUM_ISA::magnitude(rest) * some;
            const Doubles low = sum + (rest - bound), high = sum + (rest + bound);
            return {reinterpret_cast<Longs>(low), ~narrowed_mask(low == high)};
        } else {
            const Doubles value = sum + rest, size = samesum::SAMESUM_ISA::magnitude(value);
            const Doubles bound = rest != 0 ? known + size * 0x1p-51 : known;
            const auto low = Round::of_number(value - bound);
            const Words doubtful = Round::different(low, Round::of_number(value + bound));
            return {low, doubtful | ~narrowed_mask(known < infinity)};
        }
    }
};

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
