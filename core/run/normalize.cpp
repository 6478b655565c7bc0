#include "run/normalize.hpp"

#include <algorithm>
#include <cstdlib>
#include <cstring>

#include "kernels/instruction_set.hpp"
#include "layout/stream.hpp"
#include "run/long_line.hpp"
#include "run/room.hpp"
#include "run/tangled.hpp"
#include "threads/pool.hpp"

namespace samesum {

namespace {

// Below this many elements one thread is faster than waking another.
constexpr std::int64_t threaded_elements = 8 << 10;
// Bytes of the lines that a task takes at a time: they stay in the cache while they lie side by side.
constexpr std::int64_t task_bytes = 128 << 10;
// Up to so many bytes of lines are gathered for the sake of whole cache lines.
constexpr std::int64_t gathered_bytes = 4 << 20;
// Neighbouring lines are taken together as far as they fit here, and by this many bytes of a row at least.
constexpr std::int64_t columns_bytes = 512 << 10, least_row_bytes = 256;
// Fewer lines than this are copied one after the other, more of them element by element.
constexpr std::int64_t few = 8;
constexpr std::int64_t block = static_cast<std::int64_t>(line_block);
constexpr std::int64_t tangled_elements = 1 << 17;

class Job {
  public:
    Job(const View& x, int axis, Normalization kind, void* out)
        : x_(x),
          out_(static_cast<char*>(out)),
          item_(static_cast<std::int64_t>(size_of(x.format))),
          methods_(*current_instruction_set().normalizations),
          format_(static_cast<std::size_t>(x.format)),
          kind_(static_cast<std::size_t>(kind)) {
        std::int64_t stride = item_;
        for (int i = x.rank - 1; i >= 0; --i) {
            const Dim d{x.shape[i], x.strides[i], stride};
            stride *= d.size;
            if (i == axis)
                axis_ = d;
            else if (d.size != 1)
                lines_.push(d);
        }
        std::reverse(lines_.dim, lines_.dim + lines_.rank);
        merge_neighbours(lines_);
        side_ = lines_.rank > 0 ? lines_.dim[lines_.rank - 1] : Dim{1, 0, 0};
    }

    void run() const {
        if (axis_.size > block && (!is_direct() || lines_.count() < 2 * thread_count()))
            return run_long_lines();
        if (is_tangled())
            return run_tasks(std::max<std::int64_t>(64, std::min(share(), tangled_elements / axis_.size)),
                             &Job::take_tangled);
        const std::int64_t bytes = axis_.size * item_, whole = 64 / item_;
        if (is_direct() && !(axis_.size == 1 && are_columns()))
            return run_tasks(std::clamp(task_bytes / bytes, std::int64_t{1}, share()), &Job::take_direct);
        if (are_columns()) {
            const std::int64_t wide = std::max(least_row_bytes, columns_bytes / axis_.size / 64 * 64);
            return run_tasks(wide / item_, &Job::take_columns);
        }
        const std::int64_t together = std::clamp<std::int64_t>(gathered_bytes / bytes, 1, whole);
        run_tasks(std::max(task_bytes / bytes / together, std::int64_t{1}) * together, &Job::take_gathered);
    }

  private:
    using Take = void (Job::*)(std::int64_t first, std::int64_t count) const;

    std::size_t length() const { return static_cast<std::size_t>(axis_.size); }
    bool is_direct() const {
        return !x_.swapped && axis_.out == item_ && (axis_.in == item_ || axis_.size == 1);
    }
    // Lines are neighbours, element by element, or many that are nearer to each other than their elements.
    bool are_columns() const {
        const bool near = lie_plain() || (side_.size >= 2 * few && std::abs(side_.in) < std::abs(axis_.in));
        return near && axis_.size <= block && side_.out == item_;
    }
    bool lie_plain() const { return !x_.swapped && side_.in == item_; }
    bool is_whole(const void* p) const {
        return reinterpret_cast<std::uintptr_t>(p) % static_cast<std::size_t>(item_) == 0;
    }
    // Short lines lie side by side.
    bool is_tangled() const {
        return is_direct() && axis_.size >= 2 && axis_.size <= static_cast<std::int64_t>(short_elements) &&
               lines_.rank == 1 && lines_.count() >= 8 && side_.in == axis_.size * item_ &&
               is_whole(x_.data) && is_whole(out_);
    }

