// Products of integers modulo 2^k, in their own width or in 64 bits.
#pragma once

#include "kernels/accumulators/wrapping_product.hpp"
#include "kernels/integers/modular_totals.hpp"
#include "kernels/loops/columns.hpp"
#include "kernels/loops/lanes.hpp"

namespace samesum::SAMESUM_ISA {

template <class Integer, class Total>
struct ModularProduct {
    using Totals = ModularTotals<Total, true>;
    static constexpr bool widens = sizeof(Integer) < sizeof(Total);
    using Load = std::conditional_t<widens, NeighbourProducts<Integer>, FactorsOfIntegers<Total>>;

    struct Tile {  // begins with the totals
        Total total[tile_pitch];
        std::uint64_t block[widens ? tile_pitch : 1];  // of the rows that are being multiplied
    };
    static_assert(sizeof(Tile) <= tile_bytes);

    static void lane(void* tile, std::size_t j, const void* x, std::size_t n) {
        Total& column = static_cast<Tile*>(tile)->total[j];
        column = times(column,
                       state_of_run<WrappingProduct<Total>, Load>(static_cast<const char*>(x), n).across());
    }

    template <class State, class Factors, class Word>
    static SAMESUM_INLINE void multiply_rows(Word* words, const void* x, std::ptrdiff_t row_stride,
                                             std::size_t rows, std::size_t n) {
        add_rows_of_columns<Factors>(
            static_cast<const char*>(x), row_stride, rows, n,
            [words](std::size_t j) SAMESUM_INLINED { return State::at(words + j); },
            [words](std::size_t j, const State& all) SAMESUM_INLINED { all.put(words + j); });
    }

    static void columns(void* tile, const void* x, std::ptrdiff_t row_stride, std::size_t rows,
                        std::size_t n) {
        Tile& t = *static_cast<Tile*>(tile);
        if constexpr (!widens) {
            multiply_rows<WrappingProduct<Total>, Load>(t.total, x, row_stride, rows, n);
        } else {
            using Factors = ColumnFactors<Integer>;
            for (std::size_t j = 0; j < tile_pitch; ++j) t.block[j] = 1;
            multiply_rows<ColumnProducts<Integer>, Factors>(t.block, x, row_stride, rows, n);
            for (std::size_t j = 0; j < n; ++j) t.total[j] *= t.block[Factors::place_of(j)];
        }
    }

    static constexpr auto lanes = each_lane<lane>;
    static constexpr Method method() {
        return {tile_columns, Totals::init, lanes, columns, each_merge<Totals::merge>, Totals::finish};
    }
};

}  // namespace samesum::SAMESUM_ISA
