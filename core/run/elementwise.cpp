#include "run/elementwise.hpp"

#include <algorithm>

#include "kernels/instruction_set.hpp"
#include "layout/copy.hpp"
#include "layout/stream.hpp"
#include "threads/pool.hpp"

namespace samesum {

namespace {

// Below this many elements one thread is faster than waking another, and up to so many about as fast.
constexpr std::int64_t threaded_elements = 8 << 10, brief_elements = 64 << 10;
// Elements of a task, and of a block: what is gathered or streamed stays in the first cache.
constexpr std::int64_t task_elements = 16 << 10, copied_elements = 1 << 10;

// An operand as its elements lie, in the order of the results.
class Operand {
  public:
    explicit Operand(const View& x)
        : data_(x.data),
          item_(static_cast<std::int64_t>(size_of(x.format))),
          packing_(dims_of(x), size_of(x.format), x.swapped),
          is_direct_(lies_side_by_side(x)) {}

    bool is_direct() const { return is_direct_; }

    // n elements from number `first` on side by side: where they are, or else in `room`.
    const char* elements(std::int64_t first, std::int64_t n, char* room) const {
        if (is_direct_) return data_ + first * item_;
        packing_.copy(data_, first, n, room);
        return room;
    }

  private:
    static Dims dims_of(const View& x) {
        Dims dims;
        for (int i = 0; i < x.rank; ++i)
            if (x.shape[i] != 1) dims.push({x.shape[i], x.strides[i], 0});
        return dims;
    }

    static bool lies_side_by_side(const View& x) {
        std::int64_t step = static_cast<std::int64_t>(size_of(x.format));
        for (int i = x.rank - 1; i >= 0; --i) {
            if (x.shape[i] == 1) continue;
            if (x.strides[i] != step) return false;
            step *= x.shape[i];
        }
        return !x.swapped;
    }

    const char* data_;
    std::int64_t item_;
    Packing packing_;
    bool is_direct_;
};

// Results in blocks: compute(first, n, to) writes those of n elements.
template <class Compute>
void for_each_block(std::int64_t count, Format format, bool is_direct, void* out, const Compute& compute) {
    const std::int64_t item = static_cast<std::int64_t>(size_of(format));
    const bool streams = count * item >= streamed_bytes;
    const std::int64_t block = is_direct && !streams ? task_elements : copied_elements;
    auto task = [&](std::size_t t, std::size_t) {
        const std::int64_t begin = static_cast<std::int64_t>(t) * task_elements,
                           end = std::min(begin + task_elements, count);
        alignas(64) char room[copied_elements * 8];
        for (std::int64_t i = begin; i < end; i += block) {
            const std::int64_t n = std::min(block, end - i);
            char* const to = static_cast<char*>(out) + i * item;
            compute(i, n, streams ? room : to);
            if (streams) stream(to, room, static_cast<std::size_t>(n * item));
        }
        if (streams) finish_streams();
    };
    const BriefWork brief(count < brief_elements);
    const std::size_t threads = count < threaded_elements ? 1 : static_cast<std::size_t>(thread_count());
    for_each_task(static_cast<std::size_t>((count + task_elements - 1) / task_elements), threads, task);
}

std::int64_t count_of(const View& x) {
    std::int64_t n = 1;
    for (int i = 0; i < x.rank; ++i) n *= x.shape[i];
    return n;
}

}  // namespace

void apply(Unary function, const View& x, void* out) {
    const auto& methods = current_instruction_set().elementwise->unary[static_cast<std::size_t>(function)];
    const auto method = methods[static_cast<std::size_t>(x.format)];
    const Operand operand(x);
    for_each_block(count_of(x), x.format, operand.is_direct(), out,
                   [&](std::int64_t first, std::int64_t n, char* to) {
                       alignas(64) char room[copied_elements * 8];
                       method(operand.elements(first, n, room), static_cast<std::size_t>(n), to);
                   });
}

}  // namespace samesum
