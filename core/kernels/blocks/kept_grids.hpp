// Sums on two grids: what an addition to a number much greater than the terms rounds off is known without an
// error (T. J. Dekker, "A floating-point technique for extending the available precision", 1971), and a sum
// that stays within one binade is an integer in units of its last place.
#pragma once

#include <type_traits>

#include "kernels/vectors/float_formats.hpp"
#include "kernels/vectors/fold.hpp"
#include "kernels/vectors/rounding.hpp"
#include "kernels/vectors/vectors.hpp"
#include "methods/kept_blocks.hpp"
#include "methods/method.hpp"

namespace samesum::SAMESUM_ISA {

// From the unit of the first grid to that of the second: what up to kept_additions terms leave of the first
// stays within half a binade.
constexpr std::int64_t grid_distance = kept_units[0] - kept_units[1],
                       low_distance = kept_units[0] - kept_units[2];
static_assert(kept_additions <= std::size_t{1} << (53 - grid_distance - 1));
static_assert(kept_units[2] - kept_units[3] == grid_distance &&
              deep_units[0] == kept_units[1] - grid_distance &&
              deep_units[1] == kept_units[3] - grid_distance);

// The bits of the middle of the binade of an exponent.
template <class Bits>
SAMESUM_INLINE auto middle_of(Bits exponent) {
    return ((exponent + 1023) << 52) | (std::int64_t{1} << 51);
}
template <class Bits>
SAMESUM_INLINE auto lower(Bits middle, std::int64_t distance) {
    return middle - (distance << 52);
}

struct Absent {};

// Sums on `grids` grids, each as far below the one before. (Lemma 19)
template <std::size_t grids>
struct GridSums {
    Doubles on[grids];

    static SAMESUM_INLINE GridSums at(Longs middle) {
        GridSums sums;
        for (std::size_t i = 0; i < grids; ++i)
            sums.on[i] =
                reinterpret_cast<Doubles>(lower(middle, static_cast<std::int64_t>(i) * grid_distance));
        return sums;
    }
    // Takes v = x, or x * x, which is a double. `lost` gets bits, apart from the sign, unless all of v is on
    // the grids.
    SAMESUM_INLINE void take(Doubles v, Longs& lost) {
        const Doubles moved = plus(on[0], v), taken = moved - on[0];
        on[0] = moved;
        take_rest<1>(minus(v, taken), lost);
    }
    SAMESUM_INLINE void take_square(Doubles x, Longs& lost) {
        const Doubles moved = plus_square(on[0], x), taken = moved - on[0];
        on[0] = moved;
        take_rest<1>(has_fused ? fused(x, x, -taken) : x * x - taken, lost);
    }

  private:
    template <std::size_t i>
    SAMESUM_INLINE void take_rest(Doubles rest, Longs& lost) {
        const Doubles moved = on[i] + rest, taken = minus(moved, on[i]);
        on[i] = moved;
        if constexpr (i + 1 < grids)
            take_rest<i + 1>(rest - taken, lost);
        else
            lost = with_difference(lost, taken, rest);
    }
};

// By how many last places a sum lies above the middle of its grid; any number where it left the grid.
SAMESUM_INLINE Longs units(Doubles sum, Longs middle) {
    return reinterpret_cast<Longs>(reinterpret_cast<UnsignedLongs>(sum) -
                                   reinterpret_cast<UnsignedLongs>(middle));
}

// Of a vector of lanes: sums of elements, of magnitudes or of squares; those of float64 have low words.
template <class F, Map map, std::size_t grids = 2>
struct GriddedSums {
    static constexpr bool is_square = map == Map::square,
                          has_low_words = is_square && F::format == Format::f64;
    static constexpr std::size_t parts = has_low_words ? 2 * grids : grids;
    // Sums of what is not negative come back to no binade that they left.
    static constexpr bool may_return = map == Map::itself;

    using Sums = GridSums<grids>;
    using Low = std::conditional_t<has_low_words, Sums, Absent>;
    using Escaped = std::conditional_t<may_return, Longs, Absent>;

    Longs middle;
    Sums sums;
    Longs lost;
    [[no_unique_address]] Low low;
    [[no_unique_address]] Escaped escaped;  // bits of exponents: of sums that left their binade

    static SAMESUM_INLINE GriddedSums at(Longs middle) {
        return {middle, Sums::at(middle), Longs{}, low_at(middle), Escaped{}};
    }
    static SAMESUM_INLINE Low low_at(Longs middle) {
        if constexpr (has_low_words)
            return Sums::at(lower(middle, low_distance));
        else
            return {};
    }
    static SAMESUM_INLINE Doubles mapped(Doubles x) {
        return is_square ? x * x : map == Map::magnitude ? samesum::SAMESUM_ISA::magnitude(x) : x;
    }

    SAMESUM_INLINE void take(const char* p) {
        const Doubles x = F::doubles(p);
        if constexpr (has_low_words) {
            const Doubles square = x * x;
            sums.take(square, lost);
            low.take(square_error(x, square), lost);
            // A square may have vanished; one that is a multiple of the second unit has an exact low word.
            lost |= (square == 0) & reinterpret_cast<Longs>(x);
        } else if constexpr (is_square) {
            sums.take_square(x, lost);
        } else {
            sums.take(mapped(x), lost);
        }
        if constexpr (may_return)
            escaped = with_difference(escaped, sums.on[0], reinterpret_cast<Doubles>(middle));
    }
    // Some bit, unless the sums are exact, of however many elements.
    SAMESUM_INLINE Longs failure(std::size_t = kept_additions) const {
        Longs moved = reinterpret_cast<Longs>(sums.on[0]) ^ middle;
        if constexpr (may_return) moved |= escaped;
        // Low words add up to half a binade where the squares do: the last of them may just leave it.
        if constexpr (has_low_words)
            moved |= reinterpret_cast<Longs>(low.on[0]) ^ lower(middle, low_distance);
        return (lost << 1) | (moved >> 52);
    }
    // In units of kept_units: all of the elements or squares, then those of low words.
    SAMESUM_INLINE Longs part(std::size_t i) const {
        const Longs from = lower(middle, static_cast<std::int64_t>(i % grids) * grid_distance);
        if constexpr (has_low_words) {
            if (i >= grids) return units(low.on[i - grids], lower(from, low_distance));
        }
        return units(sums.on[i], from);
    }
};

}  // namespace samesum::SAMESUM_ISA
