// The first or the last elements of a vector, where a run ends or begins within it.
#pragma once

#include "kernels/vectors/sweep.hpp"

namespace samesum::SAMESUM_ISA {

// n elements, fewer than a vector has, and zeros after them.
template <class V>
SAMESUM_INLINE V load_first(const char* p, std::size_t n) {
#if defined(__AVX512BW__) && defined(__AVX512VL__)
    const std::uint64_t bytes = (std::uint64_t{1} << (n * sizeof(ElementOf<V>))) - 1;
    if constexpr (sizeof(V) == 64) return reinterpret_cast<V>(_mm512_maskz_loadu_epi8(bytes, p));
    if constexpr (sizeof(V) == 32)
        return reinterpret_cast<V>(_mm256_maskz_loadu_epi8(static_cast<__mmask32>(bytes), p));
    if constexpr (sizeof(V) == 16)
        return reinterpret_cast<V>(_mm_maskz_loadu_epi8(static_cast<__mmask16>(bytes), p));
#endif
    V v = {};
    __builtin_memcpy(&v, p, n * sizeof(ElementOf<V>));
    return v;
}

// The first n elements, fewer than a vector has.
template <class V>
SAMESUM_INLINE void store_first(char* p, V v, std::size_t n) {
#if defined(__AVX512BW__) && defined(__AVX512VL__)
    const std::uint64_t bytes = (std::uint64_t{1} << (n * sizeof(ElementOf<V>))) - 1;
    if constexpr (sizeof(V) == 64) return _mm512_mask_storeu_epi8(p, bytes, reinterpret_cast<__m512i>(v));
    if constexpr (sizeof(V) == 32)
        return _mm256_mask_storeu_epi8(p, static_cast<__mmask32>(bytes), reinterpret_cast<__m256i>(v));
    if constexpr (sizeof(V) == 16)
        return _mm_mask_storeu_epi8(p, static_cast<__mmask16>(bytes), reinterpret_cast<__m128i>(v));
#endif
    __builtin_memcpy(p, &v, n * sizeof(ElementOf<V>));
}

// The elements from number `first` on, to where they would lie if all were stored.
template <class V>
SAMESUM_INLINE void store_from(char* to, V v, std::size_t first) {
    constexpr std::size_t size = sizeof(ElementOf<V>);
#if defined(__AVX512VL__)
    const __mmask8 last = static_cast<__mmask8>(0xff << first);
    if constexpr (size == 8)
        _mm512_mask_storeu_epi64(to, last, reinterpret_cast<__m512i>(v));
    else if constexpr (size == 2)
        _mm_mask_storeu_epi16(to, last, reinterpret_cast<__m128i>(v));
    else
        _mm256_mask_storeu_epi32(to, last, reinterpret_cast<__m256i>(v));
#else
    char all[sizeof v];
    store(all, v);
    std::memcpy(to + first * size, all + first * size, sizeof v - first * size);
#endif
}

// The first n elements of a whole vector, and zeros after them.
template <class V>
SAMESUM_INLINE V first_ones(std::size_t n, V v) {
    static_assert(sizeof v == vector_bytes);
#if defined(__AVX512F__)
    if constexpr (sizeof(ElementOf<V>) == 8)
        return reinterpret_cast<V>(
            _mm512_maskz_mov_pd(static_cast<__mmask8>((1u << n) - 1), reinterpret_cast<__m512d>(v)));
    else
        return reinterpret_cast<V>(
            _mm512_maskz_mov_ps(static_cast<__mmask16>((1u << n) - 1), reinterpret_cast<__m512>(v)));
#else
    using Index = decltype(v == v);
    Index index;
    for (std::size_t k = 0; k < elements_of<V>; ++k) index[k] = static_cast<ElementOf<Index> >(k);
    return reinterpret_cast<V>(reinterpret_cast<Index>(v) & (index < static_cast<ElementOf<Index> >(n)));
#endif
}

// n doubles, up to a whole vector of them, and `rest` after them.
SAMESUM_INLINE Doubles load_doubles(const char* p, std::size_t n, double rest) {
#if defined(__AVX512F__)
    return reinterpret_cast<Doubles>(
        _mm512_mask_loadu_pd(Doubles{} + rest, static_cast<__mmask8>((1u << n) - 1), p));
#else
    if (n >= width) return load<Doubles>(p);
    Doubles v = Doubles{} + rest;
    __builtin_memcpy(&v, p, n * sizeof(double));
    return v;
#endif
}

}  // namespace samesum::SAMESUM_ISA
