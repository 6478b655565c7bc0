// Tier 1 of the sums of float16, bfloat16 and float32: float64 lanes, with the greatest magnitude for the
// bound.
#pragma once

#include "kernels/accumulators/lane_sums.hpp"
#include "kernels/loops/lanes.hpp"
#include "kernels/sums/totals_tile.hpp"
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

    static SAMESUM_INLINE void add_to_block(Tile& t, std::size_t j, const Part& part) {
        Part all = {load<Doubles>(t.block + j), load<Floats>(t.greatest + j), load<Words>(t.least + j)};
        all.join(part);
        put_block(t, j, all);
    }
    static SAMESUM_INLINE void put_block(Tile& t, std::size_t j, const Part& all) {
        store(t.block + j, all.sum);
        if constexpr (Part::tracks_magnitude) store(t.greatest + j, all.greatest);
        if constexpr (Part::tracks_least) store(t.least + j, all.least);
    }

    static SAMESUM_INLINE Part part_of(const char* p, std::size_t n) {
        return Part::of(first_floats<F>(p, n));
    }

    // Rows added up before they go into the block sum: fewer additions in a row, and a smaller bound.
    static constexpr std::size_t rows_per_pass = 4;

    static SAMESUM_INLINE Part pass_of(const char* p, std::ptrdiff_t row_stride, std::size_t n) {
        static_assert(rows_per_pass == 4);
        return Part::joined(Part::joined(part_of(p, n), part_of(p + row_stride, n)),
                            Part::joined(part_of(p + 2 * row_stride, n), part_of(p + 3 * row_stride, n)));
    }

    // The columns of one vector of floats: of bfloat16, whose elements are widened to it in one step.
    static SAMESUM_INLINE void add_wide_pass(Tile& t, std::size_t j, const char* p,
                                             std::ptrdiff_t row_stride) {
        Halves sum = {};
        Singles greatest = {};
        for_each_of<rows_per_pass>([&](std::size_t r) {
            Singles x = load_singles<F>(p + static_cast<std::ptrdiff_t>(r) * row_stride);
            if constexpr (Part::tracks_magnitude) greatest = greater_magnitude(greatest, x);
            if constexpr (map == Map::magnitude) x = samesum::SAMESUM_ISA::magnitude(x);
            const Halves half = widen(x);
            sum = {Part::added(sum.low, half.low), Part::added(sum.high, half.high)};
        });
        Floats size[2];
        __builtin_memcpy(size, &greatest, sizeof greatest);
        add_to_block(t, j, {sum.low, size[0], Words{}});
        add_to_block(t, j + width, {sum.high, size[1], Words{}});
    }

    // A cache line of columns at a time, whose next rows are asked for once.
    static void add_pass(const char* x, std::ptrdiff_t row_stride, std::size_t n, Tile& t) {
        constexpr std::size_t line = 64 / F::size;
        std::size_t j = 0;
        for (; j + line <= n; j += line) {
            const char* p = x + j * F::size;
            prefetch_rows<rows_per_pass>(p + static_cast<std::ptrdiff_t>(rows_per_pass) * row_stride,
                                         row_stride, 1);
            if constexpr (F::format == Format::bf16 && !few) {
                for (std::size_t k = 0; k < line; k += singles)
                    add_wide_pass(t, j + k, p + k * F::size, row_stride);
            } else {
                for (std::size_t k = 0; k < line; k += width)
                    add_to_block(t, j + k, pass_of(p + k * F::size, row_stride, width));
            }
        }
        for (; j < n; j += width) add_to_block(t, j, pass_of(x + j * F::size, row_stride, n - j));
    }

    // A vector of columns, row by row: of few rows that lie close together, or where another way has failed.
    static SAMESUM_INLINE void add_rows(Tile& t, std::size_t j, const char* p, std::ptrdiff_t row_stride,
                                        std::size_t rows, std::size_t n) {
        Part part;
        for (std::size_t r = 0; r < rows; ++r, p += row_stride) part.join(part_of(p, n));
        add_part(t, j, part, rows, rows);
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
        while (rows > 0) {
            const std::size_t now = rows < rows_per_flush ? rows : rows_per_flush;
            for (std::size_t j = 0; j < n; j += width) put_block(t, j, {});
            std::size_t r = 0;
            const std::ptrdiff_t pass_stride = static_cast<std::ptrdiff_t>(rows_per_pass) * row_stride;
            for (; r + rows_per_pass <= now; r += rows_per_pass, p += pass_stride)
                add_pass(p, row_stride, n, t);
            for (; r < now; ++r, p += row_stride)
                for (std::size_t j = 0; j < n; j += width)
                    add_to_block(t, j, part_of(p + j * F::size, n - j));
            flush(t, now, n);
            rows -= now;
        }
    }

    static void flush(Tile& t, std::size_t rows, std::size_t n) {
        for (std::size_t j = 0; j < n; j += width) {
            const Part part{load<Doubles>(t.block + j), load<Floats>(t.greatest + j),
                            load<Words>(t.least + j)};
            add_part(t, j, part, rows, depth_of(rows / rows_per_pass, rows_per_pass));
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
