// Sine and cosine, as elementwise.hpp takes functions: of x - k pi / 2 for the nearest integer k.
#pragma once

#include "kernels/elementwise/double_words.hpp"

namespace samesum::SAMESUM_ISA {

// pi / 2 in words: multiples of the first two by less than 2^18 are exact.
constexpr double quarter_turn = 0x1.921fb544p+0, quarter_turn_middle = 0x1.0b4611a6p-34,
                 quarter_turn_low = 0x1.3198a2e037073p-69, quarter_turn_last = 0x1.129024e088a68p-123;
constexpr double quarters_per_unit = 0x1.45f306dc9c883p-1;  // 2 / pi
constexpr double near_zero_turns = 0x1p18;                  // up to here

// The bits of 2 / pi, the first word being those before the point.
constexpr std::uint64_t quarter_bits[] = {
    0x0000000000000000, 0xa2f9836e4e441529, 0xfc2757d1f534ddc0, 0xdb6295993c439041, 0xfe5163abdebbc561,
    0xb7246e3a424dd2e0, 0x06492eea09d1921c, 0xfe1deb1cb129a73e, 0xe88235f52ebb4484, 0xe99c7026b45f7e41,
    0x3991d639835339f4, 0x9c845f8bbdf9283b, 0x1ff897ffde05980f, 0xef2f118b5a0a6d1f, 0x6d367ecf27cb09b7,
    0x4f463f669e5fea2d, 0x7527bac7ebe5f17b, 0x3d0739f78a5292ea, 0x6bfb5fb11f8d5d08, 0x56033046fc7b6bab,
    0xf0cfbc209af4361d};

// x - k pi / 2 in two words, and k in its last bits.
struct Quarters {
    DoubleWord rest;
    Longs number;
};

// For |x| below 2^18. The first difference is exact, as both have the same last place or differ little; the
// other two leave out 2^-53 of what is left, exactly. Doubles come no nearer to a multiple than 2^-55 there.
SAMESUM_INLINE Quarters near_quarters(Doubles x) {
    const Doubles none = {}, shifted = fused(x, none + quarters_per_unit, none + to_integer);
    const Doubles k = shifted - to_integer;
    Doubles high, lost, all, more;
    two_sum(fused(-k, none + quarter_turn, x), -k * quarter_turn_middle, high, lost);
    const Doubles low = k * quarter_turn_low, low_lost = fused(k, none + quarter_turn_low, -low);
    two_sum(high, -low, all, more);
    return {ordered_sum(all, more + (lost - fused(k, none + quarter_turn_last, low_lost))),
            reinterpret_cast<Longs>(shifted)};
}

// The same of one finite number from 2^17 on: the product of its significand m with the bits of 2 / pi that
// count modulo 4, 192 of them (Payne and Hanek). m 2^e times what comes after them is below 2^-137.
struct Quarter {
    double hi, lo;
    std::int64_t number;
};

inline Quarter far_quarter(double x) {
    using u128 = unsigned __int128;
    const std::uint64_t bits = bits_of(x), fraction = (std::uint64_t{1} << 52) - 1;
    const int exponent = static_cast<int>(bits >> 52 & 0x7ff) - 1075;
    const std::uint64_t m = (bits & fraction) | (fraction + 1);
    // The first bit is number exponent - 1 after the point, of weight 2 in the product.
    const int first = exponent - 1 + 63, word = first / 64, shift = first % 64;
    std::uint64_t w[3];
    for (int i = 0; i < 3; ++i) {
        const std::uint64_t next = shift == 0 ? 0 : quarter_bits[word + i + 1] >> (64 - shift);
        w[i] = quarter_bits[word + i] << shift | next;
    }
    const u128 low = static_cast<u128>(m) * w[2], middle = static_cast<u128>(m) * w[1] + (low >> 64);
    std::uint64_t p[3] = {m * w[0] + static_cast<std::uint64_t>(middle >> 64),
                          static_cast<std::uint64_t>(middle), static_cast<std::uint64_t>(low)};
    std::int64_t number = static_cast<std::int64_t>(p[0] >> 62);
    const bool is_below = p[0] >> 61 & 1;  // the next multiple is nearer
    if (is_below) {
        ++number;
        const bool carries = p[2] == 0, carries_on = carries && p[1] == 0;
        p[2] = 0 - p[2];
        p[1] = ~p[1] + carries;
        p[0] = ~p[0] + carries_on;
    }
    p[0] &= (std::uint64_t{1} << 62) - 1;
    int places = 0;
    while (places < 128 && !(p[0] >> 63)) {
        const int step = p[0] == 0 ? 63 : __builtin_clzll(p[0]);
        p[0] = p[0] << step | p[1] >> (64 - step);
        p[1] = p[1] << step | p[2] >> (64 - step);
        p[2] <<= step;
        places += step;
    }
    const double unit = __builtin_ldexp(1.0, -2 - 60 - places);
    const double hi = static_cast<double>(p[0] >> 11) * 2048 * unit;
    const double lo = static_cast<double>((p[0] << 53) | (p[1] >> 11)) * 0x1p-53 * unit;
    const bool is_negative = is_below != (x < 0);
    return {is_negative ? -hi : hi, is_negative ? -lo : lo, x < 0 ? -number : number};
}

// Of any x; infinity and NaN give NaN.
SAMESUM_INLINE Quarters quarters_of(Doubles x) {
    const Doubles none = {};
    const Longs is_near = samesum::SAMESUM_ISA::magnitude(x) < near_zero_turns;
    Quarters found = near_quarters(is_near ? x : none);
    if (!any(~is_near)) return found;
    Doubles hi = none, lo = none;
    for (std::size_t i = 0; i < width; ++i) {
        if (is_near[i]) continue;
        const double each = x[i];
        if (!(__builtin_fabs(each) < infinity)) {
            found.rest.hi[i] = found.rest.lo[i] = __builtin_nan("");
            continue;
        }
        const Quarter far = far_quarter(each);
        hi[i] = far.hi;
        lo[i] = far.lo;
        found.number[i] = far.number;
    }
    const DoubleWord turned = product({hi, lo}, word_of(0x1.921fb54442d18p+0, 0x1.1a62633145c07p-54));
    const Longs is_far = ~is_near & (samesum::SAMESUM_ISA::magnitude(x) < infinity);
    found.rest = chosen(is_far, turned, found.rest);
    return found;
}

// sin r = r + r^3 a(r^2) and cos r = 1 - r^2 / 2 + r^4 b(r^2): Taylor's series, which leave out 2^-72 and
// less.
constexpr double sine_terms[] = {-0x1.5555555555555p-3,  0x1.1111111111111p-7,   -0x1.a01a01a01a01ap-13,
                                 0x1.71de3a556c734p-19,  -0x1.ae64567f544e4p-26, 0x1.6124613a86d09p-33,
                                 -0x1.ae7f3e733b81fp-41, 0x1.952c77030ad4ap-49,  -0x1.2f49b46814157p-57,
                                 0x1.71b8ef6dcf572p-66};
constexpr double sine_terms_rest[] = {-0x1.5555555555555p-57, 0x1.1111111111111p-63,  -0x1.a01a01a01a01ap-73,
                                      -0x1.c154f8ddc6cp-73,   0x1.c062e06d1f209p-80,  0x1.f28e0cc748ebep-87,
                                      -0x1.1d8656b0ee8cbp-97, 0x1.ac981465ddc6cp-103, -0x1.2650f61dbdcb4p-112,
                                      -0x1.d043ae40c4647p-120};
constexpr double cosine_terms[] = {0x1.5555555555555p-5,   -0x1.6c16c16c16c17p-10, 0x1.a01a01a01a01ap-16,
                                   -0x1.27e4fb7789f5cp-22, 0x1.1eed8eff8d898p-29,  -0x1.93974a8c07c9dp-37,
                                   0x1.ae7f3e733b81fp-45,  -0x1.6827863b97d97p-53, 0x1.e542ba4020225p-62,
                                   -0x1.0ce396db7f853p-70};
constexpr double cosine_terms_rest[] = {
    0x1.5555555555555p-59,  0x1.f49f49f49f49fp-65,  0x1.a01a01a01a01ap-76,  -0x1.cbbc05b4fa99ap-76,
    -0x1.2aec959e14c06p-83, -0x1.05d6f8a2efd1fp-92, 0x1.1d8656b0ee8cbp-101, -0x1.eec01221a8b0bp-107,
    0x1.ea72b4afe3c2fp-120, 0x1.aebcdbd20331cp-124};
constexpr std::size_t exact_circular_terms = 2, rough_circular_terms = 7;

SAMESUM_INLINE DoubleWord word_sine(DoubleWord r) {
    const DoubleWord square = product(r, r);
    const DoubleWord a = word_polynomial<exact_circular_terms>(square, sine_terms, sine_terms_rest);
    return word_sum(r, product(product(r, square), a));
}

SAMESUM_INLINE DoubleWord word_cosine(DoubleWord r) {
    const DoubleWord square = product(r, r);
    const DoubleWord b = word_polynomial<exact_circular_terms>(square, cosine_terms, cosine_terms_rest);
    const DoubleWord start = word_sum(word_of(1.0), {-0.5 * square.hi, -0.5 * square.lo});
    return word_sum(start, product(product(square, square), b));
}

// Sine, or with one quarter more cosine.
template <int quarter>
struct CircularFunction : WordFunction<CircularFunction<quarter>> {
    static constexpr int certain_bits = 42;

