// Scans whose lines are columns of neighbours, or short lines that are taken as columns.
#include <algorithm>
#include <bit>
#include <cstdlib>

#include "arithmetic/rounding.hpp"
#include "layout/copy.hpp"
#include "layout/groups.hpp"
#include "run/layouts/block_transpose.hpp"
#include "run/reduce/finish.hpp"
#include "run/scans/scan_call.hpp"
#include "run/tiles.hpp"
#include "select/routes.hpp"
#include "select/scan_thresholds.hpp"
#include "threads/pool.hpp"

namespace samesum {

namespace {

class ColumnScan {
  public:
    explicit ColumnScan(ScanCall& call)
        : call_(call),
          plan_(call.plan),
          method_(call.method),
          is_cached_(plan_.elements() * (plan_.item() + plan_.result()) <= streamed_bytes),
          few_(method_.short_columns != nullptr && plan_.written >= 1 &&
               plan_.written <= static_cast<std::int64_t>(is_cached_ ? method_.most_rows : short_column)),
          is_tall_(!few_ && is_cached_ && method_.takes_tall && pitch() <= tall_pitch &&
                   plan_.inner.size >= static_cast<std::int64_t>(scan_lines)),
          rows_(few_       ? plan_.written
                : is_tall_ ? rows_of_tall()
                           : scan_rows) {}

    void run(int threads) {
        record(few_ ? Route::scan_few_rows : is_tall_ ? Route::scan_tall_columns : Route::scan_columns);
        if (gathers()) record(Route::scan_columns_gathered);
        const std::int64_t width = tile_columns_for(threads);
        const std::int64_t tiles = (plan_.inner.size + width - 1) / width, all = plan_.lines.count() * tiles;
        const std::int64_t batch = std::clamp<std::int64_t>(
            scan_column_task_elements / (width * std::max<std::int64_t>(1, plan_.axis.size)), 1,
            std::max<std::int64_t>(1, all / (4 * threads)));
        const auto take = [&](std::int64_t begin, std::int64_t some) {
            const std::int64_t end = begin + some;
            for (std::int64_t i = begin; i < end; ++i) {
                const std::int64_t first = i % tiles * width;
                const Offsets at = offsets_at(plan_.lines, i / tiles);
                scan_tile(plan_.data + at.in + first * plan_.inner.in,
                          plan_.out + at.out + first * plan_.inner.out,
                          std::min(width, plan_.inner.size - first));
            }
            finish_streams();
        };
        for_each_batch(all, batch, threads, take);
    }

  private:
    static constexpr std::int64_t tile_width = tile_columns, tile_elements = scan_rows * tile_width;

    // Whole rows where there are tiles enough for the threads anyway. In the caches one tile for each thread,
    // of not too few bytes: those who write to neighbouring lines of the cache hold each other up. Of rows of
    // up to tall_pitch bytes no tile has less than 8 columns, on which the methods count.
    std::int64_t tile_columns_for(std::int64_t threads) const {
        const std::int64_t n = plan_.inner.size, item = plan_.result(),
                           room = std::min(tile_elements / rows_ / 64 * 64, tile_width),
                           widest = is_tall_ ? std::min(room, tall_bytes / item) : room;
        const bool shares_lines = plan_.lines.count() >= shared_line_groups * threads;
        if (!is_cached_ && !shares_lines)
            return std::clamp<std::int64_t>(n / (2 * threads), least_tile_columns, widest);
        const std::int64_t tiles =
            std::max(shares_lines ? 1 : std::clamp<std::int64_t>(n * item / least_tile_row_bytes, 1, threads),
                     (n + widest - 1) / widest);
        return (n + tiles - 1) / tiles;
    }

    std::int64_t rows_of_tall() const {
        constexpr std::int64_t least = 2 * static_cast<std::int64_t>(scan_rows), most = tall_rows;
        return std::clamp(tall_cached_bytes / pitch() / least * least, least, most);
    }

