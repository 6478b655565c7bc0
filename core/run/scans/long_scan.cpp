#include "run/scans/long_scan.hpp"

#include <algorithm>
#include <chrono>
#include <thread>

#include "layout/stream.hpp"
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

// How many lines lie element by element beside each other, one if they do not lie so.
std::int64_t interleaved_lines(const ScanPlan& plan) {
    const std::int64_t n = plan.inner.size, size = plan.item();
    if (plan.lines.rank == 0 || plan.columns || plan.swapped || n < 2 || n >= parts) return 1;
    for (int i = 0; i < plan.lines.rank; ++i)
        if (plan.lines.dim[i].in % size != 0) return 1;
    const bool beside = plan.inner.in == size && plan.axis.in == n * size &&
                        plan.inner.out == plan.result() && plan.axis.out == n * plan.result() &&
                        reinterpret_cast<std::uintptr_t>(plan.data) % size_of(plan.in) == 0;
    return beside ? n : 1;
}

}  // namespace

// Lines that are scanned together, and the carries of each before each chunk.
struct LongScan::Group {
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
      together_(method_.takes_lines() ? interleaved_lines(plan_) : 1),
      part_(std::max<std::int64_t>(1, part_blocks / together_) * block) {}

void LongScan::run(int threads) {
    const std::int64_t shares = lines_per_thread * threads * parts * block;
    const std::int64_t least =
        std::max<std::int64_t>(1, static_cast<std::int64_t>(method_.least_part) / block);
    if (together_ == 1 && threads > 1)
        part_ = std::clamp<std::int64_t>(plan_.axis.size / shares, least, part_blocks) * block;
    Walk walk(plan_.lines, 0);
    for (std::int64_t line = 0; line < plan_.lines.count(); line += together_) {
        run_line(plan_.data + walk.in(), plan_.out + walk.out(), threads);
        for (std::int64_t k = 0; k < together_; ++k) walk.next();
    }
}

void LongScan::run_line(const char* in, char* out, int threads) const {
    record(Route::scan_chunks);
    Group group;
    group.front = {in, out, 0};
    call_.write_initial(out, together_);
    run_group(group, threads);
}

void LongScan::run_group(Group& group, int threads) const {
    const std::int64_t size = parts * part_, chunks = (plan_.axis.size + size - 1) / size;
    group.carries.assign(static_cast<std::size_t>((chunks + 1) * together_), method_.identity);
    auto task = [&](std::size_t t, std::size_t) {
        try {
            run_chunk(group, static_cast<std::int64_t>(t));
        } catch (...) {
            group.given_up = true;
            throw;
        }
        finish_streams();
    };
    for_each_task_in_order(static_cast<std::size_t>(chunks), static_cast<std::size_t>(threads), task);
}

void LongScan::run_chunk(Group& group, std::int64_t chunk) const {
    const std::int64_t size = parts * part_, begin = chunk * size,
                       end = std::min(plan_.axis.size, begin + size);
    Carry totals[chunk_blocks], all[scan_lines];
    add_totals(group, begin, end, totals, all);
    if (!group.await_carries(chunk)) return;
    const Carry* before = group.carries.data() + chunk * together_;
    Carry* after = group.carries.data() + (chunk + 1) * together_;
    for (std::int64_t k = 0; k < together_; ++k) {
        after[k] = before[k];
        method_.join(after[k], all[k]);
    }
    group.ready.store(chunk + 1, std::memory_order_release);
    scan_chunk(group, begin, end, before, totals);
}

// After these carries, and with the totals of add_totals.
void LongScan::scan_chunk(const Group& group, std::int64_t begin, std::int64_t end, const Carry* before,
                          const Carry* totals) const {
    const char* in = group.front.in;
    char* out = group.front.out;
    if (together_ > 1) {
        if (end - begin == parts * part_ && end <= plan_.written)
            return scan_parts(group, begin, part_, before, totals);
        for (std::int64_t k = 0; k < together_; ++k, in += plan_.inner.in, out += plan_.inner.out)
            scan_line(call_, in, out, begin, end, before[k], nullptr);
        return;
    }
    std::int64_t blocks = (std::min(end, plan_.written) - begin) / (parts * block);
    if (!takes_parts_of(blocks * block)) blocks = 0;
    Carry carry = before[0];
    if (blocks > 0) {
        scan_parts(group, begin, blocks * block, before, totals);
        for (std::int64_t i = 0; i < parts * blocks; ++i) method_.join(carry, totals[i]);
    }
    scan_line(call_, in, out, begin + parts * blocks * block, end, carry, totals + parts * blocks);
}

// The totals of each line, and those of its blocks, or those of its parts where several lines go together.
void LongScan::add_totals(const Group& group, std::int64_t begin, std::int64_t end, Carry* totals,
                          Carry* all) const {
    if (together_ == 1) {
        all[0] = line_total(call_, group.front.in, begin, end, totals);
        return;
    }
    std::fill_n(totals, parts * together_, method_.identity);
    std::fill_n(all, together_, method_.identity);
    for (std::int64_t i = begin; i < end; i += part_, totals += together_) {
        add_line_totals(call_, group.front.in, together_, i, std::min(end, i + part_), totals);
        for (std::int64_t k = 0; k < together_; ++k) method_.join(all[k], totals[k]);
    }
}

// A whole chunk of parts, one beside the other.
void LongScan::scan_parts(const Group& group, std::int64_t begin, std::int64_t part, const Carry* before,
                          const Carry* totals) const {
    record(Route::scan_parts);
    TileScope scope;
    Carry carries[scan_lines * scan_lines];
    LinePart some[scan_lines];
    const std::int64_t blocks = together_ == 1 ? part / block : 1;
    for (std::int64_t k = 0; k < together_; ++k) {
        Carry carry = before[k];
        for (std::int64_t p = 0; p < parts; ++p) {
            carries[k * parts + p] = carry;
            for (std::int64_t i = 0; i < blocks; ++i)
                method_.join(carry, totals[(p * together_ + k) * blocks + i]);
        }
    }
    for (std::int64_t p = 0; p < parts; ++p) some[p] = {group.front.in, group.front.out, begin + p * part};
    method_.start(scope.tile(), carries, static_cast<std::size_t>(parts * together_));
    scan_side_by_side(call_, scope.tile(), some, scan_lines, part, together_);
}

}  // namespace samesum
