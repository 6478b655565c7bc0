// Several vectors of floats as one operand: each operation is done for all of them before the next one, since
// one vector after the other leaves the units idle. And loops over elements that leave some for later.
#pragma once

#include <type_traits>

#include "kernels/vectors/singles.hpp"

namespace samesum::SAMESUM_ISA {

template <std::size_t count, class V = Singles>
struct Batch {
    V part[count];

    using Number = std::conditional_t<std::is_same_v<V, Doubles>, double, float>;

    SAMESUM_INLINE Batch() = default;
    SAMESUM_INLINE Batch(Number all) {
        for_each_of<count>([&](std::size_t v) SAMESUM_INLINED { part[v] = V{} + all; });
    }

    static SAMESUM_INLINE Batch one(V only) {
        return made([&](std::size_t) SAMESUM_INLINED { return only; });
    }

    // f(v) as vector number v.
    template <class F>
    static SAMESUM_INLINE Batch made(const F& f) {
        Batch made;
        for_each_of<count>([&](std::size_t v) SAMESUM_INLINED { made.part[v] = f(v); });
        return made;
    }

    friend SAMESUM_INLINE Batch operator+(Batch a, Batch b) {
        return made([&](std::size_t v) SAMESUM_INLINED { return a.part[v] + b.part[v]; });
    }
    friend SAMESUM_INLINE Batch operator-(Batch a, Batch b) {
        return made([&](std::size_t v) SAMESUM_INLINED { return a.part[v] - b.part[v]; });
    }
    friend SAMESUM_INLINE Batch operator-(Batch a) {
        return made([&](std::size_t v) SAMESUM_INLINED { return -a.part[v]; });
    }
    friend SAMESUM_INLINE Batch operator*(Batch a, Batch b) {
        return made([&](std::size_t v) SAMESUM_INLINED { return a.part[v] * b.part[v]; });
    }
};

template <std::size_t count>
using DoubleBatch = Batch<count, Doubles>;

template <std::size_t count, class V>
SAMESUM_INLINE Batch<count, V> magnitude(Batch<count, V> x) {
    return Batch<count, V>::made([&](std::size_t v)
                                     SAMESUM_INLINED { return samesum::SAMESUM_ISA::magnitude(x.part[v]); });
}

// a * b + c; a constant operand is a number.
template <std::size_t count, class V>
SAMESUM_INLINE Batch<count, V> fused(Batch<count, V> a, std::type_identity_t<Batch<count, V>> b,
                                     std::type_identity_t<Batch<count, V>> c) {
    return Batch<count, V>::made([&](std::size_t v)
                                     SAMESUM_INLINED { return fused(a.part[v], b.part[v], c.part[v]); });
}

// The bits of each element.
SAMESUM_INLINE SingleWords bits_of(Singles x) { return reinterpret_cast<SingleWords>(x); }

// A magnitude with the sign of another number.
SAMESUM_INLINE Singles with_sign_of(Singles sign, Singles magnitude) {
#if defined(__AVX512F__)
    constexpr int second_or_first = 0xd8;  // by the bits of the third
    return reinterpret_cast<Singles>(
        _mm512_ternarylogic_epi32(reinterpret_cast<__m512i>(magnitude), reinterpret_cast<__m512i>(sign),
                                  _mm512_set1_epi32(INT32_MIN), second_or_first));
#else
    return reinterpret_cast<Singles>((bits_of(sign) & 0x80000000u) | bits_of(magnitude));
#endif
}

// The numbers of a table of 32 by the bits of k, shifted.
template <int shift = 0, std::size_t count>
SAMESUM_INLINE Batch<count> number_of(const float (&table)[32], Batch<count> k) {
    return Batch<count>::made([&](std::size_t v) SAMESUM_INLINED {
        return reinterpret_cast<Singles>(step_of(table, bits_of(k.part[v]) >> shift));
    });
}

// A bit for each element of a vector.
using Lanes = std::uint32_t;
constexpr Lanes all_lanes = (Lanes{1} << singles) - 1;

SAMESUM_INLINE Lanes lanes_of(SingleInts mask) {
#if defined(__AVX512DQ__)
    return _mm512_movepi32_mask(reinterpret_cast<__m512i>(mask));
#elif defined(__AVX__)
    return static_cast<Lanes>(_mm256_movemask_ps(reinterpret_cast<__m256>(mask)));
#else
    Lanes lanes = 0;
    for (std::size_t k = 0; k < singles; ++k) lanes |= static_cast<Lanes>(mask[k] & 1) << k;
    return lanes;
#endif
}

// Where the elements differ, or one is NaN.
SAMESUM_INLINE Lanes lanes_unequal(Singles a, Singles b) {
#if defined(__AVX512F__)
    return _mm512_cmp_ps_mask(a, b, _CMP_NEQ_UQ);
#else
    return lanes_of(a != b);
#endif
}

// Where the elements are above the limit, as unsigned integers.
SAMESUM_INLINE Lanes lanes_above(SingleWords v, std::uint32_t limit) {
#if defined(__AVX512F__)
    return _mm512_cmpgt_epu32_mask(reinterpret_cast<__m512i>(v), _mm512_set1_epi32(static_cast<int>(limit)));
#else
    return lanes_of(v > limit);
#endif
}

// Where the magnitude is above the limit, or the element NaN.
SAMESUM_INLINE Lanes lanes_beyond(Singles x, float limit) {
    return lanes_above(bits_of(magnitude(x)), __builtin_bit_cast(std::uint32_t, limit));
}

// Where the elements, within 2^(error_bits - 24) of what they stand for, may be on the wrong side of the
// middle of two neighbours in `format`, in which they are normal.
template <Format format, int error_bits>
SAMESUM_INLINE Lanes lanes_near_tie(Singles y) {
    constexpr int dropped = 24 - traits_of(format).precision;
    constexpr std::uint32_t unit = 1, tie = unit << (dropped - 1), error = unit << error_bits,
                            mask = (unit << dropped) - 2 * error;
    const SingleWords from_tie = bits_of(y) + (tie + error);
#if defined(__AVX512F__)
    return _mm512_testn_epi32_mask(reinterpret_cast<__m512i>(from_tie),
                                   _mm512_set1_epi32(static_cast<int>(mask)));
#else
    return lanes_of((from_tie & mask) == 0);
#endif
}

// Elements of a block that are left for later.
constexpr std::size_t batched_elements = 4096;

struct LeftElements {
    std::uint16_t place[batched_elements + 2 * singles];
    std::size_t count = 0;

