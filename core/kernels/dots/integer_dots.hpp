// Dot products of integers modulo 2^k, in loops that compilers make vectors of.
#pragma once

#include "kernels/integers/modular_totals.hpp"
#include "methods/dot_method.hpp"

namespace samesum::SAMESUM_ISA {

template <class Integer>
struct IntegerDots {
    using Totals = ModularTotals<Integer>;

    // Through unsigned int, for 16-bit products would otherwise overflow a signed one.
    static SAMESUM_INLINE Integer times(Integer a, Integer b) {
        return static_cast<Integer>(std::common_type_t<Integer, unsigned>{a} * b);
    }

    static SAMESUM_INLINE Integer product(const char* a, const char* b, std::size_t i) {
        Integer x, y;
        __builtin_memcpy(&x, a + i * sizeof x, sizeof x);
        __builtin_memcpy(&y, b + i * sizeof y, sizeof y);
        return times(x, y);
    }

    static SAMESUM_INLINE Integer sum(Integer a, Integer b) { return static_cast<Integer>(a + b); }

    static void lanes(void* tile, std::size_t j, const char* const* a, const char* const* b, std::size_t n,
                      std::size_t rows) {
        constexpr std::size_t step = 4 * vector_bytes / sizeof(Integer);
        Integer* const totals = static_cast<Integer*>(tile) + j;
        for (std::size_t r = 0; r < rows; ++r) {
            const char *x = a[r], *y = b[r];
            Integer total = totals[r], part[step] = {};
            std::size_t i = 0;
            for (; i + step <= n; i += step, x += step * sizeof(Integer), y += step * sizeof(Integer)) {
                prefetch_run<step * sizeof(Integer)>(x);
                prefetch_run<step * sizeof(Integer)>(y);
                for (std::size_t k = 0; k < step; ++k) part[k] = sum(part[k], product(x, y, k));
            }
            for (std::size_t k = 0; i > 0 && k < step; ++k) total = sum(total, part[k]);
            for (std::size_t k = 0; k < n - i; ++k) total = sum(total, product(x, y, k));
            totals[r] = total;
        }
    }

    static void columns(void* tile, std::size_t j, const DotRows& all) {
        Integer* const totals = static_cast<Integer*>(tile) + j;
        const char *a = all.a, *b = all.b;
        for (std::size_t r = 0; r < all.rows; ++r, a += all.a_stride, b += all.b_stride) {
            prefetch<64>(a + 4 * all.a_stride);
            if (all.repeats) {
                Integer same;
                __builtin_memcpy(&same, b, sizeof same);
                for (std::size_t k = 0; k < all.n; ++k) {
                    Integer x;
                    __builtin_memcpy(&x, a + k * sizeof x, sizeof x);
                    totals[k] = sum(totals[k], times(x, same));
                }
            } else {
                for (std::size_t k = 0; k < all.n; ++k) totals[k] = sum(totals[k], product(a, b, k));
            }
        }
    }

    static std::size_t finish(void* tile, std::size_t j, std::size_t n, double, Format, void* out,
                              std::uint8_t*) {
        std::memcpy(out, static_cast<const Integer*>(tile) + j, n * sizeof(Integer));
        return 0;
    }

    static constexpr DotMethod method() {
        return {Totals::init, lanes, columns, Totals::merge, finish, nullptr};
    }
};

}  // namespace samesum::SAMESUM_ISA
