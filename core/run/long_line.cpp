#include "run/long_line.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <vector>

#include "exact/rounding.hpp"
#include "kernels/instruction_set.hpp"
#include "layout/plan.hpp"
#include "run/room.hpp"
#include "threads/pool.hpp"

namespace samesum {

namespace {

// Three times all threads are woken and waited for, which takes as long as 1 MB of one thread.
constexpr std::size_t threaded_bytes = 256 << 10;

class Job {
  public:
    Job(const LineMethod& method, const LongLines& lines)
        : method_(method), lines_(lines), size_(size_of(static_cast<Format>(method.format))) {}

    void run() const {
        const NormalizationMethods& methods = method_.methods;
        const std::size_t format = method_.format, kind = method_.kind;
        const std::vector<double> greatest = of_blocks<double>(
            [&](std::size_t, const char* x, std::size_t n) { return methods.greatest[format](x, n); });
        std::vector<double> most(lines_.count);
        for (std::size_t k = 0; k < lines_.count; ++k) {
            const auto first = greatest.begin() + static_cast<std::ptrdiff_t>(k * blocks());
            most[k] = *std::max_element(first, first + static_cast<std::ptrdiff_t>(blocks()));
        }
        const std::vector<LineShare> shares =
            of_blocks<LineShare>([&](std::size_t k, const char* x, std::size_t n) {
                return std::isfinite(most[k]) ? methods.share[format][kind](x, n, most[k]) : LineShare{};
            });
        std::vector<LineShare> all(lines_.count);
        for (std::size_t i = 0; i < shares.size(); ++i) all[i / blocks()] += shares[i];
        put_results([&](std::size_t k, const char* x, std::size_t n, void* out) {
            if (std::isfinite(most[k]) && !std::isnan(all[k].total))
                methods.quotients[format][kind](x, n, most[k], all[k], out);
            else
                put_nan(n, out);
        });
    }

  private:
    std::size_t blocks() const { return (lines_.n + line_block - 1) / line_block; }
    // From line to line of a block that was gathered, in elements.
    static std::size_t pitch_of(std::size_t n) { return n + 64; }

    // each(number of the block, its lines side by side in memory or, if there is one, as it lies, how many
    // elements each has, room for as many)
    template <class F>
    void for_each_block(F each) const {
        const bool direct = is_direct();
        auto task = [&](std::size_t t, std::size_t) {
            const std::size_t n = std::min(line_block, lines_.n - t * line_block),
                              bytes = lines_.side * pitch_of(n) * size_;
            const char* x = lines_.x + static_cast<std::int64_t>(t * line_block) * lines_.in;
            const Room room(direct ? 1 : 2 * bytes);
            if (!direct) {
                gather_block(x, n, room.get());
                x = room.get();
            }
            each(t, x, n, direct ? nullptr : room.get() + bytes);
        };
        const bool many = lines_.count * lines_.n * size_ >= threaded_bytes;
        for_each_task(blocks(), many ? static_cast<std::size_t>(thread_count()) : 1, task);
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

    // Line after line, and of each block after block.
    template <class Result, class F>
    std::vector<Result> of_blocks(F result_of) const {
        std::vector<Result> results(lines_.count * blocks());
        for_each_block([&](std::size_t t, const char* x, std::size_t n, char*) {
            for (std::size_t k = 0; k < lines_.count; ++k)
                results[k * blocks() + t] = result_of(k, x + k * pitch_of(n) * size_, n);
        });
        return results;
    }

    template <class F>
    void put_results(F put) const {
        for_each_block([&](std::size_t t, const char* x, std::size_t n, char* room) {
            char* const out = lines_.out + static_cast<std::int64_t>(t * line_block) * lines_.to;
            for (std::size_t k = 0; k < lines_.count; ++k) {
                const std::size_t at = k * pitch_of(n) * size_;
                put(k, x + at, n, is_direct() ? out : room + at);
            }
            if (!is_direct()) scatter_block(room, n, out);
        });
    }

    void put_nan(std::size_t n, void* out) const {
        for (std::size_t i = 0; i < n; ++i)
            store_bits(out, i, canonical_nan(static_cast<Format>(method_.format)), size_);
    }

    bool is_direct() const {
        const auto size = static_cast<std::int64_t>(size_);
        return lines_.side == 1 && lines_.in == size && lines_.to == size && !lines_.swapped;
    }

    const LineMethod& method_;
    const LongLines& lines_;
    const std::size_t size_;
};

}  // namespace

void normalize_long_lines(const LineMethod& method, const LongLines& lines) { Job(method, lines).run(); }

}  // namespace samesum
