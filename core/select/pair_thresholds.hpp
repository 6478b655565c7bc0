// How dot products and cumulative extremes are shared out and brought to their methods.
#pragma once

#include "select/threshold.hpp"

namespace samesum {
// clang-format off

// Dot products.
SAMESUM_THRESHOLD(dot_least_lane, 16, "elements of a vector", "shorter vectors are columns where both ways copy as much")
SAMESUM_THRESHOLD(dot_folded_columns, 32, "vectors side by side", "rows of fewer are taken several as one")
SAMESUM_THRESHOLD(dot_fold_columns, 64, "columns", "so wide become rows that are taken as one")
SAMESUM_THRESHOLD(dot_copied_bytes, 64 << 10, "bytes of an operand", "so many are copied at a time")
SAMESUM_THRESHOLD(dot_task_bytes, 256 << 10, "bytes of an operand", "a task takes so many")
SAMESUM_THRESHOLD(dot_row, 1024, "vectors side by side", "a task takes so many of a row, however long they are")
SAMESUM_THRESHOLD(dot_short_row, 64, "vectors side by side", "shorter rows are not shared out")
SAMESUM_THRESHOLD(dot_part_elements, 16 << 10, "elements of a vector", "shorter parts are no task of their own")
SAMESUM_THRESHOLD(dot_part_rows, 64, "rows", "fewer are no task of their own")

// Cumulative minima and maxima.
SAMESUM_THRESHOLD(extreme_task_bytes, 128 << 10, "bytes of the input", "a task takes whole lines of so many")
SAMESUM_THRESHOLD(extreme_part_bytes, 128 << 10, "bytes of the input", "parts of long lines are no shorter")
SAMESUM_THRESHOLD(extreme_columns, 64, "lines side by side", "fewer are not shared out")

// Cumulative logarithms of sums of exponentials.
SAMESUM_THRESHOLD(exponential_columns, 64, "lines side by side", "fewer are not shared out, and cut into parts where they are long")
SAMESUM_THRESHOLD(exponential_tile, 512, "lines side by side", "so many are scanned together")
SAMESUM_THRESHOLD(exponential_long_line, 256, "elements of a line", "few shorter lines are not cut into parts")
SAMESUM_THRESHOLD(exponential_part, 8, "elements of a line", "parts of a line are no shorter")
SAMESUM_THRESHOLD(exponential_doubtful, 64, "prefixes in doubt", "more are not decided one by one in double-words")
SAMESUM_THRESHOLD(exponential_parts, 1024, "parts of a line", "a long line is cut into so many")

// clang-format on
}  // namespace samesum
