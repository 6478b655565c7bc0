// x^y of float64, and what powers of all formats share.
#pragma once

#include "kernels/elementwise/power_cases.hpp"

namespace samesum::SAMESUM_ISA {

// What x^0.5 is the square root of: unlike that it is +inf of -inf, and +0 of -0 once 0 is added.
SAMESUM_INLINE Doubles radicand(Doubles x) {
    const Doubles none = {};
    return x == -infinity ? none + infinity : x;
}

// x^3 in two words, the second of which is zero or NaN where the first is all; exact for narrow formats.
SAMESUM_INLINE DoubleWord cube_of(Doubles x) {
    const Doubles square = x * x, rest = fused(x, x, -square), hi = square * x;
    return {hi, fused(rest, x, fused(square, x, -hi))};
}

struct DoublePowers {
    using R = Rounding<Format::f64>;
    using Bits = R::Bits;
    static constexpr std::size_t several = has_fused ? 2 : 1;

    // Those of the next function, at the places twice them modulo 16.
    static constexpr double no_exponent = __builtin_nan("");
    alignas(64) static constexpr double direct_exponents[16] = {
        no_exponent, 0.5,         1,           no_exponent, 2,           no_exponent, 3,  no_exponent,
        no_exponent, no_exponent, no_exponent, no_exponent, no_exponent, no_exponent, -1, no_exponent};

    // The exponents for which powers are made directly; the bits are those of any other way to give them.
    static SAMESUM_INLINE bool any_direct(Doubles y) {
        if constexpr (!has_table_lookups) return any((y == 1) | (y == 2) | (y == 3) | (y == 0.5) | (y == -1));
        return any_in_table(y, direct_exponents, reinterpret_cast<Longs>(y + y + to_integer));
    }

    static SAMESUM_INLINE Doubles direct_or(Doubles x, Doubles y, Doubles power) {
        power = y == 1     ? x
                : y == 2   ? x * x
                : y == 0.5 ? square_root(radicand(x)) + 0.0
                : y == -1  ? 1 / x
                           : power;
        return ((y == 3) & has_cube(x)) ? cube_as_double(x) : power;
    }

    // Whether no word of x^3 leaves the range of normal numbers.
    static SAMESUM_INLINE Longs has_cube(Doubles x) {
        const Doubles size = magnitude(x);
        return ((size > 0x1p-300) & (size < 0x1p300)) | (x == 0);
    }

    static SAMESUM_INLINE Doubles cube_as_double(Doubles x) {
        const DoubleWord cube = cube_of(x);
        return magnitude(cube.lo) > 0 ? cube.hi + cube.lo : cube.hi;
    }

    static __attribute__((noinline)) Bits carefully(Doubles x, Doubles y) {
        const Doubles none = {};
        const PowerSigns signs = PowerSigns::of(x, y);
        const Doubles t = usual_base(x, signs);
        const Longs tiny = t < 0x1p-1022;
        const Doubles normal = tiny ? t * 0x1p54 : t;
        const auto log =
            normal_logarithm(DoubleBatch<1>::one(normal), DoubleBatch<1>::one(tiny ? none + 54 : none));
        const Doubles p = y * log.hi.part[0];
        const Doubles rest = fused(y, log.lo.part[0], fused(y, log.hi.part[0], -p));
        const Doubles all = any_product(x, y, p, signs);
        const Doubles power = ExponentialFunction::of_any(all, all == p ? rest : none);
        return R::of(direct_or(x, y, signs.applied_to(power)));
    }

    // |x|^y is right where only signs are unusual.
    static __attribute__((noinline)) Bits settled(Doubles x, Doubles y, Doubles product, Doubles power) {
        if (any_unusual<true>(magnitude(x)) | any_direct(y) |
            ExponentialFunction::any_outside<Format::f64>(product))
            return carefully(x, y);
        return R::of(PowerSigns::of(x, y).applied_to(power));
    }

    // Within 1 ulp: the logarithm is off by 2^-63.5, which 709 magnifies. (Lemma 65)
    template <std::size_t count>
    static SAMESUM_INLINE void of(const Doubles (&x)[count], const Doubles (&y)[count], Bits (&bits)[count]) {
        using B = DoubleBatch<count>;
        const B base = B::made([&](std::size_t v) SAMESUM_INLINED { return x[v]; });
        const B exponent = B::made([&](std::size_t v) SAMESUM_INLINED { return y[v]; });
        const auto log = normal_logarithm<count>(base, 0.0);
        const B p = exponent * log.hi, rest = fused(exponent, log.lo, fused(exponent, log.hi, -p));
        const B power = ExponentialFunction::in_range(p, rest);
        for_each_of<count>([&](std::size_t v) SAMESUM_INLINED {
            const bool is_hard = any_unusual<true>(x[v]) | any_direct(y[v]) |
                                 ExponentialFunction::any_outside<Format::f64>(p.part[v]);
            bits[v] = __builtin_expect(is_hard, false) ? settled(x[v], y[v], p.part[v], power.part[v])
                                                       : reinterpret_cast<Bits>(power.part[v]);
        });
    }

    static SAMESUM_INLINE Bits rounded(Doubles power) { return R::of(power); }
    static SAMESUM_INLINE Bits root(Doubles x) { return R::of(square_root(radicand(x)) + 0.0); }

    static SAMESUM_INLINE Bits cube(Doubles x) {
        const Bits bits = R::of(cube_as_double(x));
        return __builtin_expect(any(~has_cube(x)), false) ? carefully(x, Doubles{} + 3) : bits;
    }
};

}  // namespace samesum::SAMESUM_ISA
