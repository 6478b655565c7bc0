// Vectors of doubles rounded to the bits of a format; the scalar forms are in arithmetic/rounding.hpp.
#pragma once

#include <type_traits>

#include "arithmetic/rounding.hpp"
#include "kernels/vectors/vectors.hpp"

namespace samesum::SAMESUM_ISA {

constexpr double infinity = __builtin_huge_val();

typedef std::uint8_t Bytes __attribute__((vector_size(width)));

// GCC converts halves and joins them, as in `widen`.
SAMESUM_INLINE Floats narrowed(Doubles x) {
#if defined(__AVX512F__)
    return reinterpret_cast<Floats>(_mm512_cvtpd_ps(reinterpret_cast<__m512d>(x)));
#elif defined(__AVX__)
    return reinterpret_cast<Floats>(_mm256_cvtpd_ps(reinterpret_cast<__m256d>(x)));
#else
    return __builtin_convertvector(x, Floats);
#endif
}

SAMESUM_INLINE Words narrowed_mask(Longs mask) {
#if defined(__AVX2__) && !defined(__AVX512F__)
    const __m256 halves = reinterpret_cast<__m256>(mask);
    return reinterpret_cast<Words>(
        _mm_shuffle_ps(_mm256_castps256_ps128(halves), _mm256_extractf128_ps(halves, 1), 0x88));
#else
    return reinterpret_cast<Words>(__builtin_convertvector(mask, Ints));
#endif
}

// True if any bit is set.
SAMESUM_INLINE bool any_bit(Words v) {
#if defined(__AVX512F__)
    return !_mm256_testz_si256(reinterpret_cast<__m256i>(v), reinterpret_cast<__m256i>(v));
#elif defined(__AVX__)
    return !_mm_testz_si128(reinterpret_cast<__m128i>(v), reinterpret_cast<__m128i>(v));
#else
    std::uint32_t all = 0;
    for (std::size_t k = 0; k < width; ++k) all |= v[k];
    return all != 0;
#endif
}

#if defined(SAMESUM_FUSED)
constexpr bool has_fused = true;
#else
constexpr bool has_fused = false;
#endif

// a * b + c, rounded once; by calls, where processors have no instruction for it, which are best made in one
// place: they are code enough.
#if !defined(SAMESUM_FUSED)
__attribute__((noinline)) inline Doubles fused_by_calls(Doubles a, Doubles b, Doubles c) {
    for (std::size_t k = 0; k < width; ++k) c[k] = __builtin_fma(a[k], b[k], c[k]);
    return c;
}
#endif

SAMESUM_INLINE Doubles fused(Doubles a, Doubles b, Doubles c) {
#if defined(__AVX512F__)
    return reinterpret_cast<Doubles>(_mm512_fmadd_pd(a, b, c));
#elif defined(__FMA__)
    return reinterpret_cast<Doubles>(_mm256_fmadd_pd(a, b, c));
#elif defined(__aarch64__)
    return reinterpret_cast<Doubles>(vfmaq_f64(c, a, b));
#else
    return fused_by_calls(a, b, c);
#endif
}

// a * b + c, rounded once, or twice where processors have no instruction for it: for numbers whose bounds
// hold either way.
SAMESUM_INLINE Doubles roughly_fused(Doubles a, Doubles b, Doubles c) {
    if constexpr (has_fused)
        return fused(a, b, c);
    else
        return a * b + c;
}

// x * x == product + result exactly, barring underflow and overflow. (Lemma 2)
SAMESUM_INLINE Doubles square_error(Doubles x, Doubles product) {
#if defined(__AVX512F__)
    return reinterpret_cast<Doubles>(_mm512_fmsub_pd(x, x, product));
#elif defined(__FMA__)
    return reinterpret_cast<Doubles>(_mm256_fmsub_pd(x, x, product));
#elif defined(SAMESUM_FUSED)
    return fused(x, x, -product);
#else
    const Doubles split = x * 0x1.0000002p27;  // 2^27 + 1 (Dekker)
    const Doubles high = split - (split - x);
    const Doubles low = x - high;
    return ((high * high - product) + 2 * (high * low)) + low * low;
#endif
}

// a + x * x, for squares that are exact.
SAMESUM_INLINE Doubles plus_square(Doubles a, Doubles x) {
#if defined(SAMESUM_FUSED)
    return fused(x, x, a);
#else
    return a + x * x;
#endif
}

SAMESUM_INLINE Doubles square_root(Doubles x) {
#if defined(__AVX512F__)
    return reinterpret_cast<Doubles>(_mm512_sqrt_pd(x));
#else
    for (std::size_t k = 0; k < width; ++k) x[k] = __builtin_sqrt(x[k]);
    return x;
#endif
}

SAMESUM_INLINE Floats square_root(Floats x) {
#if defined(__AVX512F__)
    return reinterpret_cast<Floats>(_mm256_sqrt_ps(reinterpret_cast<__m256>(x)));
#elif defined(__AVX__)
    return reinterpret_cast<Floats>(_mm_sqrt_ps(reinterpret_cast<__m128>(x)));
#else
    for (std::size_t k = 0; k < width; ++k) x[k] = __builtin_sqrtf(x[k]);
    return x;
#endif
}

// high + low rounded to odd: one further from zero if the rest has the sign of the sum, else one nearer.
// (Lemma 4)
SAMESUM_INLINE Doubles to_odd(Doubles high, Doubles low) {
    Doubles s, e;
    two_sum(high, low, s, e);
    const Longs bits = reinterpret_cast<Longs>(s);
    const Longs away = 1 | (bits ^ reinterpret_cast<Longs>(e)) >> 63;
    return reinterpret_cast<Doubles>(bits + (away & ((bits & 1) - 1) & (e != 0)));
}

// As samesum::float_bits_to_odd.
SAMESUM_INLINE Words float_bits_to_odd(Doubles x) {
    const Longs bits = reinterpret_cast<Longs>(x),
                odd = (bits | ((bits & below_odd) + below_odd)) & ~below_odd;
    return reinterpret_cast<Words>(narrowed(reinterpret_cast<Doubles>(odd)));
}

// As samesum::half_bits, NaNs apart.
SAMESUM_INLINE Words half_bits(Words bits) {
#if defined(__AVX512F__)
    const __m128i half = _mm256_cvtps_ph(reinterpret_cast<__m256>(bits), 0);
    return reinterpret_cast<Words>(_mm256_cvtepu16_epi32(half));
#elif defined(__F16C__)
    const __m128i half = _mm_cvtps_ph(reinterpret_cast<__m128>(bits), 0);
    return reinterpret_cast<Words>(_mm_cvtepu16_epi32(half));
#else
    for (std::size_t k = 0; k < width; ++k) bits[k] = samesum::half_bits(bits[k]);
    return bits;
#endif
}

// How vectors of doubles, and of double-words, become the bits of a format. NaN becomes the canonical one.
template <Format format>
struct Rounding {
    using Bits = std::conditional_t<format == Format::f64, Longs, Words>;
    using Mask = std::conditional_t<format == Format::f64, Longs, Ints>;

