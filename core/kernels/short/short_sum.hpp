// Sums of whole sets of few float16, bfloat16 or float32 elements. Where the magnitudes of a set lie close
// together its float64 sum is exact, so that nothing is left to test: not even ties.
#pragma once

#include <type_traits>

#include "arithmetic/rounding.hpp"
#include "kernels/certify/certify.hpp"
#include "kernels/exponentials/logarithm.hpp"
#include "kernels/short/short.hpp"
#include "kernels/vectors/singles.hpp"

namespace samesum::SAMESUM_ISA {

// Sums of one float each, of its magnitude or its square: the element, but for the sign of zero and the
// payload of NaNs, or a product, rounded once.

template <class Key, Format format, Map map>
struct ShortOne {
    static_assert(is_float(format) && (map != Map::square || sizeof(Key) >= sizeof(float)));
    using Real = std::conditional_t<sizeof(Key) == sizeof(double), double, float>;
    typedef Key Keys __attribute__((vector_size(vector_bytes)));
    typedef Real Reals __attribute__((vector_size(vector_bytes)));

    static SAMESUM_INLINE Keys square_of(Reals x) { return reinterpret_cast<Keys>(x * x); }

    static SAMESUM_INLINE Keys sum_of(Keys x) {
        constexpr Key infinity = static_cast<Key>(infinity_bits(format));
        if constexpr (map == Map::square) x = square_of(reinterpret_cast<Reals>(x));
        const Keys size = x & static_cast<Key>(sign_bit(format) - 1);
        const Keys sum = map == Map::magnitude ? size : size == 0 ? Keys{} : x;
        return size > infinity ? Keys{} + static_cast<Key>(canonical_nan(format)) : sum;
    }

    static std::size_t make(const void* x, std::ptrdiff_t row_stride, std::size_t count, std::size_t n,
                            void* out, std::uint8_t* failed) {
        const ShortRows all{static_cast<const char*>(x), row_stride, count};
        return write_sure<Keys>(all, n, out, failed,
                                [](const ShortRows& some) { return sum_of(load<Keys>(some.p)); });
    }
};

template <class F, Map map, Finalize finalize>
struct ShortSum {
    static constexpr bool squares = map == Map::square;
    static constexpr int precision = F::format == Format::f32 ? 24 : F::format == Format::f16 ? 11 : 8;
    // A sum of up to 2^6 terms, each below 2^term_bits units, which are the last places of the least one's,
    // has term_bits + 6 bits; with 50 of them, quotients by so few and roots are nowhere so close to a tie
    // that their rounding to 53 bits could hide it. (Lemma 23)
    static constexpr int kept_bits = 50 - 6, significand_bits = squares ? 2 * precision : precision;
    static constexpr int exponents = (kept_bits - significand_bits) / (squares ? 2 : 1);
    // All float16 are multiples of 2^-24 below 2^16.
    static constexpr bool exact = F::format == Format::f16 && !squares;
    static constexpr bool tells = !exact && exponents > 0;

    // `greatest` and `least` are bits of magnitudes, doubled; the least of all but zeros, less one.
    struct Part {
        Doubles sum = {};
        Words greatest = {}, least = ~Words{};
    };

    template <bool measures = tells>
    static SAMESUM_INLINE void take(Part& part, const char* p) {
        const Floats x = F::floats(p);
        Doubles wide = widen(x);
        if constexpr (map == Map::magnitude) wide = samesum::SAMESUM_ISA::magnitude(wide);
        part.sum = squares ? plus_square(part.sum, wide) : plus(part.sum, wide);
        if constexpr (measures && tells) measure(part, x);
    }

    static SAMESUM_INLINE void measure(Part& part, Floats x) {
        const Words size = reinterpret_cast<Words>(x) << 1, less = size - 1;
        part.greatest = part.greatest > size ? part.greatest : size;
        part.least = part.least < less ? part.least : less;
    }

    static SAMESUM_INLINE Words inexact(const Part& part) {
        if constexpr (!tells) return Words{};
        return reinterpret_cast<Words>(part.greatest - part.least > static_cast<std::uint32_t>(exponents)
                                                                        << 24);
    }

    // Squares bound their own sum.
    static SAMESUM_INLINE Doubles bound_of(const Part& part, Words inexact, double rows) {
        constexpr double slack = 1.01;
        const Doubles greatest = widen(reinterpret_cast<Floats>(part.greatest >> 1)) * rows, none = {};
        const Doubles bound = (squares ? part.sum : greatest) * (rows * 0x1p-53 * slack);
        return __builtin_convertvector(reinterpret_cast<Ints>(inexact), Longs) ? bound : none;
    }

    static Verdict<F::format> tested(const Part& part, Words inexact, double rows) {
        return IntervalTest<F::format, finalize>::of(part.sum, Doubles{}, bound_of(part, inexact, rows),
                                                     Doubles{} + rows);
    }

    static SAMESUM_INLINE Doubles finished(Doubles sum, double rows, double inverse) {
        if constexpr (finalize == Finalize::over_count) return inverse != 0 ? sum * inverse : sum / rows;
        if constexpr (finalize == Finalize::root) return square_root(sum);
        if constexpr (finalize == Finalize::logarithm) return quick_logarithm(sum);
        return sum;
    }

    // Of a sum that is exact, or that of squares.
    static SAMESUM_INLINE Verdict<F::format> concluded(Doubles sum, double rows, double inverse) {
        const Doubles value = finished(sum, rows, inverse);
        if constexpr (finalize == Finalize::logarithm) {
            // What squares round off, up to 2^-46 of their sum, is 2^-36 of a logarithm from 2^-10 on.
            constexpr double least = tells || exact ? 0 : 0x1p-10;
            const Longs near_zero = samesum::SAMESUM_ISA::magnitude(value) < least;
            Verdict<F::format> verdict = nearly<F::format>(value, 0x1p-35);
            verdict.wrong |= ~narrowed_mask((sum > 0) & (sum < infinity) & ~near_zero);
            return verdict;
        } else if constexpr (!tells && !exact) {
            return nearly<F::format>(value, (rows + 3) * 0x1p-53);  // roots lose no more than squares
        } else {
            return {Rounding<F::format>::of(value), Words{}};
        }
    }

    static std::size_t make(const void* x, std::ptrdiff_t row_stride, std::size_t count, std::size_t n,
                            void* out, std::uint8_t* failed) {
        const double rows = static_cast<double>(count);
        const double inverse = (count & (count - 1)) == 0 ? 1 / rows : 0;  // where it is exact
        const ShortRows all{static_cast<const char*>(x), row_stride, count};
        return write_short_sets<F>(
            all, n, out, failed, Part{}, [](Part& part, const char* p) { take(part, p); },
            [=](const Part& part, const ShortRows&) {
                const Words doubtful = inexact(part);
                const Verdict<F::format> verdict = concluded(part.sum, rows, inverse);
                const bool is_open = (tells || exact) && any_bit(doubtful | verdict.wrong);
                return is_open ? tested(part, doubtful, rows) : verdict;
            });
    }
};

}  // namespace samesum::SAMESUM_ISA
