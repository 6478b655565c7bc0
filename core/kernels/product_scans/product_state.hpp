// Prefix products of a strip of columns on their way from row to row.
#pragma once

#include "kernels/certify/certify_products.hpp"
#include "kernels/products/plain_products.hpp"
#include "kernels/scans/prefixes.hpp"
#include "methods/scan_method.hpp"

namespace samesum::SAMESUM_ISA {

// hi is zero where that is the product, and the exponent zero where hi + lo is what it is; what meets an
// infinity or a NaN is marked for good.
struct ProductState {
    PlainProducts plain;
    Longs exponent, mark;

    SAMESUM_INLINE bool is_apart() const { return any_bit(mark | exponent); }

    static SAMESUM_INLINE ProductState one() {
        return {{Doubles{} + 1, Doubles{}, Longs{}}, Longs{}, Longs{}};
    }

    // From normalised factors; where `is_zero`, that is the product.
    static ProductState of(const Factors& f, Longs is_zero, Longs marks) {
        constexpr std::int64_t most = PlainProducts::greatest_power;
        const Longs none = {}, sign = reinterpret_cast<Longs>(f.hi) & INT64_MIN;
        const Longs exponent = (is_zero | (marks != 0)) ? none : f.exponent;
        const bool far = any((exponent > most) | (exponent < -most));
        const Longs power = far ? none : exponent;
        const Doubles scale = reinterpret_cast<Doubles>((power + field_bias) << fraction_bits);
        return {{is_zero ? reinterpret_cast<Doubles>(sign) : f.hi * scale, f.lo * scale, f.lost},
                exponent - power,
                is_zero ? none : marks};
    }
};

// Columns of a tile of products that go on from these carries, for results in any format.
template <class Tile>
void start_products(Tile& t, const Carry* carries, std::size_t n) {
    for (std::size_t j = 0; j < n; ++j) {
        const ProductCarry& carry = carries[j].product;
        t.hi[j] = carry.hi;
        t.lo[j] = carry.lo;
        t.bound[j] = carry.bound;
        t.exponent[j] = carry.exponent;
        t.mark[j] = carry.mark;
        t.lost[j] = carry.bound > 0 ? -1 : 0;
    }
    for (std::size_t j = 0; j < n; j += width) {
        const Longs marks = load<Longs>(t.mark + j);
        const Factors factors{load<Doubles>(t.hi + j), load<Doubles>(t.lo + j), load<Longs>(t.exponent + j),
                              load<Longs>(t.lost + j)};
        const ProductState state = ProductState::of(factors, marks == zero_mark, marks);
        store(t.hi + j, state.plain.hi);
        store(t.lo + j, state.plain.lo);
        store(t.exponent + j, state.exponent);
        store(t.mark + j, state.mark);
    }
}

// Rows of a strip of any kind, in words; those that fail are marked. Relatively, `before` was lost before
// them and up to `now` is in them.
template <class F>
std::size_t certify_rows(const ScanRows& all, std::size_t j, Factors& strip, Longs& marks, Doubles before,
                         double now) {
    const std::size_t n = all.n - j < width ? all.n - j : width;
    alignas(64) double hi[width], lo[width], bound[width];
    alignas(64) std::int64_t exponent[width], mark[width], lost[width];
    const Products view{hi, lo, bound, exponent, mark, lost};
    store(bound, before);
    std::size_t failures = 0;
    for (std::size_t r = 0; r < all.rows; ++r) {
        const char* p = all.x + static_cast<std::ptrdiff_t>(r) * all.in + j * F::size;
        multiply_any(strip, marks, n < width ? padded_with_ones<F>(p, n) : F::doubles(p));
        store(hi, strip.hi);
        store(lo, strip.lo);
        store(exponent, strip.exponent);
        store(mark, marks);
        store(lost, strip.lost);
        char* out = all.out + static_cast<std::ptrdiff_t>(r) * all.to + j * size_of(all.format);
        failures += certify_products(view, now, n, all.format, out, all.failed + r * all.n + j);
    }
    strip.normalise();
    return failures;
}

// Prefix products of columns that meet zeros, infinities and NaNs, which what comes after them changes
// little.

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
