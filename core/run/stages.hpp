// Positions in arrays whose elements do not lie in memory in the order in which they are counted.
#pragma once

#include "layout/plan.hpp"
#include "run/reduce.hpp"

namespace samesum {

// Writes the int64 positions by way of other reductions, or returns false: the array is best taken as it is.
bool reduce_in_stages(const View& x, const bool* reduced, const Reduction& row, void* out);

}  // namespace samesum
