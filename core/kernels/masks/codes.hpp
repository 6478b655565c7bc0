// Elements chosen by their codes: all but NaN, or all but zeros.
#pragma once

#include <utility>

#include "kernels/masks/mask.hpp"

namespace samesum::SAMESUM_ISA {

template <class Bits>
struct Coded {
    using Codes = typename Masked<Bits>::Codes;
    static constexpr std::size_t together = Masked<Bits>::together;
    using Bytes = typename VectorOf<std::uint8_t, together>::type;

    // Whether codes are not above the last one.
    static SAMESUM_INLINE auto is_low(const char* p, const CodeRange& codes) {
        const Codes code =
            (load<Codes>(p) + static_cast<Bits>(codes.step)) & static_cast<Bits>(codes.magnitude);
        return code <= static_cast<Bits>(codes.most);
    }

    // 1 for such codes, else 0.
    static SAMESUM_INLINE Bytes low_ones(const char* p, const CodeRange& codes) {
#if defined(__AVX512BW__)
        return __builtin_convertvector(is_low(p, codes), Bytes) & 1;
#else
        return first_bytes(reinterpret_cast<AllBytes>(is_low(p, codes)),
                           std::make_index_sequence<together>{}) &
               1;
#endif
    }

    // Of each element. Of converted vectors GCC converts one element after the other.
    using AllBytes = typename VectorOf<std::uint8_t, vector_bytes>::type;
    template <std::size_t... k>
    static SAMESUM_INLINE Bytes first_bytes(AllBytes bytes, std::index_sequence<k...>) {
        return __builtin_shufflevector(bytes, bytes, k * sizeof(Bits)...);
    }

#if defined(__AVX2__) && !defined(__AVX512BW__)
    // Of 32 elements, all bits of a byte for such codes, else none. Halves of two vectors are packed side by
    // side: those of all of them come into order last.
    static SAMESUM_INLINE __m256i low_bytes(const char* p, const CodeRange& codes) {
        __m256i v[sizeof(Bits)];
        for_each_of<sizeof(Bits)>([&](std::size_t k) SAMESUM_INLINED {
            v[k] = reinterpret_cast<__m256i>(is_low(p + k * vector_bytes, codes));
        });
        if constexpr (sizeof(Bits) == 8)
            for_each_of<4>([&](std::size_t k)
                               SAMESUM_INLINED { v[k] = _mm256_packs_epi32(v[2 * k], v[2 * k + 1]); });
        if constexpr (sizeof(Bits) >= 4)
            for_each_of<2>([&](std::size_t k)
                               SAMESUM_INLINED { v[k] = _mm256_packs_epi32(v[2 * k], v[2 * k + 1]); });
        if constexpr (sizeof(Bits) >= 2) v[0] = _mm256_packs_epi16(v[0], v[1]);
        if constexpr (sizeof(Bits) == 2) return _mm256_permute4x64_epi64(v[0], 0b11011000);
        if constexpr (sizeof(Bits) == 4)
            return _mm256_permutevar8x32_epi32(v[0], _mm256_setr_epi32(0, 4, 1, 5, 2, 6, 3, 7));
        if constexpr (sizeof(Bits) == 8) {
            const __m256i pairs = _mm256_setr_epi8(0, 1, 8, 9, 2, 3, 10, 11, 4, 5, 12, 13, 6, 7, 14, 15, 0, 1,
                                                   8, 9, 2, 3, 10, 11, 4, 5, 12, 13, 6, 7, 14, 15);
            return _mm256_shuffle_epi8(_mm256_permute4x64_epi64(v[0], 0b11011000), pairs);
        }
        return v[0];
    }

    // Of as many whole vectors of bytes as there are; returns how many elements those are.
    static SAMESUM_INLINE std::size_t those_of_many(const char* p, const std::uint8_t* mask, std::size_t n,
                                                    const CodeRange& codes, std::uint8_t* to,
                                                    const Ahead& ahead) {
        const __m256i none = _mm256_setzero_si256(), one = _mm256_set1_epi8(1),
                      flip = _mm256_set1_epi8(codes.above ? -1 : 0);
        std::size_t i = 0;
        for (; i + 32 <= n; i += 32, p += 32 * sizeof(Bits)) {
            prefetch<32 * sizeof(Bits)>(p + ahead.x);
            __m256i found = _mm256_and_si256(_mm256_xor_si256(low_bytes(p, codes), flip), one);
            if (mask != nullptr)
                found = _mm256_andnot_si256(_mm256_cmpeq_epi8(load<__m256i>(mask + i), none), found);
            store(to + i, found);
        }
        return i;
    }
#endif

    static void those_of(const void* x, const std::uint8_t* mask, std::size_t n, const CodeRange& codes,
                         std::uint8_t* to, const Ahead& ahead) {
        const char* p = static_cast<const char*>(x);
        const std::uint8_t flip = codes.above;
        std::size_t i = 0;
#if defined(__AVX2__) && !defined(__AVX512BW__)
        i = those_of_many(p, mask, n, codes, to, ahead);
        p += i * sizeof(Bits);
#endif
        for (; i + together <= n; i += together, p += vector_bytes) {
            prefetch<vector_bytes>(p + ahead.x);
            Bytes found = low_ones(p, codes) ^ flip;
            if (mask != nullptr) found &= reinterpret_cast<Bytes>(load<Bytes>(mask + i) != 0);
            store(to + i, found);
        }
        if (i == n) return;
        alignas(64) char rest[vector_bytes] = {};
        std::memcpy(rest, p, (n - i) * sizeof(Bits));
        const Bytes found = low_ones(rest, codes) ^ flip;
        for (std::size_t k = 0; i < n; ++k, ++i) to[i] = found[k] & (mask == nullptr || mask[i] != 0);
    }
};

}  // namespace samesum::SAMESUM_ISA
