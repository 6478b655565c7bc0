// How elements that a mask chooses come to the methods.
#pragma once

#include "select/threshold.hpp"

namespace samesum {
// clang-format off

SAMESUM_THRESHOLD(least_masked_run_rows, 32, "rows", "so many rows become runs of chosen elements at a time at least")
SAMESUM_THRESHOLD(masked_run_bytes, 256 << 10, "bytes of rows", "so many are copied before they become runs of chosen elements")
SAMESUM_THRESHOLD(few_masked_rows, 32, "rows", "columns of so many are whole short sets once they are copied")
SAMESUM_THRESHOLD(least_masked_row, 64, "columns", "narrower columns are copied")

// clang-format on
}  // namespace samesum
