// Whole sets of few elements, from the elements to the results in registers. Row r holds element r of each
// set.
#pragma once

#include <type_traits>

#include "kernels/certify/certify.hpp"
#include "kernels/vectors/rounding.hpp"
#include "kernels/vectors/vectors.hpp"
#include "methods/short_method.hpp"

namespace samesum::SAMESUM_ISA {

// A vector's worth of sets.
struct ShortRows {
    const char* p;
    std::ptrdiff_t stride;
    std::size_t count;
};

// Of a value that is off by less than `lost`, relatively.
template <Format format>
SAMESUM_INLINE Verdict<format> nearly(Doubles value, double lost) {
    const auto low = Rounding<format>::of(value * (1 - lost)),
               high = Rounding<format>::of(value * (1 + lost));
    return {low, Rounding<format>::different(low, high)};
}

// The same of a double-word that is off by less than `lost` of its first word.
SAMESUM_INLINE Verdict<Format::f64> nearly(Doubles value, Doubles rest, double lost) {
    const Doubles bound = samesum::SAMESUM_ISA::magnitude(value) * lost;
    const Doubles low = value + (rest - bound), high = value + (rest + bound);
    return {reinterpret_cast<Longs>(low), narrowed_mask(low != high)};
}

// Rows that lie apart are as many streams, of which the next lines are asked for.
SAMESUM_INLINE void ask_ahead(const ShortRows& rows, std::size_t at) {
    constexpr std::ptrdiff_t apart = 4096;
    constexpr std::size_t line = 64, ahead = 2048;
    if (at % line > 0 || rows.stride < apart) return;
    const char* p = rows.p + at + ahead;
    for (std::size_t r = 0; r < rows.count; ++r, p += rows.stride) __builtin_prefetch(p);
}

// make(vectors, rows, j) for sets j and on, as many vectors of `step` of them as that constant says:
// `together` as long as there are as many, then one; of elements of `size` bytes. A last part of a vector is
// made of a copy, with zeros for what is missing.
template <std::size_t together, std::size_t step, std::size_t size, class Make>
SAMESUM_INLINE void each_short_group(const ShortRows& rows, std::size_t n, const Make& make) {
    std::size_t j = 0;
    const auto make_whole = [&](auto vectors) {
        for (; j + vectors * step <= n; j += vectors * step) {
            for (std::size_t k = 0; k < vectors; ++k) ask_ahead(rows, (j + k * step) * size);
            make(vectors, ShortRows{rows.p + j * size, rows.stride, rows.count}, j);
        }
    };
    constexpr std::integral_constant<std::size_t, 1> one;
    if constexpr (together > 1) make_whole(std::integral_constant<std::size_t, together>{});
    make_whole(one);
    if (j == n) return;
    constexpr std::size_t bytes = step * size;
    alignas(64) char copy[short_elements * bytes] = {};
    for (std::size_t r = 0; r < rows.count; ++r) {
        const char* row = rows.p + static_cast<std::ptrdiff_t>(r) * rows.stride;
        std::memcpy(copy + r * bytes, row + j * size, (n - j) * size);
    }
    make(one, ShortRows{copy, static_cast<std::ptrdiff_t>(bytes), rows.count}, j);
}

// The same of one vector at a time.
template <std::size_t step, std::size_t size, class Make>
SAMESUM_INLINE void each_short(const ShortRows& rows, std::size_t n, const Make& make) {
    each_short_group<1, step, size>(rows, n,
                                    [&](auto, const ShortRows& some, std::size_t j) { make(some, j); });
}

// put(to) writes `step` results of `size` bytes to place j of n of them, or elsewhere if there are not as
// many.
template <std::size_t step, std::size_t size, class Put>
SAMESUM_INLINE void put_short(void* out, std::size_t j, std::size_t n, const Put& put) {
    char* const to = static_cast<char*>(out) + j * size;
    if (n - j >= step) return put(to);
    char last[step * size];
    put(last);
    std::memcpy(to, last, (n - j) * size);
}

// The results, of the elements' format, of what never fails: of(rows) are those of a vector of sets.
template <class Vector, class Of>
SAMESUM_INLINE std::size_t write_sure(const ShortRows& rows, std::size_t n, void* out, std::uint8_t* failed,
                                      const Of& of) {
    constexpr std::size_t size = sizeof(Vector{}[0]), step = sizeof(Vector) / size;
    std::memset(failed, 0, n);
    each_short<step, size>(rows, n, [&](const ShortRows& some, std::size_t j) {
        put_short<step, size>(out, j, n, [&](char* to) { store(to, of(some)); });
    });
    return 0;
}

// Writes the results of sets j and on, and which of them failed; returns how many.
template <class F>
SAMESUM_INLINE std::size_t put_verdict(const Verdict<F::format>& verdict, void* out, std::size_t j,
                                       std::size_t n, std::uint8_t* failed) {
    put_short<width, size_of(F::format)>(
        out, j, n, [&](char* to) { Rounding<F::format>::store_to(to, 0, verdict.bits); });
    std::size_t failures = 0;
    if (!any_bit(verdict.wrong)) return failures;
    for (std::size_t k = 0; k < width && k < n - j; ++k) {
        failed[j + k] = verdict.wrong[k] != 0;
        failures += failed[j + k];
    }
    return failures;
}

// The results from the verdicts on one vector of `width` sets, or on two, whose chains of operations overlap
// so: each begins with the state `none`, take(state, p) adds the elements at p, and conclude(state, rows) is
// the verdict.
template <class F, class State, class Take, class Conclude>
SAMESUM_INLINE std::size_t write_short_sets(const ShortRows& rows, std::size_t n, void* out,
                                            std::uint8_t* failed, const State& none, const Take& take,
                                            const Conclude& conclude) {
    constexpr Format format = F::format;
    std::size_t failures = 0;
    std::memset(failed, 0, n);
    each_short_group<2, width, F::size>(rows, n, [&](auto vectors, const ShortRows& some, std::size_t first) {
        State state[vectors];
        for_each_of<vectors>([&](std::size_t v) { state[v] = none; });
        const char* p = some.p;
        for (std::size_t r = 0; r < some.count; ++r, p += some.stride)
            for_each_of<vectors>([&](std::size_t v) { take(state[v], p + v * width * F::size); });
        for_each_of<vectors>([&](std::size_t v) {
            const Verdict<format> verdict =
                conclude(state[v], ShortRows{some.p + v * width * F::size, some.stride, some.count});
            failures += put_verdict<F>(verdict, out, first + v * width, n, failed);
        });
    });
    return failures;
}

// The same of one vector at a time: verdict_of(rows).
template <class F, class VerdictOf>
SAMESUM_INLINE std::size_t write_short(const ShortRows& rows, std::size_t n, void* out, std::uint8_t* failed,
                                       const VerdictOf& verdict_of) {
    std::size_t failures = 0;
    std::memset(failed, 0, n);
    each_short<width, F::size>(rows, n, [&](const ShortRows& some, std::size_t j) {
        failures += put_verdict<F>(verdict_of(some), out, j, n, failed);
    });
    return failures;
}

}  // namespace samesum::SAMESUM_ISA
