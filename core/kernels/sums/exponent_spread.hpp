// When sums of elements of a narrow format are exact in double, told by the magnitudes of the elements.
#pragma once

#include <utility>

#include "kernels/vectors/rounding.hpp"
#include "kernels/vectors/vectors.hpp"

namespace samesum::SAMESUM_ISA {

template <std::size_t distance, class V, std::size_t... i>
SAMESUM_INLINE V exchanged(V v, std::index_sequence<i...>) {
    return __builtin_shufflevector(v, v, (i ^ distance)...);
}

// Every element becomes of(a, b) of all, whose order does not matter.
template <std::size_t distance = width / 2, class V, class Of>
SAMESUM_INLINE V everywhere(V v, const Of& of) {
    if constexpr (distance == 0)
        return v;
    else
        return everywhere<distance / 2>(of(v, exchanged<distance>(v, std::make_index_sequence<width>{})), of);
}

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
    // Of all columns together, in each.
    SAMESUM_INLINE ExponentSpread of_all() const {
        return {everywhere(least, [](Words a, Words b) { return a < b ? a : b; }),
                everywhere(greatest, [](Words a, Words b) { return a > b ? a : b; })};
    }
    // Of so many elements, up to short_line. (Lemma 14)
    SAMESUM_INLINE bool is_small(std::size_t count) const {
        const std::uint32_t most = (53u - bits - (count > 16 ? 6u : 4u)) << 24;
        const Words spread = greatest - (least & special);
        return !any_bit(reinterpret_cast<Words>((spread >= most) & (least < special)) |
                        reinterpret_cast<Words>(greatest >= special));
    }
    SAMESUM_INLINE double greatest_of_all() const {
        return __builtin_bit_cast(float, of_all().greatest[0] >> 1);
    }
    // No sum of so many elements is greater.
    SAMESUM_INLINE Doubles most_of(std::size_t count) const {
        return widen(reinterpret_cast<Floats>(greatest >> 1)) * static_cast<double>(count);
    }
    // Of so many elements after `sum`, which is on the grid of this shift (kernels/blocks/grid.hpp): they are
    // on it, too, by their exponents alone, and no sum leaves it.
    SAMESUM_INLINE bool is_on_grid(Doubles shift, Doubles sum, std::size_t count) const {
        constexpr double to_least = 1 / static_cast<double>(std::uint64_t{1} << (53 - bits));
        // The least subnormal at least, which all are multiples of.
        const Words limit = reinterpret_cast<Words>(narrowed(shift * to_least + 0x1p-149)) << 1;
        const Longs inside = most_of(count) + samesum::SAMESUM_ISA::magnitude(sum) < shift;
        return !any_bit(reinterpret_cast<Words>(least < limit - 1)) && !any(~inside);
    }
};

}  // namespace samesum::SAMESUM_ISA
