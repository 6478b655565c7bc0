// Logarithms of vectors, the same bits from every instruction set.
#pragma once

#include "kernels/exponentials/exponential.hpp"

namespace samesum::SAMESUM_ISA {

// log(1 + v) for v from -1/4 to 1/2, within 2^-50 of it, relatively: 2 artanh(v / (2 + v)). (Lemma 43)
// (The quotient is rounded three times by 2^-53, the sum twice; the polynomial is off by 2^-59.9 of 1.)
SAMESUM_INLINE Doubles logarithm_of_one_plus(Doubles v) {
    const Doubles none = {}, s = v / (2 + v), w = s * s;
    Doubles q = fused(w, none + 0x1.02cbb4f6abcb3p-4, none + 0x1.da5426ebd51dfp-5);
    q = fused(w, q, none + 0x1.113eeed150d0cp-4);
    q = fused(w, q, none + 0x1.3b1264101e254p-4);
    q = fused(w, q, none + 0x1.745d1d12c9b8ep-4);
    q = fused(w, q, none + 0x1.c71c71b789d77p-4);
    q = fused(w, q, none + 0x1.249249249e151p-3);
    q = fused(w, q, none + 0x1.999999999990ep-3);
    q = fused(w, q, none + 0x1.5555555555555p-2);
    return 2 * fused(w * q, s, s);
}

// The same of a double-word, within 2^-88 of the result: y + log((1 + v) e^-y) for the double y nearly equal
// to it, where (1 + v) e^-y - 1 = v + e + v e =: d < 2^-49 |v| and log(1 + d) = d - d^2 / 2 but for d^3.
// (Lemma 44)
SAMESUM_INLINE DoubleWord logarithm_of_one_plus(DoubleWord v) {
    const Doubles y = logarithm_of_one_plus(v.hi);
    const DoubleWord e = exponential_less_one(-y);
    const DoubleWord p = product(v, e);
    Doubles sum, error, all, last;
    two_sum(v.hi, e.hi, sum, error);
    two_sum(sum, p.hi, all, last);
    const Doubles d = all + ((error + last) + (v.lo + e.lo + p.lo));
    return ordered_sum(y, d - 0.5 * d * d);
}

// A positive normal number below 3/4 2^1024 as 2^number * z with z from 3/4 to 3/2.
struct Octaves {
    Doubles number, scale;

    static SAMESUM_INLINE Octaves of(Doubles t) {
        const Longs octave = whole_number(t), scale = (1023 - octave) << 52;
        return {as_doubles(octave), reinterpret_cast<Doubles>(scale)};
    }

    // Modulo 2^64: numbers that will not be used may be anything.
    static SAMESUM_INLINE Longs whole_number(Doubles t) {
        constexpr std::uint64_t three_quarters = 0x3fe8000000000000, positive = std::uint64_t{1} << 62;
        const UnsignedLongs above = reinterpret_cast<UnsignedLongs>(t) - three_quarters + positive;
        return reinterpret_cast<Longs>(above >> 52) - static_cast<std::int64_t>(positive >> 52);
    }

    static SAMESUM_INLINE Doubles as_doubles(Longs number) {
        return reinterpret_cast<Doubles>(number + __builtin_bit_cast(std::int64_t, to_integer)) - to_integer;
    }
};

// The same of any positive normal number, with z itself. The instructions give what the operations on the
// bits do.
struct Significand {
    Doubles number, z;

    static SAMESUM_INLINE Significand of(Doubles t) {
#if defined(__AVX512F__)
        const __m512d z = _mm512_getmant_pd(t, _MM_MANT_NORM_p75_1p5, _MM_MANT_SIGN_zero);
        return {reinterpret_cast<Doubles>(_mm512_getexp_pd(t) - _mm512_getexp_pd(z)),
                reinterpret_cast<Doubles>(z)};
#else
        const Longs number = Octaves::whole_number(t);
        const UnsignedLongs bits =
            reinterpret_cast<UnsignedLongs>(t) - (reinterpret_cast<UnsignedLongs>(number) << 52);
        return {Octaves::as_doubles(number), reinterpret_cast<Doubles>(bits)};
#endif
    }
};

// ln 2 in words, the first of 40 bits: multiples of it by less than 2^12 are exact.
constexpr double octave = 0x1.62e42fefa4p-1, octave_rest = -0x1.8432a1b0e2634p-43,
                 octave_middle = -0x1.8432a1b0e2p-43, octave_last = -0x1.8cff81a12a17ep-85;

// number * ln 2 + y, within 2^-100 of the former and 2^-104 of the result.
SAMESUM_INLINE DoubleWord in_octave(Doubles number, DoubleWord y) {
    const Doubles none = {};
    Doubles sum, error, all, last;
    two_sum(number * octave_middle, y.hi, sum, error);
    two_sum(number * octave, sum, all, last);
    return ordered_sum(all, last + (error + fused(number, none + octave_last, y.lo)));
}

// The argument as 2^number * (1 + rest).
struct LogarithmArgument {
    DoubleWord rest;
    Doubles number;

