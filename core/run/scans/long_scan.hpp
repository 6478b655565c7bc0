// Lines that are few or long: their chunks are handed out in order, and each waits for the carry of the one
// before.
#pragma once

#include "run/scans/scan_call.hpp"
#include "select/scan_thresholds.hpp"

namespace samesum {

class LongScan {
  public:
    // Elements that one thread takes at a time: they stay in its cache between the two passes over them.
    static constexpr std::int64_t chunk_blocks = part_blocks * static_cast<std::int64_t>(scan_lines),
                                  chunk_elements = chunk_blocks * scan_block;

    explicit LongScan(ScanCall& call);

    // Whether parts of a line, of so many elements, are scanned side by side.
    bool takes_parts_of(std::int64_t elements) const {
        return method_.least_part > 0 && elements >= static_cast<std::int64_t>(method_.least_part);
    }
    // Lines that lie element by element beside each other, so many are scanned together.
    std::int64_t lines_together() const { return together_; }

    void run(int threads);
    // One line, or those that go together.
    void run_line(const char* in, char* out, int threads) const;

  private:
    struct Group;

    void run_group(Group& group, int threads) const;
    void run_chunk(Group& group, std::int64_t chunk) const;
    void scan_chunk(const Group& group, std::int64_t begin, std::int64_t end, const Carry* before,
                    const Carry* totals) const;
    void add_totals(const Group& group, std::int64_t begin, std::int64_t end, Carry* totals,
                    Carry* all) const;
    void scan_parts(const Group& group, std::int64_t begin, std::int64_t part, const Carry* before,
                    const Carry* totals) const;

    ScanCall& call_;
    const ScanPlan& plan_;
    const ScanMethod& method_;
    const std::int64_t together_;
    std::int64_t part_;  // elements of each line in a part of a whole chunk
};

}  // namespace samesum
