#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <vector>

#include "arithmetic/division.hpp"
#include "arithmetic/rounding.hpp"
#include "kernels/instruction_set.hpp"
#include "layout/copy.hpp"
#include "layout/plan.hpp"
#include "run/layouts/block_transpose.hpp"
#include "run/layouts/staging.hpp"
#include "run/normalize/lines.hpp"
#include "run/normalize/normalize.hpp"
#include "run/tiles.hpp"
#include "select/normalization_thresholds.hpp"
#include "select/routes.hpp"
#include "select/thread_thresholds.hpp"
#include "threads/pool.hpp"

namespace samesum {

namespace {

// A line of several blocks of elements `in` bytes apart, and their results, `to` bytes apart.
struct LongLine {
    const NormalizationMethods& methods;
    std::size_t format, kind;
    const char* x;
    std::int64_t in;
    char* out;
    std::int64_t to;
    std::size_t n;
    bool swapped;
    bool streamed;  // results beyond the caches
};

class LongLineSoftmax {
  public:
    explicit LongLineSoftmax(const LongLine& line)
        : line_(line),
          size_(size_of(static_cast<Format>(line.format))),
          is_direct_(line.in == static_cast<std::int64_t>(size_) && line.to == line.in && !line.swapped),
          threads_(threads_for(static_cast<std::int64_t>(line.n * size_), long_line_threaded_bytes)),
          shares_((line.n + line_block - 1) / line_block) {}

    void run() {
        const NormalizationMethods& methods = line_.methods;
        const std::size_t format = line_.format, kind = line_.kind;
        const auto sum_up = [&](const double* greatest) {
            for_each_part(false, [&](std::size_t t, const char* x, std::size_t n, char*) {
                shares_[t] = methods.share[format][kind](x, n, greatest);
            });
            return methods.joined[format][kind](shares_.data(), shares_.size());
        };
        LineShare all = sum_up(nullptr);
        // A line that is not near zero, against its greatest element.
        if (!all.is_near && std::isfinite(all.greatest)) {
            record(Route::softmax_below);
            const double greatest = all.greatest;
            all = sum_up(&greatest);
            all.is_near = false;
        }
        put_results([&](const char* x, std::size_t n, void* out) {
            if (std::isfinite(all.greatest) && !std::isnan(all.total))
                methods.quotients[format][kind](x, n, all, out);
            else
                put_nan(n, out);
        });
    }

  private:
    // each(number of the block, its elements side by side or as they lie, how many there are, room for as
    // many). A task takes blocks that follow each other.
    template <class F>
    void for_each_part(bool puts, F each) const {
        const std::size_t room_bytes = line_block * size_, threads = static_cast<std::size_t>(threads_),
                          share = (shares_.size() + threads - 1) / threads,
                          most = static_cast<std::size_t>(line_task_bytes) / room_bytes,
                          together = std::clamp<std::size_t>(most, 1, share);
        auto task = [&](std::size_t t, std::size_t) {
            const Scratch room((is_direct_ ? 0 : room_bytes) + (puts ? room_bytes : 0));
            const std::size_t end = std::min(shares_.size(), (t + 1) * together);
            for (std::size_t block = t * together; block < end; ++block) {
                const std::size_t n = std::min(line_block, line_.n - block * line_block);
                const char* x = line_.x + static_cast<std::int64_t>(block * line_block) * line_.in;
                if (!is_direct_) {
                    gather(x, line_.in, n, size_, line_.swapped, room.get());
                    x = room.get();
                }
                each(block, x, n, room.get() + (is_direct_ ? 0 : room_bytes));
            }
        };
        for_each_task((shares_.size() + together - 1) / together, threads_, task);
    }

    template <class F>
    void put_results(F put) const {
        const bool streams = is_direct_ && line_.streamed, puts = streams || !is_direct_;
        for_each_part(puts, [&](std::size_t t, const char* x, std::size_t n, char* room) {
            char* const out = line_.out + static_cast<std::int64_t>(t * line_block) * line_.to;
            put(x, n, puts ? room : out);
            if (streams) {
                stream(out, room, n * size_);
                finish_streams();
            } else if (puts) {
                scatter(room, n, size_, out, line_.to);
            }
        });
    }

    void put_nan(std::size_t n, void* out) const {
        const std::uint64_t nan = canonical_nan(static_cast<Format>(line_.format));
        for (std::size_t i = 0; i < n; ++i) store_bits(out, i, nan, size_);
    }

