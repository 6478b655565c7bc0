#include <algorithm>
#include <optional>

#include "arithmetic/division.hpp"
#include "kernels/instruction_set.hpp"
#include "run/normalize/lines.hpp"
#include "run/normalize/norm_line.hpp"
#include "run/normalize/normalize.hpp"
#include "select/normalization_thresholds.hpp"
#include "select/routes.hpp"
#include "select/thread_thresholds.hpp"
#include "threads/pool.hpp"

namespace samesum {

namespace {

class LineNorms {
  public:
    explicit LineNorms(const NormCall& call)
        : call_(call),
          lines_(
              call.x, [&](int i) { return call.lines[i]; }, call.format, call.out),
          methods_(*current_instruction_set().norms),
          scales_(call.x, call.lines, call.scale, call.bias, methods_) {}

    void run() const {
        constexpr std::int64_t together = static_cast<std::int64_t>(norm_lines);
        const bool are_direct = lines_.are_direct();
        const std::int64_t most = std::max<std::int64_t>(line_task_bytes / (lines_.length * lines_.item), 1);
        const SharedWork work(lines_.count * lines_.length, normalization_threaded_elements,
                              normalization_brief_elements);
        const std::int64_t batch = std::min(are_direct ? divided_up(most, together) * together : most,
                                            divided_up(lines_.count, line_tasks_per_thread * work.threads));
        const auto take = [&](std::int64_t first, const LineRows& rows) { take_rows(first, rows); };
        for_each_batch(lines_.count, batch, work.threads, [&](std::int64_t first, std::int64_t count) {
            record(are_direct ? Route::norm_rows : Route::norm_gathered);
            if (are_direct)
                lines_.take_direct(first, count, false, take);
            else
                lines_.take_gathered(first, count, take);
            finish_streams();
        });
    }

  private:
    // Up to norm_lines at a time. Elements whose results have another format become float64, which holds them
    // all.
    void take_rows(std::int64_t first, const LineRows& rows) const {
        const bool are_own = call_.format == call_.x.format;
        std::optional<Scratch> room;
        if (!are_own) room.emplace(rows.n * sizeof(double));
        const std::size_t together = are_own ? norm_lines : 1;
        const char* x[norm_lines];
        char* out[norm_lines];
        for (std::size_t i = 0, some; i < rows.count; i += some) {
            some = std::min(together, rows.count - i);
            for (std::size_t k = 0; k < some; ++k) {
                x[k] = rows.x + static_cast<std::ptrdiff_t>(i + k) * rows.in;
                out[k] = rows.out + static_cast<std::ptrdiff_t>(i + k) * rows.to;
            }
            if (!are_own) {
                methods_.widen[static_cast<std::size_t>(call_.x.format)](
                    x[0], rows.n, reinterpret_cast<double*>(room->get()));
                x[0] = room->get();
            }
            take_some(first + static_cast<std::int64_t>(i), some, are_own ? call_.format : Format::f64, x,
                      out);
        }
    }

    void take_some(std::int64_t first, std::size_t count, Format format, const char* const* x,
                   char* const* out) const {
        const std::size_t n = static_cast<std::size_t>(lines_.length);
        NormLine lines[norm_lines];
        methods_.measure[static_cast<std::size_t>(format)](call_.row, x, n, count, lines);
        std::optional<MeasuredLine> measured[norm_lines];
        for (std::size_t k = 0; k < count; ++k) {
            measured[k].emplace(call_, format, n, lines[k], x[k], out[k],
                                lines_.are_direct() && lines_.streams());
            measured[k]->begin(first + static_cast<std::int64_t>(k));
        }
        // What is the same for all lines is read once for all of them.
        const std::size_t apart = scales_.are_shared() ? count : 1;
        for (std::size_t line = 0; line < count; line += apart)
            scales_.each_stretch(first + static_cast<std::int64_t>(line), n,
                                 [&](std::size_t i, std::size_t now, const NormScale& by) {
                                     for (std::size_t k = line; k < line + apart; ++k)
                                         measured[k]->take(i, now, by);
                                 });
    }

    const NormCall& call_;
    const Lines lines_;
    const NormMethods& methods_;
    const NormScales scales_;
};

}  // namespace

void normalize_lines(const NormCall& call) {
    const FloatingPointScope scope;
    LineNorms(call).run();
}

}  // namespace samesum