    // Where floats are near a multiple, 2^-30 at least, what is left of it is off by 2^-53 of itself and by
    // 2^18 2^-122. (Lemma 69)
    static SAMESUM_INLINE Doubles quickly(Doubles x) {
        const Doubles none = {}, shifted = fused(x, none + quarters_per_unit, none + to_integer);
        const Doubles k = shifted - to_integer;
        Doubles r = fused(-k, none + quarter_turn, x);
        r = fused(-k, none + quarter_turn_middle, r);
        r = fused(-k, none + quarter_turn_low, r);
        const Doubles square = r * r;
        const Doubles sine = fused(r * square, rough_polynomial(square, sine_terms, rough_circular_terms), r);
        const Doubles b = rough_polynomial(square, cosine_terms, rough_circular_terms);
        const Doubles cosine = fused(square * square, b, 1 - 0.5 * square);
        const Doubles y = turned(reinterpret_cast<Longs>(shifted) + quarter, sine, cosine);
        // A zero keeps its sign.
        return (quarter == 0 ? x == 0 : Longs{}) ? x : y;
    }

    static SAMESUM_INLINE Doubles turned(Longs number, Doubles sine, Doubles cosine) {
        const Longs is_odd = (number & 1) != 0, is_negative = (number & 2) != 0;
        const Doubles size = is_odd ? cosine : sine;
        return is_negative ? -size : size;
    }

    template <Format format>
    static SAMESUM_INLINE bool any_outside(Doubles x) {
        const bool is_far = any(~(samesum::SAMESUM_ISA::magnitude(x) < near_zero_turns));
        if constexpr (quarter == 1) return is_far;
        return is_far | any_tiny_or_nan<format>(x);
    }

    static __attribute__((noinline)) DoubleWord precise(Doubles x) {
        const Quarters found = quarters_of(x);
        const DoubleWord sine = word_sine(found.rest), cosine = word_cosine(found.rest);
        const Longs number = found.number + quarter;
        const DoubleWord y{turned(number, sine.hi, cosine.hi), turned(number, sine.lo, cosine.lo)};
        return quarter == 0 ? with_zeros_of(x, y) : y;
    }
};

}  // namespace samesum::SAMESUM_ISA
