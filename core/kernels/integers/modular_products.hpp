// Products of integers modulo 2^k, in their own width or in 64 bits.
#pragma once

#include <type_traits>

#include "kernels/integers/modular_totals.hpp"
#include "kernels/integers/narrow_products.hpp"

namespace samesum::SAMESUM_ISA {

template <class Integer, class Total>
struct ModularProduct {
    using Totals = ModularTotals<Total, true>;

    static constexpr bool are_bytes = sizeof(Integer) == 1 && sizeof(Total) == 1,
                          are_pairs = sizeof(Integer) <= 2 && sizeof(Total) == 8;
    static constexpr std::size_t rows_at_once = are_pairs ? 8 / sizeof(Integer) : 4;

    struct Tile {
        Total total[tile_pitch];
    };
    static_assert(sizeof(Tile) <= tile_bytes);

    static SAMESUM_INLINE Total element(const char* p) { return static_cast<Total>(load<Integer>(p)); }

    static void lane(void* tile, std::size_t j, const void* x, std::size_t n) {
        Total& column = static_cast<Tile*>(tile)->total[j];
        const char* const p = static_cast<const char*>(x);
        if constexpr (are_bytes)
            column = times(column, product_of_bytes(p, n));
        else if constexpr (are_pairs)
            column *= wide_product<Integer>(p, n);
        else
            column = times(column, product_by_chains(p, n));
    }

    static SAMESUM_INLINE Total product_by_chains(const char* p, std::size_t n) {
        constexpr std::size_t lanes = 4 * vector_bytes / sizeof(Total);
        Total part[lanes];
        for (std::size_t k = 0; k < lanes; ++k) part[k] = 1;
        std::size_t i = 0;
        for (; i + lanes <= n; i += lanes, p += lanes * sizeof(Integer)) {
            prefetch_run<lanes * sizeof(Integer)>(p);
            for (std::size_t k = 0; k < lanes; ++k)
                part[k] = times(part[k], element(p + k * sizeof(Integer)));
        }
        Total total = 1;
        for (; i < n; ++i, p += sizeof(Integer)) total = times(total, element(p));
        for (std::size_t k = 0; k < lanes; ++k) total = times(total, part[k]);
        return total;
    }

    template <std::size_t rows>
    static SAMESUM_INLINE void take_bytes(std::uint8_t* total, const char* x, std::ptrdiff_t row_stride) {
        ByteProduct all = ByteProduct::of(load<Words16>(total));
        for (std::size_t r = 0; r < rows; ++r)
            all.take(load<Words16>(x + static_cast<std::ptrdiff_t>(r) * row_stride));
        store(total, all.bytes());
    }

    template <std::size_t rows>
    static SAMESUM_INLINE void take_rows(Total* __restrict total, const char* x, std::ptrdiff_t row_stride,
                                         std::size_t n) {
        std::size_t j = 0;
        if constexpr (are_bytes) {
            for (; j + vector_bytes <= n; j += vector_bytes) take_bytes<rows>(total + j, x + j, row_stride);
        }
        if constexpr (are_pairs && rows == rows_at_once) {
            for (; j < n; ++j)
                total[j] *=
                    static_cast<Total>(product_of_column<Integer, rows>(x + j * sizeof(Integer), row_stride));
        }
        for (; j < n; ++j) {
            Total t = total[j];
            for (std::size_t r = 0; r < rows; ++r)
                t = times(t, element(x + static_cast<std::ptrdiff_t>(r) * row_stride + j * sizeof(Integer)));
            total[j] = t;
        }
    }

    template <std::size_t rows>
    static SAMESUM_INLINE void add_rows(Total* total, const char* x, std::ptrdiff_t row_stride,
                                        std::size_t n) {
        each_stretch<rows, sizeof(Integer)>(x, row_stride, n,
                                            [&](std::size_t j, const char* p, std::size_t here) {
                                                take_rows<rows>(total + j, p, row_stride, here);
                                            });
    }

    static void columns(void* tile, const void* x, std::ptrdiff_t row_stride, std::size_t rows,
                        std::size_t n) {
        Total* const total = static_cast<Tile*>(tile)->total;
        const char* p = static_cast<const char*>(x);
        constexpr std::ptrdiff_t step = rows_at_once;
        for (; rows >= rows_at_once; rows -= rows_at_once, p += step * row_stride)
            add_rows<rows_at_once>(total, p, row_stride, n);
        for (; rows > 0; --rows, p += row_stride) add_rows<1>(total, p, row_stride, n);
    }

    static constexpr auto lanes = each_lane<lane>;
    static constexpr Method method() {
        return {tile_columns, Totals::init, lanes, columns, each_merge<Totals::merge>, Totals::finish};
    }
};

}  // namespace samesum::SAMESUM_ISA
