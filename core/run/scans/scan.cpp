#include "run/scans/scan.hpp"

#include <algorithm>

#include "layout/copy.hpp"
#include "run/layouts/staging.hpp"
#include "run/reduce/reduce.hpp"
#include "run/scans/scan_call.hpp"
#include "run/tiles.hpp"
#include "select/routes.hpp"
#include "select/scan_thresholds.hpp"
#include "select/thread_thresholds.hpp"
#include "threads/pool.hpp"

namespace samesum {

namespace {

// Elements of lines that one thread takes at a time.
constexpr std::int64_t chunk_elements = LongScan::chunk_elements;
// Lines side by side.
constexpr std::int64_t group_lines = static_cast<std::int64_t>(scan_lines);
// Bytes of whole lines that are written past the caches at a time.
constexpr std::int64_t whole_line_bytes = 8 << 10;

class LineScan {
  public:
    LineScan(Combine combine, const ScanPlan& plan)
        : call_(combine, plan), plan_(plan), method_(call_.method), long_(call_) {}

    void run() {
        const std::int64_t threaded = plan_.columns ? scan_threaded_columns_bytes : scan_threaded_bytes;
        if (call_.streams) record(Route::scan_streamed);
        scan(SharedWork(plan_.bytes(), threaded, scan_brief_bytes).threads);
        repair(call_.combine, plan_, call_.failures, threads_for(plan_.bytes(), threaded));
    }

  private:
    // The loop that serves the plan.
    enum class Loop { short_lines, columns, side_by_side, chunks, whole_lines, single_lines };

    Loop loop_for(int threads) const {
        if (are_lines_whole() && !(threads > 1 && lines_are_long(threads))) return Loop::whole_lines;
        if (lines_are_short(call_)) return Loop::short_lines;
        if (plan_.columns) return Loop::columns;
        if (lines_side_by_side()) return Loop::side_by_side;
        return lines_are_long(threads) ? Loop::chunks : Loop::single_lines;
    }

    void scan(int threads) {
        switch (loop_for(threads)) {
            case Loop::short_lines:
                return scan_short_lines(call_, threads);
            case Loop::columns:
                return scan_columns(call_, threads);
            case Loop::side_by_side:
                return scan_groups_side_by_side(threads);
            case Loop::chunks:
                return long_.run(threads);
            case Loop::whole_lines:
                return scan_whole_lines(threads);
            case Loop::single_lines:
                return scan_single_lines(threads);
        }
    }

    // Lines that lie element by element beside each other go together.
    bool lines_side_by_side() const { return plan_.lines.count() >= group_lines && method_.takes_lines(); }

    // Lines too few for the threads, or so long that a carry joined block by block would lose its certainty.
    bool lines_are_long(int threads) const {
        if (plan_.written >= many_chunks * chunk_elements) return true;
        return threads > 1 ? plan_.lines.count() < lines_per_thread * threads : takes_parts();
    }

    bool takes_parts() const { return long_.takes_parts_of(plan_.written / group_lines); }

    void scan_one(const char* in, char* out) {
        call_.write_initial(out, 1);
        scan_line(call_, in, out, 0, plan_.axis.size, method_.identity, nullptr);
    }

    void scan_groups_side_by_side(int threads) {
        record(Route::scan_side_by_side);
        const std::int64_t groups = std::max<std::int64_t>(
            1, chunk_elements / (group_lines * std::max<std::int64_t>(1, plan_.axis.size)));
        const auto take = [&](std::int64_t first, std::int64_t some) {
            const std::int64_t last = first + some;
            Walk walk(plan_.lines, first);
            TileScope scope;
            for (std::int64_t line = first; line < last; line += group_lines) {
                LinePart parts[scan_lines];
                const std::size_t count = static_cast<std::size_t>(std::min(last - line, group_lines));
                for (std::size_t k = 0; k < count; ++k, walk.next()) {
                    parts[k] = {plan_.data + walk.in(), plan_.out + walk.out(), 0};
                    call_.write_initial(parts[k].out, 1);
                }
                method_.init(scope.tile(), scan_lines);
                scan_side_by_side(call_, scope.tile(), parts, count, plan_.written);
            }
            finish_streams();
        };
        for_each_batch(plan_.lines.count(), groups * group_lines, threads, take);
    }

