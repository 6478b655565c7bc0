// Cumulative minima and maxima along an axis, end to end.
#pragma once

#include "layout/plan.hpp"

namespace samesum {

// Every prefix along `axis`, from the end with `reverse`, in the format of the elements; NaN wins. `out` is
// C-contiguous, of the shape of x, which has elements.
void scan_extremes(bool maximum, const View& x, int axis, bool reverse, void* out);

}  // namespace samesum