    bool gathers() const { return !plan_.lies(plan_.inner.in) || call_.widen != nullptr; }
    std::int64_t pitch() const { return std::max(std::abs(plan_.axis.in), std::abs(plan_.axis.out)); }

    void scan_tile(const char* in, char* out, std::int64_t columns) {
        const std::size_t n = static_cast<std::size_t>(columns), size = size_of(plan_.format);
        TileScope scope;
        alignas(64) char gathered[tile_elements * 8 + 64], results[tile_elements * 8];
        std::uint8_t failed[tile_elements];
        ColumnFailures found(call_.failures, {in, out, plan_.inner.in, plan_.inner.out, columns});
        const bool direct = call_.writes(plan_.inner.out);
        if (!few_) method_.init(scope.tile(), strip_columns(n));
        call_.write_initial(out, columns);
        for (std::int64_t r = 0; r < plan_.written; r += rows_) {
            const std::int64_t rows = std::min(rows_, plan_.written - r);
            const char* x = in + r * plan_.axis.in;
            char* to = out + r * plan_.axis.out;
            ScanRows block_of_rows{x,
                                   plan_.axis.in,
                                   direct ? to : results,
                                   direct ? plan_.axis.out : static_cast<std::ptrdiff_t>(n * size),
                                   static_cast<std::size_t>(rows),
                                   n,
                                   static_cast<std::size_t>(r),
                                   plan_.format,
                                   failed,
                                   direct};
            if (gathers()) {
                const std::int64_t row = columns * static_cast<std::int64_t>(size_of(call_.scanned));
                for (std::int64_t i = 0; i < rows; ++i)
                    copy_row(x + i * plan_.axis.in, n, gathered + i * row);
                block_of_rows.x = gathered;
                block_of_rows.in = row;
            }
            const std::size_t failures =
                few_ ? method_.short_columns(block_of_rows) : method_.columns(scope.tile(), block_of_rows);
            if (failures > 0) found.add(failed, r, rows);
            if (!direct) put(results, rows, n, to);
        }
        found.finish();
    }

    void copy_row(const char* x, std::size_t n, char* to) {
        const auto copy = [&](char* room) {
            gather(x, plan_.inner.in, n, size_of(plan_.in), plan_.swapped, room, rows_ * plan_.axis.in);
        };
        if (call_.widen == nullptr) return copy(to);
        alignas(64) char narrow[tile_width * 4];
        const bool lies = plan_.lies(plan_.inner.in);
        if (!lies) copy(narrow);
        call_.widen(lies ? x : narrow, n, to);
    }

    void put(const char* results, std::int64_t rows, std::size_t n, char* to) const {
        const std::int64_t row = static_cast<std::int64_t>(n) * plan_.result();
        if (plan_.inner.out == plan_.result() && plan_.axis.out == row)
            return call_.put(results, static_cast<std::size_t>(rows) * n, to, plan_.result());
        for (std::int64_t i = 0; i < rows; ++i)
            call_.put(results + i * row, n, to + i * plan_.axis.out, plan_.inner.out);
    }

    ScanCall& call_;
    const ScanPlan& plan_;
    const ScanMethod& method_;
    const bool is_cached_;     // elements and prefixes
    const bool few_;           // all rows at once
    const bool is_tall_;       // many rows at once
    const std::int64_t rows_;  // at a time
};

}  // namespace

void scan_columns(ScanCall& call, int threads) { ColumnScan(call).run(threads); }

// Scans of many short lines that lie side by side: they are taken as columns.

namespace {

// Lines for one call.
constexpr std::int64_t call_lines = static_cast<std::int64_t>(transposed_rows);

// Elements of a line of results.
std::int64_t results_of(const ScanPlan& plan) { return plan.written + (plan.has_initial ? 1 : 0); }

bool is_whole(const void* p, std::size_t size) { return reinterpret_cast<std::uintptr_t>(p) % size == 0; }

// From the first element of each line to the last, and nothing else.
bool is_plain(const ScanCall& call) {
    const ScanPlan& plan = call.plan;
    return call.method.takes_lines() && plan.axis.in > 0 && plan.axis.out > 0 &&
           plan.written == plan.axis.size && !plan.has_initial;
}

bool follow_one_another(const ScanPlan& plan) { return plan.lines.dim[0].in == plan.axis.size * plan.item(); }

class ShortScan {
  public:
    explicit ShortScan(ScanCall& call)
        : call_(call),
          plan_(call.plan),
          method_(call.method),
          streams_(plan_.lines.count() * results_of(plan_) * plan_.result() >= streamed_bytes),
          from_(size_of(plan_.in), plan_.axis.size, plan_.axis.in > 0),
          to_(size_of(plan_.format), results_of(plan_), plan_.axis.out > 0),
          data_(plan_.data + (from_.forward ? 0 : plan_.axis.in * (plan_.axis.size - 1))),
          out_(plan_.out + (to_.forward ? -plan_.axis.out * (plan_.has_initial ? 1 : 0)
                                        : plan_.axis.out * (plan_.written - 1))) {}

