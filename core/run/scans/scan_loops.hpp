// The loops of a scan over an array as it lies.
#pragma once

#include "layout/scan_plan.hpp"
#include "methods/method.hpp"

namespace samesum {

// As `scan` of run/scans/scan.hpp; inside a FloatingPointScope.
void scan_loops(Combine combine, const View& x, int axis, const ScanOptions& options, Format format,
                void* out);

}  // namespace samesum
