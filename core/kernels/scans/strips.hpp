// Columns of a scan a strip of `width` of them at a time. `Columns` says how a strip is scanned:
// scan_strip<format, whole, known>(state, rows, j, fresh) of the strip from column j on and
// column_strip<...>(tile, rows, j, at, fresh), whose state is in a tile from column `at` on; `known` is the
// number of rows, or zero, and `fresh` tells that no strip of these rows has failed yet. Of more rows than
// that takes tall_strip<format>(tile, rows, at) does a whole strip, or says that it did not. Of scans that
// start again after some rows each pass_few<format>(rows, period) is a common test; false if it tells
// nothing.
#pragma once

#include "kernels/scans/prefixes.hpp"
#include "kernels/vectors/vectors.hpp"
#include "methods/scan_method.hpp"

namespace samesum::SAMESUM_ISA {

// After a strip of whole scans that was hard so many are expected to be.
constexpr std::size_t expected_hard = 16;

// take(j, at) of each strip of `width` columns or more: it begins at column j and its state at column `at`.
// The last columns are as many as the others' and begin among them, with a state of their own.
template <class Take>
SAMESUM_INLINE void each_strip(std::size_t n, const Take& take) {
    std::size_t j = 0;
    for (; j + width <= n; j += width) take(j, j);
    if (j < n) take(n - width, j);
}

// A strip of any number of rows.
template <class Columns, Format format>
SAMESUM_APART std::size_t scan_any_strip(typename Columns::State& state, const ScanRows& all, std::size_t j,
                                         bool fresh) {
    return Columns::template scan_strip<format, false, 0>(state, all, j, fresh);
}

// A whole strip of as many rows as columns.
template <class Columns, Format format>
SAMESUM_APART std::size_t scan_square(typename Columns::State& state, const ScanRows& all, std::size_t j,
                                      bool fresh) {
    return Columns::template scan_strip<format, true, width>(state, all, j, fresh);
}

// A number of rows that is not known is not worth code of its own.
template <class Columns, Format format, bool whole, std::size_t known>
SAMESUM_INLINE std::size_t scan_known_strip(typename Columns::State& state, const ScanRows& all,
                                            std::size_t j, bool fresh) {
    if constexpr (known > 0)
        return Columns::template scan_strip<format, whole, known>(state, all, j, fresh);
    else
        return scan_any_strip<Columns, format>(state, all, j, fresh);
}

// Fewer columns than a vector holds.
template <class Columns, Format format>
SAMESUM_APART std::size_t scan_part_strip(typename Columns::Tile& t, const ScanRows& all) {
    return Columns::template column_strip<format, false, 0>(t, all, 0, 0, true);
}

template <class F, class Columns, Format format, std::size_t known>
std::size_t scan_strips(typename Columns::Tile& t, const ScanRows& all) {
    constexpr std::size_t rows = known > 0 ? known : scan_rows;
    std::size_t failures = 0;
    if (all.n < width) return scan_part_strip<Columns, format>(t, all);
    each_strip(all.n, [&](std::size_t j, std::size_t at) {
        const char* next = all.x + static_cast<std::ptrdiff_t>(rows) * all.in + j * F::size;
        if (at == j) prefetch_rows<rows>(next, all.in, width * F::size);
        if (all.stays) {
            const char* place = all.out + static_cast<std::ptrdiff_t>(rows) * all.to + j * size_of(format);
            for (std::size_t r = 0; r < rows; ++r, place += all.to) __builtin_prefetch(place, 1);
        }
        failures += Columns::template column_strip<format, true, known>(t, all, j, at, failures == 0);
    });
    return failures;
}

// Into the elements' own format.
template <class Columns, bool whole>
SAMESUM_INLINE bool passes_few(const ScanRows& all, std::size_t j, std::size_t period) {
    constexpr Format format = Columns::F::format;
    return Columns::template pass_few<format>(typename Columns::template Strip<format, whole, 0>(all, j),
                                              period);
}

// `width` rows from this one on, or fewer in the end.
SAMESUM_INLINE ScanRows rows_from(const ScanRows& all, std::size_t first) {
    const std::ptrdiff_t at = static_cast<std::ptrdiff_t>(first);
    const std::size_t rows = all.rows - first < width ? all.rows - first : width;
    return {all.x + at * all.in, all.in,     all.out + at * all.to,     all.to, rows, all.n,
            all.depth + first,   all.format, all.failed + first * all.n};
}

// One strip of any number of rows, of which none takes more than a square has: products count on that. There
// are flags already.
template <class Columns, Format format, bool whole>
SAMESUM_INLINE std::size_t scan_squares(typename Columns::State& state, const ScanRows& all, std::size_t j) {
    std::size_t failures = 0;
    for (std::size_t r = 0; r < all.rows; r += width) {
        const ScanRows some = rows_from(all, r);
        failures += whole && some.rows == width ? scan_square<Columns, format>(state, some, j, false)
                                                : scan_any_strip<Columns, format>(state, some, j, false);
    }
    return failures;
}

// How the strips before went.
struct StripsBefore {
    bool has_flags = false;
    std::size_t hard = 0;
};

// Where the common test does not tell, only the squares that need it take the slow ways.
template <class Columns, bool whole>
std::size_t scan_short_strip(const ScanRows& all, std::size_t j, StripsBefore& before) {
    if (before.hard == 0 && passes_few<Columns, whole>(all, j, all.rows)) return 0;
    before.hard = before.hard > 0 ? before.hard - 1 : expected_hard;
    if (!before.has_flags) std::memset(all.failed, 0, all.rows * all.n);
    before.has_flags = true;
    typename Columns::State state = Columns::empty_state();
    return scan_squares<Columns, Columns::F::format, whole>(state, all, j);
}

// Whole columns, whose state is nowhere but in registers.
template <class Columns>
std::size_t scan_short_columns(const ScanRows& all) {
    constexpr std::size_t size = Columns::F::size;
    std::size_t failures = 0, j = 0;
    StripsBefore before;
    for (; j + width <= all.n; j += width) {
        const char* p = all.x + j * size + prefetch_distances.run;
        for (std::size_t r = 0; r < all.rows; ++r, p += all.in) __builtin_prefetch(p);
        failures += scan_short_strip<Columns, true>(all, j, before);
    }
    return j < all.n ? failures + scan_short_strip<Columns, false>(all, j, before) : failures;
}

// take(rows, is_square) of `width` rows after the other, and of fewer in the end. It says how many failed,
// and writes flags only if some did.
template <class Take>
SAMESUM_INLINE std::size_t each_square(const ScanRows& all, const Take& take) {
    std::size_t failures = 0;
    for (std::size_t r = 0; r < all.rows; r += width) {
        const ScanRows some = rows_from(all, r);
        const std::size_t found = take(some, some.rows == width);
        if (found > 0 && failures == 0) std::memset(all.failed, 0, r * all.n);
        if (found == 0 && failures > 0) std::memset(some.failed, 0, some.rows * all.n);
        failures += found;
    }
    return failures;
}

// All rows of one whole strip.
template <class Columns, Format format>
SAMESUM_INLINE std::size_t scan_by_squares(typename Columns::State state, const ScanRows& all) {
    return each_square(all, [&](const ScanRows& some, bool is_square) {
        return is_square ? scan_square<Columns, format>(state, some, 0, true)
                         : scan_any_strip<Columns, format>(state, some, 0, true);
    });
}

template <class Columns, Format format>
SAMESUM_APART std::size_t scan_strip_by_squares(typename Columns::Tile& t, const ScanRows& all, std::size_t j,
                                                std::size_t at) {
    typename Columns::State state = Columns::load_state(t, at);
    const std::size_t failures = scan_squares<Columns, format, true>(state, all, j);
    Columns::store_state(t, at, state);
    return failures;
}

// More rows than scan_rows, of `width` columns or more: a strip at once if it is as easy as most are.
template <class F, class Columns, Format format>
std::size_t scan_tall_strips(typename Columns::Tile& t, const ScanRows& all) {
    std::size_t failures = 0;
    bool fresh = true;
    each_strip(all.n, [&](std::size_t j, std::size_t at) {
        if (Columns::template tall_strip<format>(t, TallRows<F, format>(all, j), at)) return;
        if (fresh) std::memset(all.failed, 0, all.rows * all.n);
        fresh = false;
        failures += scan_strip_by_squares<Columns, format>(t, all, j, at);
    });
    return failures;
}

// The number of rows is known to the compiler where the results are of the elements' format, as they mostly
// are.
template <class F, class Columns, Format format, bool usual = format == F::format>
std::size_t scan_columns(void* tile, const ScanRows& all) {
    typename Columns::Tile& t = *static_cast<typename Columns::Tile*>(tile);
    if constexpr (usual) {
        if (all.rows == scan_rows) return scan_strips<F, Columns, format, scan_rows>(t, all);
        if (all.rows > scan_rows) return scan_tall_strips<F, Columns, format>(t, all);
    }
    return scan_strips<F, Columns, format, 0>(t, all);
}

}  // namespace samesum::SAMESUM_ISA
