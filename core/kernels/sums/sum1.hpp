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

// Sums of the columns of one whole vector of floats, in two vectors of float64: bfloat16 is widened to it in
// one step.
template <Map map>
struct WideSums {
    using Part = LaneSum<Bfloat16, map, false>;

    Part low, high;

    SAMESUM_INLINE void take(const WideSums& term) {
        low.join(term.low);
        high.join(term.high);
    }

    // Of some rows.
    template <std::size_t rows>
    static SAMESUM_INLINE WideSums of(const char* p, std::ptrdiff_t row_stride) {
        WideSums all;
        Singles greatest = {};
        for_each_of<rows>([&](std::size_t r) SAMESUM_INLINED {
            Singles x = load_singles<Bfloat16>(p + static_cast<std::ptrdiff_t>(r) * row_stride);
            if constexpr (Part::tracks_magnitude) greatest = greater_magnitude(greatest, x);
            if constexpr (map == Map::magnitude) x = samesum::SAMESUM_ISA::magnitude(x);
            const Halves half = widen(x);
            all.low.sum = Part::added(all.low.sum, half.low);
            all.high.sum = Part::added(all.high.sum, half.high);
        });
        Floats size[2];
        __builtin_memcpy(size, &greatest, sizeof greatest);
        all.low.greatest = size[0];
        all.high.greatest = size[1];
        return all;
    }
};

// As loops ask for them (kernels/loops/columns.hpp).
template <Map map>
struct WideRows {
    static constexpr std::size_t elements = singles, size = 2, together = 4;
    static constexpr bool by_lines = true;
    static SAMESUM_INLINE WideSums<map> all(const char* p) { return WideSums<map>::template of<1>(p, 0); }
    static SAMESUM_INLINE WideSums<map> first(const char* p, std::size_t n) {
        char padded[vector_bytes / 2];
        store(padded, load_first<VectorOf<std::uint16_t, vector_bytes / 2>::type>(p, n));
        return all(padded);
    }
    static SAMESUM_INLINE WideSums<map> term(const char* p, std::ptrdiff_t row_stride) {
        return WideSums<map>::template of<together>(p, row_stride);
    }
};

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
    using Tile = Sum1Tile;

    static constexpr std::size_t chains = 4, step = chains * width;

    // Sums of blocks are added up apart: an element goes through fewer additions.
    static constexpr std::size_t block = 1024;

    static SAMESUM_INLINE Part part_of_row(const char* p, std::size_t n) {
        Part all;
        do {
            const std::size_t now = n < block ? n : block;
            all.join(state_of_run<Part, FloatsOf<F>, chains>(p, now));
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
        const std::size_t depth = depth_of((n < block ? n : block) / step + n / block, chains + 8);
        each_fold_of_rows(
            static_cast<const char*>(x), row_stride, rows,
            [n](const char* p) SAMESUM_INLINED { return part_of_row(p, n); },
            [&](std::size_t r, const Part& all) SAMESUM_INLINED { add_part(t, j + r, all, n, depth); });
    }

    static SAMESUM_INLINE Part part_at(const Tile& t, std::size_t j) {
        return {load<Doubles>(t.block + j), load<Floats>(t.greatest + j), load<Words>(t.least + j)};
    }
    static SAMESUM_INLINE void put(Tile& t, std::size_t j, const Part& all) {
        store(t.block + j, all.sum);
        if constexpr (Part::tracks_magnitude) store(t.greatest + j, all.greatest);
        if constexpr (Part::tracks_least) store(t.least + j, all.least);
    }

    static constexpr std::size_t rows_per_pass = 4;
    static constexpr bool is_wide = F::format == Format::bf16 && !few;

    // Rows are added to the sums since the last flush.
    static SAMESUM_INLINE void add_to_block(Tile& t, const char* x, std::ptrdiff_t row_stride,
                                            std::size_t rows, std::size_t n) {
        if constexpr (is_wide) {
            using Rows = WideRows<map>;
            static_assert(rows_per_pass == Rows::together);
            add_rows_of_columns<Rows>(
                x, row_stride, rows, n,
                [&](std::size_t j)
                    SAMESUM_INLINED { return WideSums<map>{part_at(t, j), part_at(t, j + width)}; },
                [&](std::size_t j, const WideSums<map>& all) SAMESUM_INLINED {
                    put(t, j, all.low);
                    put(t, j + width, all.high);
                });
        } else {
            using Rows = RowsOfFloats<F, map, few>;
            static_assert(rows_per_pass == Rows::together);
            add_rows_of_columns<Rows>(
                x, row_stride, rows, n, [&](std::size_t j) SAMESUM_INLINED { return part_at(t, j); },
                [&](std::size_t j, const Part& all) SAMESUM_INLINED { put(t, j, all); });
        }
    }

    // A vector of columns, row by row: of few rows that lie close together, or where another way has failed.
    static SAMESUM_INLINE void add_rows(Tile& t, std::size_t j, const char* p, std::ptrdiff_t row_stride,
                                        std::size_t rows, std::size_t n) {
        add_part(t, j, state_of_column<FloatsOf<F>>(Part{}, p, row_stride, rows, n), rows, rows);
    }

    static void columns(void* tile, const void* x, std::ptrdiff_t row_stride, std::size_t rows,
                        std::size_t n) {
        constexpr std::ptrdiff_t close = 4096;
        Tile& t = *static_cast<Tile*>(tile);
        const char* p = static_cast<const char*>(x);
        if (few && rows <= 2 * width && row_stride > 0 && row_stride < close) {
            for (std::size_t j = 0; j < n; j += width)
                add_rows(t, j, p + j * F::size, row_stride, rows, n - j);
            return;
        }
        for (std::size_t now; rows > 0; rows -= now, p += static_cast<std::ptrdiff_t>(now) * row_stride) {
            now = rows < rows_per_flush ? rows : rows_per_flush;
            for (std::size_t j = 0; j < n + width; j += width) put(t, j, {});
            add_to_block(t, p, row_stride, now, n);
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
