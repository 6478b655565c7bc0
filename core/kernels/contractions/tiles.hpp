// Tiles in registers: each element of one is a chain of multiply-adds.
#pragma once

#include <type_traits>

#include "kernels/vectors/rounding.hpp"
#include "methods/contraction_method.hpp"

namespace samesum::SAMESUM_ISA {

// What registers hold beside vectors of columns and one element of a row.
constexpr std::size_t tile_rows = width == 8 ? 8 : width == 4 ? 6 : 4, tile_vectors = width == 8 ? 3 : 2;

// Sums of type Sum of products of rows of that type and columns of type Column, which is it or float32 for
// float64.
template <class Sum, class Column>
struct RegisterTile {
    using V = typename VectorOf<Sum>::type;
    static constexpr std::size_t lanes = vector_bytes / sizeof(Sum), columns = lanes * tile_vectors;

    static SAMESUM_INLINE V column(const Column* p) {
        if constexpr (sizeof(Column) < sizeof(Sum))
            return widen(load<Floats>(p));
        else
            return load<V>(p);
    }

    static SAMESUM_INLINE V plus_product(V a, V b, V sum) {
        if constexpr (std::is_floating_point_v<Sum>)
            return roughly_fused(a, b, sum);  // products of float32 are exact
        else
            return sum + a * b;
    }

    // (Lemma 85)
    template <std::size_t vectors>
    static void add_products(const Sum* a, const Column* b, std::size_t terms, Sum* to, std::size_t pitch) {
        V sum[tile_rows][vectors] = {};
        for (std::size_t k = 0; k < terms; ++k, a += tile_rows, b += columns) {
            V y[vectors];
            for_each_of<vectors>([&](std::size_t v) SAMESUM_INLINED { y[v] = column(b + v * lanes); });
            for_each_of<tile_rows>([&](std::size_t r) SAMESUM_INLINED {
                const V x = a[r] - V{};
                for_each_of<vectors>([&](std::size_t v)
                                         SAMESUM_INLINED { sum[r][v] = plus_product(x, y[v], sum[r][v]); });
            });
        }
        for_each_of<tile_rows>([&](std::size_t r) SAMESUM_INLINED {
            for_each_of<vectors>([&](std::size_t v) SAMESUM_INLINED {
                Sum* const place = to + r * pitch + v * lanes;
                store(place, load<V>(place) + sum[r][v]);
            });
        });
    }

    // Of the first n columns.
    static void multiply(const void* rows, const void* panel, std::size_t n, std::size_t terms, void* sums,
                         std::size_t pitch) {
        const Sum* const a = static_cast<const Sum*>(rows);
        const Column* const b = static_cast<const Column*>(panel);
        Sum* const to = static_cast<Sum*>(sums);
        if (n <= lanes) return add_products<1>(a, b, terms, to, pitch);
        if constexpr (tile_vectors > 2)
            if (n <= 2 * lanes) return add_products<2>(a, b, terms, to, pitch);
        add_products<tile_vectors>(a, b, terms, to, pitch);
    }
};

// Sums on a grid, and what the grid leaves of each product, which is exact: a tile in two parts, since it
// takes twice the registers. (Lemma 88)
struct SecondTile {
    using One = RegisterTile<double, float>;
    static constexpr std::size_t rows = tile_rows / 2;

    static SAMESUM_INLINE void take(Doubles x, Doubles y, Doubles& hi, Doubles& lo) {
        const Doubles before = hi;
        if constexpr (has_fused) {
            hi = fused(x, y, hi);
            lo += fused(x, y, before - hi);
        } else {
            const Doubles product = x * y;
            hi += product;
            lo += product + (before - hi);
        }
    }

    static void multiply(const void* a, const void* b, std::size_t terms, double* hi, double* lo,
                         std::size_t pitch) {
        for (std::size_t r = 0; r < tile_rows; r += rows)
            part(static_cast<const double*>(a) + r, static_cast<const float*>(b), terms, hi + r * pitch,
                 lo + r * pitch, pitch);
    }

    static SAMESUM_INLINE void part(const double* a, const float* b, std::size_t terms, double* hi,
                                    double* lo, std::size_t pitch) {
        Doubles high[rows][tile_vectors], low[rows][tile_vectors] = {};
        const auto each = [](const auto& take) SAMESUM_INLINED {
            for_each_of<rows>([&](std::size_t r) SAMESUM_INLINED {
                for_each_of<tile_vectors>([&](std::size_t v) SAMESUM_INLINED { take(r, v); });
            });
        };
        each([&](std::size_t r, std::size_t v)
                 SAMESUM_INLINED { high[r][v] = load<Doubles>(hi + r * pitch + v * width); });
        for (std::size_t k = 0; k < terms; ++k, a += tile_rows, b += One::columns) {
            Doubles y[tile_vectors];
            for_each_of<tile_vectors>([&](std::size_t v)
                                          SAMESUM_INLINED { y[v] = One::column(b + v * width); });
            each([&](std::size_t r, std::size_t v)
                     SAMESUM_INLINED { take(a[r] - Doubles{}, y[v], high[r][v], low[r][v]); });
        }
        each([&](std::size_t r, std::size_t v) SAMESUM_INLINED {
            double* const rest = lo + r * pitch + v * width;
            store(hi + r * pitch + v * width, high[r][v]);
            store(rest, load<Doubles>(rest) + low[r][v]);
        });
    }
};

// Of a panel of `panel` numbers a term, in double, each of which is exact. (Lemma 85)
template <std::size_t panel, class Number>
void add_squares(const void* numbers, std::size_t terms, double* squares) {
    const Number* p = static_cast<const Number*>(numbers);
    double sum[panel];
    for (std::size_t r = 0; r < panel; ++r) sum[r] = squares[r];
    for (std::size_t k = 0; k < terms; ++k, p += panel) {
        for (std::size_t r = 0; r < panel; ++r) {
            const double x = static_cast<double>(p[r]);
            sum[r] += x * x;
        }
    }
    for (std::size_t r = 0; r < panel; ++r) squares[r] = sum[r];
}

}  // namespace samesum::SAMESUM_ISA
