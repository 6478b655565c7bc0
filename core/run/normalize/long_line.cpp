#include "run/normalize/long_line.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <vector>

#include "arithmetic/rounding.hpp"
#include "kernels/instruction_set.hpp"
#include "layout/copy.hpp"
#include "layout/plan.hpp"
#include "run/tiles.hpp"
#include "select/normalization_thresholds.hpp"
#include "select/routes.hpp"
#include "select/thread_thresholds.hpp"
#include "threads/pool.hpp"

namespace samesum {

namespace {

class Job {
  public:
    Job(const LineMethod& method, const LongLines& lines, std::size_t threads)
        : method_(method),
          lines_(lines),
          size_(size_of(static_cast<Format>(method.format))),
          threads_(lines.count * lines.n * size_ >= static_cast<std::size_t>(long_line_threaded_bytes)
                       ? threads
                       : 1),
          shares_(lines.count * blocks()),
          all_(lines.count) {}

    void run() {
        const NormalizationMethods& methods = method_.methods;
        const std::size_t format = method_.format, kind = method_.kind;
        for_each_block([&](std::size_t, LineShare& share, const char* x, std::size_t n) {
            share = methods.share[format](x, n);
        });
        join();
        const auto is_near = [&](LineShare& all) { return all.is_near = methods.is_near[format][kind](all); };
        if (std::count_if(all_.begin(), all_.end(), is_near) < std::ssize(all_)) run_below();
        put_results([&](std::size_t k, const char* x, std::size_t n, void* out) {
            if (std::isfinite(all_[k].greatest) && !std::isnan(all_[k].total))
                methods.quotients[format][kind](x, n, all_[k], out);
            else
                put_nan(n, out);
        });
    }

  private:
    // Lines that are not near zero, against their greatest elements.
    void run_below() {
        record(Route::softmax_below);
        const NormalizationMethods& methods = method_.methods;
        const std::size_t format = method_.format, kind = method_.kind;
        for_each_block([&](std::size_t k, LineShare& share, const char* x, std::size_t n) {
            if (!all_[k].is_near && std::isfinite(all_[k].greatest))
                share = methods.share_below[format](x, n, all_[k].greatest, kind != 0);
        });
        join();
    }

    void join() {
        for (std::size_t k = 0; k < lines_.count; ++k)
            if (!all_[k].is_near)
                all_[k] = method_.methods.joined[method_.format](&shares_[k * blocks()], blocks());
    }

    std::size_t blocks() const { return (lines_.n + line_block - 1) / line_block; }
    // From line to line of a block that was gathered, in elements.
    static std::size_t pitch_of(std::size_t n) { return n + 64; }

    // each(number of the block, its lines side by side in memory or, if there is one, as it lies, how many
    // elements each has, room for as many). A task takes blocks that follow each other.
    template <class F>
    void for_each_part(F each, bool puts) const {
        const bool direct = is_direct();
        const std::size_t room_bytes = lines_.side * pitch_of(line_block) * size_,
                          share = (blocks() + threads_ - 1) / threads_,
                          most = static_cast<std::size_t>(line_task_bytes) / (line_block * size_),
                          together = std::clamp<std::size_t>(most, 1, share);
        auto task = [&](std::size_t t, std::size_t) {
            const Room room((direct ? 0 : room_bytes) + (puts ? room_bytes : 0));
            const std::size_t end = std::min(blocks(), (t + 1) * together);
            for (std::size_t block = t * together; block < end; ++block) {
                const std::size_t n = std::min(line_block, lines_.n - block * line_block);
                const char* x = lines_.x + static_cast<std::int64_t>(block * line_block) * lines_.in;
                if (!direct) {
                    gather_block(x, n, room.get());
                    x = room.get();
                }
                each(block, x, n, room.get() + (direct ? 0 : room_bytes));
            }
        };
        for_each_task((blocks() + together - 1) / together, threads_, task);
    }

    void gather_block(const char* x, std::size_t n, char* to) const {
        if (lines_.side == 1) return gather(x, lines_.in, n, size_, lines_.swapped, to);
        const auto untangle = current_instruction_set().untangling->any[std::countr_zero(size_)];
        untangle(x, lines_.in / static_cast<std::int64_t>(size_), lines_.side, n, to, pitch_of(n));
    }

    void scatter_block(const char* results, std::size_t n, char* out) const {
        if (lines_.side == 1) return scatter(results, n, size_, out, lines_.to);
        const auto tangle = current_instruction_set().untangling->any_back[std::countr_zero(size_)];
        tangle(results, pitch_of(n), lines_.side, n, out, lines_.to / static_cast<std::int64_t>(size_));
    }

    // each(number of the line, its share, elements)
    template <class F>
    void for_each_block(F each) {
        auto part = [&](std::size_t t, const char* x, std::size_t n, char*) {
            for (std::size_t k = 0; k < lines_.count; ++k)
                each(k, shares_[k * blocks() + t], x + k * pitch_of(n) * size_, n);
        };
        for_each_part(part, false);
    }

    template <class F>
    void put_results(F put) const {
        const bool streams = is_direct() && lines_.streamed, puts = streams || !is_direct();
        auto part = [&](std::size_t t, const char* x, std::size_t n, char* room) {
            char* const out = lines_.out + static_cast<std::int64_t>(t * line_block) * lines_.to;
            for (std::size_t k = 0; k < lines_.count; ++k) {
                const std::size_t at = k * pitch_of(n) * size_;
                put(k, x + at, n, puts ? room + at : out);
            }
            if (streams) {
                stream(out, room, n * size_);
                finish_streams();
            } else if (puts) {
                scatter_block(room, n, out);
            }
        };
        for_each_part(part, puts);
    }

    void put_nan(std::size_t n, void* out) const {
        const std::uint64_t nan = canonical_nan(static_cast<Format>(method_.format));
        for (std::size_t i = 0; i < n; ++i) store_bits(out, i, nan, size_);
    }

    bool is_direct() const {
        const auto size = static_cast<std::int64_t>(size_);
        return lines_.side == 1 && lines_.in == size && lines_.to == size && !lines_.swapped;
    }

    const LineMethod& method_;
    const LongLines& lines_;
    const std::size_t size_, threads_;
    std::vector<LineShare> shares_;  // line after line, and of each block after block
    std::vector<LineShare> all_;     // of each line
};

}  // namespace

void normalize_long_lines(const LineMethod& method, const LongLines& lines, std::size_t threads) {
    Job(method, lines, threads).run();
}

}  // namespace samesum
