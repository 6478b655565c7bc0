// How windows and terms are reduced.
#pragma once

#include "select/threshold.hpp"

namespace samesum {

inline constexpr Threshold window_block_bytes{
    "window_block_bytes", 256 << 10, "bytes of the input",
    "so many stay in the cache while all windows over them are reduced"};
inline constexpr Threshold window_task_outputs{"window_task_outputs", 16 << 10, "windows",
                                               "a task takes so many"};
inline constexpr Threshold least_window_run{"least_window_run", 8, "windows side by side",
                                            "fewer are gathered one by one"};
inline constexpr Threshold results_for_a_wasted_one{
    "results_for_a_wasted_one", 4, "results",
    "runs that lie apart are made as one where of so many results at most one is made for nothing"};
inline constexpr Threshold most_gathered_rows{"most_gathered_rows", 512, "elements of a set",
                                              "sets of more that lie apart are gathered one by one"};
inline constexpr Threshold gathered_set_bytes{"gathered_set_bytes", 32 << 10, "bytes",
                                              "so many of sets that lie apart are gathered at a time"};
inline constexpr Threshold least_gathered_terms{
    "least_gathered_terms", 16, "results of many terms",
    "so many are gathered at a time at least: an element of each term is one call"};
}  // namespace samesum
