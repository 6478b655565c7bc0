// Sums of rows of narrow floats by their labels, each row added where it goes as it comes.
#pragma once

#include "run/segments/placed.hpp"
#include "run/segments/segment_order.hpp"

namespace samesum {

// `order` has found no stranger.
Placed add_rows_in_places(const SegmentCall& call, const SegmentOrder& order);

}  // namespace samesum
