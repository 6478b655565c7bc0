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

}  // namespace samesum::SAMESUM_ISA
