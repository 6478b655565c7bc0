// Tier 1 of the sums of float16, bfloat16 and float32: float64 lanes, with the greatest magnitude for the
// bound.
#pragma once

#include "kernels/sums/sum1_part.hpp"
#include "kernels/sums/sum1_tile.hpp"
#include "kernels/vectors/fold.hpp"
#include "kernels/vectors/singles.hpp"
#include "kernels/vectors/vectors.hpp"
#include "methods/method.hpp"

namespace samesum::SAMESUM_ISA {

// `few`: for sets of few elements, whose sums are often ties. The least magnitude then tells when float64
// sums are exact.
template <class F, Map map, bool few>
struct Sum1 {
    // Rows between two flushes of the columns into the double-word totals.
    static constexpr std::size_t rows_per_flush = 128;
    using Part = Sum1Part<F, map, few>;

    using Tile = Sum1Tile;

    static constexpr std::size_t chains = 4, step = chains * width;

    static SAMESUM_INLINE Part part_of_run(const char* p, std::size_t n) {
        Part chain[chains];
        std::size_t i = 0;
        for (; i + step <= n; i += step, p += step * F::size) {
            prefetch_run<step * F::size>(p);
            for (std::size_t k = 0; k < chains; ++k) chain[k].take(p + k * width * F::size);
        }
        for (; i + width <= n; i += width, p += width * F::size) chain[0].take(p);
        if (i < n) chain[1] = Part::joined(chain[1], Part::of(p, n - i));
        return Part::joined(Part::joined(chain[0], chain[1]), Part::joined(chain[2], chain[3]));
    }

    // Sums of blocks are added up apart: an element goes through fewer additions.
    static constexpr std::size_t block = 1024;

    static SAMESUM_INLINE Part part_of_row(const char* p, std::size_t n) {
        Part all;
        do {
            const std::size_t now = n < block ? n : block;
            all = Part::joined(all, part_of_run(p, now));
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
        const char* p = static_cast<const char*>(x);
        const std::size_t depth = depth_of((n < block ? n : block) / step + n / block, chains + 8);
        for (; rows >= width; rows -= width, j += width) {
            Part part[width];
            for (std::size_t r = 0; r < width; ++r, p += row_stride) part[r] = part_of_row(p, n);
            add_part(t, j, folded_rows(part), n, depth);
        }
        for (; rows > 0; --rows, ++j, p += row_stride) {
            const Part all = across(part_of_row(p, n));
            const Doubles bound = all.bound(static_cast<double>(depth), static_cast<double>(n));
            t.add(j, all.sum[0], bound[0]);
        }
    }

    // The first element of the result joins all.
    static SAMESUM_INLINE Part across(const Part& part) {
        Part result = part;
        result.sum[0] = folded(part.sum);
        for (std::size_t k = 1; Part::tracks_magnitude && k < width; ++k) {
            const float size = __builtin_fabsf(part.greatest[k]), best = __builtin_fabsf(result.greatest[0]);
            result.greatest[0] = size > best ? size : best;
        }
        for (std::size_t k = 1; Part::tracks_least && k < width; ++k) {
            result.least[0] = part.least[k] < result.least[0] ? part.least[k] : result.least[0];
        }
        return result;
    }

    static SAMESUM_INLINE double folded(Doubles v) {
        double s[width];
        __builtin_memcpy(s, &v, sizeof v);
        for (std::size_t half = width / 2; half > 0; half /= 2)
            for (std::size_t k = 0; k < half; ++k) s[k] += s[k + half];
        return s[0];
    }

    static SAMESUM_INLINE void add_to_block(Tile& t, std::size_t j, const Part& part) {
        const Part all = Part::joined(
            {load<Doubles>(t.block + j), load<Floats>(t.greatest + j), load<Words>(t.least + j)}, part);
        store(t.block + j, all.sum);
        if constexpr (Part::tracks_magnitude) store(t.greatest + j, all.greatest);
        if constexpr (Part::tracks_least) store(t.least + j, all.least);
    }

    // Rows added up before they go into the block sum: fewer additions in a row, and a smaller bound.
    static constexpr std::size_t rows_per_pass = 4;

    static SAMESUM_INLINE Part pass_of(const char* p, std::ptrdiff_t row_stride, std::size_t n) {
        static_assert(rows_per_pass == 4);
        return Part::joined(Part::joined(Part::of(p, n), Part::of(p + row_stride, n)),
                            Part::joined(Part::of(p + 2 * row_stride, n), Part::of(p + 3 * row_stride, n)));
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
            const char* next = p + static_cast<std::ptrdiff_t>(rows_per_pass) * row_stride;
            for (std::size_t r = 0; r < rows_per_pass; ++r, next += row_stride)
                __builtin_prefetch(next, 0, 2);
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

    static void add_row(const char* p, std::size_t n, Tile& t) {
        for (std::size_t j = 0; j < n; j += width) add_to_block(t, j, Part::of(p + j * F::size, n - j));
    }

    // A vector of columns, row by row: of few rows that lie close together, or where another way has failed.
    static SAMESUM_INLINE void add_rows(Tile& t, std::size_t j, const char* p, std::ptrdiff_t row_stride,
                                        std::size_t rows, std::size_t n) {
        Part part;
        for (std::size_t r = 0; r < rows; ++r, p += row_stride) part = Part::joined(part, Part::of(p, n));
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
            for (std::size_t j = 0; j < n; j += width) {
                const Part none;
                store(t.block + j, none.sum);
                store(t.greatest + j, none.greatest);
                store(t.least + j, none.least);
            }
            std::size_t r = 0;
            const std::ptrdiff_t pass_stride = static_cast<std::ptrdiff_t>(rows_per_pass) * row_stride;
            for (; r + rows_per_pass <= now; r += rows_per_pass, p += pass_stride)
                add_pass(p, row_stride, n, t);
            for (; r < now; ++r, p += row_stride) add_row(p, n, t);
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
        return {tile_columns, Tile::init, lanes, columns, each_merge<Tile::merge>, Tile::finish, true};
    }
};

}  // namespace samesum::SAMESUM_ISA
