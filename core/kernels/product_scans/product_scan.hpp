// Prefix products of floats: of a block of a row after a carry, and of rows of columns.
#pragma once

#include "kernels/product_scans/double_product_columns.hpp"
#include "kernels/product_scans/product_columns.hpp"
#include "kernels/products/product.hpp"
#include "kernels/scans/line_scan.hpp"
#include "kernels/scans/scan.hpp"

namespace samesum::SAMESUM_ISA {

// Products of significands and sums of exponents along a line (kernels/loops/prefixes.hpp).
struct PlainFactors {
    static SAMESUM_INLINE Doubles joined(Doubles a, Doubles b) { return a * b; }
    static SAMESUM_INLINE Doubles none(Doubles) { return Doubles{} + 1; }
};
struct Exponents {
    static SAMESUM_INLINE Longs joined(Longs a, Longs b) { return a + b; }
    static SAMESUM_INLINE Longs none(Longs) { return Longs{}; }
};

// A running product and its exponent, in every element.
struct Running {
    Doubles significand;
    Longs exponent;

    // The prefixes of a vector of significands and exponents, which it moves past; at most one rounding for
    // each element.
    SAMESUM_INLINE Factors prefixes(Doubles v, Longs e) {
        const Factors result{prefixes_of<PlainFactors>(v) * significand, Doubles{},
                             prefixes_of<Exponents>(e) + exponent, Longs{}};
        const Doubles last = last_of(result.hi);
        significand = significand_of(last);
        exponent = last_of(result.exponent) + exponent_field(last) - field_bias;
        return result;
    }
};

template <class F>
struct RealProductScan {
    using All = RealProduct<F>;
    using Tile = typename All::Tile;
    static_assert(scan_elements <= 2 * All::steps);

    static void set(Tile& t, std::size_t j, const ProductCarry& carry) {
        t.hi[j] = carry.hi;
        t.lo[j] = carry.lo;
        t.bound[j] = carry.bound;
        t.exponent[j] = carry.exponent;
        t.mark[j] = carry.mark;
        t.lost[j] = 0;
    }

    static ProductCarry get(const Tile& t, std::size_t j) {
        return {t.hi[j], t.lo[j], t.bound[j], t.exponent[j], t.mark[j]};
    }

    static Carry total(const void* x, std::size_t n) {
        Tile tile;
        set(tile, 0, {});
        All::lane(&tile, 0, x, n);
        Carry carry;
        carry.product = get(tile, 0);
        return carry;
    }

    static void join(Carry& carry, const Carry& part) {
        Tile tile, from;
        set(tile, 0, carry.product);
        set(from, 0, part.product);
        Tile::merge(&tile, 0, &from, 0);
        carry.product = get(tile, 0);
    }

    static SAMESUM_INLINE Doubles elements(const char* p, std::size_t n) {
        return n < width ? padded_with_ones<F>(p, n) : F::doubles(p);
    }

    // Plain float64 products of ordinary elements: enough for almost every block of a narrower format.
    // (Lemma 30)
    template <Format format>
    static SAMESUM_APART bool try_plain(const ProductCarry& carry, const char* p, std::size_t n, void* out) {
        using Round = Rounding<format>;
        Running run{Doubles{} + carry.hi, Longs{} + carry.exponent};
        const double relative = carry.bound + static_cast<double>(n + 16) * (0x1p-53 * (1 + 0x1p-20));
        Longs odd = {};
        Words wrong = {};
        for (std::size_t i = 0; i < n; i += width, p += width * F::size) {
            const Doubles x = elements(p, n - i);
            const Longs field = exponent_field(x);
            odd |= is_odd(field);
            const Factors prefix = run.prefixes(significand_of(x), field - field_bias);
            const Longs usable = clamped(prefix.exponent, least_exponent, greatest_exponent);
            const Doubles value =
                prefix.hi * reinterpret_cast<Doubles>((usable + field_bias) << fraction_bits);
            const Doubles b = widened(samesum::SAMESUM_ISA::magnitude(value) * relative, value);
            const auto low = Round::of(value - b);
            wrong |= Round::different(low, Round::of(value + b));
            store_prefixes<format>(out, i, n - i, low);
        }
        for (std::size_t k = 1; k < width; ++k) wrong[0] |= wrong[k];
        return wrong[0] == 0 && !any_negative(odd);
    }

