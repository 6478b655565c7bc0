#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <cstring>

#include "kernels/instruction_set.hpp"
#include "layout/copy.hpp"
#include "layout/plan.hpp"
#include "methods/line_method.hpp"
#include "run/layouts/block_transpose.hpp"
#include "run/layouts/neighbours.hpp"
#include "run/layouts/staging.hpp"
#include "run/normalize/long_line.hpp"
#include "run/normalize/normalize.hpp"
#include "run/tiles.hpp"
#include "select/normalization_thresholds.hpp"
#include "select/routes.hpp"
#include "select/thread_thresholds.hpp"
#include "threads/pool.hpp"

namespace samesum {

// The lines of a normalization, as they lie.

// Strides are in bytes.
struct Lines {
    // Longer lines are several blocks.
    static constexpr std::int64_t block = static_cast<std::int64_t>(line_block);

    const View& x;
    char* const out;
    const std::int64_t item;
    Dims all;
    Dim axis{}, side{};  // the second one is the innermost of all

    Lines(const View& from, int along, void* to)
        : x(from), out(static_cast<char*>(to)), item(static_cast<std::int64_t>(size_of(from.format))) {
        std::int64_t stride = item;
        for (int i = x.rank - 1; i >= 0; --i) {
            const Dim d{x.shape[i], x.strides[i], stride};
            stride *= d.size;
            if (i == along)
                axis = d;
            else if (d.size != 1)
                all.push(d);
        }
        std::reverse(all.dim, all.dim + all.rank);
        merge_neighbours(all);
        side = all.rank > 0 ? all.dim[all.rank - 1] : Dim{1, 0, 0};
    }

    std::int64_t count() const { return all.count(); }
    std::size_t length() const { return static_cast<std::size_t>(axis.size); }

    bool are_direct() const { return !x.swapped && axis.out == item && (axis.in == item || axis.size == 1); }
    // Neighbours, element by element, or many that are nearer to each other than their elements.
    bool are_columns() const {
        const bool near =
            lie_plain() || (side.size >= 2 * few_neighbours && std::abs(side.in) < std::abs(axis.in));
        return near && axis.size <= block && side.out == item;
    }
    // As columns they would leave most of a vector empty.
    bool are_few_and_long() const {
        return side.size <= (item < 8 ? few_narrow_columns : few_wide_columns) &&
               axis.size >= least_of_few_columns;
    }
    bool lie_plain() const { return !x.swapped && side.in == item; }
    // Short lines lie side by side.
    bool are_transposed() const {
        return are_direct() && axis.size >= 2 && axis.size <= most_transposed_line && all.rank == 1 &&
               count() >= least_transposed_count && side.in == axis.size * item && are_whole();
    }
    // Aligned to the elements.
    bool are_whole() const {
        const std::uintptr_t size = static_cast<std::uintptr_t>(item);
        return reinterpret_cast<std::uintptr_t>(x.data) % size == 0 &&
               reinterpret_cast<std::uintptr_t>(out) % size == 0 && axis.in % item == 0 &&
               std::all_of(all.dim, all.dim + all.rank, [this](const Dim& d) { return d.in % item == 0; });
    }

    // Stretches of neighbours along the innermost dimension among `n` lines: each(number of the first line,
    // how many, where it is).
    template <class F>
    void for_each_run(std::int64_t first, std::int64_t n, F each) const {
        for (std::int64_t i = 0; i < n;) {
            const std::int64_t run = std::min(n - i, side.size - (first + i) % side.size);
            each(i, run, offsets_at(all, first + i));
            i += run;
        }
    }
};

namespace {

class LineSoftmax {
  public:
    LineSoftmax(const View& x, int axis, Normalization kind, void* out)
        : lines_(x, axis, out),
          methods_(*current_instruction_set().normalizations),
          format_(static_cast<std::size_t>(x.format)),
          kind_(static_cast<std::size_t>(kind)) {}

    void run() const {
        const SharedWork work(lines_.count() * lines_.axis.size, normalization_threaded_elements,
                              normalization_brief_elements);
        const Way way = chosen(work.threads);
        if (way.take == nullptr) {
            record(Route::softmax_long);
            if (!lines_.are_direct()) record(Route::softmax_long_gathered);
            return take_long();
        }
        for_each_batch(lines_.count(), way.batch, work.threads,
                       [&](std::int64_t first, std::int64_t count) { (this->*way.take)(first, count); });
    }

