// Reductions of rows that are put in order by their labels first.
#pragma once

#include "run/segments/segments.hpp"

namespace samesum {

// Does what reduce_segments does, for every such call; `order` has found no stranger.
void reduce_in_order(const SegmentCall& call, SegmentOrder& order);

}  // namespace samesum
