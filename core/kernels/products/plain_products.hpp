// Products of narrow formats as plain doubles with a second word, and the rounding test for them.
#pragma once

#include <limits>

#include "kernels/accumulators/factors.hpp"
#include "kernels/certify/certify.hpp"
#include "methods/scan_method.hpp"

namespace samesum::SAMESUM_ISA {

// Products of a vector of columns in double-words, whose exponents are their own: no word of them under- or
// overflows for four factors of a narrow format, if they start between these; of more, is_odd_product tells.
struct PlainProducts {
    static constexpr double least = 0x1p-300, greatest = 0x1p300;
    static constexpr std::int64_t greatest_power = 300;

    Doubles hi, lo;
    Longs lost;  // as in Factors

    SAMESUM_INLINE void take(Doubles x) {
        const Doubles product = hi * x;
        lost |= reinterpret_cast<Longs>(lo);
        lo = fused(lo, x, fused(hi, x, -product));
        hi = product;
    }

    SAMESUM_INLINE bool is_near() const {
        constexpr std::uint64_t low = __builtin_bit_cast(std::uint64_t, least),
                                high = __builtin_bit_cast(std::uint64_t, greatest);
        const Doubles size = samesum::SAMESUM_ISA::magnitude(hi);
        return !any_above(reinterpret_cast<UnsignedLongs>(size) - low, high - low);
    }

    // Zeros apart.
    SAMESUM_INLINE bool has_less_than(double some) const {
        const Doubles size = samesum::SAMESUM_ISA::magnitude(hi);
        return any((size < some) & (size != 0));
    }

    SAMESUM_INLINE bool is_near_or_zero() const {
        const Longs inside = samesum::SAMESUM_ISA::magnitude(hi) <= greatest;
        return !any(~inside) && !has_less_than(least);
    }

    // Zeros keep their sign.
    SAMESUM_INLINE void normalise() {
        const Doubles sum = hi + lo;
        lo = lo - (sum - hi);
        hi = hi != 0 ? sum : hi;
    }

    // Normalised, times 2^exponent; zeros as ones with their sign.
    SAMESUM_INLINE Factors factors(Longs exponent) const {
        const Longs signed_one = (reinterpret_cast<Longs>(hi) & INT64_MIN) | one_bits;
        Factors f{hi == 0 ? reinterpret_cast<Doubles>(signed_one) : hi, lo, exponent, lost};
        f.normalise();
        return f;
    }
};

constexpr std::size_t few_factors = 8;

// What is near a double, rounded. Rounding to float32 on the way to 16 bits is quick, and right for all that
// is farther from a tie than half a place of float32. (Lemma 27)
template <Format format, bool precise, std::size_t factors = few_factors>
struct Nearby {
    using Round = Rounding<format>;
    static constexpr bool through_float = !precise && format != Format::f32;
    // Relative: the low word of so many products is less, and the rounding of the factors below.
    static constexpr double slack = through_float ? 0x1.2p-23 : factors * 0x1p-52;
    static_assert(scan_rows <= factors && short_column <= factors && width <= factors && factors <= 64);

    // So many first factors have products that this rounds as they are.
    static constexpr std::size_t exact_factors(Format in) {
        const std::size_t bits = in == Format::f32 ? 24 : in == Format::f16 ? 11 : 8;
        return (through_float ? 24 : 53) / bits;
    }

    static SAMESUM_INLINE Words rounded(Doubles x) {
        if constexpr (through_float)
            return Round::of_float(narrowed(x));
        else
            return Round::of_number(x);
    }

    // The bits below and above, different if the product is in doubt. Subnormal numbers of float32 have been
    // rounded by more, which shows where those of the format are as small.
    static SAMESUM_INLINE Verdict<format> of(Doubles value, double relative) {
        const Words low = rounded(value * (1 - relative));
        Words wrong = low ^ rounded(value * (1 + relative));
        if constexpr (through_float && format == Format::bf16)
            wrong |= narrowed_mask((samesum::SAMESUM_ISA::magnitude(value) < 0x1p-126) & (value != 0));
        return {low, wrong};
    }
};

// The same where results are normal numbers of float32 or zeros and few are near a tie, exact products among
// them. What float32 does not round to a tie of a 16-bit format is on the same side of it as before.
template <Format format, std::size_t factors>
struct ManyNearby {
    using Bits = typename Rounding<format>::Bits;

    SAMESUM_INLINE Bits take(Doubles value) {
        smallest_ = value != 0 ? lesser_magnitude(smallest_, value) : smallest_;
        if constexpr (is_single) {
            see((reinterpret_cast<UnsignedLongs>(value) << (64 - 53 + 24)) + about);
            return Rounding<format>::of_number(value);
        } else {
            constexpr int dropped = format == Format::f16 ? 13 : 16;
            const Floats x = narrowed(value);
            see(reinterpret_cast<Words>(in_place(x)) << (32 - dropped));
            return Rounding<format>::of_float(x);
        }
    }

    SAMESUM_INLINE bool are_certain() const {
        if (any(smallest_ < 0x1p-125)) return false;
        if constexpr (is_single)
            return !any(nearest_ <= least_place + 2 * about);
        else
            return !any_bit(reinterpret_cast<Words>(nearest_ == least_place));
    }

  private:
    static constexpr bool is_single = format == Format::f32;
    using Places = std::conditional_t<is_single, Longs, Ints>;
    using Place = std::conditional_t<is_single, std::int64_t, std::int32_t>;
    // Of a tie.
    static constexpr Place least_place = std::numeric_limits<Place>::min();
    // The low word, in last places of doubles, with room.
    static constexpr std::int64_t about = std::int64_t{4 * factors} << (64 - 53 + 24);

    // With the last place of the format where the least normal number has it.
    static SAMESUM_INLINE Floats in_place(Floats x) {
        if constexpr (format != Format::f16) return x;
        constexpr float normal = 0x1p-14f;
        const Floats size = samesum::SAMESUM_ISA::magnitude(x);
        return size < normal ? size + normal : x;
    }

    template <class Unsigned>
    SAMESUM_INLINE void see(Unsigned bits) {
        const Places place = reinterpret_cast<Places>(bits);
        nearest_ = place < nearest_ ? place : nearest_;
    }

    Places nearest_ = Places{} + std::numeric_limits<Place>::max();
    Doubles smallest_ = Doubles{} + 1;
};

}  // namespace samesum::SAMESUM_ISA
