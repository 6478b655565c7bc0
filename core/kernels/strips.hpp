// Columns of a scan a strip of `width` of them at a time. `Columns` says how a strip is scanned:
// scan_strip<format, whole, known>(state, rows, j, fresh) of the strip from column j on and
// column_strip<...>(tile, rows, j, at, fresh), whose state is in a tile from column `at` on; `known` is the
// number of rows, or zero, and `fresh` tells that no strip of these rows has failed yet. Of scans that start
// again after some rows each pass_few<format>(rows, period) is a common test; false if it tells nothing.
#pragma once

#include "kernels/prefixes.hpp"
#include "kernels/scan_method.hpp"
#include "kernels/vectors.hpp"

namespace samesum::SAMESUM_ISA {

template <class F, class Columns, Format format, std::size_t known>
std::size_t scan_strips(typename Columns::Tile& t, const ScanRows& all) {
    constexpr std::size_t rows = known > 0 ? known : scan_rows;
    // Few columns are soon done: their lines have to be asked for many rows ahead.
    const std::size_t ahead = all.n < tall_columns ? tall_rows : rows;
    std::size_t failures = 0, j = 0;
    for (; j + width <= all.n; j += width) {
        const char* next = all.x + static_cast<std::ptrdiff_t>(ahead) * all.in + j * F::size;
        prefetch_rows<rows>(next, all.in, width * F::size);
        failures += Columns::template column_strip<format, true, known>(t, all, j, j, failures == 0);
    }
    if (j == all.n) return failures;
    // The last columns are as many as the others' and begin among them, with a state of their own.
    if (all.n > width)
        return failures +
               Columns::template column_strip<format, true, known>(t, all, all.n - width, j, failures == 0);
    return failures + Columns::template column_strip<format, false, 0>(t, all, j, j, failures == 0);
}

// A strip of any number of rows.
template <class Columns, Format format>
__attribute__((noinline)) std::size_t scan_any_strip(typename Columns::State& state, const ScanRows& all,
                                                     std::size_t j, bool fresh) {
    return Columns::template scan_strip<format, false, 0>(state, all, j, fresh);
}

// Into the elements' own format.
template <class Columns, bool whole>
SAMESUM_INLINE bool passes_few(const ScanRows& all, std::size_t j, std::size_t period) {
    constexpr Format format = Columns::F::format;
    return Columns::template pass_few<format>(typename Columns::template Strip<format, whole, 0>(all, j),
                                              period);
}

template <class Columns, bool whole>
SAMESUM_INLINE std::size_t scan_short_strip(const ScanRows& all, std::size_t j, bool fresh) {
    if (passes_few<Columns, whole>(all, j, all.rows)) return 0;
    typename Columns::State state = Columns::empty_state();
    return scan_any_strip<Columns, Columns::F::format>(state, all, j, fresh);
}

// Whole columns, whose state is nowhere but in registers.
template <class Columns>
std::size_t scan_short_columns(const ScanRows& all) {
    constexpr std::size_t size = Columns::F::size;
    std::size_t failures = 0, j = 0;
    for (; j + width <= all.n; j += width) {
        const char* p = all.x + j * size + prefetch_distance;
        for (std::size_t r = 0; r < all.rows; ++r, p += all.in) __builtin_prefetch(p);
        failures += scan_short_strip<Columns, true>(all, j, failures == 0);
    }
    return j < all.n ? failures + scan_short_strip<Columns, false>(all, j, failures == 0) : failures;
}

// take(rows, is_square) of `width` rows after the other, and of fewer in the end. It says how many failed,
// and writes flags only if some did.
template <class Take>
SAMESUM_INLINE std::size_t each_square(const ScanRows& all, const Take& take) {
    std::size_t failures = 0;
    for (std::size_t r = 0; r < all.rows; r += width) {
        const std::ptrdiff_t at = static_cast<std::ptrdiff_t>(r);
        const std::size_t rows = all.rows - r < width ? all.rows - r : width;
        const ScanRows some{all.x + at * all.in, all.in,     all.out + at * all.to, all.to, rows, all.n,
                            all.depth + r,       all.format, all.failed + r * all.n};
        const std::size_t found = take(some, rows == width);
        if (found > 0 && failures == 0) std::memset(all.failed, 0, r * all.n);
        if (found == 0 && failures > 0) std::memset(some.failed, 0, rows * all.n);
        failures += found;
    }
    return failures;
}

// All rows of one whole strip.
template <class Columns, Format format>
SAMESUM_INLINE std::size_t scan_by_squares(typename Columns::State state, const ScanRows& all) {
    return each_square(all, [&](const ScanRows& some, bool is_square) {
        return is_square ? Columns::template scan_strip<format, true, width>(state, some, 0, true)
                         : scan_any_strip<Columns, format>(state, some, 0, true);
    });
}

// More rows than scan_rows, of which no strip takes more than a square has: products count on that.
template <class Columns, Format format>
std::size_t scan_tall_strips(typename Columns::Tile& t, const ScanRows& all) {
    return each_square(all, [&](const ScanRows& some, bool is_square) {
        return is_square ? scan_strips<typename Columns::F, Columns, format, width>(t, some)
                         : scan_strips<typename Columns::F, Columns, format, 0>(t, some);
    });
}

// The number of rows is known to the compiler where the results are of the elements' format, as they mostly
// are.
template <class F, class Columns, Format format, bool usual = format == F::format>
std::size_t scan_columns(void* tile, const ScanRows& all) {
    typename Columns::Tile& t = *static_cast<typename Columns::Tile*>(tile);
    if constexpr (usual) {
        if (all.rows == scan_rows) return scan_strips<F, Columns, format, scan_rows>(t, all);
        if (all.rows > scan_rows) return scan_tall_strips<Columns, format>(t, all);
    }
    return scan_strips<F, Columns, format, 0>(t, all);
}

}  // namespace samesum::SAMESUM_ISA
