// x^y of each element, as IEEE 754-2019 has pow.
#pragma once

#include "exact/products/power.hpp"
#include "kernels/elementwise/elementwise_double_power.hpp"
#include "kernels/elementwise/elementwise_single_power.hpp"

namespace samesum::SAMESUM_ISA {

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
        fine_logarithms(t, log);
        const Doubles p = clamped(any_product(x, y, y * log[0], signs), -150, 150);
        Words uncertain;
        const Bits bits = rounded_if_certain<F::format, certain_bits>(
            signs.applied_to(quick_of_one<ExponentialFunction>(p)), uncertain);
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
        fine_logarithms(x, p);
        for_each_of<count>([&](std::size_t v) { p[v] *= y[v]; });
        ExponentialFunction::quick(p, power);
        for_each_of<count>([&](std::size_t v) {
            const bool is_hard = any_unusual<false>(x[v]) |
                                 ExponentialFunction::any_outside<F::format>(p[v]) |
                                 any_near_tie<F::format, 53 - certain_bits>(power[v]);
            bits[v] = __builtin_expect(is_hard, false) ? carefully(x[v], y[v]) : R::of_number(power[v]);
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
        const char* from = static_cast<const char*>(x);
        char* to = static_cast<char*>(out);
        if (n < width) {
            alignas(64) char some[bytes], results[bytes];
            alignas(64) double exponents[width];
            for (std::size_t k = 0; k < width; ++k) {
                const std::size_t i = k < n ? k : n - 1;
                std::memcpy(some + k * F::size, from + i * F::size, F::size);
                exponents[k] = y[i];
            }
            take<1>(some, exponents, results);
            std::memcpy(to, results, n * F::size);
            return;
        }
        std::size_t i = 0;
        for (; i + several * width <= n; i += several * width)
            take<several>(from + i * F::size, y + i, to + i * F::size);
        for (; i + width <= n; i += width) take<1>(from + i * F::size, y + i, to + i * F::size);
        const std::size_t last = n - width;
        if (i != n) take<1>(from + last * F::size, y + last, to + last * F::size);
    }

    static void run_of_one(const void* x, double y, std::size_t n, void* out) {
        if (y == 2) return each(x, n, out, [](Doubles v) { return Kind::rounded(v * v); });
        if (y == 0.5) return each(x, n, out, [](Doubles v) { return Kind::root(v); });
        if (y == 3) return each(x, n, out, [](Doubles v) { return Kind::cube(v); });
        if (y == -1) return each(x, n, out, [](Doubles v) { return Kind::rounded(1 / v); });
        if (y == 1) return each(x, n, out, [](Doubles v) { return Kind::rounded(v); });
        if constexpr (has_fused && F::format != Format::f64)
            if (static_cast<double>(static_cast<float>(y)) == y)
                return SinglePowers<F>::run_of_one(x, static_cast<float>(y), n, out);
        constexpr std::size_t block = 512;
        alignas(64) double exponents[block];
        for (double& each : exponents) each = y;
        for (std::size_t i = 0; i < n; i += block)
            run(static_cast<const char*>(x) + i * F::size, exponents, n - i < block ? n - i : block,
                static_cast<char*>(out) + i * F::size);
    }

  private:
    static constexpr std::size_t bytes = width * F::size, several = Kind::several;

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
        each_vector<F::size>(
            static_cast<const char*>(x), n, static_cast<char*>(out),
            [&](const char* from, char* to) { R::store_to(to, 0, power(F::doubles(from))); });
    }
};

}  // namespace samesum::SAMESUM_ISA
