// Tier 3 of float64: sums on two grids, for ties and cancellation that double-word lanes cannot tell. Blocks
// join as double-words, so what has no more than their bits is exact.
#pragma once

#include "kernels/blocks/grid.hpp"
#include "kernels/sums/totals_tile.hpp"
#include "kernels/vectors/float_formats.hpp"

namespace samesum::SAMESUM_ISA {

template <Map map>
struct Sum3 {
    using Block = BlockTotal<Float64, map>;
    using Grids = GridOf<Doubles>;

    using Tile = TotalsTile;

    static void lane(void* tile, std::size_t j, const void* x, std::size_t n) {
        Tile::of(tile).add(j, Block::of(x, n).sum);
    }

    // Rows of columns that are read twice: they stay in the cache. (Lemma 18)
    static constexpr std::size_t rows_together = 1024;

    static SAMESUM_INLINE Doubles elements(const char* p, std::size_t n) {
        const Doubles x = first_doubles<Float64>(p, n);
        return map == Map::magnitude ? samesum::SAMESUM_ISA::magnitude(x) : x;
    }

    // A vector of columns; `n` of them are there.
    struct Columns : Sums {
        void add_rows(const char* x, std::ptrdiff_t row_stride, std::size_t rows, std::size_t n) {
            Doubles size = {};
            const char* p = x;
            for (std::size_t r = 0; r < rows; ++r, p += row_stride)
                size += samesum::SAMESUM_ISA::magnitude(elements(p, n));
            const Doubles count = Doubles{} + static_cast<double>(rows);
            const Grids coarse = Grids::over(size), fine = Grids::over(count * coarse.rest);
            Doubles first = coarse.shift, second = fine.shift, rest = {};
            Longs inexact = {};
            p = x;
            for (std::size_t r = 0; r < rows; ++r, p += row_stride) {
                const Doubles v = elements(p, n), moved = first + v, left = v - (moved - first);
                first = moved;
                const Doubles next = second + left, last = left - (next - second);
                second = next;
                rest += last;
                inexact |= last != 0;
            }
            add(first - coarse.shift);
            add(second - fine.shift);
            add(rest);
            const Doubles none = {}, lost = count * count * fine.rest * (unit_roundoff * bound_slack);
            bound += inexact ? lost : none;
            bound = size < grid_limit ? bound : none + infinity;
        }
    };

    static void columns(void* tile, const void* x, std::ptrdiff_t row_stride, std::size_t rows,
                        std::size_t n) {
        Tile& t = Tile::of(tile);
        const char* p = static_cast<const char*>(x);
        for (std::size_t r = 0; r < rows; r += rows_together) {
            const std::size_t now = rows - r < rows_together ? rows - r : rows_together;
            for (std::size_t j = 0; j < n; j += width) {
                Columns c{Sums::at(t.hi + j, t.lo + j, t.bound + j)};
                c.add_rows(p + j * sizeof(double), row_stride, now, n - j);
                c.put(t.hi + j, t.lo + j, t.bound + j);
            }
            p += static_cast<std::ptrdiff_t>(now) * row_stride;
        }
    }

    static constexpr Method method() {
        return {tile_columns, Tile::init, each_lane<lane>, columns, Tile::merge_all, Tile::finish, true};
    }
};

}  // namespace samesum::SAMESUM_ISA
