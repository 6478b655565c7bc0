// Tier 1 of the sums of 16-bit floats into 16 bits: a few are added up in float32, those sums in float64
// lanes.
#pragma once

#include "kernels/sums/single_group.hpp"
#include "kernels/sums/sum1.hpp"

namespace samesum::SAMESUM_ISA {

template <class F, Map map>
struct SingleSums {
    using Part = SinglePart<F, map>;
    using Tile = Sum1Tile;
    // Without float32, where that has over- or underflowed.
    using Usual = Sum1<F, map, false>;

    using Group = SingleGroup<F, map>;
    static constexpr std::size_t together = 4, elements = together * singles;

    static constexpr std::size_t rows_per_flush = Usual::rows_per_flush, block = Usual::block;

    static SAMESUM_INLINE Part part_of_run(const char* p, std::size_t n) {
        constexpr std::ptrdiff_t stride = singles * F::size;
        Group chain[2];
        std::size_t i = 0;
        for (; i + 2 * elements <= n; i += 2 * elements, p += 2 * elements * F::size) {
            prefetch_run<2 * elements * F::size>(p);
            for (std::size_t k = 0; k < 2; ++k) chain[k].take(p + k * elements * F::size, stride);
        }
        if (i + elements <= n) {
            chain[0].take(p, stride);
            i += elements;
            p += elements * F::size;
        }
        chain[0].join(chain[1]);
        Part all = chain[0].part();
        for (; i < n; i += width, p += width * F::size) all = Part::joined(all, Part::of(p, n - i));
        return all;
    }

    static SAMESUM_INLINE Part part_of_row(const char* p, std::size_t n) {
        Part all;
        for (std::size_t i = 0; i < n; i += block, p += block * F::size)
            all = Part::joined(all, part_of_run(p, n - i < block ? n - i : block));
        return all;
    }

    static void lanes(void* tile, std::size_t j, const void* x, std::size_t n, std::ptrdiff_t row_stride,
                      std::size_t rows) {
        Tile& t = *static_cast<Tile*>(tile);
        const char* p = static_cast<const char*>(x);
        // An element goes through additions of groups, of blocks and of what is left of a group.
        const std::size_t additions = (n < block ? n : block) / elements + n / block + elements / width;
        const double error = Group::error + error_of(additions);
        each_fold_of_rows(
            p, row_stride, rows, [n](const char* row) SAMESUM_INLINED { return part_of_row(row, n); },
            [&](std::size_t r, const Part& all) SAMESUM_INLINED {
                if (is_unsure(all, rows - r))
                    Usual::lanes(tile, j + r, p + static_cast<std::ptrdiff_t>(r) * row_stride, n, row_stride,
                                 rows - r < width ? rows - r : width);
                else
                    t.add(j + r, all.sum, all.bound(error));
            });
    }

    static void columns(void* tile, const void* x, std::ptrdiff_t row_stride, std::size_t rows,
                        std::size_t n) {
        constexpr std::ptrdiff_t group_rows = together;
        Tile& t = *static_cast<Tile*>(tile);
        const char* p = static_cast<const char*>(x);
        while (rows > 0) {
            const std::size_t now = rows < rows_per_flush ? rows : rows_per_flush;
            for (std::size_t j = 0; j < n; j += width) store(t.block + j, Doubles{});
            const char* row = p;
            std::size_t r = 0;
            for (; r + together <= now; r += together, row += group_rows * row_stride)
                add_groups(t, row, row_stride, n);
            for (; r < now; ++r, row += row_stride)
                for (std::size_t j = 0; j < n; j += width) add(t, j, Part::of(row + j * F::size, n - j));
            flush(t, p, row_stride, now, n);
            rows -= now;
            p = row;
        }
    }

    static constexpr Method method() {
        // A column in doubt is read a cache line for each element: none of these may be more than a few in
        // 10^4.
        constexpr bool seldom = F::format == Format::bf16 && map != Map::itself;
        constexpr auto of_columns = seldom ? columns : Usual::columns;
        return {tile_columns, Tile::init, lanes, of_columns, Tile::merge_all, Tile::finish_interval, true};
    }

  private:
    // Any of the first n sums.
    static SAMESUM_INLINE bool is_unsure(const Part& part, std::size_t n) {
        Longs unsure = ~part.is_sure();
        for (std::size_t k = n; k < width; ++k) unsure[k] = 0;
        return any(unsure);
    }

    static double error_of(std::size_t additions) {
        constexpr std::size_t others = 8;  // of sums to each other
        return static_cast<double>(additions + others) * unit_roundoff;
    }

    // To the sums of the rows since the last flush.
    static SAMESUM_INLINE void add(Tile& t, std::size_t j, const Part& part) {
        store(t.block + j, plus(load<Doubles>(t.block + j), part.sum));
    }

    static SAMESUM_INLINE void add_groups(Tile& t, const char* x, std::ptrdiff_t row_stride, std::size_t n) {
        each_stretch<together, F::size>(x, row_stride, n, [&](std::size_t j, const char* p, std::size_t m) {
            const std::size_t end = j + m;
            for (; j + singles <= end; j += singles, p += singles * F::size) {
                Group group{load<Doubles>(t.block + j), load<Doubles>(t.block + j + width), Singles{}};
                group.take(p, row_stride);
                store(t.block + j, group.low);
                store(t.block + j + width, group.high);
            }
            for (; j < end; j += width, p += width * F::size)
                for_each_of<together>([&](std::size_t r) {
                    add(t, j, Part::of(p + static_cast<std::ptrdiff_t>(r) * row_stride, end - j));
                });
        });
    }

    // The sums of these rows join the totals.
    static void flush(Tile& t, const char* x, std::ptrdiff_t row_stride, std::size_t rows, std::size_t n) {
        const double error = Group::error + error_of(rows);
        for (std::size_t j = 0; j < n; j += width) {
            const Part part{load<Doubles>(t.block + j), Floats{}};
            if (is_unsure(part, n - j))
                Usual::add_rows(t, j, x + j * F::size, row_stride, rows, n - j);
            else
                t.add(j, part.sum, part.bound(error));
        }
    }
};

}  // namespace samesum::SAMESUM_ISA
