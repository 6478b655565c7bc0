// As many vectors as each has elements, folded into one: element i of the result joins all elements of vector
// i.
#pragma once

#include "kernels/vectors/vectors.hpp"

namespace samesum::SAMESUM_ISA {

// a | (b ^ c)
SAMESUM_INLINE Longs with_difference(Longs a, Doubles b, Doubles c) {
#if defined(__AVX512F__)
    return reinterpret_cast<Longs>(_mm512_ternarylogic_epi64(
        reinterpret_cast<__m512i>(a), reinterpret_cast<__m512i>(b), reinterpret_cast<__m512i>(c), 0xf6));
#else
    return a | (reinterpret_cast<Longs>(b) ^ reinterpret_cast<Longs>(c));
#endif
}

// Of two vectors the elements whose index has not, and those whose index has, the bit `distance`; elements of
// the second stand where the first has others.
template <int distance, class V>
SAMESUM_INLINE V paired_low(V a, V b) {
    if constexpr (width == 2)
        return __builtin_shufflevector(a, b, 0, 2);
    else if constexpr (width == 4 && distance == 1)
        return __builtin_shufflevector(a, b, 0, 4, 2, 6);
    else if constexpr (width == 4)
        return __builtin_shufflevector(a, b, 0, 1, 4, 5);
    else if constexpr (distance == 1)
        return __builtin_shufflevector(a, b, 0, 8, 2, 10, 4, 12, 6, 14);
    else if constexpr (distance == 2)
        return __builtin_shufflevector(a, b, 0, 1, 8, 9, 4, 5, 12, 13);
    else
        return __builtin_shufflevector(a, b, 0, 1, 2, 3, 8, 9, 10, 11);
}

template <int distance, class V>
SAMESUM_INLINE V paired_high(V a, V b) {
    if constexpr (width == 2)
        return __builtin_shufflevector(a, b, 1, 3);
    else if constexpr (width == 4 && distance == 1)
        return __builtin_shufflevector(a, b, 1, 5, 3, 7);
    else if constexpr (width == 4)
        return __builtin_shufflevector(a, b, 2, 3, 6, 7);
    else if constexpr (distance == 1)
        return __builtin_shufflevector(a, b, 1, 9, 3, 11, 5, 13, 7, 15);
    else if constexpr (distance == 2)
        return __builtin_shufflevector(a, b, 2, 3, 10, 11, 6, 7, 14, 15);
    else
        return __builtin_shufflevector(a, b, 4, 5, 6, 7, 12, 13, 14, 15);
}

// `State` is of vectors: state.paired<distance>(other) joins what paired_low and paired_high give of each.
template <class State>
SAMESUM_INLINE State folded_rows(State (&row)[width]) {
    for (std::size_t i = 0; i < width; i += 2) row[i / 2] = row[i].template paired<1>(row[i + 1]);
    if constexpr (width >= 4)
        for (std::size_t i = 0; i < width / 2; i += 2) row[i / 2] = row[i].template paired<2>(row[i + 1]);
    if constexpr (width >= 8) row[0] = row[0].template paired<4>(row[1]);
    return row[0];
}

// The same, with those at the greatest distance joined first.
template <class State>
SAMESUM_INLINE State folded_by_halves(State (&row)[width]) {
    if constexpr (width >= 8)
        for (std::size_t i = 0; i < 4; ++i) row[i] = row[i].template paired<4>(row[i + 4]);
    if constexpr (width >= 4)
        for (std::size_t i = 0; i < 2; ++i) row[i] = row[i].template paired<2>(row[i + 2]);
    return row[0].template paired<1>(row[1]);
}

// The same of one vector, in every element.
template <class State>
SAMESUM_INLINE State folded_alone(State row) {
    if constexpr (width >= 8) row = row.template paired<4>(row);
    if constexpr (width >= 4) row = row.template paired<2>(row);
    return row.template paired<1>(row);
}

}  // namespace samesum::SAMESUM_ISA
