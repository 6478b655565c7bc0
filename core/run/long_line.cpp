#include "run/long_line.hpp"

#include <algorithm>
#include <cmath>
#include <vector>

#include "exact/rounding.hpp"
#include "layout/plan.hpp"
#include "run/room.hpp"
#include "threads/pool.hpp"

namespace samesum {

namespace {

// Three times all threads are woken and waited for, which takes as long as 1 MB of one thread.
constexpr std::size_t threaded_bytes = 256 << 10;

class Job {
  public:
    Job(const LineMethod& method, const LongLine& line)
        : method_(method), line_(line), size_(size_of(static_cast<Format>(method.format))) {}

    void run() const {
        const std::vector<double> greatest = of_blocks<double>(
            [&](const char* x, std::size_t n) { return method_.methods.greatest[method_.format](x, n); });
        const double most = *std::max_element(greatest.begin(), greatest.end());
        if (!std::isfinite(most)) return put_nan();
        const std::vector<LineShare> shares = of_blocks<LineShare>([&](const char* x, std::size_t n) {
            return method_.methods.share[method_.format][method_.kind](x, n, most);
        });
        LineShare all;
        for (const LineShare& share : shares) all += share;
        if (std::isnan(all.total)) return put_nan();
        put_results([&](const char* x, std::size_t n, void* out) {
            method_.methods.quotients[method_.format][method_.kind](x, n, most, all, out);
        });
    }

  private:
    std::size_t blocks() const { return (line_.n + line_block - 1) / line_block; }

    // each(number of the block, its elements side by side, how many they are, room for as many)
    template <class F>
    void for_each_block(F each) const {
        const bool direct = is_direct();
        auto task = [&](std::size_t t, std::size_t) {
            const std::size_t n = std::min(line_block, line_.n - t * line_block);
            const char* x = line_.x + static_cast<std::int64_t>(t * line_block) * line_.in;
            const Room room(direct ? 1 : 2 * n * size_);
            if (!direct) {
                gather(x, line_.in, n, size_, line_.swapped, room.get());
                x = room.get();
            }
            each(t, x, n, direct ? nullptr : room.get() + n * size_);
        };
        const bool many = line_.n * size_ >= threaded_bytes;
        for_each_task(blocks(), many ? static_cast<std::size_t>(thread_count()) : 1, task);
    }

    template <class Result, class F>
    std::vector<Result> of_blocks(F result_of) const {
        std::vector<Result> results(blocks());
        for_each_block(
            [&](std::size_t t, const char* x, std::size_t n, char*) { results[t] = result_of(x, n); });
        return results;
    }

    template <class F>
    void put_results(F put) const {
        for_each_block([&](std::size_t t, const char* x, std::size_t n, char* room) {
            char* const out = line_.out + static_cast<std::int64_t>(t * line_block) * line_.to;
            put(x, n, is_direct() ? out : room);
            if (!is_direct()) scatter(room, n, size_, out, line_.to);
        });
    }

    void put_nan() const {
        put_results([&](const char*, std::size_t n, void* out) {
            for (std::size_t i = 0; i < n; ++i)
                store_bits(out, i, canonical_nan(static_cast<Format>(method_.format)), size_);
        });
    }

    bool is_direct() const {
        const auto size = static_cast<std::int64_t>(size_);
        return line_.in == size && line_.to == size && !line_.swapped;
    }

    const LineMethod& method_;
    const LongLine& line_;
    const std::size_t size_;
};

}  // namespace

void normalize_long_line(const LineMethod& method, const LongLine& line) { Job(method, line).run(); }

}  // namespace samesum
