// Cumulative logarithms of sums of exponentials along an axis, end to end.
#pragma once

#include "layout/plan.hpp"

namespace samesum {

// Every prefix along `axis`, from the end with `reverse`, each within 0.51 ulp of the exact one, in the
// format of the elements: a float of 16 bits or more. `out` is C-contiguous, of the shape of x, which has
// elements.
void scan_exponentials(const View& x, int axis, bool reverse, void* out);

}  // namespace samesum
