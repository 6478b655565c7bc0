// Tables of rows, of which each element of a vector names one.
#pragma once

#include "kernels/vectors/transpose.hpp"

namespace samesum::SAMESUM_ISA {

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
