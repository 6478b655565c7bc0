// Elements chosen by a mask. The loops are such that compilers make vectors of them.
#pragma once

#include "kernels/vectors/mask_bytes.hpp"
#include "methods/mask_method.hpp"

namespace samesum::SAMESUM_ISA {

template <class Bits>
struct Masked {
    using Elements = MaskBytes<Bits>;
    using Codes = typename Elements::Codes;

    static SAMESUM_INLINE Bits at(const void* x, std::ptrdiff_t i) {
        return load<Bits>(static_cast<const char*>(x) + i * static_cast<std::ptrdiff_t>(sizeof(Bits)));
    }
    static SAMESUM_INLINE void put(void* to, std::size_t i, Bits value) {
        store(static_cast<char*>(to) + i * sizeof(Bits), value);
    }

    static void fill(const void* x, const std::uint8_t* mask, std::size_t n, std::uint64_t identity, void* to,
                     const Ahead& ahead) {
        constexpr std::size_t many = 64;
        const Bits other = static_cast<Bits>(identity);
        const char* p = static_cast<const char*>(x);
        char* out = static_cast<char*>(to);
        for (; n >= many; n -= many, p += many * sizeof(Bits), out += many * sizeof(Bits)) {
            prefetch<many * sizeof(Bits)>(p + ahead.x);
            __builtin_prefetch(mask + ahead.mask);
            fill_many(p, mask, other, out);
            mask += many;
        }
        fill_some(p, mask, n, other, out);
    }

    // Of 64 elements.
    static SAMESUM_INLINE void fill_many(const char* x, const std::uint8_t* mask, Bits other, char* to) {
#if defined(__AVX512BW__)
        const __m512i bytes = load<__m512i>(mask);
        __mmask64 chosen = _mm512_test_epi8_mask(bytes, bytes);
        for (std::size_t k = 0; k < sizeof(Bits); ++k, x += 64, to += 64, chosen >>= 64 / sizeof(Bits) % 64)
            store(to, blended(chosen, other, load<__m512i>(x)));
#else
        fill_some(x, mask, 64, other, to);
#endif
    }

#if defined(__AVX512BW__)
    static SAMESUM_INLINE __m512i blended(__mmask64 chosen, Bits other, __m512i x) {
        if constexpr (sizeof(Bits) == 8)
            return _mm512_mask_mov_epi64(_mm512_set1_epi64(static_cast<long long>(other)),
                                         static_cast<__mmask8>(chosen), x);
        else if constexpr (sizeof(Bits) == 4)
            return _mm512_mask_mov_epi32(_mm512_set1_epi32(static_cast<int>(other)),
                                         static_cast<__mmask16>(chosen), x);
        else if constexpr (sizeof(Bits) == 2)
            return _mm512_mask_mov_epi16(_mm512_set1_epi16(static_cast<short>(other)),
                                         static_cast<__mmask32>(chosen), x);
        else
            return _mm512_mask_mov_epi8(_mm512_set1_epi8(static_cast<char>(other)), chosen, x);
    }
#endif

    static SAMESUM_INLINE void fill_some(const char* x, const std::uint8_t* mask, std::size_t n, Bits other,
                                         char* to) {
#pragma GCC ivdep
        for (std::size_t i = 0; i < n; ++i) {
            const Bits value = at(x, static_cast<std::ptrdiff_t>(i));
            put(to, i, mask[i] != 0 ? value : other);
        }
    }

    static void fill_each(const void* x, const std::uint8_t* mask, std::size_t n, const void* others,
                          void* to) {
        std::size_t i = 0;
        for (; Elements::widens && i + Elements::together <= n; i += Elements::together) {
            const std::size_t k = i * sizeof(Bits);
            store(static_cast<char*>(to) + k, Elements::widened(mask + i) != 0
                                                  ? load<Codes>(static_cast<const char*>(x) + k)
                                                  : load<Codes>(static_cast<const char*>(others) + k));
        }
#pragma GCC ivdep
        for (; i < n; ++i) {
            const Bits value = at(x, static_cast<std::ptrdiff_t>(i)),
                       other = at(others, static_cast<std::ptrdiff_t>(i));
            put(to, i, mask[i] != 0 ? value : other);
        }
    }

    static std::size_t pick(const void* x, const std::uint8_t* mask, std::size_t n, void* to) {
        std::size_t count = 0, i = 0;
#if defined(__AVX512BW__)
        // What a vector writes beyond its last element lies before the elements that are still to come.
        for (; i + 16 <= n; i += 16) {
            const __m128i bytes = load<__m128i>(mask + i);
            const __mmask16 chosen = _mm_test_epi8_mask(bytes, bytes);
            count += pick_some(static_cast<const char*>(x) + i * sizeof(Bits), chosen,
                               static_cast<char*>(to) + count * sizeof(Bits));
        }
#endif
#pragma GCC unroll 8
        for (; i < n; ++i) {
            put(to, count, at(x, static_cast<std::ptrdiff_t>(i)));
            count += mask[i] != 0;
        }
        return count;
    }

#if defined(__AVX512BW__)
    static SAMESUM_INLINE std::size_t pick_some(const char* p, __mmask16 chosen, char* to) {
        if constexpr (sizeof(Bits) == 8) {
            const __mmask8 low = static_cast<__mmask8>(chosen), high = static_cast<__mmask8>(chosen >> 8);
            const __m512i first = load<__m512i>(p), second = load<__m512i>(p + 64);
            const std::size_t before = static_cast<std::size_t>(__builtin_popcount(low));
            store(to, _mm512_maskz_compress_epi64(low, first));
            store(to + before * 8, _mm512_maskz_compress_epi64(high, second));
        } else if constexpr (sizeof(Bits) == 4) {
            store(to, _mm512_maskz_compress_epi32(chosen, load<__m512i>(p)));
        } else if constexpr (sizeof(Bits) == 2) {
            const __m512i wide = _mm512_cvtepu16_epi32(load<__m256i>(p));
            store(to, _mm512_cvtepi32_epi16(_mm512_maskz_compress_epi32(chosen, wide)));
        } else {
            const __m512i wide = _mm512_cvtepu8_epi32(load<__m128i>(p));
            store(to, _mm512_cvtepi32_epi8(_mm512_maskz_compress_epi32(chosen, wide)));
        }
        return static_cast<std::size_t>(__builtin_popcount(chosen));
    }
#endif
};

}  // namespace samesum::SAMESUM_ISA
