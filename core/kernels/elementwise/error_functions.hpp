// The error function, and x times the normal distribution of x, as elementwise.hpp takes functions.
//
// erfc(z) = e^(-z^2) c(u) / (1 + 2 z) for z >= 0, with c a polynomial: Chebyshev's series of (1 + 2 z)
// e^(z^2) erfc(z) in u = (9 z - 28) / (7 z + 28), which goes from -1 to 1 as z goes from 0 to 28. What it
// leaves out is 2^-82 of 1, and c is above 0.97. (The map z -> (z - 4) / (z + 4): Shepherd and Laframboise,
// "Chebyshev approximation of (1 + 2x) exp(x^2) erfc x", 1981.)
#pragma once

#include "kernels/elementwise/error_tables.hpp"
#include "kernels/elementwise/smooth_functions.hpp"

namespace samesum::SAMESUM_ISA {

constexpr double erfc_terms[] = {
    0x1.2f9d3459459c5p+0,   0x1.453ac000a61b8p-7,   -0x1.619ef67bca3acp-4,  0x1.c9ab58c5d4a29p-5,
    -0x1.849c4de876308p-6,  0x1.f893556f4cc4p-8,    -0x1.03a64ec2907ddp-9,  0x1.a480a74875a6ep-12,
    -0x1.fbe5cf03cb8a8p-15, 0x1.7c117f01d60c9p-18,  0x1.7fa248eb44722p-28,  -0x1.9ad534c483f9cp-24,
    0x1.9fb3324dd5cb3p-27,  0x1.f885596976a04p-32,  -0x1.387ea5f381371p-32, 0x1.e94471060029ap-37,
    0x1.6d855b2349c42p-38,  -0x1.59c30f6bbb14cp-41, -0x1.a21a35802a6c3p-44, 0x1.4875db072f69fp-46,
    0x1.090eb7f86855fp-49,  -0x1.20a9bbc8a2647p-51, -0x1.9bbde3c915ef6p-55, 0x1.f5e09d51381a7p-57,
    0x1.9143d2c660adp-60,   -0x1.b0d7120cd4f28p-62, -0x1.c8b77a5adfb2dp-65, 0x1.65a06c4bdddfbp-67,
    0x1.145be8c55ddcdp-69,  -0x1.027cbf9d14543p-72, -0x1.4c50cc55e0caap-74, 0x1.d31734f0e77cdp-79,
    0x1.7a59069f42c01p-79};
constexpr double erfc_terms_rest[] = {
    0x1.521958838da51p-56,   0x1.9a862b9314549p-62,   0x1.944334e3a397dp-59,   0x1.fa4eba3b8a659p-59,
    0x1.87ff3bcabcd9fp-60,   -0x1.7d73d6786fd56p-62,  0x1.39afbddc85837p-66,   -0x1.8632a9da4dcd2p-67,
    -0x1.d360c72fd252bp-70,  0x1.d4c6e2fd6f0b7p-80,   0x1.f15fcf5cabc9fp-84,   0x1.0b94d133e0121p-78,
    0x1.5d401d4bae08bp-83,   -0x1.9862011fe537cp-94,  -0x1.ff2721a5fbbd5p-86,  -0x1.60e43695790c4p-93,
    -0x1.9f630acc7ef11p-93,  0x1.34a460a900466p-95,   -0x1.985d858912f1ap-100, -0x1.1be9b37b686e2p-104,
    0x1.ff3a301dbc1cp-104,   0x1.6bf1f379b0935p-105,  -0x1.267590d59d08bp-111, 0x1.b563e5c097de5p-113,
    -0x1.9180158c08a4cp-114, 0x1.669e545f8f1f7p-117,  0x1.aeb296eaf60aap-119,  -0x1.d4b740b7306c6p-121,
    0x1.198fa791ffbb4p-123,  -0x1.998f18e51e414p-127, -0x1.ae0f4918f57cbp-129, 0x1.dfd130305445cp-135,
    0x1.5c6bc98aa3143p-139};
// The same in (5 z - 12) / (3 z + 12), for z up to 12; it leaves out 2^-51.
constexpr double rough_erfc_terms[] = {
    0x1.31ddf1ec74453p+0,   0x1.f615f0686788bp-6,  -0x1.6f6b63b25a4bdp-4,  0x1.979ba1126de63p-5,
    -0x1.2b97ecdba3719p-6,  0x1.4d991fb102fccp-8,  -0x1.21cc997236fcep-10, 0x1.82b73bad2a3c8p-13,
    -0x1.6fbbb6f589348p-16, 0x1.71b556845bc48p-20, 0x1.32c62c751ff99p-24,  -0x1.ad4afb05053d1p-26,
    0x1.93f59c9a2816dp-30,  0x1.ed4cbf4cd3156p-33, -0x1.3fc93b5051d34p-35, -0x1.829f42794e90ep-40,
    0x1.625a14d332069p-41,  0x1.c9a6f9d9fa8c4p-50, -0x1.7e6f22c5d49adp-47};

// Of terms from this one on only their doubles count: they are below 2^-43.
constexpr std::size_t double_erfc_terms = 18;

// Clenshaw's sum of a Chebyshev series.
template <std::size_t n>
SAMESUM_INLINE Doubles rough_series(Doubles u, const double (&c)[n]) {
    const Doubles none = {}, twice = u + u;
    Doubles b = none, before = none;
    for (std::size_t k = n; k-- > 1;) {
        const Doubles next = roughly_fused(twice, b, c[k] - before);
        before = b;
        b = next;
    }
    return roughly_fused(u, b, c[0] - before);
}

// e^(z^2) erfc(z) for z from 0 to 12, within 2^-47 of it: what is added up is rounded by 2^-53 of less than 2
// some 40 times, with weights that are below 2^3 on the average.
SAMESUM_INLINE Doubles rough_scaled_erfc(Doubles z) {
    const Doubles u = (5 * z - 12) / (3 * z + 12);
    return rough_series(u, rough_erfc_terms) / (1 + 2 * z);
}

// The same for a double-word from 0 to 28, within 2^-67. (Lemma 68)
SAMESUM_INLINE DoubleWord scaled_erfc(DoubleWord z) {
    const DoubleWord u = word_quotient(word_sum(product(z, word_of(9.0)), word_of(-28.0)),
                                       word_sum(product(z, word_of(7.0)), word_of(28.0)));
    const Doubles none = {};
    const DoubleWord twice{2 * u.hi, 2 * u.lo};
    constexpr std::size_t n = sizeof erfc_terms / sizeof *erfc_terms;
    Doubles tail = none, tail_before = none;
    for (std::size_t k = n; k-- > double_erfc_terms;) {
        const Doubles next = fused(twice.hi, tail, erfc_terms[k] - tail_before);
        tail_before = tail;
        tail = next;
    }
    DoubleWord b = word_of(tail), before = word_of(tail_before);
    for (std::size_t k = double_erfc_terms; k-- > 0;) {
        const DoubleWord by = k == 0 ? u : twice;
        const DoubleWord constant = word_sum(word_of(erfc_terms[k], erfc_terms_rest[k]), negative(before));
        before = b;
        b = word_sum(product(by, b), constant);
    }
    return word_quotient(b, word_sum(word_of(1.0), {2 * z.hi, 2 * z.lo}));
}

// erf(z) / z in z^2, for z below 3/4: Taylor's series, which leaves out 2^-72.
constexpr double erf_terms[] = {
    0x1.20dd750429b6dp+0,  -0x1.812746b0379e7p-2,  0x1.ce2f21a042be2p-4,  -0x1.b82ce31288b51p-6,
    0x1.565bcd0e6a53fp-8,  -0x1.c02db40040b86p-11, 0x1.f9a326f9b89b7p-14, -0x1.f4d25c3e0c2ebp-17,
    0x1.b9e6c9dc651a3p-20, -0x1.5f742ec43e71ap-23, 0x1.fcc5720624c1cp-27, -0x1.51d7181c5d36dp-30,
    0x1.9e6ad5e55a73p-34,  -0x1.d8453cb0c46eap-38, 0x1.f683ae4a97007p-42, -0x1.f56f071a885cfp-46,
    0x1.d70b3537f4765p-50, -0x1.a2007af3447f6p-54, 0x1.5f7919bc67b8cp-58};
constexpr double erf_terms_rest[] = {
    0x1.1ae3a914fed8p-56,    0x1.ee12e49cab7p-57,    -0x1.2871bc5e00766p-58, 0x1.1015978e7ac92p-61,
    -0x1.a73e0832f7e39p-64,  0x1.d9a497a0f8b0ep-65,  0x1.e9a2341c71459p-68,  -0x1.79b1b9b5c586cp-71,
    -0x1.fe08d49bd93ddp-74,  0x1.d28f03df991d8p-80,  -0x1.92e82d499b6p-82,   0x1.edfe29582f8a2p-84,
    -0x1.bf57a648fd29ep-89,  0x1.08bb682a55bf7p-93,  -0x1.1f20dde18eb91p-96, 0x1.cc7b158f0ad67p-100,
    -0x1.e1ac82fcae896p-107, 0x1.f33fa807de704p-109, -0x1.ed97289411e8p-113};
constexpr double series_limit = 0.75;
constexpr std::size_t exact_erf_terms = 7, rough_erf_terms = 14;

struct ErfFunction : WordFunction<ErfFunction> {
    static constexpr int certain_bits = 42;
    static constexpr bool has_close = has_fused;

