// How products are shared out.
#pragma once

#include "select/threshold.hpp"

namespace samesum {
// clang-format off

SAMESUM_THRESHOLD(contraction_threaded, 256 << 10, "multiplications", "products of fewer run on one thread")
SAMESUM_THRESHOLD(contraction_brief, 1 << 20, "multiplications", "products of fewer run on one thread where another one has to be woken first")
SAMESUM_THRESHOLD(contraction_packed_bytes, 8 << 20, "bytes of columns", "so many are packed before they are multiplied")

SAMESUM_THRESHOLD(contraction_measured_share, 4, "results in doubt", "where so many are more than rows and columns of a tile together, all of these are measured first")
SAMESUM_THRESHOLD(contraction_twice_share, 8, "results in doubt", "where so many times them are more than a tile has, all of it is multiplied again in two words")

SAMESUM_THRESHOLD(contraction_few_rows, 16, "rows", "up to so many take columns as they lie")
SAMESUM_THRESHOLD(contraction_least_run, 4, "columns, or terms, side by side", "few rows take columns as they lie where so many are neighbours")

SAMESUM_THRESHOLD(contraction_winograd_rows, 16, "results", "convolutions of fewer for each place, or of fewer threes of taps, multiply every tap")
SAMESUM_THRESHOLD(contraction_winograd_cost, 75, "per cent of the multiplications", "convolutions to which Winograd's products leave more multiply every tap")
SAMESUM_THRESHOLD(contraction_given_up_share, 16, "results in doubt", "where so many times them are more than all, a convolution begins again with every tap")

SAMESUM_THRESHOLD(attention_direct_rows, 2, "queries", "up to so many of a batch read keys and values where they lie")

// clang-format on
}  // namespace samesum
