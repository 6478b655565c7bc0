// Vectors of elements of a scan in, vectors of prefixes out, also where less than a vector is left.
#pragma once

#include "kernels/certify.hpp"
#include "kernels/method.hpp"
#include "kernels/vectors.hpp"

namespace samesum::SAMESUM_ISA {

// Writes the first n elements of a vector.
template <Format format>
SAMESUM_INLINE void store_prefixes(void* out, std::size_t i, std::size_t n,
                                   typename Rounding<format>::Bits bits) {
    if (n >= width) return Rounding<format>::store_to(out, i, bits);
    char* p = static_cast<char*>(out) + i * size_of(format);
#if defined(__AVX512F__) && defined(__AVX512VL__)
    const auto mask = static_cast<__mmask8>((1u << n) - 1);
    if constexpr (format == Format::f64)
        return _mm512_mask_storeu_epi64(p, mask, reinterpret_cast<__m512i>(bits));
    else if constexpr (format == Format::f32)
        return _mm256_mask_storeu_epi32(p, mask, reinterpret_cast<__m256i>(bits));
#endif
    char last[width * size_of(format)];
    Rounding<format>::store_to(last, 0, bits);
    std::memcpy(p, last, n * size_of(format));
}

// A vector of elements, zeros if there are fewer.
template <class F>
SAMESUM_INLINE Doubles elements(const char* p, std::size_t n) {
    if (n >= width) return F::doubles(p);
    char padded[width * F::size];
    pad<F>(p, n, padded);
    return F::doubles(padded);
}

// Prefixes of these formats overflow no double: what is not finite is the result.
inline std::size_t accept_special(const double* sums, std::size_t n, Format format, void* out,
                                  std::uint8_t* failed) {
    std::size_t accepted = 0;
    for (std::size_t i = 0; i < n; ++i) {
        if (!failed[i] || samesum::magnitude(sums[i]) < infinity) continue;
        store_bits(out, i, round_bits(sums[i], format), size_of(format));
        failed[i] = 0;
        ++accepted;
    }
    return accepted;
}

}  // namespace samesum::SAMESUM_ISA