    static __attribute__((noinline)) ErrorTable made_table() {
        return ErrorTable::made(precise, [](Doubles z) SAMESUM_INLINED {
            const DoubleWord square = square_of(z);
            return product(exponential<68>(-square.hi, -square.lo), word_of(erf_terms[0], erf_terms_rest[0]));
        });
    }

    // From 6 on the result is 1 in all of its bits.
    static SAMESUM_INLINE BoundedWord close(Doubles x) {
        return near_table<ErfFunction>(lesser(Doubles{} + 6, samesum::SAMESUM_ISA::magnitude(x)), 2);
    }

    static SAMESUM_INLINE Doubles quickly(Doubles x) {
        const Doubles none = {}, z = lesser(none + 6, samesum::SAMESUM_ISA::magnitude(x));
        const Doubles square = z * z;
        const Doubles near = z * rough_polynomial(square, erf_terms, rough_erf_terms);
        const Doubles far = 1 - exponential(-square) * rough_scaled_erfc(z);
        return with_sign_of(x, z < series_limit ? near : far);
    }

    template <Format format>
    static SAMESUM_INLINE bool any_outside(Doubles x) {
        return any_tiny_or_nan<format>(x);
    }

    static __attribute__((noinline)) DoubleWord precise(Doubles x) {
        const Doubles none = {}, z = lesser(none + 8, samesum::SAMESUM_ISA::magnitude(x));
        const DoubleWord square = square_of(z);
        const DoubleWord near =
            product(word_of(z), word_polynomial<exact_erf_terms>(square, erf_terms, erf_terms_rest));
        const DoubleWord rest = product(exponential<68>(-square.hi, -square.lo), scaled_erfc(word_of(z)));
        const DoubleWord y = chosen(z < series_limit, near, word_sum(word_of(1.0), negative(rest)));
        return chosen(x == x, with_zeros_of(x, chosen(x < 0, negative(y), y)), {x, none});
    }
};

// x (1 + erf(x / sqrt 2)) / 2 = x (1 - h), or for x < 0 x h, with h = erfc(|x| / sqrt 2) / 2. The limit for
// -infinity is -0.
struct GeluFunction : WordFunction<GeluFunction> {
    static constexpr int certain_bits = 42;
    static constexpr bool has_close = has_fused;
    static constexpr double root = 0x1.6a09e667f3bcdp-1, root_rest = -0x1.bdd3413b26456p-55;
    // One over the root of 2 pi.
    static constexpr double density = 0x1.9884533d43651p-2, density_rest = -0x1.cbc0d30ebfd15p-56;

