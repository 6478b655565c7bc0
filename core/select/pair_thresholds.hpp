// How dot products and cumulative sums of exponentials are shared out and brought to their methods.
#pragma once

#include "select/threshold.hpp"

namespace samesum {
// clang-format off

// Dot products.
SAMESUM_THRESHOLD(dot_least_lane, 16, "elements of a vector", "shorter vectors are columns where both ways copy as much")
SAMESUM_THRESHOLD(dot_copied_bytes, 64 << 10, "bytes of an operand", "so many are copied at a time")

// Cumulative logarithms of sums of exponentials.
SAMESUM_THRESHOLD(exponential_columns, 64, "lines side by side", "fewer are not shared out, and cut into parts where they are long")
SAMESUM_THRESHOLD(exponential_tile, 512, "lines side by side", "so many are scanned together")
SAMESUM_THRESHOLD(exponential_long_line, 256, "elements of a line", "few shorter lines are not cut into parts")
SAMESUM_THRESHOLD(exponential_part, 8, "elements of a line", "parts of a line are no shorter")
SAMESUM_THRESHOLD(exponential_doubtful, 64, "prefixes in doubt", "more are not decided one by one in double-words")
SAMESUM_THRESHOLD(exponential_parts, 1024, "parts of a line", "a long line is cut into so many")

// clang-format on
}  // namespace samesum