    static SAMESUM_INLINE LogarithmArgument of(DoubleWord t, DoubleWord v) {
        const Octaves octaves = Octaves::of(t.hi);
        const DoubleWord z = ordered_sum(t.hi * octaves.scale - 1, t.lo * octaves.scale);
        const Longs near = octaves.number == 0;
        return {{near ? v.hi : z.hi, near ? v.lo : z.lo}, octaves.number};
    }
};

// Factors c near 1 / a for sixteen numbers a, and -log c in words, the first of which is a multiple of 2^-41,
// as `octave` is.
struct alignas(64) LogarithmTable {
    double factor[16], log[16], rest[16];
};

// Of a = k / 16 for k = 12 ... 24, and of 1 + j / 192 for j = -7 ... 7, at the places k and j modulo 16.
constexpr LogarithmTable of_sixteenths = {
    {0x1p+0, 0x1.e1ep-1, 0x1.c72p-1, 0x1.af2p-1, 0x1.99ap-1, 0x1.862p-1, 0x1.746p-1, 0x1.642p-1, 0x1.58ep-1,
     0, 0, 0, 0x1.4e6p+0, 0x1.3b2p+0, 0x1.24ap+0, 0x1.112p+0},
    {0, 0x1.f0c30c111p-5, 0x1.e2507702bp-4, 0x1.601b076e7cp-3, 0x1.c8df7cb9a8p-3, 0x1.1661caecbap-2,
     0x1.4610bc29c6p-2, 0x1.73c1800dcp-2, 0x1.94a0428036p-2, 0, 0, 0, -0x1.117ee81dfep-2, -0x1.a98ed238b8p-3,
     -0x1.11d8e5e29p-3, -0x1.0939853a2p-4},
    {0, 0x1.8d44329dd20ap-43, -0x1.f897980522249p-45, -0x1.7569415901b8dp-43, 0x1.eee42f58e1e6ep-44,
     -0x1.171fff9fc4abbp-44, -0x1.e82c9f310c8e6p-46, 0x1.9906dfbaa3b6p-43, 0x1.0e7bcb08c6b44p-44, 0, 0, 0,
     -0x1.30f778a2e8cbdp-44, -0x1.126ffb47b9acp-48, -0x1.1c6fa52eaa55bp-45, 0x1.9ba27869f08dcp-43}};
constexpr LogarithmTable of_fine_steps = {
    {0x1p+0, 0x1.fd58ded6e17ep-1, 0x1.fab8be054742p-1, 0x1.f81f81f81f82p-1, 0x1.f58d0fac687d6p-1,
     0x1.f3014cab88726p-1, 0x1.f07c1f07c1f08p-1, 0x1.edfd6d58c389ap-1, 0, 0x1.09afbd94109bp+0,
     0x1.0842108421084p+0, 0x1.06d84ca9c106ep+0, 0x1.0572620ae4c41p+0, 0x1.041041041041p+0,
     0x1.02b1da46102b2p+0, 0x1.01571ed3c506bp+0},
    {0, 0x1.547290988p-8, 0x1.53915bb4cp-7, 0x1.fc0a8b0fcp-7, 0x1.51d38f0dp-6, 0x1.a534a9d38p-6,
     0x1.f829b0e78p-6, 0x1.2559dd871p-5, 0, -0x1.303f46713p-5, -0x1.0415d89e7p-5, -0x1.b05212a1p-6,
     -0x1.58f065fe6p-6, -0x1.020565894p-6, -0x1.571fa13dp-7, -0x1.5639ae9fp-8},
    {0, 0x1.5f474db74afa6p-45, 0x1.ff9dfce2fa82ap-43, 0x1.e1e7cf6d3a69cp-50, -0x1.1d1f699ea41b6p-43,
     -0x1.d44f9f0c5f0efp-44, 0x1.97c267c7e09e4p-45, -0x1.5fb735aedab3fp-43, 0, 0x1.eab12be99a316p-43,
     -0x1.1101c05cf1d75p-43, -0x1.a6d12f6f2211cp-43, 0x1.4205b366b6a97p-43, 0x1.4f916c1b8bdf5p-43,
     -0x1.51cdbf05b7478p-46, 0x1.07f7c8fed965bp-43}};
constexpr double fine_steps = 192;

// 1 + r times the factor of the table nearest to 1 / (1 + r), less one: below 0.0027.
SAMESUM_INLINE DoubleWord finely_reduced(DoubleWord r, Longs j) {
    const Doubles c = looked_up(of_fine_steps.factor, j), p = r.hi * c, error = fused(r.hi, c, -p);
    const DoubleWord reduced = ordered_sum(c - 1, p);  // all of these are exact
    return ordered_sum(reduced.hi, reduced.lo + fused(r.lo, c, error));
}

// log t = number * ln 2 - log c - log d + log(1 + r) for t = 2^number * z, the factors c and d of the tables
// and 1 + r = z c d; near 1 it is r = v, and there are no other terms. All but r, r^2 / 2 and what they lose
// is in plain doubles: the last term, below r^3 / 3 < 2^-18 r, is rounded three times by 2^-53, and its
// polynomial is off by 2^-55 of 1. (Lemma 45)
SAMESUM_INLINE DoubleWord logarithm_by_tables(Doubles number, DoubleWord z, DoubleWord v, Longs is_near_one) {
    const Doubles none = {};
    const Longs k = reinterpret_cast<Longs>(fused(z.hi, none + 16, none + to_integer));
    const Doubles c = looked_up(of_sixteenths.factor, k), p = z.hi * c, error = fused(z.hi, c, -p);
    const DoubleWord distant = ordered_sum(p - 1, fused(z.lo, c, error));
    const Longs near = is_near_one & (samesum::SAMESUM_ISA::magnitude(v.hi) < 0x1p-5);
    const DoubleWord coarse{near ? v.hi : distant.hi, near ? v.lo : distant.lo};
    const Longs j = reinterpret_cast<Longs>(fused(coarse.hi, none + fine_steps, none + to_integer));
    const DoubleWord r = finely_reduced(coarse, j);
    const Doubles square = r.hi * r.hi, square_rest = fused(r.hi, r.hi, -square);
    Doubles q = fused(r.hi, none - 0x1.0000895ac9bafp-3, none + 0x1.2492e1c254d2ap-3);
    q = fused(r.hi, q, none - 0x1.555555553e4dap-3);
    q = fused(r.hi, q, none + 0x1.999999998002dp-3);
    q = fused(r.hi, q, none - 0.25);
    q = fused(r.hi, q, none + 0x1.5555555555555p-2);
    const Doubles logs = looked_up(of_sixteenths.log, k) + looked_up(of_fine_steps.log, j);
    const Doubles rests = looked_up(of_sixteenths.rest, k) + looked_up(of_fine_steps.rest, j);
    const DoubleWord first = ordered_sum(fused(number, none + octave, logs), r.hi);
    const DoubleWord sum = ordered_sum(first.hi, -0.5 * square);
    const Doubles small = fused(r.lo, square - r.hi, fused(none - 0.5, square_rest, r.lo)) +
                          fused(number, none + octave_rest, rests);
    return ordered_sum(sum.hi, fused(r.hi * square, q, small + (first.lo + sum.lo)));
}

SAMESUM_INLINE DoubleWord logarithm_by_tables(DoubleWord t, DoubleWord v, Doubles scaled) {
    const Octaves x = Octaves::of(t.hi);
    return logarithm_by_tables(x.number - scaled, {t.hi * x.scale, t.lo * x.scale}, v, x.number == 0);
}

// Of a positive normal double.
SAMESUM_INLINE DoubleWord logarithm_by_tables(Doubles t, Doubles scaled) {
    const Doubles none = {};
    const Significand x = Significand::of(t);
    return logarithm_by_tables(x.number - scaled, {x.z, none}, {t - 1, none}, x.number == 0);
}

// log(t / 2^scaled) of a double-word t = 1 + v, positive and normal, for bits 50, 67 or 88: near 1 it is v
// that counts, so that none of its bits are lost.
template <int bits>
SAMESUM_INLINE DoubleWord logarithm(DoubleWord t, DoubleWord v, Doubles scaled = Doubles{}) {
    if constexpr (bits == 67) return logarithm_by_tables(t, v, scaled);
    const LogarithmArgument x = LogarithmArgument::of(t, v);
    const Doubles none = {}, number = x.number - scaled;
    if constexpr (bits == 50) return in_octave(number, {logarithm_of_one_plus(x.rest.hi), none});
    return in_octave(number, logarithm_of_one_plus(x.rest));
}

// What it is off by at most: 2^-bits of itself.
template <int bits>
SAMESUM_INLINE Doubles logarithm_error(Doubles log) {
    constexpr double relative = 1.0 / static_cast<double>(std::uint64_t{1} << (bits / 2)) /
                                static_cast<double>(std::uint64_t{1} << (bits - bits / 2));
    return samesum::SAMESUM_ISA::magnitude(log) * relative;
}

// c0 + c1 r + ... + c(n-1) r^(n-1) in multiply-adds, that may be rounded twice where `rough`. Of several
// vectors step by step: one by one, a scheduler's room binds, not its units.
template <bool rough, std::size_t n, std::size_t count>
SAMESUM_INLINE void polynomials(const Doubles (&r)[count], const double (&c)[n], Doubles (&q)[count]) {
    const Doubles none = {};
    for_each_of<count>([&](std::size_t v) { q[v] = none + c[n - 1]; });
    for_each_of<n - 1>([&](std::size_t i) {
        const double term = c[n - 2 - i];
        for_each_of<count>([&](std::size_t v) {
            q[v] = rough ? roughly_fused(r[v], q[v], none + term) : fused(r[v], q[v], none + term);
        });
    });
}

template <std::size_t n>
SAMESUM_INLINE Doubles polynomial(Doubles r, const double (&c)[n]) {
    const Doubles all[1] = {r};
    Doubles q[1];
    polynomials<false>(all, c, q);
    return q[0];
}

// The logarithms of the table to 53 bits.
struct alignas(64) NearestLogarithms {
    double log[16];