    void run_tasks(std::int64_t batch, Take take) const {
        const std::int64_t lines = lines_.count();
        auto task = [&](std::size_t t, std::size_t) {
            const std::int64_t first = static_cast<std::int64_t>(t) * batch;
            (this->*take)(first, std::min(batch, lines - first));
        };
        for_each_task(static_cast<std::size_t>((lines + batch - 1) / batch), threads(), task);
    }

    std::size_t threads() const {
        const bool many = lines_.count() * axis_.size >= threaded_elements;
        return many ? static_cast<std::size_t>(thread_count()) : 1;
    }

    // Lines of a task where all are few: enough tasks for each thread to wait little for the last one.
    std::int64_t share() const {
        const std::int64_t tasks = 4 * static_cast<std::int64_t>(threads());
        return std::max<std::int64_t>(1, (lines_.count() + tasks - 1) / tasks);
    }

    bool streams() const { return lines_.count() * axis_.size * item_ >= streamed_bytes; }

    void take_direct(std::int64_t first, std::int64_t count) const {
        const auto line = methods_.line[format_][kind_];
        const std::size_t bytes = length() * static_cast<std::size_t>(item_);
        const bool stream_it = streams() && axis_.size <= block;
        const Room room(stream_it ? bytes : 1);
        Walk walk(lines_, first);
        for (std::int64_t i = 0; i < count; ++i, walk.next()) {
            line(x_.data + walk.in(), length(), stream_it ? room.get() : out_ + walk.out());
            if (stream_it) stream(out_ + walk.out(), room.get(), bytes);
        }
        finish_streams();
    }

    // Neighbours together; the first of them are as many as leave whole groups of the others.
    void run_long_lines() const {
        constexpr std::int64_t most = static_cast<std::int64_t>(LongLines::most);
        const std::int64_t side = are_neighbours() ? std::min(most, side_.size) : 1;
        for (std::int64_t i = 0; i < lines_.count();) {
            const std::int64_t rest = (side_.size - i % side_.size) % side, now = rest > 0 ? rest : side;
            const Offsets at = offsets_at(lines_, i);
            normalize_long_lines({methods_, format_, kind_},
                                 {x_.data + at.in, axis_.in, out_ + at.out, axis_.out, length(),
                                  static_cast<std::size_t>(now), static_cast<std::size_t>(side), x_.swapped});
            i += now;
        }
    }
    bool are_neighbours() const {
        return lie_plain() && side_.size >= few / 2 && side_.out == item_ && axis_.in % item_ == 0 &&
               is_whole(x_.data) && is_whole(out_);
    }

    void take_columns(std::int64_t first, std::int64_t count) const {
        const Room room(room_for_columns(length()));
        for_each_run(first, count, [&](std::int64_t, std::int64_t run, Offsets at) {
            const LineColumns here{x_.data + at.in, axis_.in, out_ + at.out,
                                   axis_.out,       length(), static_cast<std::size_t>(run)};
            if (streams() || !lie_plain())
                run_copied(here, room.get());
            else
                methods_.columns[format_][kind_](here, room.get());
        });
        finish_streams();
    }

