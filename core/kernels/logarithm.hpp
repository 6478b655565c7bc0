// Logarithms of vectors, the same bits from every instruction set.
#pragma once

#include "kernels/exponential.hpp"

namespace samesum::SAMESUM_ISA {

// log(1 + v) for v from -1/4 to 1/2, within 2^-50 of it, relatively: 2 artanh(v / (2 + v)).
// (The quotient is rounded three times by 2^-53, the sum twice; the polynomial is off by 2^-74 of 1.)
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

// A positive normal number as 2^number * z with z from 3/4 to 3/2.
struct Octaves {
    Doubles number, scale;

    static SAMESUM_INLINE Octaves of(Doubles t) {
        constexpr std::uint64_t three_quarters = 0x3fe8000000000000, positive = std::uint64_t{1} << 62;
        // Modulo 2^64: numbers that will not be used may be anything.
        const UnsignedLongs above = reinterpret_cast<UnsignedLongs>(t) - three_quarters + positive;
        const Longs octave = reinterpret_cast<Longs>(above >> 52);
        constexpr std::int64_t offset = static_cast<std::int64_t>(positive >> 52);
        const Longs shifted = octave - offset + __builtin_bit_cast(std::int64_t, to_integer);
        const Longs scale = (offset + 1023 - octave) << 52;
        return {reinterpret_cast<Doubles>(shifted) - to_integer, reinterpret_cast<Doubles>(scale)};
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
    Doubles number, scale;

    static SAMESUM_INLINE LogarithmArgument of(DoubleWord t, DoubleWord v) {
        const Octaves octaves = Octaves::of(t.hi);
        const DoubleWord z = ordered_sum(t.hi * octaves.scale - 1, t.lo * octaves.scale);
        const Longs near = octaves.number == 0;
        return {{near ? v.hi : z.hi, near ? v.lo : z.lo}, octaves.number, octaves.scale};
    }
};

// log z of a double-word z = 1 + v from 3/4 to 3/2, off by 2^-67: y + log(z e^-y) for the double y nearly
// equal to it, where d := z e^-y - 1 < 2^-50 is as far from its logarithm as e^-y, which is within 2^-68,
// from what it stands for.
SAMESUM_INLINE DoubleWord logarithm_by_power(DoubleWord z, Doubles v) {
    const Doubles none = {}, y = logarithm_of_one_plus(v);
    const Sixteenths k = Sixteenths::of(-y);
    const DoubleWord power = grown(k.scaled_root(), k.root_error(), growth<68>(k, none));
    const Doubles p = z.hi * power.hi, error = fused(z.hi, power.hi, -p);
    return ordered_sum(y, (p - 1) + fused(z.hi, power.lo, fused(z.lo, power.hi, error)));
}

// log t of a double-word t = 1 + v, positive and normal, for bits 50, 66 or 88: near 1 it is v that counts,
// so that none of its bits are lost.
template <int bits>
SAMESUM_INLINE DoubleWord logarithm(DoubleWord t, DoubleWord v) {
    const LogarithmArgument x = LogarithmArgument::of(t, v);
    const Doubles none = {};
    if constexpr (bits == 50) {
        return in_octave(x.number, {logarithm_of_one_plus(x.rest.hi), none});
    } else if constexpr (bits == 66) {
        const DoubleWord z{t.hi * x.scale, t.lo * x.scale};
        return in_octave(x.number, logarithm_by_power(z, x.rest.hi));
    } else {
        return in_octave(x.number, logarithm_of_one_plus(x.rest));
    }
}

// What it is off by at most: 2^-bits of itself, with 66 bits that of one besides.
template <int bits>
SAMESUM_INLINE Doubles logarithm_error(Doubles log) {
    constexpr double relative = 1.0 / static_cast<double>(std::uint64_t{1} << (bits / 2)) /
                                static_cast<double>(std::uint64_t{1} << (bits - bits / 2));
    const Doubles size = samesum::SAMESUM_ISA::magnitude(log);
    if constexpr (bits == 66) return (size + 1) * relative;
    return size * relative;
}

// log t of a positive normal double, within 2^-49 of it, relatively: beside 2^0 the two terms do not cancel
// to less than a third of either, and the second is within 2^-50.
SAMESUM_INLINE Doubles plain_logarithm(Doubles t) {
    const Octaves octaves = Octaves::of(t);
    const Doubles none = {};
    return fused(octaves.number, none + 0x1.62e42fefa39efp-1, logarithm_of_one_plus(t * octaves.scale - 1));
}

}  // namespace samesum::SAMESUM_ISA
