#include "run/scans/scan.hpp"

#include "run/layouts/packed_lines.hpp"
#include "run/layouts/staging.hpp"
#include "run/scans/grouped_scan.hpp"
#include "run/scans/scan_loops.hpp"
#include "select/routes.hpp"
#include "select/thread_thresholds.hpp"
#include "threads/pool.hpp"

namespace samesum {

namespace {

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
