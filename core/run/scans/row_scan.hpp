// A line of a scan block after block, by vectors along it.
#pragma once

#include "layout/scan_plan.hpp"
#include "methods/method.hpp"
#include "methods/scan_method.hpp"
#include "run/scans/repair.hpp"
#include "run/scans/scan_target.hpp"

namespace samesum {

class RowScan {
  public:
    static constexpr std::int64_t block = static_cast<std::int64_t>(scan_elements);

    RowScan(Combine combine, const ScanPlan& plan, const ScanMethod& method, const ScanTarget& target,
            Failures& failures)
        : combine_(combine), plan_(plan), method_(method), target_(target), failures_(failures) {}

    // Elements [begin, end) of a line, after `carry`; the totals of their blocks, if they are known.
    void scan(const char* in, char* out, std::int64_t begin, std::int64_t end, Carry carry,
              const Carry* totals) const;

    // The total of these elements, and those of their blocks.
    Carry total(const char* in, std::int64_t begin, std::int64_t end, Carry* totals) const;

    // The totals of neighbouring lines that lie element by element beside each other.
    void add_totals(const char* in, std::int64_t lines, std::int64_t begin, std::int64_t end,
                    Carry* totals) const;

  private:
    // Contiguous native elements, gathered into `buffer` if they do not lie so.
    const char* elements(const char* p, std::int64_t n, char* buffer) const;

    const Combine combine_;
    const ScanPlan& plan_;
    const ScanMethod& method_;
    const ScanTarget& target_;
    Failures& failures_;
};

}  // namespace samesum
