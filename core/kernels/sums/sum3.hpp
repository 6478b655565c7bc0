// Tier 3 of float64: sums on two grids, for ties and cancellation that double-word lanes cannot tell. Blocks
// join as double-words, so what has no more than their bits is exact.
#pragma once

#include "kernels/accumulators/double_words.hpp"
#include "kernels/blocks/grid.hpp"
#include "kernels/loops/columns.hpp"
#include "kernels/sums/totals_tile.hpp"

namespace samesum::SAMESUM_ISA {

struct SizeTotal {
    Doubles total = {};
    SAMESUM_INLINE void take(Doubles x) { total += samesum::SAMESUM_ISA::magnitude(x); }
};

// What goes beyond the second grid is added up apart.
struct TwoGrids {
    using Grids = GridOf<Doubles>;
    Grids coarse, fine;
    Doubles first, second, rest = {};
    Longs inexact = {};

    static SAMESUM_INLINE TwoGrids of(Doubles size, double count) {
        const Grids coarse = Grids::over(size), fine = Grids::over(count * coarse.rest);
        return {coarse, fine, coarse.shift, fine.shift};
    }
    SAMESUM_INLINE void take(Doubles v) {
        const Doubles moved = first + v, left = v - (moved - first);
        first = moved;
        const Doubles next = second + left, last = left - (next - second);
        second = next;
        rest += last;
        inexact |= last != 0;
    }
    SAMESUM_INLINE Doubles bound(Doubles size, double count) const {
        const Doubles none = {}, lost = count * count * fine.rest * (unit_roundoff * bound_slack);
        return size < grid_limit ? (inexact ? lost : none) : none + infinity;
    }
};

template <Map map>
struct Sum3 {
    using Block = BlockTotal<Float64, map>;
    using Terms = TermsOf<Float64, map>;
    using Tile = TotalsTile;

    static void lane(void* tile, std::size_t j, const void* x, std::size_t n) {
        Tile::of(tile).add(j, Block::of(x, n).sum);
    }

    // Rows of columns that are read twice: they stay in the cache. (Lemma 18)
    static constexpr std::size_t rows_together = 1024;

    static void columns(void* tile, const void* x, std::ptrdiff_t row_stride, std::size_t rows,
                        std::size_t n) {
        Tile& t = Tile::of(tile);
        const char* p = static_cast<const char*>(x);
        for (std::size_t now; rows > 0; rows -= now, p += static_cast<std::ptrdiff_t>(now) * row_stride) {
            now = rows < rows_together ? rows : rows_together;
            for (std::size_t j = 0; j < n; j += width) {
                const char* const column = p + j * sizeof(double);
                const auto sizes = state_of_column<Terms>(SizeTotal{}, column, row_stride, now, n - j);
                const double count = static_cast<double>(now);
                const auto all =
                    state_of_column<Terms>(TwoGrids::of(sizes.total, count), column, row_stride, now, n - j);
                t.add(j, all.first - all.coarse.shift, Doubles{});
                t.add(j, all.second - all.fine.shift, Doubles{});
                t.add(j, all.rest, all.bound(sizes.total, count));
            }
        }
    }

    static constexpr Method method() {
        return {tile_columns, Tile::init, each_lane<lane>, columns, Tile::merge_all, Tile::finish, true};
    }
};

}  // namespace samesum::SAMESUM_ISA
