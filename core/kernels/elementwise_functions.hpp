// The functions of one element, as elementwise.hpp takes them.
#pragma once

#include "kernels/double_powers.hpp"
#include "kernels/elementwise.hpp"
#include "kernels/rough_logarithm.hpp"

namespace samesum::SAMESUM_ISA {

struct ExponentialFunction {
    static constexpr int certain_bits = 36;

    // The argument is rounded at 2^-46 or less, r^2 times the polynomial is off by 2^-36.5 of 1.
    template <std::size_t count>
    static SAMESUM_INLINE void quick(const Doubles (&x)[count], Doubles (&y)[count]) {
        const Doubles none = {};
        constexpr double terms[] = {0.5, 0x1.5556deec7c714p-3, 0x1.55565bb9f60dbp-5};
        Doubles shifted[count], r[count], s[count], q[count];
        for_each_of<count>([&](std::size_t v) {
            shifted[v] = roughly_fused(x[v], none + sixteenths_per_unit, none + to_integer);
        });
        for_each_of<count>([&](std::size_t v) {
            r[v] = roughly_fused(to_integer - shifted[v], none + whole_sixteenth, x[v]);
        });
        for_each_of<count>([&](std::size_t v) { s[v] = r[v] * r[v]; });
        polynomials<true>(r, terms, q);
        for_each_of<count>([&](std::size_t v) {
            const Longs k = reinterpret_cast<Longs>(shifted[v]);
            y[v] = Sixteenths::with_exponent(reinterpret_cast<Longs>(looked_up(root_bits, k)), k);
        });
        for_each_of<count>([&](std::size_t v) { q[v] = roughly_fused(s[v], q[v], r[v]); });
        for_each_of<count>([&](std::size_t v) { y[v] = roughly_fused(y[v], q[v], y[v]); });
    }

    template <Format format>
    static SAMESUM_INLINE bool any_outside(Doubles x) {
        return any_beyond(x, format == Format::f16 ? 9.5 : format == Format::f64 ? 690 : 87);
    }

    // e^150 is beyond every narrow format, its reciprocal less than half of each least number.
    static SAMESUM_INLINE Doubles everywhere(Doubles x) {
        return quick_of_one<ExponentialFunction>(clamped(x, -150, 150));
    }

    static SAMESUM_INLINE DoubleWord precise(Doubles x) {
        const Sixteenths k = Sixteenths::of(clamped(x, -150, 150));
        return grown(k.scaled_root(), k.root_error(), growth<68>(k, Doubles{}));
    }

    // 2^scale e^(x + lower) as two words, the first of which is within 2^-53 of it; `lower` is below 2^-42.
    // It is s + s (rest + small) for the root s (1 + e): the rest is exact, and what is small is below 2^-11
    // and loses 2^-62 of 1 in all (its own rounding and the polynomial 2^-64 each, r and e less).
    static SAMESUM_INLINE DoubleWord scaled(Doubles x, Doubles lower, Longs scale) {
        const Doubles none = {};
        const Sixteenths k = Sixteenths::of(x);
        const Doubles rest = fused(-k.number, none + sixteenth_rest, lower), r = k.rest + rest, s = r * r;
        constexpr double terms[] = {0x1.0000000000001p-1, 0x1.5555555555556p-3,  0x1.55555554e9468p-5,
                                    0x1.11111110e10a8p-7, 0x1.6c17ed4cc633ep-10, 0x1.a01b0c2edc385p-13};
        const Doubles e = k.root_error();
        const Doubles small = fused(s, polynomial(r, terms), fused(e, r, e)) + rest;
        const Doubles root = Sixteenths::with_exponent(
            reinterpret_cast<Longs>(looked_up(root_bits, k.bits)) + (scale << 52), k.bits);
        const Doubles grown = root * k.rest;
        const DoubleWord sum = ordered_sum(root, grown);
        return {sum.hi, sum.lo + fused(root, small, fused(root, k.rest, -grown))};
    }

    // e^(x + lower) for |x| <= 690: what is lost below the least normal number is nothing beside e^-690.
    static SAMESUM_INLINE Doubles in_range(Doubles x, Doubles lower) {
        const DoubleWord y = scaled(x, lower, Longs{});
        return y.hi + y.lo;
    }

    // Of other x too: scaled by 2^600 towards 1, where no word is subnormal.
    static SAMESUM_INLINE Doubles of_any(Doubles x, Doubles lower) {
        const Doubles none = {}, near = clamped(x, -760, 760);
        const Longs below = near < 0;
        const Longs scale = below ? Longs{} + double_power_scale : Longs{} - double_power_scale;
        const DoubleWord y = scaled(near, near == x ? lower : none, scale);
        const Doubles all = y.hi + y.lo;
        const Doubles normal = all * (below ? none + double_power_unit : none + 1 / double_power_unit);
        return (below & (all < least_quotient)) ? subnormal_quotient(y.hi, y.lo) : normal;
    }

