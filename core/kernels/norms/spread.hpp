// Sums about a centre and of their squares, along lanes and down columns.
#pragma once

#include <algorithm>
#include <type_traits>

#include "kernels/norms/spread_parts.hpp"
#include "kernels/vectors/float_formats.hpp"

namespace samesum::SAMESUM_ISA {

template <class F, class Part>
struct Spread {
    static constexpr std::size_t chains = 4, step = chains * width;
    // Rows between two flushes of the columns, and those that are taken together.
    static constexpr std::size_t rows_per_flush = 128, rows_per_pass = 4;

    // Steps that are added up apart: the fewer additions an element goes through, the less is in doubt.
    static constexpr std::size_t steps_together = 16;

    // Additions that an element of n goes through, at most: of a step and of a run of steps, two that join
    // the chains, four of the last vectors, three that fold a vector, and some to spare.
    static constexpr double depth_of(std::size_t n) {
        return static_cast<double>(std::min(n / step, steps_together) + n / (step * steps_together) + 12);
    }

    // The centre stands where there are fewer elements.
    static SAMESUM_INLINE Doubles filled(const char* p, std::size_t n, Doubles centre) {
        Longs index;
        for (std::size_t k = 0; k < width; ++k) index[k] = static_cast<std::int64_t>(k);
        return index < static_cast<std::int64_t>(n) ? first_doubles<F>(p, n) : centre;
    }

    // `shown` maps each vector of elements.
    template <class Shown>
    static SAMESUM_INLINE Part shown_part(const char* p, std::size_t n, double about, const Shown& shown) {
        const Doubles centre = Doubles{} + about;
        Part total = {};
        std::size_t i = 0;
        while (n - i >= step) {
            Part part[chains] = {};
            const std::size_t end = i + std::min((n - i) / step, steps_together) * step;
            for (; i < end; i += step, p += step * F::size) {
                prefetch_run<step * F::size>(p);
                for (std::size_t k = 0; k < chains; ++k)
                    part[k].take(shown(F::doubles(p + k * width * F::size)), centre);
            }
            part[0].join(part[1]);
            part[2].join(part[3]);
            part[0].join(part[2]);
            total.join(part[0]);
        }
        for (; i + width <= n; i += width, p += width * F::size) total.take(shown(F::doubles(p)), centre);
        if (i < n) total.take(shown(filled(p, n - i, centre)), centre);
        return total;
    }

    // `mask` clears the signs, or nothing.
    static SAMESUM_APART Part part_of(const char* p, std::size_t n, double centre, Longs mask) {
        return shown_part(p, n, centre, [=](Doubles x) SAMESUM_INLINED {
            return reinterpret_cast<Doubles>(reinterpret_cast<Longs>(x) & mask);
        });
    }

    // In double-words a mask takes no time, nor does a call.
    static SAMESUM_INLINE Part part_of_row(SpreadTile& t, std::size_t j, const char* p, std::size_t n) {
        if (t.count[j] == 0) t.centre[j] = first_doubles<F>(p, 1)[0];
        if constexpr (!std::is_same_v<Part, NarrowSpread>) return part_of(p, n, t.centre[j], Longs{} - 1);
        return shown_part(p, n, t.centre[j], [](Doubles v) SAMESUM_INLINED { return v; });
    }

    static void lanes(void* tile, std::size_t j, const void* x, std::size_t n, std::ptrdiff_t row_stride,
                      std::size_t rows) {
        SpreadTile& t = *static_cast<SpreadTile*>(tile);
        const char* p = static_cast<const char*>(x);
        const double elements = static_cast<double>(n), depth = depth_of(n);
        for (std::size_t some; rows > 0; rows -= some, j += some) {
            some = std::min(rows, width);
            Part part[width];
            for (std::size_t r = 0; r < width; ++r, p += row_stride)
                part[r] = r < some ? part_of_row(t, j + r, p, n) : Part{};
            SpreadTile::Totals totals = t.totals(j);
            folded_rows(part).add_to(totals, elements, depth);
            t.put_some(j, totals, some);
        }
    }

    // A cache line of columns at a time, whose next rows are asked for once.
    template <std::size_t rows>
    static void add_rows(SpreadTile& t, const char* x, std::ptrdiff_t row_stride, std::size_t n) {
        constexpr std::size_t line = std::max(64 / F::size, width);
        for (std::size_t first = 0; first < n; first += line) {
            const std::size_t last = std::min(n, first + line);
            const char* next = x + first * F::size + static_cast<std::ptrdiff_t>(rows) * row_stride;
            for (std::size_t r = 0; r < rows; ++r, next += row_stride) __builtin_prefetch(next, 0, 2);
            for (std::size_t j = first; j < last; j += width) {
                const Doubles centre = load<Doubles>(t.centre + j);
                Part part = Part::at(t, j);
                const char* p = x + j * F::size;
                for (std::size_t r = 0; r < rows; ++r, p += row_stride)
                    part.take(first_doubles<F>(p, n - j), centre);
                part.put(t, j);
            }
        }
    }

    static void begin(SpreadTile& t, const char* x, std::size_t n) {
        for (std::size_t j = 0; j < n; j += width) {
            const Doubles first = first_doubles<F>(x + j * F::size, n - j),
                          centre = load<Doubles>(t.centre + j);
            store(t.centre + j, load<Doubles>(t.count + j) == 0 ? first : centre);
        }
    }

    static void columns(void* tile, const void* x, std::ptrdiff_t row_stride, std::size_t rows,
                        std::size_t n) {
        SpreadTile& t = *static_cast<SpreadTile*>(tile);
        const char* p = static_cast<const char*>(x);
        const std::ptrdiff_t pass_stride = static_cast<std::ptrdiff_t>(rows_per_pass) * row_stride;
        begin(t, p, n);
        while (rows > 0) {
            const std::size_t now = std::min(rows, rows_per_flush);
            for (std::size_t j = 0; j < n; j += width) Part{}.put(t, j);
            std::size_t r = 0;
            for (; r + rows_per_pass <= now; r += rows_per_pass, p += pass_stride)
                add_rows<rows_per_pass>(t, p, row_stride, n);
            for (; r < now; ++r, p += row_stride) add_rows<1>(t, p, row_stride, n);
            for (std::size_t j = 0; j < n; j += width) {
                SpreadTile::Totals totals = t.totals(j);
                Part::at(t, j).add_to(totals, static_cast<double>(now), static_cast<double>(now));
                t.put_some(j, totals, n - j);
            }
            rows -= now;
        }
    }

    static constexpr Method method() {
        return {SpreadTile::columns,
                SpreadTile::init,
                lanes,
                columns,
                each_merge<SpreadTile::merge>,
                finish_spread<Part::sure_nan>,
                true,
                SpreadTile::centres};
    }
};

}  // namespace samesum::SAMESUM_ISA
