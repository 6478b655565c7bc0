// Exponentials and logarithms of float64 in two words, for functions of each element, of several vectors at
// once.
#pragma once

#include "kernels/exponentials/logarithm.hpp"
#include "kernels/vectors/double_batches.hpp"

namespace samesum::SAMESUM_ISA {

template <std::size_t count>
struct DoublePair {
    DoubleBatch<count> hi, lo;
};

template <std::size_t n, std::size_t count>
SAMESUM_INLINE DoubleBatch<count> polynomial(DoubleBatch<count> r, const double (&c)[n]) {
    DoubleBatch<count> q;
    polynomials<false>(r.part, c, q.part);
    return q;
}

// The numbers of a table of 16 by the last bits of k.
template <std::size_t count>
SAMESUM_INLINE DoubleBatch<count> number_of(const double (&table)[16], DoubleBatch<count> k) {
    return DoubleBatch<count>::made(
        [&](std::size_t v) SAMESUM_INLINED { return looked_up(table, reinterpret_cast<Longs>(k.part[v])); });
}

// The numbers of a table of 32 by the first bits of the fraction of k.
template <std::size_t count>
SAMESUM_INLINE DoubleBatch<count> number_of(const double (&table)[32], DoubleBatch<count> k) {
    return DoubleBatch<count>::made([&](std::size_t v) SAMESUM_INLINED {
        const Longs at = reinterpret_cast<Longs>(reinterpret_cast<UnsignedLongs>(k.part[v]) >> 47);
        return looked_up_of_32(table, at);
    });
}

// 2^scale e^(x + lower) for `lower` below 2^-42. The root s (1 + e) and the argument r + rest that k leaves
// give s (1 + r) + s (rest + e (1 + r) + r^2 q): r is exact, the first product in two words but for 2^-106;
// what is small is below 2^-12 and off by 2^-64, as it is rounded and as the polynomial is, and so is the sum
// of the second words. The first word is within 2^-12 of the sum, which is off by 2^-62.5. (Lemma 61)
template <std::size_t count>
SAMESUM_INLINE DoublePair<count> double_power(DoubleBatch<count> x, DoubleBatch<count> lower,
                                              const Longs (&scale)[count]) {
    using B = DoubleBatch<count>;
    const B shifted = fused(x, sixteenths_per_unit, to_integer), k = shifted - to_integer;
    const B exact = fused(k, -sixteenth, x), rest = fused(k, -sixteenth_rest, lower);
    const B r = exact + rest, error = number_of(root_rest, shifted);
    constexpr double terms[] = {0x1.0000000000001p-1, 0x1.5555555555556p-3,  0x1.55555554e9468p-5,
                                0x1.11111110e10a8p-7, 0x1.6c17ed4cc633ep-10, 0x1.a01b0c2edc385p-13};
    const B q = polynomial(r, terms);
    const B small = fused(r * r, q, fused(r, error, error + rest));
    const B root = B::made([&](std::size_t v) SAMESUM_INLINED {
        const Longs bits = reinterpret_cast<Longs>(shifted.part[v]);
        return Sixteenths::with_exponent(
            reinterpret_cast<Longs>(looked_up(root_bits, bits)) + (scale[v] << 52), bits);
    });
    const B grown = fused(root, exact, root), lost = fused(root, exact, root - grown);
    return {grown, fused(root, small, lost)};
}

// Numbers z from 1 to 2 by the first five bits k of z + 1/96: a factor m / 64 near their reciprocal, and
// -log(m / 64) as a multiple of 2^-41 and the rest of it. The first one is 1, the last one 1/2, whose
// logarithm is that of `octave`. z m / 64 - 1 is below 0.0225, and below 0.0209 for those two.
alignas(64) constexpr double power_factor[32] = {
    0x1p+0,    0x1.fp-1, 0x1.ep-1,  0x1.dp-1,  0x1.c8p-1, 0x1.b8p-1, 0x1.bp-1,  0x1.ap-1,
    0x1.98p-1, 0x1.9p-1, 0x1.88p-1, 0x1.78p-1, 0x1.7p-1,  0x1.68p-1, 0x1.6p-1,  0x1.58p-1,
    0x1.58p-1, 0x1.5p-1, 0x1.48p-1, 0x1.4p-1,  0x1.38p-1, 0x1.38p-1, 0x1.3p-1,  0x1.28p-1,
    0x1.2p-1,  0x1.2p-1, 0x1.18p-1, 0x1.18p-1, 0x1.1p-1,  0x1.08p-1, 0x1.08p-1, 0x1p-1};
alignas(64) constexpr double power_log[32] = {
    0x0.0000000000p+0, 0x1.0415d89e7p-5,  0x1.08598b59ep-4,  0x1.9335e5d598p-4, 0x1.da72763848p-4,
    0x1.365fcb0158p-3, 0x1.5bf406b544p-3, 0x1.a93ed3c8acp-3, 0x1.d1037f2654p-3, 0x1.f991c6cb3cp-3,
    0x1.1178e8227ep-2, 0x1.3c25277334p-2, 0x1.522ae0738ap-2, 0x1.68ac83e9c6p-2, 0x1.7fafa3bd82p-2,
    0x1.973a343136p-2, 0x1.973a343136p-2, 0x1.af5295248cp-2, 0x1.c7ff9c7456p-2, 0x1.e148a1a272p-2,
    0x1.fb358af7a4p-2, 0x1.fb358af7a4p-2, 0x1.0ae76e2d05p-1, 0x1.188ee40f24p-1, 0x1.269621134ep-1,
    0x1.269621134ep-1, 0x1.35028ad9d9p-1, 0x1.35028ad9d9p-1, 0x1.43d9ff2f92p-1, 0x1.5322e26868p-1,
    0x1.5322e26868p-1, 0x1.62e42fefa4p-1};
alignas(64) constexpr double power_log_rest[32] = {
    0x0.0000000000000p+0,   0x1.1111c05cf1d75p-43,  0x1.d034451fecdfbp-43,  -0x1.b3ba8f150ae0ap-43,
    -0x1.caed7fc0b1d1ap-43, 0x1.0162fa8234b73p-43,  -0x1.27023eb68981cp-46, 0x1.9e36f2bea77a6p-43,
    0x1.e7b5818a49092p-43,  -0x1.90d04cd7cc834p-44, 0x1.1ef78ce2d07f2p-44,  -0x1.cf895693f2854p-43,
    0x1.ebe708164c759p-45,  0x1.42834c9d5bae8p-43,  -0x1.5c8243204959ap-43, -0x1.2a46274a05b3ep-43,
    -0x1.2a46274a05b3ep-43, 0x1.ba0ceab622eeap-43,  -0x1.66db77054926cp-43, 0x1.b36537e3375b2p-44,
    0x1.1085fa3c16493p-43,  0x1.1085fa3c16493p-43,  0x1.3e90d710fcfc5p-43,  -0x1.accec41d52e6cp-44,
    -0x1.1b61f10522625p-43, -0x1.1b61f10522625p-43, -0x1.bd1f01ab60655p-44, -0x1.bd1f01ab60655p-44,
    0x1.e267b0b7efae1p-44,  -0x1.ea333ba2da8adp-43, -0x1.ea333ba2da8adp-43, -0x1.8432a1b0e2634p-43};

// The significand and exponent of positive normal numbers, with z from 1 to 2.
template <std::size_t count>
struct DoubleSignificand {
    DoubleBatch<count> number, z;

