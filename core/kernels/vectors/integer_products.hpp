// Products of the halves of integers, exact in the whole of them.
#pragma once

#include <type_traits>

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

template <class Integer>
using TwiceAsLong = std::conditional_t<
    std::is_signed_v<Integer>,
    std::conditional_t<sizeof(Integer) == 1, std::int16_t,
                       std::conditional_t<sizeof(Integer) == 2, std::int32_t, std::int64_t>>,
    std::conditional_t<sizeof(Integer) == 1, std::uint16_t,
                       std::conditional_t<sizeof(Integer) == 2, std::uint32_t, std::uint64_t>>>;

// Vectors of integers as words twice as long: the integers of even places, and those of odd ones, with their
// signs.
template <class Integer>
struct Pairing {
    using Twice = TwiceAsLong<Integer>;
    using Vector = typename VectorOf<Twice>::type;
    static constexpr int bits = 8 * sizeof(Integer);

    static SAMESUM_INLINE Vector even(Vector x) { return x << bits >> bits; }
    static SAMESUM_INLINE Vector odd(Vector x) { return x >> bits; }

    // Exact products of the integers in the low halves; high halves count for nothing.
    static SAMESUM_INLINE Vector product(Vector a, Vector b) {
        // There is no instruction for all 64 bits of a product before AVX-512.
        if constexpr (bits == 32) {
            using Whole = std::conditional_t<std::is_signed_v<Integer>, Longs, UnsignedLongs>;
            return reinterpret_cast<Vector>(
                product_of_halves(reinterpret_cast<Whole>(a), reinterpret_cast<Whole>(b)));
        } else {
            return even(a) * even(b);
        }
    }
    // The same of the high halves.
    static SAMESUM_INLINE Vector high_product(Vector a, Vector b) {
        if constexpr (bits == 32)
            return product(reinterpret_cast<Vector>(reinterpret_cast<UnsignedLongs>(a) >> bits),
                           reinterpret_cast<Vector>(reinterpret_cast<UnsignedLongs>(b) >> bits));
        else
            return odd(a) * odd(b);
    }
    // Of each pair.
    static SAMESUM_INLINE Vector product_of_pairs(Vector x) {
        if constexpr (bits == 32)
            return product(x, reinterpret_cast<Vector>(reinterpret_cast<UnsignedLongs>(x) >> bits));
        else
            return even(x) * odd(x);
    }
};

}  // namespace samesum::SAMESUM_ISA