    static bool try_plain_in(Format format, const ProductCarry& carry, const char* p, std::size_t n,
                             void* out) {
        if (carry.mark != 0) return false;
        return in_format_within<F::format>(format, [&]<Format to>() {
            if constexpr (to == Format::f64) {
                return false;
            } else {
                return try_plain<to>(carry, p, n, out);
            }
        });
    }

    struct Prefixes {
        alignas(64) double hi[scan_elements + width];
        alignas(64) double lo[scan_elements + width];
        alignas(64) double bound[scan_elements + width];
        alignas(64) std::int64_t exponent[scan_elements + width];
        alignas(64) std::int64_t mark[scan_elements + width];
        alignas(64) std::int64_t lost[scan_elements + width];
    };

    // Significands, exponents and marks of the elements, where their prefixes will be.
    static void take_apart(const char* p, std::size_t n, Prefixes& x) {
        for (std::size_t i = 0; i < n; i += width, p += width * F::size) {
            Factors one;
            Longs marks = {};
            multiply_any(one, marks, elements(p, n - i));
            store(x.hi + i, one.hi);
            store(x.exponent + i, one.exponent);
            store(x.mark + i, marks);
        }
    }

    // One after the other in double-words.
    static SAMESUM_APART std::size_t in_words(const ProductCarry& carry, const char* p, std::size_t n,
                                              Format format, void* out, std::uint8_t* failed) {
        Prefixes x;
        take_apart(p, n, x);
        double hi = carry.hi, lo = carry.lo;
        std::int64_t exponent = carry.exponent, mark = carry.mark, lost = 0;
        for (std::size_t i = 0; i < n; ++i) {
            const double factor = x.hi[i], product = hi * factor;
            lost |= __builtin_bit_cast(std::int64_t, lo);
            lo = __builtin_fma(lo, factor, __builtin_fma(hi, factor, -product));
            hi = product;
            x.hi[i] = hi;
            x.lo[i] = lo;
            x.bound[i] = carry.bound;
            x.lost[i] = lost;
            x.exponent[i] = exponent += x.exponent[i];
            x.mark[i] = mark |= x.mark[i];
        }
        // Chains of scan_elements lose up to twice as much for each element as those of All::steps.
        const Products view{x.hi, x.lo, x.bound, x.exponent, x.mark, x.lost};
        return certify_products(view, 2 * product_loss(n), n, format, out, failed);
    }

    static SAMESUM_APART std::size_t row(const Carry& carry, const Carry&, const void* x, std::size_t n,
                                         Format format, void* out, std::uint8_t* failed) {
        const char* p = static_cast<const char*>(x);
        if (try_plain_in(format, carry.product, p, n, out)) return 0;
        return in_words(carry.product, p, n, format, out, failed);
    }

    // Float64 takes a way of its own, but for results in narrower formats, which have none.
    static constexpr bool is_double = F::format == Format::f64;
    using Columns = std::conditional_t<is_double, DoubleProductColumns,
                                       ProductColumns<std::conditional_t<is_double, Float32, F>>>;

    static void start(void* tile, const Carry* carries, std::size_t n) {
        Tile::init(tile, n);
        start_products(*static_cast<Tile*>(tile), carries, n);
    }

    static std::size_t column(void* tile, const void* x, std::size_t n, std::size_t depth, Format format,
                              void* out, std::uint8_t* failed) {
        Tile& t = *static_cast<Tile*>(tile);
        All::multiply_rows(t, static_cast<const char*>(x), 0, 1, n);
        const std::size_t since = depth % All::steps + 1;
        const double extra = product_loss(since);
        const Products view{t.hi, t.lo, t.bound, t.exponent, t.mark, t.lost};
        const std::size_t failures = certify_products(view, extra, n, format, out, failed);
        if (since == All::steps) t.normalise(n, extra);
        return failures;
    }

    static constexpr std::size_t least_part = scan_elements;
    using Lines = LineScan<F, Columns>;
    using ShortLines = ShortLineScan<F, Columns>;

    static constexpr ScanMethod method(Format to) {
        const bool has_columns = !is_double || to == F::format;
        ScanMethod m{{}, total, join, row, Tile::init, has_columns ? Columns::columns : each_row<column>};
        if (to == F::format) take_lines<RealProductScan>(m);
        return m;
    }
};

}  // namespace samesum::SAMESUM_ISA
