// Loops of functions of one element. A function is a struct with
//   quick(x, y), several vectors of doubles within 2^-`certain_bits` of the results, relatively, where
//       any_outside<format>(x) is false: there a result of the format is a normal number;
//   precise(x), in two words within 2^-66 where the result is a number other than zero, for all x: where it
//       is not, or so far beyond the range of narrow formats that it rounds to that, the first word is all;
//   doubles(x), of `several` vectors, and doubles_everywhere(x), likewise the results in float64;
//   settles_quickly<format>(x, y), of some: whether y is what rounds to the results, or as near as quick's;
//   settles(x, y), whether y is right once it has got what is plain of special elements.
#pragma once

#include "kernels/exponentials/exponential.hpp"
#include "kernels/vectors/double_batches.hpp"
#include "kernels/vectors/float_formats.hpp"

namespace samesum::SAMESUM_ISA {

// take(count, i, x, out) of `count` vectors of elements from number i on, of several where there are as many;
// the last ones may be taken twice. Fewer than a vector are filled up.
template <std::size_t size, std::size_t several, class Take>
SAMESUM_INLINE void each_vector(const void* from, std::size_t n, void* to, const Take& take) {
    const auto single = [&](std::size_t i, const char* p, char* q) {
        take(std::integral_constant<std::size_t, 1>{}, i, p, q);
    };
    const char* const x = static_cast<const char*>(from);
    char* const out = static_cast<char*>(to);
    if (n < width) {
        alignas(64) char some[width * size], results[width * size];
        for (std::size_t k = 0; k < width; ++k)
            std::memcpy(some + k * size, x + (k < n ? k : n - 1) * size, size);
        single(0, some, results);
        std::memcpy(out, results, n * size);
        return;
    }
    std::size_t i = 0;
    for (; i + several * width <= n; i += several * width)
        take(std::integral_constant<std::size_t, several>{}, i, x + i * size, out + i * size);
    for (; i + width <= n; i += width) single(i, x + i * size, out + i * size);
    if (i < n) single(n - width, x + (n - width) * size, out + (n - width) * size);
}

// Whether an element, normal in `format`, is within 2^(error_bits - 53) of itself from the middle of two
// neighbours. (Lemma 58)
template <Format format, int error_bits>
SAMESUM_INLINE bool any_near_tie(Doubles y) {
    constexpr int dropped = 53 - traits_of(format).precision;
    constexpr std::uint64_t unit = 1, tie = unit << (dropped - 1), error = unit << error_bits,
                            mask = (unit << dropped) - 2 * error;
    const UnsignedLongs from_tie = reinterpret_cast<UnsignedLongs>(y) + (tie + error);
    return any_without(from_tie, mask);
}

// The bits of y, which is off by 2^-certain_bits, and normal in `format`; 16-bit formats are rounded by way
// of float32. `uncertain` where it is too near to a tie for that. (Lemma 58)
template <Format format, int certain_bits>
SAMESUM_INLINE typename Rounding<format>::Bits rounded_quickly(Doubles y, bool& uncertain) {
    constexpr bool through_float = size_of(format) == 2;
    static_assert(certain_bits > 24);
    uncertain |= any_near_tie<format, 53 - (through_float ? 23 : certain_bits)>(y);
    if constexpr (through_float)
        return Rounding<format>::of_float(narrowed(y));
    else
        return Rounding<format>::of_number(y);
}

template <class Function>
SAMESUM_INLINE Doubles quick_of_one(Doubles x) {
    const Doubles all[1] = {x};
    Doubles y[1];
    Function::quick(all, y);
    return y[0];
}

constexpr std::uint64_t bits_of(double x) { return __builtin_bit_cast(std::uint64_t, x); }

// Whether an element is NaN or its magnitude is above the limit.
SAMESUM_INLINE bool any_beyond(Doubles x, double limit) {
    return any_above(reinterpret_cast<UnsignedLongs>(magnitude(x)), bits_of(limit));
}

// x between the limits; NaN stays NaN.
SAMESUM_INLINE Doubles clamped(Doubles x, double least, double most) {
    return greater(Doubles{} + least, lesser(Doubles{} + most, x));
}

// Into float16, bfloat16 and float32, correctly rounded where precise(x) leaves no doubt.
template <class Function, class F>
struct NarrowElements {
    using R = Rounding<F::format>;
    using Bits = typename R::Bits;

    static __attribute__((noinline)) Bits carefully(Doubles x) {
        if constexpr (requires(Doubles y) { Function::template settles_quickly<F::format>(x, y); }) {
            Doubles y;
            if (Function::template settles_quickly<F::format>(x, y) &&
                !any_near_tie<F::format, 53 - Function::certain_bits>(y))
                return R::of(y);
        }
        const DoubleWord y = Function::precise(x);
        return R::of(clamped(y.hi, -1e300, 1e300), y.lo);  // infinity has no odd neighbour
    }

    template <std::size_t count>
    static SAMESUM_INLINE void take(const char* from, char* to) {
        Doubles x[count], y[count];
        for_each_of<count>([&](std::size_t v) { x[v] = F::doubles(from + v * bytes); });
        Function::quick(x, y);
        for_each_of<count>([&](std::size_t v) {
            bool is_hard = Function::template any_outside<F::format>(x[v]);
            const Bits bits = rounded_quickly<F::format, Function::certain_bits>(y[v], is_hard);
            R::store_to(to + v * bytes, 0, __builtin_expect(is_hard, false) ? carefully(x[v]) : bits);
        });
    }

    static void run(const void* x, std::size_t n, void* out) {
        each_vector<F::size, several>(x, n, out,
                                      [](auto count, std::size_t, const char* from, char* to)
                                          SAMESUM_INLINED { take<count>(from, to); });
    }

  private:
    static constexpr std::size_t bytes = width * F::size, several = has_fused ? 3 : 1;
};

template <class Function>
struct DoubleElements {
    static __attribute__((noinline)) Doubles carefully(Doubles x) {
        const Doubles y = Function::doubles_everywhere(x), none = {};
        return y == y ? y : none + __builtin_bit_cast(double, canonical_nan(Format::f64));
    }

    template <std::size_t count>
    static SAMESUM_INLINE void take(const char* from, char* to) {
        const auto x = DoubleBatch<count>::made(
            [&](std::size_t v) SAMESUM_INLINED { return load<Doubles>(from + v * sizeof(Doubles)); });
        const DoubleBatch<count> y = Function::doubles(x);
        for_each_of<count>([&](std::size_t v) SAMESUM_INLINED {
            Doubles result = y.part[v];
            if (__builtin_expect(Function::template any_outside<Format::f64>(x.part[v]), false))
                if (!Function::settles(x.part[v], result)) result = carefully(x.part[v]);
            store(to + v * sizeof(Doubles), result);
        });
    }

    static void run(const void* x, std::size_t n, void* out) {
        each_vector<8, several>(x, n, out,
                                [](auto count, std::size_t, const char* from, char* to)
                                    SAMESUM_INLINED { take<count>(from, to); });
    }

  private:
    static constexpr std::size_t several = has_fused ? Function::several : 1;
};

template <class F>
void widen_elements(const void* x, std::size_t n, double* out) {
    const char* from = static_cast<const char*>(x);
    std::size_t i = 0;
    for (; i + width <= n; i += width) store(out + i, F::doubles(from + i * F::size));
    if (i == n) return;
    char padded[width * F::size];
    pad<F>(from + i * F::size, n - i, padded);
    const Doubles last = F::doubles(padded);
    std::memcpy(out + i, &last, 8 * (n - i));
}

}  // namespace samesum::SAMESUM_ISA
