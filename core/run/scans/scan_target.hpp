// Where the prefixes of a scan go, and how.
#pragma once

#include "layout/scan_plan.hpp"
#include "methods/method.hpp"

namespace samesum {

class ScanTarget {
  public:
    ScanTarget(Combine combine, const ScanPlan& plan);

    // What the empty set gives: zero or one.
    std::uint64_t initial() const { return initial_; }
    // The prefixes lie side by side, and are so many that they pass by the caches.
    bool streams() const { return streams_; }
    // Before the first prefixes of neighbouring columns, where something is wanted there.
    void write_initial(char* first_prefix, std::int64_t columns) const;
    // Results of n prefixes side by side go where they belong.
    void put(const char* results, std::size_t n, char* to, std::int64_t stride) const;

  private:
    const ScanPlan& plan_;
    const std::uint64_t initial_;
    const bool streams_;
};

}  // namespace samesum
