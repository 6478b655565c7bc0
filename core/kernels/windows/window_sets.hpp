// Whole sets of few elements whose rows lie anywhere: what windows of arrays are.
#pragma once

#include <algorithm>
#include <cstring>
#include <limits>
#include <type_traits>

#include "kernels/short/short_extreme.hpp"
#include "kernels/short/short_sum.hpp"
#include "kernels/vectors/float_formats.hpp"
#include "kernels/windows/window_columns.hpp"
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

    static bool make(const WindowElements& all, std::size_t divisor, std::size_t n, char* out) {
        if constexpr (looks_at_all)
            if (lie_close(all)) return made_exactly(all, divisor, n, out);
        return made<false>(all, divisor, n, out);
    }

  private:
    // Means alone: code for the others would not pay.
    static constexpr bool looks_at_all = finalize == Finalize::over_count && (Sum::tells || Sum::exact);

    // Whether the sums of all sets are exact and finite, since the elements of all of them together lie
    // close: as ShortSum tells of one set, in the integers of the format.
    static bool lie_close(const WindowElements& all) {
        using Size = std::conditional_t<F::size == 4, std::uint32_t, std::uint16_t>;
        typedef Size Sizes __attribute__((vector_size(vector_bytes)));
        constexpr std::size_t step = elements_of<Sizes>;
        constexpr Size octave = Size{2} * (infinity_bits(F::format) & (~infinity_bits(F::format) + 1)),
                       infinity_doubled = static_cast<Size>(2 * infinity_bits(F::format));
        Sizes greatest = {}, least = ~Sizes{};
        const auto take = [&](Sizes bits) SAMESUM_INLINED {
            const Sizes size = bits << 1, less = size - 1;
            greatest = greatest > size ? greatest : size;
            least = least < less ? least : less;
        };
        for (std::size_t s = 0; s < all.span_count; ++s) {
            const auto [data, count] = all.spans[s];
            for (std::size_t i = 0; i + step < count; i += step) take(load<Sizes>(data + i * F::size));
            Sizes last = {};
            if (count >= step)
                last = load<Sizes>(data + (count - step) * F::size);
            else
                std::memcpy(&last, data, count * F::size);
            take(last);
        }
        const Size most = across(greatest, [](Sizes a, Sizes b) { return a > b ? a : b; }),
                   fewest = across(least, [](Sizes a, Sizes b) { return a < b ? a : b; });
        return most < infinity_doubled &&
               (Sum::exact || static_cast<Size>(most - fewest) <= Sum::exponents * octave);
    }

    // The mean of an exact finite sum. One step makes a product with the inverse the nearest quotient
    // (Markstein).
    static SAMESUM_INLINE Doubles exactly_finished(Doubles sum, double number) {
        if constexpr (has_fused) {
            const Doubles inverse = Doubles{} + 1 / number, quotient = sum * inverse;
            return fused(fused(-quotient, Doubles{} + number, sum), inverse, quotient);
        } else {
            return Sum::finished(sum, number, 0);
        }
    }

    static bool made_exactly(const WindowElements& all, std::size_t divisor, std::size_t n, char* out) {
        using State = ColumnSum<F>;
        if (!WindowColumns<State>::serves(all, n)) return made<true>(all, divisor, n, out);
        WindowColumns<State> columns(all, n);
        typename State::Seen seen;
        const double number = static_cast<double>(divisor);
        columns.make(n, out, seen, [=](const State& state, char* to) SAMESUM_INLINED {
            const Doubles sum = Doubles{} + state.part[0];  // zero where all are -0
            Rounding<F::format>::store_to(to, 0,
                                          Rounding<F::format>::of_number(exactly_finished(sum, number)));
        });
        return true;
    }

    template <bool is_exact>
    static bool made(const WindowElements& all, std::size_t divisor, std::size_t n, char* out) {
        const double number = static_cast<double>(divisor);
        const double inverse = (divisor & (divisor - 1)) == 0 ? 1 / number : 0;  // where it is exact
        const std::size_t count = all.count;
        return each_window<width, F::size>(
            all.rows, count, n, out, [=](auto vectors, const char* const* from, std::size_t at, char* to) {
                typename Sum::Part part[vectors];
                for (std::size_t r = 0; r < count; ++r) {
                    const char* p = from[r] + at;
                    for_each_of<vectors>([&](std::size_t k) {
                        Sum::template take<!is_exact>(part[k], p + k * width * F::size);
                    });
                }
                bool certain = true;
                for_each_of<vectors>([&](std::size_t k) {
                    char* const here = to + k * width * F::size;
                    if constexpr (is_exact) {
                        const Doubles value = exactly_finished(part[k].sum, number);
                        Rounding<F::format>::store_to(here, 0, Rounding<F::format>::of_number(value));
                        return;
                    }
                    const Words doubtful = Sum::inexact(part[k]);
                    Verdict<F::format> verdict = Sum::concluded(part[k].sum, number, inverse);
                    if ((Sum::tells || Sum::exact) && any_bit(doubtful | verdict.wrong))
                        verdict = Sum::tested(part[k], doubtful, number);
                    Rounding<F::format>::store_to(here, 0, verdict.bits);
                    certain &= !any_bit(verdict.wrong);
                });
                return certain;
            });
    }
};

