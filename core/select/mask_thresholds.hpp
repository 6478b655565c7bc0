// How elements that a mask chooses come to the methods.
#pragma once

#include "select/threshold.hpp"

namespace samesum {

inline constexpr Threshold least_masked_run_rows{
    "least_masked_run_rows", 32, "rows", "so many rows become runs of chosen elements at a time at least"};
inline constexpr Threshold masked_run_bytes{"masked_run_bytes", 256 << 10, "bytes of rows",
                                            "so many are copied before they become runs of chosen elements"};
inline constexpr Threshold few_masked_rows{"few_masked_rows", 32, "rows",
                                           "columns of so many are whole short sets once they are copied"};
inline constexpr Threshold least_masked_row{"least_masked_row", 64, "columns", "narrower columns are copied"};

}  // namespace samesum
