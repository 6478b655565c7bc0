// A scan whose lines are columns of neighbours.
#pragma once

#include "methods/scan_method.hpp"
#include "run/scans/repair.hpp"
#include "run/scans/scan_target.hpp"

namespace samesum {

void scan_columns(const ScanPlan& plan, const ScanMethod& method, const ScanTarget& target,
                  Failures& failures, int threads);

}  // namespace samesum