    constexpr NearestLogarithms() : log{} {
        for (std::size_t i = 0; i < 16; ++i) log[i] = of_sixteenths.log[i] + of_sixteenths.rest[i];
    }
};
constexpr NearestLogarithms nearest_logarithms;

// log t of positive normal doubles, within 2^-45 of them, relatively: log(1 + r) = r + r^2 (c0 + c1 r + ...)
// with |r| < 0.0387, a polynomial that is off by 2^-46.5 of r; what is rounded, two terms of the sum among
// it, is below 2^-50. For results that are certified afterwards: their bits may depend on the instruction
// set. (Lemma 46)
template <std::size_t count>
SAMESUM_INLINE void quick_logarithms(const Doubles (&t)[count], Doubles (&log)[count]) {
    constexpr double terms[] = {-0.5,
                                0x1.5555555607548p-2,
                                -0x1.00000000a0341p-2,
                                0x1.99997c7bd2e33p-3,
                                -0x1.55553b20b0275p-3,
                                0x1.252aa5f1b855ep-3,
                                -0x1.0089215070d56p-3};
    const Doubles none = {};
    Significand x[count];
    Longs k[count];
    Doubles r[count], s[count], q[count];
    for_each_of<count>([&](std::size_t v) { x[v] = Significand::of(t[v]); });
    for_each_of<count>([&](std::size_t v) {
        k[v] = reinterpret_cast<Longs>(roughly_fused(x[v].z, none + 16, none + to_integer));
    });
    for_each_of<count>([&](std::size_t v) {
        r[v] = roughly_fused(x[v].z, looked_up(of_sixteenths.factor, k[v]), none - 1);
        log[v] =
            roughly_fused(x[v].number, none + 0x1.62e42fefa39efp-1, looked_up(nearest_logarithms.log, k[v]));
    });
    for_each_of<count>([&](std::size_t v) { s[v] = r[v] * r[v]; });
    polynomials<true>(r, terms, q);
    for_each_of<count>([&](std::size_t v) { log[v] += roughly_fused(s[v], q[v], r[v]); });
}

SAMESUM_INLINE Doubles quick_logarithm(Doubles t) {
    const Doubles all[1] = {t};
    Doubles log[1];
    quick_logarithms(all, log);
    return log[0];
}

}  // namespace samesum::SAMESUM_ISA
