// What the methods of normalizing lines are given and give.
#pragma once

#include <cstddef>
#include <cstdint>

namespace samesum {

// Elements of a line whose powers are added by themselves before they join the others'.
constexpr std::size_t line_block = 16384;

// Logarithms of lines this short are next to zero so often that they are always taken so.
constexpr std::size_t least_near_logarithm = 29;

// What some elements of a line add up to. Powers are taken as they are, or against the line's greatest
// element; then how many elements equal to it were counted instead is told for the logarithm.
struct LineShare {
    double total = 0, rest = 0;  // of float64 in two words
    double greatest = 0;         // NaNs apart
    std::int64_t count = 0;
    bool is_near = false;  // as they are
};

// `count` lines of n <= line_block contiguous elements and the distances between them, in bytes.
struct LineRows {
    const char* x;
    std::ptrdiff_t in;
    char* out;
    std::ptrdiff_t to;
    std::size_t n, count;
};

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
constexpr std::size_t bytes_for_columns(std::size_t n) { return 2 * 64 * n; }

}  // namespace samesum
