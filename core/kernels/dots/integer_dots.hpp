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
        return times(load<Integer>(a + i * sizeof(Integer)), load<Integer>(b + i * sizeof(Integer)));
    }

    static SAMESUM_INLINE Integer sum(Integer a, Integer b) { return static_cast<Integer>(a + b); }

    static void lanes(void* tile, std::size_t j, const void* pair, std::size_t n, std::ptrdiff_t row_stride,
                      std::size_t rows) {
        constexpr std::size_t step = 4 * vector_bytes / sizeof(Integer);
        Integer* const totals = static_cast<Integer*>(tile) + j;
        const PairRows& all = *static_cast<const PairRows*>(pair);
        for (std::size_t r = 0; r < rows; ++r) {
            const char* x = all.x + static_cast<std::ptrdiff_t>(r) * row_stride;
            const char* y = all.other + static_cast<std::ptrdiff_t>(r) * all.other_stride;
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

    static void columns(void* tile, const void* pair, std::ptrdiff_t row_stride, std::size_t rows,
                        std::size_t n) {
        Integer* const totals = static_cast<Integer*>(tile);
        const PairRows& all = *static_cast<const PairRows*>(pair);
        const char *a = all.x, *b = all.other;
        for (std::size_t r = 0; r < rows; ++r, a += row_stride, b += all.other_stride) {
            prefetch<64>(a + 4 * row_stride);
            if (all.repeats) {
                const Integer same = load<Integer>(b);
                for (std::size_t k = 0; k < n; ++k)
                    totals[k] = sum(totals[k], times(load<Integer>(a + k * sizeof same), same));
            } else {
                for (std::size_t k = 0; k < n; ++k) totals[k] = sum(totals[k], product(a, b, k));
            }
        }
    }

    static constexpr Method method() {
        return {tile_columns, Totals::init, lanes, columns, each_merge<Totals::merge>, Totals::finish};
    }
};

}  // namespace samesum::SAMESUM_ISA
