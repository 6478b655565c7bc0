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
    void run(int threads);
    void run_line(const char* in, char* out, int threads) const;

  private:
    struct Line;
    void run_chunk(Line& line, std::int64_t chunk) const;
    void scan_chunk(const Line& line, std::int64_t begin, std::int64_t end, Carry carry,
                    const Carry* totals) const;
    void scan_parts(const Line& line, std::int64_t begin, std::int64_t blocks, Carry& carry,
                    const Carry* totals) const;

    ScanCall& call_;
    const ScanPlan& plan_;
    const ScanMethod& method_;
    std::int64_t part_;  // elements of each line in a part of a whole chunk
};

}  // namespace samesum
