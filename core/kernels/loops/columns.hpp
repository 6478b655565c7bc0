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

// Rows that are taken together: as many as make a term of `Load`, or four.
template <class Load>
constexpr std::size_t rows_together() {
    if constexpr (requires { Load::rows; }) return Load::rows;
    return vectors_together<Load>() > 4 ? vectors_together<Load>() : 4;
}

// Whether a line of the cache is worth code of its own: where a vector takes little.
template <class Load>
constexpr bool goes_by_lines() {
    if constexpr (requires { Load::by_lines; }) return Load::by_lines;
    return Load::size == 1;
}

// take(count, j, p) for `count` rows, rows_together() of them and then one by one, of vectors of columns from
// number j on, the first of which lies at p; rest(count, j, p, m) of the m columns after them.
template <class Load, class Take, class Rest>
SAMESUM_INLINE void each_vector_of_rows(const char* x, std::ptrdiff_t row_stride, std::size_t rows,
                                        std::size_t n, const Take& take, const Rest& rest) {
    constexpr std::size_t elements = Load::elements, line = 64 / Load::size, most = rows_together<Load>();
    // Few columns are soon done: their lines have to be asked for many rows ahead.
    const std::ptrdiff_t ahead =
        (n * Load::size < 1024 ? 32 : static_cast<std::ptrdiff_t>(most)) * row_stride;
    const auto together = [&](auto count) SAMESUM_INLINED {
        std::size_t j = 0;
        if constexpr (count > 1 && goes_by_lines<Load>()) {
            for (; j + line <= n; j += line) {
                const char* const p = x + j * Load::size;
                prefetch_rows<count>(p + ahead, row_stride, 1);
                for_each_of<line / elements>([&](std::size_t k) SAMESUM_INLINED {
                    take(count, j + k * elements, p + k * elements * Load::size);
                });
            }
        }
        for (; j + elements <= n; j += elements) {
            const char* const p = x + j * Load::size;
            if (j % line == 0) prefetch_rows<count>(p + ahead, row_stride, 1);
            take(count, j, p);
        }
        if (j == n) return;
        const char* const p = x + j * Load::size;
        prefetch_rows<count>(p + ahead, row_stride, 1);
        rest(count, j, p, n - j);
    };
    constexpr std::ptrdiff_t step = most;
    for (; rows >= most; rows -= most, x += step * row_stride)
        together(std::integral_constant<std::size_t, most>{});
    for (; rows > 0; --rows, x += row_stride) together(std::integral_constant<std::size_t, 1>{});
}

// The state of one vector of columns, n of which are there, after `rows` rows.
template <class Load, class State>
SAMESUM_INLINE State state_of_column(State state, const char* p, std::ptrdiff_t row_stride, std::size_t rows,
                                     std::size_t n) {
    for (std::size_t r = 0; r < rows; ++r, p += row_stride)
        state.take(n < Load::elements ? Load::first(p, n) : Load::all(p));
    return state;
}

// Rows of n columns, each element of which counts once: at(j) is the state of a vector of columns from number
// j on, put(j, state) keeps it. Of the last vector only n - j columns are there; the others are given what
// adds nothing.
template <class Load, class At, class Put>
SAMESUM_INLINE void add_rows_of_columns(const char* x, std::ptrdiff_t row_stride, std::size_t rows,
                                        std::size_t n, const At& at, const Put& put) {
    constexpr std::size_t elements = Load::elements, vector = elements * Load::size,
                          together = vectors_together<Load>();
    const auto take = [&](auto count, std::size_t j, const char* p) SAMESUM_INLINED {
        constexpr std::size_t terms = count % together == 0 ? count / together : 0;
        auto state = at(j);
        if constexpr (terms > 0)
            for_each_of<terms>([&](std::size_t r) SAMESUM_INLINED {
                state.take(
                    term_of<Load>(p + static_cast<std::ptrdiff_t>(r * together) * row_stride, row_stride));
            });
        else
            state.take(Load::all(p));
        put(j, state);
    };
    // Those that were taken before are given what adds nothing.
    const auto rest = [&](std::size_t count, std::size_t j, const char* p, std::size_t m) SAMESUM_INLINED {
        constexpr bool has_last = requires { requires Load::has_last; };
        const bool ends = has_last && n >= elements;
        const std::size_t first = ends ? n - elements : j;
        auto state = at(first);
        if constexpr (requires { Load::copied_rest; }) {
            alignas(64) char copy[together * vector];
            for (; count >= together; count -= together) {
                for (std::size_t r = 0; r < together; ++r, p += row_stride)
                    store(copy + r * vector, Load::first(p, m));
                state.take(Load::term(copy, vector));
            }
        }
        for (std::size_t r = 0; r < count; ++r, p += row_stride) state.take(rest_of<Load>(p, m, ends));
        put(first, state);
    };
    each_vector_of_rows<Load>(x, row_stride, rows, n, take, rest);
}

}  // namespace samesum::SAMESUM_ISA
