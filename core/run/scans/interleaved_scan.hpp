// Lines that lie element by element beside each other, along all of them at once.
#pragma once

#include "layout/scan_plan.hpp"
#include "methods/scan_method.hpp"
#include "run/scans/row_scan.hpp"
#include "run/scans/scan_target.hpp"

namespace samesum {

// Of a single line one.
class InterleavedScan {
  public:
    InterleavedScan(const ScanPlan& plan, const ScanMethod& method, const ScanTarget& target,
                    const RowScan& rows);

    // How many lines lie so, and whether the front of each comes last in memory.
    std::int64_t lines() const { return lines_; }
    bool is_reversed() const { return plan_.axis.in < 0; }
    // Whether the method does so many at once.
    bool is_taken() const { return lines_ <= static_cast<std::int64_t>(method_.most_interleaved); }

    // Elements [begin, end) of the lines of which the first one has its front there, after `carries`, which
    // become those after them unless they are at the end; with none the lines begin. Prefixes that are not
    // certain are made line by line. False, and all has to be done again, where many are.
    bool scan(const char* in, char* out, std::int64_t begin, std::int64_t end, Carry* carries) const;

  private:
    class Pieces;

    std::int64_t neighbours() const;

    const ScanPlan& plan_;
    const ScanMethod& method_;
    const ScanTarget& target_;
    const RowScan& rows_;
    const std::int64_t lines_;
};

}  // namespace samesum
