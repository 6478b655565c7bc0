// Whole sets of few elements whose rows lie anywhere: what windows of arrays are.
#pragma once

#include <algorithm>
#include <cstring>
#include <limits>
#include <type_traits>

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

    static bool make(const WindowElements& all, std::size_t divisor, std::size_t n, char* out) {
        if constexpr (looks_at_all)
            if (lie_close(all)) return made<true>(all, divisor, n, out);
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

// Extremes of floats by their bits alone, as integers with a sign and without. Of some that are not negative
// the order is that of the integers; of negative ones it is reversed, and the greatest without a sign is the
// least number, the least with a sign the greatest number.
template <class Key, bool maximum>
struct BitExtreme {
    using Keys = FullVector<Key>;
    using Bits = FullVector<std::make_unsigned_t<Key>>;
    Keys most, least;
    Bits farthest;

    static SAMESUM_INLINE BitExtreme none() {
        return {Keys{} + std::numeric_limits<Key>::min(), Keys{} + std::numeric_limits<Key>::max(), Bits{}};
    }
    SAMESUM_INLINE void take(Keys x) {
        x = loaded(x);
        const Bits bits = reinterpret_cast<Bits>(x);
        most = most > x ? most : x;
        least = least < x ? least : x;
        farthest = farthest > bits ? farthest : bits;
    }
    SAMESUM_INLINE Keys result(Format format) const {
        const Key infinity = static_cast<Key>(infinity_bits(format));
        const auto negative =
            static_cast<std::make_unsigned_t<Key>>(infinity_bits(format) | sign_bit(format));
        const Keys below = reinterpret_cast<Keys>(farthest);
        const Keys number = maximum ? (most < 0 ? least : most) : (below < 0 ? below : least);
        const Keys is_nan = (most > infinity) | reinterpret_cast<Keys>(farthest > negative);
        return is_nan ? Keys{} + static_cast<Key>(canonical_nan(format)) : number;
    }
};

// Integers, and floats of 64 bits, for whose integers without a sign few instructions are made, go by keys.
template <class Key, Format format, bool maximum>
struct WindowExtreme {
    using Keys = FullVector<Key>;
    using State = std::conditional_t<is_float(format) && sizeof(Key) <= 4, BitExtreme<Key, maximum>,
                                     Extreme<Keys, Key, is_float(format), maximum>>;
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
