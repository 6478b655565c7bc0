// Prefix sums of a strip of columns of a narrow format on a grid, where nothing is rounded off.
#pragma once

#include "kernels/scans/grid_strip.hpp"
#include "kernels/scans/sums.hpp"
#include "kernels/sums/exponent_spread.hpp"

namespace samesum::SAMESUM_ISA {

// Of a narrow format: a sum on the grid, after what does not fit there, the base. Elements on the grid are
// told by their exponents. In parts, the high word of the base is a coarse number that leaves nearly nothing
// to the low one.
template <class F>
struct NarrowSums {
    Doubles part, shift;
    Sums base;
    GridMode mode;
    std::uint8_t strips;  // in double-words before a better way is looked for again
    static constexpr std::uint8_t patience = 16;

    static SAMESUM_INLINE NarrowSums empty() {
        return {Doubles{}, Doubles{}, {Doubles{}, Doubles{}, Doubles{}}, GridMode::unknown, 0};
    }
    static SAMESUM_INLINE NarrowSums at(const SumTile& t, std::size_t j) {
        return {load<Doubles>(t.field[0] + j), load<Doubles>(t.field[1] + j),
                Sums::at(t.field[2] + j, t.field[3] + j, t.field[4] + j), t.mode[j], t.strips[j]};
    }
    SAMESUM_INLINE void put(SumTile& t, std::size_t j) const {
        store(t.field[0] + j, part);
        store(t.field[1] + j, shift);
        base.put(t.field[2] + j, t.field[3] + j, t.field[4] + j);
        t.mode[j] = mode;
        t.strips[j] = strips;
    }
    static NarrowSums after(Sums carry) {
        const bool exact = !any((carry.lo != 0) | (carry.bound != 0));
        NarrowSums sums = empty();
        (exact ? sums.part : sums.base.hi) = carry.hi;
        sums.base.lo = carry.lo;
        sums.base.bound = carry.bound;
        if (!exact) sums.mode = GridMode::double_words;
        return sums;
    }
    SAMESUM_INLINE Sums total() const {
        Sums all = base;
        all.add(part);
        return all;
    }
    SAMESUM_INLINE bool is_in_words() const { return mode == GridMode::double_words; }
    // These rows were summed in double-words.
    void leave(const Sums& all) {
        *this = {Doubles{}, Doubles{}, all, GridMode::double_words,
                 static_cast<std::uint8_t>(strips > 0 ? strips - 1 : patience)};
    }

    template <Format format, class Rows>
    SAMESUM_INLINE Outcome advance(const Rows& rows) {
        const Outcome found = advance_same_mode<format>(rows);
        return found != Outcome::off_grid ? found : try_modes<format>(rows.any());
    }

    template <Format format, class Rows>
    SAMESUM_APART Outcome advance_apart(const Rows& rows) {
        return advance<format>(rows);
    }

    // As the rows before, if that suits these.
    template <Format format, class Rows>
    SAMESUM_INLINE Outcome advance_same_mode(const Rows& rows) {
        if (mode == GridMode::exponents && pass_exact<format>(rows, part, shift)) return Outcome::certain;
        if constexpr (format == F::format) {
            if (mode == GridMode::parts) return pass_parts(rows, base, part, shift);
        }
        return Outcome::off_grid;
    }

    // On another grid, then in parts.
    template <Format format, class Rows>
    SAMESUM_APART Outcome try_modes(const Rows& rows) {
        if (mode == GridMode::double_words && strips > 0) return Outcome::off_grid;
        if (mode <= GridMode::exponents && pass_on_another<format>(rows)) return Outcome::certain;
        if constexpr (format == F::format) return pass_in_parts(rows);
        return Outcome::off_grid;
    }

    // False if an element or a sum is not on the grid by its exponent.
    template <Format format, class Rows>
    static SAMESUM_INLINE bool pass_exact(const Rows& rows, Doubles& part, Doubles shift) {
        Doubles sum = part;
        if (!plain<format>(rows, sum).is_on_grid(shift, part, rows.count())) return false;
        part = sum;
        return true;
    }

    // What was seen of the elements tells whether these prefixes are exact.
    template <Format format, class Rows>
    static SAMESUM_INLINE ExponentSpread<F> plain(const Rows& rows, Doubles& sum) {
        ExponentSpread<F> seen;
        for (std::size_t r = 0; r < rows.count(); ++r) {
            const Floats x = rows.floats(r);
            seen.take(x);
            sum += widen(x);
            rows.put(r, Rounding<format>::of_number(sum));
        }
        return seen;
    }

