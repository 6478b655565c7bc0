// Exact sums of short blocks of floats, and counts of elements by their magnitude.
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

struct ExactBlocks {
    // Every float format x map (itself, magnitude, square): the total of n contiguous elements.
    ExactParts (*total[4][3])(const void* x, std::size_t n);
    // Elements of 1, 2, 4 or 8 bytes: counts[i] grows by how many of n contiguous elements have bits that,
    // without the highest one, are at least threshold[i].
    void (*count[4])(const void* x, std::size_t n, const std::uint64_t* threshold, std::size_t thresholds,
                     std::int64_t* counts);
};

// Of the instruction set in use.
const ExactBlocks& current_exact_blocks();

}  // namespace samesum
