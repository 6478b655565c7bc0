// Floats of eight bits: each code stands in a table for what it adds, in integers.
#pragma once

#include "exact/totals/superaccumulator.hpp"
#include "methods/method.hpp"

namespace samesum {

// Sums, of any map and finalization, and extremes.
const Method& byte_sum_method(Format format, Map map);
// One total of a tile of sums.
Superaccumulator byte_total(Format format, Map map, const void* tile, std::size_t j);

const Method& byte_extreme_method(Format format, bool maximum);

}  // namespace samesum
