// Which way a scan takes, and in what pieces.
#pragma once

#include "select/threshold.hpp"

namespace samesum {
// clang-format off

// Lines that are cut.
SAMESUM_THRESHOLD(many_chunks, 16, "chunks of a line", "longer lines are scanned chunk by chunk whatever the threads: a carry joined block by block would lose its certainty")
SAMESUM_THRESHOLD(lines_per_thread, 2, "lines", "with fewer for each thread lines are cut into chunks")
SAMESUM_THRESHOLD(part_blocks, 7, "blocks of 512 elements", "a part of a chunk has so many: eight parts stay in the cache for two passes")
SAMESUM_THRESHOLD(scan_together, 256, "elements of a line", "eight lines are scanned by so many: results stay in L1 until they are written")

// Groups of few columns.
SAMESUM_THRESHOLD(most_of_integer_group, 64, "elements of a group", "integers: larger groups are scanned as they lie")
SAMESUM_THRESHOLD(most_of_double_group, 128, "elements of a group", "the same: sums of float64")

// Lines that are copied side by side first.
SAMESUM_THRESHOLD(most_of_packed_line, 64, "elements of a line", "longer lines are scanned and normalized where they are")

// Columns.
SAMESUM_THRESHOLD(scan_column_task_elements, 1 << 16, "elements", "a task of narrow tiles of columns takes several, up to so many")
SAMESUM_THRESHOLD(tall_pitch, 2048, "bytes from row to row", "columns are scanned many rows at a time up to here: beyond it their cache lines come to lie above one another")
SAMESUM_THRESHOLD(tall_bytes, 1024, "bytes of a row of a tile", "tiles that are scanned many rows at a time are not wider")
SAMESUM_THRESHOLD(tall_cached_bytes, 8192, "bytes", "so many of rows are scanned at a time")
SAMESUM_THRESHOLD(least_tile_row_bytes, 192, "bytes of a row of a tile", "tiles in the caches do not get narrower: threads that write to neighbouring cache lines hold each other up")
SAMESUM_THRESHOLD(least_tile_columns, 64, "columns", "tiles beyond the caches do not get narrower")
SAMESUM_THRESHOLD(shared_line_groups, 4, "groups of columns for each thread", "from here on rows are not cut into tiles for the threads")

// Short lines.
SAMESUM_THRESHOLD(short_scan_task_elements, 1 << 17, "elements", "a task of short lines takes so many")
SAMESUM_THRESHOLD(least_short_lines, 8, "lines", "fewer are scanned one by one")
SAMESUM_THRESHOLD(short_scan_streamed_bytes, 4 << 10, "bytes of results", "short lines are written past the caches by so many")

// Prefixes that are made again, exactly.
SAMESUM_THRESHOLD(elements_between_questions, 1 << 16, "elements of a line", "a line that is repaired asks so often whether to go on")

// Cumulative logarithms of sums of exponentials.
SAMESUM_THRESHOLD(exponential_columns, 64, "lines side by side", "fewer are not shared out, and cut into parts where they are long")
SAMESUM_THRESHOLD(exponential_tile, 512, "lines side by side", "so many are scanned together")
SAMESUM_THRESHOLD(exponential_long_line, 256, "elements of a line", "few shorter lines are not cut into parts")
SAMESUM_THRESHOLD(exponential_part, 8, "elements of a line", "parts of a line are no shorter")
SAMESUM_THRESHOLD(exponential_doubtful, 64, "prefixes in doubt", "more are not decided one by one in double-words")
SAMESUM_THRESHOLD(exponential_parts, 1024, "parts of a line", "a long line is cut into so many")

// clang-format on
}  // namespace samesum
