// The error function and the normal distribution near the values of a table, for results in float64.
//
// f(z + h) = f(z) + f'(z) (h + h q) with q = t(1) + t(2) + ..., t(0) = 1, where a step of the recurrence of
// the Hermite polynomials leads from one term to the next: e^(-c z t - c t^2 / 2) is the sum of their
// multiples, with c = 2 for the error function and 1 for the normal distribution.
#pragma once

#include <atomic>
#include <new>

#include "kernels/elementwise/double_words.hpp"
#include "kernels/vectors/tables.hpp"

namespace samesum::SAMESUM_ISA {

// Values and slopes in two words at multiples of 1 / 64; 6 is the last one.
struct ErrorTable {
    static constexpr std::size_t last = 6 * 64, rows = 512;  // a power of two
    static constexpr int terms = 8;

    alignas(64) double row[rows * 4];

    // From `value` and `slope`, which give vectors of them in two words.
    template <class Value, class Slope>
    static SAMESUM_INLINE ErrorTable made(const Value& value, const Slope& slope) {
        ErrorTable table{};
        for (std::size_t i = 0; i <= last; i += width) {
            Doubles z = {};
            for (std::size_t k = 0; k < width; ++k) z[k] = static_cast<double>(i + k) / 64;
            const DoubleWord f = value(z), d = slope(z);
            for (std::size_t k = 0; k < width; ++k) {
                double* const to = table.row + (i + k) * 4;
                to[0] = f.hi[k], to[1] = f.lo[k], to[2] = d.hi[k], to[3] = d.lo[k];
            }
        }
        return table;
    }

    // Of z from 0 to 6. What is left out and what is rounded in q is below 2^-50 of its first terms, times
    // the slope; all else below 1.5 2^-63 of the result. (Lemma 82)
    SAMESUM_INLINE BoundedWord near(Doubles z, double c) const {
        const Doubles none = {}, whole = none + to_integer, shifted = fused(z, none + 64, whole);
        const Doubles number = shifted - whole, h = fused(-number, none + 1.0 / 64, z);
        const Longs places = reinterpret_cast<Longs>(shifted);
        Doubles found[4];
        looked_up_rows(row, places & (static_cast<std::int64_t>(rows) - 1), found);
        const Doubles s = number * (-c / 64) * h, g = c * (h * h);
        Doubles q = {}, before = none + 1, term = 0.5 * s, all[terms];
        for (int n = 1; n <= terms; ++n) {
            all[n - 1] = term;
            const double above = n + 2, below = n / ((n + 1) * above);
            const Doubles next = s * (1 / above) * term - below * g * before;
            before = term;
            term = next;
        }
        for (int n = terms; n-- > 0;) q += all[n];
        const Doubles p = found[2] * h, error = fused(found[2], h, -p);
        const Doubles low = fused(p, q, fused(found[3], h, error));
        const DoubleWord sum = ordered_sum(found[0], p);
        const Doubles bound = magnitude(p) * ((magnitude(s) + g) * 0x1p-50) + magnitude(sum.hi) * 0x1.8p-63;
        return {{sum.hi, sum.lo + (found[1] + low)}, bound};
    }
};

template <class Function>
__attribute__((noinline)) const ErrorTable* published(std::atomic<const ErrorTable*>& to) {
    const ErrorTable* const own = new (std::nothrow) ErrorTable(Function::made_table());
    const ErrorTable* first = nullptr;
    if (own == nullptr || to.compare_exchange_strong(first, own)) return own;
    delete own;
    return first;
}

// The table of a function, made on the first call, or null without memory. No lock is held meanwhile: a
// process that forks then would find it held for good.
template <class Function>
SAMESUM_INLINE const ErrorTable* table_of() {
    static std::atomic<const ErrorTable*> table{nullptr};
    const ErrorTable* const found = table.load(std::memory_order_acquire);
    return __builtin_expect(found != nullptr, true) ? found : published<Function>(table);
}

// `near` of the table, of which nothing is certain if there is none.
template <class Function>
SAMESUM_INLINE BoundedWord near_table(Doubles z, double c) {
    const ErrorTable* const table = table_of<Function>();
    const Doubles none = {};
    if (table == nullptr) return {{none, none}, none + infinity};
    return table->near(z, c);
}

}  // namespace samesum::SAMESUM_ISA
