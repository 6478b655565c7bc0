// The figures of a block of floats that its bits tell: how many elements are of each class, and the extremes.
#pragma once

#include <cstddef>
#include <cstdint>

namespace samesum {

// Elements per call, at most.
constexpr std::size_t statistics_elements = 4096;

// The extremes of the finite elements are order keys: the bits of a float as a signed integer, the magnitude
// bits of a negative one inverted. -0 is below +0.
struct BlockStatistics {
    std::int64_t nans = 0, positive_infinities = 0, negative_infinities = 0, zeros = 0, subnormals = 0;
    std::int64_t least = INT64_MAX, greatest = INT64_MIN;
    std::int64_t smallest = INT64_MAX;  // the bits of the least magnitude that is not zero
};

// By float format of more than eight bits. `finite` gets the elements, zeros in place of those that are not
// finite; x is aligned to its elements.
struct StatisticsMethods {
    void (*of[4])(const void* x, std::size_t n, void* finite, BlockStatistics& found);
};

}  // namespace samesum
