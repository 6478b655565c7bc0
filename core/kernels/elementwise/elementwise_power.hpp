// x^y of each element, as IEEE 754-2019 has pow.
#pragma once

#include "exact/products/product.hpp"
#include "kernels/elementwise/elementwise_functions.hpp"

namespace samesum::SAMESUM_ISA {

// x^y of float64, and what powers of all formats share.

// The special cases of x^y, by section 9.2.1 of IEEE 754-2019.

// What x^y is beside |x|^y.
struct PowerSigns {
    Longs is_one, is_nan, is_negative;

    static SAMESUM_INLINE PowerSigns of(Doubles x, Doubles y) {
        constexpr double whole = 0x1p52;  // doubles from there on are integers
        const Doubles size = magnitude(y), half = 0.5 * size;
        const Longs is_integer = (size >= whole) | ((size + whole) - whole == size);
        const Longs is_even = (size >= 2 * whole) | ((half + whole) - whole == half);
        const Longs below = reinterpret_cast<Longs>(x) < 0, is_finite = magnitude(x) < infinity;
        const Longs is_one = (y == 0) | (x == 1) | ((x == -1) & (y == y));
        return {is_one, below & is_finite & (x != 0) & ~is_integer & (y == y), below & is_integer & ~is_even};
    }

    SAMESUM_INLINE Doubles applied_to(Doubles power) const {
        const Doubles none = {};
        const Longs sign = is_negative & INT64_MIN;
        const Doubles with_sign = reinterpret_cast<Doubles>(reinterpret_cast<Longs>(power) ^ sign);
        return is_nan ? none + __builtin_nan("") : with_sign;
    }
};

// x, but |x| and where that is 0 or infinite, and where the power is 1 whatever the logarithm, 1.
SAMESUM_INLINE Doubles usual_base(Doubles x, const PowerSigns& signs) {
    const Doubles none = {}, size = magnitude(x);
    return ((size > 0) & (size < infinity) & ~signs.is_one) ? size : none + 1;
}

// y log |x| where the logarithm of usual bases is known.
SAMESUM_INLINE Doubles any_product(Doubles x, Doubles y, Doubles product, const PowerSigns& signs) {
    const Doubles none = {}, size = magnitude(x);
    const Doubles all = size == 0 ? y * -infinity : size < infinity ? product : y * size;
    const Doubles some = signs.is_one ? none : all;
    return x == x ? some : signs.is_one ? none : x;
}

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

template <class F>
struct NarrowPowers {
    using R = Rounding<F::format>;
    using Bits = typename R::Bits;
    static constexpr int certain_bits = 36;
    static constexpr std::size_t several = has_fused ? 2 : 1;

    // In two words within 2^-65. (Lemma 65)
    static SAMESUM_INLINE DoubleWord precise(Doubles x, Doubles y, const PowerSigns& signs) {
        const Doubles none = {}, t = usual_base(x, signs);
        const DoubleWord log = logarithm<88>({t, none}, {t - 1, none});
        const DoubleWord p = product(log, {y, none});
        const Doubles hi = clamped(any_product(x, y, p.hi, signs), -150, 150);
        const Sixteenths k = Sixteenths::of(hi);
        const DoubleWord power =
            grown(k.scaled_root(), k.root_error(), growth<68>(k, hi == p.hi ? p.lo : none));
        return {signs.applied_to(power.hi), signs.applied_to(power.lo)};
    }

    static __attribute__((noinline)) Bits exactly(Doubles x, Doubles y, Bits bits, Words wanted) {
        for (std::size_t i = 0; i < width; ++i) {
            if (wanted[i] == 0) continue;
            const std::uint32_t sign = bits[i] & static_cast<std::uint32_t>(sign_bit(F::format));
            bits[i] = sign | static_cast<std::uint32_t>(
                                 power_bits(__builtin_fabs(x[i]), Exponent::of(y[i]), F::format));
        }
        return bits;
    }

    static __attribute__((noinline)) Bits carefully(Doubles x, Doubles y) {
        const PowerSigns signs = PowerSigns::of(x, y);
        const Doubles t[1] = {usual_base(x, signs)};
        Doubles log[1];
        quick_logarithms(t, log);
        const Doubles p = clamped(any_product(x, y, y * log[0], signs), -150, 150),
                      power = signs.applied_to(quick_of_one<ExponentialFunction>(p)),
                      off = magnitude(power) * 0x1p-36;
        const Bits bits = R::of(power - off);
        const Words uncertain = R::different(bits, R::of(power + off));
        if (!any_bit(uncertain)) return bits;
        const DoubleWord z = precise(x, y, signs);
        const Doubles error = magnitude(z.hi) * 0x1p-65;
        const Bits low = R::of(z.hi, z.lo - error);
        const Words doubtful = R::different(low, R::of(z.hi, z.lo + error)) & uncertain;
        const Bits better = (bits & ~uncertain) | (low & uncertain);
        return any_bit(doubtful) ? exactly(x, y, better, doubtful) : better;
    }

