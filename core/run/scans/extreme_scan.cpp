// Cumulative minima and maxima.
#include <algorithm>
#include <vector>

#include "arithmetic/division.hpp"
#include "kernels/instruction_set.hpp"
#include "layout/copy.hpp"
#include "layout/scan_plan.hpp"
#include "layout/stream.hpp"
#include "run/room.hpp"
#include "run/scans/scan.hpp"
#include "run/scans/scan_call.hpp"
#include "select/pair_thresholds.hpp"
#include "select/routes.hpp"
#include "select/thread_thresholds.hpp"
#include "threads/pool.hpp"

namespace samesum {

namespace {

// Bytes that are copied at a time.
constexpr std::int64_t copied_bytes = 8 << 10;

class Job {
  public:
    Job(const ExtremeScanMethod& method, const ExtremeOrder& order, const ScanPlan& plan)
        : method_(method),
          order_(order),
          plan_(plan),
          item_(plan.item()),
          bytes_(plan.bytes()),
          streams_(bytes_ >= streamed_bytes),
          threads_(threads_for(plan)) {
        const std::int64_t columns = plan.columns ? plan.inner.size : 1, lines = plan.lines.count(),
                           shares = threads_ > 1 ? 2 * threads_ : 1;
        const std::int64_t tiles = std::max<std::int64_t>(divided_up(shares, lines), 1);
        width_ = std::clamp(divided_up(columns, tiles), std::min<std::int64_t>(columns, extreme_columns),
                            std::min(columns, static_cast<std::int64_t>(key_columns)));
        tiles_ = divided_up(columns, width_);
        units_ = lines * tiles_;
        const std::int64_t most =
            std::max<std::int64_t>(width_ * plan.axis.size * item_ / extreme_part_bytes, 1);
        parts_ = units_ >= shares ? 1 : std::min(divided_up(2 * shares, units_), most);
        part_ = divided_up(plan.axis.size, parts_);
        parts_ = divided_up(plan.axis.size, part_);
    }

    void run() const {
        const BriefWork brief(bytes_ < scan_brief_bytes);
        if (parts_ == 1) return scan_units();
        record(Route::scan_extreme_parts);
        std::vector<ExtremeKeys> keys(static_cast<std::size_t>(units_ * parts_));
        const auto each = [&](bool writes) {
            auto task = [&](std::size_t i, std::size_t) {
                const std::int64_t part = static_cast<std::int64_t>(i) % parts_;
                if (!writes && part + 1 == parts_) return;
                const Unit unit = unit_of(static_cast<std::int64_t>(i) / parts_);
                if (!writes) method_.init(keys[i], static_cast<std::size_t>(unit.width));
                scan(unit, part * part_, std::min((part + 1) * part_, plan_.axis.size), keys[i], writes);
                finish_streams();
            };
            for_each_task(keys.size(), static_cast<std::size_t>(threads_), task);
        };
        each(false);
        for (std::int64_t u = 0; u < units_; ++u) begin_parts(keys.data() + u * parts_);
        each(true);
    }

  private:
    struct Unit {
        const char* x;
        char* out;
        std::int64_t width;
    };

    Unit unit_of(std::int64_t number) const {
        const Offsets at = offsets_at(plan_.lines, number / tiles_);
        const std::int64_t first = number % tiles_ * width_;
        return {plan_.data + at.in + first * plan_.inner.in, plan_.out + at.out + first * plan_.inner.out,
                plan_.columns ? std::min(width_, plan_.inner.size - first) : 1};
    }

    // Turns the extremes of each part into those of all that comes before it.
    void begin_parts(ExtremeKeys* keys) const {
        const std::size_t n = static_cast<std::size_t>(width_);
        for (std::int64_t p = 1; p + 1 < parts_; ++p) method_.join(keys[p], keys[p - 1], n);
        for (std::int64_t p = parts_ - 1; p > 0; --p) keys[p] = keys[p - 1];
        method_.init(keys[0], n);
    }

    void scan_units() const {
        const std::int64_t batch = std::clamp<std::int64_t>(
            extreme_task_bytes / (width_ * plan_.axis.size * item_), 1, divided_up(units_, 2 * threads_));
        record(are_lines_whole() ? Route::scan_extreme_lines
               : plan_.columns   ? Route::scan_extreme_columns
                                 : Route::scan_extreme_line);
        const auto take = [&](std::int64_t first, std::int64_t some) {
            const std::int64_t last = first + some;
            if (are_lines_whole()) return scan_lines(first, last);
            ExtremeKeys keys;
            for (std::int64_t u = first; u < last; ++u) {
                const Unit unit = unit_of(u);
                method_.init(keys, static_cast<std::size_t>(unit.width));
                scan(unit, 0, plan_.axis.size, keys, true);
            }
            finish_streams();
        };
        for_each_batch(units_, batch, static_cast<std::size_t>(threads_), take);
    }

    // Lines at one distance, whose elements and prefixes lie side by side.
    bool are_lines_whole() const {
        return !plan_.columns && plan_.lines.rank <= 1 && plan_.lies(plan_.axis.in) &&
               plan_.axis.out == item_ && (plan_.axis.size <= most_in_buffer() || !streams_);
    }