    static SAMESUM_INLINE DoubleSignificand of(DoubleBatch<count> t) {
        using B = DoubleBatch<count>;
        return {B::made([&](std::size_t v) SAMESUM_INLINED { return exponents_of(t.part[v]); }),
                B::made([&](std::size_t v) SAMESUM_INLINED { return significands_of(t.part[v]); })};
    }
};

// log(|t| / 2^scaled) of normal numbers: number * ln 2 - log c + log(1 + r) for |t| = 2^number * z and 1 + r
// = z c, where r is exact: a multiple of 2^-58 that is below 2^-5. The first two terms are `far`, a multiple
// of 2^-41 and exact, and `small`. log(1 + r) is r - r^2 / 2 - r^3 q / 2 with |q| < 0.69: all but the last
// term is in two words. That one is rounded by 2^-53 of r^3 / 3 three times and q by 2^-54, and its first
// term is off by 2^-54.5: all below 2^-52.4 r^3, and so 2^-63.5 of the logarithm where `far` is 0, and less
// elsewhere. The first word is within 2^-12 of the sum. (Lemma 62)
template <std::size_t count>
SAMESUM_INLINE DoublePair<count> double_logarithm(DoubleBatch<count> t, DoubleBatch<count> scaled) {
    using B = DoubleBatch<count>;
    const auto x = DoubleSignificand<count>::of(t);
    const B number = x.number - scaled;
    const B at = B::made([&](std::size_t v) SAMESUM_INLINED {
        return lesser(x.z.part[v] + 0x1.5555555555555p-7, Doubles{} + 0x1.fffffffffffffp0);
    });
    const B r = fused(x.z, number_of(power_factor, at), -1.0);
    const B far = fused(number, octave, number_of(power_log, at));
    const B small = fused(number, octave_rest, number_of(power_log_rest, at));
    const B half = r * -0.5, curved = fused(half, r, r), curved_lost = fused(half, r, r - curved);
    constexpr double terms[] = {-0x1.5555555555555p-1, 0x1.ffffffffffff8p-2,  -0x1.9999999999986p-2,
                                0x1.5555555585a69p-2,  -0x1.24924924dca08p-2, 0x1.fffff5ca2d84bp-3,
                                -0x1.c71c658f3309fp-3, 0x1.99ffdfd35ecdp-3,   -0x1.74c5fe851d34dp-3};
    const B q = polynomial(r, terms);
    const B first = far + curved, first_lost = curved - (first - far);
    return {first, fused(half * r, r * q, small + (first_lost + curved_lost))};
}

// The same with hi the nearest double.
template <std::size_t count>
SAMESUM_INLINE DoublePair<count> normal_logarithm(DoubleBatch<count> t, DoubleBatch<count> scaled) {
    const DoublePair<count> log = double_logarithm(t, scaled);
    const DoubleBatch<count> hi = log.hi + log.lo;
    return {hi, log.lo - (hi - log.hi)};
}

}  // namespace samesum::SAMESUM_ISA
