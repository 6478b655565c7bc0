// Prefix sums of a strip of columns of float64 on a grid, in two parts that are exact.
#pragma once

#include "kernels/scans/grid_strip.hpp"
#include "kernels/scans/sums.hpp"

namespace samesum::SAMESUM_ISA {

// Of float64: the part on the grid and the rest, a multiple of the last place of the least element, whose
// doubled bits (or those less one) are kept. The shift is zero if there is no grid any more, and only then
// may something be lost. (Lemma 35)
struct SplitSums {
    Doubles hi, lo, bound, shift;
    UnsignedLongs least;

    static SAMESUM_INLINE SplitSums empty() {
        return {Doubles{}, Doubles{}, Doubles{}, Doubles{} + no_grid, ~UnsignedLongs{}};
    }
    static SAMESUM_INLINE SplitSums at(const SumTile& t, std::size_t j) {
        return {load<Doubles>(t.field[0] + j), load<Doubles>(t.field[1] + j), load<Doubles>(t.field[2] + j),
                load<Doubles>(t.field[3] + j), load<UnsignedLongs>(t.field[4] + j)};
    }
    SAMESUM_INLINE void put(SumTile& t, std::size_t j) const {
        total().put(t.field[0] + j, t.field[1] + j, t.field[2] + j);
        store(t.field[3] + j, shift);
        store(t.field[4] + j, least);
    }
    static SplitSums after(Sums carry) {
        SplitSums sums{carry.hi, carry.lo, carry.bound, Doubles{} + no_grid, {}};
        // After a cancellation the low word may be the greater one.
        Doubles hi, lo;
        two_sum(carry.hi, carry.lo, hi, lo);
        const Longs finite = lo == lo;
        sums.hi = finite ? hi : carry.hi;
        sums.lo = finite ? lo : carry.lo;
        for (std::size_t k = 0; k < width; ++k) {
            const std::uint64_t a = least_of(sums.hi[k]), b = least_of(sums.lo[k]);
            sums.least[k] = a < b ? a : b;
        }
        if (any(carry.bound != 0)) sums.shift = Doubles{};
        return sums;
    }
    SAMESUM_INLINE Sums total() const { return {hi, lo, bound}; }
    SAMESUM_INLINE bool is_in_words() const { return shift[0] == 0; }
    void leave(const Sums& all) { *this = {all.hi, all.lo, all.bound, Doubles{}, least}; }

    template <Format format, class Rows>
    SAMESUM_INLINE Outcome advance(const Rows& rows) {
        const Outcome found = advance_same_mode<format>(rows);
        return found != Outcome::off_grid ? found : try_modes<format>(rows.any());
    }

    template <Format format, class Rows>
    SAMESUM_INLINE Outcome advance_apart(const Rows& rows) {
        return advance<format>(rows);
    }

    // On the grid of the rows before.
    template <Format format, class Rows>
    SAMESUM_INLINE Outcome advance_same_mode(const Rows& rows) {
        if constexpr (format == Format::f64) {
            if (shift[0] > no_grid && pass_exact(rows)) return Outcome::certain;
        }
        return Outcome::off_grid;
    }

    template <Format format, class Rows>
    SAMESUM_INLINE Outcome try_modes(const Rows& rows) {
        if constexpr (format == Format::f64) {
            if (shift[0] != 0) return try_other_grids(rows);
        }
        return Outcome::off_grid;
    }

    // Sums that start again after `period` rows each; false if any may be rounded. A column has a grid of its
    // own, which none of its sums leaves.
    template <class Rows>
    static SAMESUM_INLINE bool pass_few(const Rows& rows, std::size_t period) {
        const Doubles sizes = size_of(rows, Doubles{});
        const GridOf<Doubles> grid = GridOf<Doubles>::over(sizes);
        Split split{grid.shift, Doubles{}, Doubles{}, ~UnsignedLongs{}};
        for (std::size_t r = 0; r < rows.count();) {
            split.lead = split.rest = Doubles{};
            for (const std::size_t end = r + period; r < end; ++r)
                rows.put(r, reinterpret_cast<Longs>(split.take(rows, r).sum()));
        }
        return !any(~((sizes < grid_limit) & split.has_exact_rest(period)));
    }

  private:
    // On another grid, with room to grow, or with room for smaller elements.
    template <class Rows>
    SAMESUM_APART Outcome try_other_grids(const Rows& rows) {
        const double size = greatest_of(size_of(rows, hi));
        for (const double room : {1024.0, 8.0}) {
            SplitSums moved = *this;
            if (!moved.move_to_grid(shift_for(room * size)) || !moved.pass_exact(rows)) continue;
            *this = moved;
            return Outcome::certain;
        }
        return Outcome::off_grid;
    }

