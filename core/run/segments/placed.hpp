// Sums and extremes of single elements by their labels, each added where it goes as it comes.
#pragma once

#include <cstdint>
#include <vector>

#include "run/segments/segments.hpp"

namespace samesum {

struct Placed {
    bool is_done = false;  // false: this is no such call, and nothing is written
    std::int64_t stranger = -1, empty = -1;
    std::vector<std::int64_t> uncertain;  // segments whose results are left to other means
};

Placed reduce_in_places(const SegmentCall& call);

}  // namespace samesum
