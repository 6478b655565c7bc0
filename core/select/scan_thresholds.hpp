// Which way a scan takes, and in what pieces.
#pragma once

#include "select/threshold.hpp"

namespace samesum {

// Lines that are cut.
inline constexpr Threshold many_chunks{
    "many_chunks", 16, "chunks of a line",
    "longer lines are scanned chunk by chunk whatever the threads: a carry joined "
    "block by block would lose its certainty"};
inline constexpr Threshold lines_per_thread{"lines_per_thread", 2, "lines",
                                            "with fewer for each thread lines are cut into chunks"};
inline constexpr Threshold part_blocks{
    "part_blocks", 7, "blocks of 512 elements",
    "a part of a chunk has so many: eight parts stay in the cache for two passes"};
inline constexpr Threshold scan_together{
    "scan_together", 256, "elements of a line",
    "eight lines are scanned by so many: results stay in L1 until they are written"};

// Groups of few columns.
inline constexpr Threshold most_of_integer_group{"most_of_integer_group", 64, "elements of a group",
                                                 "integers: larger groups are scanned as they lie"};
inline constexpr Threshold most_of_double_group{"most_of_double_group", 128, "elements of a group",
                                                "the same: sums of float64"};

// Lines that are copied side by side first.
inline constexpr Threshold most_of_packed_line{"most_of_packed_line", 64, "elements of a line",
                                               "longer lines are scanned and normalized where they are"};
inline constexpr Threshold packed_line_bytes{
    "packed_line_bytes", 32 << 10, "bytes", "so many are copied at a time: one thread does it, in its cache"};

// Columns.
inline constexpr Threshold scan_column_task_elements{
    "scan_column_task_elements", 1 << 16, "elements",
    "a task of narrow tiles of columns takes several, up to so many"};
inline constexpr Threshold tall_pitch{
    "tall_pitch", 2048, "bytes from row to row",
    "columns are scanned many rows at a time up to here: beyond it their cache "
    "lines come to lie above one another"};
inline constexpr Threshold tall_bytes{"tall_bytes", 1024, "bytes of a row of a tile",
                                      "tiles that are scanned many rows at a time are not wider"};
inline constexpr Threshold tall_cached_bytes{"tall_cached_bytes", 8192, "bytes",
                                             "so many of rows are scanned at a time"};
inline constexpr Threshold least_tile_row_bytes{
    "least_tile_row_bytes", 192, "bytes of a row of a tile",
    "tiles in the caches do not get narrower: threads that write to "
    "neighbouring cache lines hold each other up"};
inline constexpr Threshold least_tile_columns{"least_tile_columns", 64, "columns",
                                              "tiles beyond the caches do not get narrower"};
inline constexpr Threshold shared_line_groups{"shared_line_groups", 4, "groups of columns for each thread",
                                              "from here on rows are not cut into tiles for the threads"};

// Short lines.
inline constexpr Threshold short_scan_task_elements{"short_scan_task_elements", 1 << 17, "elements",
                                                    "a task of short lines takes so many"};
inline constexpr Threshold least_short_lines{"least_short_lines", 8, "lines", "fewer are scanned one by one"};
inline constexpr Threshold short_scan_streamed_bytes{"short_scan_streamed_bytes", 4 << 10, "bytes of results",
                                                     "short lines are written past the caches by so many"};

// Prefixes that are made again, exactly.
inline constexpr Threshold elements_between_questions{
    "elements_between_questions", 1 << 16, "elements of a line",
    "a line that is repaired asks so often whether to go on"};

}  // namespace samesum