    // Rows are copied together, beyond the cache by stretches of several cache lines, and so are results.
    void run_copied(const LineColumns& lines, char* room) const {
        const std::size_t size = static_cast<std::size_t>(item_), bytes = lines.count * size,
                          pitch = (bytes + 63) / 64 * 64;
        const Room copies((streams() ? 2 : 1) * pitch * lines.n);
        for (std::size_t i = 0; i < lines.n; ++i) {
            const char* const from = lines.x + static_cast<std::ptrdiff_t>(i) * lines.in;
            char* const to = copies.get() + i * pitch;
            if (lie_plain()) {
                for (std::size_t k = 0; k < bytes; k += 64) __builtin_prefetch(from + 4 * lines.in + k);
                std::memcpy(to, from, bytes);
            } else {
                gather(from, side_.in, lines.count, size, x_.swapped, to);
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

    // As columns between an untangling and a tangling.
    void take_tangled(std::int64_t first, std::int64_t count) const {
        alignas(64) char elements[Tangled::buffer_bytes], results[Tangled::buffer_bytes];
        alignas(64) char room[room_for_columns(short_elements)];
        const Tangled tangled(static_cast<std::size_t>(item_), length());
        const std::ptrdiff_t step = tangled.step();
        const std::int64_t most = static_cast<std::int64_t>(tangled.rows());
        for (std::int64_t i = first; i < first + count; i += most) {
            const std::size_t n = static_cast<std::size_t>(std::min(most, first + count - i));
            const std::int64_t at = i * axis_.size * item_;
            tangled.untangle(x_.data + at, n, elements);
            methods_.columns[format_][kind_]({elements, step, results, step, length(), n}, room);
            tangled.tangle(results, n, out_ + at);
        }
    }

    // Neighbouring lines are copied together, and where it is they that lie side by side, element after
    // element along the axis: memory is read and written by whole cache lines.
    void take_gathered(std::int64_t first, std::int64_t count) const {
        const std::size_t pitch = length() * static_cast<std::size_t>(item_) + 64;
        const Room room(2 * pitch * static_cast<std::size_t>(count));
        char* const results = room.get() + pitch * static_cast<std::size_t>(count);
        move(first, count, pitch, room.get(), true);
        for (std::int64_t i = 0; i < count; ++i) {
            const std::size_t at = static_cast<std::size_t>(i) * pitch;
            methods_.line[format_][kind_](room.get() + at, length(), results + at);
        }
        move(first, count, pitch, results, false);
    }

    void move(std::int64_t first, std::int64_t count, std::size_t pitch, char* lines, bool in) const {
        const std::int64_t across = static_cast<std::int64_t>(pitch);
        const bool along = in ? std::abs(axis_.in) <= std::abs(side_.in) : axis_.out <= side_.out;
        for_each_run(first, count, [&](std::int64_t i, std::int64_t run, Offsets at) {
            if (run < few || along) return move_one_by_one(at, run, lines + i * across, across, in);
            for (std::int64_t k = 0; k < axis_.size; ++k) {
                char* const here = lines + i * across + k * item_;
                if (in)
                    copy_elements(x_.data + at.in + k * axis_.in, side_.in, here, across,
                                  static_cast<std::size_t>(run), size_of(x_.format), x_.swapped);
                else
                    copy_elements(here, across, out_ + at.out + k * axis_.out, side_.out,
                                  static_cast<std::size_t>(run), size_of(x_.format), false);
            }
        });
    }

    void move_one_by_one(Offsets at, std::int64_t run, char* line, std::int64_t across, bool in) const {
        for (std::int64_t i = 0; i < run; ++i, line += across) {
            if (in)
                gather(x_.data + at.in + i * side_.in, axis_.in, length(), size_of(x_.format), x_.swapped,
                       line, side_.in);
            else
                scatter(line, length(), size_of(x_.format), out_ + at.out + i * side_.out, axis_.out);
        }
    }

    // Stretches of neighbours along the innermost dimension among `count` lines: each(number of the first
    // line, how many, where it is).
    template <class F>
    void for_each_run(std::int64_t first, std::int64_t count, F each) const {
        for (std::int64_t i = 0; i < count;) {
            const std::int64_t run = std::min(count - i, side_.size - (first + i) % side_.size);
            each(i, run, offsets_at(lines_, first + i));
            i += run;
        }
    }

    const View& x_;
    char* const out_;
    const std::int64_t item_;
    const NormalizationMethods& methods_;
    const std::size_t format_, kind_;
    Dims lines_;
    Dim axis_{}, side_{};
};

}  // namespace

void normalize(const View& x, int axis, Normalization kind, void* out) {
    const FloatingPointScope scope;
    Job(x, axis, kind, out).run();
}

}  // namespace samesum
