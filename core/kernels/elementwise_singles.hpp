// The functions of one element for formats of 16 bits, in floats: quick(x, y) within 2^-`certain_bits` of the
// results, relatively, where any_outside<format>(x) is false. What that leaves open is left to doubles.
#pragma once

#include "kernels/elementwise_functions.hpp"
#include "kernels/powers.hpp"

namespace samesum::SAMESUM_ISA {

SAMESUM_INLINE Singles roughly_fused(Singles a, Singles b, Singles c) {
    if constexpr (has_fused)
        return fused(a, b, c);
    else
        return a * b + c;
}

// True if any element is above the limit, as unsigned integers.
SAMESUM_INLINE bool any_above(SingleWords v, std::uint32_t limit) {
#if defined(__AVX512F__)
    return _mm512_cmpgt_epu32_mask(reinterpret_cast<__m512i>(v),
                                   _mm512_set1_epi32(static_cast<int>(limit))) != 0;
#else
    return any(v > limit);
#endif
}

// Whether an element, normal in `format`, is within 2^(error_bits - 24) of itself from the middle of two
// neighbours.
template <Format format, int error_bits>
SAMESUM_INLINE bool any_near_tie(Singles y) {
    constexpr int dropped = 24 - traits_of(format).precision;
    constexpr std::uint32_t unit = 1, tie = unit << (dropped - 1), error = unit << error_bits,
                            mask = (unit << dropped) - 2 * error;
    const SingleWords from_tie = reinterpret_cast<SingleWords>(y) + (tie + error);
#if defined(__AVX512F__)
    return _mm512_testn_epi32_mask(reinterpret_cast<__m512i>(from_tie),
                                   _mm512_set1_epi32(static_cast<int>(mask))) != 0;
#else
    return any((from_tie & mask) == 0);
#endif
}

struct ExponentialOfSingles {
    using Function = ExponentialFunction;
    static constexpr int certain_bits = 22;

    // Powers without the scale that `power_scale` gives them.
    struct Unscaled {
        static SAMESUM_INLINE Singles placed(Singles x) { return x; }
        static SAMESUM_INLINE Singles whole() {
            return Singles{} + (SingleRange::to_whole - SingleRange::steps * power_scale);
        }
    };

    // The root is off by 2^-25, the growth by less, their sum by 2^-24.
    template <std::size_t count>
    static SAMESUM_INLINE void quick(const Singles (&x)[count], Singles (&y)[count]) {
        Power power[count];
        powers_of<false>(x, Unscaled{}, power);
        for_each_of<count>(
            [&](std::size_t v) { y[v] = roughly_fused(power[v].root, power[v].growth, power[v].root); });
    }

    template <Format format>
    static SAMESUM_INLINE bool any_outside(Singles x) {
        constexpr float limit = format == Format::f16 ? 9.5f : 87;
        return any_above(reinterpret_cast<SingleWords>(magnitude(x)),
                         __builtin_bit_cast(std::uint32_t, limit));
    }
};

// Factors c near 1 / a for a = k / 32, k = 24 ... 48, and -log c, at the place k modulo 32.
struct alignas(64) SingleLogarithmTable {
    float factor[32], log[32];
};
constexpr SingleLogarithmTable of_thirty_seconds = {{0x1p+0f,
                                                     0x1.f07c20p-1f,
                                                     0x1.e1e1e2p-1f,
                                                     0x1.d41d42p-1f,
                                                     0x1.c71c72p-1f,
                                                     0x1.bacf92p-1f,
                                                     0x1.af286cp-1f,
                                                     0x1.a41a42p-1f,
                                                     0x1.99999ap-1f,
                                                     0x1.8f9c18p-1f,
                                                     0x1.861862p-1f,
                                                     0x1.7d05f4p-1f,
                                                     0x1.745d18p-1f,
                                                     0x1.6c16c2p-1f,
                                                     0x1.642c86p-1f,
                                                     0x1.5c9882p-1f,
                                                     0x1.555556p-1f,
                                                     0,
                                                     0,
                                                     0,
                                                     0,
                                                     0,
                                                     0,
                                                     0,
                                                     0x1.555556p+0f,
                                                     0x1.47ae14p+0f,
                                                     0x1.3b13b2p+0f,
                                                     0x1.2f684cp+0f,
                                                     0x1.24924ap+0f,
                                                     0x1.1a7b96p+0f,
                                                     0x1.111112p+0f,
                                                     0x1.084210p+0f},
                                                    {0,
                                                     0x1.f82990p-6f,
                                                     0x1.f0a30ap-5f,
                                                     0x1.6f0d28p-4f,
                                                     0x1.e27074p-4f,
                                                     0x1.29552cp-3f,
                                                     0x1.5ff306p-3f,
                                                     0x1.9525a8p-3f,
                                                     0x1.c8ff7ap-3f,
                                                     0x1.fb918cp-3f,
                                                     0x1.1675cap-2f,
                                                     0x1.2e8e2cp-2f,
                                                     0x1.4618bap-2f,
                                                     0x1.5d1bdap-2f,
                                                     0x1.739d7ep-2f,
                                                     0x1.89a33ap-2f,
                                                     0x1.9f323cp-2f,
                                                     0,
                                                     0,
                                                     0,
                                                     0,
                                                     0,
                                                     0,
                                                     0,
                                                     -0x1.269624p-2f,
                                                     -0x1.f991c4p-3f,
                                                     -0x1.a93ed8p-3f,
                                                     -0x1.5bf408p-3f,
                                                     -0x1.1178eep-3f,
                                                     -0x1.9335e4p-4f,
                                                     -0x1.08599ap-4f,
                                                     -0x1.0415c8p-5f}};

struct LogarithmOfSingles {
    using Function = LogarithmFunction;
    static constexpr int certain_bits = 21;

