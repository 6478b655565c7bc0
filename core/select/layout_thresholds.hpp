// How a layout becomes loops, and how elements are moved.
#pragma once

#include "select/threshold.hpp"

namespace samesum {
// clang-format off

// The shape of the loops of a reduction.
SAMESUM_THRESHOLD(long_set_elements, 512, "elements of a set", "sets of several short runs are lanes from here on")
SAMESUM_THRESHOLD(least_side_columns, 8, "outputs side by side", "fewer fill no vector: runs are lanes, however short")
SAMESUM_THRESHOLD(plan_folded_columns, 512, "columns", "rows of few columns are taken together until they are so wide")
SAMESUM_THRESHOLD(folding_share, 4, "divisor of plan_folded_columns and of the rows", "rows of more than the share of the width are not taken together; at most the share of all rows are")
SAMESUM_THRESHOLD(rows_per_merge, 4, "rows", "so many of a wide row are taken for each column that is merged in the end")
SAMESUM_THRESHOLD(short_row_bytes, 128, "bytes of a row", "shorter rows with gaps are copied to lie side by side")
SAMESUM_THRESHOLD(least_scan_columns, 8, "lines side by side", "fewer are scanned along the axis")

// Elements that are copied.
SAMESUM_THRESHOLD(streamed_bytes, 16 << 20, "bytes of results", "from here on results are written past the caches")
SAMESUM_THRESHOLD(gather_part, 128, "elements", "memory ahead of a gather is asked for by so many elements")
SAMESUM_THRESHOLD(gather_ahead_elements, 192, "elements", "so far ahead memory is asked for where elements lie apart")
SAMESUM_THRESHOLD(dense_stride, 16, "bytes from element to element", "denser runs are asked for by the distance of the processor")

// Blocks that are transposed by pieces that stay in L1.
SAMESUM_THRESHOLD(transposed_bytes, 8192, "bytes", "rows of a block that are transposed at a time have so many")
SAMESUM_THRESHOLD(least_transposed_rows, 16, "rows", "at least so many are transposed at a time")

// Results in another order.
SAMESUM_THRESHOLD(copied_run_elements, 1 << 14, "results", "a task of a permutation copies so many")
SAMESUM_THRESHOLD(square_lines, 128, "lines of the cache", "a task that transposes takes so many: they stay in the cache")
SAMESUM_THRESHOLD(least_square_elements, 16, "results", "a task that transposes takes at least so many of a line")

// clang-format on
}  // namespace samesum