    std::int64_t most_in_buffer() const { return copied_bytes / item_ / 4; }

    // Results that are to be streamed go through a buffer, many lines of them.
    void scan_lines(std::int64_t first, std::int64_t last) const {
        const Dim lines = plan_.lines.rank > 0 ? plan_.lines.dim[0] : Dim{1, 0, 0};
        const bool is_dense = lines.out == plan_.axis.size * item_;
        alignas(64) char buffer[copied_bytes];
        const std::int64_t most = streams_ && is_dense ? copied_bytes / lines.out : last - first;
        for (std::int64_t i = first; i < last; i += most) {
            const std::int64_t now = std::min(most, last - i);
            char* const out = plan_.out + i * lines.out;
            method_.lines(order_, {plan_.data + i * lines.in, lines.in, streams_ && is_dense ? buffer : out,
                                   lines.out, static_cast<std::size_t>(now),
                                   static_cast<std::size_t>(plan_.axis.size), 0, plan_.in, nullptr});
            if (streams_ && is_dense) stream(out, buffer, static_cast<std::size_t>(now * lines.out));
        }
        finish_streams();
    }

    void scan(const Unit& unit, std::int64_t begin, std::int64_t end, ExtremeKeys& keys, bool writes) const {
        const char* x = unit.x + begin * plan_.axis.in;
        char* out = writes ? unit.out + begin * plan_.axis.out : nullptr;
        plan_.columns ? scan_columns(x, out, end - begin, unit.width, keys)
                      : scan_line(x, out, end - begin, keys);
    }

    // Elements that do not lie side by side are copied first, and results that do not are copied last.
    void scan_line(const char* x, char* out, std::int64_t n, ExtremeKeys& keys) const {
        const bool stays = out == nullptr || (plan_.axis.out == item_ && !streams_);
        if (plan_.lies(plan_.axis.in) && stays)
            return method_.line(order_, keys, x, static_cast<std::size_t>(n), out);
        alignas(64) char from[copied_bytes], to[copied_bytes];
        const std::int64_t block = copied_bytes / item_;
        for (std::int64_t i = 0; i < n; i += block) {
            const std::size_t now = static_cast<std::size_t>(std::min(block, n - i));
            const char* const p = plan_.elements_at(x + i * plan_.axis.in, plan_.axis.in, now, from);
            char* const q = out == nullptr ? nullptr : out + i * plan_.axis.out;
            method_.line(order_, keys, p, now, stays ? q : to);
            if (!stays) give(to, now, q, plan_.axis.out);
        }
    }

    void give(const char* from, std::size_t n, char* to, std::int64_t step) const {
        const std::size_t size = static_cast<std::size_t>(item_);
        if (step == item_ && streams_)
            stream(to, from, n * size);
        else
            scatter(from, n, size, to, step);
    }

    void scan_columns(const char* x, char* out, std::int64_t rows, std::int64_t width,
                      ExtremeKeys& keys) const {
        const std::size_t n = static_cast<std::size_t>(width), size = static_cast<std::size_t>(item_);
        const bool lies = plan_.lies(plan_.inner.in),
                   stays = out == nullptr || (plan_.inner.out == item_ && !streams_);
        const std::int64_t pitch = width * item_ + 64,
                           block = lies && stays ? rows : std::max<std::int64_t>(copied_bytes / pitch, 4);
        const Room room(static_cast<std::size_t>(lies && stays ? 64 : 2 * block * pitch));
        for (std::int64_t r = 0; r < rows; r += block) {
            const std::int64_t now = std::min(block, rows - r);
            const char* const p = x + r * plan_.axis.in;
            char* const q = out == nullptr ? nullptr : out + r * plan_.axis.out;
            char* const to = room.get() + block * pitch;
            for (std::int64_t k = 0; !lies && k < now; ++k)
                gather(p + k * plan_.axis.in, plan_.inner.in, n, size, plan_.swapped, room.get() + k * pitch);
            method_.columns(
                order_, keys,
                {lies ? p : room.get(), lies ? plan_.axis.in : pitch, stays ? q : to,
                 stays ? plan_.axis.out : pitch, static_cast<std::size_t>(now), n, 0, plan_.in, nullptr});
            for (std::int64_t k = 0; !stays && k < now; ++k)
                give(to + k * pitch, n, q + k * plan_.axis.out, plan_.inner.out);
        }
    }

    const ExtremeScanMethod& method_;
    const ExtremeOrder order_;
    const ScanPlan& plan_;
    const std::int64_t item_, bytes_;
    const bool streams_;
    const std::int64_t threads_;
    std::int64_t width_, tiles_, units_, parts_, part_;  // columns of a tile, elements of a part
};

}  // namespace

void scan_extremes(bool maximum, const View& x, int axis, bool reverse, void* out) {
    const FloatingPointScope scope;
    const ScanPlan plan = plan_scan(x, axis, {false, reverse, false}, x.format, out);
    const ExtremeScanMethods& all = *current_instruction_set().extreme_scans;
    Job(all.of(x.format, maximum), ExtremeOrder::of(x.format, maximum), plan).run();
}

}  // namespace samesum
