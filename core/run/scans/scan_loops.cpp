#include "run/scans/scan_loops.hpp"

#include <algorithm>

#include "layout/stream.hpp"
#include "run/reduce/accumulate.hpp"
#include "run/reduce/reduce.hpp"
#include "run/scans/repair.hpp"
#include "run/scans/interleaved_scan.hpp"
#include "run/scans/line_scan.hpp"
#include "run/scans/long_scan.hpp"
#include "run/scans/row_scan.hpp"
#include "run/scans/scan_columns.hpp"
#include "run/scans/scan_method.hpp"
#include "run/scans/short_scan.hpp"
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

class Job {
  public:
    Job(Combine combine, const ScanPlan& plan)
        : combine_(combine),
          plan_(plan),
          method_(scan_method(combine, plan.in, plan.format)),
          target_(combine, plan),
          rows_(combine, plan, method_, target_, failures_),
          side_by_side_(plan, method_, target_, failures_),
          interleaved_(plan, method_, target_, rows_),
          long_(plan, method_, target_, rows_, side_by_side_, interleaved_) {}

    void run() {
        const std::int64_t bytes =
            plan_.lines.count() * (plan_.columns ? plan_.inner.size : 1) * plan_.axis.size * item();
        const int threads =
            bytes >= (plan_.columns ? scan_threaded_columns_bytes : scan_threaded_bytes) ? thread_count() : 1;
        {
            const BriefWork brief(bytes < scan_brief_bytes);
            if (target_.streams()) record(Route::scan_streamed);
            scan(threads);
        }
        repair(combine_, plan_, method_, failures_, threads);
    }

  private:
    // The loop that serves the plan.
    enum class Loop { short_lines, columns, side_by_side, interleaved, chunks, single_lines };

    Loop loop_for(int threads) const {
        if (lines_are_short(plan_, method_)) return Loop::short_lines;
        if (plan_.columns) return Loop::columns;
        if (lines_side_by_side()) return Loop::side_by_side;
        if (interleaved_.lines() > 1 && interleaved_.is_taken()) return Loop::interleaved;
        return lines_are_long(threads) ? Loop::chunks : Loop::single_lines;
    }

    void scan(int threads) {
        switch (loop_for(threads)) {
            case Loop::short_lines:
                return scan_short_lines(plan_, method_, target_.initial(), failures_, threads);
            case Loop::columns:
                return scan_columns(plan_, method_, target_, failures_, threads);
            case Loop::side_by_side:
                return scan_side_by_side(threads);
            case Loop::interleaved:
                return scan_interleaved(threads);
            case Loop::chunks:
                return long_.run(threads);
            case Loop::single_lines:
                return scan_single_lines(threads);
        }
    }

    std::int64_t item() const { return static_cast<std::int64_t>(size_of(plan_.in)); }

    // Lines that lie element by element beside each other go together.
    bool lines_side_by_side() const {
        const std::int64_t elements = plan_.axis.size * long_.lines_together();
        const bool quick = method_.takes_long_lines || elements <= LineScan::together;
        const bool interleaves =
            interleaved_.lines() > 1 && interleaved_.is_taken() &&
            (interleaved_.is_reversed() ||
             elements >= (is_float(plan_.format) ? least_interleaved_floats : least_interleaved_integers));
        return plan_.lines.count() >= group_lines * long_.lines_together() && method_.takes_lines() &&
               quick && !interleaves;
    }

    // Lines too few for the threads, or so long that a carry joined block by block would lose its certainty.
    bool lines_are_long(int threads) const {
        const std::int64_t together = long_.lines_together();
        if (plan_.written >= many_chunks * chunk_elements) return true;
        if (together > 1 && plan_.lines.count() < lines_per_thread * threads * together) return true;
        return threads > 1 ? plan_.lines.count() < lines_per_thread * threads : takes_parts();
    }

    bool takes_parts() const { return long_.takes_parts_of(plan_.written / group_lines); }

