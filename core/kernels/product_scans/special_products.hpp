// Prefix products of columns that meet zeros, infinities and NaNs, which what comes after them changes
// little.
#pragma once

#include "kernels/product_scans/product_state.hpp"

namespace samesum::SAMESUM_ISA {

// Zero, infinite or NaN: also a product that nothing ordinary brings back.
SAMESUM_INLINE Longs is_special(Doubles x) {
    return (x == 0) | ~(samesum::SAMESUM_ISA::magnitude(x) < infinity);
}
SAMESUM_INLINE Doubles signed_one(Doubles x) {
    return reinterpret_cast<Doubles>((reinterpret_cast<Longs>(x) & INT64_MIN) | one_bits);
}

// Rows of a strip (kernels/scans/prefixes.hpp) taken one after the other: from a special element of its
// column on every element counts as one, with its sign. `product` is that of the special elements and of the
// others' signs.
template <Format format, class Rows>
class RowsAfterSpecials {
    using Bits = typename Rounding<format>::Bits;

  public:
    const std::size_t depth;

    SAMESUM_INLINE RowsAfterSpecials(const Rows& rows, Doubles product)
        : depth(rows.depth), rows_(rows), product_(product) {}
    SAMESUM_INLINE std::size_t count() const { return rows_.count(); }
    SAMESUM_INLINE Doubles at(std::size_t r) {
        const Doubles x = rows_.at(r), one = signed_one(x);
        product_ *= is_special(x) ? x : one;
        return is_special(product_) ? one : x;
    }
    SAMESUM_INLINE void put(std::size_t r, Bits bits) const {
        constexpr Bits none = {};
        const Doubles size = samesum::SAMESUM_ISA::magnitude(product_);
        const Bits sign = bits & (none + unit(sign_bit(format)));
        bits = as_wide(product_ == 0) != 0 ? sign : bits;
        bits = as_wide(size == infinity) != 0 ? sign | (none + unit(infinity_bits(format))) : bits;
        rows_.put(r, as_wide(size != size) != 0 ? none + unit(canonical_nan(format)) : bits);
    }
    SAMESUM_INLINE Doubles product() const { return product_; }

  private:
    static constexpr auto unit(std::uint64_t bits) { return static_cast<decltype(+Bits{}[0])>(bits); }
    static SAMESUM_INLINE Bits as_wide(Longs mask) {
        if constexpr (format == Format::f64)
            return mask;
        else
            return narrowed_mask(mask);
    }

    const Rows& rows_;
    Doubles product_;
};

// try_rows(state, rows) of columns near one, or special; false, and the state has not changed, if nothing
// special is among them or that failed.
template <Format format, class Rows, class Try>
SAMESUM_INLINE bool try_after_specials(ProductState& state, const Rows& rows, const Try& try_rows) {
    const Longs none = {};
    const Doubles one = signed_one(state.plain.hi), infinite = one * infinity, nothing = {};
    Doubles before = state.plain.hi == 0 ? state.plain.hi : one;
    before = state.mark == infinity_mark ? infinite : before;
    before = state.mark != 0 && state.mark != infinity_mark ? infinite - infinite : before;
    Longs specials = is_special(before);
    ProductState alive = state;
    alive.plain.hi = specials ? one : state.plain.hi;
    for (std::size_t r = 0; r < rows.count(); ++r) specials |= is_special(rows.at(r));
    if (!any(specials)) return false;
    RowsAfterSpecials<format, Rows> after(rows, before);
    if (!try_rows(alive, after)) return false;
    const Doubles product = after.product();
    const Longs special = is_special(product), zero = product == 0;
    const Longs mark = product != product ? none + nan_mark : none + infinity_mark;
    alive.plain.hi = zero ? product : special ? signed_one(product) : alive.plain.hi;
    alive.plain.lo = special ? nothing : alive.plain.lo;
    alive.exponent = special ? none : alive.exponent;
    alive.mark = special & ~zero ? mark : none;
    state = alive;
    return true;
}

}  // namespace samesum::SAMESUM_ISA
