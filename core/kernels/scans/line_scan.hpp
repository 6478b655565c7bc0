// Lines side by side, scanned as columns, on the way from one of their parts to the next.
#pragma once

#include "kernels/scans/line_group.hpp"
#include "kernels/scans/strips.hpp"
#include "methods/scan_method.hpp"

namespace samesum::SAMESUM_ISA {

// Into the elements' own format.
template <class F, class Columns>
struct LineScan {
    static constexpr Format format = F::format;
    using Tile = typename Columns::Tile;
    using State = typename Columns::State;

    // Of the rows of a block the elements in the lines.
    struct Places {
        std::size_t first, step;
    };

    // failed[line * n + i] from those of a block of rows; returns how many of these lines' own.
    template <class Lines>
    static SAMESUM_APART std::size_t mark(const Lines& all, std::size_t first, std::size_t count,
                                          Places places, const ScanRows& rows, bool fresh) {
        if (fresh) std::memset(all.failed, 0, all.lines * all.n);
        std::size_t failures = 0;
        for (std::size_t k = 0; k < count; ++k) {
            for (std::size_t r = 0; r < rows.rows; ++r)
                failures += all.failed[(first + k) * all.n + places.first + r * places.step] =
                    rows.failed[r * width + k];
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

    static std::size_t lines_in(Tile& t, const ScanLines& all) {
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
                    failures += mark(all, first, group.count, {i, 1}, rows, failures == 0);
                group.give(i);
            }
            if (i < all.n) {
                group.take_some(i, all.n - i);
                const ScanRows rows = group.rows(all.n - i, all.depth + i, failed);
                if (scan_any_strip<Columns, format>(state, rows, 0, true) > 0)
                    failures += mark(all, first, group.count, {i, 1}, rows, failures == 0);
                group.give_some(i, all.n - i);
            }
            Columns::store_state(t, first, state);
        }
        return failures;
    }

    // Lines of several scans each: so many squares at a time, each of which has rows of all of them.
    static std::size_t mixed_lines_in(Tile& t, const ScanLines& all) {
        const std::size_t unit = width * all.columns;
        std::size_t failures = 0;
        for (std::size_t first = 0; first < all.lines; first += width) {
            LineGroup<F> group(all, first);
            State states[scan_lines];
            for (std::size_t c = 0; c < all.columns; ++c)
                states[c] = Columns::load_state(t, c * scan_lines + first);
            for (std::size_t i = 0; i < all.n; i += unit) {
                const std::size_t now = all.n - i < unit ? all.n - i : unit;
                const bool whole = now == unit;
                for (std::size_t r = 0; r < unit && whole; r += width) group.take(i + r, r);
                if (!whole) group.take_some(i, now);
                for (std::size_t c = 0; c < all.columns; ++c)
                    failures += mixed_strip(group, all, first, {i + c, all.columns}, now / all.columns,
                                            states[c], failures == 0);
                for (std::size_t r = 0; r < unit && whole; r += width) group.give(i + r, r);
                if (!whole) group.give_some(i, now);
            }
            for (std::size_t c = 0; c < all.columns; ++c)
                Columns::store_state(t, c * scan_lines + first, states[c]);
        }
        return failures;
    }

    // The rows of one scan among those of a group.
    static std::size_t mixed_strip(LineGroup<F>& group, const ScanLines& all, std::size_t first,
                                   Places places, std::size_t number, State& state, bool fresh) {
        std::uint8_t failed[width * width];
        ScanRows rows = group.rows(number, all.depth + places.first / places.step, failed);
        const std::size_t c = places.first % places.step;
        rows.x += static_cast<std::ptrdiff_t>(c) * rows.in;
        rows.out += static_cast<std::ptrdiff_t>(c) * rows.to;
        rows.in *= static_cast<std::ptrdiff_t>(places.step);
        rows.to *= static_cast<std::ptrdiff_t>(places.step);
        const std::size_t failures = number == width ? scan_square<Columns, format>(state, rows, 0, true)
                                                     : scan_any_strip<Columns, format>(state, rows, 0, true);
        return failures == 0 ? 0 : mark(all, first, group.count, places, rows, fresh);
    }

    static std::size_t lines(void* tile, const ScanLines& all) {
        Tile& t = *static_cast<Tile*>(tile);
        return all.columns == 1 ? lines_in(t, all) : mixed_lines_in(t, all);
    }
};

}  // namespace samesum::SAMESUM_ISA
