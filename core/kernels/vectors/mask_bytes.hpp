// The bytes of a mask beside vectors of elements: the bits of an element become one byte.
#pragma once

#include <utility>

#include "kernels/vectors/vectors.hpp"

namespace samesum::SAMESUM_ISA {

template <class Bits>
struct MaskBytes {
    static constexpr std::size_t together = vector_bytes / sizeof(Bits);
    using Codes = typename VectorOf<Bits, vector_bytes>::type;
    using Bytes = typename VectorOf<std::uint8_t, together>::type;
    using AllBytes = typename VectorOf<std::uint8_t, vector_bytes>::type;

    // Whether `packed` is made of instructions.
#if defined(__AVX2__) && !defined(__AVX512BW__)
    static constexpr bool packs = true;
#else
    static constexpr bool packs = false;
#endif

    // All bits of the byte of an element whose bits are all set; none of one that is zero.
    static SAMESUM_INLINE Bytes narrowed(Codes all_or_none) {
#if defined(__AVX512BW__)
        return __builtin_convertvector(all_or_none, Bytes);
#else
        return first_bytes(reinterpret_cast<AllBytes>(all_or_none), std::make_index_sequence<together>{});
#endif
    }

#if defined(__AVX2__) && !defined(__AVX512BW__)
    // The same of as many vectors as make one of bytes: at(k) is the k-th. Halves of two are packed side by
    // side; what belongs together comes into order last.
    template <class At>
    static SAMESUM_INLINE AllBytes packed(const At& at) {
        __m256i v[sizeof(Bits)];
        for_each_of<sizeof(Bits)>([&](std::size_t k)
                                      SAMESUM_INLINED { v[k] = reinterpret_cast<__m256i>(at(k)); });
        const auto pack_pairs = [&]<std::size_t pairs>() SAMESUM_INLINED {
            for_each_of<pairs>([&](std::size_t k)
                                   SAMESUM_INLINED { v[k] = _mm256_packs_epi32(v[2 * k], v[2 * k + 1]); });
        };
        if constexpr (sizeof(Bits) == 8) pack_pairs.template operator()<4>();
        if constexpr (sizeof(Bits) >= 4) pack_pairs.template operator()<2>();
        if constexpr (sizeof(Bits) >= 2) v[0] = _mm256_packs_epi16(v[0], v[1]);
        return reinterpret_cast<AllBytes>(in_order(v[0]));
    }
#else
    template <class At>
    static AllBytes packed(const At& at);
#endif

  private:
    template <std::size_t... k>
    static SAMESUM_INLINE Bytes first_bytes(AllBytes bytes, std::index_sequence<k...>) {
        return __builtin_shufflevector(bytes, bytes, k * sizeof(Bits)...);
    }

#if defined(__AVX2__) && !defined(__AVX512BW__)
    static SAMESUM_INLINE __m256i in_order(__m256i v) {
        if constexpr (sizeof(Bits) == 2) {
            return _mm256_permute4x64_epi64(v, 0b11011000);
        } else if constexpr (sizeof(Bits) == 4) {
            return _mm256_permutevar8x32_epi32(v, _mm256_setr_epi32(0, 4, 1, 5, 2, 6, 3, 7));
        } else if constexpr (sizeof(Bits) == 8) {
            const __m256i pairs = _mm256_setr_epi8(0, 1, 8, 9, 2, 3, 10, 11, 4, 5, 12, 13, 6, 7, 14, 15, 0, 1,
                                                   8, 9, 2, 3, 10, 11, 4, 5, 12, 13, 6, 7, 14, 15);
            return _mm256_shuffle_epi8(_mm256_permute4x64_epi64(v, 0b11011000), pairs);
        } else {
            return v;
        }
    }
#endif
};

}  // namespace samesum::SAMESUM_ISA