    // Of the distribution below zero.
    static __attribute__((noinline)) ErrorTable made_table() {
        return ErrorTable::made(part_below, [](Doubles z) SAMESUM_INLINED {
            const DoubleWord square = square_of(z);
            return product(exponential<68>(-0.5 * square.hi, -0.5 * square.lo),
                           word_of(-density, -density_rest));
        });
    }

    static SAMESUM_INLINE BoundedWord close(Doubles x) {
        const Doubles none = {}, size = samesum::SAMESUM_ISA::magnitude(x);
        const BoundedWord below = near_table<GeluFunction>(lesser(none + 6, size), 1);
        const DoubleWord part = chosen(x < 0, below.y, word_sum(word_of(1.0), negative(below.y)));
        const DoubleWord y = product(word_of(size), part);
        return {y, size <= 6 ? size * below.bound + y.hi * 0x1p-64 : none + infinity};
    }

    // Of the normal distribution below -size.
    static SAMESUM_INLINE DoubleWord part_below(Doubles size) {
        const DoubleWord square = square_of(size);
        return product(exponential<68>(-0.5 * square.hi, -0.5 * square.lo), half_scaled(size));
    }

    static SAMESUM_INLINE Doubles quickly(Doubles x) {
        const Doubles none = {}, size = lesser(none + 16, samesum::SAMESUM_ISA::magnitude(x));
        const Doubles h = 0.5 * exponential(-0.5 * (size * size)) * rough_scaled_erfc(size * root);
        return x * (x < 0 ? h : 1 - h);
    }

