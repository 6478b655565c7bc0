// Loops over columns: rows of elements, each of which goes to a state of its own.
#pragma once

#include <type_traits>

#include "kernels/vectors/sweep.hpp"

namespace samesum::SAMESUM_ISA {

// take(T{}, j) for vectors T of columns from number j on, so that all of n columns are taken, but some twice.
template <class T, class Take>
SAMESUM_INLINE void each_of_columns_by(std::size_t n, const Take& take) {
    constexpr std::size_t step = elements_of<T>;
    for (std::size_t j = 0; j < n; j += step) take(T{}, j + step <= n ? j : n - step);
}

// The same; `T` is V, a shorter vector, or a single element.
template <class V, class Take>
SAMESUM_INLINE void each_of_columns(std::size_t n, const Take& take) {
    typedef ElementOf<V> Narrow __attribute__((vector_size(16)));
    if (n >= elements_of<V>) {
        each_of_columns_by<V>(n, take);
    } else if (n >= elements_of<Narrow>) {
        each_of_columns_by<Narrow>(n, take);
    } else {
#pragma GCC unroll 1
        for (std::size_t j = 0; j < n; ++j) take(ElementOf<V>{}, j);
    }
}

// take(T{}, rows, r, j, p) for as many rows from number r on as the constant `rows` says, of vectors T of
// columns from number j on, the first of which lies at p. All of n columns are taken, but some twice.
template <class V, class Take>
SAMESUM_INLINE void each_of_rows(const char* x, std::ptrdiff_t row_stride, std::size_t rows, std::size_t n,
                                 const Take& take) {
    constexpr std::size_t size = sizeof(ElementOf<V>);
    const auto together = [&](auto count, std::size_t r) SAMESUM_INLINED {
        each_stretch<count, size>(
            x, row_stride, n, [&](std::size_t j, const char* p, std::size_t here) SAMESUM_INLINED {
                each_of_columns<V>(here, [&]<class T>(T, std::size_t k)
                                             SAMESUM_INLINED { take(T{}, count, r, j + k, p + k * size); });
            });
    };
    constexpr std::integral_constant<std::size_t, 4> four;
    constexpr std::integral_constant<std::size_t, 1> one;
    std::size_t r = 0;
    for (; r + 4 <= rows; r += 4, x += 4 * row_stride) together(four, r);
    for (; r < rows; ++r, x += row_stride) together(one, r);
}

}  // namespace samesum::SAMESUM_ISA
