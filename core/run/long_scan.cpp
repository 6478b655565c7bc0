#include "run/long_scan.hpp"

#include <algorithm>
#include <cstdlib>
#include <thread>

#include "layout/stream.hpp"
#include "run/accumulate.hpp"
#include "threads/pool.hpp"

namespace samesum {

namespace {

constexpr std::int64_t block = RowScan::block, most_lines = static_cast<std::int64_t>(scan_lines);

// Neighbours whose elements lie between those of a line share its cache lines.
std::int64_t neighbours(const ScanPlan& plan) {
    const std::int64_t reach = plan.inner.size * std::abs(plan.inner.in);
    const bool between = plan.lines.rank > 0 && reach > 0 && reach <= std::abs(plan.axis.in);
    return between && plan.inner.size <= most_lines ? plan.inner.size : 1;
}

}  // namespace

// Lines that are scanned together, and the carries of each before each chunk.
struct LongScan::Group {
    LinePart line[scan_lines];
    std::vector<Carry> carries;
    std::atomic<std::int64_t> ready{0};  // chunks whose carries are known
};

LongScan::LongScan(const ScanPlan& plan, const ScanMethod& method, const ScanTarget& target,
                   const RowScan& rows, LineScan& side_by_side)
    : plan_(plan),
      method_(method),
      target_(target),
      rows_(rows),
      side_by_side_(side_by_side),
      together_(neighbours(plan)),
      parts_(most_lines / together_),
      blocks_(chunk_blocks / most_lines) {}

void LongScan::run(int threads) {
    Walk walk(plan_.lines, 0);
    for (std::int64_t line = 0; line < plan_.lines.count(); line += together_) {
        Group group;
        for (std::int64_t k = 0; k < together_; ++k, walk.next()) {
            group.line[k] = {plan_.data + walk.in(), plan_.out + walk.out(), 0};
            target_.write_initial(group.line[k].out, 1);
        }
        run_group(group, threads);
    }
}

void LongScan::run_group(Group& group, int threads) {
    const std::int64_t size = parts_ * blocks_ * block, chunks = (plan_.axis.size + size - 1) / size;
    group.carries.assign(static_cast<std::size_t>((chunks + 1) * together_), method_.identity);
    auto task = [&](std::size_t t, std::size_t) {
        run_chunk(group, static_cast<std::int64_t>(t));
        finish_streams();
    };
    for_each_task(static_cast<std::size_t>(chunks), static_cast<std::size_t>(threads), task);
}

void LongScan::run_chunk(Group& group, std::int64_t chunk) {
    const std::int64_t blocks = parts_ * blocks_, size = blocks * block, begin = chunk * size,
                       end = std::min(plan_.axis.size, begin + size);
    Carry totals[chunk_blocks], part[scan_lines];
    for (std::int64_t k = 0; k < together_; ++k)
        part[k] = rows_.total(group.line[k].in, begin, end, totals + k * blocks);
    while (group.ready.load(std::memory_order_acquire) != chunk) std::this_thread::yield();
    const Carry* before = group.carries.data() + chunk * together_;
    Carry* after = group.carries.data() + (chunk + 1) * together_;
    for (std::int64_t k = 0; k < together_; ++k) {
        after[k] = before[k];
        method_.join(after[k], part[k]);
    }
    group.ready.store(chunk + 1, std::memory_order_release);
    if (end - begin == size && end <= plan_.written && takes_parts()) {
        scan_parts(group, begin, before, totals);
    } else {
        for (std::int64_t k = 0; k < together_; ++k)
            rows_.scan(group.line[k].in, group.line[k].out, begin, end, before[k], totals + k * blocks);
    }
}

// A whole chunk, part beside part.
void LongScan::scan_parts(const Group& group, std::int64_t begin, const Carry* before, const Carry* totals) {
    TileScope scope;
    Carry carries[scan_lines];
    LinePart parts[scan_lines];
    // The first parts of all lines come first: only they can be at the front.
    for (std::int64_t k = 0; k < together_; ++k) {
        Carry carry = before[k];
        for (std::int64_t p = 0; p < parts_; ++p) {
            carries[p * together_ + k] = carry;
            parts[p * together_ + k] = {group.line[k].in, group.line[k].out, begin + p * blocks_ * block};
            for (std::int64_t i = 0; i < blocks_; ++i) method_.join(carry, *totals++);
        }
    }
    const std::size_t count = static_cast<std::size_t>(together_ * parts_);
    method_.start(scope.tile(), carries, count);
    side_by_side_.scan(scope.tile(), parts, count, blocks_ * block);
}

}  // namespace samesum
