// Whole short lines side by side, scanned as columns.
#pragma once

#include "kernels/scans/line_scan.hpp"
#include "kernels/scans/register_lines.hpp"

namespace samesum::SAMESUM_ISA {

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

    static constexpr bool has_pass = !std::is_void_v<typename Columns::LinePass>;

    // Whole groups of lines by a pass in registers, those that plan together at a time; refused(first, end)
    // gets those that it does not do. Returns how many lines there were.
    template <class Refused>
    static SAMESUM_INLINE std::size_t pass_groups(const ShortScanLines& all, std::size_t period,
                                                  const std::size_t& hard, const Refused& refused) {
        using Registers = RegisterLines<typename Columns::LinePass>;
        constexpr std::size_t room = 8 << 10;  // bytes that stay in L1 for a second time
        const std::size_t bytes = all.n * width * F::size,
                          together = bytes < room ? room / bytes * width : width;
        std::size_t first = 0, refusals = 0, expected = 0;
        for (; first + width <= all.lines;) {
            const std::size_t left = (all.lines - first) / width * width,
                              now = left < together ? left : together;
            // As the groups before, which it did not do.
            if (hard > 0 || expected > 0) {
                if (expected > 0) --expected;
                refused(first, first + now);
                first += now;
                continue;
            }
            ShortScanLines some = all;
            some.x += static_cast<std::ptrdiff_t>(first) * all.pitch;
            some.lines = now;
            const auto plan = Registers::Plan::of(some, period > 0 ? period : all.n);
            if (!plan.usable) {
                refused(first, first + now);
                first += now;
                continue;
            }
            for (const std::size_t end = first + now; first < end && expected == 0; first += width) {
                const Registers lines(all, first);
                // What has been planned has been read, and what comes been asked for.
                if constexpr (Registers::Plan::reads)
                    ask(lines.out[0] + prefetch_distances.run, all.n);
                else
                    ask(lines.x[0] + distance_of(all.n), all.n);
                const bool certain = period > 0 ? lines.scan_packed(plan, period) : lines.scan(plan);
                if (!certain) refused(first, first + width);
                if (!certain && refusals > 0) expected = expected_hard;
                refusals = certain ? 0 : 1;
            }
        }
        return first;
    }

    // Lines of several scans by turns. The last ones are taken again with some of those before.
    static __attribute__((noinline)) std::size_t lines_by_turns(const ShortScanLines& all,
                                                                std::size_t turns) {
        using Registers = RegisterLines<typename Columns::LinePass>;
        std::size_t done = 0;
        while (done < all.lines && all.lines >= width) {
            const std::size_t first = done + width <= all.lines ? done : all.lines - width;
            ShortScanLines some = all;
            some.x += static_cast<std::ptrdiff_t>(first) * all.pitch;
            some.lines = width;
            const auto plan = Registers::Plan::of(some, all.n / turns);
            const Registers lines(all, first);
            ask(lines.x[0] + distance_of(all.n), all.n);
            if (!plan.usable || !lines.scan_turns(plan, turns)) break;
            done = first + width;
        }
        return done;
    }

    // As many elements or prefixes as a group has in its lines.
    static SAMESUM_INLINE void ask(const char* p, std::size_t n) {
        for (std::size_t i = 0; i < n; i += width) prefetch<width * width * F::size>(p + i * width * F::size);
    }

    // From the lines of a group to what is asked for, in bytes.
    static SAMESUM_INLINE std::size_t distance_of(std::size_t n) {
        const std::size_t here = n * width * F::size;
        return here > prefetch_distances.run ? here : prefetch_distances.run;
    }

    // Lines of `period` elements each if several make one.
    static std::size_t short_lines_in(const ShortScanLines& all, std::size_t period) {
        std::size_t failures = 0, hard = 0;
        const auto scan = [&](std::size_t first, std::size_t end) {
            constexpr std::size_t known = has_pass ? 0 : 8;  // elements, if any number
            const auto groups = all.n == known ? scan_groups<known> : scan_groups<0>;
            failures += groups(all, first, end, period, failures == 0, hard);
        };
        std::size_t first = 0;
        if constexpr (has_pass) {
            if (all.n >= width) first = pass_groups(all, period, hard, scan);
        }
        scan(first, all.lines);
        return failures;
    }

    // Lines `begin` to `end` through memory, of `known` elements, or of any number if zero; `fresh` if no
    // line has failed yet.
    template <std::size_t known>
    static SAMESUM_APART std::size_t scan_groups(const ShortScanLines& all, std::size_t begin,
                                                 std::size_t end, std::size_t period, bool fresh,
                                                 std::size_t& hard) {
        const std::size_t n = known > 0 ? known : all.n, last = n < width ? 0 : n - width,
                          distance = distance_of(n);
        std::size_t failures = 0;
        std::uint8_t failed[short_line * width];
        for (std::size_t first = begin; first < end; first += width) {
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
            if (wrong > 0)
                failures += Long::mark(all, first, group.count, {0, 1}, rows, fresh && failures == 0);
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
