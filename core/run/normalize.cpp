#include "run/normalize.hpp"

#include <algorithm>
#include <memory>

#include "kernels/instruction_set.hpp"
#include "threads/pool.hpp"

namespace samesum {

namespace {

constexpr std::int64_t threaded_bytes = 128 << 10;
// Bytes of the lines that a task takes at a time: they stay in the cache while they lie side by side.
constexpr std::int64_t task_bytes = 128 << 10;
// Up to so many bytes of lines are gathered for the sake of whole cache lines.
constexpr std::int64_t gathered_bytes = 4 << 20;

class Job {
  public:
    Job(const View& x, int axis, Normalization kind, void* out)
        : x_(x),
          out_(static_cast<char*>(out)),
          item_(static_cast<std::int64_t>(size_of(x.format))),
          line_(current_instruction_set().normalizations->line[static_cast<std::size_t>(x.format)]
                                                              [static_cast<std::size_t>(kind)]) {
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
        direct_ = !x.swapped && axis_.out == item_ && (axis_.in == item_ || axis_.size == 1);
    }

    void run() {
        const std::int64_t lines = lines_.count(), bytes = axis_.size * item_;
        const std::int64_t together =
            direct_ ? 1 : std::clamp<std::int64_t>(gathered_bytes / bytes, 1, 64 / item_);
        const std::int64_t batch = std::min(lines, std::max(task_bytes / bytes, together));
        const int threads = lines * bytes >= threaded_bytes ? thread_count() : 1;
        auto task = [&](std::size_t t, std::size_t) {
            const std::int64_t first = static_cast<std::int64_t>(t) * batch;
            const std::int64_t count = std::min(batch, lines - first);
            direct_ ? take_direct(first, count) : take_gathered(first, count);
        };
        for_each_task(static_cast<std::size_t>((lines + batch - 1) / batch),
                      static_cast<std::size_t>(threads), task);
    }

  private:
    std::size_t length() const { return static_cast<std::size_t>(axis_.size); }

    void take_direct(std::int64_t first, std::int64_t count) const {
        Walk walk(lines_, first);
        for (std::int64_t i = 0; i < count; ++i, walk.next())
            line_(x_.data + walk.in(), length(), out_ + walk.out());
    }

    // Neighbouring lines are copied together, element after element along the axis: where it is they that lie
    // side by side, memory is read and written by whole cache lines.
    void take_gathered(std::int64_t first, std::int64_t count) const {
        const std::size_t pitch = length() * static_cast<std::size_t>(item_) + 64;
        const std::unique_ptr<char[]> buffer(new char[2 * pitch * static_cast<std::size_t>(count)]);
        char* const results = buffer.get() + pitch * static_cast<std::size_t>(count);
        move(first, count, pitch, buffer.get(), true);
        for (std::int64_t i = 0; i < count; ++i) {
            const std::size_t at = static_cast<std::size_t>(i) * pitch;
            line_(buffer.get() + at, length(), results + at);
        }
        move(first, count, pitch, results, false);
    }

    void move(std::int64_t first, std::int64_t count, std::size_t pitch, char* lines, bool in) const {
        const std::int64_t across = static_cast<std::int64_t>(pitch);
        for (std::int64_t i = 0; i < count;) {
            const Offsets at = offsets_at(lines_, first + i);
            const Dim side = lines_.rank > 0 ? lines_.dim[lines_.rank - 1] : Dim{1, 0, 0};
            const std::int64_t run = std::min(count - i, side.size - (first + i) % side.size);
            for (std::int64_t k = 0; k < axis_.size; ++k) {
                char* const here = lines + i * across + k * item_;
                if (in)
                    copy_elements(x_.data + at.in + k * axis_.in, side.in, here, across,
                                  static_cast<std::size_t>(run), size_of(x_.format), x_.swapped);
                else
                    copy_elements(here, across, out_ + at.out + k * axis_.out, side.out,
                                  static_cast<std::size_t>(run), size_of(x_.format), false);
            }
            i += run;
        }
    }

    const View& x_;
    char* const out_;
    const std::int64_t item_;
    void (*const line_)(const void* x, std::size_t n, void* out);
    Dims lines_;
    Dim axis_{};
    bool direct_;
};

}  // namespace

void normalize(const View& x, int axis, Normalization kind, void* out) {
    const FloatingPointScope scope;
    Job(x, axis, kind, out).run();
}

}  // namespace samesum
