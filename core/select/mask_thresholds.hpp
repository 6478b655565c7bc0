// How elements that a mask chooses come to the methods.
#pragma once

#include "select/threshold.hpp"

namespace samesum {

inline constexpr Threshold least_masked_run_rows{
    "least_masked_run_rows", 32, "rows", "so many rows become runs of chosen elements at a time at least"};
inline constexpr Threshold masked_run_bytes{"masked_run_bytes", 256 << 10, "bytes of rows",
                                            "so many are copied before they become runs of chosen elements"};
inline constexpr Threshold least_direct_masked_row{"least_direct_masked_row", 64, "columns",
                                                   "rows and masks of more are read where they are"};
inline constexpr Threshold few_masked_rows{"few_masked_rows", 32, "rows",
                                           "columns of so many are whole short sets once they are copied"};
inline constexpr Threshold least_masked_row{"least_masked_row", 64, "columns", "narrower columns are copied"};
inline constexpr Threshold most_counted_elements{
    "most_counted_elements", 64, "elements of a set",
    "means and variances of so many are put together by their counts: of more there are too many counts"};
inline constexpr Threshold counted_task_bytes{
    "counted_task_bytes", 64 << 10, "bytes", "a task that puts sets together by their counts copies so many"};

}  // namespace samesum
