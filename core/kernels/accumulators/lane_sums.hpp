// Sums in float64 lanes with what bounds their error.
#pragma once

#include "kernels/vectors/float_formats.hpp"
#include "kernels/vectors/fold.hpp"
#include "kernels/vectors/partial.hpp"
#include "kernels/vectors/singles.hpp"
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

// The same of whole vectors of floats, of which the halves are widened.
template <class F, Map map, bool few>
struct LaneSums {
    using Part = LaneSum<F, map, few>;

    Doubles low = {}, high = {};
    Singles greatest = {};
    SingleWords least = ~SingleWords{};

    static SAMESUM_INLINE Doubles mapped(Doubles x) {
        if constexpr (map == Map::magnitude) return samesum::SAMESUM_ISA::magnitude(x);
        return map == Map::square ? x * x : x;
    }
    static SAMESUM_INLINE LaneSums of(const Widened& v) {
        return {mapped(v.half.low), mapped(v.half.high), samesum::SAMESUM_ISA::magnitude(v.x), before(v.x)};
    }

    // Squares of these formats are exact: it makes no difference where they are rounded.
    static SAMESUM_INLINE Doubles added(Doubles sum, Doubles x) {
        if constexpr (has_fused && map == Map::square) return fused(x, x, sum);
        return plus(sum, mapped(x));
    }

    SAMESUM_INLINE void take(const Widened& v) {
        low = added(low, v.half.low);
        high = added(high, v.half.high);
        if constexpr (Part::tracks_magnitude) greatest = greater_magnitude(greatest, v.x);
        if constexpr (Part::tracks_least) least = lesser(least, before(v.x));
    }

    SAMESUM_INLINE void take(const LaneSums& term) {
        low = plus(low, term.low);
        high = plus(high, term.high);
        if constexpr (Part::tracks_magnitude) greatest = greater_magnitude(greatest, term.greatest);
        if constexpr (Part::tracks_least) least = lesser(least, term.least);
    }
    SAMESUM_INLINE void join(const LaneSums& other) { take(other); }

    // The bits of a magnitude, less one: of zero the greatest.
    static SAMESUM_INLINE SingleWords before(Singles x) {
        return reinterpret_cast<SingleWords>(samesum::SAMESUM_ISA::magnitude(x)) - 1;
    }
    static SAMESUM_INLINE SingleWords lesser(SingleWords a, SingleWords b) { return a < b ? a : b; }

    // Of the columns of each half.
    struct Parts {
        Part low, high;
    };
    SAMESUM_INLINE Parts parts() const {
        Floats size[2];
        Words smallest[2];
        __builtin_memcpy(size, &greatest, sizeof greatest);
        __builtin_memcpy(smallest, &least, sizeof least);
        return {{low, size[0], smallest[0]}, {high, size[1], smallest[1]}};
    }
    SAMESUM_INLINE Part folded() const {
        const Parts part = parts();
        return Part::joined(part.low, part.high);
    }
};

// As loops ask for them: four rows are one term, for fewer additions in a row, and a smaller bound.
template <class F, Map map, bool few>
struct LanesOf {
    using Sums = LaneSums<F, map, few>;
    static constexpr std::size_t elements = singles, size = F::size, together = 4;
    static constexpr bool by_lines = true;

    static constexpr bool has_last = true;

    static SAMESUM_INLINE Widened all(const char* p) { return Widened::at<F>(p); }
    static SAMESUM_INLINE Widened first(const char* p, std::size_t n) {
        return Widened::of(first_singles<F>(p, n));
    }
    static SAMESUM_INLINE Widened last(const char* p, std::size_t n) {
        return Widened::of(last_singles<F>(p, n));
    }
    static SAMESUM_INLINE Sums term(const char* p, std::ptrdiff_t row_stride) {
        Sums term = Sums::of(all(p));
        for (std::size_t r = 1; r < together; ++r)
            term.take(all(p + static_cast<std::ptrdiff_t>(r) * row_stride));
        return term;
    }
};

}  // namespace samesum::SAMESUM_ISA
