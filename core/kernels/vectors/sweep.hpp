// The elements of one vector, for operations that may take an element more than once.
#pragma once

#include <type_traits>
#include <utility>

#include "kernels/vectors/vectors.hpp"

namespace samesum::SAMESUM_ISA {

template <class Element>
using FullVector = typename VectorOf<Element>::type;

template <class V>
using ElementOf = std::remove_cvref_t<decltype(V{}[0])>;

template <class V>
constexpr std::size_t elements_of = sizeof(V) / sizeof(ElementOf<V>);

// n elements, from half a vector of them to a whole one: its first half begins and its second half ends with
// them, so that some may come twice.
template <class V>
SAMESUM_INLINE V load_ends(const char* p, std::size_t n) {
    constexpr std::size_t half = sizeof(V) / 2;
    V v;
    __builtin_memcpy(&v, p, half);
    __builtin_memcpy(reinterpret_cast<char*>(&v) + half, p + n * sizeof(ElementOf<V>) - half, half);
    return v;
}

// All elements of a vector as one, by an operation that may take them in any order and more than once.
template <class V, class Join>
SAMESUM_INLINE ElementOf<V> across(V x, Join join) {
    typedef std::uint64_t Bits __attribute__((vector_size(vector_bytes)));
    static_assert(sizeof(V) == vector_bytes);
    const auto with_far = [&]<int distance>(std::integral_constant<int, distance>) {
        x = join(x, reinterpret_cast<V>(swapped<distance>(reinterpret_cast<Bits>(x))));
    };
    const auto with_near = [&](int bits) {  // within 64 bits
        const Bits b = reinterpret_cast<Bits>(x);
        x = join(x, reinterpret_cast<V>(b >> bits | b << (64 - bits)));
    };
    if constexpr (width >= 8) with_far(std::integral_constant<int, 4>{});
    if constexpr (width >= 4) with_far(std::integral_constant<int, 2>{});
    with_far(std::integral_constant<int, 1>{});
    if constexpr (sizeof(ElementOf<V>) <= 4) with_near(32);
    if constexpr (sizeof(ElementOf<V>) <= 2) with_near(16);
    if constexpr (sizeof(ElementOf<V>) == 1) with_near(8);
    return x[0];
}

// Where the elements of two vectors of integers are equal: `bits_of_mask` bits for each, all of them set.
#if defined(__AVX512BW__)
template <class V>
constexpr std::size_t bits_of_mask = 1;
#else
template <class V>
constexpr std::size_t bits_of_mask = sizeof(ElementOf<V>);
#endif

template <class V>
SAMESUM_INLINE std::uint64_t equal_mask(V a, V b) {
    static_assert(sizeof(V) == vector_bytes);
#if defined(__AVX512BW__)
    const __m512i x = reinterpret_cast<__m512i>(a), y = reinterpret_cast<__m512i>(b);
    if constexpr (sizeof(ElementOf<V>) == 1) return _mm512_cmpeq_epi8_mask(x, y);
    if constexpr (sizeof(ElementOf<V>) == 2) return _mm512_cmpeq_epi16_mask(x, y);
    if constexpr (sizeof(ElementOf<V>) == 4) return _mm512_cmpeq_epi32_mask(x, y);
    return _mm512_cmpeq_epi64_mask(x, y);
#elif defined(__AVX2__)
    return static_cast<std::uint32_t>(_mm256_movemask_epi8(reinterpret_cast<__m256i>(a == b)));
#elif defined(__SSE2__)
    return static_cast<std::uint32_t>(_mm_movemask_epi8(reinterpret_cast<__m128i>(a == b)));
#else
    std::int8_t bytes[vector_bytes];
    store(bytes, a == b);
    std::uint64_t mask = 0;
    for (std::size_t i = 0; i < vector_bytes; ++i) mask |= std::uint64_t{bytes[i] < 0} << i;
    return mask;
#endif
}

// A byte for each element of a vector of integers: one unless it is zero.
template <class V>
SAMESUM_INLINE void put_truths(char* out, V v) {
    constexpr std::size_t step = elements_of<V>;
#if defined(__AVX512BW__) && defined(__AVX512VL__)
    const std::uint64_t truths = ~equal_mask(v, V{});
    if constexpr (step == 64) {
        store(out, _mm512_maskz_set1_epi8(truths, 1));
    } else if constexpr (step == 32) {
        store(out, _mm256_maskz_set1_epi8(static_cast<__mmask32>(truths), 1));
    } else {
        const __m128i bytes = _mm_maskz_set1_epi8(static_cast<__mmask16>(truths), 1);
        __builtin_memcpy(out, &bytes, step);
    }
#else
    ElementOf<V> bits[step];
    store(bits, v);
    for (std::size_t k = 0; k < step; ++k) out[k] = bits[k] != 0;
#endif
}

// Elements of a vector moved towards its end, as the steps of a scan move them.

template <std::size_t distance, std::size_t length, class V, std::size_t... i>
SAMESUM_INLINE V shifted_among(V v, V into, std::index_sequence<i...>) {
    return __builtin_shufflevector(
        into, v, static_cast<int>(i % length < distance ? i : elements_of<V> + i - distance)...);
}

// In each group of `length` elements number i moves to i + distance; those of `into` stand in the places that
// get free.
template <std::size_t distance, std::size_t length, class V>
SAMESUM_INLINE V shifted_groups(V v, V into) {
    return shifted_among<distance, length>(v, into, std::make_index_sequence<elements_of<V> >{});
}
template <std::size_t distance, class V>
SAMESUM_INLINE V shifted(V v, V into) {
    return shifted_groups<distance, elements_of<V> >(v, into);
}

template <class V, std::size_t... i>
SAMESUM_INLINE V last_among(V v, std::index_sequence<i...>) {
    return __builtin_shufflevector(v, v, static_cast<int>(0 * i + elements_of<V> - 1)...);
}

// In every element.
template <class V>
SAMESUM_INLINE V last_of(V v) {
    return last_among(v, std::make_index_sequence<elements_of<V> >{});
}

}  // namespace samesum::SAMESUM_ISA
