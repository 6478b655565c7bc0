// Whole vectors of floats, twice as many elements as there are doubles in a vector, and how the formats
// narrower than float64 are loaded into them and rounded from them.
#pragma once

#include "kernels/vectors/float_formats.hpp"
#include "kernels/vectors/rounding.hpp"

namespace samesum::SAMESUM_ISA {

constexpr std::size_t singles = 2 * width;

typedef float Singles __attribute__((vector_size(vector_bytes)));
typedef std::int32_t SingleInts __attribute__((vector_size(vector_bytes)));
typedef std::uint32_t SingleWords __attribute__((vector_size(vector_bytes)));

struct Halves {
    Doubles low, high;
};

// (A subscript of the half that is chosen is compiled wrongly by GCC 12 with -fsanitize=undefined.)
SAMESUM_INLINE double element(const Halves& v, std::size_t i) {
    return i < width ? v.low[i] : v.high[i - width];
}

SAMESUM_INLINE Halves widen(Singles v) {
#if defined(__AVX512F__)
    const __m512d bits = reinterpret_cast<__m512d>(v);
    return {widen(reinterpret_cast<Floats>(_mm512_castpd512_pd256(bits))),
            widen(reinterpret_cast<Floats>(_mm512_extractf64x4_pd(bits, 1)))};
#elif defined(__AVX2__)
    const __m256 floats = reinterpret_cast<__m256>(v);
    return {reinterpret_cast<Doubles>(_mm256_cvtps_pd(_mm256_castps256_ps128(floats))),
            reinterpret_cast<Doubles>(_mm256_cvtps_pd(_mm256_extractf128_ps(floats, 1)))};
#else
    Floats part[2];
    __builtin_memcpy(part, &v, sizeof v);
    return {widen(part[0]), widen(part[1])};
#endif
}

// Never by way of memory: a load waits long for two stores of halves.
SAMESUM_INLINE Singles joined(Floats low, Floats high) {
#if defined(__AVX512F__)
    return reinterpret_cast<Singles>(_mm512_insertf64x4(
        _mm512_castpd256_pd512(reinterpret_cast<__m256d>(low)), reinterpret_cast<__m256d>(high), 1));
#elif defined(__AVX2__)
    return reinterpret_cast<Singles>(
        _mm256_set_m128(reinterpret_cast<__m128>(high), reinterpret_cast<__m128>(low)));
#else
    const Floats part[2] = {low, high};
    return load<Singles>(part);
#endif
}

SAMESUM_INLINE Singles narrowed(Halves v) { return joined(narrowed(v.low), narrowed(v.high)); }

#if !defined(SAMESUM_FUSED)
__attribute__((noinline)) inline Singles fused_by_calls(Singles a, Singles b, Singles c) {
    for (std::size_t k = 0; k < singles; ++k) c[k] = __builtin_fmaf(a[k], b[k], c[k]);
    return c;
}
#endif

// As of doubles.
SAMESUM_INLINE Singles fused(Singles a, Singles b, Singles c) {
#if defined(__AVX512F__)
    return reinterpret_cast<Singles>(_mm512_fmadd_ps(a, b, c));
#elif defined(__FMA__)
    return reinterpret_cast<Singles>(_mm256_fmadd_ps(a, b, c));
#elif defined(__aarch64__)
    return reinterpret_cast<Singles>(vfmaq_f32(c, a, b));
#else
    return fused_by_calls(a, b, c);
#endif
}

SAMESUM_INLINE Singles magnitude(Singles x) {
    return reinterpret_cast<Singles>(reinterpret_cast<SingleInts>(x) & INT32_MAX);
}

// The greater of a magnitude and that of x; NaNs are the greatest, or nothing.
SAMESUM_INLINE Singles greater_magnitude(Singles greatest, Singles x) {
#if defined(__AVX512DQ__)
    constexpr int greatest_magnitude = 3, sign_cleared = 2 << 2;
    return reinterpret_cast<Singles>(_mm512_range_ps(greatest, x, greatest_magnitude | sign_cleared));
#else
    // Units for integers have time where others add.
    const SingleInts a = reinterpret_cast<SingleInts>(greatest),
                     b = reinterpret_cast<SingleInts>(magnitude(x));
    return reinterpret_cast<Singles>(a > b ? a : b);
#endif
}

// True if a comparison holds for any element.
SAMESUM_INLINE bool any(SingleInts mask) {
#if defined(__AVX512DQ__)
    return _mm512_movepi32_mask(reinterpret_cast<__m512i>(mask)) != 0;
#else
    const Longs two = reinterpret_cast<Longs>(mask);
    return any(two | two << 32);
#endif
}

// a > b ? a : b
SAMESUM_INLINE Singles greater(Singles a, Singles b) {
#if defined(__AVX512F__)
    return reinterpret_cast<Singles>(_mm512_max_ps(reinterpret_cast<__m512>(a), reinterpret_cast<__m512>(b)));
#else
    return a > b ? a : b;
#endif
}

// a < b ? a : b
SAMESUM_INLINE Singles lesser(Singles a, Singles b) {
#if defined(__AVX512F__)
    return reinterpret_cast<Singles>(_mm512_min_ps(reinterpret_cast<__m512>(a), reinterpret_cast<__m512>(b)));
#else
    return a < b ? a : b;
#endif
}

// The elements of a table of 32 by the last five bits of each index.
SAMESUM_INLINE SingleWords step_of(const void* table, SingleWords index) {
#if defined(__AVX512F__)
    const char* p = static_cast<const char*>(table);
    return reinterpret_cast<SingleWords>(_mm512_permutex2var_epi32(
        load<__m512i>(p), reinterpret_cast<__m512i>(index), load<__m512i>(p + vector_bytes)));
#elif defined(__AVX2__)
    const char* p = static_cast<const char*>(table);
    const __m256i at = reinterpret_cast<__m256i>(index);
    const __m256 upper = reinterpret_cast<__m256>(index << 28), last = reinterpret_cast<__m256>(index << 27);
    __m256 part[4];
    for (std::size_t k = 0; k < 4; ++k)
        part[k] = _mm256_permutevar8x32_ps(load<__m256>(p + k * vector_bytes), at);
    return reinterpret_cast<SingleWords>(_mm256_blendv_ps(_mm256_blendv_ps(part[0], part[1], upper),
                                                          _mm256_blendv_ps(part[2], part[3], upper), last));
#else
    for (std::size_t k = 0; k < singles; ++k)
        index[k] = static_cast<const std::uint32_t*>(table)[index[k] & 31];
    return index;
#endif
}

// The bits of such a vector in a format.
template <class F>
using BitsOfSingles = typename VectorOf<ElementOf<BitsOf<F::size> >, singles * F::size>::type;

template <class F>
SAMESUM_INLINE Singles singles_of(BitsOfSingles<F> bits) {
    if constexpr (F::format == Format::f32) return reinterpret_cast<Singles>(bits);
#if defined(__AVX512F__)
    if constexpr (F::format == Format::f16)
        return reinterpret_cast<Singles>(_mm512_cvtph_ps(reinterpret_cast<__m256i>(bits)));
    if constexpr (F::format == Format::bf16)
        return reinterpret_cast<Singles>(
            _mm512_slli_epi32(_mm512_cvtepu16_epi32(reinterpret_cast<__m256i>(bits)), 16));
#elif defined(__AVX2__) && defined(__F16C__)
    if constexpr (F::format == Format::f16)
        return reinterpret_cast<Singles>(_mm256_cvtph_ps(reinterpret_cast<__m128i>(bits)));
    if constexpr (F::format == Format::bf16)
        return reinterpret_cast<Singles>(
            _mm256_slli_epi32(_mm256_cvtepu16_epi32(reinterpret_cast<__m128i>(bits)), 16));
#endif
    char p[sizeof bits];
    store(p, bits);
    return joined(F::floats(p), F::floats(p + width * F::size));
}
template <class F>
SAMESUM_INLINE Singles load_singles(const char* p) {
    return singles_of<F>(load<BitsOfSingles<F> >(p));
}

// n elements, fewer than a vector has, and zeros after them or, where a whole vector ends with them, before.
template <class F>
SAMESUM_INLINE Singles first_singles(const char* p, std::size_t n) {
    return singles_of<F>(load_first<BitsOfSingles<F> >(p, n));
}
template <class F>
SAMESUM_INLINE Singles last_singles(const char* p, std::size_t n) {
    return singles_of<F>(last_ones(n, load<BitsOfSingles<F> >(p - (singles - n) * F::size)));
}

// A vector of floats, and the same as doubles.
struct Widened {
    Singles x;
    Halves half;