    // The sum of the magnitudes of `sum` and these rows, rounded anyhow.
    template <class Rows>
    static SAMESUM_INLINE Doubles size_of(const Rows& rows, Doubles sum) {
        constexpr std::size_t chains = 4;
        Doubles sizes[chains] = {samesum::SAMESUM_ISA::magnitude(sum)};
        std::size_t r = 0;
        for (; r + chains <= rows.count(); r += chains)
            for_each_of<chains>(
                [&](std::size_t k) { sizes[k] += samesum::SAMESUM_ISA::magnitude(rows.at(r + k)); });
        for (; r < rows.count(); ++r) sizes[0] += samesum::SAMESUM_ISA::magnitude(rows.at(r));
        return (sizes[0] + sizes[1]) + (sizes[2] + sizes[3]);
    }

    // What `least` is for a sum: the magnitude of the elements whose last place is its lowest bit.
    static std::uint64_t least_of(double sum) {
        constexpr int fraction = 52;
        const std::uint64_t bits = __builtin_bit_cast(std::uint64_t, sum) << 1 >> 1, field = bits >> fraction;
        if (bits == 0) return ~std::uint64_t{};
        const std::uint64_t significand = bits | std::uint64_t{1} << fraction;
        const int zeros = __builtin_ctzll(field > 0 ? significand : bits);
        return ((field > 0 ? field : 1) + static_cast<std::uint64_t>(zeros)) << (fraction + 1);
    }

    struct Parts {
        Doubles lead, rest;

        SAMESUM_INLINE Doubles sum() const { return lead + rest; }
    };

    // Sums in two parts on the way over rows.
    struct Split {
        Doubles shift, lead, rest;
        UnsignedLongs least;

        template <class Rows>
        SAMESUM_INLINE Parts take(const Rows& rows, std::size_t r) {
            const Doubles x = rows.at(r), q = (x + shift) - shift;
            const UnsignedLongs size =
                (reinterpret_cast<UnsignedLongs>(x) << 1) - 1;  // zeros are the greatest
            least = size < least ? size : least;
            lead += q;
            rest += x - q;
            return {lead, rest};
        }
        // The remainders of `count` elements on the grid do not add up to more than 53 bits.
        SAMESUM_INLINE Longs has_exact_rest(std::size_t count) const {
            const Doubles most = shift * (static_cast<double>(count + 2) * 0x1p-52);
            return least >= reinterpret_cast<UnsignedLongs>(most) << 1;
        }
    };

    // The same on a grid that they may leave.
    struct Pass {
        Split split;
        Doubles greatest;

        template <class Rows>
        SAMESUM_INLINE Doubles take(const Rows& rows, std::size_t r) {
            const Parts prefix = split.take(rows, r);
            greatest = greater_magnitude(greatest, prefix.lead);
            return prefix.sum();
        }
        // False if a sum left the middle of the grid, where elements have remainders of up to half a unit, or
        // if the remainders might add up to more than 53 bits.
        SAMESUM_INLINE bool is_exact(std::size_t count) const {
            const Doubles middle = split.shift * 0.125,
                          last = samesum::SAMESUM_ISA::magnitude(split.lead);  // or a NaN
            return !any(~((samesum::SAMESUM_ISA::magnitude(greatest) < middle) & (last < middle) &
                          split.has_exact_rest(count)));
        }
    };

    // What is on the grid into the high word and the rest into the low one; false if something gets lost.
    bool move_to_grid(Doubles to) {
        shift = to;
        if (shift[0] == 0) return false;
        const Doubles start = (hi + shift) - shift;
        Doubles lost;
        two_sum(lo, hi - start, lo, lost);
        hi = start;
        if (any(lost != 0)) shift = Doubles{};
        return shift[0] > 0;
    }

    // The high word is on the grid.
    template <class Rows>
    SAMESUM_INLINE bool pass_exact(const Rows& rows) {
        const Doubles moved = (lo + shift) - shift;
        Pass pass{{shift, hi + moved, lo - moved, least}, Doubles{}};
        for (std::size_t r = 0; r < rows.count(); ++r)
            rows.put(r, reinterpret_cast<Longs>(pass.take(rows, r)));
        if (!pass.is_exact(rows.count())) return false;
        hi = pass.split.lead;
        lo = pass.split.rest;
        least = pass.split.least;
        return true;
    }
};

}  // namespace samesum::SAMESUM_ISA