    Route route() const { return is_plain(call_) ? Route::scan_short_plain : Route::scan_short_transposed; }

    void run(std::int64_t first, std::int64_t last) {
        if (is_plain(call_)) {
            run_plain(first, last);
        } else {
            for (; first < last; first += call_lines) run_tile(first, std::min(last - first, call_lines));
        }
        if (streams_) finish_streams();
    }

  private:
    void run_plain(std::int64_t first, std::int64_t last) {
        constexpr std::size_t room = short_scan_streamed_bytes;
        alignas(64) char results[room], wide[room + 64];
        std::uint8_t failed[transposed_rows * short_line];
        const std::int64_t n = plan_.axis.size;
        const std::size_t bytes = to_.size * static_cast<std::size_t>(n);  // of a line
        const bool is_limited = streams_ || call_.widen != nullptr;
        const std::int64_t most =
            is_limited ? std::min(call_lines, static_cast<std::int64_t>(std::bit_floor(room / bytes)))
                       : call_lines;
        const std::int64_t pitch = plan_.lines.dim[0].in;
        for (; first < last; first += most) {
            const std::int64_t lines = std::min(last - first, most);
            const char* x = data_ + first * pitch;
            char* out = out_ + first * plan_.lines.dim[0].out;
            for (std::int64_t i = 0; call_.widen != nullptr && i < lines; ++i)
                call_.widen(x + i * pitch, static_cast<std::size_t>(n),
                            wide + static_cast<std::size_t>(i) * bytes);
            const bool is_wide = call_.widen != nullptr;
            const ShortScanLines some{is_wide ? wide : x,
                                      is_wide ? static_cast<std::ptrdiff_t>(bytes) : pitch,
                                      streams_ ? results : out,
                                      static_cast<std::size_t>(lines),
                                      static_cast<std::size_t>(n),
                                      plan_.format,
                                      failed};
            const bool all_certain = method_.short_lines(some) == 0;
            if (streams_) stream(out, results, bytes * some.lines);
            if (all_certain) continue;
            for (std::int64_t i = 0; i < lines * n; ++i) {
                if (!failed[i]) continue;
                const std::int64_t line = i / n;
                call_.failures.add({x + line * pitch, out + line * n * static_cast<std::int64_t>(to_.size),
                                    i % n, i % n + 1});
            }
        }
    }

    // Runs of elements or of results, in the order of the memory.
    struct Runs {
        std::size_t size;      // of an element, in bytes
        std::ptrdiff_t pitch;  // from run to run, likewise
        std::int64_t count;
        bool forward;  // the scan goes that way

        Runs(std::size_t item, std::int64_t n, bool ascends)
            : size(item),
              pitch(BlockTranspose(item, static_cast<std::size_t>(n)).step()),
              count(n),
              forward(ascends) {}
        std::ptrdiff_t step() const { return forward ? pitch : -pitch; }
        // Where run number i in the order of the scan is.
        std::ptrdiff_t at(std::int64_t i) const { return (forward ? i : count - 1 - i) * pitch; }
    };

