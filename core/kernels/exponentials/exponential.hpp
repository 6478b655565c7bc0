// Exponentials of vectors, the same bits from every instruction set: e^d = 2^(k/16) * e^r for the integer k
// nearest to 16 d / ln 2, with 2^(j/16) from a table of sixteen and |r| <= ln 2 / 32 + 2^-40 < 0.02167.
#pragma once

#include "kernels/vectors/rounding.hpp"
#include "kernels/vectors/tables.hpp"

namespace samesum::SAMESUM_ISA {

// hi + lo, with hi the nearest double to it.
struct DoubleWord {
    Doubles hi, lo;
};

// s + e == a + b for a that is zero or not below b in exponent (Dekker). (Lemma 1)
SAMESUM_INLINE DoubleWord ordered_sum(Doubles a, Doubles b) {
    const Doubles s = a + b;
    return {s, b - (s - a)};
}

// The product but for 2^-104 of it, if both are normalised.
SAMESUM_INLINE DoubleWord product(DoubleWord a, DoubleWord b) {
    const Doubles p = a.hi * b.hi;
    const Doubles e = fused(a.hi, b.hi, -p);
    return ordered_sum(p, fused(a.lo, b.hi, fused(a.hi, b.lo, e)));
}

// 2^(j/16) is s(1 + r): the bits of s, less j << 48, so that adding k << 48 gives those of s * 2^floor(k/16);
// and r.
alignas(64) constexpr std::int64_t root_bits[16] = {
    0x3ff0000000000000, 0x3fefb5586cf9890f, 0x3fef72b83c7d517b, 0x3fef387a6e756238,
    0x3fef06fe0a31b715, 0x3feedea64c123422, 0x3feebfdad5362a27, 0x3feeab07dd485429,
    0x3feea09e667f3bcd, 0x3feea11473eb0187, 0x3feeace5422aa0db, 0x3feec49182a3f090,
    0x3feee89f995ad3ad, 0x3fef199bdd85529c, 0x3fef5818dcfba487, 0x3fefa4afa2a490da};
alignas(64) constexpr double root_rest[16] = {
    0x0.0000000000000p+0,   0x1.79aa65d837b6dp-54,  -0x1.01b15eaa59348p-55, 0x1.68efde3a8a894p-54,
    0x1.34d754db0abb6p-55,  0x1.59f48a72a4c6dp-55,  0x1.690cebb7aafb0p-56,  0x1.063e1e21c5409p-54,
    -0x1.3b3efbf5e2228p-54, -0x1.b32dcb94da51dp-56, 0x1.db72fc1f0eab4p-55,  0x1.1affc2b91ce27p-56,
    0x1.c1a7792cb3387p-55,  0x1.36eae30af0cb3p-56,  0x1.4a385a63d07a7p-56,  -0x1.ff7128fd391f0p-55};

constexpr double sixteenths_per_unit = 0x1.71547652b82fep+4;  // 16 / ln 2
// ln 2 / 16 in words: their first two have 36 bits, whose products with k < 2^16 are exact; the first two of
// three, or of two, are off by 2^-140 and 2^-97.
constexpr double sixteenth = 0x1.62e42fefap-5, sixteenth_rest = 0x1.cf79abc9e3b3ap-44,
                 sixteenth_middle = 0x1.cf79abc9ep-44, sixteenth_last = 0x1.d9cc01f97b57ap-83;
constexpr double whole_sixteenth = 0x1.62e42fefa39efp-5;  // rounded
constexpr double to_integer = 0x1.8p52;                   // added, it leaves an integer in the last bits

// k as a double and in the low bits, and d - k * sixteenth, which is exact: it has the last place of d, which
// is not below 2^-58 where k is not zero. (Lemma 37)
struct Sixteenths {
    Doubles number, rest;
    Longs bits;

    static SAMESUM_INLINE Sixteenths of(Doubles d) { return of(d, Doubles{} + to_integer); }

