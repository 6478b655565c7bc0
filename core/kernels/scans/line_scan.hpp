// Lines side by side, scanned as columns, on the way from one of their parts to the next.
#pragma once

#include "kernels/scans/strips.hpp"
#include "kernels/vectors/transpose.hpp"
#include "kernels/vectors/vectors.hpp"
#include "methods/scan_method.hpp"

namespace samesum::SAMESUM_ISA {

// `width` lines; of fewer the first one takes the other places.
template <class F>
struct LineGroup {
    const char* x[width];
    char* out[width];
    std::size_t count;
    static constexpr std::size_t most = short_line;  // rows
    alignas(64) char elements[most * width * F::size];
    alignas(64) char results[most * width * F::size];

    SAMESUM_INLINE LineGroup(const ScanLines& all, std::size_t first)
        : count(all.lines - first < width ? all.lines - first : width) {
        for (std::size_t k = 0; k < width; ++k) {
            const std::size_t line = first + (k < count ? k : 0);
            x[k] = all.x[line];
            out[k] = all.out[line];
        }
    }
    SAMESUM_INLINE LineGroup(const ShortScanLines& all, std::size_t first)
        : count(all.lines - first < width ? all.lines - first : width) {
        for (std::size_t k = 0; k < width; ++k) {
            const std::size_t line = first + (k < count ? k : 0);
            x[k] = all.x + static_cast<std::ptrdiff_t>(line) * all.pitch;
            out[k] = all.out + line * all.n * F::size;
        }
    }

    // The lines of the memory that hold elements so many bytes after number i.
    SAMESUM_INLINE void ask(std::size_t i, std::size_t ahead) const {
        constexpr std::size_t line = 64;
        if (i * F::size % line > 0) return;
        for (std::size_t k = 0; k < width; ++k) __builtin_prefetch(x[k] + i * F::size + ahead);
    }

    // A square of elements from number i on becomes rows from number r on.
    SAMESUM_INLINE void take(std::size_t i, std::size_t r = 0) {
        using Bits = BitsOf<F::size>;
        Bits v[width];
        for (std::size_t k = 0; k < width; ++k) v[k] = load<Bits>(x[k] + i * F::size);
        Square<Bits>::transpose(v);
        for (std::size_t k = 0; k < width; ++k) store(elements + (r + k) * sizeof(Bits), v[k]);
    }
    SAMESUM_INLINE void give(std::size_t i, std::size_t r = 0) const {
        using Bits = BitsOf<F::size>;
        Bits v[width];
        for (std::size_t k = 0; k < width; ++k) v[k] = load<Bits>(results + (r + k) * sizeof(Bits));
        Square<Bits>::transpose(v);
        for (std::size_t k = 0; k < width; ++k) {
            if (k < count) store(out[k] + i * F::size, v[k]);
        }
    }
    // The same of the last rows, fewer than `width`.
    SAMESUM_APART void take_some(std::size_t i, std::size_t rows) {
        for (std::size_t k = 0; k < width; ++k) {
            for (std::size_t r = 0; r < rows; ++r)
                std::memcpy(elements + (r * width + k) * F::size, x[k] + (i + r) * F::size, F::size);
        }
    }
    SAMESUM_APART void give_some(std::size_t i, std::size_t rows) const {
        for (std::size_t k = 0; k < count; ++k) {
            for (std::size_t r = 0; r < rows; ++r)
                std::memcpy(out[k] + (i + r) * F::size, results + (r * width + k) * F::size, F::size);
        }
    }
    ScanRows rows(std::size_t number, std::size_t depth, std::uint8_t* failed) {
        return {elements, width * F::size, results, width * F::size, number, width, depth, F::format, failed};
    }
};

// Into the elements' own format.
template <class F, class Columns>
struct LineScan {
    static constexpr Format format = F::format;
    using Tile = typename Columns::Tile;
    using State = typename Columns::State;

    // failed[line * n + i] from those of a block of rows, from element `at` of the lines on; returns how many
    // of these lines' own.
    template <class Lines>
    static SAMESUM_APART std::size_t mark(const Lines& all, std::size_t first, std::size_t count,
                                          std::size_t at, const ScanRows& rows, bool fresh) {
        if (fresh) std::memset(all.failed, 0, all.lines * all.n);
        std::size_t failures = 0;
        for (std::size_t k = 0; k < count; ++k) {
            for (std::size_t r = 0; r < rows.rows; ++r)
                failures += all.failed[(first + k) * all.n + at + r] = rows.failed[r * width + k];
        }
        return failures;
    }

    // As many rows as are taken at once, while they are as easy as most are; returns how many elements of
    // each line. Float64 is quicker by squares, which stay in registers.
    static SAMESUM_INLINE std::size_t tall_in(Tile& t, const ScanLines& all, std::size_t first,
                                              LineGroup<F>& group) {
        std::size_t i = 0;
        for (; format != Format::f64 && i + tall_rows <= all.n; i += tall_rows) {
            for (std::size_t r = 0; r < tall_rows; r += width) {
                group.ask(i + r, 1024);
                group.take(i + r, r);
            }
            const StripRows<F, format, true, tall_rows> rows(group.rows(tall_rows, all.depth + i, nullptr),
                                                             0);
            if (!Columns::template tall_strip<format>(t, rows, first)) break;
            for (std::size_t r = 0; r < tall_rows; r += width) group.give(i + r, r);
        }
        return i;
    }