    // Lines at one distance, whose elements and prefixes lie side by side.
    bool are_lines_whole() const {
        const std::int64_t room = whole_line_bytes / plan_.result() / 4;
        return method_.whole_lines != nullptr && !plan_.columns && plan_.lines.rank <= 1 &&
               plan_.lies(plan_.axis.in) && call_.writes(plan_.axis.out, plan_.axis.size <= room) &&
               plan_.written == plan_.axis.size && !plan_.has_initial;
    }

    // Results that are to be streamed go through a buffer, many lines of them.
    void scan_whole_lines(int threads) {
        record(Route::scan_whole_lines);
        const Dim line = plan_.lines.rank > 0 ? plan_.lines.dim[0] : Dim{1, 0, 0};
        const bool passes = call_.streams && line.out == plan_.axis.size * plan_.result();
        const auto take = [&](std::int64_t first, std::int64_t count) {
            alignas(64) char buffer[whole_line_bytes];
            const std::int64_t most = passes ? whole_line_bytes / line.out : count;
            for (std::int64_t i = first; i < first + count; i += most) {
                const std::int64_t now = std::min(most, first + count - i);
                char* const out = plan_.out + i * line.out;
                method_.whole_lines({plan_.data + i * line.in, line.in, passes ? buffer : out, line.out,
                                     static_cast<std::size_t>(now), static_cast<std::size_t>(plan_.axis.size),
                                     0, plan_.format, nullptr});
                if (passes) stream(out, buffer, static_cast<std::size_t>(now * line.out));
            }
            finish_streams();
        };
        const std::int64_t each = std::max<std::int64_t>(1, plan_.axis.size);
        for_each_batch(plan_.lines.count(), std::max<std::int64_t>(1, chunk_elements / each), threads, take);
    }

    // Lines of which each has a thread to itself, by parts if those may be short.
    void scan_single_lines(int threads) {
        const bool by_parts = takes_parts() && method_.least_part <= scan_elements;
        if (!by_parts) record(Route::scan_rows);
        const auto take = [&](std::int64_t first, std::int64_t some) {
            const std::int64_t last = first + some;
            Walk walk(plan_.lines, first);
            for (std::int64_t line = first; line < last; ++line, walk.next()) {
                const char* in = plan_.data + walk.in();
                char* out = plan_.out + walk.out();
                if (by_parts)
                    long_.run_line(in, out, 1);
                else
                    scan_one(in, out);
            }
            finish_streams();
        };
        const std::int64_t each = std::max<std::int64_t>(1, plan_.axis.size);
        for_each_batch(plan_.lines.count(), std::max<std::int64_t>(1, chunk_elements / each), threads, take);
    }

    ScanCall call_;
    const ScanPlan& plan_;
    const ScanMethod& method_;
    LongScan long_;
};

void scan_loops(Combine combine, const View& x, int axis, const ScanOptions& options, Format format,
                void* out) {
    const ScanPlan plan = plan_scan(x, axis, options, format, out);
    counters.scan_lines += static_cast<std::uint64_t>(plan.lines.count());
    LineScan(combine, plan).run();
}

}  // namespace

void scan(Combine combine, const View& x, int axis, const ScanOptions& options, Format format, void* out) {
    const FloatingPointScope scope;
    const Staging staging = stage_scan(combine, x, axis, format, out);
    if (staging.load == Load::direct) return scan_loops(combine, x, axis, options, format, out);
    const bool are_groups = staging.load == Load::groups;
    const std::int64_t bytes = are_groups ? staging.groups.bytes() : staging.lines.bytes();
    record(are_groups ? Route::scan_groups : Route::scan_packed);
    const SharedWork work(bytes, scan_threaded_bytes, scan_brief_bytes);
    for_each_staged(staging, format, options.include_initial ? 1 : 0, work.threads, out,
                    [&](const View& block, int along, void* to) {
                        scan_loops(combine, block, along, options, format, to);
                    });
}

}  // namespace samesum
