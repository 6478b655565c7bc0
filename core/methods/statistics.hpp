// The figures of a block of floats: how many elements are of each class, the extremes, and exact sums.
#pragma once

#include <cstddef>
#include <cstdint>

#include "formats/format.hpp"

namespace samesum {

// Elements per call, at most: of float64 half as many as of the narrower formats.
constexpr std::size_t statistics_elements = 4096;

constexpr std::size_t statistics_block(Format format) {
    return format == Format::f64 ? statistics_elements / 2 : statistics_elements;
}

// The extremes of the finite elements are order keys: the bits of a float as a signed integer, the magnitude
// bits of a negative one inverted. -0 is below +0.
struct BlockStatistics {
    std::int64_t nans = 0, positive_infinities = 0, negative_infinities = 0, zeros = 0, subnormals = 0;
    std::int64_t least = INT64_MAX, greatest = INT64_MIN;
    std::int64_t smallest = INT64_MAX;  // the bits of the least magnitude that is not zero
    // By map (itself, magnitude, square): numbers whose exact sum is the total of the finite elements.
    double part[3][6] = {};
    bool known[3] = {};            // false: a total has no such form
    const void* finite = nullptr;  // the elements, zeros in place of those that are not finite
};

// By float format of more than eight bits. `scratch` has room for all elements; x is aligned to its elements.
struct StatisticsMethods {
    void (*of[4])(const void* x, std::size_t n, void* scratch, BlockStatistics& found);
};

}  // namespace samesum
