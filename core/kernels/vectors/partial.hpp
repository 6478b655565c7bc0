// The first or the last elements of a vector, where a run ends or begins within it.
#pragma once

#include "kernels/vectors/sweep.hpp"

namespace samesum::SAMESUM_ISA {

// n bytes, fewer than `most`, without a call: what begins and what ends them, which may overlap.
template <std::size_t most>
SAMESUM_INLINE void copy_first(char* to, const char* p, std::size_t n) {
    constexpr std::size_t half = most / 2;
    if constexpr (most == 2) {
        if (n > 0) *to = *p;
    } else if (n >= half) {
        char begin[half], end[half];
        __builtin_memcpy(begin, p, half);
        __builtin_memcpy(end, p + n - half, half);
        __builtin_memcpy(to, begin, half);
        __builtin_memcpy(to + n - half, end, half);
    } else {
        copy_first<half>(to, p, n);
    }
}

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
#elif defined(__AVX2__)
    // Loads by masks are of four or eight bytes.
    if constexpr (sizeof(V) == 32 && sizeof(ElementOf<V>) == 8) {
        const Longs some = Longs{0, 1, 2, 3} < static_cast<std::int64_t>(n);
        return reinterpret_cast<V>(
            _mm256_maskload_epi64(reinterpret_cast<const long long*>(p), reinterpret_cast<__m256i>(some)));
    } else if constexpr (sizeof(V) == 16 && sizeof(ElementOf<V>) == 4) {
        const Ints some = Ints{0, 1, 2, 3} < static_cast<std::int32_t>(n);
        return reinterpret_cast<V>(
            _mm_maskload_epi32(reinterpret_cast<const int*>(p), reinterpret_cast<__m128i>(some)));
    }
#endif
    V v = {};
    copy_first<sizeof(V)>(reinterpret_cast<char*>(&v), p, n * sizeof(ElementOf<V>));
    return v;
}

// The last n elements of a vector, and zeros before them.
struct EndingMasks {
    alignas(64) std::int8_t bytes[2 * vector_bytes];

    constexpr EndingMasks() : bytes{} {
        for (std::size_t i = vector_bytes; i < 2 * vector_bytes; ++i) bytes[i] = -1;
    }
};
constexpr EndingMasks ending_masks;
template <class V>
SAMESUM_INLINE V last_ones(std::size_t n, V v) {
    typedef std::int8_t Mask __attribute__((vector_size(sizeof(V))));
    Mask mask;
    __builtin_memcpy(&mask, ending_masks.bytes + vector_bytes - sizeof(V) + n * sizeof(ElementOf<V>),
                     sizeof mask);
    return reinterpret_cast<V>(reinterpret_cast<Mask>(v) & mask);
}

// Vectors of elements as loops ask for them (kernels/loops/lanes.hpp).
template <class Element, std::size_t bytes = vector_bytes>
struct VectorsOf {
    typedef Element Vector __attribute__((vector_size(bytes)));
    static constexpr std::size_t elements = bytes / sizeof(Element), size = sizeof(Element);
    static SAMESUM_INLINE Vector all(const char* p) { return load<Vector>(p); }
    static SAMESUM_INLINE Vector first(const char* p, std::size_t n) { return load_first<Vector>(p, n); }
    static constexpr bool has_last = size < 4;  // loads by masks serve longer elements
    static SAMESUM_INLINE Vector last(const char* p, std::size_t n) {
        return last_ones(n, all(p - (elements - n) * size));
    }
};

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
