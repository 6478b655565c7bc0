// Factors of a product as vectors: significands in double-words, exponents as integers. Zeros, infinities and
// NaNs are marked aside, where a one takes their place with their sign.
#pragma once

#include "kernels/vectors/float_formats.hpp"
#include "kernels/vectors/rounding.hpp"
#include "kernels/vectors/vectors.hpp"

namespace samesum::SAMESUM_ISA {

constexpr std::int64_t zero_mark = 1, infinity_mark = 2, nan_mark = 4;
constexpr std::int64_t field_mask = 0x7ff, field_bias = 1023, fraction_bits = 52;
constexpr std::int64_t one_bits = field_bias << fraction_bits;
constexpr std::int64_t sign_and_fraction = ~(field_mask << fraction_bits);

SAMESUM_INLINE Longs exponent_field(Doubles x) {
    return reinterpret_cast<Longs>(x) >> fraction_bits & field_mask;
}

// x with the exponent of one.
SAMESUM_INLINE Doubles significand_of(Doubles x) {
    return reinterpret_cast<Doubles>((reinterpret_cast<Longs>(x) & sign_and_fraction) | one_bits);
}

// Negative for what a loop of ordinary factors cannot take: the fields of zeros and subnormals, of infinities
// and NaNs.
SAMESUM_INLINE Longs is_odd(Longs field) { return (field - 1) | (field_mask - 1 - field); }

// (hi + lo) * 2^exponent; `lost` is not zero where a low word was rounded, which it is as soon as it is
// multiplied by more than a power of two.
struct Factors {
    Doubles hi, lo;
    Longs exponent, lost;

    static SAMESUM_INLINE Factors one() { return {Doubles{} + 1, Doubles{}, Longs{}, Longs{}}; }

    // Times a significand from 1 to 2; its exponent is added by the caller.
    SAMESUM_INLINE void multiply(Doubles x) {
        const Doubles product = hi * x;
        lost |= reinterpret_cast<Longs>(lo);
        lo = fused(lo, x, fused(hi, x, -product));
        hi = product;
    }

    SAMESUM_INLINE void normalise() {
        const Doubles sum = hi + lo;
        lo = lo - (sum - hi);
        const Longs field = exponent_field(sum);
        const Doubles scale = reinterpret_cast<Doubles>((2 * field_bias - field) << fraction_bits);
        hi = sum * scale;
        lo = lo * scale;
        exponent += field - field_bias;
    }

    // What this loses of the product: with low words up to a u and b u (u = 2^-53), the product of the two, a
    // b u^2, and the rounding of two sums, of words up to (a + 1) u and (a + b + 1) u: less than (a + 1) (b +
    // 3) u^2. Of normalised ones, a = b = 1, that is 8 u^2; of one that 32 lanes were joined to, b = 63, 132
    // u^2. Both are below 2^-98. (Lemma 24)
    SAMESUM_INLINE void multiply(const Factors& other) {
        multiply_loosely(other);
        normalise();
    }

    // The same without normalising: the low word grows to (a + b + 1) u.
    SAMESUM_INLINE void multiply_loosely(const Factors& other) {
        const Doubles product = hi * other.hi;
        const Longs words = reinterpret_cast<Longs>(lo) | reinterpret_cast<Longs>(other.lo);
        lo = fused(hi, other.lo, fused(lo, other.hi, fused(hi, other.hi, -product)));
        hi = product;
        exponent += other.exponent;
        lost |= other.lost | words;
    }
};

// One vector of elements of any kind; what has no significand of its own counts as one, with its sign.
SAMESUM_INLINE void multiply_any(Factors& total, Longs& marks, Doubles x) {
    const Doubles size = samesum::SAMESUM_ISA::magnitude(x);
    const Longs is_zero = size == 0, is_infinite = size == infinity, is_nan = x != x;
    marks |= (is_zero & zero_mark) | (is_infinite & infinity_mark) | (is_nan & nan_mark);
    const Longs special = is_zero | is_infinite | is_nan;
    constexpr std::int64_t up = 54;  // makes subnormals normal
    const Longs subnormal = (size < 0x1p-1022 ? Longs{} - 1 : Longs{}) & ~is_zero;
    const Doubles normal = subnormal ? x * 0x1p54 : x;
    const Longs field = exponent_field(normal) - (subnormal & up);
    total.exponent += ~special & (field - field_bias);
    const Longs bits = reinterpret_cast<Longs>(normal);
    const Longs sign = bits & INT64_MIN;
    total.multiply(special ? reinterpret_cast<Doubles>(sign | one_bits) : significand_of(normal));
}

// One product of ordinary elements; `odd` collects what was not ordinary, and the bias of the exponents is
// the caller's to take off.
SAMESUM_INLINE void multiply_ordinary(Factors& total, Longs& odd, Doubles x) {
    const Longs field = exponent_field(x);
    odd |= is_odd(field);
    total.exponent += field;
    total.multiply(significand_of(x));
}

SAMESUM_INLINE bool any_negative(Longs v) {
    std::int64_t all = 0;
    for (std::size_t k = 0; k < width; ++k) all |= v[k];
    return all < 0;
}

// Significands of one product that is exact: so many elements fit into a double.
template <class F>
constexpr std::size_t packed = F::format == Format::f64   ? 1
                               : F::format == Format::f32 ? 2
                                                          : 4;

// The exact product of `count` <= `packed` vectors of elements.
template <class F, std::size_t count>
SAMESUM_INLINE Doubles packed_product(const char* p, std::ptrdiff_t distance) {
    if constexpr (count == 1) {
        return F::doubles(p);
    } else if constexpr (count == 2) {
        return F::doubles(p) * F::doubles(p + distance);
    } else {
        return (F::doubles(p) * F::doubles(p + distance)) *
               (F::doubles(p + 2 * distance) * F::doubles(p + 3 * distance));
    }
}

// Fewer than `width` elements, the rest ones.
template <class F>
SAMESUM_APART Doubles padded_with_ones(const char* p, std::size_t n) {
    char padded[width * F::size];
    pad<F>(p, n, padded);
    Longs index;
    for (std::size_t k = 0; k < width; ++k) index[k] = static_cast<std::int64_t>(k);
    return index < static_cast<std::int64_t>(n) ? F::doubles(padded) : Doubles{} + 1;
}

}  // namespace samesum::SAMESUM_ISA