    // Results below -4 in float16, below -12.5 in the others are subnormal or near that.
    template <Format format>
    static SAMESUM_INLINE bool any_outside(Doubles x) {
        constexpr double least = format == Format::f16 ? -4 : format == Format::f64 ? -30 : -12.5;
        return any_tiny_or_nan<format>(x, 2) | any(x < least);
    }

    // Near zero 1 - h is (1 + erf z) / 2 with the erf of the series, beside which 1/2 is exact: odd multiples
    // of the least number of a format are halved into the middle of two, and what comes on top of it counts.
    static __attribute__((noinline)) DoubleWord precise(Doubles x) {
        const Doubles size = lesser(Doubles{} + 37, samesum::SAMESUM_ISA::magnitude(x));
        const DoubleWord square = square_of(size), half{0.5 * square.hi, 0.5 * square.lo};
        const DoubleWord h = product(exponential<68>(-half.hi, -half.lo), half_scaled(size));
        const DoubleWord far = chosen(x < 0, h, word_sum(word_of(1.0), negative(h)));
        const DoubleWord z = product(word_of(x), word_of(root, root_rest));
        const DoubleWord erf = product(z, word_polynomial<exact_erf_terms>(half, erf_terms, erf_terms_rest));
        const DoubleWord near = word_sum(word_of(1.0), erf);
        return finished(x, chosen(size < 1, {0.5 * near.hi, 0.5 * near.lo}, far));
    }

    static SAMESUM_INLINE DoubleWord half_scaled(Doubles size) {
        const DoubleWord found = scaled_erfc(product(word_of(size), word_of(root, root_rest)));
        return {0.5 * found.hi, 0.5 * found.lo};
    }

