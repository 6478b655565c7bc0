// Prefix sums and products along one axis, end to end.
#pragma once

#include <cstdint>

#include "layout/scan_plan.hpp"
#include "methods/method.hpp"

namespace samesum {

// `out` is C-contiguous, of `format`, and does not overlap the input; with include_initial its axis is one
// longer.
void scan(Combine combine, const View& x, int axis, const ScanOptions& options, Format format, void* out);

}  // namespace samesum
