// Exact sums of short blocks of floats.
#pragma once

#include <cstddef>
#include <cstdint>

namespace samesum {

// Elements per call, at most.
constexpr std::size_t exact_elements = 2048;

// Some numbers whose exact sum is the total of a block.
struct ExactParts {
    double part[4] = {};
    bool known = false;  // false: the block has no such total in few numbers, or elements that are not finite
};

// Every float format x map (itself, magnitude, square): the total of n contiguous elements.
struct ExactBlocks {
    ExactParts (*total[4][3])(const void* x, std::size_t n);
    // Of n <= exact_elements finite floats narrower than float64: each is a multiple, to which the sum with
    // the anchor rounds it, and a rest. Writes whole vectors; returns the least magnitude but zero, or
    // infinity.
    double (*split[3])(const void* x, std::size_t n, double anchor, double* multiple, double* rest);
};

}  // namespace samesum
