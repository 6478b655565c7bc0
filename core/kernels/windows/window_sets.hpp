// Whole sets of few elements whose rows lie anywhere: what windows of arrays are.
#pragma once

#include <algorithm>
#include <cstring>

#include "kernels/short/short_extreme.hpp"
#include "kernels/short/short_sum.hpp"
#include "kernels/vectors/float_formats.hpp"
#include "methods/window_method.hpp"

namespace samesum::SAMESUM_ISA {

// make(vectors, rows, first, to) for as many vectors of `step` sets of elements of `size` bytes as that
// constant says. The last vector may repeat sets of the one before; fewer sets than a vector are copied.
template <std::size_t step, std::size_t size, class Make>
SAMESUM_INLINE bool each_window(const char* const* rows, std::size_t count, std::size_t n, char* out,
                                const Make& make) {
    constexpr std::integral_constant<std::size_t, 1> one;
    constexpr std::integral_constant<std::size_t, 2> two;
    bool certain = true;
    if (n < step) {
        alignas(64) char copies[short_elements * step * size] = {};
        const char* copied[short_elements];
        for (std::size_t r = 0; r < count; ++r) {
            copied[r] = copies + r * step * size;
            std::memcpy(copies + r * step * size, rows[r], n * size);
        }
        alignas(64) char results[step * size];
        certain = make(one, copied, 0, results);
        std::memcpy(out, results, n * size);
        return certain;
    }
    std::size_t j = 0;
    for (; j + 2 * step <= n; j += 2 * step) certain &= make(two, rows, j * size, out + j * size);
    for (; j + step <= n; j += step) certain &= make(one, rows, j * size, out + j * size);
    if (j < n) certain &= make(one, rows, (n - step) * size, out + (n - step) * size);
    return certain;
}

template <class F, Map map, Finalize finalize>
struct WindowSum {
    using Sum = ShortSum<F, map, finalize>;

    static bool make(const char* const* rows, std::size_t count, std::size_t divisor, std::size_t n,
                     char* out) {
        const double number = static_cast<double>(divisor);
        const double inverse = (divisor & (divisor - 1)) == 0 ? 1 / number : 0;  // where it is exact
        return each_window<width, F::size>(
            rows, count, n, out, [=](auto vectors, const char* const* from, std::size_t at, char* to) {
                typename Sum::Part part[vectors];
                for (std::size_t r = 0; r < count; ++r) {
                    const char* p = from[r] + at;
                    for_each_of<vectors>([&](std::size_t k) { Sum::take(part[k], p + k * width * F::size); });
                }
                bool certain = true;
                for_each_of<vectors>([&](std::size_t k) {
                    const Words doubtful = Sum::inexact(part[k]);
                    Verdict<F::format> verdict = Sum::concluded(part[k].sum, number, inverse);
                    if ((Sum::tells || Sum::exact) && any_bit(doubtful | verdict.wrong))
                        verdict = Sum::tested(part[k], doubtful, number);
                    Rounding<F::format>::store_to(to + k * width * F::size, 0, verdict.bits);
                    certain &= !any_bit(verdict.wrong);
                });
                return certain;
            });
    }
};

template <class Key, Format format, bool maximum>
struct WindowExtreme {
    using Keys = FullVector<Key>;
    using All = Extreme<Keys, Key, is_float(format), maximum>;
    static constexpr std::size_t step = sizeof(Keys) / sizeof(Key);

    static bool make(const char* const* rows, std::size_t count, std::size_t, std::size_t n, char* out) {
        return each_window<step, sizeof(Key)>(
            rows, count, n, out, [=](auto vectors, const char* const* from, std::size_t at, char* to) {
                All all[vectors];
                for (All& each : all) each = All::none();
                for (std::size_t r = 0; r < count; ++r) {
                    const char* p = from[r] + at;
                    for_each_of<vectors>(
                        [&](std::size_t k) { all[k].take(load<Keys>(p + k * sizeof(Keys))); });
                }
                for_each_of<vectors>(
                    [&](std::size_t k) { store(to + k * sizeof(Keys), all[k].result(format)); });
                return true;
            });
    }
};

}  // namespace samesum::SAMESUM_ISA