    SAMESUM_INLINE void add(std::size_t first, Lanes lanes) {
        for (; lanes != 0; lanes &= lanes - 1)
            place[count++] =
                static_cast<std::uint16_t>(first + static_cast<std::size_t>(__builtin_ctz(lanes)));
    }

    // take(places, results) of as many elements as a vector of doubles has; the results have `size` bytes.
    template <std::size_t size, class Take>
    SAMESUM_INLINE void each(char* out, const Take& take) const {
        for (std::size_t i = 0; i < count; i += width) {
            std::size_t places[width];
            alignas(64) char results[width * size];
            for (std::size_t k = 0; k < width; ++k) places[k] = place[i + k < count ? i + k : count - 1];
            take(places, results);
            for (std::size_t k = 0; k < width; ++k)
                std::memcpy(out + places[k] * size, results + k * size, size);
        }
    }
};

// Elements of these places side by side, as doubles.
template <class F>
SAMESUM_INLINE Doubles doubles_at(const char* x, const std::size_t (&places)[width]) {
    alignas(64) char some[width * F::size];
    for (std::size_t k = 0; k < width; ++k) std::memcpy(some + k * F::size, x + places[k] * F::size, F::size);
    return F::doubles(some);
}

// take(first, n) for blocks of n elements, none shorter than a vector of floats; there are that many.
template <class Take>
SAMESUM_INLINE void each_batched_block(std::size_t elements, const Take& take) {
    for (std::size_t i = 0; i < elements;) {
        const std::size_t rest = elements - i,
                          n = rest < batched_elements + singles ? rest : batched_elements;
        take(i, n);
        i += n;
    }
}

// take(constant, i) for `constant` vectors from element i on; the last elements may be taken twice.
template <std::size_t several, class Take>
SAMESUM_INLINE void each_batch(std::size_t n, const Take& take) {
    std::size_t i = 0;
    for (; i + several * singles <= n; i += several * singles)
        take(std::integral_constant<std::size_t, several>{}, i);
    for (; i + singles <= n; i += singles) take(std::integral_constant<std::size_t, 1>{}, i);
    if (i < n) take(std::integral_constant<std::size_t, 1>{}, n - singles);
}

}  // namespace samesum::SAMESUM_ISA
