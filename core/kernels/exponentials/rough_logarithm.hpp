// Logarithms of vectors for results that are certified afterwards: their bits may depend on the instruction
// set.
#pragma once

#include "kernels/exponentials/logarithm.hpp"

namespace samesum::SAMESUM_ISA {

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

// log t of positive normal doubles, by a polynomial for log(1 + r) = r + r^2 (c0 + c1 r + ...) with
// |r| < 0.0387.
template <std::size_t n, std::size_t count>
SAMESUM_INLINE void rough_logarithms(const Doubles (&t)[count], const double (&c)[n],
                                     const double (&logs)[16], Doubles (&log)[count]) {
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
        log[v] = roughly_fused(x[v].number, none + 0x1.62e42fefa39efp-1, looked_up(logs, k[v]));
    });
    for_each_of<count>([&](std::size_t v) { s[v] = r[v] * r[v]; });
    polynomials<true>(r, c, q);
    for_each_of<count>([&](std::size_t v) { log[v] += roughly_fused(s[v], q[v], r[v]); });
}

// Within 2^-36 of them, relatively: what the table's first word leaves out is below 2^-42, beside a logarithm
// above 0.03. (Lemma 46)
template <std::size_t count>
SAMESUM_INLINE void quick_logarithms(const Doubles (&t)[count], Doubles (&log)[count]) {
    constexpr double terms[] = {-0x1.000000001d5c5p-1, 0x1.5555555589884p-2,  -0x1.ffffea9324fb9p-3,
                                0x1.9999868dfadfep-3,  -0x1.55e9865e4182cp-3, 0x1.251603fda89bbp-3};
    rough_logarithms(t, terms, of_sixteenths.log, log);
}

SAMESUM_INLINE Doubles quick_logarithm(Doubles t) {
    const Doubles all[1] = {t};
    Doubles log[1];
    quick_logarithms(all, log);
    return log[0];
}

// The logarithms of the table to 53 bits.
struct alignas(64) NearestLogarithms {
    double log[16];

    constexpr NearestLogarithms() : log{} {
        for (std::size_t i = 0; i < 16; ++i) log[i] = of_sixteenths.log[i] + of_sixteenths.rest[i];
    }
};
constexpr NearestLogarithms nearest_logarithms;

// log t of positive normal doubles, within 2^-45 of them, relatively: the polynomial is off by 2^-46.5 of r,
// and what is rounded, two terms of the sum among it, is below 2^-50. (Lemma 46)
template <std::size_t count>
SAMESUM_INLINE void fine_logarithms(const Doubles (&t)[count], Doubles (&log)[count]) {
    constexpr double terms[] = {-0.5,
                                0x1.5555555607548p-2,
                                -0x1.00000000a0341p-2,
                                0x1.99997c7bd2e33p-3,
                                -0x1.55553b20b0275p-3,
                                0x1.252aa5f1b855ep-3,
                                -0x1.0089215070d56p-3};
    rough_logarithms(t, terms, nearest_logarithms.log, log);
}

}  // namespace samesum::SAMESUM_ISA
