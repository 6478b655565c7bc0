// Doubles of short tables by number, and the exponents and significands of floats.
#pragma once

#include "kernels/vectors/singles.hpp"
#include "kernels/vectors/transpose.hpp"

namespace samesum::SAMESUM_ISA {

// Whether one instruction looks up all elements of a vector.
#if defined(__AVX512F__)
constexpr bool has_table_lookups = true;
#else
constexpr bool has_table_lookups = false;
#endif

// Element k modulo 16 of a table.
SAMESUM_INLINE Doubles looked_up(const void* table, Longs k) {
#if defined(__AVX512F__)
    const char* p = static_cast<const char*>(table);
    return reinterpret_cast<Doubles>(_mm512_permutex2var_pd(load<__m512d>(p), reinterpret_cast<__m512i>(k),
                                                            load<__m512d>(p + vector_bytes)));
#else
    Doubles found;
    for (std::size_t i = 0; i < width; ++i) found[i] = static_cast<const double*>(table)[k[i] & 15];
    return found;
#endif
}

// Element k modulo 32 of a table.
SAMESUM_INLINE Doubles looked_up_of_32(const double* table, Longs k) {
#if defined(__AVX512F__)
    const __mmask8 is_upper = _mm512_test_epi64_mask(reinterpret_cast<__m512i>(k), _mm512_set1_epi64(16));
    return reinterpret_cast<Doubles>(
        _mm512_mask_blend_pd(is_upper, looked_up(table, k), looked_up(table + 16, k)));
#else
    Doubles found;
    for (std::size_t i = 0; i < width; ++i) found[i] = table[k[i] & 31];
    return found;
#endif
}

// Whether any element is the one of a table of 16 by its own number in `k`; a NaN is none.
SAMESUM_INLINE bool any_in_table(Doubles x, const double* table, Longs k) {
#if defined(__AVX512F__)
    return _mm512_cmp_pd_mask(x, looked_up(table, k), _CMP_EQ_OQ) != 0;
#else
    return any(x == looked_up(table, k));
#endif
}

// Of numbers other than zero, whatever their sign, z 2^e with z from 1 to 2: e and z. Those of subnormal
// numbers are right where `has_all_significands`.
#if defined(__AVX512F__)
constexpr bool has_all_significands = true;
#else
constexpr bool has_all_significands = false;
#endif

SAMESUM_INLINE Doubles exponents_of(Doubles x) {
#if defined(__AVX512F__)
    return reinterpret_cast<Doubles>(_mm512_getexp_pd(x));
#else
    constexpr double to_integer = 0x1.8p52;  // added, it leaves an integer in the last bits
    const Longs number = (reinterpret_cast<Longs>(magnitude(x)) >> 52) - 1023;
    return reinterpret_cast<Doubles>(number + __builtin_bit_cast(std::int64_t, to_integer)) - to_integer;
#endif
}

SAMESUM_INLINE Doubles significands_of(Doubles x) {
#if defined(__AVX512F__)
    return reinterpret_cast<Doubles>(_mm512_getmant_pd(x, _MM_MANT_NORM_1_2, _MM_MANT_SIGN_zero));
#else
    constexpr std::uint64_t fraction = (std::uint64_t{1} << 52) - 1, one = std::uint64_t{1023} << 52;
    return reinterpret_cast<Doubles>((reinterpret_cast<UnsignedLongs>(x) & fraction) | one);
#endif
}

SAMESUM_INLINE Singles exponents_of(Singles x) {
#if defined(__AVX512F__)
    return reinterpret_cast<Singles>(_mm512_getexp_ps(x));
#else
    return __builtin_convertvector((reinterpret_cast<SingleInts>(magnitude(x)) >> 23) - 127, Singles);
#endif
}

SAMESUM_INLINE Singles significands_of(Singles x) {
#if defined(__AVX512F__)
    return reinterpret_cast<Singles>(_mm512_getmant_ps(x, _MM_MANT_NORM_1_2, _MM_MANT_SIGN_zero));
#else
    return reinterpret_cast<Singles>((reinterpret_cast<SingleWords>(x) & 0x007fffffu) | 0x3f800000u);
#endif
}

// Tables of rows, of which each element of a vector names one.

// Rows of four numbers of a table, one for each place: their first numbers, their second ones and so on.
SAMESUM_INLINE void looked_up_rows(const double* table, Longs places, Doubles (&found)[4]) {
    places *= 4;
#if defined(__AVX512F__)
    for_each_of<4>([&](std::size_t i) SAMESUM_INLINED {
        found[i] =
            reinterpret_cast<Doubles>(_mm512_i64gather_pd(reinterpret_cast<__m512i>(places), table + i, 8));
    });
#else
    if constexpr (width == 4) {
        for_each_of<4>([&](std::size_t k) SAMESUM_INLINED { found[k] = load<Doubles>(table + places[k]); });
        Square<Doubles>::transpose(reinterpret_cast<Doubles(&)[width]>(found));
    } else {
        for (std::size_t k = 0; k < width; ++k)
            for (std::size_t i = 0; i < 4; ++i) found[i][k] = table[static_cast<std::size_t>(places[k]) + i];
    }
#endif
}

}  // namespace samesum::SAMESUM_ISA