    // Within 0.51 ulp.
    static SAMESUM_INLINE Doubles doubles(Doubles x) { return in_range(x, Doubles{}); }
    static SAMESUM_INLINE Doubles doubles_everywhere(Doubles x) { return of_any(x, Doubles{}); }
};

// log x of positive x, and what it is of others.
SAMESUM_INLINE Doubles with_special_logarithms(Doubles x, Doubles log) {
    const Doubles none = {};
    const Doubles of_rest = x == 0 ? none - infinity : x < 0 ? none + __builtin_nan("") : x;
    return ((x > 0) & (x < infinity)) ? log : of_rest;
}

struct LogarithmFunction {
    static constexpr int certain_bits = 36;

    template <std::size_t count>
    static SAMESUM_INLINE void quick(const Doubles (&x)[count], Doubles (&y)[count]) {
        quick_logarithms(x, y);
    }

    // Logarithms of numbers of narrow formats are normal in them, or 0.
    template <Format format>
    static SAMESUM_INLINE bool any_outside(Doubles x) {
#if defined(__AVX512DQ__)
        constexpr int others = 0x9f, subnormal = format == Format::f64 ? 0x20 : 0, negative = 0x40;
        return _mm512_fpclass_pd_mask(reinterpret_cast<__m512d>(x), others | subnormal | negative) != 0;
#else
        constexpr std::uint64_t least = format == Format::f64 ? bits_of(0x1p-1022) : 1;
        return any_above(reinterpret_cast<UnsignedLongs>(x) - least, bits_of(infinity) - 1 - least);
#endif
    }

    static SAMESUM_INLINE Doubles everywhere(Doubles x) {
        return with_special_logarithms(x, quick_logarithm(x));
    }

    static SAMESUM_INLINE DoubleWord precise(Doubles x) { return logarithm_by_tables(x, Doubles{}); }

    // log(t / 2^scaled) within 0.51 ulp, t positive and normal: number * ln 2 - log c + log(1 + r) for
    // t = 2^number * z, the factor c of the table and 1 + r = z c with |r| < 0.0387, in two words. Near 1 it
    // is log(1 + r), of which r is exact. The result is at least 3/4 r; beside it what is lost is 2^-61: by
    // r^3 / 3 times the polynomial, rounded by 2^-53 a few times and off by 2^-53.5 of 1, and by the sum of
    // the small ones, all below 2^-10 of it.
    static SAMESUM_INLINE Doubles doubles(Doubles t, Doubles scaled = Doubles{}) {
        const Doubles none = {};
        const Significand x = Significand::of(t);
        const Doubles number = x.number - scaled, z = x.z;
        const Longs k = reinterpret_cast<Longs>(fused(z, none + 16, none + to_integer));
        const Doubles c = looked_up(of_sixteenths.factor, k), p = z * c, r = p - 1, rest = fused(z, c, -p);
        const Doubles square = r * r, square_rest = fused(r, r, -square);
        constexpr double terms[] = {0x1.5555555555555p-2,  -0x1.ffffffffffdf3p-3, 0x1.99999999997b5p-3,
                                    -0x1.55555559ce565p-3, 0x1.24924928b33ecp-3,  -0x1.ffffabb9aa40ap-4,
                                    0x1.c71c23fbc8232p-4,  -0x1.9abf8eb35c5acp-4, 0x1.756c7127d7ef1p-4};
        const Doubles q = polynomial(r, terms);
        const Doubles far = fused(number, none + octave, looked_up(of_sixteenths.log, k));
        const DoubleWord first = ordered_sum(far, r), sum = ordered_sum(first.hi, -0.5 * square);
        const Doubles lost = fused(none - 0.5, square_rest, fused(-r, rest, rest));
        const Doubles small = fused(number, none + octave_rest, lost + looked_up(of_sixteenths.rest, k));
        return sum.hi + fused(r * square, q, small + (first.lo + sum.lo));
    }

    static SAMESUM_INLINE Doubles doubles_everywhere(Doubles x) {
        const Doubles none = {};
        const Longs tiny = x < 0x1p-1022;
        const Doubles t = tiny ? x * 0x1p54 : x;
        return with_special_logarithms(x, doubles(t, tiny ? none + 54 : none));
    }
};

}  // namespace samesum::SAMESUM_ISA
