// Scans of many short lines that lie side by side: they are taken as columns.
#pragma once

#include <cstdint>

#include "layout/scan_plan.hpp"
#include "methods/scan_method.hpp"
#include "run/scans/repair.hpp"

namespace samesum {

bool lines_are_short(const ScanPlan& plan, const ScanMethod& method);

// `initial`: the bits of what the empty set gives.
void scan_short_lines(const ScanPlan& plan, const ScanMethod& method, std::uint64_t initial,
                      Failures& failures, int threads);

}  // namespace samesum
