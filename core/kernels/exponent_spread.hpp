// When sums of elements of a narrow format are exact in double, told by the magnitudes of the elements.
#pragma once

#include "kernels/rounding.hpp"
#include "kernels/vectors.hpp"

namespace samesum::SAMESUM_ISA {

template <class F>
struct ExponentSpread {
    static constexpr int bits = F::format == Format::f32 ? 24 : F::format == Format::f16 ? 11 : 8;
    static constexpr std::uint32_t special = 0xffu << 24;
    Words least = ~Words{}, greatest = {};  // of twice the bits, without the signs; the least less one

    SAMESUM_INLINE void take(Floats x) {
        const Words size = reinterpret_cast<Words>(x) << 1;
        greatest = size > greatest ? size : greatest;
        least = size - 1 < least ? size - 1 : least;  // zeros are the greatest
    }
    // Of so many elements, up to short_line.
    SAMESUM_INLINE bool is_small(std::size_t count) const {
        const std::uint32_t most = (53u - bits - (count > 16 ? 6u : 4u)) << 24;
        const Words spread = greatest - (least & special);
        return !any_bit(reinterpret_cast<Words>((spread >= most) & (least < special)) |
                        reinterpret_cast<Words>(greatest >= special));
    }
    SAMESUM_INLINE double greatest_of_all() const {
        std::uint32_t most = 0;
        for (std::size_t k = 0; k < width; ++k) most = greatest[k] > most ? greatest[k] : most;
        return __builtin_bit_cast(float, most >> 1);
    }
    // No sum of so many elements is greater.
    SAMESUM_INLINE Doubles most_of(std::size_t count) const {
        return widen(reinterpret_cast<Floats>(greatest >> 1)) * static_cast<double>(count);
    }
    // Of so many elements after `sum`, which is on the grid of this shift (kernels/grid.hpp): they are on it,
    // too, by their exponents alone, and no sum leaves it.
    SAMESUM_INLINE bool is_on_grid(Doubles shift, Doubles sum, std::size_t count) const {
        constexpr double to_least = 1 / static_cast<double>(std::uint64_t{1} << (53 - bits));
        // The least subnormal at least, which all are multiples of.
        const Words limit = reinterpret_cast<Words>(narrowed(shift * to_least + 0x1p-149)) << 1;
        const Longs inside = most_of(count) + samesum::SAMESUM_ISA::magnitude(sum) < shift;
        return !any_bit(reinterpret_cast<Words>(least < limit - 1)) && !any(~inside);
    }
};

}  // namespace samesum::SAMESUM_ISA
