// Reductions of rows that are put in order by their labels first.
#pragma once

#include <cstdint>
#include <vector>

#include "run/segments/segments.hpp"

namespace samesum {

// Sums and extremes of single elements by their labels, each added where it goes as it comes.
struct Placed {
    bool is_done = false;  // false: this is no such call, and nothing is written
    std::int64_t first_bad_label = -1, empty = -1;
    std::vector<std::int64_t> uncertain;  // segments whose results are left to other means
};

Placed reduce_in_places(const SegmentCall& call);

// Does what reduce_segments does, for every such call; `order` has found no bad label.
void reduce_in_order(const SegmentCall& call, SegmentOrder& order);

}  // namespace samesum
