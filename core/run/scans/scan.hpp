// Scans along one axis, end to end. `out` is C-contiguous.
#pragma once

#include <cstdint>

#include "layout/plan.hpp"
#include "methods/method.hpp"

namespace samesum {

// Prefix sums, products, minima and maxima (NaN wins) of which the last two have the format of x. `out` is of
// `format` and does not overlap the input; with include_initial its axis is one longer.
void scan(Combine combine, const View& x, int axis, const ScanOptions& options, Format format, void* out);

// Every prefix, from the end with `reverse`, in the format of the elements; `out` has the shape of x, which
// has elements. Logarithms of sums of exponentials of floats of 16 bits or more, each within 0.51 ulp of the
// exact one.
void scan_exponentials(const View& x, int axis, bool reverse, void* out);

}  // namespace samesum
