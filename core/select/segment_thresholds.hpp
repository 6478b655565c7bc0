// How rows that are scattered to segments are put in order and reduced.
#pragma once

#include "select/threshold.hpp"

namespace samesum {
// clang-format off

SAMESUM_THRESHOLD(segment_part_rows, 64 << 10, "rows", "a part that has its own counts of the segments has so many at least")
SAMESUM_THRESHOLD(few_segments, 2048, "segments", "so few are counted four times over: to count one up waits until it was counted up before")
SAMESUM_THRESHOLD(many_segment_rows, 64 << 10, "rows of a segment", "segments of more are few, and sorted by comparison")
SAMESUM_THRESHOLD(small_segment_row, 32, "bytes of a row", "smaller rows share cache lines: they are put in order once")
SAMESUM_THRESHOLD(segment_rows_ahead, 8, "rows", "so far ahead rows that are copied are asked for")
SAMESUM_THRESHOLD(segment_lines_ahead, 8, "cache lines of a row", "so many of each are asked for")
SAMESUM_THRESHOLD(segment_block_bytes, 256 << 10, "bytes", "rows that are copied together: they stay in the cache until they are reduced")
SAMESUM_THRESHOLD(long_segment_bytes, 1 << 20, "bytes of a segment", "threads share larger segments")
SAMESUM_THRESHOLD(row_bytes_for_a_column, 128, "bytes of a row for each column", "columns of longer rows that are not decided are taken again by themselves: a line of memory each")
SAMESUM_THRESHOLD(segment_slice_bytes, 32 << 10, "bytes of a row", "wider rows are taken in slices")

SAMESUM_THRESHOLD(long_segment_in_order, 512, "rows of a segment", "segments of more are read where they lie, if that is in order")
SAMESUM_THRESHOLD(labels_looked_at, 4096, "labels", "so many tell whether they ascend")
SAMESUM_THRESHOLD(cached_state_bytes, 256 << 10, "bytes of the states of all segments", "those of elements to come are asked for if all are more: they miss the second cache")
SAMESUM_THRESHOLD(labelled_rows_ahead, 128, "elements", "so far ahead their states are asked for")
SAMESUM_THRESHOLD(labelled_task_segments, 8192, "segments", "the results of so many are a task")

// clang-format on
}  // namespace samesum
