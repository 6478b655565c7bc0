// Prefixes modulo 2^k of columns, many rows at a time.
#pragma once

#include <algorithm>

#include "kernels/vectors/widening.hpp"
#include "methods/scan_method.hpp"

namespace samesum::SAMESUM_ISA {

template <class Integer, class Total, bool product>
struct ModularStrips {
    static constexpr std::size_t size = sizeof(Integer);
    typedef Total Strip __attribute__((vector_size(width * sizeof(Total))));

    static SAMESUM_INLINE Strip strip_at(const char* p) {
        if constexpr (size == sizeof(Total)) {
            return load<Strip>(p);
        } else {
            using Wide = std::conditional_t<std::is_signed_v<Integer>, std::make_signed_t<Total>, Total>;
            return reinterpret_cast<Strip>(widened_from<Wide, Integer>(p));
        }
    }

    // Rows of some strips, from the columns `first` on, whose totals stay in registers. Strips that begin a
    // line of the cache, if the rows do, ask for that of a row to come.
    template <std::size_t strips>
    static SAMESUM_INLINE void scan_strips(Strip* totals, const std::size_t* first, const ScanRows& all) {
        // Copies, which stores cannot change.
        const std::size_t rows = all.rows, ahead = rows_prefetch_distance / (all.n * sizeof(Total));
        const std::ptrdiff_t in = all.in, out_step = all.to, next = static_cast<std::ptrdiff_t>(ahead) * in,
                             next_out = static_cast<std::ptrdiff_t>(ahead) * out_step;
        std::size_t from[strips];
        Strip now[strips];
        for (std::size_t k = 0; k < strips; ++k) {
            from[k] = first[k];
            now[k] = totals[k];
        }
        const char* x = all.x;
        char* out = all.out;
        for (std::size_t r = 0; r < rows; ++r, x += in, out += out_step) {
#pragma GCC unroll 8
            for (std::size_t k = 0; k < strips; ++k) {
                const char* p = x + from[k] * size;
                char* to = out + from[k] * sizeof(Total);
                if (k * width * size % 64 == 0) __builtin_prefetch(p + next);
                if (k * width * sizeof(Total) % 64 == 0) __builtin_prefetch(to + next_out, 1);
                now[k] = product ? now[k] * strip_at(p) : now[k] + strip_at(p);
                store(to, now[k]);
            }
        }
        for (std::size_t k = 0; k < strips; ++k) totals[k] = now[k];
    }

    static constexpr std::size_t most_strips = 8;

    template <std::size_t strips = most_strips>
    static SAMESUM_INLINE void scan_up_to(std::size_t count, Strip* totals, const std::size_t* first,
                                          const ScanRows& all) {
        if (count == strips) return scan_strips<strips>(totals, first, all);
        if constexpr (strips > 1) scan_up_to<strips - 1>(count, totals, first, all);
    }

    // Columns of more rows than scan_rows; the last strip begins among the columns of the one before.
    static void scan(Total* total, const ScanRows& all) {
        const std::size_t count = (all.n + width - 1) / width, end = all.n - width;
        const Strip last = load<Strip>(total + end);
        for (std::size_t k = 0; k < count;) {
            const std::size_t passes = (count - k + most_strips - 1) / most_strips,
                              strips = (count - k + passes - 1) / passes;
            Strip totals[most_strips];
            std::size_t first[most_strips];
            for (std::size_t i = 0; i < strips; ++i) {
                first[i] = std::min((k + i) * width, end);
                totals[i] = load<Strip>(total + first[i]);
            }
            k += strips;
            if (k == count) totals[strips - 1] = last;
            scan_up_to(strips, totals, first, all);
            for (std::size_t i = 0; i < strips; ++i) store(total + first[i], totals[i]);
        }
    }
};

}  // namespace samesum::SAMESUM_ISA
