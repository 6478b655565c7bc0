#include "run/scan_columns.hpp"

#include <algorithm>

#include "layout/stream.hpp"
#include "run/accumulate.hpp"
#include "threads/pool.hpp"

namespace samesum {

namespace {

class Job {
  public:
    Job(const ScanPlan& plan, const ScanMethod& method, const ScanTarget& target, Failures& failures)
        : plan_(plan), method_(method), target_(target), failures_(failures) {}

    void run(int threads) {
        // Whole rows where there are tiles enough for the threads anyway.
        const std::int64_t most =
            plan_.lines.count() >= 4 * threads ? plan_.inner.size : plan_.inner.size / (2 * threads);
        const std::int64_t width = std::clamp<std::int64_t>(most, 64, tile_columns);
        const std::int64_t tiles = (plan_.inner.size + width - 1) / width;
        auto task = [&](std::size_t t, std::size_t) {
            const std::int64_t index = static_cast<std::int64_t>(t), first = index % tiles * width;
            const Offsets at = offsets_at(plan_.lines, index / tiles);
            scan_tile(plan_.data + at.in + first * plan_.inner.in,
                      plan_.out + at.out + first * plan_.inner.out,
                      std::min(width, plan_.inner.size - first));
        };
        for_each_task(static_cast<std::size_t>(plan_.lines.count() * tiles),
                      static_cast<std::size_t>(threads), task);
    }

  private:
    void scan_tile(const char* in, char* out, std::int64_t columns) {
        const std::size_t n = static_cast<std::size_t>(columns), size = size_of(plan_.format);
        const std::int64_t item = static_cast<std::int64_t>(size_of(plan_.in));
        TileScope scope;
        alignas(64) char gathered[scan_rows * tile_columns * 8], results[scan_rows * tile_columns * 8];
        std::uint8_t failed[scan_rows * tile_columns];
        ColumnFailures found(failures_, {in, out, plan_.inner.in, plan_.inner.out, columns});
        const bool direct = plan_.inner.out == static_cast<std::int64_t>(size) && !target_.streams();
        const bool gathers = plan_.swapped || plan_.inner.in != item;
        method_.init(scope.tile(), n);
        target_.write_initial(out, columns);
        for (std::int64_t r = 0; r < plan_.written; r += scan_rows) {
            const std::int64_t rows = std::min<std::int64_t>(scan_rows, plan_.written - r);
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
                                   failed};
            if (gathers) {
                for (std::int64_t i = 0; i < rows; ++i)
                    gather(x + i * plan_.axis.in, plan_.inner.in, n, size_of(plan_.in), plan_.swapped,
                           gathered + i * columns * item);
                block_of_rows.x = gathered;
                block_of_rows.in = columns * item;
            }
            if (method_.columns(scope.tile(), block_of_rows) > 0) found.add(failed, r, rows);
            for (std::int64_t i = 0; i < rows && !direct; ++i)
                target_.put(results + static_cast<std::size_t>(i) * n * size, n, to + i * plan_.axis.out,
                            plan_.inner.out);
        }
        found.finish();
        finish_streams();
    }

    const ScanPlan& plan_;
    const ScanMethod& method_;
    const ScanTarget& target_;
    Failures& failures_;
};

}  // namespace

void scan_columns(const ScanPlan& plan, const ScanMethod& method, const ScanTarget& target,
                  Failures& failures, int threads) {
    Job(plan, method, target, failures).run(threads);
}

}  // namespace samesum
