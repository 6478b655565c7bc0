// Exact sums of floats, block by block.
#pragma once

#include "exact/totals/running_total.hpp"
#include "exact/totals/superaccumulator.hpp"
#include "methods/method.hpp"

namespace samesum {

// Variances by exact sums of the elements and of their squares.

// Of every format; it never fails.
const Method& exact_variance_method(Format format);

// Of map(x). The total of a block is nearly always exact in a few words; only where it is not, its elements
// are added to the superaccumulator one by one.
const Method& exact_sum_method(Format in, Map map);

// Adds n <= scan_elements contiguous elements.
template <class Total>
void add_block(Total& total, const char* x, std::size_t n, Format in);

}  // namespace samesum
