// Vectors of the instruction set this file is compiled for.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>

#if defined(__SSE2__)
#include <immintrin.h>
#elif defined(__aarch64__)
#include <arm_neon.h>
#endif

#include "arithmetic/error_free.hpp"
#include "formats/format.hpp"
#include "kernels/prefetch.hpp"

#ifndef SAMESUM_ISA
#error "compile with -DSAMESUM_ISA=<namespace of the instruction set>"
#endif

// There is an instruction for multiply-adds of vectors.
#if defined(__FMA__) || defined(__aarch64__)
#define SAMESUM_FUSED
#endif

namespace samesum::SAMESUM_ISA {

#if defined(__AVX512F__)
constexpr std::size_t vector_bytes = 64;
#elif defined(__AVX__)
constexpr std::size_t vector_bytes = 32;
#else
constexpr std::size_t vector_bytes = 16;
#endif

// Doubles in a vector; every narrower vector here has as many elements.
constexpr std::size_t width = vector_bytes / 8;

typedef double Doubles __attribute__((vector_size(vector_bytes)));

// By this name a vector of a parameter's elements can be the parameter of a class: GCC drops what makes it
// one elsewhere.
template <class Element, std::size_t bytes = vector_bytes>
struct VectorOf {
    typedef Element type __attribute__((vector_size(bytes)));
};

typedef std::int64_t Longs __attribute__((vector_size(vector_bytes)));
typedef std::uint64_t UnsignedLongs __attribute__((vector_size(vector_bytes)));
typedef float Floats __attribute__((vector_size(vector_bytes / 2)));
typedef std::int32_t Ints __attribute__((vector_size(vector_bytes / 2)));
typedef std::uint32_t Words __attribute__((vector_size(vector_bytes / 2)));
typedef std::uint16_t Shorts __attribute__((vector_size(vector_bytes / 4)));

// Vectors of `width` elements of so many bytes, as bits.
template <std::size_t size>
using BitsOf = std::conditional_t<size == 2, Shorts, std::conditional_t<size == 4, Words, UnsignedLongs>>;

template <class V>
SAMESUM_INLINE V load(const void* p) {
    V v;
    __builtin_memcpy(&v, p, sizeof v);
    return v;
}

// body(0) to body(count - 1), without a loop.
template <std::size_t count, class F>
SAMESUM_INLINE void for_each_of(F body) {
#pragma GCC unroll 16
    for (std::size_t i = 0; i < count; ++i) body(i);
}

// A vector that is used more than once. GCC would load it anew for each use, and elements seldom lie on the
// boundary of a cache line: half of such loads, or all, are two.
template <class V>
SAMESUM_INLINE V loaded(V v) {
#if defined(__x86_64__)
    asm("" : "+v"(v));
#endif
    return v;
}

template <std::size_t bytes>
SAMESUM_INLINE void prefetch(const char* p) {
    for (std::size_t i = 0; i < bytes; i += 64) __builtin_prefetch(p + i);
}

// What comes after these bytes of a run that is read from its front to its end.
template <std::size_t bytes>
SAMESUM_INLINE void prefetch_run(const char* p) {
    prefetch<bytes>(p + prefetch_distances.run);
}

// The same stretch of each of `rows` rows.
template <std::size_t rows>
SAMESUM_INLINE void prefetch_rows(const char* p, std::ptrdiff_t row_stride, std::size_t bytes) {
    for (std::size_t r = 0; r < rows; ++r, p += row_stride) {
        for (std::size_t i = 0; i < bytes; i += 64) __builtin_prefetch(p + i, 0, 2);
    }
}

// take(j, p, n) of a stretch of n columns of `rows` rows after the other, which starts with column j at p,
// once the same stretch of the next rows has been asked for. A stretch is a cache line of columns, the last
// one up to two: more at once are asked for in bursts, which memory serves more slowly.
template <std::size_t rows, std::size_t size, class Take>
SAMESUM_INLINE void each_stretch(const char* x, std::ptrdiff_t row_stride, std::size_t n, const Take& take) {
    constexpr std::size_t line = 64 / size;
    const std::ptrdiff_t next = static_cast<std::ptrdiff_t>(rows) * row_stride;
    std::size_t j = 0;
    for (; n - j >= 2 * line; j += line, x += 64) {
        prefetch_rows<rows>(x + next, row_stride, 64);
        take(j, x, line);
    }
    if (j == n) return;
    prefetch_rows<rows>(x + next, row_stride, (n - j) * size);
    take(j, x, n - j);
}

template <class V>
SAMESUM_INLINE void store(void* p, V v) {
    __builtin_memcpy(p, &v, sizeof v);
}

// Elements change places with those at this distance, in blocks of it.
template <int distance, class V>
SAMESUM_INLINE V swapped(V v) {
    if constexpr (sizeof(V) == 16) {
        return __builtin_shufflevector(v, v, 1, 0);
    } else if constexpr (sizeof(V) == 32) {
        if constexpr (distance == 1)
            return __builtin_shufflevector(v, v, 1, 0, 3, 2);
        else
            return __builtin_shufflevector(v, v, 2, 3, 0, 1);
    } else {
        if constexpr (distance == 1)
            return __builtin_shufflevector(v, v, 1, 0, 3, 2, 5, 4, 7, 6);
        else if constexpr (distance == 2)
            return __builtin_shufflevector(v, v, 2, 3, 0, 1, 6, 7, 4, 5);
        else
            return __builtin_shufflevector(v, v, 4, 5, 6, 7, 0, 1, 2, 3);
    }
}

// True if a comparison holds for any element.
SAMESUM_INLINE bool any(Longs mask) {
#if defined(__AVX512DQ__)
    return _mm512_movepi64_mask(reinterpret_cast<__m512i>(mask)) != 0;
#elif defined(__AVX__)
    return _mm256_movemask_pd(reinterpret_cast<__m256d>(mask)) != 0;
#elif defined(__SSE2__)
    return _mm_movemask_pd(reinterpret_cast<__m128d>(mask)) != 0;
#else
    std::int64_t all = 0;
    for (std::size_t k = 0; k < width; ++k) all |= mask[k];
    return all != 0;
#endif
}

// True if any bit is set.
SAMESUM_INLINE bool any_bit(Longs v) {
#if defined(__AVX512F__)
    return _mm512_test_epi64_mask(reinterpret_cast<__m512i>(v), reinterpret_cast<__m512i>(v)) != 0;
#elif defined(__AVX__)
    return !_mm256_testz_si256(reinterpret_cast<__m256i>(v), reinterpret_cast<__m256i>(v));
#else
    std::int64_t all = 0;
    for (std::size_t k = 0; k < width; ++k) all |= v[k];
    return all != 0;
#endif
}

// True if any element has none of these bits.
SAMESUM_INLINE bool any_without(UnsignedLongs v, std::uint64_t bits) {
#if defined(__AVX512F__)
    return _mm512_testn_epi64_mask(reinterpret_cast<__m512i>(v),
                                   _mm512_set1_epi64(static_cast<long long>(bits))) != 0;
#else
    return any(reinterpret_cast<Longs>((v & bits) == 0));
#endif
}

// True if any element is greater than `limit`.
SAMESUM_INLINE bool any_above(UnsignedLongs v, std::uint64_t limit) {
#if defined(__AVX512F__)
    return _mm512_cmpgt_epu64_mask(reinterpret_cast<__m512i>(v),
                                   _mm512_set1_epi64(static_cast<long long>(limit))) != 0;
#else
    return any(v > limit);
#endif
}

// GCC converts halves and joins them (four instructions for one), so the instruction is named.
SAMESUM_INLINE Doubles widen(Floats x) {
#if defined(__AVX512F__)
    return reinterpret_cast<Doubles>(_mm512_cvtps_pd(reinterpret_cast<__m256>(x)));
#elif defined(__AVX__)
    return reinterpret_cast<Doubles>(_mm256_cvtps_pd(reinterpret_cast<__m128>(x)));
#else
    return __builtin_convertvector(x, Doubles);
#endif
}

SAMESUM_INLINE Doubles magnitude(Doubles x) {
    return reinterpret_cast<Doubles>(reinterpret_cast<Longs>(x) & INT64_MAX);
}

// A magnitude with the sign of another number.
SAMESUM_INLINE Doubles with_sign_of(Doubles sign, Doubles magnitude) {
    constexpr std::int64_t top = INT64_MIN;
    return reinterpret_cast<Doubles>((reinterpret_cast<Longs>(sign) & top) |
                                     (reinterpret_cast<Longs>(magnitude) & ~top));
}

// The lesser of two, b if there is a NaN.
SAMESUM_INLINE Doubles lesser(Doubles a, Doubles b) {
#if defined(__AVX512F__)
    return reinterpret_cast<Doubles>(_mm512_min_pd(a, b));
#elif defined(__AVX__)
    return reinterpret_cast<Doubles>(_mm256_min_pd(a, b));
#else
    return a < b ? a : b;
#endif
}

// The greater of two, b if there is a NaN.
SAMESUM_INLINE Doubles greater(Doubles a, Doubles b) {
#if defined(__AVX512F__)
    return reinterpret_cast<Doubles>(_mm512_max_pd(a, b));
#elif defined(__AVX__)
    return reinterpret_cast<Doubles>(_mm256_max_pd(a, b));
#else
    return a > b ? a : b;
#endif
}

// The lesser of the magnitudes; a NaN may be passed over.
SAMESUM_INLINE Doubles lesser_magnitude(Doubles a, Doubles b) {
#if defined(__AVX512DQ__)
    constexpr int least_magnitude = 2, sign_cleared = 2 << 2;
    return reinterpret_cast<Doubles>(_mm512_range_pd(a, b, least_magnitude | sign_cleared));
#else
    return lesser(magnitude(a), magnitude(b));
#endif
}

SAMESUM_INLINE Floats magnitude(Floats x) {
    return reinterpret_cast<Floats>(reinterpret_cast<Ints>(x) & INT32_MAX);
}

// a + b by the multiply-add units, which are idle where the adders convert to double as well (Zen 4).
SAMESUM_INLINE Doubles plus(Doubles a, Doubles b) {
#if defined(__AVX512F__)
    __m512d one = _mm512_set1_pd(1.0);
    asm("" : "+v"(one));  // or GCC makes an addition of it
    return reinterpret_cast<Doubles>(_mm512_fmadd_pd(a, one, b));
#else
    return a + b;
#endif
}

// a - b likewise.
SAMESUM_INLINE Doubles minus(Doubles a, Doubles b) {
#if defined(__AVX512F__)
    __m512d one = _mm512_set1_pd(1.0);
    asm("" : "+v"(one));
    return reinterpret_cast<Doubles>(_mm512_fmsub_pd(a, one, b));
#else
    return a - b;
#endif
}

// two_sum by both kinds of units.
SAMESUM_INLINE void balanced_two_sum(Doubles a, Doubles b, Doubles& s, Doubles& e) {
    s = plus(a, b);
    const Doubles virtual_b = s - a;
    e = plus(a - (s - virtual_b), minus(b, virtual_b));
}

// The greater of the magnitudes, itself of either sign.
SAMESUM_INLINE Floats greater_magnitude(Floats a, Floats b) {
#if defined(__AVX512DQ__) && defined(__AVX512VL__)
    constexpr int greatest_magnitude = 3, sign_cleared = 2 << 2;
    return reinterpret_cast<Floats>(_mm256_range_ps(a, b, greatest_magnitude | sign_cleared));
#else
    const Floats x = magnitude(a), y = magnitude(b);
    return x > y ? x : y;
#endif
}

SAMESUM_INLINE Doubles greater_magnitude(Doubles a, Doubles b) {
#if defined(__AVX512DQ__)
    constexpr int greatest_magnitude = 3, sign_cleared = 2 << 2;
    return reinterpret_cast<Doubles>(_mm512_range_pd(a, b, greatest_magnitude | sign_cleared));
#else
    const Doubles x = magnitude(a), y = magnitude(b);
    return x > y ? x : y;
#endif
}

}  // namespace samesum::SAMESUM_ISA
