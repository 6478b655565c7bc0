// The functions of one element, as elementwise.hpp takes them.
#pragma once

#include "kernels/elementwise/double_pairs.hpp"
#include "kernels/elementwise/elementwise.hpp"
#include "kernels/exponentials/logarithm.hpp"
#include "kernels/exponentials/powers.hpp"
#include "kernels/vectors/double_batches.hpp"

namespace samesum::SAMESUM_ISA {

// (hi + lo) 2^-600 of words that are not negative, rounded once.
SAMESUM_INLINE Doubles small_quotient(DoubleWord y) {
    const Doubles all = y.hi + y.lo;
    return all < least_quotient ? subnormal_quotient(y.hi, y.lo) : all * double_power_unit;
}

struct ExponentialFunction {
    static constexpr int certain_bits = 36;
    static constexpr std::size_t several = 2;

    // The argument is rounded at 2^-46 or less, r^2 times the polynomial is off by 2^-36.5 of 1. (Lemma 60)
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

    // Where elements are so near to zero, or so far from it, that the result is a normal number, 0 or
    // infinite.
    template <Format format>
    static SAMESUM_INLINE bool settles_quickly(Doubles x, Doubles& y) {
        constexpr double far = 110;
        y = quick_of_one<ExponentialFunction>(clamped(x, -150, 150));
        return !any_outside<format>(magnitude(x) >= far ? Doubles{} : x);
    }

    // e^150 is beyond every narrow format, its reciprocal less than half of each least number.
    static SAMESUM_INLINE DoubleWord precise(Doubles x) {
        const Sixteenths k = Sixteenths::of(clamped(x, -150, 150));
        return grown(k.scaled_root(), k.root_error(), growth<68>(k, Doubles{}));
    }

    // e^(x + lower) for |x| <= 690: what is lost below the least normal number is nothing beside e^-690.
    template <std::size_t count>
    static SAMESUM_INLINE DoubleBatch<count> in_range(DoubleBatch<count> x, DoubleBatch<count> lower) {
        const Longs none[count] = {};
        const DoublePair<count> y = double_power(x, lower, none);
        return y.hi + y.lo;
    }

    // Of other x too: scaled by 2^600 towards 1, where no word is subnormal.
    static SAMESUM_INLINE Doubles of_any(Doubles x, Doubles lower) {
        const Doubles none = {}, near = clamped(x, -760, 760);
        const Longs below = near < 0;
        const Longs scale[1] = {below ? Longs{} + double_power_scale : Longs{} - double_power_scale};
        const DoublePair<1> y =
            double_power(DoubleBatch<1>::one(near), DoubleBatch<1>::one(near == x ? lower : none), scale);
        const DoubleWord words{y.hi.part[0], y.lo.part[0]};
        return below ? small_quotient(words) : (words.hi + words.lo) * (none + 1 / double_power_unit);
    }

    // Within 0.51 ulp.
    template <std::size_t count>
    static SAMESUM_INLINE DoubleBatch<count> doubles(DoubleBatch<count> x) {
        return in_range<count>(x, 0.0);
    }
    static SAMESUM_INLINE Doubles doubles_everywhere(Doubles x) { return of_any(x, Doubles{}); }

    // Of -inf and other numbers whose power is 0 or infinite.
    static SAMESUM_INLINE bool settles(Doubles x, Doubles& y) {
        const Doubles none = {};
        const Longs is_zero = x < -746, is_infinite = x > 710, is_special = is_zero | is_infinite;
        y = is_zero ? none : is_infinite ? none + infinity : y;
        return !any_outside<Format::f64>(is_special ? none : x);
    }
};

// log x of positive x, and what it is of others.
SAMESUM_INLINE Doubles with_special_logarithms(Doubles x, Doubles log) {
    const Doubles none = {};
    const Doubles of_rest = x == 0 ? none - infinity : x < 0 ? none + __builtin_nan("") : x;
    return ((x > 0) & (x < infinity)) ? log : of_rest;
}

struct LogarithmFunction {
    static constexpr int certain_bits = 45;
    static constexpr std::size_t several = 3;