    template <std::size_t count>
    static SAMESUM_INLINE void of(const Doubles (&x)[count], const Doubles (&y)[count], Bits (&bits)[count]) {
        Doubles p[count], power[count];
        Doubles size[count];
        for_each_of<count>([&](std::size_t v) { size[v] = magnitude(x[v]); });
        quick_logarithms(size, p);
        for_each_of<count>([&](std::size_t v) { p[v] *= y[v]; });
        ExponentialFunction::quick(p, power);
        for_each_of<count>([&](std::size_t v) {
            bool is_hard = ExponentialFunction::any_outside<F::format>(p[v]) | any_unusual<false>(size[v]);
            const Bits of_size = rounded_quickly<F::format, certain_bits>(power[v], is_hard);
            if (__builtin_expect(is_hard, false))
                bits[v] = carefully(x[v], y[v]);
            else
                bits[v] = any_unusual<false>(x[v]) ? R::of(PowerSigns::of(x[v], y[v]).applied_to(power[v]))
                                                   : of_size;
        });
    }

    // Of doubles that are exact, or whose other rounding does no harm: quotients of numbers with 24 bits or
    // fewer (Figueroa).
    static SAMESUM_INLINE Bits rounded(Doubles power) { return R::of(power); }

    // The same of square roots in floats.
    static SAMESUM_INLINE Bits root(Doubles x) {
        return R::of(widen(square_root(narrowed(radicand(x))) + 0.0f));
    }

    static SAMESUM_INLINE Bits cube(Doubles x) {
        const DoubleWord cube = cube_of(x);
        return R::of(magnitude(cube.lo) > 0 ? to_odd(cube.hi, cube.lo) : cube.hi);
    }
};

// The loops of one format.
template <class F>
struct PowerLoops {
    using Kind = std::conditional_t<F::format == Format::f64, DoublePowers, NarrowPowers<F>>;
    using R = Rounding<F::format>;

    static void run(const void* x, const double* y, std::size_t n, void* out) {
        alignas(64) double some[width];
        for (std::size_t k = 0; n < width && k < width; ++k) some[k] = y[k < n ? k : n - 1];
        const double* const exponents = n < width ? some : y;
        each_vector<F::size, Kind::several>(x, n, out,
                                            [=](auto count, std::size_t i, const char* from, char* to)
                                                SAMESUM_INLINED { take<count>(from, exponents + i, to); });
    }

    static void run_of_one(const void* x, double y, std::size_t n, void* out) {
        if (y == 2) return each(x, n, out, [](Doubles v) { return Kind::rounded(v * v); });
        if (y == 0.5) return each(x, n, out, [](Doubles v) { return Kind::root(v); });
        if (y == 3) return each(x, n, out, [](Doubles v) { return Kind::cube(v); });
        if (y == -1) return each(x, n, out, [](Doubles v) { return Kind::rounded(1 / v); });
        if (y == 1) return each(x, n, out, [](Doubles v) { return Kind::rounded(v); });
        constexpr std::size_t block = 512;
        alignas(64) double exponents[block];
        for (double& each : exponents) each = y;
        for (std::size_t i = 0; i < n; i += block)
            run(static_cast<const char*>(x) + i * F::size, exponents, n - i < block ? n - i : block,
                static_cast<char*>(out) + i * F::size);
    }

  private:
    static constexpr std::size_t bytes = width * F::size;

    template <std::size_t count>
    static SAMESUM_INLINE void take(const char* from, const double* exponents, char* to) {
        Doubles x[count], y[count];
        typename Kind::Bits bits[count];
        for_each_of<count>([&](std::size_t v) {
            x[v] = F::doubles(from + v * bytes);
            y[v] = load<Doubles>(exponents + v * width);
        });
        Kind::of(x, y, bits);
        for_each_of<count>([&](std::size_t v) { R::store_to(to + v * bytes, 0, bits[v]); });
    }

    // power(x) for each vector.
    template <class Power>
    static SAMESUM_INLINE void each(const void* x, std::size_t n, void* out, const Power& power) {
        each_vector<F::size, 1>(x, n, out,
                                [&](auto, std::size_t, const char* from, char* to)
                                    SAMESUM_INLINED { R::store_to(to, 0, power(F::doubles(from))); });
    }
};

}  // namespace samesum::SAMESUM_ISA
