#include <algorithm>
#include <optional>

#include "kernels/instruction_set.hpp"
#include "layout/copy.hpp"
#include "run/layouts/neighbours.hpp"
#include "run/normalize/norm_line.hpp"
#include "run/normalize/normalize.hpp"
#include "run/tiles.hpp"
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
          dims_(call),
          methods_(*current_instruction_set().norms),
          scales_(call.x, call.lines, call.scale, call.bias, methods_),
          is_own_(call.format == call.x.format),
          item_(static_cast<std::int64_t>(size_of(call.x.format))),
          result_(static_cast<std::int64_t>(size_of(call.format))),
          n_(static_cast<std::size_t>(dims_.length)) {}

    void run() const {
        const std::int64_t bytes = dims_.length * item_;
        const std::int64_t together = static_cast<std::int64_t>(norm_lines);
        std::int64_t batch =
            std::max((line_task_bytes / bytes + together - 1) / together, std::int64_t{1}) * together;
        const std::int64_t elements = dims_.count * dims_.length;
        const SharedWork work(elements, normalization_threaded_elements, normalization_brief_elements);
        const std::int64_t tasks = line_tasks_per_thread * work.threads;
        batch = std::min(batch, (dims_.count + tasks - 1) / tasks);
        for_each_batch(dims_.count, batch, work.threads,
                       [&](std::int64_t first, std::int64_t count) { take(first, count); });
    }

  private:
    struct LineDims {
        Dims kept, reduced;
        std::int64_t count = 1, length = 1;
        bool direct;

        explicit LineDims(const NormCall& call) {
            std::int64_t stride = static_cast<std::int64_t>(size_of(call.format));
            const View& x = call.x;
            for (int i = x.rank - 1; i >= 0; --i) {
                const Dim d{x.shape[i], x.strides[i], stride};
                stride *= d.size;
                (call.lines[i] ? length : count) *= d.size;
                if (d.size != 1) (call.lines[i] ? reduced : kept).push(d);
            }
            std::reverse(kept.dim, kept.dim + kept.rank);
            std::reverse(reduced.dim, reduced.dim + reduced.rank);
            merge_neighbours(reduced);
            const Dim one = reduced.rank > 0 ? reduced.dim[0] : Dim{1, 0, 0};
            const bool is_run = one.in == static_cast<std::int64_t>(size_of(x.format)) &&
                                one.out == static_cast<std::int64_t>(size_of(call.format));
            direct = !x.swapped && reduced.rank <= 1 && (length == 1 || is_run);
        }
        Dim side() const { return kept.rank > 0 ? kept.dim[kept.rank - 1] : Dim{1, 0, 0}; }
    };

    bool streams() const { return dims_.count * dims_.length * result_ >= streamed_bytes; }

    void take(std::int64_t first, std::int64_t count) const {
        record(dims_.direct ? Route::norm_rows : Route::norm_gathered);
        if (dims_.direct) {
            take_direct(first, count);
        } else {
            const std::int64_t most = std::max<std::int64_t>(line_task_bytes / (dims_.length * item_), 1);
            for (std::int64_t i = 0; i < count;) {
                const std::int64_t side = dims_.side().size,
                                   now = std::min({most, count - i, side - (first + i) % side});
                take_gathered(first + i, now);
                i += now;
            }
        }
        finish_streams();
    }

    void take_direct(std::int64_t first, std::int64_t count) const {
        const char* x[norm_lines];
        char* out[norm_lines];
        Walk walk(dims_.kept, first);
        for (std::int64_t i = 0; i < count;) {
            std::size_t some = 0;
            for (; some < norm_lines && i + static_cast<std::int64_t>(some) < count; ++some, walk.next()) {
                x[some] = call_.x.data + walk.in();
                out[some] = static_cast<char*>(call_.out) + walk.out();
            }
            take_some(first + i, some, x, out, streams());
            i += static_cast<std::int64_t>(some);
        }
    }

    // Neighbouring lines, element by element where it is they that lie side by side.
    void take_gathered(std::int64_t first, std::int64_t count) const {
        const std::int64_t pitch = dims_.length * item_ + 64, to = dims_.length * result_ + 64;
        const Scratch room(static_cast<std::size_t>(count * (pitch + to)));
        char* const results = room.get() + count * pitch;
        const Offsets at = offsets_at(dims_.kept, first);
        const bool one_by_one = count < few_norm_neighbours;
        const Neighbours from{count, dims_.side().in, pitch, static_cast<std::size_t>(item_)},
            made{count, dims_.side().out, to, static_cast<std::size_t>(result_)};
        each_run([&](std::int64_t i, const Dim& run, Offsets within) {
            from.gather_run(call_.x.data + at.in + within.in, run, call_.x.swapped, one_by_one,
                            room.get() + i * item_);
        });
        const char* x[norm_lines];
        char* out[norm_lines];
        for (std::int64_t i = 0; i < count; i += static_cast<std::int64_t>(norm_lines)) {
            const std::size_t some = static_cast<std::size_t>(
                std::min<std::int64_t>(static_cast<std::int64_t>(norm_lines), count - i));
            for (std::size_t k = 0; k < some; ++k) {
                x[k] = room.get() + (i + static_cast<std::int64_t>(k)) * pitch;
                out[k] = results + (i + static_cast<std::int64_t>(k)) * to;
            }
            take_some(first + i, some, x, out, false);
        }
        each_run([&](std::int64_t i, const Dim& run, Offsets within) {
            made.scatter_run(results + i * result_, run, one_by_one,
                             static_cast<char*>(call_.out) + at.out + within.out);
        });
    }

    // each(run of elements of a line: where it is in the line, its dimension, offsets)
    template <class Each>
    void each_run(const Each& each) const {
        Dims outer = dims_.reduced;
        const Dim run = outer.rank > 0 ? outer.dim[--outer.rank] : Dim{1, 0, 0};
        Walk walk(outer, 0);
        for (std::int64_t i = 0; i < dims_.length; i += run.size, walk.next())
            each(i, run, Offsets{walk.in(), walk.out()});
    }

    // Up to norm_lines contiguous lines, from number `first` on. Elements whose results have another format
    // become float64, which holds them all.
    void take_some(std::int64_t first, std::size_t count, const char* const* x, char* const* out,
                   bool streamed) const {
        if (is_own_) return take_lines(first, count, x, out, streamed);
        const Scratch room(static_cast<std::size_t>(n_ * sizeof(double)));
        const char* const widened = room.get();
        for (std::size_t k = 0; k < count; ++k) {
            methods_.widen[static_cast<std::size_t>(call_.x.format)](x[k], n_,
                                                                     reinterpret_cast<double*>(room.get()));
            take_lines(first + static_cast<std::int64_t>(k), 1, &widened, out + k, streamed);
        }
    }

    void take_lines(std::int64_t first, std::size_t count, const char* const* x, char* const* out,
                    bool streamed) const {
        NormLine lines[norm_lines];
        const Format format = is_own_ ? call_.x.format : Format::f64;
        methods_.measure[static_cast<std::size_t>(format)](call_.row, x, n_, count, lines);
        std::optional<MeasuredLine> measured[norm_lines];
        for (std::size_t k = 0; k < count; ++k) {
            measured[k].emplace(call_, format, n_, lines[k], x[k], out[k], streamed);
            measured[k]->begin(first + static_cast<std::int64_t>(k));
        }
        // What is the same for all lines is read once for all of them.
        if (scales_.are_shared()) {
            scales_.each_stretch(first, n_, [&](std::size_t i, std::size_t now, const NormScale& by) {
                for (std::size_t k = 0; k < count; ++k) measured[k]->take(i, now, by);
            });
            return;
        }
        for (std::size_t k = 0; k < count; ++k)
            scales_.each_stretch(
                first + static_cast<std::int64_t>(k), n_,
                [&](std::size_t i, std::size_t now, const NormScale& by) { measured[k]->take(i, now, by); });
    }

    const NormCall& call_;
    const LineDims dims_;
    const NormMethods& methods_;
    const NormScales scales_;
    const bool is_own_;
    const std::int64_t item_, result_;
    const std::size_t n_;
};

}  // namespace

void normalize_lines(const NormCall& call) {
    const FloatingPointScope scope;
    LineNorms(call).run();
}

}  // namespace samesum
