// Products of the halves of integers, exact in the whole of them.
#pragma once

#include "kernels/vectors/vectors.hpp"

namespace samesum::SAMESUM_ISA {

// Products of the low halves.
SAMESUM_INLINE UnsignedLongs product_of_halves(UnsignedLongs a, UnsignedLongs b) {
#if defined(__AVX512F__)
    return reinterpret_cast<UnsignedLongs>(
        _mm512_mul_epu32(reinterpret_cast<__m512i>(a), reinterpret_cast<__m512i>(b)));
#elif defined(__AVX2__)
    return reinterpret_cast<UnsignedLongs>(
        _mm256_mul_epu32(reinterpret_cast<__m256i>(a), reinterpret_cast<__m256i>(b)));
#elif defined(__SSE2__)
    return reinterpret_cast<UnsignedLongs>(
        _mm_mul_epu32(reinterpret_cast<__m128i>(a), reinterpret_cast<__m128i>(b)));
#elif defined(__aarch64__)
    return reinterpret_cast<UnsignedLongs>(
        vmull_u32(vmovn_u64(reinterpret_cast<uint64x2_t>(a)), vmovn_u64(reinterpret_cast<uint64x2_t>(b))));
#else
    return (a & UINT32_MAX) * (b & UINT32_MAX);
#endif
}

// The same of low halves with signs.
SAMESUM_INLINE Longs product_of_halves(Longs a, Longs b) {
#if defined(__AVX512F__)
    return reinterpret_cast<Longs>(
        _mm512_mul_epi32(reinterpret_cast<__m512i>(a), reinterpret_cast<__m512i>(b)));
#elif defined(__AVX2__)
    return reinterpret_cast<Longs>(
        _mm256_mul_epi32(reinterpret_cast<__m256i>(a), reinterpret_cast<__m256i>(b)));
#elif defined(__SSE4_1__)
    return reinterpret_cast<Longs>(_mm_mul_epi32(reinterpret_cast<__m128i>(a), reinterpret_cast<__m128i>(b)));
#else
    return (a << 32 >> 32) * (b << 32 >> 32);
#endif
}

// Sums of bytes, and of products of pairs of bytes, in wider words.

typedef std::uint8_t Octets __attribute__((vector_size(vector_bytes)));
typedef std::uint16_t Pairs __attribute__((vector_size(vector_bytes)));
typedef std::uint32_t Quads __attribute__((vector_size(vector_bytes)));

// Sums of eight bytes each.
SAMESUM_INLINE UnsignedLongs sums_of_eight(Octets x) {
#if defined(__AVX512BW__)
    return reinterpret_cast<UnsignedLongs>(
        _mm512_sad_epu8(reinterpret_cast<__m512i>(x), _mm512_setzero_si512()));
#elif defined(__AVX2__)
    return reinterpret_cast<UnsignedLongs>(
        _mm256_sad_epu8(reinterpret_cast<__m256i>(x), _mm256_setzero_si256()));
#elif defined(__SSE2__)
    return reinterpret_cast<UnsignedLongs>(_mm_sad_epu8(reinterpret_cast<__m128i>(x), _mm_setzero_si128()));
#else
    const Pairs pairs = reinterpret_cast<Pairs>(x);
    const Quads quads = reinterpret_cast<Quads>((pairs & 0xff) + (pairs >> 8));
    const UnsignedLongs longs = reinterpret_cast<UnsignedLongs>((quads & 0xffff) + (quads >> 16));
    return (longs & UINT32_MAX) + (longs >> 32);
#endif
}

// Sums of two squares each, of numbers below 2^15.
SAMESUM_INLINE Quads sums_of_two_squares(Pairs x) {
#if defined(__AVX512BW__)
    return reinterpret_cast<Quads>(
        _mm512_madd_epi16(reinterpret_cast<__m512i>(x), reinterpret_cast<__m512i>(x)));
#elif defined(__AVX2__)
    return reinterpret_cast<Quads>(
        _mm256_madd_epi16(reinterpret_cast<__m256i>(x), reinterpret_cast<__m256i>(x)));
#elif defined(__SSE2__)
    return reinterpret_cast<Quads>(
        _mm_madd_epi16(reinterpret_cast<__m128i>(x), reinterpret_cast<__m128i>(x)));
#else
    const Quads quads = reinterpret_cast<Quads>(x), low = quads & 0xffff, high = quads >> 16;
    return low * low + high * high;
#endif
}

}  // namespace samesum::SAMESUM_ISA
