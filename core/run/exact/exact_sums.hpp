// Exact sums of floats, block by block.
#pragma once

#include "arithmetic/error_free.hpp"
#include "exact/totals/running_total.hpp"
#include "exact/totals/superaccumulator.hpp"
#include "methods/method.hpp"
#include "run/dots/dot_layout.hpp"

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

// Dot products of single pairs of vectors, exactly.

// Elements [begin, end) of the vectors at a and b. If `rough` is known not to be finite, infinities and NaNs
// are looked for first.
Superaccumulator exact_dot(const DotLayout& all, const char* a, const char* b, std::int64_t begin,
                           std::int64_t end, bool is_rough_finite);

// hi + lo, at most `bound` from the exact total, rounded to a byte float; false where that is not certain.
bool round_to_byte(const Sum& total, Format format, std::uint64_t& bits);

}  // namespace samesum
