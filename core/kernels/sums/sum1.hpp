// Tier 1 of the sums of float16, bfloat16 and float32: float64 lanes, with the greatest magnitude for the
// bound.
#pragma once

#include "kernels/accumulators/lane_sums.hpp"
#include "kernels/loops/columns.hpp"
#include "kernels/loops/lanes.hpp"
#include "kernels/sums/totals_tile.hpp"
#include "kernels/vectors/partial.hpp"
#include "kernels/vectors/singles.hpp"

namespace samesum::SAMESUM_ISA {

// `block`, `greatest` and `least` are of the rows since the last flush.
struct Sum1Tile : TotalsTile {
    double block[tile_pitch];
    float greatest[tile_pitch];
    std::uint32_t least[tile_pitch];
};
static_assert(sizeof(Sum1Tile) <= tile_bytes);

// `few`: for sets of few elements, whose sums are often ties. The least magnitude then tells when float64
// sums are exact.
template <class F, Map map, bool few>
struct Sum1 {
    // Rows between two flushes of the columns into the double-word totals.
    static constexpr std::size_t rows_per_flush = 128;
    using Part = LaneSum<F, map, few>;
    using Sums = LaneSums<F, map, few>;
    using Load = LanesOf<F, map, few>;
    using Tile = Sum1Tile;

    static constexpr std::size_t chains = 2, step = chains * singles;

    // Sums of blocks are added up apart: an element goes through fewer additions.
    static constexpr std::size_t block = 1024;

    static SAMESUM_INLINE Part part_of_row(const char* p, std::size_t n) {
        Part all;
        do {
            const std::size_t now = n < block ? n : block;
            all.join(state_of_run<Sums, Load, chains>(p, now).folded());
            n -= now;
            p += now * F::size;
        } while (n > 0);
        return all;
    }

    // Additions that an element goes through: those that follow it among `in_turn`, and `others` of sums to
    // each other. Where all elements count as the greatest it is their mean that bounds the error, of the
    // former hardly more than half; else the most. (Lemma 13)
    static constexpr std::size_t depth_of(std::size_t in_turn, std::size_t others) {
        return (Part::tracks_magnitude ? in_turn / 2 : in_turn) + others + 4;
    }

    static void lanes(void* tile, std::size_t j, const void* x, std::size_t n, std::ptrdiff_t row_stride,
                      std::size_t rows) {
        Tile& t = *static_cast<Tile*>(tile);
        const std::size_t depth = depth_of((n < block ? n : block) / step + n / block, 12);
        each_fold_of_rows(
            static_cast<const char*>(x), row_stride, rows,
            [n](const char* p) SAMESUM_INLINED { return part_of_row(p, n); },
            [&](std::size_t r, const Part& all) SAMESUM_INLINED { add_part(t, j + r, all, n, depth); });
    }

    static SAMESUM_INLINE Part part_at(const Tile& t, std::size_t j) {
        return {load<Doubles>(t.block + j), load<Floats>(t.greatest + j), load<Words>(t.least + j)};
    }
    static SAMESUM_INLINE Sums sums_at(const Tile& t, std::size_t j) {
        return {load<Doubles>(t.block + j), load<Doubles>(t.block + j + width), load<Singles>(t.greatest + j),
                load<SingleWords>(t.least + j)};
    }
    static SAMESUM_INLINE void put(Tile& t, std::size_t j, const Sums& all) {
        store(t.block + j, all.low);
        store(t.block + j + width, all.high);
        if constexpr (Part::tracks_magnitude) store(t.greatest + j, all.greatest);
        if constexpr (Part::tracks_least) store(t.least + j, all.least);
    }

    static constexpr std::size_t rows_per_pass = Load::together;

    // A vector of columns, row by row: of few rows that lie close together, or where another way has failed.
    static SAMESUM_INLINE void add_rows(Tile& t, std::size_t j, const char* p, std::ptrdiff_t row_stride,
                                        std::size_t rows, std::size_t n) {
        const auto part = state_of_column<Load>(Sums{}, p, row_stride, rows, n).parts();
        add_part(t, j, part.low, rows, rows);
        if (n > width) add_part(t, j + width, part.high, rows, rows);
    }

    static void columns(void* tile, const void* x, std::ptrdiff_t row_stride, std::size_t rows,
                        std::size_t n) {
        constexpr std::ptrdiff_t close = 4096;
        Tile& t = *static_cast<Tile*>(tile);
        const char* p = static_cast<const char*>(x);
        if (few && rows <= 2 * width && row_stride > 0 && row_stride < close) {
            for (std::size_t j = 0; j < n; j += singles)
                add_rows(t, j, p + j * F::size, row_stride, rows, n - j);
            return;
        }
        for (std::size_t now; rows > 0; rows -= now, p += static_cast<std::ptrdiff_t>(now) * row_stride) {
            now = rows < rows_per_flush ? rows : rows_per_flush;
            for (std::size_t j = 0; j < n; j += singles) put(t, j, {});
            add_rows_of_columns<Load>(
                p, row_stride, now, n, [&](std::size_t j) SAMESUM_INLINED { return sums_at(t, j); },
                [&](std::size_t j, const Sums& all) SAMESUM_INLINED { put(t, j, all); });
            for (std::size_t j = 0; j < n; j += width)
                add_part(t, j, part_at(t, j), now, depth_of(now / rows_per_pass, rows_per_pass));
        }
    }

    // Sums of `rows` elements that went through `depth` additions join the totals.
    static SAMESUM_INLINE void add_part(Tile& t, std::size_t j, const Part& part, std::size_t rows,
                                        std::size_t depth) {
        t.add(j, part.sum, part.bound(static_cast<double>(depth), static_cast<double>(rows)));
    }

    static constexpr Method method() {
        // Where sums are exact there is nothing to tell.
        constexpr auto of_lanes = Part::exact ? Sum1<F, map, false>::lanes : lanes;
        return {tile_columns, Tile::init, of_lanes, columns, Tile::merge_all, Tile::finish_interval, true};
    }
};

}  // namespace samesum::SAMESUM_ISA
