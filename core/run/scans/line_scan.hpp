// Several lines side by side, along their elements.
#pragma once

#include "layout/scan_plan.hpp"
#include "methods/scan_method.hpp"
#include "run/scans/repair.hpp"
#include "run/scans/scan_target.hpp"
#include "select/scan_thresholds.hpp"

namespace samesum {

// Elements of a line from number `begin` on; or of several lines that lie element by element beside each
// other.
struct LinePart {
    const char* in;  // the front of the line, of the first of them
    char* out;
    std::int64_t begin;
};

class LineScan {
  public:
    // Elements of each line in one call: their results stay in the cache until they are written.
    static constexpr std::int64_t together = scan_together;
    static_assert(together <= static_cast<std::int64_t>(scan_elements));

    LineScan(const ScanPlan& plan, const ScanMethod& method, const ScanTarget& target, Failures& failures)
        : plan_(plan), method_(method), target_(target), failures_(failures) {}

    // The prefixes of `n` elements of each line of `count` <= scan_lines parts, whose columns of the tile are
    // ready.
    void scan(void* tile, const LinePart* parts, std::size_t count, std::int64_t n, std::int64_t lines = 1);

  private:
    void add_failures(const LinePart& part, const std::uint8_t* failed, std::int64_t i, std::int64_t n,
                      std::int64_t lines);

    const ScanPlan& plan_;
    const ScanMethod& method_;
    const ScanTarget& target_;
    Failures& failures_;
};

}  // namespace samesum