    // Of numbers, infinities among them.
    static SAMESUM_INLINE Bits of_number(Doubles x) {
        if constexpr (format == Format::f64)
            return reinterpret_cast<Longs>(x);
        else if constexpr (format == Format::f32)
            return reinterpret_cast<Words>(narrowed(x));
        else if constexpr (format == Format::f16)
            return half_bits(float_bits_to_odd(x));
        else
            return bfloat(float_bits_to_odd(x));
    }

    static SAMESUM_INLINE Bits of(Doubles x) {
        if constexpr (format == Format::f64) {
            return x == x ? of_number(x) : Longs{} + static_cast<std::int64_t>(canonical_nan(format));
        } else {
            const Words number = narrowed_mask(x == x);
            return (of_number(x) & number) | (~number & static_cast<std::uint32_t>(canonical_nan(format)));
        }
    }

    // Of float32 numbers, into this format if it has 16 bits.
    static SAMESUM_INLINE Words of_float(Floats x) {
        if constexpr (format == Format::f16)
            return half_bits(reinterpret_cast<Words>(x));
        else
            return bfloat(reinterpret_cast<Words>(x));
    }

    static SAMESUM_INLINE Bits of(Doubles high, Doubles low) {
        if constexpr (format == Format::f64)
            return of(high + low);
        else
            return of(to_odd(high, low));
    }

    static SAMESUM_INLINE Words different(Bits a, Bits b) {
        if constexpr (format == Format::f64)
            return narrowed_mask(a != b);
        else
            return reinterpret_cast<Words>(a != b);
    }

    static SAMESUM_INLINE void store_to(void* out, std::size_t index, Bits bits) {
        char* p = static_cast<char*>(out) + index * size_of(format);
        if constexpr (size_of(format) == 2)
            store(p, __builtin_convertvector(bits, Shorts));
        else
            store(p, bits);
    }

  private:
    static SAMESUM_INLINE Words bfloat(Words bits) { return (bits + 0x7fff + (bits >> 16 & 1)) >> 16; }
};

}  // namespace samesum::SAMESUM_ISA