    // number * ln 2 - log c + log(1 + r) with |r| < 0.0209 for t = 2^number * z and 1 + r = z c, which is
    // exact where c is 1: there the terms are below 2^-5 of r, else four roundings cost 2^-24 of a result
    // that is not below half of any of them. The polynomial is off by 2^-26 of r.
    template <std::size_t count>
    static SAMESUM_INLINE void quick(const Singles (&t)[count], Singles (&log)[count]) {
        const Singles none = {};
        Singles z[count], r[count], q[count];
        SingleWords k[count];
        for_each_of<count>([&](std::size_t v) { significand(t[v], log[v], z[v]); });
        for_each_of<count>([&](std::size_t v) {
            k[v] =
                reinterpret_cast<SingleWords>(roughly_fused(z[v], none + 32, none + SingleRange::to_whole));
        });
        for_each_of<count>([&](std::size_t v) {
            const Singles c = reinterpret_cast<Singles>(step_of(of_thirty_seconds.factor, k[v]));
            r[v] = roughly_fused(z[v], c, none - 1);
        });
        for_each_of<count>([&](std::size_t v) {
            const Singles logs = reinterpret_cast<Singles>(step_of(of_thirty_seconds.log, k[v]));
            log[v] = roughly_fused(log[v], none + 0x1.62e430p-1f, logs);
            q[v] = roughly_fused(r[v], none - 0x1.000e3ap-2f, none + 0x1.556668p-2f);
        });
        for_each_of<count>([&](std::size_t v) { q[v] = roughly_fused(r[v], q[v], none - 0.5f); });
        for_each_of<count>([&](std::size_t v) { log[v] += roughly_fused(r[v] * r[v], q[v], r[v]); });
    }

    // 2^number * z for z from 3/4 to 3/2.
    static SAMESUM_INLINE void significand(Singles t, Singles& number, Singles& z) {
#if defined(__AVX512F__)
        const __m512 part = _mm512_getmant_ps(t, _MM_MANT_NORM_p75_1p5, _MM_MANT_SIGN_zero);
        number = reinterpret_cast<Singles>(_mm512_getexp_ps(t) - _mm512_getexp_ps(part));
        z = reinterpret_cast<Singles>(part);
#else
        constexpr std::int32_t three_quarters = 0x3f400000;
        const SingleInts bits = reinterpret_cast<SingleInts>(t), octave = (bits - three_quarters) >> 23;
        number = __builtin_convertvector(octave, Singles);
        z = reinterpret_cast<Singles>(bits - (octave << 23));
#endif
    }

    // Subnormal bfloat16 numbers are left to doubles.
    template <Format format>
    static SAMESUM_INLINE bool any_outside(Singles x) {
        constexpr std::uint32_t least = 0x00800000, infinite = 0x7f800000;
        return any_above(reinterpret_cast<SingleWords>(x) - least, infinite - 1 - least);
    }
};

// Into float16 and bfloat16, correctly rounded.
template <class Quick, class F>
struct HalfElements {
    static void run(const void* x, std::size_t n, void* out) {
        const char* from = static_cast<const char*>(x);
        char* to = static_cast<char*>(out);
        for (; n >= several * singles; n -= several * singles, from += several * bytes, to += several * bytes)
            take<several>(from, to);
        for (; n >= singles; n -= singles, from += bytes, to += bytes) take<1>(from, to);
        if (n > 0) Exact::run(from, n, to);
    }

  private:
    using Exact = NarrowElements<typename Quick::Function, F>;
    static constexpr std::size_t bytes = singles * F::size, several = 2;

    static __attribute__((noinline)) void take_carefully(Singles x, char* to) {
        const Halves halves = widen(x);
        Rounding<F::format>::store_to(to, 0, Exact::carefully(halves.low));
        Rounding<F::format>::store_to(to, width, Exact::carefully(halves.high));
    }

    template <std::size_t count>
    static SAMESUM_INLINE void take(const char* from, char* to) {
        Singles x[count], y[count];
        for_each_of<count>([&](std::size_t v) { x[v] = load_singles<F>(from + v * bytes); });
        Quick::quick(x, y);
        for_each_of<count>([&](std::size_t v) {
            const bool is_hard = Quick::template any_outside<F::format>(x[v]) |
                                 any_near_tie<F::format, 24 - Quick::certain_bits>(y[v]);
            if (__builtin_expect(is_hard, false))
                take_carefully(x[v], to + v * bytes);
            else
                store_singles<F::format>(to + v * bytes, y[v]);
        });
    }
};

}  // namespace samesum::SAMESUM_ISA