    // In place, where the state stays in registers; of float32 few are left.
    static SAMESUM_INLINE std::size_t scan_square_in_place(State& state, const ScanRows& rows) {
        if constexpr (format != Format::f32)
            return Columns::template scan_strip<format, true, width>(state, rows, 0, true);
        else
            return scan_square<Columns, format>(state, rows, 0, true);
    }

    static std::size_t lines(void* tile, const ScanLines& all) {
        Tile& t = *static_cast<Tile*>(tile);
        std::size_t failures = 0;
        std::uint8_t failed[width * width];
        for (std::size_t first = 0; first < all.lines; first += width) {
            LineGroup<F> group(all, first);
            std::size_t i = tall_in(t, all, first, group);
            State state = Columns::load_state(t, first);
            for (; i + width <= all.n; i += width) {
                group.ask(i, 1024);
                group.take(i);
                const ScanRows rows = group.rows(width, all.depth + i, failed);
                if (scan_square_in_place(state, rows) > 0)
                    failures += mark(all, first, group.count, i, rows, failures == 0);
                group.give(i);
            }
            if (i < all.n) {
                group.take_some(i, all.n - i);
                const ScanRows rows = group.rows(all.n - i, all.depth + i, failed);
                if (scan_any_strip<Columns, format>(state, rows, 0, true) > 0)
                    failures += mark(all, first, group.count, i, rows, failures == 0);
                group.give_some(i, all.n - i);
            }
            Columns::store_state(t, first, state);
        }
        return failures;
    }
};

// Whole short lines side by side, scanned as columns.

// Flags are written only where there are failures: after `failures` in the first `before` flags come `more`
// in the next `now`. Returns how many there are in all.
inline std::size_t joined_failures(std::uint8_t* failed, std::size_t before, std::size_t failures,
                                   std::size_t now, std::size_t more) {
    if (failures == 0 && more > 0) std::memset(failed, 0, before);
    if (failures > 0 && more == 0) std::memset(failed + before, 0, now);
    return failures + more;
}

// Into the elements' own format.
template <class F, class Columns>
struct ShortLineScan {
    static constexpr Format format = F::format;
    using State = typename Columns::State;
    using Long = LineScan<F, Columns>;

    // From the lines of a group to what is asked for, in bytes.
    static SAMESUM_INLINE std::size_t distance_of(std::size_t n) {
        const std::size_t here = n * width * F::size;
        return here > prefetch_distances.run ? here : prefetch_distances.run;
    }

    // Lines of `period` elements each if several make one.
    static std::size_t short_lines_in(const ShortScanLines& all, std::size_t period) {
        constexpr std::size_t known = 8;
        return all.n == known ? scan_groups<known>(all, period) : scan_groups<0>(all, period);
    }

    // Lines of `known` elements, or of any number if zero.
    template <std::size_t known>
    static SAMESUM_APART std::size_t scan_groups(const ShortScanLines& all, std::size_t period) {
        const std::size_t n = known > 0 ? known : all.n, last = n < width ? 0 : n - width,
                          distance = distance_of(n);
        std::size_t failures = 0, hard = 0;
        std::uint8_t failed[short_line * width];
        for (std::size_t first = 0; first < all.lines; first += width) {
            LineGroup<F> group(all, first);
            // The last square is over some of the one before.
            for (std::size_t i = 0; i < n && n >= width; i += width) {
                prefetch<width * width * F::size>(group.x[0] + distance + i * width * F::size);
                group.take(i < last ? i : last, i < last ? i : last);
            }
            if (n < width) group.take_some(0, n);
            const ScanRows rows = group.rows(n, 0, failed);
            const std::size_t wrong = period > 0 ? scan_periods(rows, period)
                                                 : Columns::template scan_whole<format, known>(rows, hard);
            if (wrong > 0) failures += Long::mark(all, first, group.count, 0, rows, failures == 0);
            for (std::size_t i = 0; i < n && n >= width; i += width)
                group.give(i < last ? i : last, i < last ? i : last);
            if (n < width) group.give_some(0, n);
        }
        return failures;
    }

    // Rows of one line after the other.
    static std::size_t scan_periods(const ScanRows& all, std::size_t period) {
        if (passes_few<Columns, true>(all, 0, period)) return 0;
        std::size_t failures = 0;
        std::memset(all.failed, 0, all.rows * all.n);
        for (std::size_t r = 0; r < all.rows; r += period) {
            const std::ptrdiff_t at = static_cast<std::ptrdiff_t>(r);
            const ScanRows some{
                all.x + at * all.in,   all.in, all.out + at * all.to, all.to, period, all.n, 0, format,
                all.failed + r * all.n};
            State state = Columns::empty_state();
            failures += scan_any_strip<Columns, format>(state, some, 0, true);
        }
        return failures;
    }

    // Lines shorter than a vector: as many as it has elements make one.
    static std::size_t packed_lines_in(const ShortScanLines& all) {
        const std::size_t packs = all.lines / width, rest = all.lines % width, done = packs * width * all.n;
        const std::ptrdiff_t pitch = all.pitch * static_cast<std::ptrdiff_t>(width);
        const ShortScanLines packed{all.x, pitch, all.out, packs, all.n * width, format, all.failed},
            others{all.x + done * F::size, all.pitch, all.out + done * size_of(format), rest, all.n, format,
                   all.failed + done};
        const std::size_t failures = short_lines_in(packed, all.n), more = short_lines_in(others, 0);
        return joined_failures(all.failed, done, failures, rest * all.n, more);
    }

    static std::size_t short_lines(const ShortScanLines& all) {
        if (all.n < width) return packed_lines_in(all);
        return short_lines_in(all, 0);
    }
};

}  // namespace samesum::SAMESUM_ISA
