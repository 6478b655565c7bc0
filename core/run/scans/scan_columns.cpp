#include "run/scans/scan_columns.hpp"

#include <algorithm>
#include <cstdlib>

#include "layout/copy.hpp"
#include "layout/stream.hpp"
#include "run/reduce/accumulate.hpp"
#include "select/routes.hpp"
#include "select/scan_thresholds.hpp"
#include "threads/pool.hpp"

namespace samesum {

namespace {

class Job {
  public:
    Job(const ScanPlan& plan, const ScanMethod& method, const ScanTarget& target, Failures& failures)
        : plan_(plan),
          method_(method),
          target_(target),
          failures_(failures),
          is_cached_(plan.lines.count() * plan.inner.size * plan.axis.size *
                         static_cast<std::int64_t>(size_of(plan.in) + size_of(plan.format)) <=
                     streamed_bytes),
          few_(method.short_columns != nullptr && plan.written >= 1 &&
               plan.written <= static_cast<std::int64_t>(is_cached_ ? method.most_rows : short_column)),
          is_tall_(!few_ && is_cached_ && method.takes_tall && pitch() <= tall_pitch &&
                   plan.inner.size >= static_cast<std::int64_t>(scan_lines)),
          rows_(few_       ? plan.written
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
        auto task = [&](std::size_t t, std::size_t) {
            const std::int64_t begin = static_cast<std::int64_t>(t) * batch;
            for (std::int64_t i = begin; i < std::min(all, begin + batch); ++i) {
                const std::int64_t first = i % tiles * width;
                const Offsets at = offsets_at(plan_.lines, i / tiles);
                scan_tile(plan_.data + at.in + first * plan_.inner.in,
                          plan_.out + at.out + first * plan_.inner.out,
                          std::min(width, plan_.inner.size - first));
            }
            finish_streams();
        };
        for_each_task(static_cast<std::size_t>((all + batch - 1) / batch), static_cast<std::size_t>(threads),
                      task);
    }

  private:
    static constexpr std::int64_t tile_width = tile_columns, tile_elements = scan_rows * tile_width;

    // Whole rows where there are tiles enough for the threads anyway. In the caches one tile for each thread,
    // of not too few bytes: those who write to neighbouring lines of the cache hold each other up. Of rows of
    // up to tall_pitch bytes no tile has less than 8 columns, on which the methods count.
    std::int64_t tile_columns_for(std::int64_t threads) const {
        const std::int64_t n = plan_.inner.size, item = static_cast<std::int64_t>(size_of(plan_.format)),
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

    bool gathers() const {
        return plan_.swapped || plan_.inner.in != static_cast<std::int64_t>(size_of(plan_.in));
    }
    std::int64_t pitch() const { return std::max(std::abs(plan_.axis.in), std::abs(plan_.axis.out)); }

    void scan_tile(const char* in, char* out, std::int64_t columns) {
        const std::size_t n = static_cast<std::size_t>(columns), size = size_of(plan_.format);
        const std::int64_t item = static_cast<std::int64_t>(size_of(plan_.in));
        TileScope scope;
        alignas(64) char gathered[tile_elements * 8], results[tile_elements * 8];
        std::uint8_t failed[tile_elements];
        ColumnFailures found(failures_, {in, out, plan_.inner.in, plan_.inner.out, columns});
        const bool direct = plan_.inner.out == static_cast<std::int64_t>(size) && !target_.streams();
        if (!few_) method_.init(scope.tile(), strip_columns(n));
        target_.write_initial(out, columns);
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
                for (std::int64_t i = 0; i < rows; ++i)
                    gather(x + i * plan_.axis.in, plan_.inner.in, n, size_of(plan_.in), plan_.swapped,
                           gathered + i * columns * item, rows_ * plan_.axis.in);
                block_of_rows.x = gathered;
                block_of_rows.in = columns * item;
            }
            const std::size_t failures =
                few_ ? method_.short_columns(block_of_rows) : method_.columns(scope.tile(), block_of_rows);
            if (failures > 0) found.add(failed, r, rows);
            if (!direct) put(results, rows, n, to);
        }
        found.finish();
    }

    void put(const char* results, std::int64_t rows, std::size_t n, char* to) const {
        const std::int64_t size = static_cast<std::int64_t>(size_of(plan_.format)),
                           row = static_cast<std::int64_t>(n) * size;
        if (plan_.inner.out == size && plan_.axis.out == row)
            return target_.put(results, static_cast<std::size_t>(rows) * n, to, size);
        for (std::int64_t i = 0; i < rows; ++i)
            target_.put(results + i * row, n, to + i * plan_.axis.out, plan_.inner.out);
    }

    const ScanPlan& plan_;
    const ScanMethod& method_;
    const ScanTarget& target_;
    Failures& failures_;
    const bool is_cached_;     // elements and prefixes
    const bool few_;           // all rows at once
    const bool is_tall_;       // many rows at once
    const std::int64_t rows_;  // at a time
};

}  // namespace

void scan_columns(const ScanPlan& plan, const ScanMethod& method, const ScanTarget& target,
                  Failures& failures, int threads) {
    Job(plan, method, target, failures).run(threads);
}

}  // namespace samesum