    // What `whole` is less than `to_integer`, a multiple of 16, is taken away from the bits.
    static SAMESUM_INLINE Sixteenths of(Doubles d, Doubles whole) {
        const Doubles none = {}, shifted = fused(d, none + sixteenths_per_unit, whole);
        const Doubles number = shifted - whole;
        return {number, fused(-number, none + sixteenth, d), reinterpret_cast<Longs>(shifted)};
    }

    // The root times 2^exponent and 2^scale.
    SAMESUM_INLINE Doubles scaled_root(std::int64_t scale = 0) const {
        const Longs root = reinterpret_cast<Longs>(looked_up(root_bits, bits)) + (scale << 52);
        return with_exponent(root, bits);
    }

    // Modulo 2^64: exponents of elements that will not be used may be anything.
    static SAMESUM_INLINE Doubles with_exponent(Longs root, Longs k) {
        return reinterpret_cast<Doubles>(reinterpret_cast<UnsignedLongs>(root) +
                                         (reinterpret_cast<UnsignedLongs>(k) << 48));
    }

    SAMESUM_INLINE Doubles root_error() const { return looked_up(root_rest, bits); }
};

// Below this exponentials count as zero; they are less than 2^-995.
constexpr double least_power = -690;

// e^r - 1 for the argument that `k` leaves, to 2^-53 of 1: the polynomial, an approximation to 2^-55.9 of 1,
// is rounded in its terms below 0.022 only. (Lemma 37)
SAMESUM_INLINE Doubles growth(const Sixteenths& k) {
    const Doubles none = {}, r = fused(-k.number, none + sixteenth_rest, k.rest);
    Doubles q = fused(r, none + 0x1.6c185e4ba9534p-10, none + 0x1.11123b390b495p-7);
    q = fused(r, q, none + 0x1.555555545e68fp-5);
    q = fused(r, q, none + 0x1.555555548ed4ap-3);
    q = fused(r, q, none + 0x1.0000000000005p-1);
    return fused(r * r, q, r);
}

// Within 2^-51 of it, relatively, e^d for what was made of d; less the octaves taken away from its bits.
// (The last operation and the root each round by 2^-53.) (Lemma 37)
SAMESUM_INLINE Doubles exponential(const Sixteenths& k) {
    const Doubles root = k.scaled_root();
    return fused(root, growth(k), root);
}

// e^d for d <= 0; zero for d below `least_power`. Of other d anything.
SAMESUM_INLINE Doubles exponential(Doubles d) {
    return d >= least_power ? exponential(Sixteenths::of(d)) : Doubles{};
}

// (e^r - 1) for the argument that `k` leaves of d + rest; both words within 2^-`bits` of e^r.
template <int bits>
SAMESUM_INLINE DoubleWord growth(const Sixteenths& k, Doubles rest);

// All but r, r^2 / 2 and r^3 / 6 is in plain doubles, which are off by 2^-53 of r^3 / 6 < 2^-19 a few times;
// the polynomial by 2^-74 of 1. (Lemma 38)
template <>
SAMESUM_INLINE DoubleWord growth<68>(const Sixteenths& k, Doubles rest) {
    const Doubles none = {};
    const DoubleWord r = ordered_sum(k.rest, fused(-k.number, none + sixteenth_rest, rest));
    Doubles q = fused(r.hi, none + 0x1.a01b5a26c74dfp-16, none + 0x1.a01b6e7a951e2p-13);
    q = fused(r.hi, q, none + 0x1.6c16c16b94c3ap-10);
    q = fused(r.hi, q, none + 0x1.11111110a137cp-7);
    q = fused(r.hi, q, none + 0x1.5555555555557p-5);
    q = fused(r.hi, q, none + 0x1.5555555555558p-3);
    const Doubles square = r.hi * r.hi, error = fused(r.hi, r.hi, -square);
    const DoubleWord sum = ordered_sum(r.hi, 0.5 * square);
    const Doubles small = fused(none + 0.5, error, fused(r.hi, r.lo, r.lo));
    return {sum.hi, sum.lo + fused(r.hi * square, q, small)};
}

// constant + r * q
SAMESUM_INLINE DoubleWord next_term(DoubleWord r, DoubleWord q, double hi, double lo) {
    const Doubles none = {}, p = r.hi * q.hi;
    const Doubles e = fused(r.lo, q.hi, fused(r.hi, q.lo, fused(r.hi, q.hi, -p)));
    const DoubleWord sum = ordered_sum(none + hi, p);
    return {sum.hi, sum.lo + (e + lo)};
}

// Taylor's series in double-words up to r^5, the rest in doubles: off by 2^-52 of r^6 / 720 < 2^-42, and by
// the polynomial's 2^-97. Relative to r where that is small: each term is within 2^-94 of r. (Lemma 39)
template <>
SAMESUM_INLINE DoubleWord growth<90>(const Sixteenths& k, Doubles rest) {
    const Doubles none = {};
    Doubles high, error;
    two_sum(k.rest, -k.number * sixteenth_middle, high, error);
    const DoubleWord with_rest = ordered_sum(high, rest);
    const Doubles low = with_rest.lo + fused(-k.number, none + sixteenth_last, error);
    const DoubleWord r = ordered_sum(with_rest.hi, low);
    Doubles tail = fused(r.hi, none + 0x1.ae653271e0d8fp-26, none + 0x1.27e59a4a18e0fp-22);
    tail = fused(r.hi, tail, none + 0x1.71de3a553f60ep-19);
    tail = fused(r.hi, tail, none + 0x1.a01a019fe13fap-16);
    tail = fused(r.hi, tail, none + 0x1.a01a01a01a01ap-13);
    tail = fused(r.hi, tail, none + 0x1.6c16c16c16c17p-10);
    DoubleWord q = next_term(r, {tail, none}, 0x1.1111111111111p-7, 0x1.1111111111111p-63);
    q = next_term(r, q, 0x1.5555555555555p-5, 0x1.5555555555555p-59);
    q = next_term(r, q, 0x1.5555555555555p-3, 0x1.5555555555555p-57);
    q = next_term(r, q, 0.5, 0);
    q = next_term(r, q, 1, 0);
    return product(r, q);
}

// root * (1 + error) * (1 + growth), to 2^-104.
SAMESUM_INLINE DoubleWord grown(Doubles root, Doubles error, DoubleWord growth) {
    const Doubles p = root * growth.hi, e = fused(root, growth.hi, -p);
    const DoubleWord sum = ordered_sum(root, p);
    const Doubles rest = growth.lo + fused(error, growth.hi, error);
    return ordered_sum(sum.hi, sum.lo + fused(root, rest, e));
}

// e^(d + rest) for d <= 0 and a double-word, within 2^-bits of it, relatively, for bits 68; or 90, from -675
// on, where low words are normal. Zero for d below `least_power`. Of other d anything.
template <int bits>
SAMESUM_INLINE DoubleWord exponential(Doubles d, Doubles rest) {
    const Sixteenths k = Sixteenths::of(d);
    const DoubleWord power = grown(k.scaled_root(), k.root_error(), growth<bits>(k, rest));
    const Doubles none = {};
    const Longs usable = d >= least_power;
    return {usable ? power.hi : none, usable ? power.lo : none};
}

// e^d - 1 for |d| < 1, within 2^-89 of it, relatively: where k is not zero it is above 0.021, and what is off
// is 2^-95 of 1.
SAMESUM_INLINE DoubleWord exponential_less_one(Doubles d) {
    const Doubles none = {};
    const Sixteenths k = Sixteenths::of(d);
    const DoubleWord change = growth<90>(k, none);
    const DoubleWord power = grown(k.scaled_root(), k.root_error(), change);
    Doubles less, error;
    two_sum(power.hi, none - 1, less, error);
    const DoubleWord distant = ordered_sum(less, error + power.lo);
    const Longs near = k.number == 0;
    return {near ? change.hi : distant.hi, near ? change.lo : distant.lo};
}

}  // namespace samesum::SAMESUM_ISA
