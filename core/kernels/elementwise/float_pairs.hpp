// Exponentials and logarithms of floats in two words, hi + lo with hi the nearest float: errors far below the
// last place of hi, for results that are rounded once.
#pragma once

#include "kernels/exponentials/powers.hpp"
#include "kernels/vectors/float_batches.hpp"
#include "kernels/vectors/tables.hpp"

namespace samesum::SAMESUM_ISA {

// Numbers from 1 to 2 by the first five bits k of their fraction: a factor m / 64 near their reciprocal, with
// |z m / 64 - 1| <= 1/32, and -log(m / 64), as a multiple of 2^-17 and the rest of it. The last one is
// ln 2, as the constants below have it.
struct alignas(64) FloatLogarithmTable {
    float factor[32], log[32], rest[32];
};
constexpr FloatLogarithmTable float_logarithms = {
    {0x1p+0f,    0x1.e8p-1f, 0x1.d8p-1f, 0x1.dp-1f,  0x1.cp-1f,  0x1.b8p-1f, 0x1.a8p-1f, 0x1.ap-1f,
     0x1.98p-1f, 0x1.88p-1f, 0x1.8p-1f,  0x1.78p-1f, 0x1.7p-1f,  0x1.68p-1f, 0x1.6p-1f,  0x1.58p-1f,
     0x1.5p-1f,  0x1.48p-1f, 0x1.48p-1f, 0x1.4p-1f,  0x1.38p-1f, 0x1.3p-1f,  0x1.3p-1f,  0x1.28p-1f,
     0x1.2p-1f,  0x1.2p-1f,  0x1.18p-1f, 0x1.1p-1f,  0x1.1p-1f,  0x1.08p-1f, 0x1.08p-1f, 0x1p-1f},
    {0x0p+0f,      0x1.895p-5f,  0x1.4d3p-4f,  0x1.9338p-4f, 0x1.1178p-3f, 0x1.366p-3f,  0x1.823cp-3f,
     0x1.a94p-3f,  0x1.d104p-3f, 0x1.1178p-2f, 0x1.2696p-2f, 0x1.3c26p-2f, 0x1.522ap-2f, 0x1.68acp-2f,
     0x1.7fbp-2f,  0x1.973ap-2f, 0x1.af52p-2f, 0x1.c8p-2f,   0x1.c8p-2f,   0x1.e148p-2f, 0x1.fb36p-2f,
     0x1.0ae7p-1f, 0x1.0ae7p-1f, 0x1.188fp-1f, 0x1.2696p-1f, 0x1.2696p-1f, 0x1.3503p-1f, 0x1.43dap-1f,
     0x1.43dap-1f, 0x1.5323p-1f, 0x1.5323p-1f, 0x1.62e4p-1f},
    {0x0p+0f,          -0x1.57ad82p-19f, 0x1.15d208p-20f,  -0x1.0d1536p-19f, 0x1.d044fcp-20f,
     -0x1.a7f538p-22f, 0x1.6551a4p-23f,  -0x1.2c3752p-19f, -0x1.01b354p-20f, 0x1.d044fcp-19f,
     0x1.089a6ep-21f,  -0x1.b1199ap-19f, 0x1.c0e714p-19f,  0x1.07d38ep-19f,  -0x1.7109fap-20f,
     0x1.a189acp-21f,  0x1.2a491ap-19f,  -0x1.8e2eaap-20f, -0x1.8e2eaap-20f, 0x1.4344e4p-19f,
     -0x1.d4216ep-20f, 0x1.b8b416p-19f,  0x1.b8b416p-19f,  -0x1.bf0dc4p-21f, 0x1.089a6ep-20f,
     0x1.089a6ep-20f,  -0x1.d4989cp-19f, -0x1.a0db88p-26f, -0x1.a0db88p-26f, -0x1.d97988p-21f,
     -0x1.d97988p-21f, 0x1.7f7d1cp-20f}};
constexpr float float_octave = 0x1.62e4p-1f, float_octave_rest = 0x1.7f7d1cp-20f,
                whole_float_octave = 0x1.62e43p-1f;

// Floats as 2^number * z with z from 1 to 2, whatever their sign.
template <std::size_t count>
struct FloatSignificand {
    Batch<count> number, z;

