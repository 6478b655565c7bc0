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

}  // namespace samesum::SAMESUM_ISA
