// Which way a normalization or an element-wise function takes, and in what pieces.
#pragma once

#include "select/threshold.hpp"

namespace samesum {
// clang-format off

// Softmax and its logarithm.
SAMESUM_THRESHOLD(line_task_bytes, 512 << 10, "bytes of the lines", "a task takes so many: they stay in the cache while they lie side by side")
SAMESUM_THRESHOLD(gathered_line_bytes, 4 << 20, "bytes of the lines", "lines are gathered together up to here for whole cache lines")
SAMESUM_THRESHOLD(column_task_bytes, 512 << 10, "bytes", "neighbouring lines are taken together as far as they fit")
SAMESUM_THRESHOLD(least_column_row_bytes, 256, "bytes of a row", "neighbouring lines are taken together by so many at least")
SAMESUM_THRESHOLD(streamed_elements, 2048, "elements", "results go past the caches by so many")
SAMESUM_THRESHOLD(line_tasks_per_thread, 4, "tasks", "few lines make so many for each thread")
SAMESUM_THRESHOLD(few_neighbours, 8, "neighbouring lines", "fewer are copied one after the other, more element by element")
SAMESUM_THRESHOLD(most_transposed_line, 28, "elements of a line", "shorter lines side by side are transposed to columns; longer ones fill vectors well enough")
SAMESUM_THRESHOLD(least_transposed_count, 8, "lines", "fewer are not transposed")
SAMESUM_THRESHOLD(few_narrow_columns, 5, "columns of less than eight bytes", "so few long columns leave most of a vector empty: they are gathered")
SAMESUM_THRESHOLD(few_wide_columns, 3, "columns of eight bytes", "the same")
SAMESUM_THRESHOLD(least_of_few_columns, 64, "elements of a line", "few columns that are shorter are taken as columns")

// Layer, RMS and group norms.
SAMESUM_THRESHOLD(least_scale_run, 64, "elements with the same scale", "shorter runs have a scale for each element")
SAMESUM_THRESHOLD(most_shared_scales, 1 << 16, "scales of all lines", "so many are widened once for all lines; more are widened for each line")
SAMESUM_THRESHOLD(least_lines_of_singles, 8, "lines", "fewer do not make up for writing their scales in float32, too")
SAMESUM_THRESHOLD(seen_norm_elements, 32, "elements of a channel", "from so many it is foretold how large those are that batch normalization makes in float32")

// Functions of each element.
SAMESUM_THRESHOLD(elementwise_task_elements, 16 << 10, "elements", "a task takes so many that lie side by side")
SAMESUM_THRESHOLD(elementwise_copied_elements, 1 << 10, "elements", "elements that lie apart are gathered by so many: they stay in L1")

// clang-format on
}  // namespace samesum
