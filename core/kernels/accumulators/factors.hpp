// Products of floats as double-words, one in each element of a vector, with their exponents as integers.
// Zeros, infinities and NaNs are marked aside, where a one takes their place with their sign.
#pragma once

#include "kernels/vectors/float_formats.hpp"
#include "kernels/vectors/fold.hpp"
#include "kernels/vectors/rounding.hpp"

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

SAMESUM_INLINE bool any_negative(Longs v) {
    std::int64_t all = 0;
    for (std::size_t k = 0; k < width; ++k) all |= v[k];
    return all < 0;
}

// (hi + lo) * 2^exponent; `lost` is not zero where a low word was rounded, which it is as soon as it is
// multiplied by more than a power of two.
struct Factors {
    Doubles hi = Doubles{} + 1, lo = {};
    Longs exponent = {}, lost = {};

    // Times a double; an exponent that is kept apart is added by the caller.
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

    template <int distance>
    SAMESUM_INLINE Factors paired(const Factors& other) const {
        Factors both{paired_low<distance>(hi, other.hi), paired_low<distance>(lo, other.lo),
                     paired_low<distance>(exponent, other.exponent), paired_low<distance>(lost, other.lost)};
        both.multiply_loosely(Factors{
            paired_high<distance>(hi, other.hi), paired_high<distance>(lo, other.lo),
            paired_high<distance>(exponent, other.exponent), paired_high<distance>(lost, other.lost)});
        return both;
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
    const Longs sign = reinterpret_cast<Longs>(normal) & INT64_MIN;
    total.multiply(special ? reinterpret_cast<Doubles>(sign | one_bits) : significand_of(normal));
}

SAMESUM_INLINE Longs index_of_elements() {
    Longs index;
    for (std::size_t k = 0; k < width; ++k) index[k] = static_cast<std::int64_t>(k);
    return index;
}

// Fewer than `width` elements, the rest ones.
template <class F>
SAMESUM_APART Doubles padded_with_ones(const char* p, std::size_t n) {
    char padded[width * F::size];
    pad<F>(p, n, padded);
    return index_of_elements() < static_cast<std::int64_t>(n) ? F::doubles(padded) : Doubles{} + 1;
}

// Elements as loops ask for them (kernels/loops/lanes.hpp): a term is the exact product of as many as fit
// into a double.
template <class F>
struct FactorsOf {
    static constexpr std::size_t elements = width, size = F::size, together = 8 / size;
    // More rows of float64 are more lines than memory serves as fast.
    static constexpr std::size_t rows = together > 1 ? 8 : 4;

    static SAMESUM_INLINE Doubles all(const char* p) { return F::doubles(p); }
    static SAMESUM_INLINE Doubles first(const char* p, std::size_t n) { return padded_with_ones<F>(p, n); }
    static constexpr bool has_last = true;
    static SAMESUM_INLINE Doubles last(const char* p, std::size_t n) {
        const Doubles x = F::doubles(p - (width - n) * size);
        return index_of_elements() >= static_cast<std::int64_t>(width - n) ? x : Doubles{} + 1;
    }
    template <std::size_t count>
    static SAMESUM_INLINE Doubles product(const char* p, std::ptrdiff_t distance) {
        if constexpr (count == 1)
            return F::doubles(p);
        else
            return product<count / 2>(p, distance) *
                   product<count / 2>(p + static_cast<std::ptrdiff_t>(count / 2) * distance, distance);
    }
    static SAMESUM_INLINE Doubles term(const char* p, std::ptrdiff_t distance) {
        return product<together>(p, distance);
    }
};

}  // namespace samesum::SAMESUM_ISA