    // x times its part.
    static SAMESUM_INLINE DoubleWord finished(Doubles x, DoubleWord part) {
        const Doubles none = {};
        const DoubleWord y = with_zeros_of(x, product(word_of(clamped(x, -37, 37)), part));
        return chosen(~(x <= 37), {x, none}, y);  // infinity and NaN, too
    }

    // Where e^(-x^2 / 2) is too small it is the square of a root, and the product is 2^600 times too large
    // until it is rounded.
    static __attribute__((noinline)) Doubles doubles_everywhere(Doubles x) {
        const DoubleWord usual = precise(x);
        const Doubles none = {}, size = lesser(none + 39, samesum::SAMESUM_ISA::magnitude(x));
        const DoubleWord square = square_of(size);
        const DoubleWord root_of_power = exponential<68>(-0.25 * square.hi, -0.25 * square.lo);
        const DoubleWord factor = product(word_of(size / double_power_unit), half_scaled(size));
        const Doubles small = -small_quotient(product(product(factor, root_of_power), root_of_power));
        return (x < -30) ? (x < -39 ? none * -1.0 : small) : usual.hi + usual.lo;
    }
};

// x / (1 + e^-v) for v = 2 sqrt(2 / pi) (x + 0.044715 x^3), which is x (1 + tanh(v / 2)) / 2. The limit for
// -infinity is -0.
struct GeluTanhFunction : WordFunction<GeluTanhFunction> {
    static constexpr int certain_bits = 42;
    static constexpr double slope = 0x1.9884533d43651p+0, slope_rest = -0x1.cbc0d30ebfd15p-54,
                            curve = 0x1.6e4e26d4801f7p-5, curve_rest = 0x1.441355475a31ap-59;

    static SAMESUM_INLINE Doubles quickly(Doubles x) {
        const Doubles near = clamped(x, -16, 16);
        const Doubles argument = slope * near * (1 + curve * (near * near));
        const Doubles e = falling_power(argument);
        return (x < 0 ? x * e : x) / (1 + e);
    }

    // The argument is -80 where x is -9.7, and -9.5 where it is -3.8.
    template <Format format>
    static SAMESUM_INLINE bool any_outside(Doubles x) {
        constexpr double least = format == Format::f16 ? -3.5 : format == Format::f64 ? -18 : -9.5;
        return any_tiny_or_nan<format>(x, 2) | any(x < least);
    }

    static SAMESUM_INLINE DoubleWord argument_of(Doubles near) {
        const DoubleWord square = square_of(near);
        const DoubleWord growth = word_sum(word_of(1.0), product(square, word_of(curve, curve_rest)));
        return product(product(growth, word_of(slope, slope_rest)), word_of(near));
    }

    static __attribute__((noinline)) DoubleWord precise(Doubles x) {
        const Doubles none = {}, near = clamped(x, -19.5, 19.5);
        const DoubleWord v = argument_of(near), down = chosen(v.hi > 0, negative(v), v);
        const DoubleWord e = exponential<68>(down.hi, down.lo), one = word_of(1.0);
        const DoubleWord part = word_quotient(chosen(x < 0, e, one), word_sum(one, e));
        const DoubleWord y = with_zeros_of(x, product(word_of(near), part));
        return chosen(~(x <= 19.5), {x, none}, y);
    }

    static __attribute__((noinline)) Doubles doubles_everywhere(Doubles x) {
        const DoubleWord usual = precise(x);
        const Doubles none = {}, near = clamped(x, -23, 23);
        const DoubleWord v = argument_of(near);
        const DoubleWord root =
            exponential<68>(0.5 * (near < 0 ? v.hi : -v.hi), 0.5 * (near < 0 ? v.lo : -v.lo));
        const DoubleWord factor = word_of(-near / double_power_unit);
        const Doubles small = -small_quotient(product(product(factor, root), root));
        return (x < -18) ? (x < -23 ? none * -1.0 : small) : usual.hi + usual.lo;
    }
};

}  // namespace samesum::SAMESUM_ISA
