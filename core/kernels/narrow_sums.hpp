// Prefix sums of a strip of columns of a narrow format on a grid, where nothing is rounded off.
#pragma once

#include "kernels/exponent_spread.hpp"
#include "kernels/grid_strip.hpp"
#include "kernels/sums.hpp"

namespace samesum::SAMESUM_ISA {

// Of a narrow format: a sum on the grid, after what does not fit there, the base. The shift is negative if
// there is one, and zero if there is no grid any more.
template <class F>
struct NarrowSums {
    Doubles part, shift;
    Sums base;

    static SAMESUM_INLINE NarrowSums empty() {
        return {Doubles{}, Doubles{} + no_grid, {Doubles{}, Doubles{}, Doubles{}}};
    }
    static SAMESUM_INLINE NarrowSums at(const SumTile& t, std::size_t j) {
        return {load<Doubles>(t.field[0] + j), load<Doubles>(t.field[1] + j),
                Sums::at(t.field[2] + j, t.field[3] + j, t.field[4] + j)};
    }
    SAMESUM_INLINE void put(SumTile& t, std::size_t j) const {
        store(t.field[0] + j, part);
        store(t.field[1] + j, shift);
        base.put(t.field[2] + j, t.field[3] + j, t.field[4] + j);
    }
    static NarrowSums after(Sums carry) {
        const bool exact = !any((carry.lo != 0) | (carry.bound != 0));
        NarrowSums sums = empty();
        (exact ? sums.part : sums.base.hi) = carry.hi;
        sums.base.lo = carry.lo;
        sums.base.bound = carry.bound;
        if (!exact) sums.shift = -sums.shift;
        return sums;
    }
    SAMESUM_INLINE Sums total() const {
        Sums all = base;
        all.add(part);
        return all;
    }
    void leave(const Sums& all) { *this = {Doubles{}, Doubles{}, all}; }

    template <Format format, class Rows>
    SAMESUM_INLINE Outcome advance(const Rows& rows) {
        if (shift[0] > no_grid && pass_exact<format>(rows, part, shift)) return Outcome::certain;
        return is_off() ? Outcome::off : advance_any<format>(rows);
    }

    // False if an element or a sum is not on the grid.
    template <Format format, class Rows>
    static SAMESUM_INLINE bool pass_exact(const Rows& rows, Doubles& part, Doubles shift) {
        ExponentSpread<F> seen;
        Doubles sum = part;
        for (std::size_t r = 0; r < rows.count(); ++r) {
            const Floats x = rows.floats(r);
            seen.take(x);
            sum += widen(x);
            rows.put(r, Rounding<format>::of_number(sum));
        }
        if (!seen.is_on_grid(shift, part, rows.count())) return false;
        part = sum;
        return true;
    }

  private:
    bool is_off() const { return shift[0] == 0; }
    bool has_base() const { return shift[0] < 0; }

    // For these rows after `part`, as ExponentSpread::is_on_grid asks for it, with room to grow.
    template <class Rows>
    Doubles chosen_shift(const Rows& rows) const {
        ExponentSpread<F> seen;
        for (std::size_t r = 0; r < rows.count(); ++r) seen.take(rows.floats(r));
        const double sums = seen.greatest_of_all() * static_cast<double>(rows.count());
        return shift_for(2 * (sums + greatest_of(samesum::SAMESUM_ISA::magnitude(part))));
    }

    // On another grid, or after another base.
    template <Format format, class Rows>
    __attribute__((noinline)) Outcome advance_any(const Rows& rows) {
        if (!has_base()) {
            shift = chosen_shift(rows);
            // The sum so far may have parts that are finer than this grid.
            const Longs held = (part + shift) - shift == part;
            if (!is_off() && !any(~held) && pass_exact<format>(rows, part, shift)) return Outcome::certain;
        } else if (shift[0] < -no_grid) {
            const Outcome found = pass_after_base<format>(rows);
            if (found != Outcome::off) return found;
        }
        base.add(part);
        part = Doubles{};
        shift = -chosen_shift(rows);
        return is_off() ? Outcome::off : pass_after_base<format>(rows);
    }

    template <Format format, class Rows>
    SAMESUM_INLINE Outcome pass_after_base(const Rows& rows) {
        using Round = Rounding<format>;
        const Doubles known = samesum::SAMESUM_ISA::magnitude(base.lo) + base.bound,
                      size = samesum::SAMESUM_ISA::magnitude(base.hi) - shift,
                      bound = known * bound_slack + size * (4 * unit_roundoff);
        ExponentSpread<F> seen;
        Doubles sum = part;
        Words wrong = {};
        for (std::size_t r = 0; r < rows.count(); ++r) {
            const Floats x = rows.floats(r);
            seen.take(x);
            sum += widen(x);
            const Doubles value = base.hi + sum;
            const auto low = Round::of_number(value - bound);
            wrong |= Round::different(low, Round::of_number(value + bound));
            rows.put(r, low);
        }
        const Longs finite = bound < infinity;
        if (any(~finite) || !seen.is_on_grid(-shift, part, rows.count())) return Outcome::off;
        part = sum;
        return any_bit(wrong) ? Outcome::doubtful : Outcome::certain;
    }
};

}  // namespace samesum::SAMESUM_ISA
