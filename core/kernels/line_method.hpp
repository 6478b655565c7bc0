// What the methods of normalizing lines are given and give.
#pragma once

#include <cstddef>
#include <cstdint>

namespace samesum {

// Elements of a line whose powers are added by themselves before they join the others'.
constexpr std::size_t line_block = 16384;

// The sum of some powers against `most`, and how many elements equal to it were counted instead.
struct LineShare {
    double most = 0;
    double total = 0, rest = 0;  // of float64 in two words
    std::int64_t count = 0;
};

// Blocks make their sums against their own greatest element, but for those that are this far below the
// line's: e^-500 is a normal number, and so are the low words of what it scales.
constexpr double far_below = 500;

// `count` neighbouring lines of n <= line_block elements: where the first element of each is, and its
// results.
struct LineColumns {
    const char* x;
    std::ptrdiff_t in;  // from one element of a line to the next, in bytes
    char* out;
    std::ptrdiff_t to;  // likewise
    std::size_t n, count;
};

// Bytes that `columns` needs, 64 byte by 64 byte.
constexpr std::size_t room_for_columns(std::size_t n) { return 2 * 64 * n; }

}  // namespace samesum
