// Prefixes modulo 2^k of columns, many rows at a time.
#pragma once

#include <algorithm>

#include "kernels/integers/modular.hpp"
#include "methods/scan_method.hpp"

namespace samesum::SAMESUM_ISA {

template <class Integer, class Total, bool product>
struct ModularStrips {
    static constexpr std::size_t size = sizeof(Integer);
    using Strip = StripOf<Total>;

    static constexpr std::size_t most_strips = 8;

    // Strips from the columns `first` on, whose totals stay in registers. For fewer than there are registers
    // each row has a branch that is always foreseen: code for each number of strips was as large for each.
    struct Rows {
        std::size_t strips;
        Strip now[most_strips];
        std::size_t first[most_strips];
        std::ptrdiff_t next, next_out;  // from a row to the one that is asked for

        SAMESUM_INLINE void scan(const ScanRows& all) {
            Rows rows{strips, {}, {}, next, next_out};  // without variable places they stay in registers
            for_each_of<most_strips>([&](std::size_t k) {
                rows.now[k] = now[k];
                rows.first[k] = first[k];
            });
            const char* x = all.x;
            char* out = all.out;
            const std::ptrdiff_t in = all.in, to = all.to;
            for (std::size_t left = all.rows; left > 0; --left, x += in, out += to) {
                asm volatile("" : "+r"(rows.strips));  // or GCC makes a loop for each number
                rows.template take<0>(x, out);
            }
            for_each_of<most_strips>([&](std::size_t k) { now[k] = rows.now[k]; });
        }

        // Strips that begin a line of the cache, if the rows do, ask for that of a row to come.
        template <std::size_t k>
        SAMESUM_INLINE void take(const char* x, char* out) {
            const char* p = x + first[k] * size;
            char* to = out + first[k] * sizeof(Total);
            if (k * width * size % 64 == 0) __builtin_prefetch(p + next);
            if (k * width * sizeof(Total) % 64 == 0) __builtin_prefetch(to + next_out, 1);
            now[k] = product ? now[k] * strip_of<Integer, Total>(p) : now[k] + strip_of<Integer, Total>(p);
            store(to, now[k]);
            if constexpr (k + 1 < most_strips) {
                if (strips > k + 1) take<k + 1>(x, out);
            }
        }
    };

    // Columns of more rows than scan_rows; the last strip begins among the columns of the one before.
    static SAMESUM_APART void scan(Total* total, const ScanRows& all) {
        const std::size_t count = (all.n + width - 1) / width, end = all.n - width;
        const Strip last = load<Strip>(total + end);
        const auto ahead = static_cast<std::ptrdiff_t>(rows_prefetch_distance / (all.n * sizeof(Total)));
        for (std::size_t k = 0; k < count;) {
            const std::size_t passes = (count - k + most_strips - 1) / most_strips,
                              strips = (count - k + passes - 1) / passes;
            Rows some{strips, {}, {}, ahead * all.in, ahead * all.to};
            for (std::size_t i = 0; i < strips; ++i) {
                some.first[i] = std::min((k + i) * width, end);
                some.now[i] = load<Strip>(total + some.first[i]);
            }
            k += strips;
            if (k == count) some.now[strips - 1] = last;
            some.scan(all);
            for (std::size_t i = 0; i < strips; ++i) store(total + some.first[i], some.now[i]);
        }
    }
};

}  // namespace samesum::SAMESUM_ISA
