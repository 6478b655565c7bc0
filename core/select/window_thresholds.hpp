// How windows and terms are reduced.
#pragma once

#include "select/threshold.hpp"

namespace samesum {
// clang-format off

SAMESUM_THRESHOLD(window_block_bytes, 256 << 10, "bytes of the input", "so many stay in the cache while all windows over them are reduced")
SAMESUM_THRESHOLD(window_task_outputs, 16 << 10, "windows", "a task takes so many")
SAMESUM_THRESHOLD(least_window_run, 8, "windows side by side", "fewer are gathered one by one")
SAMESUM_THRESHOLD(results_for_a_wasted_one, 4, "results", "runs that lie apart are made as one where of so many results at most one is made for nothing")
SAMESUM_THRESHOLD(most_gathered_rows, 512, "elements of a set", "sets of more that lie apart are gathered one by one")
SAMESUM_THRESHOLD(gathered_set_bytes, 32 << 10, "bytes", "so many of sets that lie apart are gathered at a time")
SAMESUM_THRESHOLD(least_gathered_terms, 16, "results of many terms", "so many are gathered at a time at least: an element of each term is one call")
// clang-format on
}  // namespace samesum