    const LongLine line_;
    const std::size_t size_;
    const bool is_direct_;
    const int threads_;
    std::vector<LineShare> shares_;  // of each block
};

class LineSoftmax {
  public:
    LineSoftmax(const View& x, int axis, Normalization kind, void* out)
        : lines_(
              x, [axis](int i) { return i == axis; }, x.format, out),
          axis_(lines_.run()),
          side_(lines_.side()),
          n_(static_cast<std::size_t>(lines_.length)),
          methods_(*current_instruction_set().normalizations),
          format_(static_cast<std::size_t>(x.format)),
          kind_(static_cast<std::size_t>(kind)) {}

    void run() const {
        const SharedWork work(lines_.count * lines_.length, normalization_threaded_elements,
                              normalization_brief_elements);
        const Way way = chosen(work.threads);
        if (way.take == nullptr) {
            record(Route::softmax_long);
            return take_long();
        }
        for_each_batch(lines_.count, way.batch, work.threads,
                       [&](std::int64_t first, std::int64_t count) { (this->*way.take)(first, count); });
    }

  private:
    // What a task does, and with how many lines; nothing if the threads share each line, which is long.
    struct Way {
        void (LineSoftmax::*take)(std::int64_t first, std::int64_t count) const;
        std::int64_t batch;
    };

    Way chosen(int threads) const {
        if (lines_.length > static_cast<std::int64_t>(line_block)) return {nullptr, 0};
        const std::int64_t bytes = lines_.length * lines_.item, whole = 64 / lines_.item;
        // Enough tasks for each thread to wait little for the last one.
        const std::int64_t tasks = line_tasks_per_thread * threads,
                           rows = std::clamp(line_task_bytes / bytes, std::int64_t{1},
                                             std::max<std::int64_t>(1, divided_up(lines_.count, tasks)));
        if (are_transposed() && !methods_.fill_rows[format_][kind_](n_))
            return {&LineSoftmax::take_transposed, rows};
        if (lines_.are_direct() && !(lines_.length == 1 && are_columns()))
            return {&LineSoftmax::take_direct, rows};
        if (are_columns() && !are_few_and_long()) {
            const std::int64_t wide =
                std::max<std::int64_t>(least_column_row_bytes, column_task_bytes / lines_.length / 64 * 64);
            return {&LineSoftmax::take_columns, wide / lines_.item};
        }
        const std::int64_t together = std::clamp<std::int64_t>(gathered_line_bytes / bytes, 1, whole);
        return {&LineSoftmax::take_gathered,
                std::max(line_task_bytes / bytes / together, std::int64_t{1}) * together};
    }

    // Neighbours, element by element, or many that are nearer to each other than their elements.
    bool are_columns() const {
        const bool near =
            lie_plain() || (side_.size >= 2 * few_neighbours && std::abs(side_.in) < std::abs(axis_.in));
        return near && side_.out == lines_.item;
    }
    // As columns they would leave most of a vector empty.
    bool are_few_and_long() const {
        return side_.size <= (lines_.item < 8 ? few_narrow_columns : few_wide_columns) &&
               lines_.length >= least_of_few_columns;
    }
    bool lie_plain() const { return !lines_.x.swapped && side_.in == lines_.item; }
    // Short lines lie side by side.
    bool are_transposed() const {
        return lines_.are_direct() && lines_.length >= 2 && lines_.length <= most_transposed_line &&
               lines_.all.rank == 1 && lines_.count >= least_transposed_count &&
               side_.in == lines_.length * lines_.item && are_whole();
    }
    // Aligned to the elements.
    bool are_whole() const {
        const std::uintptr_t size = static_cast<std::uintptr_t>(lines_.item);
        return reinterpret_cast<std::uintptr_t>(lines_.x.data) % size == 0 &&
               reinterpret_cast<std::uintptr_t>(lines_.out) % size == 0;
    }

    void take_direct(std::int64_t first, std::int64_t count) const {
        record(Route::softmax_rows);
        lines_.take_direct(first, count, lines_.streams(), [this](std::int64_t, const LineRows& rows) {
            methods_.lines[format_][kind_](rows);
        });
        finish_streams();
    }

    void take_gathered(std::int64_t first, std::int64_t count) const {
        record(Route::softmax_gathered);
        lines_.take_gathered(first, count, [this](std::int64_t, const LineRows& rows) {
            methods_.lines[format_][kind_](rows);
        });
    }