  private:
    // What a task does, and with how many lines; nothing if the threads share each line, which is long.
    struct Way {
        void (LineSoftmax::*take)(std::int64_t first, std::int64_t count) const;
        std::int64_t batch;
    };

    Way chosen(int threads) const {
        if (lines_.axis.size > Lines::block) return {nullptr, 0};
        const std::int64_t bytes = lines_.axis.size * lines_.item, whole = 64 / lines_.item;
        if (lines_.are_transposed() && !methods_.fill_rows[format_][kind_](lines_.length()))
            return {&LineSoftmax::take_transposed,
                    std::clamp(line_task_bytes / bytes, std::int64_t{1}, share(threads))};
        if (lines_.are_direct() && !(lines_.axis.size == 1 && lines_.are_columns()))
            return {&LineSoftmax::take_direct,
                    std::clamp(line_task_bytes / bytes, std::int64_t{1}, share(threads))};
        if (lines_.are_columns() && !lines_.are_few_and_long()) {
            const std::int64_t wide = std::max<std::int64_t>(least_column_row_bytes,
                                                             column_task_bytes / lines_.axis.size / 64 * 64);
            return {&LineSoftmax::take_columns, wide / lines_.item};
        }
        const std::int64_t together = std::clamp<std::int64_t>(gathered_line_bytes / bytes, 1, whole);
        return {&LineSoftmax::take_gathered,
                std::max(line_task_bytes / bytes / together, std::int64_t{1}) * together};
    }

    // Lines of a task where all are few: enough tasks for each thread to wait little for the last one.
    std::int64_t share(int threads) const {
        const std::int64_t tasks = line_tasks_per_thread * threads;
        return std::max<std::int64_t>(1, (lines_.count() + tasks - 1) / tasks);
    }

    bool streams() const { return lines_.count() * lines_.axis.size * lines_.item >= streamed_bytes; }

    void take_direct(std::int64_t first, std::int64_t count) const {
        record(streams() ? Route::softmax_rows_streamed : Route::softmax_rows);
        const auto lines = methods_.lines[format_][kind_];
        const std::size_t bytes = lines_.length() * static_cast<std::size_t>(lines_.item);
        const std::int64_t most =
            streams() ? std::max<std::int64_t>(1, streamed_elements / lines_.axis.size) : count;
        const Scratch room(streams() ? static_cast<std::size_t>(most) * bytes : 1);
        lines_.for_each_run(first, count, [&](std::int64_t, std::int64_t run, Offsets at) {
            for (std::int64_t i = 0; i < run; i += most) {
                const std::int64_t now = std::min(most, run - i);
                const char* const x = lines_.x.data + at.in + i * lines_.side.in;
                char* const out = lines_.out + at.out + i * lines_.side.out;
                const auto some = static_cast<std::size_t>(now);
                if (!streams()) {
                    lines({x, lines_.side.in, out, lines_.side.out, lines_.length(), some});
                    continue;
                }
                const auto pitch = static_cast<std::ptrdiff_t>(bytes);
                lines({x, lines_.side.in, room.get(), pitch, lines_.length(), some});
                for (std::int64_t k = 0; k < now; ++k)
                    stream(out + k * lines_.side.out, room.get() + k * pitch, bytes);
            }
        });
        finish_streams();
    }

    void take_long() const {
        Walk walk(lines_.all, 0);
        for (std::int64_t i = 0; i < lines_.count(); ++i, walk.next())
            normalize_long_line({methods_, format_, kind_},
                                {lines_.x.data + walk.in(), lines_.axis.in, lines_.out + walk.out(),
                                 lines_.axis.out, lines_.length(), lines_.x.swapped, streams()});
    }

