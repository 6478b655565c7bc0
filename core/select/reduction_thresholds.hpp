// Which way a reduction takes, and in what pieces.
#pragma once

#include "select/threshold.hpp"

namespace samesum {

// clang-format off

// Shorter runs than this are columns, of which a vector holds many.
SAMESUM_THRESHOLD(least_lane, 17, "elements of a run", "shorter runs are columns")
SAMESUM_THRESHOLD(least_small_lane, 32, "elements of a run", "the same for elements of less than four bytes and for products of integers: a short lane is a part of a vector")
// Where runs lie side by side they are columns for longer.
SAMESUM_THRESHOLD(least_exponential_lane_side_by_side, 65, "elements of a run", "sums of exponentials: shorter runs are columns")
SAMESUM_THRESHOLD(least_extreme_lane_side_by_side, 65, "elements of a run", "extremes and positions of up to four bytes: shorter runs are columns")
SAMESUM_THRESHOLD(least_wide_lane_side_by_side, 49, "elements of a run", "extremes of eight bytes, sums of floats, products: shorter runs are columns")
SAMESUM_THRESHOLD(least_mean_lane_side_by_side, 33, "elements of a run", "means of integers: shorter runs are columns")

// The first method of a set.
SAMESUM_THRESHOLD(few_elements, 64, "elements of a set", "sums of up to so many are often ties: the first method is one that tells whether they are exact")
SAMESUM_THRESHOLD(many_single_elements, 1 << 25, "elements of a set", "bfloat16 sums of more are added up in float64 alone: too many that were added in float32 are in doubt")
SAMESUM_THRESHOLD(most_apart_rows, 16, "elements of a set", "whole short sets whose elements lie apart are reduced at once up to here")

// Groups of few columns, side by side with those of others.
SAMESUM_THRESHOLD(most_group_columns, 16, "columns of a group", "groups of more fill vectors by themselves")
SAMESUM_THRESHOLD(most_of_heavy_group, 4096, "elements of a group", "groups of more are reduced as they lie: exponentials, products of floats")
SAMESUM_THRESHOLD(most_of_float_sum_group, 1024, "elements of a group", "the same: sums of floats")
SAMESUM_THRESHOLD(most_of_byte_group, 1536, "elements of a group", "the same: others of one byte")
SAMESUM_THRESHOLD(most_of_narrow_group, 768, "elements of a group", "the same: others of two and four bytes")
SAMESUM_THRESHOLD(most_of_wide_group, 512, "elements of a group", "the same: others of eight bytes")
SAMESUM_THRESHOLD(most_of_group, 512, "elements of a group", "normalizations and scans of larger groups go as the groups lie")
SAMESUM_THRESHOLD(few_columns, 7, "columns of a group", "normalizations and scans of groups of more go as the groups lie")
SAMESUM_THRESHOLD(grouped_elements, 6144, "elements", "a block of groups has up to so many: one thread does it, in its cache")
SAMESUM_THRESHOLD(groups_together, 8, "groups", "a block has so many or a multiple: they are transposed by squares")

// Sets that are copied together first.
SAMESUM_THRESHOLD(most_of_packed_set, 512, "elements of a set", "larger sets are read where they are")
SAMESUM_THRESHOLD(least_packed_sets, 16, "sets", "fewer are read where they are")
SAMESUM_THRESHOLD(narrow_packed_columns, 48, "columns", "narrower columns are copied to wider ones")
SAMESUM_THRESHOLD(small_packed_tile, 1024, "elements of a tile of columns", "smaller tiles are copied to wider ones")
SAMESUM_THRESHOLD(small_packed_group, 400, "elements of a group", "groups of fewer elements of four bytes or more are copied")
SAMESUM_THRESHOLD(few_packed_rows, 16, "rows", "columns with gaps of up to so many are copied, however wide")
SAMESUM_THRESHOLD(packed_bytes, 32 << 10, "bytes", "so many are copied at a time: one thread does it, in its cache")

// Results in the order of memory first.
SAMESUM_THRESHOLD(least_reordered_results, 64, "results", "fewer are made in the order that is asked for")
SAMESUM_THRESHOLD(most_of_reordered_lane, 512, "elements of a lane", "longer lanes are reduced in the order of the results")
SAMESUM_THRESHOLD(narrow_reordered_columns, 512, "columns", "wider columns are reduced in the order of the results")
SAMESUM_THRESHOLD(few_reordered_rows, 64, "rows", "columns of fewer cost less than to scatter their results")
SAMESUM_THRESHOLD(reordered_bytes, 32 << 20, "bytes of results", "a part of the results that is put in order at a time has so many")
SAMESUM_THRESHOLD(least_behind_stage, 64, "elements behind the nearest dimension", "fewer are not worth a stage of their own for positions in another order than memory's")

// Tiles and tasks.
SAMESUM_THRESHOLD(task_bytes, 2 << 20, "bytes of the input", "a task of a reduction has so many")
SAMESUM_THRESHOLD(least_task_bytes, 64 << 10, "bytes of the input", "tasks of lanes do not get smaller to make some for each thread")
SAMESUM_THRESHOLD(columns_task_bytes, 1 << 20, "bytes of the input", "tiles of low columns are widened to so many")
SAMESUM_THRESHOLD(least_uncached_row_bytes, 4096, "bytes of a row of a tile", "tiles of columns beyond the caches do not get narrower")
SAMESUM_THRESHOLD(least_shared_columns, 256, "columns", "tiles of columns in the caches do not get narrower")
SAMESUM_THRESHOLD(tile_unit_columns, 64, "columns", "the width of a tile of columns is a multiple")
SAMESUM_THRESHOLD(tiles_per_thread, 3, "tiles", "with fewer for each thread sets are cut into pieces")
SAMESUM_THRESHOLD(tasks_of_large_tile, 4, "task_bytes", "one thread cuts larger tiles, so that it can be interrupted")
SAMESUM_THRESHOLD(least_piece_bytes, 256 << 10, "bytes of the input", "pieces of a set are not smaller: the first tells whether others are woken")
SAMESUM_THRESHOLD(pieces_per_thread, 8, "pieces", "a set is cut into so many for each thread unless they are large")
SAMESUM_THRESHOLD(least_pieces_per_thread, 2, "pieces", "a set is cut into so many for each thread at least")
SAMESUM_THRESHOLD(ordered_pieces, 6, "pieces", "an ordered set is cut into so many for each thread: each has a state")
SAMESUM_THRESHOLD(chunk_bytes, 128 << 10, "bytes of the input", "several results of the same sets read so many in turn, from the cache")
SAMESUM_THRESHOLD(chunk_rows, 16, "rows", "a chunk of columns has so many at least")
SAMESUM_THRESHOLD(chunk_lane_elements, 1024, "elements", "a chunk of a lane has a multiple")
SAMESUM_THRESHOLD(long_run_bytes, 1024, "bytes of a run", "shorter runs of a lane are copied side by side")

// Sets that a method could not decide.
SAMESUM_THRESHOLD(few_retried_columns, 64, "columns of a tile", "smaller tiles are all reduced again where a column failed")
SAMESUM_THRESHOLD(retried_share, 16, "divisor of the columns of a tile", "where more than the share failed all are reduced again, else the failed ones are gathered")

// Statistics, states and exact sums.
SAMESUM_THRESHOLD(statistics_slice, 1 << 16, "elements", "a task of statistics takes so many")
SAMESUM_THRESHOLD(least_state_slice, 32768, "elements of the sets of a tile", "a task that adds to states takes so many at least")
SAMESUM_THRESHOLD(few_exact_rows, 16, "rows", "exact sums of columns of fewer are made element by element")

// How elements that a mask chooses come to the methods.
SAMESUM_THRESHOLD(few_masked_rows, 32, "rows", "columns of so many are whole short sets once they are copied")
SAMESUM_THRESHOLD(least_masked_row, 64, "columns", "narrower columns are copied")

// How windows and terms are reduced.
SAMESUM_THRESHOLD(window_block_bytes, 256 << 10, "bytes of the input", "so many stay in the cache while all windows over them are reduced")
SAMESUM_THRESHOLD(window_task_outputs, 16 << 10, "windows", "a task takes so many")
SAMESUM_THRESHOLD(least_window_run, 8, "windows side by side", "fewer are gathered one by one")
SAMESUM_THRESHOLD(results_for_a_wasted_one, 4, "results", "runs that lie apart are made as one where of so many results at most one is made for nothing")
SAMESUM_THRESHOLD(most_gathered_rows, 512, "elements of a set", "sets of more that lie apart are gathered one by one")
SAMESUM_THRESHOLD(least_gathered_terms, 16, "results of many terms", "so many are gathered at a time at least: an element of each term is one call")

// Dot products.
SAMESUM_THRESHOLD(dot_least_lane, 16, "elements of a vector", "shorter vectors are columns where both ways copy as much")
SAMESUM_THRESHOLD(dot_copied_bytes, 64 << 10, "bytes of an operand", "so many are copied at a time")

// How rows that are scattered to segments are put in order and reduced.
SAMESUM_THRESHOLD(segment_part_rows, 64 << 10, "rows", "a part that has its own counts of the segments has so many at least")
SAMESUM_THRESHOLD(few_segments, 2048, "segments", "so few are counted four times over: to count one up waits until it was counted up before; so few are summed again exactly")
SAMESUM_THRESHOLD(many_segment_rows, 64 << 10, "rows of a segment", "segments of more are few, and sorted by comparison")
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
