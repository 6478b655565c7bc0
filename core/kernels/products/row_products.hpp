// Products of rows of few elements, as many rows at once as a vector has places: each row in lanes, which are
// then folded across the rows.
#pragma once

#include "kernels/products/factors.hpp"
#include "kernels/vectors/fold.hpp"

namespace samesum::SAMESUM_ISA {

// Plain doubles for the narrow formats, double-words for float64. Nothing is lost to the range of a double
// while no product of a lane is less than `least` or infinite, nor when lanes between 2^-100 and 2^100 are
// folded.
template <class F>
struct RowProducts {
    static constexpr bool is_double = F::format == Format::f64;
    static constexpr double least = 0x1p-900;
    static constexpr std::uint64_t least_bits = std::uint64_t{field_bias - 100} << fraction_bits,
                                   greatest_bits = std::uint64_t{field_bias + 100} << fraction_bits;
    // Few enough for all lanes to stay there, as a rule.
    static constexpr std::size_t most = 64 * width;

    struct Lane {
        Doubles hi, lo;
        Longs lost;

        SAMESUM_INLINE void multiply(Doubles x) {
            const Doubles product = hi * x;
            if constexpr (is_double) {
                lost |= reinterpret_cast<Longs>(lo);
                lo = fused(lo, x, fused(hi, x, -product));
            }
            hi = product;
        }

        template <int distance>
        SAMESUM_INLINE Lane paired(const Lane& other) const {
            const Doubles a = paired_low<distance>(hi, other.hi), b = paired_high<distance>(hi, other.hi);
            Lane both{a * b, Doubles{}, Longs{}};
            if constexpr (is_double) {
                const Doubles c = paired_low<distance>(lo, other.lo), d = paired_high<distance>(lo, other.lo);
                both.lost = paired_low<distance>(lost, other.lost) | paired_high<distance>(lost, other.lost) |
                            reinterpret_cast<Longs>(c) | reinterpret_cast<Longs>(d);
                both.lo = fused(a, d, fused(c, b, fused(a, b, -both.hi)));
            }
            return both;
        }
    };

    // What is lost of n factors, relatively: in double-words the low word is at most n * 2^-53 of the product
    // and is rounded at each step, and that of two lanes leaves out the product of their low words.
    // (Lemma 26)
    static double lost_of(std::size_t n) {
        const double factors = static_cast<double>(n + width);
        return is_double ? factors * factors * 0x1p-104 : factors * 0x1p-53;
    }

    // The products of `width` rows of n elements, from `width` on to `most`; false if a lane went out of
    // range.
    static SAMESUM_INLINE bool multiply(const char* p, std::ptrdiff_t row_stride, std::size_t n,
                                        Factors& products) {
        constexpr std::size_t vector = width * F::size, together = is_double ? 1 : 2;
        const std::size_t whole = n / width, last = (n - width) * F::size;
        const Longs again = elements_before(whole * width + width - n);
        Lane row[width];
        UnsignedLongs outside = {};
        Doubles smallest = Doubles{} + 1;
        for (std::size_t r = 0; r < width; ++r, p += row_stride) {
            prefetch_run<vector>(p);
            Lane& lane = row[r] = {F::doubles(p), Doubles{}, Longs{}};
            const auto take = [&](Doubles factor) {
                lane.multiply(factor);
                smallest = lesser_magnitude(smallest, lane.hi);
            };
            std::size_t i = 1;
            for (; i + together <= whole; i += together)
                take(packed_product<F, together>(p + i * vector, vector));
            for (; i < whole; ++i) take(F::doubles(p + i * vector));
            if (whole * width < n) {
                const Doubles x = F::doubles(p + last);
                take(again ? Doubles{} + 1 : x);
            }
            const UnsignedLongs above =
                reinterpret_cast<UnsignedLongs>(samesum::SAMESUM_ISA::magnitude(lane.hi)) - least_bits;
            outside = outside > above ? outside : above;
        }
        if (any_above(outside, greatest_bits - least_bits) || any(smallest < least)) return false;
        const Lane all = folded_rows(row);
        products = {all.hi, all.lo, Longs{}, is_double ? all.lost : ~Longs{}};
        products.normalise();
        return true;
    }

    // True for the first n elements of a vector.
    static SAMESUM_INLINE Longs elements_before(std::size_t n) {
        Longs index;
        for (std::size_t k = 0; k < width; ++k) index[k] = static_cast<std::int64_t>(k);
        return index < Longs{} + static_cast<std::int64_t>(n);
    }
};

}  // namespace samesum::SAMESUM_ISA
