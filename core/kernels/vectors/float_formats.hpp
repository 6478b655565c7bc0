// How elements of each float format are loaded into vectors.
#pragma once

#include "kernels/vectors/partial.hpp"

namespace samesum::SAMESUM_ISA {

struct Float32 {
    static constexpr Format format = Format::f32;
    static constexpr std::size_t size = 4;
    static SAMESUM_INLINE Floats floats(const char* p) { return loaded(load<Floats>(p)); }
    static SAMESUM_INLINE Doubles doubles(const char* p) { return widen(floats(p)); }
};

struct Bfloat16 {
    static constexpr Format format = Format::bf16;
    static constexpr std::size_t size = 2;
    static SAMESUM_INLINE Floats floats(const char* p) { return reinterpret_cast<Floats>(words(p) << 16); }
    static SAMESUM_INLINE Words words(const char* p) {
#if defined(__AVX512F__)
        return reinterpret_cast<Words>(_mm256_cvtepu16_epi32(load<__m128i>(p)));
#elif defined(__AVX2__)
        return reinterpret_cast<Words>(
            _mm_cvtepu16_epi32(_mm_loadl_epi64(reinterpret_cast<const __m128i*>(p))));
#else
        return __builtin_convertvector(load<Shorts>(p), Words);
#endif
    }
    static SAMESUM_INLINE Doubles doubles(const char* p) { return widen(floats(p)); }
};

struct Float16 {
    static constexpr Format format = Format::f16;
    static constexpr std::size_t size = 2;
    static SAMESUM_INLINE Floats floats(const char* p) {
#if defined(__AVX512F__)
        return reinterpret_cast<Floats>(_mm256_cvtph_ps(load<__m128i>(p)));
#elif defined(__F16C__)
        return reinterpret_cast<Floats>(_mm_cvtph_ps(_mm_loadl_epi64(reinterpret_cast<const __m128i*>(p))));
#else
        // The exponent moves by a multiplication, which makes subnormals right too; infinities and NaNs keep
        // theirs.
        const Words bits = __builtin_convertvector(load<Shorts>(p), Words);
        const Words field = (bits & 0x7fffu) << 13;
        const Words special = reinterpret_cast<Words>(field >= 0x0f800000u) & 0x7f800000u;
        const Words scaled = reinterpret_cast<Words>(reinterpret_cast<Floats>(field) * 0x1p112f);
        return reinterpret_cast<Floats>(scaled | special | (bits & 0x8000u) << 16);
#endif
    }
    static SAMESUM_INLINE Doubles doubles(const char* p) { return widen(floats(p)); }
};

struct Float64 {
    static constexpr Format format = Format::f64;
    static constexpr std::size_t size = 8;
    static SAMESUM_INLINE Doubles doubles(const char* p) { return loaded(load<Doubles>(p)); }
};

// Fewer than `width` elements, the rest zeros.
template <class F>
SAMESUM_INLINE void pad(const char* p, std::size_t n, char (&padded)[width * F::size]) {
    store(padded, load_first<BitsOf<F::size> >(p, n));
}

// Up to a vector of elements, and zeros after them.
template <class F>
SAMESUM_INLINE Floats first_floats(const char* p, std::size_t n) {
    if (n >= width) return F::floats(p);
    char padded[width * F::size];
    pad<F>(p, n, padded);
    return F::floats(padded);
}
template <class F>
SAMESUM_INLINE Doubles first_doubles(const char* p, std::size_t n) {
    if (n >= width) return F::doubles(p);
    char padded[width * F::size];
    pad<F>(p, n, padded);
    return F::doubles(padded);
}

// Vectors of elements as loops ask for them (kernels/loops/lanes.hpp).
template <class F>
struct DoublesOf {
    static constexpr std::size_t elements = width, size = F::size;
    static SAMESUM_INLINE Doubles all(const char* p) { return F::doubles(p); }
    static SAMESUM_INLINE Doubles first(const char* p, std::size_t n) { return first_doubles<F>(p, n); }
};

}  // namespace samesum::SAMESUM_ISA
