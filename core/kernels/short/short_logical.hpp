// Whether all, or any, elements of whole sets of few are true.
#pragma once

#include "kernels/search/logical.hpp"
#include "kernels/short/short.hpp"

namespace samesum::SAMESUM_ISA {

template <class Bits, bool is_real, bool any>
struct ShortLogical {
    using All = Logical<Bits, is_real, any>;
    using Vector = typename All::Vector;
    static constexpr std::size_t step = elements_of<Vector>;

    static SAMESUM_INLINE void put(char* out, const ShortRows& rows) {
        const char* p = rows.p;
        Vector seen = All::of(load<Vector>(p));
        for (std::size_t r = 1; r < rows.count; ++r) {
            p += rows.stride;
            seen = All::with(seen, load<Vector>(p));
        }
        put_truths(out, seen);
    }

    // A byte for each element: one unless it is zero.
    static SAMESUM_INLINE void put_truths(char* out, Vector seen) {
#if defined(__AVX512BW__) && defined(__AVX512VL__)
        const std::uint64_t truths = ~equal_mask(seen, Vector{});
        if constexpr (step == 64) {
            store(out, _mm512_maskz_set1_epi8(truths, 1));
        } else if constexpr (step == 32) {
            store(out, _mm256_maskz_set1_epi8(static_cast<__mmask32>(truths), 1));
        } else {
            const __m128i bytes = _mm_maskz_set1_epi8(static_cast<__mmask16>(truths), 1);
            __builtin_memcpy(out, &bytes, step);
        }
#else
        Bits bits[step];
        store(bits, seen);
        for (std::size_t k = 0; k < step; ++k) out[k] = bits[k] != 0;
#endif
    }

    static std::size_t make(const void* x, std::ptrdiff_t row_stride, std::size_t count, std::size_t n,
                            void* out, std::uint8_t* failed) {
        std::memset(failed, 0, n);
        const ShortRows all{static_cast<const char*>(x), row_stride, count};
        each_short<step, sizeof(Bits)>(all, n, [=](const ShortRows& some, std::size_t j) {
            put_short<step, 1>(out, j, n, [&](char* to) { put(to, some); });
        });
        return 0;
    }
};

}  // namespace samesum::SAMESUM_ISA
