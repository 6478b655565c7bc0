#include "run/scans/scan.hpp"

#include <atomic>

#include "run/layouts/groups.hpp"
#include "run/layouts/packed_lines.hpp"
#include "run/layouts/staging.hpp"
#include "run/room.hpp"
#include "run/scans/scan_call.hpp"
#include "run/scans/scan_loops.hpp"
#include "select/routes.hpp"
#include "select/scan_thresholds.hpp"
#include "select/thread_thresholds.hpp"
#include "threads/pool.hpp"

namespace samesum {

namespace {

static_assert(few_columns <= static_cast<std::int64_t>(most_turns));

// Groups whose elements are scanned by turns, without moving any of them.
class AsTheyLie {
  public:
    AsTheyLie(const ScanMethod& method, const Groups& groups, const ScanOptions& options, Format format,
              void* out)
        : method_(method),
          groups_(groups),
          n_(groups.rows * groups.columns),
          pitch_(n_ * static_cast<std::int64_t>(size_of(format))),
          out_(static_cast<char*>(out)),
          suits_(method.turns != nullptr && format == groups.format && !options.exclusive &&
                 !options.reverse && !options.include_initial &&
                 n_ >= static_cast<std::int64_t>(scan_lines) &&
                 groups.rows <= static_cast<std::int64_t>(short_line)) {}

    // How many of these many, from the first on, are done.
    std::int64_t operator()(std::int64_t first, std::int64_t number) const {
        if (!suits_) return 0;
        if (expected_hard_.load(std::memory_order_relaxed) > 0) {
            expected_hard_.fetch_sub(1, std::memory_order_relaxed);
            return 0;
        }
        const ShortScanLines lines{groups_.data + first * pitch_,
                                   pitch_,
                                   out_ + first * pitch_,
                                   static_cast<std::size_t>(number),
                                   static_cast<std::size_t>(n_),
                                   groups_.format,
                                   nullptr};
        const std::size_t done = method_.turns(lines, static_cast<std::size_t>(groups_.columns));
        if (done > 0) record(Route::scan_groups_as_they_lie);
        if (done == 0) expected_hard_.store(static_cast<int>(hard_tasks), std::memory_order_relaxed);
        return static_cast<std::int64_t>(done);
    }

  private:
    const ScanMethod& method_;
    const Groups& groups_;
    const std::int64_t n_, pitch_;
    char* const out_;
    const bool suits_;
    mutable std::atomic<int> expected_hard_{0};
};

// Small groups of few columns (layout/groups.hpp), many at a time.
void scan_groups(Combine combine, const Groups& groups, const ScanOptions& options, Format format,
                 void* out) {
    record(Route::scan_groups);
    const BriefWork brief(groups.bytes() < scan_brief_bytes);
    const auto each = [&](const View& block, std::int64_t first, std::int64_t number) {
        const std::int64_t rows = groups.rows + (options.include_initial ? 1 : 0);
        const Room results(groups.room_for(number, rows, format));
        scan_loops(combine, block, 0, options, format, results.get());
        put_groups(results.get(), format, rows * groups.columns, first, number, out);
    };
    for_each_block(groups, groups.bytes() >= scan_threaded_bytes ? thread_count() : 1, each,
                   AsTheyLie(scan_method(combine, groups.format, format), groups, options, format, out));
}

void scan_packed(Combine combine, const PackedLines& lines, const ScanOptions& options, Format format,
                 void* out) {
    record(Route::scan_packed);
    const BriefWork brief(lines.bytes() < scan_brief_bytes);
    const auto each = [&](const View& block, std::int64_t first) {
        const std::int64_t of_each = block.shape[1] + (options.include_initial ? 1 : 0),
                           at = first * of_each * static_cast<std::int64_t>(size_of(format));
        scan_loops(combine, block, 1, options, format, static_cast<char*>(out) + at);
    };
    for_each_packed(lines, lines.bytes() >= scan_threaded_bytes ? thread_count() : 1, each);
}

}  // namespace

void scan(Combine combine, const View& x, int axis, const ScanOptions& options, Format format, void* out) {
    const FloatingPointScope scope;
    const Staging staging = stage_scan(combine, x, axis, options, format, out);
    switch (staging.load) {
        case Load::groups:
            return scan_groups(combine, staging.groups, options, format, out);
        case Load::packed:
            return scan_packed(combine, staging.lines, options, format, out);
        case Load::direct:
            return scan_loops(combine, x, axis, options, format, out);
    }
}

}  // namespace samesum
