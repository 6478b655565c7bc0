// Prefix products of floats: of a block of a row after a carry, and of rows of columns.
#pragma once

#include "kernels/product.hpp"

namespace samesum::SAMESUM_ISA {

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

    static void total(Carry& carry, const void* x, std::size_t n) {
        Tile tile;
        set(tile, 0, carry.product);
        All::lane(&tile, 0, x, n);
        carry.product = get(tile, 0);
    }

    static void join(Carry& carry, const Carry& part) {
        Tile tile, from;
        set(tile, 0, carry.product);
        set(from, 0, part.product);
        All::merge(&tile, 0, &from, 0);
        carry.product = get(tile, 0);
    }

    // The elements of a block taken apart.
    struct Block {
        alignas(64) double significand[scan_elements + width];
        alignas(64) std::int64_t exponent[scan_elements + width];
        alignas(64) std::int64_t mark[scan_elements + width];
    };

    static void take_apart(const char* p, std::size_t n, Block& block) {
        for (std::size_t i = 0; i < n; i += width, p += width * F::size) {
            Factors one = Factors::one();
            Longs marks = {};
            if (n - i < width)
                All::multiply_rest(p, n - i, one, marks);
            else
                All::multiply_any(one, marks, F::doubles(p));
            store(block.significand + i, one.hi);
            store(block.exponent + i, one.exponent);
            store(block.mark + i, marks);
        }
    }

    static std::size_t row(Carry& carry, const void* x, std::size_t n, Format format, void* out,
                           std::uint8_t* failed) {
        Block block;
        Tile prefix;
        take_apart(static_cast<const char*>(x), n, block);
        double hi = carry.product.hi, lo = carry.product.lo;
        std::int64_t exponent = carry.product.exponent, mark = carry.product.mark, lost = 0;
        for (std::size_t i = 0; i < n; ++i) {
            const double factor = block.significand[i], product = hi * factor;
            lost |= __builtin_bit_cast(std::int64_t, lo);
            lo = __builtin_fma(lo, factor, __builtin_fma(hi, factor, -product));
            hi = product;
            prefix.hi[i] = hi;
            prefix.lo[i] = lo;
            prefix.lost[i] = lost;
            prefix.exponent[i] = exponent += block.exponent[i];
            prefix.mark[i] = mark |= block.mark[i];
        }
        for (std::size_t i = 0; i < n; ++i) prefix.bound[i] = carry.product.bound;
        // Chains of scan_elements lose up to twice as much per element as those of All::steps.
        const double extra = 2 * All::lost_by(n);
        Tile last;
        set(last, 0, {hi, lo, carry.product.bound, exponent, mark});
        last.lost[0] = lost;
        All::normalise_columns(last, 1, extra);
        carry.product = get(last, 0);
        return certify_products(view_of(prefix), extra, n, format, out, failed);
    }

    static Products view_of(const Tile& t) { return {t.hi, t.lo, t.bound, t.exponent, t.mark, t.lost}; }

    static void init(void* tile, std::size_t n) { All::init(tile, n); }

    static std::size_t column(void* tile, const void* x, std::size_t n, std::size_t depth, Format format,
                              void* out, std::uint8_t* failed) {
        Tile& t = *static_cast<Tile*>(tile);
        const std::size_t since = depth % All::steps;
        const char* p = static_cast<const char*>(x);
        for (std::size_t j = 0; j < n; j += width) All::multiply_rows(t, j, p + j * F::size, 0, 1, n - j);
        const double extra = All::lost_by(since + 1);
        const std::size_t failures = certify_products(view_of(t), extra, n, format, out, failed);
        if (since + 1 == All::steps) All::normalise_columns(t, n, extra);
        return failures;
    }

    static constexpr ScanMethod method() { return {{}, total, join, row, init, column}; }
};

}  // namespace samesum::SAMESUM_ISA