    void take_long() const {
        Walk walk(lines_.all, 0);
        for (std::int64_t i = 0; i < lines_.count; ++i, walk.next())
            LongLineSoftmax({methods_, format_, kind_, lines_.x.data + walk.in(), axis_.in,
                             lines_.out + walk.out(), axis_.out, n_, lines_.x.swapped, lines_.streams()})
                .run();
    }

    void take_columns(std::int64_t first, std::int64_t count) const {
        record(is_copied() ? Route::softmax_columns_copied : Route::softmax_columns);
        const Scratch room(bytes_for_columns(n_));
        const auto columns = methods_.columns[format_][kind_];
        lines_.for_each_run(first, count, [&](std::int64_t, std::int64_t run, Offsets at) {
            const LineColumns here{lines_.x.data + at.in,        axis_.in, lines_.out + at.out, axis_.out, n_,
                                   static_cast<std::size_t>(run)};
            is_copied() ? run_copied(here, room.get()) : columns(here, room.get());
        });
        finish_streams();
    }

    bool is_copied() const { return lines_.streams() || !lie_plain(); }

    // Rows are copied together, beyond the cache by stretches of several cache lines, and so are results.
    void run_copied(const LineColumns& lines, char* room) const {
        const std::size_t size = static_cast<std::size_t>(lines_.item), bytes = lines.count * size,
                          pitch = (bytes + 63) / 64 * 64;
        const Scratch copies((lines_.streams() ? 2 : 1) * pitch * lines.n);
        for (std::size_t i = 0; i < lines.n; ++i) {
            const char* const from = lines.x + static_cast<std::ptrdiff_t>(i) * lines.in;
            char* const to = copies.get() + i * pitch;
            if (lie_plain()) {
                for (std::size_t k = 0; k < bytes; k += 64) __builtin_prefetch(from + 4 * lines.in + k);
                std::memcpy(to, from, bytes);
            } else {
                gather(from, side_.in, lines.count, size, lines_.x.swapped, to);
            }
        }
        const auto step = static_cast<std::ptrdiff_t>(pitch);
        LineColumns copied = lines;
        copied.x = copies.get();
        copied.in = step;
        if (!lines_.streams()) return methods_.columns[format_][kind_](copied, room);
        char* const results = copies.get() + pitch * lines.n;
        copied.out = results;
        copied.to = step;
        methods_.columns[format_][kind_](copied, room);
        for (std::size_t i = 0; i < lines.n; ++i)
            stream(lines.out + static_cast<std::ptrdiff_t>(i) * lines.to, results + i * pitch, bytes);
    }

    // As columns between two transpositions.
    void take_transposed(std::int64_t first, std::int64_t count) const {
        record(Route::softmax_transposed);
        alignas(64) char elements[BlockTranspose::buffer_bytes], results[BlockTranspose::buffer_bytes];
        alignas(64) char room[bytes_for_columns(most_transposed_line)];
        const BlockTranspose blocks(static_cast<std::size_t>(lines_.item), n_);
        const std::ptrdiff_t step = blocks.step();
        const std::int64_t most = static_cast<std::int64_t>(blocks.rows());
        for (std::int64_t i = first; i < first + count; i += most) {
            const std::size_t n = static_cast<std::size_t>(std::min(most, first + count - i));
            const std::int64_t at = i * lines_.length * lines_.item;
            blocks.to_columns(lines_.x.data + at, n, elements);
            const LineColumns columns{elements, step, results, step, n_, n};
            methods_.columns[format_][kind_](columns, room);
            blocks.to_rows(results, n, lines_.out + at);
        }
    }

    const Lines lines_;
    const Dim axis_, side_;
    const std::size_t n_;
    const NormalizationMethods& methods_;
    const std::size_t format_, kind_;
};

}  // namespace

void normalize(const View& x, int axis, Normalization kind, void* out) {
    const FloatingPointScope scope;
    const Staging staging = stage_normalization(x, axis, out);
    if (staging.load == Load::direct) return LineSoftmax(x, axis, kind, out).run();
    static_assert(grouped_elements < normalization_threaded_elements);
    const bool are_groups = staging.load == Load::groups;
    const std::int64_t elements = are_groups ? staging.groups.elements() : staging.lines.elements();
    record(are_groups ? Route::softmax_groups : Route::softmax_packed);
    const SharedWork work(elements, normalization_threaded_elements, normalization_brief_elements);
    for_each_staged(staging, x.format, 0, work.threads, out, [&](const View& block, int along, void* to) {
        LineSoftmax(block, along, kind, to).run();
    });
}

}  // namespace samesum
