// Sums in float64 lanes with what bounds their error.
#pragma once

#include "kernels/vectors/float_formats.hpp"
#include "kernels/vectors/fold.hpp"
#include "kernels/vectors/rounding.hpp"
#include "kernels/vectors/vectors.hpp"
#include "methods/method.hpp"

namespace samesum::SAMESUM_ISA {

// Of some elements the sum, the greatest magnitude, and the bits of the least magnitude but zero, less one.
template <class F, Map map, bool few>
struct LaneSum {
    // float16 values are multiples of 2^-24 below 2^16: float64 sums of a block of them are exact. Magnitudes
    // and squares bound their own sums.
    static constexpr bool exact = F::format == Format::f16 && map != Map::square;
    static_assert(!exact || static_cast<double>(block_elements) * 65504 < 0x1p53 * 0x1p-24);
    static constexpr bool tracks_magnitude = !exact && map == Map::itself;
    static constexpr bool tracks_least = few && !exact && map != Map::square;

    Doubles sum = {};
    Floats greatest = {};
    Words least = ~Words{};

    static SAMESUM_INLINE LaneSum of(Floats x) {
        const Floats size = samesum::SAMESUM_ISA::magnitude(x);
        Doubles wide = widen(x);
        if constexpr (map == Map::magnitude) wide = samesum::SAMESUM_ISA::magnitude(wide);
        if constexpr (map == Map::square) wide = wide * wide;
        return {wide, x, reinterpret_cast<Words>(size) - 1};
    }

    SAMESUM_INLINE void take(Floats x) {
        if constexpr (map == Map::square)
            sum = added(sum, widen(x));
        else
            join(of(x));
    }

    SAMESUM_INLINE void take(const LaneSum& term) { join(term); }

    // Squares of these formats are exact: it makes no difference where they are rounded.
    static SAMESUM_INLINE Doubles added(Doubles sum, Doubles x) {
        if constexpr (has_fused && map == Map::square) return fused(x, x, sum);
        return plus(sum, map == Map::square ? x * x : x);
    }

    static SAMESUM_INLINE LaneSum joined(const LaneSum& a, const LaneSum& b) {
        LaneSum both;
        both.sum = plus(a.sum, b.sum);
        if constexpr (tracks_magnitude) both.greatest = greater_magnitude(a.greatest, b.greatest);
        if constexpr (tracks_least) both.least = a.least < b.least ? a.least : b.least;
        return both;
    }

    SAMESUM_INLINE void join(const LaneSum& other) { *this = joined(*this, other); }

    template <int distance>
    SAMESUM_INLINE LaneSum paired(const LaneSum& other) const {
        return joined({paired_low<distance>(sum, other.sum), paired_low<distance>(greatest, other.greatest),
                       paired_low<distance>(least, other.least)},
                      {paired_high<distance>(sum, other.sum), paired_high<distance>(greatest, other.greatest),
                       paired_high<distance>(least, other.least)});
    }

    // Of a sum of `count` elements that went through `depth` additions, in the mean if they have magnitudes,
    // or at most. (Lemma 13)
    SAMESUM_INLINE Doubles bound(double depth, double count) const {
        if constexpr (exact) return Doubles{};
        const Doubles most = samesum::SAMESUM_ISA::magnitude(widen(greatest)) * (count * bound_slack);
        const Doubles size = tracks_magnitude ? most : sum * bound_slack;
        const Doubles bound = size * (depth * unit_roundoff);
        if constexpr (!tracks_least) return bound;
        // Multiples of the least element's last place, and fewer than 2^53 of them. (Lemma 14)
        const Words field = (least + 1) & 0x7f800000u,
                    power = field > 0x00800000u ? field : Words{} + 0x00800000u;
        const Doubles limit =
            widen(reinterpret_cast<Floats>(power)) * (F::format == Format::f32 ? 0x1p30 : 0x1p46);
        return size < limit ? Doubles{} : bound;
    }
};

// Four rows as one term: fewer additions in a row, and a smaller bound.
template <class F, Map map, bool few>
struct RowsOfFloats : FloatsOf<F> {
    using Part = LaneSum<F, map, few>;
    static constexpr std::size_t together = 4;
    static constexpr bool by_lines = true;

    static SAMESUM_INLINE Part term(const char* p, std::ptrdiff_t row_stride) {
        const auto row = [=](std::ptrdiff_t r) { return Part::of(F::floats(p + r * row_stride)); };
        return Part::joined(Part::joined(row(0), row(1)), Part::joined(row(2), row(3)));
    }
};

}  // namespace samesum::SAMESUM_ISA