// Of floats of up to 32 bits: the same code for all formats of a size.
template <class Key, bool maximum>
struct BitExtremes {
    using State = ColumnExtreme<Key, maximum>;
    using Seen = typename State::Seen;
    struct Put {
        SAMESUM_INLINE void operator()(const State& state, char* to) const { state.put(to); }
    };

    static __attribute__((noinline)) void by_window(const WindowElements& all, std::size_t n, char* out,
                                                    Seen& all_seen) {
        constexpr std::size_t step = State::step, size = State::size;
        const std::size_t count = all.count;
        Seen seen;
        each_window<step, size>(
            all.rows, count, n, out, [&](auto vectors, const char* const* from, std::size_t at, char* to) {
                State state[vectors];
                for_each_of<vectors>(
                    [&](std::size_t k) { state[k] = State::of(from[0] + at + k * step * size, seen); });
                for (std::size_t r = 1; r < count; ++r)
                    for_each_of<vectors>(
                        [&](std::size_t k) { state[k].take(from[r] + at + k * step * size, seen); });
                for_each_of<vectors>([&](std::size_t k) {
                    state[k].note(seen);
                    state[k].put(to + k * step * size);
                });
                return true;
            });
        all_seen = seen;
    }
};

// False where there is a NaN.
template <class Key, Format format, bool maximum>
struct WindowExtreme {
    using Extremes = BitExtremes<Key, maximum>;
    using Columns = WindowColumns<typename Extremes::State>;

    static bool make(const WindowElements& all, std::size_t, std::size_t n, char* out) {
        typename Extremes::Seen seen;
        if (Columns::serves(all, n))
            Columns(all, n).make(n, out, seen, typename Extremes::Put{});
        else
            Extremes::by_window(all, n, out, seen);
        return !seen.has_nan(format);
    }
};

// Integers, and floats of 64 bits, for whose integers without a sign few instructions are made, go by keys.
template <class Key, Format format, bool maximum>
    requires(!is_float(format) || sizeof(Key) == 8)
struct WindowExtreme<Key, format, maximum> {
    using Keys = FullVector<Key>;
    using State = Extreme<Keys, Key, is_float(format), maximum>;
    static constexpr std::size_t step = sizeof(Keys) / sizeof(Key);

    static bool make(const WindowElements& all, std::size_t, std::size_t n, char* out) {
        const std::size_t count = all.count;
        return each_window<step, sizeof(Key)>(
            all.rows, count, n, out, [=](auto vectors, const char* const* from, std::size_t at, char* to) {
                State state[vectors];
                for (State& each : state) each = State::none();
                for (std::size_t r = 0; r < count; ++r) {
                    const char* p = from[r] + at;
                    for_each_of<vectors>(
                        [&](std::size_t k) { state[k].take(load<Keys>(p + k * sizeof(Keys))); });
                }
                for_each_of<vectors>(
                    [&](std::size_t k) { store(to + k * sizeof(Keys), state[k].result(format)); });
                return true;
            });
    }
};

}  // namespace samesum::SAMESUM_ISA
