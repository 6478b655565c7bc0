// Sums of the columns of one whole vector of floats, in two vectors of float64: bfloat16 is widened to it in
// one step.
#pragma once

#include "kernels/accumulators/lane_sums.hpp"
#include "kernels/vectors/partial.hpp"
#include "kernels/vectors/singles.hpp"

namespace samesum::SAMESUM_ISA {

template <Map map>
struct WideSums {
    using Part = LaneSum<Bfloat16, map, false>;

    Part low, high;

    SAMESUM_INLINE void take(const WideSums& term) {
        low.join(term.low);
        high.join(term.high);
    }

    // Of some rows.
    template <std::size_t rows>
    static SAMESUM_INLINE WideSums of(const char* p, std::ptrdiff_t row_stride) {
        WideSums all;
        Singles greatest = {};
        for_each_of<rows>([&](std::size_t r) SAMESUM_INLINED {
            Singles x = load_singles<Bfloat16>(p + static_cast<std::ptrdiff_t>(r) * row_stride);
            if constexpr (Part::tracks_magnitude) greatest = greater_magnitude(greatest, x);
            if constexpr (map == Map::magnitude) x = samesum::SAMESUM_ISA::magnitude(x);
            const Halves half = widen(x);
            all.low.sum = Part::added(all.low.sum, half.low);
            all.high.sum = Part::added(all.high.sum, half.high);
        });
        Floats size[2];
        __builtin_memcpy(size, &greatest, sizeof greatest);
        all.low.greatest = size[0];
        all.high.greatest = size[1];
        return all;
    }
};

// As loops ask for them (kernels/loops/columns.hpp).
template <Map map>
struct WideRows {
    static constexpr std::size_t elements = singles, size = 2, together = 4;
    static constexpr bool by_lines = true;
    static SAMESUM_INLINE WideSums<map> all(const char* p) { return WideSums<map>::template of<1>(p, 0); }
    static SAMESUM_INLINE WideSums<map> first(const char* p, std::size_t n) {
        char padded[vector_bytes / 2];
        store(padded, load_first<VectorOf<std::uint16_t, vector_bytes / 2>::type>(p, n));
        return all(padded);
    }
    static SAMESUM_INLINE WideSums<map> term(const char* p, std::ptrdiff_t row_stride) {
        return WideSums<map>::template of<together>(p, row_stride);
    }
};

}  // namespace samesum::SAMESUM_ISA
