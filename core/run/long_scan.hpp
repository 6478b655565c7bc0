// Lines that are few or long: their chunks are handed out in order, and each waits for the carry of the one before.
#pragma once

#include <atomic>
#include <vector>

#include "run/line_scan.hpp"
#include "run/row_scan.hpp"

namespace samesum {

class LongScan {
  public:
    // Elements that one thread takes at a time: they stay in its cache between the two passes over them, and their
    // parts side by side are no multiple of 4096 bytes long, which would share their places in it.
    static constexpr std::int64_t chunk_blocks = 56, chunk_elements = chunk_blocks * RowScan::block;

    LongScan(const ScanPlan& plan, const ScanMethod& method, const ScanTarget& target, const RowScan& rows,
             LineScan& side_by_side);

    // Of lines that lie between each other, so many are scanned together.
    std::int64_t lines_together() const { return together_; }

    // Whether parts of a line are scanned side by side.
    bool takes_parts() const { return method_.takes_parts && side_by_side_.is_quick(); }

    void run(int threads);

  private:
    struct Group;

    void run_group(Group& group, int threads);
    void run_chunk(Group& group, std::int64_t chunk);
    void scan_parts(const Group& group, std::int64_t begin, const Carry* carries, const Carry* totals);

    const ScanPlan& plan_;
    const ScanMethod& method_;
    const ScanTarget& target_;
    const RowScan& rows_;
    LineScan& side_by_side_;
    const std::int64_t together_, parts_, blocks_;  // parts of a line in a chunk, blocks of a part
};

}  // namespace samesum