    // Groups of lines that lie element by element beside each other; long ones by chunks, each of which may
    // be too hard to be scanned like this.
    void scan_interleaved(int threads) {
        record(Route::scan_interleaved);
        const std::int64_t together = interleaved_.lines(), groups = plan_.lines.count() / together,
                           elements = std::max<std::int64_t>(1, together * plan_.axis.size);
        const bool is_long = elements >= 2 * chunk_elements;
        if (is_long && groups < lines_per_thread * threads) return long_.run(threads);
        const std::int64_t batch = std::max<std::int64_t>(1, chunk_elements / elements);
        auto task = [&](std::size_t t, std::size_t) {
            const std::int64_t first = static_cast<std::int64_t>(t) * batch;
            Walk walk(plan_.lines, first * together);
            for (std::int64_t group = first; group < std::min(groups, first + batch); ++group) {
                const char* in = plan_.data + walk.in();
                char* out = plan_.out + walk.out();
                if (is_long)
                    long_.run_line(in, out, 1);
                else
                    scan_whole(in, out, together);
                next_of(walk);
            }
            finish_streams();
        };
        for_each_task(static_cast<std::size_t>((groups + batch - 1) / batch),
                      static_cast<std::size_t>(threads), task);
    }

    void next_of(Walk& walk) const {
        for (std::int64_t k = 0; k < long_.lines_together(); ++k) walk.next();
    }

    // One line, or all that go together.
    void scan_whole(const char* in, char* out, std::int64_t lines) {
        target_.write_initial(out, lines);
        if (lines == interleaved_.lines() && interleaved_.is_taken() &&
            interleaved_.scan(in, out, 0, plan_.axis.size, nullptr))
            return;
        for (std::int64_t k = 0; k < lines; ++k, in += plan_.inner.in, out += plan_.inner.out)
            rows_.scan(in, out, 0, plan_.axis.size, method_.identity, nullptr);
    }

    void scan_side_by_side(int threads) {
        record(Route::scan_side_by_side);
        const std::int64_t together = long_.lines_together(), lines = plan_.lines.count() / together,
                           groups = (lines + group_lines - 1) / group_lines;
        const std::int64_t batch = std::max<std::int64_t>(
            1, chunk_elements / (group_lines * std::max<std::int64_t>(1, together * plan_.axis.size)));
        auto task = [&](std::size_t t, std::size_t) {
            const std::int64_t first = static_cast<std::int64_t>(t) * batch * group_lines;
            const std::int64_t last = std::min(lines, first + batch * group_lines);
            Walk walk(plan_.lines, first * together);
            TileScope scope;
            for (std::int64_t line = first; line < last; line += group_lines) {
                LinePart parts[scan_lines];
                const std::size_t count = static_cast<std::size_t>(std::min(last - line, group_lines));
                for (std::size_t k = 0; k < count; ++k, next_of(walk)) {
                    parts[k] = {plan_.data + walk.in(), plan_.out + walk.out(), 0};
                    target_.write_initial(parts[k].out, together);
                }
                method_.init(scope.tile(), scan_lines * static_cast<std::size_t>(together));
                side_by_side_.scan(scope.tile(), parts, count, plan_.written, together);
            }
            finish_streams();
        };
        for_each_task(static_cast<std::size_t>((groups + batch - 1) / batch),
                      static_cast<std::size_t>(threads), task);
    }

    // Lines of which each has a thread to itself, by parts if those may be short.
    void scan_single_lines(int threads) {
        const bool by_parts = takes_parts() && method_.least_part <= scan_elements;
        if (!by_parts) record(Route::scan_rows);
        const std::int64_t lines = plan_.lines.count();
        const std::int64_t batch =
            std::max<std::int64_t>(1, chunk_elements / std::max<std::int64_t>(1, plan_.axis.size));
        auto task = [&](std::size_t t, std::size_t) {
            const std::int64_t first = static_cast<std::int64_t>(t) * batch;
            Walk walk(plan_.lines, first);
            for (std::int64_t line = first; line < std::min(lines, first + batch); ++line, walk.next()) {
                const char* in = plan_.data + walk.in();
                char* out = plan_.out + walk.out();
                if (by_parts)
                    long_.run_line(in, out, 1);
                else
                    scan_whole(in, out, 1);
            }
            finish_streams();
        };
        for_each_task(static_cast<std::size_t>((lines + batch - 1) / batch),
                      static_cast<std::size_t>(threads), task);
    }

    const Combine combine_;
    const ScanPlan& plan_;
    const ScanMethod& method_;
    const ScanTarget target_;
    Failures failures_;
    const RowScan rows_;
    LineScan side_by_side_;
    const InterleavedScan interleaved_;
    LongScan long_;
};

}  // namespace

void scan_loops(Combine combine, const View& x, int axis, const ScanOptions& options, Format format,
                void* out) {
    const ScanPlan plan = plan_scan(x, axis, options, format, out);
    counters.scan_lines += static_cast<std::uint64_t>(plan.lines.count());
    Job(combine, plan).run();
}

}  // namespace samesum
