#include "run/normalize/long_line.hpp"

#include <algorithm>
#include <cmath>
#include <vector>

#include "arithmetic/rounding.hpp"
#include "layout/copy.hpp"
#include "layout/plan.hpp"
#include "run/tiles.hpp"
#include "select/normalization_thresholds.hpp"
#include "select/routes.hpp"
#include "select/thread_thresholds.hpp"
#include "threads/pool.hpp"

namespace samesum {

namespace {

class LongLineSoftmax {
  public:
    LongLineSoftmax(const LineMethod& method, const LongLine& line)
        : method_(method),
          line_(line),
          size_(size_of(static_cast<Format>(method.format))),
          is_direct_(line.in == static_cast<std::int64_t>(size_) && line.to == line.in && !line.swapped),
          threads_(threads_for(static_cast<std::int64_t>(line.n * size_), long_line_threaded_bytes)),
          shares_((line.n + line_block - 1) / line_block) {}

    void run() {
        const NormalizationMethods& methods = method_.methods;
        const std::size_t format = method_.format, kind = method_.kind;
        for_each_part(false, [&](std::size_t t, const char* x, std::size_t n, char*) {
            shares_[t] = methods.share[format](x, n);
        });
        LineShare all = methods.joined[format](shares_.data(), shares_.size());
        all.is_near = methods.is_near[format][kind](all);
        // A line that is not near zero, against its greatest element.
        if (!all.is_near && std::isfinite(all.greatest)) {
            record(Route::softmax_below);
            for_each_part(false, [&](std::size_t t, const char* x, std::size_t n, char*) {
                shares_[t] = methods.share_below[format](x, n, all.greatest, kind != 0);
            });
            all = methods.joined[format](shares_.data(), shares_.size());
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
        const std::uint64_t nan = canonical_nan(static_cast<Format>(method_.format));
        for (std::size_t i = 0; i < n; ++i) store_bits(out, i, nan, size_);
    }

    const LineMethod& method_;
    const LongLine& line_;
    const std::size_t size_;
    const bool is_direct_;
    const int threads_;
    std::vector<LineShare> shares_;  // of each block
};

}  // namespace

void normalize_long_line(const LineMethod& method, const LongLine& line) {
    LongLineSoftmax(method, line).run();
}

}  // namespace samesum