    void run_tile(std::int64_t first, std::int64_t lines) {
        const std::size_t n = static_cast<std::size_t>(lines);
        const Dim line = plan_.lines.rank > 0 ? plan_.lines.dim[0] : Dim{1, 0, 0};
        alignas(64) char elements[BlockTranspose::buffer_bytes], results[BlockTranspose::buffer_bytes];
        BlockTranspose(from_.size, static_cast<std::size_t>(from_.count))
            .to_columns(data_ + first * line.in, n, elements);
        ColumnFailures found(call_.failures, {plan_.data + first * line.in, plan_.out + first * line.out,
                                              line.in, line.out, lines});
        if (plan_.has_initial) {
            char* run = results + to_.at(0);
            for (std::size_t j = 0; j < n; ++j) store_bits(run, j, call_.initial, to_.size);
        }
        scan_runs(elements, results, n, found);
        char* const out = out_ + first * line.out;
        BlockTranspose(to_.size, static_cast<std::size_t>(to_.count))
            .to_rows(results, n, streams_ ? elements : out);
        if (streams_) stream(out, elements, n * static_cast<std::size_t>(to_.count) * to_.size);
    }

    void scan_runs(const char* elements, char* results, std::size_t n, ColumnFailures& found) {
        TileScope scope;
        std::uint8_t failed[scan_rows * transposed_rows];
        alignas(64) char wide[scan_rows * wide_pitch];
        method_.init(scope.tile(), strip_columns(n));
        for (std::int64_t r = 0; r < plan_.written; r += scan_rows) {
            const std::int64_t rows = std::min<std::int64_t>(scan_rows, plan_.written - r);
            ScanRows some{elements + from_.at(r),
                          from_.step(),
                          results + to_.at(r + (plan_.has_initial ? 1 : 0)),
                          to_.step(),
                          static_cast<std::size_t>(rows),
                          n,
                          static_cast<std::size_t>(r),
                          plan_.format,
                          failed};
            if (call_.widen != nullptr) widen(some, wide);
            if (method_.columns(scope.tile(), some) > 0) found.add(failed, r, rows);
        }
        found.finish();
    }

    static constexpr std::size_t wide_pitch = transposed_rows * 8 + 64;

    void widen(ScanRows& rows, char* to) const {
        for (std::size_t r = 0; r < rows.rows; ++r)
            call_.widen(rows.x + static_cast<std::ptrdiff_t>(r) * rows.in, rows.n, to + r * wide_pitch);
        rows.x = to;
        rows.in = wide_pitch;
    }

    ScanCall& call_;
    const ScanPlan& plan_;
    const ScanMethod& method_;
    const bool streams_;  // past the caches
    const Runs from_, to_;
    const char* const data_;  // the first line, from its front in memory
    char* const out_;
};

}  // namespace

bool lines_are_short(const ScanCall& call) {
    const ScanPlan& plan = call.plan;
    const bool plain = is_plain(call);
    const std::int64_t most = static_cast<std::int64_t>(plain ? short_line : transposed_elements),
                       results = results_of(plan);
    if (plan.columns || plan.swapped || plan.lines.rank > 1 || plan.lines.count() < least_short_lines)
        return false;
    if (plan.axis.size < 2 || plan.axis.size > most || results < 2 || results > most) return false;
    return std::abs(plan.axis.in) == plan.item() && std::abs(plan.axis.out) == plan.result() &&
           (follow_one_another(plan) || (plain && plan.axis.size >= PackedLines::vector)) &&
           plan.lines.dim[0].out == results * plan.result() && is_whole(plan.data, size_of(plan.in)) &&
           is_whole(plan.out, size_of(plan.format));
}

void scan_short_lines(ScanCall& call, int threads) {
    const std::int64_t calls =
        std::max<std::int64_t>(1, short_scan_task_elements / (call_lines * call.plan.axis.size));
    ShortScan scan(call);
    record(scan.route());
    for_each_batch(call.plan.lines.count(), calls * call_lines, threads,
                   [&](std::int64_t first, std::int64_t some) { scan.run(first, first + some); });
}

}  // namespace samesum
