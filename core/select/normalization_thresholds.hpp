// Which way a normalization or an element-wise function takes, and in what pieces.
#pragma once

#include "select/threshold.hpp"

namespace samesum {

// Softmax and its logarithm.
inline constexpr Threshold line_task_bytes{
    "line_task_bytes", 512 << 10, "bytes of the lines",
    "a task takes so many: they stay in the cache while they lie side by side"};
inline constexpr Threshold gathered_line_bytes{
    "gathered_line_bytes", 4 << 20, "bytes of the lines",
    "lines are gathered together up to here for whole cache lines"};
inline constexpr Threshold column_task_bytes{"column_task_bytes", 512 << 10, "bytes",
                                             "neighbouring lines are taken together as far as they fit"};
inline constexpr Threshold least_column_row_bytes{
    "least_column_row_bytes", 256, "bytes of a row",
    "neighbouring lines are taken together by so many at least"};
inline constexpr Threshold streamed_elements{"streamed_elements", 2048, "elements",
                                             "results go past the caches by so many"};
inline constexpr Threshold line_tasks_per_thread{"line_tasks_per_thread", 4, "tasks",
                                                 "few lines make so many for each thread"};
inline constexpr Threshold few_neighbours{"few_neighbours", 8, "neighbouring lines",
                                          "fewer are copied one after the other, more element by element"};
inline constexpr Threshold most_transposed_line{
    "most_transposed_line", 28, "elements of a line",
    "shorter lines side by side are transposed to columns; longer ones fill vectors well enough"};
inline constexpr Threshold least_transposed_count{"least_transposed_count", 8, "lines",
                                                  "fewer are not transposed"};
inline constexpr Threshold few_narrow_columns{
    "few_narrow_columns", 5, "columns of less than eight bytes",
    "so few long columns leave most of a vector empty: they are gathered"};
inline constexpr Threshold few_wide_columns{"few_wide_columns", 3, "columns of eight bytes", "the same"};
inline constexpr Threshold least_of_few_columns{"least_of_few_columns", 64, "elements of a line",
                                                "few columns that are shorter are taken as columns"};

// Layer, RMS and group norms.
inline constexpr Threshold few_norm_neighbours{
    "few_norm_neighbours", 4, "neighbouring lines",
    "fewer are copied one after the other, more element by element"};
inline constexpr Threshold least_scale_run{"least_scale_run", 64, "elements with the same scale",
                                           "shorter runs have a scale for each element"};
inline constexpr Threshold most_shared_scales{
    "most_shared_scales", 1 << 16, "scales of all lines",
    "so many are widened once for all lines; more are widened for each line"};
inline constexpr Threshold least_lines_of_singles{
    "least_lines_of_singles", 8, "lines", "fewer do not make up for writing their scales in float32, too"};
inline constexpr Threshold seen_norm_elements{
    "seen_norm_elements", 32, "elements of a channel",
    "from so many it is foretold how large those are that batch normalization makes in float32"};

// Functions of each element.
inline constexpr Threshold elementwise_task_elements{"elementwise_task_elements", 16 << 10, "elements",
                                                     "a task takes so many that lie side by side"};
inline constexpr Threshold elementwise_copied_elements{
    "elementwise_copied_elements", 1 << 10, "elements",
    "elements that lie apart are gathered by so many: they stay in L1"};

}  // namespace samesum
