// Scans of small groups of few columns (layout/groups.hpp), many at a time.
#pragma once

#include "layout/groups.hpp"
#include "layout/scan_plan.hpp"
#include "methods/method.hpp"

namespace samesum {

void scan_groups(Combine combine, const Groups& groups, const ScanOptions& options, Format format, void* out);

}  // namespace samesum
