// How rows that are scattered to segments are put in order and reduced.
#pragma once

#include "select/threshold.hpp"

namespace samesum {

inline constexpr Threshold segment_part_rows{
    "segment_part_rows", 64 << 10, "rows",
    "a part that has its own counts of the segments has so many at least"};
inline constexpr Threshold few_segments{
    "few_segments", 2048, "segments",
    "so few are counted four times over: to count one up waits until it was counted up before"};
inline constexpr Threshold many_segment_rows{"many_segment_rows", 64 << 10, "rows of a segment",
                                             "segments of more are few, and sorted by comparison"};
inline constexpr Threshold small_segment_row{"small_segment_row", 32, "bytes of a row",
                                             "smaller rows share cache lines: they are put in order once"};
inline constexpr Threshold segment_rows_ahead{"segment_rows_ahead", 8, "rows",
                                              "so far ahead rows that are copied are asked for"};
inline constexpr Threshold segment_lines_ahead{"segment_lines_ahead", 8, "cache lines of a row",
                                               "so many of each are asked for"};
inline constexpr Threshold segment_block_bytes{
    "segment_block_bytes", 256 << 10, "bytes",
    "rows that are copied together: they stay in the cache until they are reduced"};
inline constexpr Threshold long_segment_bytes{"long_segment_bytes", 1 << 20, "bytes of a segment",
                                              "threads share larger segments"};
inline constexpr Threshold row_bytes_for_a_column{
    "row_bytes_for_a_column", 128, "bytes of a row for each column",
    "columns of longer rows that are not decided are taken again by themselves: a line of memory each"};
inline constexpr Threshold segment_slice_bytes{"segment_slice_bytes", 32 << 10, "bytes of a row",
                                               "wider rows are taken in slices"};

inline constexpr Threshold long_segment_in_order{
    "long_segment_in_order", 512, "rows of a segment",
    "segments of more are read where they lie, if that is in order"};
inline constexpr Threshold labels_looked_at{"labels_looked_at", 4096, "labels",
                                            "so many tell whether they ascend"};
inline constexpr Threshold cached_state_bytes{
    "cached_state_bytes", 256 << 10, "bytes of the states of all segments",
    "those of elements to come are asked for if all are more: they miss the second cache"};
inline constexpr Threshold placed_rows_ahead{"placed_rows_ahead", 128, "elements",
                                             "so far ahead their states are asked for"};
inline constexpr Threshold placed_task_segments{"placed_task_segments", 8192, "segments",
                                                "the results of so many are a task"};

}  // namespace samesum
