// Loops over columns: rows of elements, each of which goes to a state of its own.
#pragma once

#include <type_traits>

#include "kernels/loops/lanes.hpp"
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

// Rows of n columns, each element of which counts once: at(j) is the state of a vector of columns from number
// j on, put(j, state) keeps it. Of the last vector only n - j columns are there; the others are given zeros.
template <class Load, class At, class Put>
SAMESUM_INLINE void add_rows_of_columns(const char* x, std::ptrdiff_t row_stride, std::size_t rows,
                                        std::size_t n, const At& at, const Put& put) {
    constexpr std::size_t elements = Load::elements, line = 64 / Load::size;
    // Few columns are soon done: their lines have to be asked for many rows ahead.
    const std::ptrdiff_t ahead = (n * Load::size < 1024 ? 32 : 4) * row_stride;
    const auto together = [&](auto count) SAMESUM_INLINED {
        const auto take_vector = [&](std::size_t j) SAMESUM_INLINED {
            const char* const p = x + j * Load::size;
            auto state = at(j);
            for_each_of<count>([&](std::size_t r) SAMESUM_INLINED {
                state.take(Load::all(p + static_cast<std::ptrdiff_t>(r) * row_stride));
            });
            put(j, state);
        };
        std::size_t j = 0;
        if constexpr (Load::size == 1) {
            for (; j + line <= n; j += line) {
                prefetch_rows<count>(x + j + ahead, row_stride, 1);
                for_each_of<line / elements>([&](std::size_t k)
                                                 SAMESUM_INLINED { take_vector(j + k * elements); });
            }
        }
        for (; j + elements <= n; j += elements) {
            if (j % line == 0) prefetch_rows<count>(x + j * Load::size + ahead, row_stride, 1);
            take_vector(j);
        }
        if (j == n) return;
        const char* p = x + j * Load::size;
        prefetch_rows<count>(p + ahead, row_stride, 1);
        // Those that were taken before are given zeros.
        constexpr bool has_last = requires { requires Load::has_last; };
        const bool ends = has_last && n >= elements;
        const std::size_t first = ends ? n - elements : j;
        auto state = at(first);
        for (std::size_t r = 0; r < count; ++r, p += row_stride) state.take(rest_of<Load>(p, n - j, ends));
        put(first, state);
    };
    constexpr std::integral_constant<std::size_t, 4> four;
    constexpr std::integral_constant<std::size_t, 1> one;
    for (; rows >= 4; rows -= 4, x += 4 * row_stride) together(four);
    for (; rows > 0; --rows, x += row_stride) together(one);
}

}  // namespace samesum::SAMESUM_ISA
