#include <algorithm>
#include <chrono>
#include <thread>

#include "layout/copy.hpp"
#include "run/scans/scan_call.hpp"
#include "run/tiles.hpp"
#include "select/routes.hpp"
#include "select/thread_thresholds.hpp"
#include "threads/pool.hpp"

namespace samesum {

namespace {

constexpr std::int64_t block = scan_block, parts = static_cast<std::int64_t>(scan_lines);

// Lets others run, and after several times as long as a chunk takes leaves the processor to them.
class BackOff {
  public:
    void wait() {
        if (Clock::now() - begin_ < microseconds(carry_yield_microseconds)) return std::this_thread::yield();
        std::this_thread::sleep_for(rest_);
        rest_ = std::min(2 * rest_, microseconds(carry_longest_rest_microseconds));
    }

  private:
    using Clock = std::chrono::steady_clock;
    static std::chrono::microseconds microseconds(const Threshold& threshold) {
        return std::chrono::microseconds(std::int64_t{threshold});
    }

    const Clock::time_point begin_ = Clock::now();
    std::chrono::microseconds rest_ = microseconds(carry_first_rest_microseconds);
};

}  // namespace

// A line, and the carries before each chunk.
struct LongScan::Line {
    LinePart front;
    std::vector<Carry> carries;
    std::atomic<std::int64_t> ready{0};  // chunks whose carries are known
    std::atomic<bool> given_up{false};   // by a chunk that threw: those after it may never become ready

    // False if they never will be.
    bool await_carries(std::int64_t chunk) const {
        if (ready.load(std::memory_order_acquire) == chunk) return true;
        BackOff others;
        while (ready.load(std::memory_order_acquire) != chunk) {
            if (given_up) return false;
            others.wait();
        }
        return true;
    }
};

LongScan::LongScan(ScanCall& call)
    : call_(call),
      plan_(call.plan),
      method_(call.method),
      part_(std::max<std::int64_t>(1, part_blocks) * block) {}

void LongScan::run(int threads) {
    const std::int64_t shares = lines_per_thread * threads * parts * block;
    const std::int64_t least =
        std::max<std::int64_t>(1, static_cast<std::int64_t>(method_.least_part) / block);
    if (threads > 1) part_ = std::clamp<std::int64_t>(plan_.axis.size / shares, least, part_blocks) * block;
    Walk walk(plan_.lines, 0);
    for (std::int64_t line = 0; line < plan_.lines.count(); ++line, walk.next())
        run_line(plan_.data + walk.in(), plan_.out + walk.out(), threads);
}

void LongScan::run_line(const char* in, char* out, int threads) const {
    record(Route::scan_chunks);
    call_.write_initial(out, 1);
    const std::int64_t size = parts * part_, chunks = (plan_.axis.size + size - 1) / size;
    Line line{{in, out, 0}, std::vector<Carry>(static_cast<std::size_t>(chunks + 1), method_.identity)};
    auto task = [&](std::size_t t, std::size_t) {
        try {
            run_chunk(line, static_cast<std::int64_t>(t));
        } catch (...) {
            line.given_up = true;
            throw;
        }
        finish_streams();
    };
    for_each_task_in_order(static_cast<std::size_t>(chunks), threads, task);
}

void LongScan::run_chunk(Line& line, std::int64_t chunk) const {
    const std::int64_t size = parts * part_, begin = chunk * size,
                       end = std::min(plan_.axis.size, begin + size);
    Carry totals[chunk_blocks];
    const Carry all = line_total(call_, line.front.in, begin, end, totals);
    if (!line.await_carries(chunk)) return;
    const Carry& before = line.carries[static_cast<std::size_t>(chunk)];
    Carry& after = line.carries[static_cast<std::size_t>(chunk + 1)];
    after = before;
    method_.join(after, all);
    line.ready.store(chunk + 1, std::memory_order_release);
    scan_chunk(line, begin, end, before, totals);
}

// After this carry, and with the totals of the blocks.
void LongScan::scan_chunk(const Line& line, std::int64_t begin, std::int64_t end, Carry carry,
                          const Carry* totals) const {
    std::int64_t blocks = (std::min(end, plan_.written) - begin) / (parts * block);
    if (!takes_parts_of(blocks * block)) blocks = 0;
    if (blocks > 0) scan_parts(line, begin, blocks, carry, totals);
    scan_line(call_, line.front.in, line.front.out, begin + parts * blocks * block, end, carry,
              totals + parts * blocks);
}

// A whole chunk of parts of so many blocks, one beside the other, which moves the carry on.
void LongScan::scan_parts(const Line& line, std::int64_t begin, std::int64_t blocks, Carry& carry,
                          const Carry* totals) const {
    record(Route::scan_parts);
    TileScope scope;
    Carry carries[scan_lines];
    LinePart some[scan_lines];
    for (std::int64_t p = 0; p < parts; ++p) {
        carries[p] = carry;
        some[p] = {line.front.in, line.front.out, begin + p * blocks * block};
        for (std::int64_t i = 0; i < blocks; ++i) method_.join(carry, totals[p * blocks + i]);
    }
    method_.start(scope.tile(), carries, scan_lines);
    scan_side_by_side(call_, scope.tile(), some, scan_lines, blocks * block);
}

}  // namespace samesum
