// Sums of elements of a narrow format, or of their magnitudes, that are exact in double: those of float16
// always, others by the least and the greatest magnitude.
#pragma once

#include "kernels/blocks/kept_grids.hpp"
#include "kernels/sums/exponent_spread.hpp"
#include "kernels/vectors/float_formats.hpp"

namespace samesum::SAMESUM_ISA {

struct NoSpread {
    SAMESUM_INLINE void take(Floats) {}
};

// Of a vector of lanes. They are integers in units of middle's last place once `middle` is added.
template <class F, Map map>
struct PlainSums {
    static_assert(F::format != Format::f64 && map != Map::square);

    static constexpr bool is_certain = F::format == Format::f16;
    static constexpr std::size_t parts = 1;
    using Spread = std::conditional_t<is_certain, NoSpread, ExponentSpread<F>>;
    // Elements of float16 are multiples of 2^-24 below 2^16.
    static constexpr std::int32_t certain_exponent = 28;

    Longs middle;
    Doubles sum;
    Spread spread;

    static SAMESUM_INLINE PlainSums at(Longs middle) { return {middle, Doubles{}, Spread{}}; }
    static SAMESUM_INLINE Doubles mapped(Doubles x) {
        return map == Map::magnitude ? samesum::SAMESUM_ISA::magnitude(x) : x;
    }

    SAMESUM_INLINE void take(const char* p) {
        const Floats x = F::floats(p);
        spread.take(x);
        sum = plus(sum, widen(map == Map::magnitude ? samesum::SAMESUM_ISA::magnitude(x) : x));
    }

    // Some bit, unless the sum is exact. (Lemma 14)
    SAMESUM_INLINE Longs failure() const {
        if constexpr (is_certain) {
            return ~(sum - sum == 0);
        } else {
            constexpr double to_least =
                1 / static_cast<double>(std::uint64_t{1} << (53 - ExponentSpread<F>::bits));
            const Doubles at = reinterpret_cast<Doubles>(middle), most = at * (1 / 3.0 * (1 - 0x1p-50));
            // The least subnormal at least, which all are multiples of.
            const Words limit = reinterpret_cast<Words>(narrowed(at * to_least + 0x1p-149)) << 1;
            const Ints is_below = reinterpret_cast<Ints>(spread.least < limit - 1);
            return ~(spread.most_of(kept_additions) < most) | __builtin_convertvector(is_below, Longs);
        }
    }
    SAMESUM_INLINE Longs part(std::size_t) const {
        return reinterpret_cast<Longs>(sum + reinterpret_cast<Doubles>(middle)) - middle;
    }
};

template <class F>
SAMESUM_INLINE ExponentSpread<F> joined(const ExponentSpread<F>& a, const ExponentSpread<F>& b) {
    return {a.least < b.least ? a.least : b.least, a.greatest > b.greatest ? a.greatest : b.greatest};
}

// The exponents with which the sums of lanes are integers; none if least > most.
struct ExponentRange {
    std::int32_t least, most;

    std::int32_t chosen(std::int32_t before) const {
        if (least <= before && before <= most) return before;
        return least + 2 < most ? least + 2 : most;
    }
};

template <class F>
SAMESUM_INLINE ExponentRange exponents_of(const ExponentSpread<F>& lanes) {
    const ExponentSpread<F> all = lanes.of_all();
    const auto exponent = [](std::uint32_t doubled) {
        const std::int32_t field = static_cast<std::int32_t>(doubled >> 24);
        return (field > 0 ? field : 1) - 127;
    };
    constexpr std::int32_t additions = __builtin_ctzll(kept_additions), special = 128;
    const std::int32_t greatest = exponent(all.greatest[0]);
    if (greatest == special) return {1, 0};
    return {greatest + additions + 2,
            all.greatest[0] == 0 ? special + 53 : exponent(all.least[0] + 1) + 53 - ExponentSpread<F>::bits};
}

}  // namespace samesum::SAMESUM_ISA