    template <std::size_t count>
    static SAMESUM_INLINE void quick(const Doubles (&x)[count], Doubles (&y)[count]) {
        quick_logarithms(x, y);
    }

    // Logarithms of numbers of narrow formats are normal in them, or 0.
    template <Format format>
    static SAMESUM_INLINE bool any_outside(Doubles x) {
        return any_unusual<format == Format::f64>(x);
    }

    template <Format format>
    static SAMESUM_INLINE bool settles_quickly(Doubles x, Doubles& y) {
        y = with_special_logarithms(x, quick_logarithm(x));
        return true;
    }

    static SAMESUM_INLINE DoubleWord precise(Doubles x) {
        const DoubleWord log = logarithm_by_tables(x, Doubles{});
        const Longs is_usual = (x > 0) & (x < infinity);
        return {with_special_logarithms(x, log.hi), is_usual ? log.lo : Doubles{}};
    }

    // log(t / 2^scaled) within 0.51 ulp, t positive and normal: number * ln 2 - log c + log(1 + r) for
    // t = 2^number * z, the factor c of the table and 1 + r = z c with |r| < 0.0387, in two words. Near 1 it
    // is log(1 + r), of which r is exact. The result is at least 3/4 r; beside it what is lost is 2^-60.8: by
    // r^3 / 3 times the polynomial, rounded by 2^-53 a few times and off by 2^-52.2 of 2, and by the sum of
    // the small ones, all below 2^-10 of it. r - r^2 / 2 is in two words. (Lemma 62)
    template <std::size_t count>
    static SAMESUM_INLINE DoubleBatch<count> doubles(DoubleBatch<count> t, DoubleBatch<count> scaled = 0.0) {
        using B = DoubleBatch<count>;
        B number, z;
        for_each_of<count>([&](std::size_t v) SAMESUM_INLINED {
            const Significand x = Significand::of(t.part[v]);
            number.part[v] = x.number - scaled.part[v];
            z.part[v] = x.z;
        });
        const B k = fused(z, 16.0, to_integer);
        const B c = number_of(of_sixteenths.factor, k), p = z * c, r = p - 1.0, rest = fused(z, c, -p);
        const B half = r * -0.5, curved = fused(half, r, r), curved_lost = fused(half, r, r - curved);
        constexpr double terms[] = {-0x1.5555555555555p-1, 0x1.ffffffffffdf3p-2,  -0x1.99999999997b5p-2,
                                    0x1.55555559ce565p-2,  -0x1.24924928b33ecp-2, 0x1.ffffabb9aa40ap-3,
                                    -0x1.c71c23fbc8232p-3, 0x1.9abf8eb35c5acp-3,  -0x1.756c7127d7ef1p-3};
        const B q = polynomial(r, terms);
        const B far = fused(number, octave, number_of(of_sixteenths.log, k));
        const B first = far + curved, first_lost = curved - (first - far);
        const B lost = fused(-r, rest, rest) + number_of(of_sixteenths.rest, k);
        const B small = fused(number, octave_rest, lost) + (first_lost + curved_lost);
        return first + fused(half * r, r * q, small);
    }

    static SAMESUM_INLINE bool settles(Doubles, Doubles&) { return false; }

    static SAMESUM_INLINE Doubles doubles_everywhere(Doubles x) {
        const Doubles none = {};
        const Longs tiny = x < 0x1p-1022;
        const Doubles t = tiny ? x * 0x1p54 : x;
        return with_special_logarithms(
            x, doubles(DoubleBatch<1>::one(t), DoubleBatch<1>::one(tiny ? none + 54 : none)).part[0]);
    }
};

}  // namespace samesum::SAMESUM_ISA