    static SAMESUM_INLINE FloatSignificand of(Batch<count> t) {
        const auto exponent = [&](std::size_t v) SAMESUM_INLINED { return exponents_of(t.part[v]); };
        const auto fraction = [&](std::size_t v) SAMESUM_INLINED { return significands_of(t.part[v]); };
        return {Batch<count>::made(exponent), Batch<count>::made(fraction)};
    }
};

// log |t| = hi + lo of numbers other than zero, and the square of r.
template <std::size_t count>
struct PairLogarithm {
    Batch<count> hi, lo, square;
};

// number * ln 2 - log c + log(1 + r) for |t| = 2^number * z and 1 + r = z c, where r is exact: a multiple of
// 2^-29 that is not above 2^-5. The first two terms are `far`, a multiple of 2^-17 below 2^7 and so exact,
// and `small`, below 2^-18 (|number| + 1). log(1 + r) is r + r^2 q with |q| < 0.517: r^2 q is off by 2^-24
// r^2 / 2 three times, as r^2, q and their product are rounded, and by the polynomial's 2^-30.8 r^2. The
// constants of `small`, itself and its sum with what is lost of r are each off by 2^-43 (|number| + 1), the
// last sum by 2^-42. In all the error is below
//     2^-23.3 r^2 + 2^-40.4 (|number| + 1),
// and where `far` is 0 (number 0 or -1) it is the first of these alone. (Lemma 64)
template <std::size_t count>
SAMESUM_INLINE PairLogarithm<count> pair_logarithm(Batch<count> t) {
    using B = Batch<count>;
    const auto x = FloatSignificand<count>::of(t);
    const B r = fused(x.z, number_of<18>(float_logarithms.factor, x.z), -1.0f);
    const B far = fused(x.number, float_octave, number_of<18>(float_logarithms.log, x.z));
    const B small = fused(x.number, float_octave_rest, number_of<18>(float_logarithms.rest, x.z));
    const B square = r * r;
    B q = fused(r, -0x1.55b56cp-3f, 0x1.99f51ap-3f);
    q = fused(r, q, -0x1.fffff6p-3f);
    q = fused(r, q, 0x1.555552p-2f);
    q = fused(r, q, -0.5f);
    const B sum = far + r, lost = r - (sum - far);
    const B rest = fused(square, q, lost + small), hi = sum + rest;
    return {hi, rest - (hi - sum), square};
}

// e^(hi + lo) as 2^(k / 32) (hi + lo): the two words, and the bits that are added to the first for the power
// of two. For |hi| < 128 and lo, if there is one, below 2^-16.
template <std::size_t count>
struct PairPower {
    Batch<count> hi, lo, shifted;

    // hi rounded, with the exponent.
    SAMESUM_INLINE Singles scaled(std::size_t v) const {
        const SingleWords octaves = (bits_of(shifted.part[v]) << 18) & 0xff800000u;
        return reinterpret_cast<Singles>(bits_of(hi.part[v]) + octaves);
    }
};

// 2^(k / 32) to 24 bits, for k below 32; `single_root_rest` is what they leave out, relatively.
struct alignas(64) FloatRoots {
    float root[32];

    constexpr FloatRoots() : root{} {
        for (std::uint32_t k = 0; k < 32; ++k)
            root[k] = __builtin_bit_cast(
                float, single_root_bits[k] + (k << 18) - (static_cast<std::uint32_t>(power_scale) << 23));
    }
};
constexpr FloatRoots float_roots;

// The root s (1 + e) and the argument r + rest that k leaves give s (1 + r) + s (rest + e (1 + r) + r^2 q): r
// is exact (see powers.hpp), so the first product is in two words but for 2^-47. What is small is below
// 2^-13.9, with |r| < 0.0109. Relative to s it is off by 2^-37.5 as r + rest is rounded before it is squared,
// by 2^-38 and 2^-38.5 as q and its product with r are, by 2^-39 itself, and by 2^-41.5 of the polynomial;
// the sum of the second words is rounded by 2^-38. In all 2^-35.7. (Lemma 63)
template <std::size_t count>
SAMESUM_INLINE PairPower<count> pair_power(Batch<count> x, const Batch<count>* lower) {
    using B = Batch<count>;
    constexpr float whole = SingleRange::to_whole;
    const B shifted = fused(x, 0x1.715476p+5f, whole), k = shifted - whole;
    const B exact = fused(k, -0x1.62e43p-6f, x);
    const B rest = lower == nullptr ? k * 0x1.05c61p-34f : fused(k, 0x1.05c61p-34f, *lower);
    const B r = exact + rest, error = number_of(single_root_rest, shifted);
    B q = fused(r, 0x1.5555aep-5f, 0x1.5555bap-3f);
    q = fused(r, q, 0.5f);
    q = fused(r, q, error);
    const B small = fused(r, q, rest + error), root = number_of(float_roots.root, shifted);
    const B grown = fused(root, exact, root), lost = fused(root, exact, root - grown);
    const B low = fused(root, small, lost), hi = grown + low;
    return {hi, low - (hi - grown), shifted};
}

}  // namespace samesum::SAMESUM_ISA
