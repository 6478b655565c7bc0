// Lines that lie element by element beside each other, along all of them at once.
#pragma once

#include "run/scans/scan_call.hpp"

namespace samesum {

// Of a single line one.
class InterleavedScan {
  public:
    explicit InterleavedScan(ScanCall& call);

    // How many lines lie so, and whether the front of each comes last in memory.
    std::int64_t lines() const { return lines_; }
    bool is_reversed() const { return call_.plan.axis.in < 0; }
    // Whether the method does so many at once.
    bool is_taken() const { return lines_ <= static_cast<std::int64_t>(call_.method.most_interleaved); }

    // Elements [begin, end) of the lines of which the first one has its front there, after `carries`, which
    // become those after them unless they are at the end; with none the lines begin. Prefixes that are not
    // certain are made line by line. False, and all has to be done again, where many are.
    bool scan(const char* in, char* out, std::int64_t begin, std::int64_t end, Carry* carries) const;

  private:
    class Pieces;

    std::int64_t neighbours() const;

    ScanCall& call_;
    const std::int64_t lines_;
};

}  // namespace samesum
