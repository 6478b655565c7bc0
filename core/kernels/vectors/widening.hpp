// Vectors of integers from shorter ones in memory. GCC takes conversions from a part of a vector apart, so
// the instructions are named.
#pragma once

#include <type_traits>

#include "kernels/vectors/vectors.hpp"

#if defined(__AVX512BW__)
#define SAMESUM_WIDENED(kind) _mm512_cvt##kind
#elif defined(__AVX2__)
#define SAMESUM_WIDENED(kind) _mm256_cvt##kind
#elif defined(__SSE4_1__)
#define SAMESUM_WIDENED(kind) _mm_cvt##kind
#endif

namespace samesum::SAMESUM_ISA {

#if defined(SAMESUM_WIDENED)
template <std::size_t bytes>
SAMESUM_INLINE auto beginning_of(const char* p) {
    if constexpr (bytes > sizeof(__m128i)) {
        return load<__m256i>(p);
    } else {
        __m128i x = {};
        __builtin_memcpy(&x, p, bytes);
        return x;
    }
}
#endif

// As many elements as a vector of To has, with the sign of both.
template <class To, class From>
SAMESUM_INLINE typename VectorOf<To>::type widened_from(const char* p) {
    static_assert(sizeof(From) < sizeof(To) && std::is_signed_v<From> == std::is_signed_v<To>);
    using Result = typename VectorOf<To>::type;
#if defined(SAMESUM_WIDENED)
    constexpr bool has_sign = std::is_signed_v<From>;
    constexpr std::size_t from = sizeof(From), to = sizeof(To), bytes = vector_bytes * from / to;
    const auto x = beginning_of<bytes>(p);
    if constexpr (from == 1 && to == 2)
        return reinterpret_cast<Result>(has_sign ? SAMESUM_WIDENED(epi8_epi16)(x)
                                                 : SAMESUM_WIDENED(epu8_epi16)(x));
    else if constexpr (from == 1 && to == 4)
        return reinterpret_cast<Result>(has_sign ? SAMESUM_WIDENED(epi8_epi32)(x)
                                                 : SAMESUM_WIDENED(epu8_epi32)(x));
    else if constexpr (from == 1)
        return reinterpret_cast<Result>(has_sign ? SAMESUM_WIDENED(epi8_epi64)(x)
                                                 : SAMESUM_WIDENED(epu8_epi64)(x));
    else if constexpr (from == 2 && to == 4)
        return reinterpret_cast<Result>(has_sign ? SAMESUM_WIDENED(epi16_epi32)(x)
                                                 : SAMESUM_WIDENED(epu16_epi32)(x));
    else if constexpr (from == 2)
        return reinterpret_cast<Result>(has_sign ? SAMESUM_WIDENED(epi16_epi64)(x)
                                                 : SAMESUM_WIDENED(epu16_epi64)(x));
    else
        return reinterpret_cast<Result>(has_sign ? SAMESUM_WIDENED(epi32_epi64)(x)
                                                 : SAMESUM_WIDENED(epu32_epi64)(x));
#else
    Result result;
    for (std::size_t k = 0; k < vector_bytes / sizeof(To); ++k) result[k] = load<From>(p + k * sizeof(From));
    return result;
#endif
}

}  // namespace samesum::SAMESUM_ISA

#undef SAMESUM_WIDENED