    // After the high word of a base: prefixes are the sums of two and rounded twice, which is once unless the
    // first rounding, or what is left out, brings them about a tie of the second. With nothing left out the
    // first one alone brings none beyond a tie; elements, and so sums, are multiples of the least subnormal
    // then, and sums that are subnormal are not rounded. (Lemma 34)
    template <class Rows>
    static SAMESUM_INLINE Outcome pass_parts(const Rows& rows, const Sums& before, Doubles& part,
                                             Doubles shift) {
        constexpr int kept = 64 - 53 + ExponentSpread<F>::bits;  // of the bits of a double, when shifted out
        const Doubles left_out = samesum::SAMESUM_ISA::magnitude(before.lo) + before.bound;
        const bool all_in = !any(left_out != 0);
        const std::uint64_t about = std::uint64_t{1} << (all_in ? kept : 13 + kept);
        ExponentSpread<F> seen;
        Doubles sum = part;
        Longs nearest = Longs{} + INT64_MAX;
        Doubles least = Doubles{} + infinity;
        for (std::size_t r = 0; r < rows.count(); ++r) {
            const Floats x = rows.floats(r);
            seen.take(x);
            sum += widen(x);
            const Doubles value = before.hi + sum;
            const Longs place =
                reinterpret_cast<Longs>((reinterpret_cast<UnsignedLongs>(value) << kept) + about);
            nearest = place < nearest ? place : nearest;
            least = lesser_magnitude(least, value);
            rows.put(r, Rounding<F::format>::of_number(value));
        }
        if (!seen.is_on_grid(shift, part, rows.count())) return Outcome::off_grid;
        part = sum;
        const Longs tied = nearest <= static_cast<std::int64_t>((std::uint64_t{1} << 63) + 2 * about);
        const bool told = all_in || !any(is_untold(least, left_out));
        return any(tied) || !told ? Outcome::doubtful : Outcome::certain;
    }

  private:
    // What is left out of parts is less than 2^12 units in the last place of doubles from some size on, which
    // are normal numbers of the format. Where the least value is below that.
    static SAMESUM_INLINE Longs is_untold(Doubles least, Doubles left_out) {
        constexpr double normal = F::format == Format::f16 ? 0x1p-13 : 0x1p-125;
        return (left_out != 0) & (least < left_out * 0x1p41 + normal);
    }

    template <class Rows>
    static double size_of(const ExponentSpread<F>& seen, const Rows& rows) {
        return seen.greatest_of_all() * static_cast<double>(rows.count());
    }

    // No sum of elements of these rows is greater.
    template <class Rows>
    static SAMESUM_APART double sizes_of(const Rows& rows) {
        ExponentSpread<F> seen;
        for (std::size_t r = 0; r < rows.count(); ++r) seen.take(rows.floats(r));
        return size_of(seen, rows);
    }

    // For rows of this size after `part`, as both kinds of test ask for it, with room to grow.
    Doubles chosen_shift(double sizes) const {
        return shift_for(2 * (sizes + greatest_of(samesum::SAMESUM_ISA::magnitude(part))));
    }

    // The total so far as a multiple of the sizes of these rows, a part on a grid with so much room for them,
    // and little that is left out; false if it cannot be told apart like this.
    template <class Rows>
    bool split(const Rows& rows, double room) {
        const Sums all = total();
        const double sizes = sizes_of(rows);
        const Doubles fine = shift_for(room * sizes), coarse = shift_for(0x1p48 * sizes);
        const Longs apart = samesum::SAMESUM_ISA::magnitude(all.hi) <= 0x1p47 * sizes;
        if (any(~apart) || fine[0] == 0 || coarse[0] == 0) return false;
        const Doubles before = (all.hi + coarse) - coarse;
        Sums rest{all.hi - before, Doubles{}, all.bound};
        rest.add(all.lo);
        // After a cancellation the low word may be the greater one.
        const Longs fits = samesum::SAMESUM_ISA::magnitude(rest.hi) <= room * sizes;
        if (any(~fits)) return false;
        const Doubles first = (rest.hi + fine) - fine;
        rest.add_low(rest.hi - first);
        *this = {first, fine, {before, rest.lo, rest.bound}, GridMode::parts, 0};
        return true;
    }

    template <class Rows>
    Outcome pass_in_parts(const Rows& rows) {
        for (const double room : {64.0, 4.0}) {
            if (!split(rows, room)) return Outcome::off_grid;
            const Outcome found = pass_parts(rows, base, part, shift);
            if (found != Outcome::off_grid) return found;
        }
        return Outcome::off_grid;
    }

    template <Format format, class Rows>
    SAMESUM_INLINE bool pass_on_another(const Rows& rows) {
        Doubles sum = part;
        const ExponentSpread<F> seen = plain<format>(rows, sum);
        const Doubles chosen = chosen_shift(size_of(seen, rows));
        // The sum so far may have parts that are finer than this grid.
        const Longs held = (part + chosen) - chosen == part;
        if (any(~held)) return false;
        shift = chosen;
        mode = GridMode::exponents;
        if (!seen.is_on_grid(shift, part, rows.count())) return false;
        part = sum;
        return true;
    }
};

}  // namespace samesum::SAMESUM_ISA
