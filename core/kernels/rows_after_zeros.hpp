// Prefix products of columns that meet zeros, whose products are zeros from there on.
#pragma once

#include "kernels/product_state.hpp"

namespace samesum::SAMESUM_ISA {

// Rows of a strip (kernels/prefixes.hpp) taken one after the other: from a zero of its column on an element
// counts as one, with its sign, and its product as zero.
template <Format format, class Rows>
class RowsAfterZeros {
    using Bits = typename Rounding<format>::Bits;

  public:
    const std::size_t depth;

    SAMESUM_INLINE RowsAfterZeros(const Rows& rows, Longs dead)
        : depth(rows.depth), rows_(rows), dead_(dead) {}
    SAMESUM_INLINE std::size_t count() const { return rows_.count(); }
    SAMESUM_INLINE Doubles at(std::size_t r) {
        const Doubles x = rows_.at(r);
        dead_ |= x == 0;
        const Longs special = ~(samesum::SAMESUM_ISA::magnitude(x) < infinity);
        odd_ |= dead_ & special;
        const Longs signed_one = (reinterpret_cast<Longs>(x) & INT64_MIN) | one_bits;
        return dead_ ? reinterpret_cast<Doubles>(signed_one) : x;
    }
    SAMESUM_INLINE void put(std::size_t r, Bits bits) const {
        Bits dead;
        if constexpr (format == Format::f64)
            dead = dead_;
        else
            dead = narrowed_mask(dead_);
        constexpr Bits none = {};
        rows_.put(r, dead != 0 ? bits & (none + static_cast<decltype(+bits[0])>(sign_bit(format))) : bits);
    }
    SAMESUM_INLINE Longs dead() const { return dead_; }
    // Infinities and NaNs make something else of zeros.
    SAMESUM_INLINE bool has_special() const { return any(odd_); }

  private:
    const Rows& rows_;
    Longs dead_, odd_ = {};
};

// try_rows(state, rows) of columns near one; false, and the state has not changed, if there is no zero among
// them or that failed.
template <Format format, class Rows, class Try>
SAMESUM_INLINE bool try_after_zeros(ProductState& state, const Rows& rows, const Try& try_rows) {
    const Longs before = state.plain.hi == 0;
    Longs zeros = before;
    for (std::size_t r = 0; r < rows.count(); ++r) zeros |= rows.at(r) == 0;
    if (!any(zeros)) return false;
    ProductState alive = state;
    const Longs signed_one = (reinterpret_cast<Longs>(state.plain.hi) & INT64_MIN) | one_bits;
    alive.plain.hi = before ? reinterpret_cast<Doubles>(signed_one) : state.plain.hi;
    RowsAfterZeros<format, Rows> after(rows, before);
    if (!try_rows(alive, after) || after.has_special()) return false;
    const Doubles none = {};
    const Longs sign = reinterpret_cast<Longs>(alive.plain.hi) & INT64_MIN, dead = after.dead();
    alive.plain.hi = dead ? reinterpret_cast<Doubles>(sign) : alive.plain.hi;
    alive.plain.lo = dead ? none : alive.plain.lo;
    alive.exponent = dead ? Longs{} : alive.exponent;
    state = alive;
    return true;
}

}  // namespace samesum::SAMESUM_ISA
