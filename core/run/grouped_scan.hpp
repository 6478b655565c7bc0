// Scans of small groups of few columns (run/groups.hpp), many at a time.
#pragma once

#include "layout/scan_plan.hpp"
#include "run/groups.hpp"
#include "run/scan.hpp"

namespace samesum {

// Whether they are quicker so.
bool scans_as_groups(Combine combine, const Groups& groups, const ScanOptions& options, Format format,
                     const void* out);

void scan_groups(Combine combine, const Groups& groups, const ScanOptions& options, Format format, void* out);

}  // namespace samesum
