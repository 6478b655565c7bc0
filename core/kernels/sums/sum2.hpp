// Tier 2 (tier 1 of float64): double-word lanes; the bound comes from the sum of the low words' own terms, so
// exactly representable work has bound zero.
#pragma once

#include "kernels/accumulators/double_words.hpp"
#include "kernels/loops/columns.hpp"
#include "kernels/loops/lanes.hpp"
#include "kernels/sums/totals_tile.hpp"

namespace samesum::SAMESUM_ISA {

// With the sums of the rows that are being added.
struct Sum2Tile : TotalsTile {
    double sum[tile_pitch], rest[tile_pitch], sizes[tile_pitch];
};
static_assert(sizeof(Sum2Tile) <= tile_bytes);

template <class F, Map map, bool few = false>
struct Sum2 {
    static_assert(!few || map != Map::square);

    using Tile = Sum2Tile;
    using Lane = DoubleWords<few>;
    using Terms = TermsOf<F, map>;

    // What squares of float64 may lose to underflow, each.
    static constexpr double underflow = map == Map::square && F::format == Format::f64 ? 0x1p-1073 : 0;

    static constexpr std::size_t chains = 4, step = chains * width;

    // No term goes through more additions into a lane's low word than this, of rows in one chain neither.
    // (Lemma 16)
    static constexpr std::size_t depth_of(std::size_t n) { return n / step + 24; }

    // `Size` is double or Doubles.
    template <class Size>
    static SAMESUM_INLINE Size error_bound(std::size_t depth, Size size, std::size_t n) {
        if constexpr (few) return size * bound_slack;
        return static_cast<double>(depth + 4) * (unit_roundoff * bound_slack) * size +
               static_cast<double>(n) * underflow;
    }

    static Sum total_of(const char* p, std::size_t n) {
        const Lane all = folded_alone(state_of_run<Lane, Terms>(p, n));
        return {all.sum[0], all.rest[0], error_bound(depth_of(n), all.sizes[0], n)};
    }

    static void lanes(void* tile, std::size_t j, const void* x, std::size_t n, std::ptrdiff_t row_stride,
                      std::size_t rows) {
        Tile& t = *static_cast<Tile*>(tile);
        const bool side_by_side = n < 4 * step && rows > 1;
        const auto state_of = [&](const char* p) SAMESUM_INLINED {
            if (!side_by_side) return state_of_run<Lane, Terms, chains>(p, n);
            prefetch_run<width * F::size>(p);
            return state_of_run<Lane, Terms, 1>(p, n);
        };
        each_fold_of_rows(static_cast<const char*>(x), row_stride, rows, state_of,
                          [&](std::size_t r, const Lane& all) SAMESUM_INLINED {
                              t.add(j + r, all.sum, all.rest, error_bound(depth_of(n), all.sizes, n));
                          });
    }

    // The columns of a tile from number j on, which begins a vector.
    static void columns_from(Tile& t, std::size_t j, const char* x, std::ptrdiff_t row_stride,
                             std::size_t rows, std::size_t n) {
        for (double* const part : {t.sum + j, t.rest + j, t.sizes + j})
            std::memset(part, 0, padded(n) * sizeof(double));
        const auto at = [&](std::size_t k)
                            SAMESUM_INLINED { return Lane::at(t.sum + k, t.rest + k, t.sizes + k); };
        add_rows_of_columns<Terms>(
            x, row_stride, rows, n, [&](std::size_t k) SAMESUM_INLINED { return at(j + k); },
            [&](std::size_t k, const Lane& lane)
                SAMESUM_INLINED { lane.put(t.sum + j + k, t.rest + j + k, t.sizes + j + k); });
        for (std::size_t k = j; k < j + n; k += width) {
            const Lane all = at(k);
            t.add(k, all.sum, all.rest, error_bound(rows, all.sizes, rows));
        }
    }

    static void columns(void* tile, const void* x, std::ptrdiff_t row_stride, std::size_t rows,
                        std::size_t n) {
        columns_from(*static_cast<Tile*>(tile), 0, static_cast<const char*>(x), row_stride, rows, n);
    }

    static constexpr Method method() {
        return {tile_columns, Tile::init, lanes, columns, Tile::merge_all, Tile::finish, true};
    }
};

}  // namespace samesum::SAMESUM_ISA
