// A scan whose lines are columns of neighbours.
#include <algorithm>
#include <cstdlib>

#include "layout/copy.hpp"
#include "run/reduce/accumulate.hpp"
#include "run/scans/scan_call.hpp"
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

}  // namespace samesum