    void take_columns(std::int64_t first, std::int64_t count) const {
        record(is_copied() ? Route::softmax_columns_copied : Route::softmax_columns);
        const Scratch room(bytes_for_columns(lines_.length()));
        const auto columns = methods_.columns[format_][kind_];
        lines_.for_each_run(first, count, [&](std::int64_t, std::int64_t run, Offsets at) {
            const LineColumns here{lines_.x.data + at.in, lines_.axis.in,  lines_.out + at.out,
                                   lines_.axis.out,       lines_.length(), static_cast<std::size_t>(run)};
            is_copied() ? run_copied(here, room.get()) : columns(here, room.get());
        });
        finish_streams();
    }

    bool is_copied() const { return streams() || !lines_.lie_plain(); }

    // Rows are copied together, beyond the cache by stretches of several cache lines, and so are results.
    void run_copied(const LineColumns& lines, char* room) const {
        const std::size_t size = static_cast<std::size_t>(lines_.item), bytes = lines.count * size,
                          pitch = (bytes + 63) / 64 * 64;
        const Scratch copies((streams() ? 2 : 1) * pitch * lines.n);
        for (std::size_t i = 0; i < lines.n; ++i) {
            const char* const from = lines.x + static_cast<std::ptrdiff_t>(i) * lines.in;
            char* const to = copies.get() + i * pitch;
            if (lines_.lie_plain()) {
                for (std::size_t k = 0; k < bytes; k += 64) __builtin_prefetch(from + 4 * lines.in + k);
                std::memcpy(to, from, bytes);
            } else {
                gather(from, lines_.side.in, lines.count, size, lines_.x.swapped, to);
            }
        }
        const auto step = static_cast<std::ptrdiff_t>(pitch);
        LineColumns copied = lines;
        copied.x = copies.get();
        copied.in = step;
        if (!streams()) return methods_.columns[format_][kind_](copied, room);
        char* const results = copies.get() + pitch * lines.n;
        copied.out = results;
        copied.to = step;
        methods_.columns[format_][kind_](copied, room);
        for (std::size_t i = 0; i < lines.n; ++i)
            stream(lines.out + static_cast<std::ptrdiff_t>(i) * lines.to, results + i * pitch, bytes);
    }

    // As columns between an transposes and a tangling.
    void take_transposed(std::int64_t first, std::int64_t count) const {
        record(Route::softmax_transposed);
        alignas(64) char elements[BlockTranspose::buffer_bytes], results[BlockTranspose::buffer_bytes];
        alignas(64) char room[bytes_for_columns(most_transposed_line)];
        const BlockTranspose blocks(static_cast<std::size_t>(lines_.item), lines_.length());
        const std::ptrdiff_t step = blocks.step();
        const std::int64_t most = static_cast<std::int64_t>(blocks.rows());
        for (std::int64_t i = first; i < first + count; i += most) {
            const std::size_t n = static_cast<std::size_t>(std::min(most, first + count - i));
            const std::int64_t at = i * lines_.axis.size * lines_.item;
            blocks.to_columns(lines_.x.data + at, n, elements);
            const LineColumns columns{elements, step, results, step, lines_.length(), n};
            methods_.columns[format_][kind_](columns, room);
            blocks.to_rows(results, n, lines_.out + at);
        }
    }

    // Neighbouring lines are copied together.
    void take_gathered(std::int64_t first, std::int64_t count) const {
        record(Route::softmax_gathered);
        const std::size_t size = static_cast<std::size_t>(lines_.item), pitch = lines_.length() * size + 64;
        const auto step = static_cast<std::ptrdiff_t>(pitch);
        const Scratch room(2 * pitch * static_cast<std::size_t>(count));
        char* const results = room.get() + step * count;
        lines_.for_each_run(first, count, [&](std::int64_t i, std::int64_t run, Offsets at) {
            const Neighbours some{run, lines_.side.in, step, size};
            some.gather_run(lines_.x.data + at.in, lines_.axis, lines_.x.swapped, run < few_neighbours,
                            room.get() + i * step);
        });
        methods_.lines[format_][kind_](
            {room.get(), step, results, step, lines_.length(), static_cast<std::size_t>(count)});
        lines_.for_each_run(first, count, [&](std::int64_t i, std::int64_t run, Offsets at) {
            const Neighbours some{run, lines_.side.out, step, size};
            some.scatter_run(results + i * step, lines_.axis, run < few_neighbours, lines_.out + at.out);
        });
    }

    const Lines lines_;
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