    static SAMESUM_INLINE Widened of(Singles x) { return {x, widen(x)}; }

    // Halves that come from memory take no shuffles; bfloat16 is soon made in whole vectors.
    template <class F>
    static SAMESUM_INLINE Widened at(const char* p) {
        constexpr std::size_t half = width * F::size;
        if constexpr (F::format == Format::bf16) return of(load_singles<F>(p));
        if constexpr (F::format == Format::f16)
            return {load_singles<F>(p), {F::doubles(p), F::doubles(p + half)}};
        return {load<Singles>(p), {widen(load<Floats>(p)), widen(load<Floats>(p + half))}};
    }
};

// Fewer than `singles` elements, -inf after them.
template <class F>
SAMESUM_INLINE Singles load_some(const char* p, std::size_t n) {
#if defined(__AVX512BW__) && defined(__AVX512VL__)
    const __mmask16 some = static_cast<__mmask16>((1u << n) - 1);
    const Singles nothing = Singles{} - __builtin_huge_valf();
    if constexpr (F::size == 4) return reinterpret_cast<Singles>(_mm512_mask_loadu_ps(nothing, some, p));
    char padded[singles * 2];
    store(padded, _mm256_maskz_loadu_epi16(some, p));
    return reinterpret_cast<Singles>(_mm512_mask_mov_ps(nothing, some, load_singles<F>(padded)));
#else
    constexpr std::size_t half = width * F::size;
    const Floats none = Floats{} - __builtin_huge_valf();
    Floats part[2] = {none, none};
    for (std::size_t k = 0; k < 2 && n > k * width; ++k) {
        const std::size_t count = n - k * width;
        if (count >= width) {
            part[k] = F::floats(p + k * half);
            continue;
        }
        char padded[half];
        pad<F>(p + k * half, count, padded);
        part[k] = F::floats(padded);
        for (std::size_t i = count; i < width; ++i) part[k][i] = none[0];
    }
    return joined(part[0], part[1]);
#endif
}

// Rounded to the format; a NaN is the canonical one.
template <Format format>
SAMESUM_INLINE void store_singles(char* p, Singles v) {
    if constexpr (format == Format::f32) {
        store(p, v);
    } else {
#if defined(__AVX512F__)
        if constexpr (format == Format::f16) return store(p, _mm512_cvtps_ph(v, 0));
        const SingleWords bits = reinterpret_cast<SingleWords>(v);
        const SingleWords rounded = (bits + 0x7fff + (bits >> 16 & 1)) >> 16;
        store(p, _mm512_cvtepi32_epi16(reinterpret_cast<__m512i>(rounded)));
#else
        Words part[2];
        __builtin_memcpy(part, &v, sizeof v);
        for (std::size_t k = 0; k < 2; ++k) {
            const Words bits =
                format == Format::f16 ? half_bits(part[k]) : (part[k] + 0x7fff + (part[k] >> 16 & 1)) >> 16;
            store(p + k * width * 2, __builtin_convertvector(bits, Shorts));
        }
#endif
    }
}

template <Format format>
SAMESUM_INLINE void store_some(char* p, Singles v, std::size_t n) {
    if (n >= singles) return store_singles<format>(p, v);
#if defined(__AVX512BW__) && defined(__AVX512VL__)
    const __mmask16 some = static_cast<__mmask16>((1u << n) - 1);
    if constexpr (format == Format::f32) return _mm512_mask_storeu_ps(p, some, v);
#endif
    char all[singles * size_of(format)];
    store_singles<format>(all, v);
#if defined(__AVX512BW__) && defined(__AVX512VL__)
    _mm256_mask_storeu_epi16(p, some, load<__m256i>(all));
#else
    std::memcpy(p, all, n * size_of(format));
#endif
}

}  // namespace samesum::SAMESUM_ISA
